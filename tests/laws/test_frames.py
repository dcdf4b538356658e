"""One table gives one answer, to the last bit, however a data frame or an array keeps it."""

from __future__ import annotations

import contextlib
import warnings
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.laws.same import assert_same

from qpfs import (
    FGM,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    EqualFrequency,
    MaxRel,
    NystromQPFS,
    ThreeSegments,
    open_store,
    write_store,
)
from qpfs.codes import target_of
from qpfs.evaluation import compare, error_curve
from qpfs.evaluation.descriptions import checksum

N = 60
RNG = np.random.default_rng(0)
CLASS = RNG.integers(0, 3, N)
WORDS = np.array(["low", "mid", "high"])[(CLASS + RNG.integers(0, 2, N)) % 3].tolist()
GAPS = [None if row in (3, 17) else word for row, word in enumerate(WORDS)]
OTHERS = np.array(["a", "b"])[RNG.integers(0, 2, N)].tolist()
NUMBERS = RNG.normal(size=N) + CLASS
INTEGERS = RNG.integers(0, 5, N)
FLAGS = RNG.integers(0, 2, N).astype(bool)
Y = np.array(["x", "y", "z"])[CLASS].tolist()
GROUPS = [f"g{row % 7}" for row in range(N)]


def series(dtype):
    return lambda values: pd.Series(values, dtype=dtype)


def objects(missing):
    return lambda values: pd.Series([missing if v is None else v for v in values], dtype=object)


def inferred(values):
    """What pandas 3 makes of strings; pandas 2 does so if asked."""
    asked = contextlib.nullcontext()
    if pd.__version__ < "3":
        asked = pd.option_context("future.infer_string", True)
    with asked:
        return pd.Series(values)


def numpy_text(values):
    """NumPy's own strings, with as much room as each needs."""
    return np.array([np.nan if v is None else v for v in values], np.dtypes.StringDType(na_object=np.nan))


TEXT = {
    "object with None": objects(None),
    "object with nan": objects(np.nan),
    "object with NA": objects(pd.NA),
    "object of NumPy's scalars": lambda v: pd.Series(
        [None if x is None else np.str_(x) for x in v], dtype=object
    ),
    "as pandas likes": pd.Series,
    "as pandas 3 likes": inferred,
    "string": series("string"),
    "string[python]": series("string[python]"),
    "string[pyarrow]": series("string[pyarrow]"),
    "category": series("category"),
    "category of string": lambda v: pd.Series(v, dtype="string").astype("category"),
    "arrow string": series(pd.ArrowDtype(pa.string())),
    "arrow large string": series(pd.ArrowDtype(pa.large_string())),
    "arrow dictionary": series(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "polars String": lambda v: pl.Series(v, dtype=pl.String),
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(sorted({x for x in v if x is not None}))),
    "pyarrow string": pa.array,
    "pyarrow large string": lambda v: pa.array(v, pa.large_string()),
    "pyarrow string view": lambda v: pa.array(v, pa.string_view()),
    "pyarrow dictionary": lambda v: pa.array(v).dictionary_encode(),
}
with contextlib.suppress(NotImplementedError):  # pandas before 2.3 cannot read what it holds there
    views = series(pd.ArrowDtype(pa.string_view()))
    views(["a"]).to_list()
    TEXT["arrow string view"] = views
with contextlib.suppress(TypeError):  # pandas before 2.3 has no such type
    TEXT["str"] = series(pd.StringDtype(na_value=np.nan))
    TEXT["str in Python"] = series(pd.StringDtype("python", na_value=np.nan))
    pd.StringDtype("python", na_value=np.nan)

TAKEN = {name: text for name, text in TEXT.items() if "view" not in name}  # Arrow takes no rows of views
every_text = pytest.mark.parametrize("text", TEXT.values(), ids=TEXT)


def framed(columns):
    """The data frame of the library that the columns are of."""
    first = next(iter(columns.values()))
    if isinstance(first, pl.Series):
        return pl.DataFrame(columns)
    return pa.table(columns) if isinstance(first, pa.Array) else pd.DataFrame(columns)


def table(text):
    return framed(
        {
            "gaps": text(GAPS),
            "others": text(OTHERS),
            "number": NUMBERS,
            "integer": INTEGERS,
            "flag": FLAGS,
        }
    )


PLAIN = table(objects(None))
SELECTORS = [QPFS(), MRMR(3), MaxRel(3), NystromQPFS(), TLKMQPFS(n_clusters=3), QPFS(measure="chi2")]


FEW = ("object with None", "category", "polars String", "pyarrow dictionary")  # one way that a text is kept


