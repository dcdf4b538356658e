"""Clusters that a stability is judged by: those of the method, or what is near each selected feature."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler
from tests.conftest import latent_factors

from qpfs import FGM, GDM, IKMQPFS, MRMR, QPFS, MaxRel, SelectionCV
from qpfs.evaluation import feature_clusters as module
from qpfs.evaluation.feature_clusters import feature_clusters


def twin(X, selected, radius):
    """One feature after another: the first of the nearest selected ones by the correlation, if it is near."""
    labels = []
    for f in range(X.shape[1]):
        distances = [1 - abs(np.corrcoef(X[:, f], X[:, s])[0, 1]) for s in selected]
        nearest = int(np.argmin(np.round(distances, 9)))
        labels.append(nearest if distances[nearest] <= radius else -1)
    return labels


def chosen(fitted):
    return fitted.order_[fitted.support_[fitted.order_]]


@pytest.mark.parametrize("seed", range(3))
def test_each_feature_is_with_the_nearest_selected_one_if_that_is_near(seed):
    X, y = latent_factors(60, 40, seed)
    fitted = MRMR(6, measure="correlation").fit(X, y)
    found = feature_clusters(fitted, chosen(fitted))
    assert found.labels.tolist() == twin(X, chosen(fitted), 0.5)
    assert found.labels[chosen(fitted)].tolist() == list(range(6))
    assert 0 < (found.labels < 0).sum() < 34
    assert "at a distance of at most 0.5" in found.text


def test_copies_that_are_both_selected_are_one_cluster():
    X, y = latent_factors(60, 10)
    X[:, 1] = X[:, 0]
    fitted = MaxRel(10, measure="correlation").fit(X, y)
    labels = feature_clusters(fitted, chosen(fitted)).labels
    assert labels[0] == labels[1]


def test_constants_and_identifiers_stand_alone():
    X, y = latent_factors(60, 6)
    frame = pd.DataFrame(X).rename(columns=str).assign(same=1.0, key=[f"k{i}" for i in range(60)])
    with pytest.warns(UserWarning, match="identifiers"):
        fitted = MaxRel(7, measure="mi").fit(frame, y)
    labels = feature_clusters(fitted, chosen(fitted)).labels
    assert labels[6:].tolist() == [-1, -1]
    assert (labels[:6] >= 0).all()


def test_a_method_that_clusters_has_its_own():
    X, y = latent_factors(60, 40)
    fitted = IKMQPFS(4, n_first=5).fit(X, y)
    np.testing.assert_array_equal(feature_clusters(fitted, chosen(fitted)).labels, fitted.labels_)
    gdm = GDM(3).fit(X, y)
    labels = feature_clusters(gdm, chosen(gdm)).labels
    for support, listed in gdm.affiliated_features_.items():
        assert {labels[one.feature] for one in listed} <= {labels[support]}


def test_pipelines_and_searches_are_looked_into():
    X, y = latent_factors(60, 20)
    plain = MRMR(3, measure="correlation").fit(X, y)
    expected = feature_clusters(plain, chosen(plain)).labels
    wide = np.insert(X, 5, 1.0, axis=1)
    pipeline = make_pipeline(StandardScaler(), VarianceThreshold(), MRMR(3, measure="correlation"))
    pipeline.fit(wide, y)
    features = np.delete(np.arange(21), 5)
    found = feature_clusters(pipeline, features[chosen(plain)]).labels
    assert found[features].tolist() == expected.tolist()
    assert found[5] == -1
    search = SelectionCV(MRMR(measure="correlation"), {"scheme": ["difference"]}, [3]).fit(X, y)
    assert feature_clusters(search, chosen(search)).labels.tolist() == expected.tolist()
    grid = GridSearchCV(MRMR(3, measure="correlation"), {}, scoring=lambda *_: 0.0, cv=2).fit(X, y)
    assert feature_clusters(grid, chosen(plain)).labels.tolist() == expected.tolist()


def test_where_features_are_not_compared_there_are_none():
    X, y = latent_factors(60, 6)
    for fitted in (FGM(2).fit(X, y), SelectKBest(k=2).fit(X, y)):
        assert feature_clusters(fitted, np.array([0, 1])) is None
    twice = make_union(StandardScaler(), StandardScaler())
    twice = make_pipeline(twice, QPFS(2, measure="correlation")).fit(X, y)
    assert feature_clusters(twice, np.array([0])) is None


def test_beyond_so_many_selected_features_each_stands_alone(monkeypatch):
    X, y = latent_factors(60, 12)
    fitted = MaxRel(12, measure="correlation").fit(X, y)
    monkeypatch.setattr(module, "CENTRES", 3)
    labels = feature_clusters(fitted, chosen(fitted)).labels
    assert labels.tolist() == twin(X, chosen(fitted)[:3], 0.5)
