"""Arguments as scikit-learn takes them, and mistakes that a message explains."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold
from tests.conftest import latent_factors

from qpfs import MaxRel
from qpfs.evaluation import SelectionCV, across_cohorts, compare, error_curve, measured, resampled


@pytest.fixture(scope="module")
def problem():
    return latent_factors(45, 12)


def test_repeats_are_for_a_number_of_folds(problem):
    with pytest.raises(ValueError, match="repeats=3, but cv is KFold, whose splits are not repeated"):
        compare([MaxRel()], *problem, cv=KFold(3), repeats=3)
    compare([MaxRel()], *problem, cv=KFold(3), sizes=[1])


def test_no_cv_is_five_folds(problem):
    how = {"sizes": [1, 2]}
    five, none = (error_curve(MaxRel(), *problem, cv=cv, **how) for cv in (5, None))
    assert none.losses.tolist() == five.losses.tolist()
    found = compare([MaxRel()], *problem, cv=None, inner_cv=None, **how).record["protocol"]
    assert (found["cv"]["n_splits"], found["inner_cv"]["n_splits"]) == (5, 5)
    searches = [SelectionCV(MaxRel(), n_features=[1, 2], cv=cv).fit(*problem) for cv in (5, None)]
    assert searches[0].best_score_ == searches[1].best_score_


def seeds_of(call):
    """What a call gives for the same instance twice, and what the drawn seed gives."""
    rng = np.random.RandomState(3)
    drawn = int(np.random.RandomState(3).randint(2**31 - 1))
    return [call(one) for one in (rng, np.random.RandomState(3), drawn, rng)]


def test_a_seed_is_drawn_once_from_an_instance(problem):
    def folds(seed):
        return error_curve(MaxRel(), *problem, cv=3, sizes=[1], random_state=seed).protocol["cv"]

    first, same, by_number, other = seeds_of(folds)
    assert first == same == by_number != other
    assert isinstance(first["parameters"]["random_state"], int)

    def orders(seed):
        return [one.tolist() for one in resampled(MaxRel(2), *problem, 3, random_state=seed).orders]

    first, same, by_number, other = seeds_of(orders)
    assert first == same == by_number != other

    def protocol(seed):
        found = compare([MaxRel()], *problem, cv=3, inner_cv=2, sizes=[1, 2], random_state=seed)
        return {name: found.record["protocol"][name] for name in ("cv", "inner_cv")}

    first, same, by_number, other = seeds_of(protocol)
    assert first == same == by_number != other

    def search(seed):
        return SelectionCV(MaxRel(), n_features=[1, 2], random_state=seed).fit(*problem).cv_results_

    first, same, by_number, _ = seeds_of(lambda seed: search(seed)["mean_test_score"].tolist())
    assert first == same == by_number


def test_no_seed_is_drawn_from_that_of_numpy(problem):
    def folds():
        return error_curve(MaxRel(), *problem, cv=3, sizes=[1], random_state=None).protocol["cv"]

    np.random.seed(0)  # noqa: NPY002 - as scikit-learn reads it
    first, second = folds(), folds()
    np.random.seed(0)  # noqa: NPY002
    assert folds() == first != second


@pytest.mark.parametrize("seed", [-1, 0.5, "now"])
def test_what_is_no_seed(problem, seed):
    with pytest.raises(
        ValueError, match="random_state=.*an integer of at least 0, a RandomState instance or None"
    ):
        error_curve(MaxRel(), *problem, sizes=[1], random_state=seed)
    with pytest.raises(ValueError, match="random_state="):
        SelectionCV(MaxRel(), random_state=seed).check()


CALLS = {
    "error_curve": lambda one, X, y: error_curve(one, X, y, sizes=[1], cv=2).orders,
    "resampled": lambda one, X, y: resampled(one, X, y, 2, size=1).orders,
    "measured": lambda one, X, y: measured(one, X, y),
    "across_cohorts": lambda one, X, y: across_cohorts(one, X, y, np.arange(45) % 2, size=1).selected,
}


@pytest.mark.parametrize("name", CALLS)
def test_the_order_of_arguments_is_explained(problem, name):
    X, y = problem
    with pytest.raises(ValueError, match=r"selector is a ndarray; expected an object with fit.*then X and y"):
        CALLS[name](X, y, MaxRel())
    with pytest.raises(ValueError, match=r"selector is the class MaxRel; give an object: MaxRel\(\)."):
        CALLS[name](MaxRel, X, y)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "measured"])
def test_a_selector_by_its_name(problem, name):
    found, expected = (CALLS[name](one, *problem) for one in ("maxrel", MaxRel()))
    assert np.array_equal(
        np.concatenate([*map(np.atleast_1d, found)]), np.concatenate([*map(np.atleast_1d, expected)])
    )
