"""A table from disk gives every selector the answer that the table itself gives, to the last bit."""

from __future__ import annotations

import pickle
import shutil

import numpy as np
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from tests.conftest import latent_factors
from tests.laws.same import assert_same, learned
from tests.pairs import in_turn

from qpfs import (
    CMIM,
    FGM,
    GDM,
    IKMAQPFS,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    AsCodes,
    EqualFrequency,
    EqualWidth,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    ThreeSegments,
    TwoLevelSelector,
    open_store,
    write_store,
)
from qpfs.codes import columns_of, disk_draft
from qpfs.codes.disk import reopened
from qpfs.codes.disk_layout import layout_for
from qpfs.codes.disk_table import About
from qpfs.codes.disk_writing import write_columns
from qpfs.codes.forms import Scores
from qpfs.engines import engine_for
from qpfs.information import Rank
from qpfs.information.measures import Correlation

SELECTORS = {
    "qpfs": QPFS(10),
    "qpfs at 0.5": QPFS(theta=0.5),
    "qpfs by chi-square": QPFS(10, measure="chi2"),
    "nystrom": NystromQPFS(10, sampling_rate=0.2),
    "nystrom, corrected": NystromQPFS(10, sampling_rate=0.2, diagonal_correction=True),
    "mrmr": MRMR(10),
    "maxrel": MaxRel(10),
    "tlkm": TLKMQPFS(n_clusters=20),
    "ikm": IKMQPFS(),
    "ikma": IKMAQPFS(),
    "ikma by chi-square": IKMAQPFS(measure="chi2"),
    "ikma with medoids": IKMAQPFS(representative="medoid", init="relevance"),
    "two levels, mrmr": TwoLevelSelector(criterion=MRMR(5)),
    "in turns, relevance": InterleavedSelector(criterion=MaxRel()),
}
JOBS = {"1 thread": None, "2 threads": 2}
SLOW = ("ikma by chi-square",)  # it compiles all loops anew, as tests/laws/test_kinds.py says
QUICK = {name: one for name, one in SELECTORS.items() if name not in SLOW}
every_selector = pytest.mark.parametrize(
    "selector",
    [
        pytest.param(one, id=name, marks=pytest.mark.slow if name in SLOW else ())
        for name, one in SELECTORS.items()
    ],
)


@pytest.fixture(scope="module")
def mixed():
    """Numbers, integers, missing values, constants and labels, in more than one strip of features."""
    X, y = latent_factors(60, 300)
    X[:, 3] = 1.0
    X[:, 5] = np.arange(len(y)) % 2
    X[::4, 7] = np.nan
    X[:, 11] = np.arange(len(y)) % 3
    columns = {f"g{j}": X[:, j] for j in range(X.shape[1])}
    columns["tissue"] = [("a", "b", "c", None)[i % 4] for i in range(len(y))]
    return pa.table(columns), y


