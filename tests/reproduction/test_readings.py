"""Other readings of the publication, against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from reproduction.readings import LiteralFeatureKMeans, LocalQPFS
from tests.naive import clustering as naive
from tests.selectors.test_clustered import Twin

from qpfs import FeatureKMeans, InterleavedSelector, ThreeSegments

OPTIONS = {"radius": 0.9, "n_first": 6, "n_split": 3, "max_depth": None}


@pytest.fixture
def table(microarray):
    X, y = microarray
    return X[:, :80], y


def fitted(clusterer, criterion, discard, X, y):
    how = {"measure": "mi", "discretizer": ThreeSegments(), **OPTIONS}
    return InterleavedSelector(clusterer, criterion, discard, **how).fit(X, y)


@pytest.mark.parametrize("discard", ["careful", "aggressive"])
def test_a_theta_for_each_program(table, discard):
    X, y = table
    twin = Twin(X, y, theta=None)
    found = fitted(FeatureKMeans(init="leaders"), LocalQPFS(order="weight"), discard, X, y)
    careful = discard == "careful"
    twin.same(
        found,
        naive.interleaved(
            twin.codes, twin.D, twin.relevance, twin.weigh, naive.leaders, careful=careful, **OPTIONS
        ),
    )


def test_the_mean_of_the_numbers(table):
    X, y = table
    twin = Twin(X, y, theta=0.4)
    clusterer, criterion = LiteralFeatureKMeans(init="leaders"), LocalQPFS(theta=0.4, order="weight")
    found = fitted(clusterer, criterion, "careful", X, y)
    kept = naive.interleaved(
        twin.codes,
        twin.D,
        twin.relevance,
        twin.weigh,
        naive.leaders,
        careful=True,
        representative=naive.nearest_to_literal_mean(X, ThreeSegments()),
        **OPTIONS,
    )
    twin.same(found, kept)
    assert found.support_.sum() == np.count_nonzero(found.scores_)


def test_labels_have_no_mean(table):
    import pandas as pd

    X, y = table
    frame = pd.DataFrame({"number": X[:, 0], "word": np.where(X[:, 1] > 0, "a", "b")})
    with pytest.raises(ValueError, match="The mean of a cluster's numbers"):
        fitted(LiteralFeatureKMeans(), LocalQPFS(), "careful", frame, y)
