"""Tables of every kind, and columns of every kind in them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.naive import codes as naive

from qpfs import FGM, MaxRel
from qpfs.codes import AsCodes, EqualFrequency, EqualWidth, ThreeSegments, columns_of
from qpfs.evaluation import compare

RULES = [ThreeSegments(), EqualWidth(4), EqualFrequency(4), AsCodes()]

RAW = {
    "integer": [3, 1, None, 2, 1, 1, 3],
    "boolean": [True, False, True, None, False, True, True],
    "label": ["b", "a", "b", "b", None, "c", "b"],
    "number": [0.5, 1.5, None, 2.5, -9.5, 0.25, 1.25],
}

FRAMES = {
    "pandas": lambda raw: pd.DataFrame(raw),
    "pandas nullable": lambda raw: pd.DataFrame(raw).convert_dtypes(),
    "pandas on arrow": lambda raw: pd.DataFrame(raw).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda raw: pl.DataFrame(raw),
    "pyarrow": lambda raw: pa.table(raw),
}

every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def partition(codes):
    """Which samples have the same code, whatever it is."""
    return naive.closed_up([list(codes).index(code) for code in codes])


def as_numbers(column):
    return [np.nan if x is None else float(x) for x in column]


@every_frame
@pytest.mark.parametrize("cut", RULES, ids=str)
def test_every_kind_of_column(frame, cut):
    codes = cut.fit_transform(frame(RAW))
    assert partition(codes[:, 0]) == partition([str(x) for x in RAW["integer"]])
    assert partition(codes[:, 1]) == partition([str(x) for x in RAW["boolean"]])
    assert partition(codes[:, 2]) == partition([str(x) for x in RAW["label"]])
    alone = cut.fit_transform(np.array(as_numbers(RAW["number"]))[:, None])
    assert codes[:, 3].tolist() == alone[:, 0].tolist()


@every_frame
def test_labels_come_most_frequent_first_and_missing_last(frame):
    cut = ThreeSegments().fit(frame(RAW))
    assert cut.labels_[2] == ("b", "a", "c")
    assert cut.n_levels_[2] == 4
    assert cut.transform(frame(RAW))[:, 2].tolist() == [0, 1, 0, 0, 3, 2, 0]


@every_frame
def test_labels_not_seen_before_are_as_missing(frame):
    cut = ThreeSegments().fit(frame({"label": ["b", "a", "b"]}))
    codes = cut.transform(frame({"label": ["a", "new", None, "b"]}))
    assert codes[:, 0].tolist() == [1, 2, 2, 0]


@every_frame
def test_labels_not_seen_before_are_rare(frame):
    cut = AsCodes(2).fit(frame({"label": ["a", "a", "b", "c"]}))
    codes = cut.transform(frame({"label": ["a", "c", "new", None]}))
    assert codes[:, 0].tolist() == [0, 1, 1, 2]


CATEGORIES = {
    "pandas": lambda x: pd.DataFrame({"x": pd.Categorical(x)}),
    "pandas unused": lambda x: pd.DataFrame({"x": pd.Categorical(x, ["low", "high", "unused"])}),
    "polars": lambda x: pl.DataFrame({"x": pl.Series(x, dtype=pl.Categorical)}),
    "polars enumeration": lambda x: pl.DataFrame(
        {"x": pl.Series(x, dtype=pl.Enum(["low", "high", "unused"]))}
    ),
    "pyarrow": lambda x: pa.table({"x": pa.array(x).dictionary_encode()}),
}


@pytest.mark.parametrize("frame", CATEGORIES.values(), ids=CATEGORIES)
@pytest.mark.parametrize("cut", RULES, ids=str)
def test_categories_are_labels(frame, cut):
    values = ["high", "low", None, "high"]
    cut.fit(frame(values))
    assert cut.labels_ == {0: ("high", "low")}
    assert cut.transform(frame(values))[:, 0].tolist() == [0, 1, 2, 0]


def test_categories_of_numbers_are_labels():
    cut = EqualWidth(2).fit(pd.DataFrame({"x": pd.Categorical([10, 20, 30, 30])}))
    assert cut.labels_ == {0: (30, 10, 20)}


MISSING = {
    "pandas float": pd.DataFrame({"x": [np.nan] * 3, "z": [1, 2, 3]}),
    "pandas object": pd.DataFrame({"x": [None] * 3, "z": [1, 2, 3]}),
    "pandas Int64": pd.DataFrame({"x": pd.array([None] * 3, "Int64"), "z": [1, 2, 3]}),
    "pandas category": pd.DataFrame({"x": pd.Categorical([None] * 3, ["a"]), "z": [1, 2, 3]}),
    "polars float": pl.DataFrame({"x": [None] * 3, "z": [1, 2, 3]}, schema_overrides={"x": float}),
    "polars string": pl.DataFrame({"x": [None] * 3, "z": [1, 2, 3]}, schema_overrides={"x": str}),
    "polars null": pl.DataFrame({"x": [None] * 3, "z": [1, 2, 3]}),
    "pyarrow float": pa.table({"x": pa.nulls(3, pa.float64()), "z": [1, 2, 3]}),
    "pyarrow null": pa.table({"x": pa.nulls(3), "z": [1, 2, 3]}),
}


@pytest.mark.parametrize("frame", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("cut", RULES, ids=str)
def test_a_column_without_any_value_is_constant(frame, cut):
    assert cut.fit(frame).n_levels_.tolist() == [1, 3]
    assert len(set(cut.transform(frame)[:, 0])) == 1


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"x": [1.5, np.nan, None, 2.5]}),
        pa.table({"x": [1.5, np.nan, None, 2.5]}),
        pd.DataFrame({"x": [1.5, np.nan, None, 2.5]}),
        pd.DataFrame({"x": pd.array([1.5, np.nan, None, 2.5], "Float64")}),
    ],
    ids=["polars", "pyarrow", "pandas", "pandas nullable"],
)
def test_missing_and_not_a_number_are_the_same(frame):
    assert ThreeSegments().fit_transform(frame)[:, 0].tolist() == [0, 3, 3, 1]


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
def test_decimal_fractions_are_numbers(frame):
    values = [Decimal("0.5"), Decimal("1.5"), Decimal("9.25")]
    codes = EqualWidth(2).fit_transform(frame({"x": values}))
    assert codes[:, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int64, pl.UInt64, pl.Float32, pl.Float64], ids=str)
def test_numbers_of_every_width(dtype):
    frame = pl.DataFrame({"x": [0, 1, 5, 9, 1], "z": [1.5, 2.5, 3.5, 4.5, 5.5]})
    frame = frame.with_columns(pl.col("x").cast(dtype))
    codes = EqualWidth(3).fit_transform(frame)
    assert codes[:, 0].tolist() == [0, 0, 1, 2, 0]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
        pl.DataFrame({"when": [[1, 2], [3]]}),
        pa.table({"when": [{"day": 1}, {"day": 2}]}),
    ],
    ids=["dates", "lists", "records"],
)
def test_kinds_without_levels_are_refused_by_name(frame):
    with pytest.raises(TypeError, match="column 'when' holds"):
        ThreeSegments().fit(frame)


def test_all_columns_that_cannot_be_used_are_named_at_once():
    dates = pd.to_datetime(["2020-01-01", "2021-01-01"])
    frame = pd.DataFrame({"when": dates, "x": [1.5, 2.5], "long": dates - dates[0], "many": [[1], [2, 3]]})
    said = r"'when' holds Datetime.*, column 'long' holds Duration.* and column 'many' holds lists.*drop them"
    with pytest.raises(TypeError, match=said):
        MaxRel().fit(frame, [0, 1])


PIECES = {
    "float32": np.array([1.5, np.nan, 3.5, 4.5], np.float32),
    "int8": np.array([1, 2, 3, 4], np.int8),
    "truth": np.array([True, False, True, True]),
    "Int64": pd.array([1, None, 2**52 + 1, 4], dtype="Int64"),
    "boolean": pd.array([True, None, False, True], dtype="boolean"),
    "Float32": pd.array([0.1, None, 2.5, 3.5], dtype="Float32"),
    "arrow": pd.array([1, None, 3, 4], dtype=pd.ArrowDtype(pa.int64())),
    "decimals on arrow": pd.array(
        [Decimal("1.25"), None, Decimal("2.5"), Decimal("3")], dtype=pd.ArrowDtype(pa.decimal128(9, 2))
    ),
    "objects": np.array([Fraction(1, 3), None, Decimal("NaN"), 7], object),
}


@pytest.mark.parametrize("some", [list(PIECES), *([name] for name in PIECES)], ids=lambda some: some[0])
def test_pieces_of_mixed_columns_of_pandas(some):
    frame = pd.DataFrame({name: PIECES[name] for name in some})
    columns, features = columns_of(frame), np.arange(len(some))
    expected = np.array([[as_float(value) for value in frame[name].tolist()] for name in some]).T
    np.testing.assert_array_equal(columns.numbers(features), expected)
    for rows in (slice(0, 2), slice(2, 4), slice(3, 64)):
        np.testing.assert_array_equal(np.asarray(columns.part(features, rows), float), expected[rows])


def as_float(value):
    return np.nan if value is None or value is pd.NA else float(value)


def test_infinity_among_objects_is_refused_by_name():
    frame = pd.DataFrame({"x": np.array([1.5, np.inf, 2.5], object)})
    with pytest.raises(ValueError, match=r"infinity.*column 'x'"):
        ThreeSegments().fit(frame)


def test_repeated_names_are_refused():
    frame = pd.DataFrame([[1.5, 2.5], [3.5, 4.5]], columns=["x", "x"])
    with pytest.raises(ValueError, match="'x'"):
        ThreeSegments().fit(frame)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_an_empty_frame_is_refused(frame):
    with pytest.raises(ValueError, match="0 sample"):
        ThreeSegments().fit(frame({"x": np.zeros(0)}))


def test_a_frame_without_columns_is_refused():
    with pytest.raises(ValueError, match="0 feature"):
        ThreeSegments().fit(pd.DataFrame(index=[0, 1]))


@every_frame
def test_columns_in_another_order_are_refused(frame):
    cut = ThreeSegments().fit(frame({"x": [1.5, 2.5], "z": [3.5, 4.5]}))
    with pytest.raises(ValueError, match="feature names"):
        cut.transform(frame({"z": [3.5, 4.5], "x": [1.5, 2.5]}))


def test_labels_where_numbers_were_learned_are_refused_by_name():
    cut = ThreeSegments().fit(pd.DataFrame({"x": [1.5, 2.5, 3.5]}))
    with pytest.raises((TypeError, ValueError), match="column 'x'"):
        cut.transform(pd.DataFrame({"x": ["a", "b", "c"]}))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_codes_come_back_as_a_frame_if_asked(library):
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library](RAW)
    codes = ThreeSegments().set_output(transform=library).fit_transform(frame)
    assert type(codes) is type(frame)
    assert list(codes.columns) == list(RAW)
    np.testing.assert_array_equal(codes.to_numpy(), ThreeSegments().fit_transform(frame))


def test_columns_without_names_are_numbered():
    X = pd.DataFrame(np.array([[1.0, 2.0], [1.5, np.inf]]))
    with pytest.raises(ValueError, match="column 1"):
        ThreeSegments().fit(X)


@every_frame
def test_a_tile_is_the_same_in_runs_and_with_gaps(frame):
    raw = {
        "integer": RAW["integer"],
        "boolean": [bool(x) for x in RAW["boolean"]],
        "number": RAW["number"],
    }
    columns = columns_of(frame(raw))
    everything = np.array([as_numbers(column) for column in raw.values()]).T
    for features in ([0, 1, 2], [0, 2], [1], [1, 2]):
        tile = columns.numbers(np.array(features))
        assert tile.flags.c_contiguous
        np.testing.assert_array_equal(tile, everything[:, features])


@pytest.mark.parametrize("number", [Decimal, Fraction], ids=["decimal", "fraction"])
def test_python_numbers_in_a_column_of_objects_are_numbers(number):
    texts = ["0.25", "1.5", "-3", "2.75", "0.5", "1"]
    frame = pd.DataFrame({"a": [*map(number, texts), None]}, dtype=object)
    columns = columns_of(frame)
    assert columns.numeric.tolist() == [True]
    assert columns.numbers(np.array([0]))[:, 0].tolist()[:-1] == [float(text) for text in texts]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Decimal("sNaN"), r"column 'a' holds a signalling NaN"),
        (Decimal("Infinity"), r"contains infinity: column 'a' has inf in row 1"),
        (Fraction(10**400), r"column 'a' holds a number too large"),
    ],
)
def test_python_numbers_that_are_none(value, message):
    frame = pd.DataFrame({"a": [Decimal(1), value, Decimal(3)]}, dtype=object)
    with pytest.raises(ValueError, match=message):
        ThreeSegments().fit(frame)


class Streamed:
    """Arrow columns of a library that nobody knows."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "kind", [lambda table: table.to_batches()[0], Streamed], ids=["record batch", "stream"]
)
def test_what_holds_arrow_columns_keeps_its_names(kind):
    rng, y = np.random.default_rng(0), np.arange(40) % 2
    table = pa.table({f"c{i}": rng.normal(size=40) + y * (i == 2) for i in range(4)} | {"l": ["u", "v"] * 20})
    selector = MaxRel(2).fit(kind(table), y)
    assert selector.feature_names_in_.tolist() == table.column_names
    assert selector.order_.tolist() == MaxRel(2).fit(table, y).order_.tolist()
    assert selector.get_feature_names_out().tolist() == ["c2", "l"]
    assert selector.set_output(transform="pandas").transform(kind(table)).columns.tolist() == ["c2", "l"]
    assert selector.report(kind(table)).record["features"][0]["feature"] == "l"
    numbers = table.drop_columns("l")
    assert FGM().fit(kind(numbers), y).feature_names_in_.tolist() == numbers.column_names
    found = compare({"m": MaxRel()}, kind(table), y, cv=2, inner_cv=2, sizes=[1]).record
    assert found["methods"][0]["often"][0]["feature"] == "l"