def write_strips(*args, **options):
    """Writes a store of several strips."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_draft, "strip_width", lambda n_samples: 64)
        return write_store(*args, **options)


@pytest.fixture(scope="module")
def file(tmp_path_factory, mixed):
    """The table, written once."""
    X, y = mixed
    return write_strips(X, tmp_path_factory.mktemp("stored") / "mixed.qpfs", y)


@pytest.fixture
def stored(file):
    return open_store(file, verify=True)


@in_turn(selector=QUICK, n_jobs=JOBS)
def test_the_answer_is_the_same(monkeypatch, mixed, stored, selector, n_jobs):
    X, y = mixed
    monkeypatch.setattr("qpfs.information.table.SMALL", 0)
    monkeypatch.setattr("qpfs.codes.columns.FEW_NUMBERS", 0)
    measure = "mi" if selector.measure == "auto" else selector.measure
    selector = selector.set_params(n_jobs=n_jobs, measure=measure)
    expected = learned(selector.fit(X, y))
    assert_same(learned(selector.fit(stored, stored.y)), expected)


@every_selector
def test_questions_have_the_same_answers(mixed, stored, selector):
    X, y = mixed
    measure = "mi" if selector.measure == "auto" else selector.measure
    plain = clone(selector).set_params(measure=measure).fit(X, y)
    fitted = clone(selector).set_params(measure=measure).fit(stored, stored.y)
    assert_frame_equal(fitted.to_frame(), plain.to_frame())
    assert fitted.metrics() == plain.metrics()
    assert_same(fitted.ranking_, plain.ranking_)
    assert_same(fitted.redundancy(), plain.redundancy())
    assert_same(fitted.redundancy(["g3", "g7", "tissue"]), plain.redundancy([3, 7, 300]))


@in_turn(
    memory={"little": 1 << 20, "as it is": None},
    selector={"qpfs": QPFS(measure="mi"), "ikma": IKMAQPFS(measure="mi", n_first=15, radius=0.9)},
)
def test_weights_along_theta_are_the_same(mixed, stored, selector, memory):
    X, y = mixed
    table = stored if memory is None else open_store(stored.path, memory=memory)
    expected = clone(selector).fit(X, y).theta_path([0.2, 0.6])
    assert_same(clone(selector).fit(table, y).theta_path([0.2, 0.6]), expected)


@pytest.mark.parametrize("memory", [1 << 20, 1 << 22])
def test_little_memory_changes_nothing_but_time(mixed, stored, memory):
    X, y = mixed
    table = open_store(stored.path, memory=memory)
    for selector in (QPFS(theta=0.1, measure="mi"), IKMAQPFS(measure="mi")):
        expected = learned(selector.fit(X, y))
        assert_same(learned(selector.fit(table, y)), expected)


RULES = (
    ThreeSegments(0.5),
    EqualWidth(4),
    EqualFrequency(3),
    AsCodes(20),
    ThreeSegments(keep_integers=False),
)


@pytest.mark.filterwarnings("ignore:.*more different labels")
@pytest.mark.parametrize("rule", RULES, ids=map(repr, RULES))
def test_every_rule(tmp_path, mixed, rule):
    X, y = mixed
    table = open_store(write_store(X, tmp_path / "cut.qpfs", y, discretizer=rule))
    expected = learned(MRMR(10, discretizer=rule).fit(X, y))
    assert_same(learned(MRMR(10).fit(table, y)), expected)
    assert_same(learned(MRMR(10, discretizer=rule).fit(table, y)), expected)


def test_a_fitted_selector_knows_names_and_transforms(mixed, stored):
    X, y = mixed
    fitted = IKMAQPFS().fit(stored, y)
    plain = IKMAQPFS(measure="mi").fit(X, y)
    assert fitted.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()
    assert fitted.n_features_in_ == X.num_columns
    numbers = X.drop_columns(["tissue"]).append_column("tissue", pa.array(np.zeros(len(y))))
    names = fitted.get_feature_names_out().tolist()
    np.testing.assert_array_equal(fitted.transform(numbers.to_pandas()), numbers.select(names).to_pandas())
    assert fitted.alternatives(names[0]) == plain.alternatives(names[0])


def test_pickling_keeps_the_name_of_the_file(tmp_path, mixed, file):
    _, y = mixed
    stored = open_store(shutil.copyfile(file, tmp_path / "mixed.qpfs"), verify=True)
    fitted = QPFS(5).fit(stored, y)
    text = pickle.dumps(fitted)
    back = pickle.loads(text)
    assert_same(learned(back), learned(fitted))
    assert back.alternatives(0) == fitted.alternatives(0)
    assert len(pickle.dumps(stored)) < 500
    assert len(pickle.dumps(stored.blocks[0])) < 500
    table = pickle.loads(pickle.dumps(stored))
    assert table.shape == stored.shape
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(stored.blocks[1])).planes, stored.blocks[1].planes
    )
    write_store(np.eye(5), stored.path, force=True)
    reopened.cache_clear()
    with pytest.raises(ValueError, match="another store"):
        pickle.loads(text)


@pytest.mark.parametrize(
    "selector",
    [
        QPFS(measure="correlation"),
        FGM(),
        GDM(),
        QPFSCV(),
    ],
    ids=repr,
)
def test_what_needs_numbers_says_so(stored, selector):
    with pytest.raises((TypeError, ValueError), match=r"levels, not numbers|holds labels"):
        selector.fit(stored, stored.y)


def test_another_rule_is_refused(stored):
    with pytest.raises(ValueError, match=r"EqualWidth.*was encoded with EqualFrequency\(n_bins=3\)"):
        QPFS(discretizer=EqualWidth(4)).fit(stored, stored.y)


def test_some_rows_are_those_rows_at_the_levels_of_all(tmp_path):
    """The slow way: the codes themselves, of which every one is a level."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1 + np.arange(90) % 5, (130, 90))
    y = codes[:, 4] + codes[:, 9] > 3
    table = open_store(write_store(codes, tmp_path / "codes.qpfs", discretizer=AsCodes(9)))
    for size in (2, 17, 64, 65, 129):
        rows = np.sort(rng.choice(130, size, replace=False))
        rows[-1], rows[0] = np.flatnonzero(y)[-1], np.flatnonzero(~y)[0]
        expected = MRMR(5, discretizer=AsCodes(9)).fit(codes[rows], y[rows])
        found = MRMR(5).fit(table[rows], y[rows])
        for name in ("order_", "scores_", "relevance_", "pvalues_"):
            assert_same(getattr(found, name), getattr(expected, name), name)
        assert found.discretizer_.n_levels_.tolist() == [len(set(column)) for column in codes[rows].T]


