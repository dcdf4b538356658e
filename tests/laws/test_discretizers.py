"""What holds for every discretiser."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.laws.parts import RULES
from tests.naive import codes as naive

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
plain = settings(deadline=None)

numbers = st.floats(allow_nan=False, allow_infinity=False)
small_integers = st.integers(-3, 6).map(float)
quarters = st.integers(-40, 40).map(lambda x: x / 4)
columns = st.sampled_from([numbers, small_integers, quarters]).flatmap(
    lambda values: st.lists(values | st.just(np.nan), min_size=1, max_size=30)
)


def table(n_samples=50, n_features=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * 10.0 ** np.arange(-2, n_features - 2)
    X[:, 1] = rng.integers(0, 3, n_samples)
    X[:, 2] = rng.integers(0, 9, n_samples)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def cutting_all(rule):
    """The discretiser without its exception for integers, which depend on the unit."""
    cut = rule.make()
    return cut.set_params(keep_integers=False) if "keep_integers" in cut.get_params() else cut


def exact(edges):
    """Infinite edges lie beyond every number."""
    return [edge for edge in edges if not np.isnan(edge)]


MADE = [rule.make() for rule in RULES.values()]
ONE_EACH = [*{type(one): one for one in MADE}.values()]


@parametrize_with_checks(ONE_EACH)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([one for one in MADE if one not in ONE_EACH])
def test_scikit_learn_contract_with_other_parameters(estimator, check):
    check(estimator)


@every_rule
@given(column=columns)
@plain
def test_edges_are_those_of_the_slow_twin(rule, column):
    edges = exact(rule.make().fit(np.array(column)[:, None]).edges_[:, 0])
    expected = rule.edges(column)
    size = max((abs(x) for x in column if x == x), default=0.0)
    assert len(edges) == len(expected)
    for edge, true in zip(edges, expected, strict=True):
        if np.isinf(edge):
            assert abs(true) > np.finfo(float).max
        else:
            assert edge == pytest.approx(float(true), rel=1e-12, abs=1e-13 * size + 1e-323)


@every_rule
@given(column=columns)
@plain
def test_a_code_is_how_many_edges_a_number_exceeds(rule, column):
    cut = rule.make()
    codes = cut.fit_transform(np.array(column)[:, None])[:, 0]
    edges = cut.edges_[:, 0]
    assert codes.dtype == np.uint8
    assert codes.tolist() == naive.codes(column, exact(edges), len(edges) + 1)
    assert cut.n_levels_[0] == len(set(codes))


@every_rule
@given(column=columns)
@plain
def test_larger_numbers_have_no_smaller_codes(rule, column):
    column = np.sort([x for x in column if x == x] + [0.0])
    codes = rule.make().fit_transform(column[:, None])[:, 0].astype(int)
    assert (np.diff(codes) >= 0).all()


@every_rule
@given(
    column=st.lists(quarters, min_size=1, max_size=30),
    unit=st.sampled_from([2.0**-70, 0.25, 8.0, 2.0**90]),
)
@plain
def test_a_change_of_unit_keeps_codes(rule, column, unit):
    column = np.array(column)[:, None]
    np.testing.assert_array_equal(
        cutting_all(rule).fit_transform(column * unit), cutting_all(rule).fit_transform(column)
    )


@every_rule
@pytest.mark.parametrize("seed", range(3))
def test_a_column_is_cut_by_itself(rule, seed):
    X = table(seed=seed)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    codes = rule.make().fit_transform(X)
    np.testing.assert_array_equal(rule.make().fit_transform(X[:, order]), codes[:, order])
    for j in range(X.shape[1]):
        np.testing.assert_array_equal(rule.make().fit_transform(X[:, [j]]), codes[:, [j]])


@every_rule
@pytest.mark.parametrize("seed", range(3))
def test_permuting_samples_permutes_codes(rule, seed):
    X = table(seed=seed)
    order = np.random.default_rng(seed).permutation(len(X))
    codes = rule.make().fit_transform(X)
    np.testing.assert_array_equal(rule.make().fit_transform(X[order]), codes[order])


@every_rule
def test_missing_values_leave_the_other_codes_alone(rule):
    x = table()[:, [0]]
    seen = ~np.isnan(x[:, 0])
    with_missing, without = rule.make().fit(x), rule.make().fit(x[seen])
    np.testing.assert_array_equal(with_missing.edges_, without.edges_)
    np.testing.assert_array_equal(with_missing.transform(x)[seen], without.transform(x[seen]))
    assert with_missing.n_levels_[0] == without.n_levels_[0] + 1


def layouts(X):
    wide = np.zeros((2 * len(X), 3 * X.shape[1]), X.dtype)
    wide[::2, ::3] = X
    yield np.ascontiguousarray(X)
    yield np.asfortranarray(X)
    yield wide[::2, ::3]
    yield np.asfortranarray(wide)[::2, ::3]
    yield X[::-1, ::-1].copy()[::-1, ::-1]


@every_rule
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int8", "uint8"])
def test_type_and_layout_do_not_matter(rule, dtype):
    X = np.random.default_rng(0).integers(0, [2, 3, 5, 12, 100], (40, 5))
    expected = rule.make().fit_transform(X.astype(np.float64))
    for one in layouts(X.astype(dtype)):
        np.testing.assert_array_equal(rule.make().fit_transform(one), expected)


@every_rule
def test_single_precision_is_cut_as_the_same_numbers_in_double(rule):
    X = np.random.default_rng(1).normal(size=(60, 5)).astype(np.float32)
    expected = rule.make().fit(X.astype(np.float64))
    for one in layouts(X):
        cut = rule.make().fit(one)
        np.testing.assert_array_equal(cut.edges_, expected.edges_)
        np.testing.assert_array_equal(cut.transform(one), expected.transform(X))


@every_rule
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_booleans_are_two_levels(rule, layout):
    X = np.random.default_rng(2).random((30, 4)) < 0.5
    np.testing.assert_array_equal(rule.make().fit_transform(layout(X)), X)


@every_rule
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_frame_is_cut_as_the_array_it_holds(rule, frame):
    X = table()
    names = [f"x{j}" for j in range(X.shape[1])]
    cut = rule.make()
    codes = cut.fit_transform(frame(dict(zip(names, X.T, strict=True))))
    np.testing.assert_array_equal(codes, rule.make().fit_transform(X))
    assert list(cut.feature_names_in_) == names


@every_rule
@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e308, 1e-300, 5e-324, np.nan])
def test_a_constant_column_is_one_level(rule, value):
    X = np.column_stack([np.full(11, value), np.arange(11.0)])
    cut = rule.make().fit(X)
    assert cut.n_levels_[0] == 1
    assert len(set(cut.transform(X)[:, 0])) == 1


@every_rule
@pytest.mark.parametrize("unit", [1e-323, 1e-310, 1e-300, 1e-160, 1e160, 1e307])
def test_huge_and_tiny_columns_are_cut_as_ordinary_ones(rule, unit):
    column = np.array([-9.0, -2.5, 0.0, 1.0, 1.5, 3.0, 10.0]) * unit
    cut = rule.make().fit(column[:, None])
    expected = naive.codes(column.tolist(), rule.edges(column.tolist()), None)
    assert cut.transform(column[:, None])[:, 0].tolist() == expected


@every_rule
@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_infinity_is_refused_by_column(rule, value, dtype):
    X = table().astype(dtype)
    cut = rule.make().fit(X)
    X[7, 3] = value
    for ask in (rule.make().fit, cut.transform):
        with pytest.raises(ValueError, match=r"infinity.*column 3\b.*row 7"):
            ask(X)


@every_rule
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_infinity_is_refused_by_name(rule, frame):
    X = frame({"length": [1.5, 2.0, 2.5], "width": [0.5, -np.inf, np.nan]})
    with pytest.raises(ValueError, match="column 'width'"):
        rule.make().fit(X)


@every_rule
def test_copies_are_as_good(rule):
    X = table()
    cut = rule.make().fit(X)
    codes = cut.transform(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(cut)).transform(X), codes)
    np.testing.assert_array_equal(clone(cut).fit_transform(X), codes)
    assert clone(cut).get_params() == cut.get_params()


@every_rule
@pytest.mark.parametrize("value", [1, 0, -3, 255, 2.5, "many", None, True])
def test_impossible_limits_are_refused(rule, value):
    with pytest.raises(ValueError, match=f"max_categories={value!r}"):
        rule.make().set_params(max_categories=value).fit([[1.0], [2.0]])


@every_rule
def test_fitting_changes_neither_input_nor_parameters(rule):
    X = table()
    before, cut = X.copy(), rule.make()
    parameters = cut.get_params()
    cut.fit(X).transform(X)
    np.testing.assert_array_equal(X, before)
    assert cut.get_params() == parameters
