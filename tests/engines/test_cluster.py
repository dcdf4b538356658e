"""The Dask engine: the same answer to the last bit, whatever happens to workers."""

import os
import pickle
import signal
import threading
import time
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

from tests.clusters import cluster_of

from qpfs import (
    IKMAQPFS,
    IKMQPFS,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    MaxRel,
    NystromQPFS,
    open_store,
    write_store,
)
from qpfs.engines import engine_for
from qpfs.engines.cluster import Cluster

RNG = np.random.default_rng(8)
N, M = 70, 600
Y = RNG.integers(0, 3, N)
X = RNG.normal(size=(N, M))
X[:, :60] += Y[:, None] * RNG.uniform(0.2, 1.0, 60)
X[:, 60:90] = np.round(X[:, 60:90])
X[3:9, 100:140] = np.nan
X[:, 200:205] = 1.0

SELECTORS = {
    "QPFS": QPFS(),
    "QPFS at a theta": QPFS(theta=0.5),
    "chi-square": QPFS(theta=0.5, measure="chi2"),
    "Nystrom": NystromQPFS(random_state=3),
    "mRMR": MRMR(12),
    "MaxRel": MaxRel(12),
    "TLKM": TLKMQPFS(n_clusters=30),
    "IKM": IKMQPFS(),
    "IKMA": IKMAQPFS(),
    "IKMA by medoids": IKMAQPFS(representative="medoid", radius=0.85),
}


@pytest.fixture(
    scope="module", params=[False, pytest.param(True, marks=pytest.mark.slow)], ids=["here", "apart"]
)
def client(request):
    """Workers that are told everything through sockets, as those on other machines are.

    By default they are threads here: a process takes seconds to begin, and some begin in
    tests/faults/test_cluster_deaths.py.
    """
    with cluster_of(2, processes=request.param, protocol="tcp") as client:
        yield client


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_store(X, tmp_path_factory.mktemp("store") / "table.qpfs", Y)


def learned(selector):
    names = (
        "relevance_",
        "pvalues_",
        "scores_",
        "order_",
        "labels_",
        "representatives_",
        "radii_",
        "theta_",
        "gap_",
    )
    found = {name: getattr(selector, name) for name in names if hasattr(selector, name)}
    if selector.fitted_.table.measure.measure.form.name != "levels":
        assert selector.discretizer_ is None
        return found
    return found | {"edges": selector.discretizer_.edges_, "levels": selector.discretizer_.n_levels_}


@cache
def learned_here(name):
    """What a selector learns from the array itself."""
    return learned(clone(SELECTORS[name]).fit(X, Y))


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


ALIKE = ("QPFS at a theta", "MaxRel", "IKM", "IKMA by medoids")  # ask a table what others here do
every_selector = pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow if one in ALIKE else ()) for one in SELECTORS]
)


@every_selector
def test_a_dask_array_gives_the_same_bits(client, name):
    found = clone(SELECTORS[name]).fit(da.from_array(X, chunks=(30, 110)), Y)
    assert isinstance(found.fitted_.table.engine, Cluster)
    same(learned(found), learned_here(name))


@every_selector
def test_without_a_client_a_dask_array_is_worked_on_here(name):
    distributed.client._set_global_client(None)
    same(learned(SELECTORS[name].fit(da.from_array(X, chunks=(30, 110)), Y)), learned_here(name))


FROM_A_STORE = ("QPFS", "chi-square", "mRMR", "IKMA")  # the others ask the same questions


@pytest.mark.parametrize(
    "name", [one if one in FROM_A_STORE else pytest.param(one, marks=pytest.mark.slow) for one in SELECTORS]
)
def test_a_store_gives_the_same_bits(client, store, name):
    selector = SELECTORS[name]
    if selector.measure == "auto":
        selector = clone(selector).set_params(measure="mi")
    found = selector.fit(open_store(store), Y)
    assert isinstance(found.fitted_.table.engine, Cluster)
    same(learned(found), learned(clone(selector).fit(X, Y)))


NOT_AS_SAID = {
    "narrower": (lambda chunk: chunk[:, :-1], ValueError, "but the array states"),
    "text": (lambda chunk: chunk.astype(str), TypeError, "where numbers were expected"),
    "sparse": (sparse.csr_matrix, TypeError, "is made of csr_matrix; expected NumPy arrays"),
    "sparse arrays": (sparse.csr_array, TypeError, "is made of csr_array; expected NumPy arrays"),
}


