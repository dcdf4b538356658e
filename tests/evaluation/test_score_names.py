"""The names of scores in the source of scikit-learn, against those that it gives itself."""

from __future__ import annotations

import pytest
from sklearn.metrics import get_scorer_names

from qpfs.evaluation import score_names
from qpfs.evaluation.score_names import check_score_name, is_surely_none, names_in_source
from qpfs.messages import UsageError


def test_the_source_has_the_names_that_scikit_learn_gives():
    assert names_in_source() == get_scorer_names()


def test_no_score_is_taken_for_none():
    assert not any(map(is_surely_none, get_scorer_names()))
    assert is_surely_none("rocauc")


@pytest.mark.parametrize("text", ["", "nothing is as it was"])
def test_a_score_is_known_whatever_the_source_is_like(monkeypatch, text):
    monkeypatch.setattr(score_names, "source", lambda: text)
    check_score_name("roc_auc")
    with pytest.raises(UsageError, match="is not a score of scikit-learn; did you mean roc_auc, roc_auc_ovr"):
        check_score_name("rocauc")
