"""How the numbers became scores: what a record keeps of them, and what a page shows."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.naive.information import normal_scores as naive_scores

from qpfs import MRMR, QPFS, MaxRel
from qpfs.information import Rank
from qpfs.report import selection_page, selection_record
from qpfs.report.schema import RecordError, check_selection

N = 200


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = pd.DataFrame(
        {
            "smooth": rng.normal(size=N) + y,
            "steps": rng.poisson(1 + y).astype(float),
            "flag": (rng.random(N) < 0.3 + 0.4 * y).astype(float),
            "gaps": np.where(rng.random(N) < 0.3, np.nan, rng.normal(size=N) + y),
            "site": np.array(list("abc"))[np.minimum(rng.integers(0, 2, N) + y, 2)],
        }
    )
    return X, y


def scores_in(record):
    return {one["feature"]: one["normal_scores"] for one in record["features"]}


def text_of(page, section):
    inside = re.search(rf'<section id="{section}".*?</section>', page, re.DOTALL).group()
    return " ".join(re.sub("<[^>]+>", " ", inside).split())


@pytest.mark.parametrize("degree", [1, 2])
def test_the_histogram_is_that_of_the_scores(mixed, degree):
    X, y = mixed
    found = scores_in(selection_record(QPFS(5, measure=Rank(degree)).fit(X, y), X=X))
    for name in ("smooth", "steps", "flag", "gaps"):
        seen = ~X[name].isna()
        scores = np.array(naive_scores(X[name].tolist()))[seen]
        expected, _ = np.histogram(np.clip(scores, -3.49, 3.49), found[name]["edges"])
        assert found[name]["counts"] == expected.tolist()
        times = X[name].value_counts()
        assert (found[name]["n_values"], found[name]["largest"]) == (len(times), times.max())
        assert sum(found[name]["tied"]) == times[times >= 0.05 * N].sum()
        assert found[name]["missing"] == (~seen).sum()
        assert (found[name]["columns"], found[name]["labels"]) == (degree, False)
    assert (found["site"]["columns"], found["site"]["labels"]) == (2, True)


def test_sparse_columns_have_the_same_scores(mixed):
    X, y = mixed
    numbers = X[["steps", "flag"]].to_numpy()
    selector = QPFS(2, measure="rank")
    dense, thin = (
        scores_in(selection_record(selector.fit(table, y), X=table))
        for table in (numbers, sparse.csc_array(numbers))
    )
    assert dense == thin


def test_the_section_says_what_scores_are_and_gives_way_to_bins(mixed):
    X, y = mixed
    page = QPFS(5, measure=Rank(2)).fit(X, y).report(X).html
    said = text_of(page, "scores")
    for words in ("its normal score", "share one score", "Labels have no order", "The square of the score"):
        assert words in said
    assert "labels: 2 contrasts of categories 3" in said
    assert "discretised" not in text_of(page, "methods")
    assert 'id="levels"' not in page
    assert page.count("Normal scores of ") >= 4
    cut = QPFS(5, measure="mi").fit(X, y).report(X).html
    assert "How the data were discretised" in cut
    assert 'id="scores"' not in cut


def test_several_targets_are_named(mixed):
    X, y = mixed
    targets = pd.DataFrame({"ill": y, "dose": X["smooth"] ** 3})
    with pytest.warns(UserWarning, match="column 'smooth' alone nearly determines"):
        fitted = QPFS(3, measure="rank").fit(X, targets)
    record = selection_record(fitted, X=X)
    assert record["data"]["target"] == "ill, dose"
    assert [one["task"] for one in record["data"]["targets"]] == ["classification", "regression"]
    page = selection_page(record)
    told = "2 targets jointly: “ill” (2 classes) and “dose” (a quantity)"
    assert told in text_of(page, "chosen")
    assert told in text_of(page, "methods")
    assert "in each class of the first target" in text_of(page, "features")


@pytest.mark.parametrize(
    ("selector", "means"),
    [(MRMR(3), "when the feature was selected"), (MaxRel(3, measure="rank"), "the relevance itself")],
    ids=repr,
)
def test_what_a_rule_gives_is_a_score_and_no_weight(mixed, selector, means):
    X, y = mixed
    fitted = selector.fit(X, y)
    page = fitted.report(X).html
    assert means in text_of(page, "weights")
    for section in ("chosen", "features", "weights", "methods"):
        assert "weight" not in text_of(page, section)
    assert ">score<" in fitted._repr_html_()
    assert "with weight" in text_of(QPFS(3).fit(X, y).report(X).html, "solution")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tied": [1] * 28, "counts": [0] * 28}, "at most 0, the number of samples there"),
        ({"counts": [1]}, "a list of 28, the number of bins"),
        ({"edges": [0.0]}, "at least 2"),
        ({"largest": 10**6}, "number of samples there are"),
        ({"labels": "yes"}, "labels"),
    ],
)
def test_a_record_that_was_changed_is_refused(mixed, change, message):
    X, y = mixed
    record = selection_record(QPFS(2, measure="rank").fit(X, y), X=X)
    check_selection(record)
    record["features"][0]["normal_scores"] |= change
    with pytest.raises(RecordError, match=message):
        check_selection(record)