@pytest.mark.parametrize("where", ["here", "there"])
@pytest.mark.parametrize("what", NOT_AS_SAID)
def test_chunks_that_are_not_what_the_array_says_are_refused(client, what, where):
    make, error, said = NOT_AS_SAID[what]
    whole = da.from_array(np.nan_to_num(X), chunks=(N, 110))
    array = whole.map_blocks(make, dtype=float, meta=np.empty((0, 0)))
    if where == "here":
        distributed.client._set_global_client(None)
    with pytest.raises(error, match=said):
        MaxRel(3).fit(array, Y)


def test_a_store_of_scores_gives_the_same_bits(client, tmp_path):
    path = write_store(X, tmp_path / "scores.qpfs", Y, measure="rank")
    for selector in (QPFS(10, measure="rank"), IKMAQPFS(measure="rank")):
        found = selector.fit(open_store(path), Y)
        assert isinstance(found.fitted_.table.engine, Cluster)
        same(learned(found), learned(selector.fit(X, Y)))


def test_part_of_a_store_stays_here(client, store):
    found = QPFS(theta=0.5).fit(open_store(store)[np.arange(N)], Y)
    assert not isinstance(found.fitted_.table.engine, Cluster)


def test_too_little_memory_is_told_before_the_work():
    with cluster_of(1, processes=False, memory_limit="1GiB") as client:
        engine = Cluster(client)
        engine.check_room(1000, 1000)
        with pytest.raises(MemoryError, match=r"workers .* need about 0.7 GB together, and may use 0.644 GB"):
            engine.check_room(1000, 700_000_000)
        with pytest.raises(MemoryError, match=r"needs about 1e.15 GB in the client's process"):
            engine.check_room(10**24, 1000)


def test_a_fit_that_will_not_fit_is_not_begun(client, monkeypatch):
    monkeypatch.setattr("qpfs.selectors.problem.HERE_BYTES", 10**15)
    with pytest.raises(MemoryError, match="client's process"):
        QPFS(theta=0.5).fit(da.from_array(X, chunks=(N, 110)), Y)


def test_correlations_are_the_same_bits(client):
    clean = np.nan_to_num(X)
    expected = QPFS(theta=0.5, measure="correlation").fit(clean, Y)
    found = QPFS(theta=0.5, measure="correlation").fit(da.from_array(clean, chunks=(N, 130)), Y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.order_, expected.order_)


@pytest.mark.parametrize("width", [40, 500, 600])
def test_chunks_do_not_matter(client, width):
    same(learned(IKMAQPFS().fit(da.from_array(X, chunks=(N, width)), Y)), learned_here("IKMA"))


@pytest.mark.slow
@pytest.mark.parametrize(("n_workers", "threads", "width"), [(1, 1, 40), (3, 2, 500), (2, 3, 600)])
def test_neither_workers_nor_threads_nor_chunks_matter(n_workers, threads, width):
    expected = learned(IKMAQPFS().fit(X, Y))
    with cluster_of(n_workers, threads):
        same(learned(IKMAQPFS().fit(da.from_array(X, chunks=(N, width)), Y)), expected)


def test_an_array_in_memory_stays_here(client):
    assert not isinstance(engine_for(1), Cluster)
    assert not isinstance(QPFS(theta=0.5).fit(X, Y).fitted_.table.engine, Cluster)


def test_after_the_fit_it_goes_on_answering(client):
    here = IKMAQPFS().fit(X, Y)
    there = IKMAQPFS().fit(da.from_array(X, chunks=(N, 110)), Y)
    feature = int(here.order_[0])
    assert there.alternatives(feature) == here.alternatives(feature)
    np.testing.assert_array_equal(there.redundancy(), here.redundancy())
    one, other = (fitted.theta_path([0.3, 0.7]).weights for fitted in (there, here))
    np.testing.assert_array_equal(one, other)
    assert there.to_frame().equals(here.to_frame())


def test_a_fitted_selector_can_be_kept(client):
    found = QPFS(theta=0.5).fit(da.from_array(X, chunks=(N, 110)), Y)
    again = pickle.loads(pickle.dumps(found))
    same(learned(again), learned(found))
    feature = int(found.order_[0])
    assert again.alternatives(feature) == found.alternatives(feature)


