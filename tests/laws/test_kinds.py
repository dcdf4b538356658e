"""What holds for every kind of table that a fit takes, and that a new kind is one class and one entry."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from tests.laws.parts import beside
from tests.laws.same import assert_same

from qpfs import (
    FGM,
    IKMAQPFS,
    IKMQPFS,
    MRMR,
    QPFS,
    TLKMQPFS,
    AsCodes,
    EqualFrequency,
    FeatureKMeans,
    MaxRel,
    NystromQPFS,
    ThreeSegments,
    TwoLevelSelector,
    open_store,
    write_store,
)
from qpfs.codes import (
    TABLES,
    Columns,
    NumberColumns,
    checked_columns,
    columns_of,
    some_columns,
    some_rows,
    table_kind,
    tables,
)
from qpfs.codes.forms import LEVELS, NUMBERS
from qpfs.codes.readable import ReadableArray
from qpfs.codes.tables import kinds
from qpfs.engines import Serial
from qpfs.information import Rank

rng = np.random.default_rng(3)
X = np.where(rng.random((30, 8)) < 0.5, 0.0, rng.integers(1, 5, (30, 8)).astype(float))
Y = (X[:, 0] + X[:, 3] > 2).astype(int)
ROWS, FEATURES = np.array([0, 3, 4, 11, 29]), [6, 1, 2]


WIDE = np.floor(rng.random((30, 40)) * rng.integers(1, 6, 40)) * (rng.random((30, 40)) < 0.7)


def tables_of(values, path):
    """A table of each kind with the same values."""
    dask = pytest.importorskip("dask.array")
    return {
        "EncodedTable": open_store(write_store(values, path, Y, discretizer=RULES[values.shape[1]])),
        "AnnDataColumns": pytest.importorskip("anndata").AnnData(values),
        "DistantColumns": dask.from_array(values, chunks=(-1, 3)),
        "SparseColumns": sparse.csc_array(values),
        "FrameColumns": pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])]),
        "ArrayColumns": values,
    } | {kind.__name__: beside(kind, "example")(values) for kind in TABLES.others.values()}


MANY = np.floor(np.random.default_rng(4).random((30, 6)) ** 2 * 40)  # levels: counted sample by sample
RULES = {8: ThreeSegments(), 40: AsCodes(), 6: AsCodes()}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    return tables_of(X, tmp_path_factory.mktemp("kinds") / "x.qpfs")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    return tables_of(WIDE, tmp_path_factory.mktemp("kinds") / "x.qpfs")


KIND = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
WITH_NUMBERS = pytest.mark.parametrize(
    "kind", [kind for kind in kinds() if kind.has_numbers], ids=lambda kind: kind.__name__
)


def spread_out(table):
    return np.asarray(table_kind(table).dense(table))


@KIND
def test_a_table_is_of_its_own_kind(kind, given):
    assert table_kind(given[kind.__name__]) is kind
    assert isinstance(columns_of(given[kind.__name__]), kind)


@KIND
def test_the_kind_of_a_table_does_not_change_a_fit(kind, given):
    expected = QPFS(discretizer=ThreeSegments()).fit(X, Y)
    found = QPFS(discretizer=ThreeSegments()).fit(given[kind.__name__], Y)
    for name in ("order_", "scores_", "relevance_", "theta_", "discretizer_"):
        assert_same(getattr(found, name), getattr(expected, name), name)
    assert_array_equal(found.fitted_.target.codes, Y)
    assert_same(found.fitted_.coding, expected.fitted_.coding, "coding")


@KIND
def test_nor_where_there_are_many_levels(kind, tmp_path):
    table, selector = tables_of(MANY, tmp_path / "x.qpfs")[kind.__name__], QPFS(discretizer=AsCodes())
    expected = QPFS(discretizer=AsCodes()).fit(MANY, Y)
    assert min(len(np.unique(column)) for column in MANY.T) >= 14
    found = selector.fit(table, Y)
    for name in ("order_", "scores_", "relevance_", "theta_"):
        assert_same(getattr(found, name), getattr(expected, name), name)


@WITH_NUMBERS
@pytest.mark.parametrize("selector", [QPFS(), QPFS(discretizer=ThreeSegments())], ids=["rank", "mi"])
def test_nor_does_it_change_what_is_told_of_samples(kind, given, selector):
    for told in ({"sample_weight": np.arange(30) % 4}, {"covariates": np.arange(30) % 2}):
        expected = clone(selector).fit(X, Y, **told)
        found = clone(selector).fit(given[kind.__name__], Y, **told)
        for name in ("order_", "scores_", "relevance_", "theta_"):
            assert_same(getattr(found, name), getattr(expected, name), name)


ASKING = [
    IKMAQPFS(n_first=2, n_split=2, radius=0.3),
    IKMQPFS(n_first=2, n_split=2, radius=0.3, representative="medoid", init="farthest"),
    TLKMQPFS(n_clusters=4, measure="chi2"),
    MRMR(4, measure="chi2"),
    NystromQPFS(sampling_rate=0.5),
    TwoLevelSelector(FeatureKMeans(3), MaxRel()),
]


def asked(kind, selector):
    """A pair of both; of a table on disk chi-square compiles all loops anew, which takes long."""
    slow = kind.__name__ == "EncodedTable" and getattr(selector, "measure", None) == "chi2"
    name = f"{type(selector).__name__}-{kind.__name__}"
    return pytest.param(kind, selector, id=name, marks=pytest.mark.slow if slow else ())


@cache
def of_the_array(selector):
    return clone(selector).set_params(discretizer=AsCodes()).fit(WIDE, Y)


@pytest.mark.parametrize(("kind", "selector"), [asked(kind, one) for one in ASKING for kind in kinds()])
def test_nor_does_it_change_any_other(kind, wide, selector):
    """Between them they ask all that there is to ask of a storage."""
    expected, table = of_the_array(selector), wide[kind.__name__]
    found = clone(selector).set_params(discretizer=AsCodes()).fit(table, Y)
    for name in ("order_", "scores_", "relevance_", "labels_", "representatives_", "radii_"):
        if hasattr(expected, name):
            assert_same(getattr(found, name), getattr(expected, name), name)


@WITH_NUMBERS
def test_who_takes_arrays_takes_it(kind, wide):
    table = wide[kind.__name__]
    fitted = QPFS(3, measure="correlation").fit(WIDE, Y)
    assert_same(QPFS(3, measure="correlation").fit(table, Y).scores_, fitted.scores_)
    for selector in (QPFS(3, measure="rank"), IKMAQPFS(measure=Rank(2), n_first=2, n_split=2, radius=0.3)):
        expected = clone(selector).fit(WIDE, Y)
        found = clone(selector).fit(table, Y)
        for name in ("order_", "scores_", "relevance_", "pvalues_", "theta_"):
            assert_same(getattr(found, name), getattr(expected, name), name)
    named = kind.__name__ in ("FrameColumns", "AnnDataColumns")  # columns have names, which the array had not
    reduced = fitted.set_output(transform="default").transform(table) if not named else None
    if reduced is not None:
        reduced = reduced.toarray() if sparse.issparse(reduced) else np.asarray(reduced)
        assert_array_equal(reduced, WIDE[:, fitted.get_support()])
    if not kind.elsewhere and kind.__name__ != "AnnDataColumns":  # which the machines refuse in words
        assert_same(FGM(2).fit(table, Y).scores_, FGM(2).fit(WIDE, Y).scores_)


@KIND
def test_what_was_found_of_a_table_is_what_its_store_holds(kind, given):
    store, coding = columns_of(given[kind.__name__]).packed(LEVELS, ThreeSegments(), Serial())
    assert (store.n_samples, store.n_features) == X.shape
    assert_array_equal(store.varying, np.flatnonzero(coding.n_levels > 1))


@KIND
def test_who_has_numbers_says_so(kind, given):
    columns = columns_of(given[kind.__name__])
    if kind.has_numbers:
        assert columns.with_numbers() is columns
        assert isinstance(columns, NumberColumns)
        assert columns.learned(ThreeSegments()).n_levels.shape == (8,)
        return
    for ask in (
        columns.with_numbers,
        lambda: columns.learned(ThreeSegments()),
        lambda: columns.packed(NUMBERS, ThreeSegments(), Serial()),
    ):
        with pytest.raises(TypeError, match="holds levels, not numbers"):
            ask()


@KIND
def test_some_rows_and_columns_are_a_table_of_the_same_kind(kind, given):
    table = given[kind.__name__]
    for part, expected in (
        (some_rows(table, ROWS), X[ROWS]),
        (some_columns(table, FEATURES), X[:, FEATURES]),
    ):
        assert table_kind(part) is kind
        assert part.shape == expected.shape
        if kind.has_numbers:
            assert_array_equal(spread_out(part), expected)


@WITH_NUMBERS
def test_values_are_read_as_they_are(kind, given):
    columns = columns_of(given[kind.__name__]).with_numbers()
    assert columns.numeric.all()
    assert_array_equal(columns.numbers(np.array(FEATURES)), X[:, FEATURES])
    assert_array_equal(columns.part(np.arange(3), slice(5, 9)), X[5:9, :3])
    assert_array_equal(spread_out(columns.table), X)
    assert_array_equal(np.asarray(columns.labels(2), float), X[:, 2])


@KIND
def test_the_names_that_an_estimator_remembers(kind, given):
    selector = MRMR()
    columns = checked_columns(selector, given[kind.__name__], reset=True)
    assert selector.n_features_in_ == columns.n_features == 8
    assert "column" in columns.name(7)
    columns.check_same()


@KIND
def test_the_rule_that_is_asked_for(kind, given):
    columns, usual = columns_of(given[kind.__name__]), ThreeSegments()
    assert repr(columns.rule_for(None, usual)) == "ThreeSegments()"
    assert repr(columns.rule_for(ThreeSegments(), usual)) == "ThreeSegments()"
    if kind.has_numbers:
        other = EqualFrequency(4)
        assert columns.rule_for(other, usual) is other


class Negatives:
    """A table that nobody has seen before: it keeps its numbers with their signs turned."""

    def __init__(self, array):
        self.turned = -array
        self.shape = array.shape


class NegativeColumns(ReadableArray, NumberColumns):
    """Its columns."""

    def __init__(self, table):
        super().__init__(-table.turned)
        self.table = table

    @staticmethod
    def takes(table):
        return isinstance(table, Negatives)

    @staticmethod
    def take_rows(table, rows):
        return Negatives(-table.turned[rows])

    def part(self, features, rows):
        return -self.table.turned[rows][:, features]


class Stored(Columns):
    """Another, of levels alone, whose features are packed already."""

    has_numbers = False

    def __init__(self, store, coding):
        self.store, self.coding = store, coding
        self.n_samples, self.n_features = store.n_samples, store.n_features
        self.numeric = np.ones(self.n_features, bool)
        self.shape = store.n_samples, store.n_features

    @staticmethod
    def takes(table):
        return isinstance(table, Stored)

    @classmethod
    def of(cls, table):
        return table

    def name(self, feature):
        return f"number {feature}"

    def packed(self, form, rule, engine):
        return self.store, self.coding

    def learned(self, rule):
        return self.coding

    def with_numbers(self):
        raise TypeError("there are none")


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        (NegativeColumns, Negatives(X)),
        (Stored, Stored(*columns_of(X).packed(LEVELS, ThreeSegments(), Serial()))),
    ],
    ids=["numbers", "levels"],
)
def test_a_new_kind_is_one_class_and_one_entry(kind, table, monkeypatch):
    monkeypatch.setattr(tables, "kinds", lambda: (kind, *kinds()))
    rule = {"measure": "mi", "discretizer": ThreeSegments()}
    expected, found = QPFS(4, **rule).fit(X, Y), QPFS(4, **rule).fit(table, Y)
    assert_same(found, expected)
    assert found.alternatives(0) == expected.alternatives(0)
    record, other = (one.report().record["features"] for one in (found, expected))
    assert record == other


def test_a_fitted_value_of_a_machine_has_no_packed_features():
    fitted = FGM(2).fit(X, Y).fitted_
    assert fitted.table is None
    assert fitted.coding is None
    assert_array_equal(fitted.target.codes, Y)