def test_some_columns_are_those_columns(mixed, stored):
    X, y = mixed
    some = [300, 5, 7, 3, 120, 11]
    assert stored[:, some].names == [X.column_names[j] for j in some]
    expected = learned(MRMR(3, measure="mi").fit(X.select(some), y))
    assert_same(learned(MRMR(3).fit(stored[:, some], y)), expected)


def test_labels_without_a_sample_are_forgotten(mixed, stored):
    _, y = mixed
    tissue = stored.n_features - 1
    rows = np.array([i for i in range(len(y)) if i % 4 in (1, 3)])
    part = stored[rows]
    assert part.coding.labels[tissue] == ("b",)
    assert part.coding.n_levels[tissue] == 2  # b, and missing
    report = MRMR(3).fit(part, y[rows]).report(part)
    assert report.record["n_selected"] == 3


def test_a_stored_table_is_divided_as_others_are(stored):
    y = stored.y
    train, test, y_train, _ = train_test_split(stored, y, test_size=0.3, random_state=0)
    rows, _ = train_test_split(np.arange(len(y)), test_size=0.3, random_state=0)
    assert (len(train), len(test)) == (len(rows), len(y) - len(rows))
    assert_same(learned(MaxRel(5).fit(train, y_train)), learned(MaxRel(5).fit(stored[rows], y[rows])))


def test_a_column_is_taken_once(stored):
    with pytest.raises(ValueError, match="more than once"):
        stored[:, [1, 2, 2]]


def test_without_room_for_a_copy_features_are_read_where_they_are(stored, monkeypatch):
    monkeypatch.setattr("qpfs.information.table.FEW_BLOCKS", 1)
    expected = learned(IKMAQPFS().fit(stored, stored.y))
    monkeypatch.setattr(type(stored.store), "room", 0)
    assert_same(learned(IKMAQPFS().fit(stored, stored.y)), expected)


@pytest.mark.parametrize(
    ("what", "given", "says"),
    [
        ("y", np.array(["a", None] * 30, object), "y has no value for sample 1"),
        ("groups", np.array([1.0, float("nan")] * 30, object), "groups has no value for sample 1"),
        ("samples", ["a", "b"], "samples has 2 names; expected one for each of 60"),
    ],
)
def test_what_is_kept_beside_a_table_is_checked(tmp_path, what, given, says):
    X = np.random.default_rng(0).normal(size=(60, 5))
    with pytest.raises(ValueError, match=says):
        write_store(X, tmp_path / "X.qpfs", **{what: given})
    assert not list(tmp_path.iterdir())


RANKED = {
    "qpfs": QPFS(10, measure="rank"),
    "mrmr": MRMR(10, measure="rank"),
    "ikma": IKMAQPFS(measure="rank"),
    "tlkm": TLKMQPFS(n_clusters=20, measure="rank"),
    "nystrom": NystromQPFS(10, sampling_rate=0.2, measure="rank"),
    "qpfs with squares": QPFS(10, measure=Rank(2)),
    "maxrel with squares": MaxRel(10, measure=Rank(2)),
}


