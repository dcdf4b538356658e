"""The matrix Q of a fit: what columns share by definition, and what the program was solved with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score
from tests.naive import information as naive

from qpfs import QPFS, EqualFrequency, MaxRel
from qpfs.selectors import redundancy

SOME = [40, 3, 17, 120]


@pytest.mark.parametrize("measure", ["correlation", "rank"])
def test_of_numbers_it_is_the_definition(microarray, measure):
    X, y = microarray
    twin = naive.TWINS[measure][0]
    expected = [[twin(X[:, i].tolist(), X[:, j].tolist()) for j in SOME] for i in SOME]
    np.testing.assert_allclose(QPFS(measure=measure).fit(X, y).redundancy(SOME), expected, atol=1e-6)


def test_of_levels_it_is_mutual_information(microarray):
    X, y = microarray
    codes = EqualFrequency(3).fit(X).transform(X)
    expected = [[mutual_info_score(codes[:, i], codes[:, j]) for j in SOME] for i in SOME]
    found = MaxRel(discretizer=EqualFrequency(3)).fit(X, y).redundancy(SOME)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("measure", ["rank", "mi", "correlation", "chi2"])
def test_the_objective_and_the_gap_follow_from_it(microarray, measure):
    fitted = QPFS(measure=measure).fit(*microarray)
    Q, s, weights, theta = fitted.redundancy(range(300)), fitted.relevance_, fitted.scores_, fitted.theta_
    gradient = (1 - theta) * Q @ weights - theta * s
    assert fitted.objective_ == pytest.approx(weights @ (gradient - theta * s) / 2, abs=1e-12)
    assert fitted.gap_ == pytest.approx(weights @ gradient - gradient.min(), abs=1e-12)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("no such column", "features='no such column', but no column seen in fit has that name"),
        (["x3", "gene"], "features='gene', but no column seen in fit has that name"),
        ([3, 300], "features=300, but there are 300 features; give a name or an index from 0 to 299"),
        ([-1], "features=-1, but there are 300 features"),
        (2.5, "features=2.5, but there are 300 features"),
        (
            [True, False],
            "features is a mask of length 2, but there are 300 features; give True or False for each",
        ),
        ([True, 3], "features=True, but there are 300 features"),
    ],
    ids=str,
)
def test_features_that_are_none(microarray, features, message):
    fitted = QPFS().fit(*microarray)
    with pytest.raises(ValueError, match=message):
        fitted.redundancy(features)


def test_names_are_those_that_are_shown(microarray):
    """Without names x0, x1, ...: what the frame and get_feature_names_out have."""
    fitted = QPFS(4).fit(*microarray)
    first = fitted.to_frame()["feature"][:4]
    np.testing.assert_array_equal(fitted.redundancy(first), fitted.redundancy())
    assert fitted.redundancy([]).shape == (0, 0)
    assert fitted.redundancy(7).shape == fitted.redundancy("x7").shape == (1, 1)


def test_more_than_the_machine_holds_is_refused(microarray, monkeypatch):
    fitted = QPFS().fit(*microarray)
    monkeypatch.setattr(redundancy, "memory_of_machine", lambda: 1e6)
    with pytest.raises(MemoryError, match=r"redundancy of 300 features takes about .* GB.*Name fewer"):
        fitted.redundancy(range(300))
    assert fitted.redundancy(range(100)).shape == (100, 100)
