"""What every fitted selector answers: a frame, ranks as in RFE, numbers, and what features share."""

from __future__ import annotations

import json
import math
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.report.selections import SELECTORS, named, wdbc

from qpfs import FGM, GDM, QPFS, MaxRel, SelectionCV
from qpfs.methods import METHODS

ALL = [
    *SELECTORS,
    SelectionCV(FGM(), {}, [2, 4], cv=3),
    *(one.selector(4) for one in METHODS.others.values()),
]
FITTED = {}


def fitted(place):
    """One of all selectors, fitted once to a frame with a constant column."""
    if place not in FITTED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer clusters than asked for
            FITTED[place] = clone(ALL[place]).fit(*wdbc())
    return FITTED[place]


every_selector = pytest.mark.parametrize("place", range(len(ALL)), ids=map(named, ALL))
with_table = pytest.mark.parametrize(
    "place", [i for i, one in enumerate(ALL) if not isinstance(getattr(one, "selector", one), (FGM, GDM))]
)


def ranks_as_in_rfe(selector):
    """Straight from the words: 1 if selected, the others one by one, then all that are not ranked."""
    ranking, rank = {}, 1
    for feature in selector.order_:
        if selector.support_[feature]:
            ranking[feature] = 1
        else:
            rank += 1
            ranking[feature] = rank
    return [ranking.get(feature, rank + 1) for feature in range(selector.n_features_in_)]


@every_selector
def test_ranks_are_those_of_rfe(place):
    selector = fitted(place)
    assert selector.ranking_.tolist() == ranks_as_in_rfe(selector)
    assert selector.ranking_.dtype.kind == "i"
    np.testing.assert_array_equal(selector.ranking_ == 1, selector.get_support())
    constant = selector.feature_names_in_.tolist().index("always one")
    assert selector.ranking_[constant] == selector.ranking_.max()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(selector)).ranking_, selector.ranking_)
    assert not hasattr(clone(selector), "ranking_")


@every_selector
def test_the_frame_has_all_that_is_known(place):
    selector = fitted(place)
    frame = selector.to_frame()
    assert sorted(frame["index"]) == list(range(31))
    order = frame["index"].to_numpy()
    names = selector.feature_names_in_
    assert frame["feature"].tolist() == names[order].tolist()
    assert frame["selected"].tolist() == selector.support_[order].tolist()
    value = "score" if selector.account().scored else "weight"
    assert frame[value].tolist() == selector.scores_[order].tolist()
    ranks = {feature: rank for rank, feature in enumerate(selector.order_, start=1)}
    assert [None if rank != rank else int(rank) for rank in frame["rank"].astype(float)] == [
        ranks.get(feature) for feature in order
    ]
    assert (np.diff(selector.ranking_[order]) >= 0).all()  # the selected, the ranked, the rest
    assert order[: selector.support_.sum()].tolist() == [f for f in selector.order_ if selector.support_[f]]
    assert ("relevance" in frame) == hasattr(selector, "relevance_")
    if "relevance" in frame:
        assert frame["relevance"].tolist() == selector.relevance_[order].tolist()
    assert ("cluster" in frame) == hasattr(selector, "labels_") or hasattr(selector, "affiliated_features_")
    if hasattr(selector, "labels_"):
        clusters = [None if label < 0 else int(label) for label in selector.labels_[order]]
        assert [None if one != one else int(one) for one in frame["cluster"].astype(float)] == clusters
        standing = [None if one is None else names[selector.representatives_[one]] for one in clusters]
        shown = [one if isinstance(one, str) else None for one in frame["representative"]]  # NaN in pandas 3
        assert shown == standing
    assert "frequency" not in frame
    assert not {"pvalue", "qvalue"} & set(frame) or hasattr(selector, "pvalues_")


@every_selector
def test_metrics_are_flat_numbers(place):
    selector = fitted(place)
    metrics = selector.metrics()
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics
    for name, value in metrics.items():
        assert name.isidentifier()
        assert type(value) in (int, float)
        assert math.isfinite(value)
    assert (metrics["n_samples"], metrics["n_features"]) == (569, 31)
    assert metrics["n_constant"] == 1
    assert metrics["n_ranked"] == len(selector.order_)
    assert metrics["n_selected"] == selector.get_support().sum()
    assert metrics["n_weighted"] == np.count_nonzero(selector.scores_ > 0)
    for name in ("theta", "gap", "objective", "radius", "best_score"):
        assert metrics.get(name) == getattr(selector, f"{name}_", None)
    assert metrics.get("optimal") == {"optimal": 1, "stationary": 0}.get(getattr(selector, "status_", None))
    if hasattr(selector, "relevance_"):
        assert metrics["relevance_max"] == max(selector.relevance_)
        assert metrics["relevance_selected_mean"] == pytest.approx(
            np.mean([s for s, chosen in zip(selector.relevance_, selector.support_, strict=True) if chosen])
        )
    if hasattr(selector, "labels_"):
        assert metrics["n_clusters"] == selector.labels_.max() + 1
        assert metrics["n_discarded"] + 1 == np.count_nonzero(selector.labels_ == -1)


@with_table
def test_redundancy_is_what_the_fit_used(place):
    selector = fitted(place)
    table, names = selector.fitted_.table, selector.feature_names_in_
    chosen = [f for f in selector.order_ if selector.support_[f]]
    every = selector.redundancy(range(31))
    np.testing.assert_array_equal(every, table.rows(np.arange(31)))
    np.testing.assert_array_equal(selector.redundancy(), every[np.ix_(chosen, chosen)])
    np.testing.assert_array_equal(np.diag(every), table.self_information)
    constant = names.tolist().index("always one")
    assert not every[constant].any()
    some = [7, 3, constant, 7]
    expected = every[np.ix_(some, some)]
    np.testing.assert_array_equal(selector.redundancy(some), expected)
    np.testing.assert_array_equal(selector.redundancy(names[some]), expected)
    np.testing.assert_array_equal(selector.redundancy(["worst area", 3])[0, 1], every[23, 3])
    mask = np.isin(np.arange(31), some)
    np.testing.assert_array_equal(selector.redundancy(mask), every[np.ix_(mask, mask)])
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.redundancy(), selector.redundancy())


@pytest.mark.parametrize("question", ["to_frame", "metrics", "redundancy", "theta_path"])
def test_who_is_not_fitted_says_so(question):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(QPFS(), question)()


def test_who_keeps_no_features_says_what_to_do():
    assert not hasattr(FGM(), "redundancy")
    search = fitted(len(SELECTORS))
    with pytest.raises(TypeError, match=r"FGM and GDM keep no features.*such as QPFS"):
        search.redundancy()
    with pytest.raises(TypeError, match=r"FGM and GDM keep no features.*such as QPFS"):
        search.alternatives(0)
    with pytest.raises(TypeError, match="FGM has no theta, so there is no path"):
        search.theta_path()


def test_another_fit_has_another_ranking():
    X, y = wdbc()
    selector = MaxRel(3).fit(X, y)
    before = selector.ranking_
    selector.set_params(n_features_to_select=5).fit(X.iloc[:, :12], y)
    assert selector.ranking_.shape == (12,)
    assert (selector.ranking_ == 1).sum() == 5
    assert (before == 1).sum() == 3
    with pytest.raises(ValueError, match="n_features_to_select=0"):
        selector.set_params(n_features_to_select=0).fit(X, y)
    assert not hasattr(selector, "ranking_")