def quick_if(name):
    """What is slow for all but a few kinds of text; each is read by every role in a quick test."""
    return () if name in FEW else pytest.mark.slow


def read(name, selector):
    """A kind of text, and a selector that reads it; labels are the same thing to all selectors."""
    slow = name not in FEW and selector is not SELECTORS[0]
    return pytest.param(
        TEXT[name],
        selector,
        id=f"{type(selector).__name__}-{name}",
        marks=pytest.mark.slow if slow else (),
    )


@pytest.mark.parametrize(("text", "selector"), [read(name, one) for one in SELECTORS for name in TEXT])
def test_features_of_text(text, selector):
    assert_same(clone(selector).fit(table(text), Y), fitted_to_all(selector))


@cache
def fitted_to_all(selector):
    return clone(selector).fit(PLAIN, Y)


@every_text
def test_labels_are_pythons_own(text):
    cut = ThreeSegments().fit(table(text))
    assert_same(cut, ThreeSegments().fit(PLAIN))
    assert {type(label) for labels in cut.labels_.values() for label in labels} == {str}
    np.testing.assert_array_equal(cut.transform(PLAIN), ThreeSegments().fit_transform(table(text)))


@every_text
def test_a_table_has_one_checksum(text):
    assert checksum(table(text)) == checksum(PLAIN)


LABELS = {**TEXT, "NumPy's text": numpy_text, "Index": pd.Index, "list": list, "array": np.array}
every_labels = pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
some_labels = pytest.mark.parametrize(
    "labels", [pytest.param(one, id=name, marks=quick_if(name)) for name, one in LABELS.items()]
)


@cache
def fitted_to_plain(selector):
    return clone(selector).fit(PLAIN[["number", "integer"]], Y)


LABELLED = [QPFS(), QPFSCV(n_features=[1, 2], cv=3), FGM()]  # the search asks its own parts to read


@pytest.mark.parametrize(
    ("labels", "selector"),
    [
        pytest.param(
            labels, one, id=f"{type(one).__name__}-{name}", marks=quick_if(name) if one is LABELLED[1] else ()
        )
        for one in LABELLED
        for name, labels in LABELS.items()
    ],
)
def test_targets_of_text(labels, selector):
    X = PLAIN[["number", "integer"]]
    fitted, plain = clone(selector).fit(X, labels(Y)), fitted_to_plain(selector)
    np.testing.assert_array_equal(fitted.scores_, plain.scores_)
    np.testing.assert_array_equal(fitted.order_, plain.order_)
    if isinstance(selector, FGM):
        assert fitted.predict(X).tolist() == plain.predict(X).tolist()


@every_labels
def test_missing_targets_are_refused_by_row(labels):
    y = [None if row == 4 else label for row, label in enumerate(Y)]
    if labels is np.array:
        y = np.array(y, object).tolist()
    for fit in (QPFS().fit, FGM().fit):
        with pytest.raises(ValueError, match="y contains NaN: row 4 is missing"):
            fit(PLAIN[["number", "integer"]], labels(y))


@some_labels
def test_groups_of_text(labels):
    np.testing.assert_array_equal(losses(labels(GROUPS)), losses_of_plain())


def losses(groups):
    return error_curve(MRMR(), PLAIN[["number", "integer"]], Y, cv=3, sizes=[1, 2], groups=groups).losses


@cache
def losses_of_plain():
    return losses(GROUPS)


@every_labels
def test_missing_groups_are_refused(labels):
    groups = labels([None, *GROUPS[1:]])
    with pytest.raises(ValueError, match="groups is missing"):
        error_curve(MRMR(), PLAIN[["number", "integer"]], Y, cv=3, sizes=[1], groups=groups)


@every_labels
def test_a_store_keeps_text_of_every_kind(labels, tmp_path):
    path = write_store(PLAIN, tmp_path / "a.qpfs", labels(Y), samples=labels(GROUPS), groups=labels(GROUPS))
    kept = open_store(path)
    assert (kept.y.tolist(), list(kept.samples), kept.groups.tolist()) == (Y, GROUPS, GROUPS)


@every_labels
@pytest.mark.parametrize("role", ["y", "samples", "groups"])
def test_a_store_keeps_no_missing_text(labels, role, tmp_path):
    with pytest.raises(ValueError, match=rf"{role} has no (value|name) for sample 0"):
        write_store(PLAIN, tmp_path / "a.qpfs", **{role: labels([None, *GROUPS[1:]])})


