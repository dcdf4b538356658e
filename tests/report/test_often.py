"""How often features are selected, and what took the place of a chosen one, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import latent_factors

from qpfs import FGM, GDM, QPFS, MaxRel
from qpfs.report.often import most_often, stability_facts, taken_places


def chosen(fitted):
    return fitted.order_[fitted.support_[fitted.order_]]


def shares_of(n, seed):
    """Shares of few values, so that many are equal."""
    return np.random.default_rng(seed).integers(0, 6, n) / 5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_features", "n_chosen"), [(8, 3), (60, 5), (60, 40), (60, 0)])
def test_the_first_chosen_and_the_most_frequent_others(n_features, n_chosen, seed):
    shares = shares_of(n_features, seed)
    best = np.random.default_rng(seed).permutation(n_features)[:n_chosen]
    names = [f"f{i}" for i in range(n_features)]
    found = most_often(shares, best, names)
    rank = {int(f): place for place, f in enumerate(best, start=1)}
    kept = [int(f) for f in best[:20]]
    rest = [f for f in range(n_features) if f not in kept and shares[f] > 0]
    rest.sort(key=lambda f: (-shares[f], rank.get(f, n_features + f), f))
    expected = sorted(
        kept + rest[: 30 - len(kept)], key=lambda f: (-shares[f], rank.get(f, n_features + f), f)
    )
    assert [one["index"] for one in found] == expected
    for one in found:
        assert one["feature"] == names[one["index"]]
        assert one["share"] == shares[one["index"]]
        assert one["rank"] == rank.get(one["index"])


def twin(fitted, frequency, radius):
    """What stands in for each chosen feature, by the alternatives that the selector itself lists."""
    found = {}
    for feature in chosen(fitted).tolist():
        if frequency[feature] >= 0.5:
            continue
        others = fitted.alternatives(feature, n=fitted.n_features_in_)
        more = [one for one in others if frequency[one.feature] > frequency[feature]]
        near = [one for one in more if one.distance <= radius]
        near.sort(
            key=lambda one: (fitted.support_[one.feature], -frequency[one.feature], one.distance, one.feature)
        )
        found[feature] = [one.feature for one in (near[:3] or more[:1])]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_places_are_taken_by_what_is_near_and_more_frequent(seed):
    X, y = latent_factors(60, 20, seed)
    X = np.c_[X, X + np.random.default_rng(seed).normal(size=X.shape)]  # so that some have a near one
    fitted = QPFS(12, measure="correlation").fit(X, y)
    frequency = shares_of(40, seed)
    names = [f"f{i}" for i in range(40)]
    found = taken_places(fitted, names, chosen(fitted), frequency)
    expected = twin(fitted, frequency, 0.5)
    assert {feature: [one["index"] for one in near] for feature, near in found.items()} == expected
    for near in found.values():
        for one in near:
            assert one["feature"] == names[one["index"]]
            assert one["frequency"] == frequency[one["index"]]
            assert one["near"] == (one["distance"] <= 0.5)
            assert one["selected"] == fitted.support_[one["index"]]


def test_where_nothing_is_near_the_nearest_is_named():
    X, y = latent_factors(60, 20)
    fitted = QPFS(6, measure="correlation").fit(X, y)
    found = taken_places(fitted, [f"f{i}" for i in range(20)], chosen(fitted), shares_of(20, 0))
    assert False in [one["near"] for near in found.values() for one in near]
    for feature, near in found.items():
        if not near[0]["near"]:
            assert [one["index"] for one in near] == twin(fitted, shares_of(20, 0), 0.5)[feature][:1]


def test_a_copy_takes_the_place_of_a_feature_that_is_never_selected():
    X, y = latent_factors(60, 10)
    X[:, 9] = 2 * X[:, 0]
    fitted = MaxRel(1).fit(X[:, [0, 5, 9]], y)
    found = taken_places(fitted, ["a", "b", "copy"], chosen(fitted), np.array([0.0, 0.1, 0.9]))
    (first,) = found[0]
    assert (first["feature"], first["distance"], first["near"]) == ("copy", 0.0, True)


def test_what_gdm_lists_is_near_and_of_fgm_nothing_is_known():
    X, y = latent_factors(80, 12)
    X = np.c_[X, X + 0.01]
    fitted = GDM(3).fit(X, y)
    frequency = np.where(fitted.support_, 0.0, 0.4)
    found = taken_places(fitted, [str(i) for i in range(24)], chosen(fitted), frequency)
    for feature, near in found.items():
        assert {one["index"] for one in near} <= {one.feature for one in fitted.affiliated_features_[feature]}
    assert any(found.values())
    machine = FGM(3).fit(X, y)
    assert taken_places(machine, [str(i) for i in range(24)], chosen(machine), frequency) == {}


def test_facts_are_added_only_where_frequencies_are_known():
    given, frequency = {"n": 4, "index": 0.5}, np.array([1.0, 0.5, np.nan, 0.2])
    assert stability_facts(None, frequency, np.array([0]), list("abcd")) is None
    assert stability_facts(given, None, np.array([0]), list("abcd")) == given
    found = stability_facts(given, frequency, np.array([2]), list("abcd"))
    assert found["n_often"] == 2
    assert [(one["feature"], one["share"]) for one in found["often"]] == [
        ("a", 1.0),
        ("b", 0.5),
        ("d", 0.2),
        ("c", 0.0),
    ]