@pytest.fixture(scope="module")
def ranked(tmp_path_factory, mixed):
    """Stores of scores by their degree."""
    X, y = mixed
    folder = tmp_path_factory.mktemp("ranked")
    paths = {n: write_strips(X, folder / f"{n}.qpfs", y, measure=Rank(n), n_jobs=n) for n in (1, 2)}
    return {degree: open_store(path, verify=True) for degree, path in paths.items()}


@in_turn(selector=RANKED, n_jobs=JOBS)
def test_scores_give_the_same_answer(monkeypatch, mixed, ranked, selector, n_jobs):
    X, y = mixed
    monkeypatch.setattr("qpfs.information.table.SMALL", 0)
    monkeypatch.setattr("qpfs.codes.columns.FEW_NUMBERS", 0)
    selector = selector.set_params(n_jobs=n_jobs)
    table = ranked[getattr(selector.measure, "degree", 1)]
    assert table.form == Rank(table.form.degree).form
    expected = learned(selector.fit(X, y))
    assert_same(learned(selector.fit(table, table.y)), expected)


def test_scores_of_a_sparse_table_are_those_of_the_dense_one(tmp_path, microarray):
    X, y = microarray
    X = np.where(np.median(X) < X, X, 0.0)
    paths = [
        write_store(kind, tmp_path / f"{number}.qpfs", y, measure="rank")
        for number, kind in enumerate((X, csr_array(X), np.asfortranarray(X).astype(np.float32)))
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    selector = MRMR(10, measure="rank")
    assert_same(learned(selector.fit(open_store(paths[0]), y)), learned(selector.fit(csc_array(X), y)))


def test_scores_do_not_depend_on_how_they_are_read(tmp_path, monkeypatch, mixed):
    """Neither on how many columns are read together, nor on the threads."""
    monkeypatch.setattr("qpfs.codes.scores.TILE_CELLS", 700)
    X, _ = mixed
    found = []
    for number, room in enumerate((0, 1 << 16, 1 << 28)):
        for jobs in (1, 2):
            path = tmp_path / f"{number}-{jobs}.qpfs"
            with engine_for(jobs) as engine:
                write_columns(
                    columns_of(X),
                    ThreeSegments(),
                    path,
                    About(),
                    layout=layout_for(Scores(1)),
                    room=room,
                    engine=engine,
                )
            found.append(path.read_bytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("degree", [1, 2])
def test_scores_of_some_rows_are_those_of_the_rows_themselves(mixed, ranked, degree):
    X, y = mixed
    rows = np.flatnonzero(np.arange(len(y)) % 3 != 1)
    selector = MaxRel(10, measure=Rank(degree))
    expected = selector.fit(X.take(rows), y[rows]).relevance_
    found = selector.fit(ranked[degree][rows], y[rows]).relevance_
    gaps = 7  # where numbers are missing, the one in the middle has their score
    np.testing.assert_array_equal(np.delete(found, gaps), np.delete(expected, gaps))
    assert found[gaps] == pytest.approx(expected[gaps], abs=0.02)
    assert ranked[degree][rows].coding.labels == {X.num_columns - 1: tuple("abc")}


def test_a_form_is_for_its_own_measure(stored, ranked):
    for selector in (QPFS(measure="mi"), JMI(3), CMIM(3), QPFS(measure="chi2")):
        with pytest.raises(
            TypeError, match=r"encoded as scores of ranks.*needs levels.*encode the data again"
        ):
            selector.fit(ranked[1], stored.y)
    with pytest.raises(
        TypeError, match=r"encoded as levels.*needs scores.*encode the data again.*measure='rank'"
    ):
        QPFS(measure="rank").fit(stored, stored.y)
    with pytest.raises(TypeError, match=r"encoded for the measure Rank\(2\)"):
        QPFS(measure="rank").fit(ranked[2], stored.y)
    with pytest.raises(TypeError, match="holds scores, not numbers"):
        QPFS(measure="correlation").fit(ranked[1], stored.y)


@pytest.mark.parametrize("measure", ["mi", "correlation", [], 3, Correlation()])
def test_a_store_is_written_for_ranks_or_for_counts(tmp_path, measure):
    with pytest.raises(ValueError, match=r"measure"):
        write_store(np.eye(5), tmp_path / "a.qpfs", measure=measure)
    assert not list(tmp_path.iterdir())