COUNTS = {
    "Int64": series("Int64"),
    "Float64": series("Float64"),
    "arrow integers": series(pd.ArrowDtype(pa.int32())),
    "arrow floats": series(pd.ArrowDtype(pa.float64())),
    "objects": objects(None),
    "objects with NA": objects(pd.NA),
    "objects of NumPy's scalars": lambda v: pd.Series(
        [None if x is None else np.int64(x) for x in v], dtype=object
    ),
    "polars": pl.Series,
    "pyarrow": pa.array,
}
SOME = [None if row in (5, 20) else int(value) for row, value in enumerate(INTEGERS)]


@pytest.mark.parametrize("kept", COUNTS.values(), ids=COUNTS)
def test_features_and_targets_of_nullable_numbers(kept):
    X = framed({"count": kept(SOME), "number": NUMBERS})
    plain = pd.DataFrame({"count": [np.nan if v is None else v for v in SOME], "number": NUMBERS})
    np.testing.assert_array_equal(QPFS().fit(X, Y).scores_, QPFS().fit(plain, Y).scores_)
    y = kept(CLASS.tolist())
    np.testing.assert_array_equal(target_of(y, EqualFrequency()).codes, CLASS)
    np.testing.assert_array_equal(QPFS().fit(plain, y).scores_, QPFS().fit(plain, Y).scores_)
    with pytest.raises(ValueError, match="row 5 is missing"):
        QPFS().fit(plain, kept(SOME))


TRUTHS = {
    "boolean": series("boolean"),
    "arrow": series(pd.ArrowDtype(pa.bool_())),
    "objects": objects(None),
    "objects with NA": objects(pd.NA),
    "polars": pl.Series,
    "pyarrow": pa.array,
}


@pytest.mark.parametrize("kept", TRUTHS.values(), ids=TRUTHS)
def test_features_of_nullable_truth_values(kept):
    some = [None if row in (5, 20) else bool(value) for row, value in enumerate(FLAGS)]
    X = framed({"flag": kept(some), "number": NUMBERS})
    plain = pd.DataFrame({"flag": [np.nan if v is None else float(v) for v in some], "number": NUMBERS})
    np.testing.assert_array_equal(QPFS().fit(X, Y).scores_, QPFS().fit(plain, Y).scores_)


NAMES = ["a", "b"]
COLUMNS = {
    "as pandas likes": pd.Index(NAMES),
    "object": pd.Index(NAMES, dtype=object),
    "string": pd.Index(NAMES, dtype="string"),
    "arrow": pd.Index(NAMES, dtype=pd.ArrowDtype(pa.string())),
    "category": pd.CategoricalIndex(NAMES),
}


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_names_of_columns_are_pythons_own(columns, tmp_path):
    X = pd.DataFrame(np.column_stack([NUMBERS, INTEGERS]), columns=columns)
    fitted = QPFS(1).fit(X, Y)
    assert [type(name) for name in fitted.feature_names_in_] == [str, str]
    assert list(fitted.get_feature_names_out()) == ["a"]
    assert list(fitted.set_output(transform="pandas").transform(X).columns) == ["a"]
    assert list(open_store(write_store(X, tmp_path / "a.qpfs")).names) == NAMES


NAMELESS = {
    "integers": pd.RangeIndex(2),
    "floats": pd.Index([0.5, 1.5]),
    "dates": pd.date_range("2020-01-01", periods=2),
    "two levels": pd.MultiIndex.from_tuples([("p", "q"), ("p", "r")]),
}


@pytest.mark.parametrize("columns", NAMELESS.values(), ids=NAMELESS)
def test_names_that_are_no_text_are_left_out(columns):
    X = pd.DataFrame(np.column_stack([NUMBERS, INTEGERS]), columns=columns)
    fitted = QPFS(1).fit(X, Y)
    assert not hasattr(fitted, "feature_names_in_")
    assert list(fitted.get_feature_names_out()) == ["x0"]
    assert fitted.transform(X).shape == (N, 1)
    assert "x0" in fitted.report().html


@pytest.mark.parametrize(
    "columns",
    [["a", 1], ["a", None], ["a", 2.5], ["a", ("b", "c")]],
    ids=["integer", "None", "float", "tuple"],
)
def test_text_mixed_with_other_names_is_refused(columns):
    names = pd.Index(columns, dtype=object, tupleize_cols=False)
    with pytest.raises(TypeError, match="string names"):
        QPFS().fit(pd.DataFrame(np.column_stack([NUMBERS, INTEGERS]), columns=names), Y)


SAMPLES = {
    "text": [f"s{row}" for row in range(N)],
    "repeated": ["s"] * N,
    "backwards": list(range(N))[::-1],
    "dates": pd.date_range("2020-01-01", periods=N),
    "two levels": pd.MultiIndex.from_tuples([(row % 2, row) for row in range(N)]),
}