def test_transform_of_a_dask_array_is_one(client):
    lazy = da.from_array(X, chunks=(30, 110))
    found = MRMR(5).fit(lazy, Y)
    reduced = found.transform(lazy)
    assert isinstance(reduced, da.Array)
    np.testing.assert_array_equal(reduced.compute(), found.transform(X))


def test_the_target_may_be_lazy_too(client):
    found = MRMR(5).fit(da.from_array(X, chunks=(30, 110)), da.from_array(Y, chunks=20))
    np.testing.assert_array_equal(found.order_, MRMR(5).fit(X, Y).order_)


def kill_one(client, seconds):
    """SIGKILL to a worker after some seconds."""

    def kill():
        time.sleep(seconds)
        pids = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.slow  # tests/faults/test_cluster_deaths.py kills a worker at a given task
@pytest.mark.parametrize("seconds", [0.1, 0.6, 1.5])
def test_a_killed_worker_changes_nothing_but_time(seconds):
    expected = learned(IKMAQPFS().fit(X, Y))
    with cluster_of(2) as client:
        lazy = da.from_array(X, chunks=(N, 60))
        IKMAQPFS().fit(lazy, Y)  # kernels are at hand, so that the kill falls into the fit
        killer = kill_one(client, seconds)
        found = [learned(IKMAQPFS().fit(lazy, Y)) for _ in range(3)]
        killer.join()
    for one in found:
        same(one, expected)


def test_a_scheduler_that_is_gone_is_a_clear_error():
    with cluster_of(1, processes=False) as client:
        lazy = da.from_array(X, chunks=(N, 60))
        QPFS(theta=0.5).fit(lazy, Y)
        client.cluster.close()
        with pytest.raises(ConnectionError, match=r"scheduler at .* is gone"):
            QPFS(theta=0.5).fit(lazy, Y)


def test_a_cluster_without_workers_is_a_clear_error():
    with cluster_of(0), pytest.raises(ConnectionError, match="no workers"):
        QPFS().fit(da.from_array(X, chunks=(N, 60)), Y)


def test_what_is_wrong_with_the_data_is_said_as_ever(client):
    bad = X.copy()
    bad[4, 577] = np.inf
    with pytest.raises(ValueError, match="column 577 has inf in row 4"):
        QPFS().fit(da.from_array(bad, chunks=(N, 110)), Y)


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (da.zeros((4, 3, 2)), ValueError, "2D"),
        (da.from_array(np.array([["a"], ["b"]])), TypeError, "expected numbers"),
        (da.zeros((1, 3)), ValueError, "minimum of 2"),
        (da.zeros((4, 0)), ValueError, "minimum of"),
    ],
)
def test_arrays_that_are_no_tables_are_refused(array, error, message):
    with pytest.raises(error, match=message):
        QPFS().fit(array, np.arange(len(array)) % 2)


def test_tasks_have_names_a_person_can_read(client):
    from distributed.utils import key_split

    from qpfs.engines.cluster import key_for, named
    from qpfs.information.questions import nearest_of

    assert key_split(key_for(named(nearest_of))) == "qpfs nearest"


def test_a_search_takes_a_dask_array(client):
    search = QPFSCV(param_grid={"theta": [0.3, 0.6]}, n_features=[3, 6], cv=2)
    expected, found = search.fit(X[:, :60], Y).order_, search.fit(da.from_array(X[:, :60]), Y).order_
    np.testing.assert_array_equal(found, expected)


def test_sparse_tables_are_selected_from_beside_a_client(client):
    words = sparse.csr_array(np.where(X > 1, X, 0.0))
    for name in ("QPFS at a theta", "IKMA"):
        same(learned(SELECTORS[name].fit(words, Y)), learned(SELECTORS[name].fit(words.toarray(), Y)))


def test_a_closed_client_is_told_in_plain_words(store):
    with cluster_of(1, processes=False):
        fitted = QPFS(5, theta=0.5).fit(open_store(store), Y)
    with pytest.raises(ConnectionError, match="fit again"):
        fitted.alternatives(int(fitted.order_[0]))


def test_cancelled_work_stops():
    """In a process, which ends although it sleeps."""
    with cluster_of(1) as client:
        check_cancelled(Cluster(client))


def check_cancelled(engine):
    futures = [engine.submitted(time.sleep, 30) for _ in range(4)]
    begun = time.monotonic()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have turned off
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.gathered(futures)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begun < 20
    assert all(future.cancelled() for future in futures)
