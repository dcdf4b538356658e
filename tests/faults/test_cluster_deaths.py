"""A Dask cluster that dies in part or as a whole: the same bits, or one error that says so."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.base import clone

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

from tests.cli.command import qpfs
from tests.clusters import cluster_of
from tests.faults.deaths import command, doing, killing, killing_gathered, processes_of
from tests.faults.works import check_one_line, succeed

from qpfs import IKMAQPFS, QPFS, open_store, write_store
from qpfs.codes import encoding
from qpfs.engines import cluster
from qpfs.engines.cluster import Cluster

pytestmark = pytest.mark.first
N, M = 70, 600
RNG = np.random.default_rng(3)
Y = RNG.integers(0, 3, N)
X = RNG.normal(size=(N, M))
X[:, :60] += Y[:, None] * RNG.uniform(0.2, 1.0, 60)
SELECTORS = {"QPFS": QPFS(), "IKMA": IKMAQPFS()}
PHASES = {
    "store": {
        "QPFS": ("load", "relevance", "shared"),
        "IKMA": ("apart", "nearest pivot", "scores"),
    },
    "array": {
        "QPFS": ("encode", "one after another", "facts", "prepare", "relevance", "taken from"),
        "IKMA": ("nearest pivot", "shared"),
    },
}
ALL = [(source, name, task) for source in PHASES for name in PHASES[source] for task in PHASES[source][name]]
QUICK = [("array", "QPFS", "relevance")]
SOURCES = {"store": "mi", "array": "rank"}  # with the measure that "auto" takes there


@pytest.fixture
def client():
    """A new one each time: Dask gives up a worker that dies before its nanny knows that it has begun."""
    with cluster_of(2) as client:
        yield client


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "table.qpfs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "block_width", lambda n_samples, n_levels: 64)
        write_store(X, path, Y)
    assert len(open_store(path).blocks) > 4
    return path


@pytest.fixture(scope="module")
def sources(store):
    return {"store": lambda: open_store(store), "array": lambda: da.from_array(X, chunks=(N, 100))}


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
    return found | {"alternatives": repr(selector.alternatives(int(selector.order_[0])))}


@pytest.fixture(scope="module")
def expected():
    return {
        (source, name): learned(clone(selector).set_params(measure=measure).fit(X, Y))
        for source, measure in SOURCES.items()
        for name, selector in SELECTORS.items()
    }


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize(
    ("source", "name", "task"),
    [one if one in QUICK else pytest.param(*one, marks=pytest.mark.slow) for one in ALL],
)
def test_a_worker_dies_of_a_task(client, sources, expected, tmp_path, source, name, task):
    with killing(task, tmp_path):
        found = learned(SELECTORS[name].fit(sources[source](), Y))
    same(found, expected[source, name])


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_workers_die_one_after_another(client, sources, expected, tmp_path, source):
    with killing("shared", tmp_path, n=3):
        found = learned(QPFS().fit(sources[source](), Y))
    same(found, expected[source, "QPFS"])


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_all_die_while_answers_are_fetched(client, sources, expected, source):
    with killing_gathered(client):
        found = learned(QPFS().fit(sources[source](), Y))
    same(found, expected[source, "QPFS"])


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_all_die_between_the_fit_and_the_next_question(client, sources, expected, source):
    fitted = QPFS().fit(sources[source](), Y)
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    same(learned(fitted), expected[source, "QPFS"])


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_whoever_tries_it_dies(client, sources, tmp_path, source):
    with killing("relevance", tmp_path, n=100), pytest.raises(MemoryError, match="died repeatedly"):
        QPFS().fit(sources[source](), Y)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("task", ["relevance", "shared"])
def test_of_two_that_nobody_starts_again_one_is_enough(sources, expected, tmp_path, source, task):
    with client_of_processes(tmp_path, 2) as (client, processes):
        with doing(processes.workers[0].kill, task):
            found = learned(QPFS().fit(sources[source](), Y))
        same(found, expected[source, "QPFS"])
        assert len(client.nthreads()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("task", ["relevance", "shared"])
def test_all_die_and_nobody_starts_others(monkeypatch, sources, tmp_path, source, task):
    monkeypatch.setattr(cluster, "PATIENCE", 3.0)
    with (
        client_of_processes(tmp_path, 1) as (_, processes),
        doing(processes.workers[0].kill, task),
        pytest.raises(ConnectionError, match="has lost all its workers, and none came back within 3 sec"),
    ):
        QPFS().fit(sources[source](), Y)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_all_die_after_the_fit_and_nobody_starts_others(monkeypatch, sources, tmp_path, source):
    monkeypatch.setattr(cluster, "PATIENCE", 3.0)
    with client_of_processes(tmp_path, 1) as (_, processes):
        fitted = QPFS().fit(sources[source](), Y)
        processes.workers[0].kill()
        with pytest.raises(ConnectionError, match="has lost all its workers"):
            fitted.alternatives(int(fitted.order_[0]))


@contextmanager
def client_of_processes(folder, n_workers):
    with processes_of(folder, n_workers) as processes, distributed.Client(processes.address) as client:
        client.wait_for_workers(n_workers)
        yield client, processes


@pytest.fixture
def quick_client(monkeypatch):
    """A client of a cluster in this process."""
    monkeypatch.setattr(cluster, "LOOK", 0.1)
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with cluster_of(1, processes=False) as client:
        yield client


def test_workers_that_leave_for_good_are_not_waited_for(quick_client, sources):
    engine = Cluster(quick_client)
    quick_client.retire_workers(close_workers=True)
    with pytest.raises(ConnectionError, match=r"has lost all its workers, and none came back within 0\.5"):
        list(engine.map(abs, [-1, -2]))


def test_workers_are_waited_for_while_there_are_some(quick_client):
    assert list(Cluster(quick_client).map(time.sleep, [1.0])) == [None]  # longer than patience lasts


@pytest.mark.parametrize("task", ["load", "relevance", "shared"])
def test_the_scheduler_ends_on_the_way(quick_client, sources, task):
    with (
        doing(quick_client.cluster.close, task),
        pytest.raises(ConnectionError, match=r"scheduler at .* is gone"),
    ):
        QPFS().fit(sources["store"](), Y)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_scheduler_is_killed(sources, tmp_path, source, number):
    with client_of_processes(tmp_path, 1) as (_, processes):
        with (
            doing(lambda: processes.scheduler.send_signal(number), "relevance"),
            pytest.raises(ConnectionError, match=r"scheduler at .* is gone"),
        ):
            QPFS().fit(sources[source](), Y)
        with pytest.raises(ConnectionError, match=r"scheduler at .* is gone"):
            QPFS().fit(sources[source](), Y)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_the_scheduler_is_killed_after_the_fit(sources, tmp_path, source):
    with client_of_processes(tmp_path, 1) as (_, processes):
        fitted = QPFS().fit(sources[source](), Y)
        processes.scheduler.kill()
        with pytest.raises(ConnectionError, match=r"scheduler at .* is gone"):
            fitted.alternatives(int(fitted.order_[0]))


@pytest.mark.slow
def test_the_command_answers_though_a_worker_dies(store, tmp_path):
    typed = ("select", store, "--top", 5, "--json", "--quiet")
    alone = json.loads(qpfs(*typed).stdout)
    with cluster_of(2) as client, killing("shared", tmp_path):
        run = qpfs(*typed, "--dask", client.scheduler.address)
    succeed(run)
    assert json.loads(run.stdout)["features"] == alone["features"]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["load", "relevance", "shared"])
@pytest.mark.parametrize(
    ("which", "number", "says"),
    [
        ("scheduler", signal.SIGKILL, "is gone"),
        ("scheduler", signal.SIGTERM, "is gone"),
        ("worker", signal.SIGKILL, "has lost all its workers"),
    ],
)
def test_the_command_says_who_died(store, tmp_path, which, number, says, task):
    out = tmp_path / "out"
    out.mkdir()
    with client_of_processes(tmp_path, 1) as (client, processes):
        victim = processes.scheduler if which == "scheduler" else processes.workers[0]
        address = client.scheduler.address
        client.close()
        run = command(
            "select",
            store,
            "--dask",
            address,
            "--out",
            out / "o",
            "--quiet",
            victim=victim.pid,
            number=number,
            task=task,
        )
    check_one_line(run)
    assert says in run.stderr
    assert not list(out.iterdir())


@pytest.mark.slow
def test_the_command_says_that_whoever_tries_it_dies(store, tmp_path):
    with cluster_of(2) as client, killing("relevance", tmp_path, n=100):
        run = qpfs("select", store, "--quiet", "--dask", client.scheduler.address)
    check_one_line(run)
    assert "died repeatedly" in run.stderr