@pytest.mark.filterwarnings("ignore:The indices of X and y hold the same labels")
@pytest.mark.parametrize("index", SAMPLES.values(), ids=SAMPLES)
def test_an_index_changes_nothing_but_comes_back(index):
    X = PLAIN.set_axis(index, axis=0)
    y = pd.Series(Y, index=index[::-1])
    fitted = QPFS(2).set_output(transform="pandas").fit(X, y)
    np.testing.assert_array_equal(fitted.scores_, QPFS(2).fit(PLAIN, Y).scores_)
    assert fitted.transform(X).index.equals(X.index)


@pytest.fixture
def copy_on_write():
    """What pandas 3 always does, and pandas 2 if asked."""
    with contextlib.nullcontext() if pd.__version__ >= "3" else pd.option_context("mode.copy_on_write", True):
        yield


@pytest.mark.usefixtures("copy_on_write")
@pytest.mark.parametrize(
    "selector", [*SELECTORS, FGM(), QPFSCV(n_features=[1, 2], cv=3)], ids=lambda s: type(s).__name__
)
def test_what_is_given_is_neither_written_to_nor_shared(selector):
    X = pd.DataFrame({"number": NUMBERS, "other": NUMBERS[::-1] * 2, "count": INTEGERS * 1.0})
    y, before = pd.Series(CLASS), X.copy(deep=True)
    given = X.to_numpy()
    assert not given.flags.writeable
    selector = clone(selector).set_params(
        **({"n_features": [2]} if "CV" in str(selector) else {"n_features_to_select": 2})
    )
    fitted = selector.set_output(transform="pandas").fit(X, y)
    np.testing.assert_array_equal(fitted.scores_, clone(selector).fit(given, y.to_numpy()).scores_)
    out = fitted.transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out.iloc[0, 0] = 99.0
        out["new"] = 1
        out.loc[:, out.columns[0]] = 0.0
    pd.testing.assert_frame_equal(X, before)
    assert y.tolist() == CLASS.tolist()


@pytest.mark.parametrize(
    "text", [pytest.param(one, id=name, marks=quick_if(name)) for name, one in TAKEN.items()]
)
def test_frames_of_text_are_compared(text):
    assert errors(table(text)) == errors_of_plain()


def errors(X):
    found = compare({"mrmr": MRMR()}, X, Y, cv=3, inner_cv=2, sizes=[1, 2], estimator=Commonest()).record
    assert found["data"]["n_features"] == 5
    return found["methods"][0]["curve"]


@cache
def errors_of_plain():
    return errors(PLAIN)


class Commonest:
    """A classifier for tables of any kind: it says the commonest class of its training part."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        values, counts = np.unique(y, return_counts=True)
        self.said = values[np.argmax(counts)]
        return self

    def predict(self, X):
        return np.full(len(X), self.said)


SCALARS = {
    "a column": (lambda: QPFS().fit(pd.DataFrame({np.str_("a"): [1.0, np.inf]}), [0, 1]), "column 'a'"),
    "a class": (lambda: QPFS().fit(np.eye(3), np.array(["b"] * 3)), "single value, 'b'"),
    "a class of FGM": (lambda: FGM().fit(np.eye(3), np.array(["b"] * 3)), "one class, 'b'"),
    "a number": (lambda: QPFS(np.int64(-9)).fit(np.eye(3), [0, 1, 0]), "n_features_to_select=-9"),
    "theta": (lambda: QPFS(theta=np.float64(9)).fit(np.eye(3), [0, 1, 0]), "theta=9.0"),
    "a name": (lambda: QPFS(measure=np.str_("no")).fit(np.eye(3), [0, 1, 0]), "measure='no'"),
    "clusters": (lambda: TLKMQPFS(n_clusters=np.int64(0)).fit(np.eye(3), [0, 1, 0]), "n_clusters=0"),
}


@pytest.mark.parametrize(("act", "said"), SCALARS.values(), ids=SCALARS)
def test_scalars_of_numpy_are_written_as_pythons(act, said):
    with pytest.raises(ValueError, match=said) as error:
        act()
    assert "np." not in str(error.value)


@pytest.mark.parametrize(
    "X", [np.array([["1", "2"], ["3", "4"]], np.dtypes.StringDType()), [["1", "2"], ["3", "4"]]]
)
def test_arrays_of_text_are_refused(X):
    with pytest.raises((TypeError, ValueError), match=r"(expected|to) num"):
        QPFS().fit(X, [0, 1])
