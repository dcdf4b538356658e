"""Targets of every kind, and those that are none."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.naive import codes as naive

from qpfs import FGM, QPFS, QPFSCV, MaxRel
from qpfs.codes import AsCodes, EqualFrequency, EqualWidth, target_of
from qpfs.codes.planes import unpack

CUT = EqualFrequency()
WORDS = ["b", "a", "b", "c"]
INTEGERS = [3, -1, 3, 5]
FLAGS = [True, False, True, True]

THREE_CLASSES = {
    "integers": INTEGERS,
    "floats that are integers": [3.0, -1.0, 3.0, 5.0],
    "bytes": np.array([3, 1, 3, 5], np.uint8),
    "a column": np.array(INTEGERS)[:, None],
    "strings": WORDS,
    "objects": np.array(WORDS, object),
    "integer objects": np.array(INTEGERS, object),
    "pandas": pd.Series(WORDS),
    "pandas string": pd.Series(WORDS, dtype="string"),
    "pandas category": pd.Series(WORDS, dtype="category"),
    "pandas category of integers": pd.Series(INTEGERS, dtype="category"),
    "pandas Int64": pd.Series(INTEGERS, dtype="Int64"),
    "pandas frame": pd.DataFrame({"y": INTEGERS}),
    "polars": pl.Series(WORDS),
    "polars category": pl.Series(WORDS, dtype=pl.Categorical),
    "polars frame": pl.DataFrame({"y": WORDS}),
    "pyarrow": pa.array(WORDS),
    "pyarrow chunks": pa.chunked_array([WORDS[:2], WORDS[2:]]),
    "pyarrow frame": pa.table({"y": INTEGERS}),
}
TWO_CLASSES = {
    "booleans": FLAGS,
    "boolean objects": np.array(FLAGS, object),
    "pandas": pd.Series(FLAGS),
    "pandas boolean": pd.Series(FLAGS, dtype="boolean"),
    "polars": pl.Series(FLAGS),
    "pyarrow": pa.array(FLAGS),
}


@pytest.mark.parametrize("y", THREE_CLASSES.values(), ids=THREE_CLASSES)
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_labels_are_classes(y):
    target = target_of(y, CUT)
    assert target.codes.tolist() == [1, 0, 1, 2]
    assert len(target.classes) == 3
    assert target.counts.tolist() == [1, 2, 1]
    assert target.numbers is None


@pytest.mark.parametrize("y", TWO_CLASSES.values(), ids=TWO_CLASSES)
def test_booleans_are_two_classes(y):
    target = target_of(y, CUT)
    assert target.codes.tolist() == [1, 0, 1, 1]
    assert target.classes.tolist() == [False, True]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_bins", [2, 3, 5])
def test_numbers_are_cut_by_equal_frequency(dtype, n_bins):
    y = np.random.default_rng(0).normal(size=47).astype(dtype)
    target = target_of(y, EqualFrequency(n_bins))
    edges = naive.equal_frequency(y.tolist(), n_bins)
    assert target.codes.tolist() == naive.codes(y.tolist(), edges, None)
    assert target.classes is None
    np.testing.assert_array_equal(target.numbers, y)


def test_the_rule_is_a_parameter():
    y = np.array([0.5, 1.0, 1.5, 8.5])
    assert target_of(y, EqualWidth(4)).codes.tolist() == [0, 0, 0, 1]
    assert target_of(y, AsCodes()).codes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float64])
def test_integers_are_cut_if_forced(dtype):
    y = np.arange(40, dtype=dtype)
    target = target_of(y, EqualFrequency(4), forced=True)
    assert target.codes.tolist() == [n // 10 for n in range(40)]
    assert target.classes is None


def test_labels_are_never_cut():
    assert target_of(WORDS, CUT, forced=True).codes.tolist() == [1, 0, 1, 2]


SEVERAL = {
    "lists": [[1, 2], [3, 4]],
    "array": np.zeros((5, 3)),
    "pandas": pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
    "polars": pl.DataFrame({"a": [1, 2], "b": [3, 4]}),
    "pyarrow": pa.table({"a": [1, 2], "b": [3, 4]}),
}


@pytest.mark.parametrize("y", SEVERAL.values(), ids=SEVERAL)
def test_several_targets_are_refused(y):
    with pytest.raises(ValueError, match=r"y has \d columns; expected one"):
        target_of(y, CUT, several=False)


MIXED = [[True, 0.5, "b"], [False, 1.5, "a"], [True, 0.25, "b"], [True, 2.5, "c"]]
BY_NAME = {"ill": FLAGS, "dose": [0.5, 1.5, 0.25, 2.5], "site": WORDS}
THREE_TARGETS = {
    "lists": MIXED,
    "tuples": tuple(map(tuple, MIXED)),
    "objects": np.array(MIXED, object),
    "pandas": pd.DataFrame(BY_NAME),
    "pandas category": pd.DataFrame(BY_NAME).astype({"site": "category"}),
    "polars": pl.DataFrame(BY_NAME),
    "pyarrow": pa.table(BY_NAME),
    "record batch": pa.record_batch(BY_NAME),
}


@pytest.mark.parametrize("y", THREE_TARGETS.values(), ids=THREE_TARGETS)
def test_several_targets_are_each_of_its_kind(y):
    target = target_of(y, EqualFrequency(2), several=True)
    flags, dose, site = target.targets
    assert [one.name for one in target.targets] in (["ill", "dose", "site"], ["0", "1", "2"])
    assert flags.codes.tolist() == target.codes.tolist() == [1, 0, 1, 1]
    assert dose.numbers.tolist() == BY_NAME["dose"]
    assert site.classes.tolist() == ["a", "b", "c"]
    assert dose.classes is None
    assert dose.codes.tolist() == [0, 1, 0, 1]


def test_integers_of_one_target_stay_exact_beside_numbers_of_another():
    target = target_of([[2**60, 0.5], [2**60 + 1, 1.5], [2**60, 2.5]], CUT, several=True)
    assert target.codes.tolist() == [0, 1, 0]


def test_a_part_of_several_targets_has_a_part_of_each():
    y = pd.DataFrame({"q": np.arange(8) + 0.5, "c": list("aabbccab")})
    part = target_of(y, EqualFrequency(2), several=True).part(np.array([1, 2, 3, 6]), EqualFrequency(2))
    quantity, classes = part.targets
    assert quantity.numbers.tolist() == [1.5, 2.5, 3.5, 6.5]
    assert (classes.classes.tolist(), classes.codes.tolist()) == (["a", "b"], [0, 1, 1, 0])
    assert [one.name for one in part.targets] == ["q", "c"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"a": [1, 2, 1], "b": [3, 3, 3]}, "Column 'b' of y: y takes a single value, 3"),
        ({"a": [1, 2, 1], "b": [0.5, None, 1.5]}, "Column 'b' of y: .*row 1 is missing"),
        ({"a": pd.date_range("2020-01-01", periods=3), "b": [1, 2, 1]}, "Column 'a' of y: .*dates"),
    ],
)
def test_what_is_wrong_with_one_of_several_targets_is_said_with_its_name(y, message):
    with pytest.raises(ValueError, match=message):
        target_of(pd.DataFrame(y), CUT, several=True)


def test_targets_of_the_same_name_are_refused():
    y = pd.DataFrame([[1, 2], [2, 1]], columns=["a", "a"])
    with pytest.raises(ValueError, match="Several columns of y have the same name"):
        target_of(y, CUT, several=True)


@pytest.mark.parametrize("y", (THREE_CLASSES | TWO_CLASSES).values(), ids=THREE_CLASSES | TWO_CLASSES)
def test_one_target_is_one_where_several_are_taken(y):
    target = target_of(y, CUT, several=True)
    assert target.others == ()
    assert target.codes[:3].tolist() == [1, 0, 1]


def test_one_column_is_one_target_and_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target = target_of(np.array(INTEGERS)[:, None], CUT, several=True)
    assert target.others == ()
    assert target.codes.tolist() == [1, 0, 1, 2]


INCOMPLETE = {
    "floats": [0.5, np.nan, 1.5],
    "integers": [1.0, np.nan, 2.0],
    "objects": np.array(["a", None, "b"], object),
    "object floats": np.array([1.5, np.nan, 2.5], object),
    "words and nan": np.array(["a", np.nan, "b"], object),
    "list with None": ["a", None, "b"],
    "list with nan": ["a", np.nan, "b"],
    "pandas NA": np.array(["a", pd.NA, "b"], object),
    "pandas": pd.Series(["a", None, "b"]),
    "pandas string": pd.Series(["a", None, "b"], dtype="string"),
    "pandas Int64": pd.Series([1, None, 2], dtype="Int64"),
    "pandas category": pd.Series(["a", None, "b"], dtype="category"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "polars": pl.Series(["a", None, "b"]),
    "polars integers": pl.Series([1, None, 2]),
    "polars nan": pl.Series([0.5, np.nan, 1.5]),
    "pyarrow": pa.array(["a", None, "b"]),
    "pyarrow integers": pa.array([1, None, 2]),
    "pyarrow chunks": pa.chunked_array([["a"], [None, "b"]]),
}


@pytest.mark.parametrize("y", INCOMPLETE.values(), ids=INCOMPLETE)
def test_missing_targets_are_refused(y):
    with pytest.raises(ValueError, match="y contains NaN"):
        target_of(y, CUT)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, object])
@pytest.mark.parametrize("forced", [False, True])
def test_infinite_targets_are_refused(value, dtype, forced):
    with pytest.raises(ValueError, match="y contains infinity"):
        target_of(np.array([0.5, value, 1.5], dtype), CUT, forced)


@pytest.mark.parametrize(
    ("y", "said"), [([1, 1, 1], "1"), (["a", "a"], "'a'"), ([0.5, 0.5], "0.5"), ([True], "True")]
)
def test_a_single_class_is_refused(y, said):
    with pytest.raises(ValueError, match=f"y takes a single value.*{said}"):
        target_of(y, CUT)


def test_a_continuous_target_keeps_two_parts_if_it_has_two_values():
    target = target_of([0.5] + [1.5] * 9, EqualFrequency(2))
    assert target.counts.tolist() == [1, 9]


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        target_of(np.array([1j, 2]), CUT)


DAYS = pd.date_range("2020-01-01", periods=4)
DATES = {
    "array": DAYS.to_numpy(),
    "durations": (DAYS - DAYS[0]).to_numpy(),
    "pandas": pd.Series(DAYS),
    "pandas with a zone": pd.Series(DAYS.tz_localize("UTC")),
    "pandas periods": pd.Series(DAYS.to_period("D")),
    "pandas categories": pd.Series(DAYS).astype("category"),
    "Python dates": [day.date() for day in DAYS],
    "Python datetimes": DAYS.to_pydatetime().tolist(),
    "Python durations": (DAYS - DAYS[0]).to_pytimedelta().tolist(),
    "Python times": [day.time() for day in pd.date_range("2020-01-01", periods=4, freq="h")],
    "objects of NumPy": np.array(list(DAYS.to_numpy()), object),
    "dates and text": [DAYS[0].date(), "a", "b", "a"],
    "polars": pl.Series([day.date() for day in DAYS]),
    "pyarrow": pa.array([day.date() for day in DAYS]),
}


@pytest.mark.parametrize("y", DATES.values(), ids=DATES)
def test_dates_are_refused(y):
    with pytest.raises(
        ValueError, match=r"y holds dates or times.*expected numbers.*Convert them to numbers"
    ):
        target_of(y, CUT)


def test_more_values_than_levels_are_refused():
    with pytest.raises(ValueError, match="more than 3 distinct values"):
        target_of([0.5, 1.5, 2.5, 3.5], AsCodes(3))


def test_many_different_integers_are_a_quantity():
    with pytest.warns(UserWarning, match="40 different integers in 40 samples"):
        target = target_of(np.arange(40), EqualFrequency(4))
    assert target.counts.tolist() == [10] * 4
    assert target_of(np.arange(40.0), EqualFrequency(4)).counts.tolist() == [10] * 4
    assert len(target_of(np.arange(160) // 4, EqualFrequency(4)).counts) == 40
    assert len(target_of([str(i) for i in range(40)], EqualFrequency(4)).counts) == 40


def test_integers_that_floats_cannot_tell_apart():
    y = 2**60 + np.arange(20) % 2
    assert len(target_of(y, CUT).counts) == 2
    with pytest.raises(ValueError, match=r"beyond 2\^53"):
        target_of(y, CUT, forced=True)


def test_masked_and_missing_times_are_missing():
    with pytest.raises(ValueError, match="row 1 is missing"):
        target_of(np.ma.array([1, 2, 1, 2], mask=[0, 1, 0, 0]), CUT)
    with pytest.raises(ValueError, match="row 2 is missing"):
        target_of(np.array(["2020", "2021", "NaT"], "M8[Y]"), CUT)


@pytest.mark.parametrize("y", [np.arange(20) // 2, list("abcdefgh"), np.linspace(0, 1, 30)])
def test_few_classes_are_not_warned_of(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target_of(y, CUT)


@pytest.mark.parametrize("n_classes", [2, 5, 300])
def test_a_packed_target_has_its_codes(n_classes):
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(n_classes), 4))
    block = target_of(codes, CUT).packed
    assert block.planes.shape[0] == n_classes - 1
    assert block.counts[:, 0].tolist() == [4] * n_classes
    if n_classes <= 256:
        assert unpack(block)[:, 0].tolist() == codes.tolist()


def test_indicators_of_classes_and_numbers():
    y = np.array([0, 2, 1, 0, 0, 2])
    ((block, weights),) = target_of(y, CUT).indicators()
    raw = (y[:, None] == np.arange(3)).astype(float)
    expected = (raw - raw.mean(axis=0)) / (raw.std(axis=0) * np.sqrt(6))
    np.testing.assert_allclose(block.values, expected, atol=1e-15)
    np.testing.assert_allclose(weights, [3 / 6, 1 / 6, 2 / 6])
    numbers = y + 0.5
    ((block, weights),) = target_of(numbers, CUT).indicators()
    np.testing.assert_allclose(block.values[:, 0], (numbers - numbers.mean()) / (numbers.std() * np.sqrt(6)))
    assert weights.tolist() == [1]


def test_labels_of_several_types_are_refused():
    with pytest.raises(ValueError, match="mixes labels of types int, str"):
        target_of(np.array([3, -1, 3, "3"], object), EqualFrequency(2))


QUANTITY = [0.25, -1.5, 3.0, 2.25, 0.5, 1.75]
DECIMALS = [Decimal(str(one)) for one in QUANTITY]
QUANTITIES = {
    "decimals": DECIMALS,
    "fractions": [Fraction(one) for one in QUANTITY],
    "decimals among others": [Decimal("0.25"), -1.5, 3, Fraction(9, 4), np.float32(0.5), Decimal("1.75")],
    "objects": np.array(DECIMALS, object),
    "long double": np.array(QUANTITY, np.longdouble),
    "pandas": pd.Series(DECIMALS),
    "pandas arrow": pd.Series(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(6, 2))),
    "polars": pl.Series(DECIMALS),
    "pyarrow": pa.array(DECIMALS),
    "pyarrow chunks": pa.chunked_array([DECIMALS]),
    "record batch": pa.record_batch({"y": DECIMALS}),
}


@pytest.mark.parametrize("y", QUANTITIES.values(), ids=QUANTITIES)
def test_numbers_of_every_kind_are_a_quantity(y):
    target = target_of(y, CUT)
    assert target.classes is None
    assert target.numbers.tolist() == QUANTITY
    assert target.codes.tolist() == target_of(QUANTITY, CUT).codes.tolist()


def test_decimals_that_are_whole_are_classes_as_floats_are():
    assert target_of([Decimal(1), Decimal(2), Decimal(1)], CUT).classes.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([Decimal("sNaN"), Decimal(1)], "row 0 is missing"),
        ([Decimal(1), Decimal("NaN")], "row 1 is missing"),
        ([Decimal(1), None], "row 1 is missing"),
        (pa.array([Decimal(1), None]), "row 1 is missing"),
        ([Decimal(1), Decimal("-Infinity")], "contains infinity"),
        ([Fraction(10**400), Fraction(1, 2)], "too large for float64"),
        (np.array(["1e400", "1"]).astype(np.longdouble), "contains infinity"),
        ([Decimal(2**53), Decimal(2**53 + 1)], r"integers beyond 2\^53"),
        ([Decimal(1), "a"], "mixes labels of types Decimal, str"),
    ],
)
def test_numbers_that_are_no_target(y, message):
    with pytest.raises(ValueError, match=message):
        target_of(y, CUT)


@pytest.mark.parametrize("selector", [FGM(), QPFSCV(n_features=[1, 2]), MaxRel()], ids=repr)
def test_decimals_are_taken_by_every_selector(selector):
    rng, y = np.random.default_rng(0), np.arange(40) % 2
    X = rng.normal(size=(40, 4)) + 2 * np.outer(y, [0, 0, 1, 0])
    decimals = [Decimal(int(one)) for one in y]
    assert (
        clone(selector).fit(X, decimals).order_.tolist() == selector.fit(X, y.astype(float)).order_.tolist()
    )


@pytest.mark.parametrize("y", [5, object()])
def test_what_is_no_array_of_labels_is_said(y):
    with pytest.raises(ValueError, match="expected a one-dimensional array of labels or numbers"):
        target_of(y, None)


def test_a_matrix_of_targets_is_an_array():
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.c_[np.arange(30) % 2, np.arange(30) % 3]
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(y)
    np.testing.assert_array_equal(QPFS().fit(X, matrix).relevance_, QPFS().fit(X, y).relevance_)
