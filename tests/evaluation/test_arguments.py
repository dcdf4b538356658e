"""Arguments as scikit-learn takes them, and mistakes that a message explains."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from tests.conftest import latent_factors

from qpfs import MaxRel
from qpfs.evaluation import SelectionCV, across_cohorts, compare, error_curve, measured, resampled, rivals


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
        ValueError, match=r"random_state=.*an integer of at least 0, a RandomState instance or None"
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


def test_given_splits_are_not_shown_row_by_row(problem):
    beyond = [(np.arange(30), np.arange(30, 45)), (np.arange(30), np.arange(30, 90))]
    with pytest.raises(ValueError, match="cv=<list of 2 splits> names rows beyond the 45 samples in split 2"):
        error_curve(MaxRel(), *problem, cv=beyond, sizes=[1])
    with pytest.raises(ValueError, match="inner_cv=<list of 1 split>, but it must be"):
        compare([MaxRel()], *problem, cv=2, inner_cv=beyond[:1], sizes=[1, 2])


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y, cv: error_curve(MaxRel(), X, y, cv=cv, sizes=[1]),
        lambda X, y, cv: compare([MaxRel()], X, y, cv=cv, sizes=[1]),
        lambda X, y, cv: SelectionCV(MaxRel(), cv=cv).fit(X, y),
    ],
    ids=["error_curve", "compare", "SelectionCV"],
)
def test_a_training_part_of_one_class_is_named(problem, call):
    X, y = problem
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match=r"of one class only, 0: that of split 1 of cv=TimeSeriesSplit"):
        call(X[order], y[order], TimeSeriesSplit(3))


@pytest.mark.parametrize("groups", [False, True])
def test_a_number_of_folds_is_answered_with_a_number(problem, groups):
    """Its folds keep the shares of the classes as far as possible: no other splitter would help."""
    X, y = problem
    kept = {"groups": np.where(y == 1, 0, np.arange(len(y)) % 7 + 1)} if groups else {}
    rare = y if groups else np.arange(len(y)) == 3
    needed = "samples in two groups" if groups else "two samples"
    with pytest.raises(ValueError, match=rf"of cv=4\. Give fewer folds; a class needs at least {needed}\.$"):
        error_curve(MaxRel(), X, rare, cv=4, sizes=[1], **kept)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([0, 0, 0, 1, 1, 2], "the largest class has 3 samples; give a number of folds from 2 to 3."),
        ([0, 0, 1, 1], "the largest class has 2 samples; give 2 folds."),
        ([0, 1], "the largest class has 1 sample; that is too few for folds, which need at least 2."),
    ],
)
def test_too_many_folds_are_answered_with_those_there_can_be(y, said):
    X = np.random.default_rng(0).normal(size=(len(y), 3))
    with pytest.raises(ValueError, match=f"^cv=5, but {said}$"):
        error_curve(MaxRel(), X, y, cv=5, sizes=[1])


def test_one_group_cannot_be_divided(problem):
    with pytest.raises(ValueError, match=r"^cv=5, but there is 1 group; that is too few for folds"):
        error_curve(MaxRel(), *problem, cv=5, sizes=[1], groups=np.zeros(len(problem[1])))


@pytest.mark.parametrize(
    "method",
    [rivals.forest(10), RandomForestClassifier(10), LogisticRegression(max_iter=10_000)],
    ids=lambda one: type(one).__name__,
)
def test_a_method_that_ranks_all_features_needs_a_size(problem, method):
    name = "forest" if isinstance(method, rivals.Rival) else type(method).__name__
    with pytest.raises(ValueError, match=rf"^{name} selects 1[12] of 12 features, .* Give size=10"):
        resampled(method, *problem, 2)
    assert resampled(method, *problem, 2, size=3).frequencies.sum() == pytest.approx(3)


def test_a_selector_of_all_features_gets_a_note(problem):
    (note,) = (one for one in resampled(MaxRel(), *problem, 2).notes if "of 12 features" in one)
    assert "give n_features_to_select, or size=10" in note
    assert not any("of 12 features" in one for one in resampled(MaxRel(3), *problem, 2).notes)


@pytest.mark.parametrize(
    "method", [SelectKBest(k=5), RFE(LogisticRegression(), n_features_to_select=3)], ids=["k best", "rfe"]
)
def test_a_method_that_needs_a_prepared_table_is_advised(problem, method):
    X, y = problem
    gaps, text = X.copy(), pd.DataFrame(X).add_prefix("f")
    gaps[3, 2] = np.nan
    text["letter"] = list("abc") * 15
    for table, step in (
        (gaps, r"missing values: .* SimpleImputer\(\)"),
        (text, r"text: .* OrdinalEncoder\(\)"),
    ):
        name = type(method).__name__
        for call in (error_curve, resampled):
            with pytest.raises(
                ValueError, match=rf"^{name} does not take {step} before it: make_pipel"
            ) as raised:
                call(method, table, y)
            assert len(str(raised.value)) < 250
        with pytest.warns(RuntimeWarning, match=f"{name} does not take"):
            compare([method], table, y, cv=2, sizes=[1])
    piped = make_pipeline(SimpleImputer(), method)
    assert error_curve(piped, gaps, y, cv=2, sizes=[1]).mean[0] < 1


def test_a_search_names_what_searches_other_selectors(problem):
    with pytest.raises(ValueError, match="GridSearchCV") as raised:
        SelectionCV(RFE(LogisticRegression())).fit(*problem)
    assert "GridSearchCV(make_pipeline(RFE(...), estimator), {'rfe__...': [...]})" in str(raised.value)
    assert "GridSearchCV" in SelectionCV.__doc__.partition("param_grid")[0]


def test_an_encoder_before_a_method_or_an_estimator(problem):
    X, y = problem
    frame = pd.DataFrame(X).add_prefix("g").assign(sex=np.where(np.arange(45) % 2, "f", "m"))
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    method = make_pipeline(encode, SelectKBest(k=2))
    one, everything = compare({"k": method}, frame, y, cv=3, sizes=[2]).record["methods"], frame.shape[1]
    assert one[0]["ranked"] == {"fewest": everything, "most": everything}
    steps = one[0]["parameters"]["steps"]
    assert steps[0][1]["parameters"]["dtype"] == {"class": "numpy.float64", "parameters": {}}
    assert error_curve(method, frame, y, cv=3, sizes=[2]).protocol["selector"]["parameters"]["steps"] == steps
    found = compare([MaxRel()], X, y, cv=3, sizes=[2], estimator=make_pipeline(encode, LogisticRegression()))
    assert "failed" not in found.record["methods"][0]


class Unspeakable(SelectKBest):
    """A method that cannot be described."""

    def get_params(self, deep=True):
        if not deep:
            raise ValueError("no words for it")
        return super().get_params(deep)


@pytest.mark.parametrize("name", ["compare", "error_curve"])
def test_what_cannot_be_described_is_refused_before_the_trials(problem, name, monkeypatch):
    def unexpected(*_, **__):
        raise AssertionError("a trial was run")

    monkeypatch.setattr(f"qpfs.evaluation.{'comparing' if name == 'compare' else 'curve'}.run", unexpected)
    call = {
        "compare": lambda one: compare({"k": one}, *problem),
        "error_curve": lambda one: error_curve(one, *problem),
    }
    with pytest.raises(ValueError, match="no words for it"):
        call[name](Unspeakable(k=2))
