"""The methods paragraph: true of what was done, with the references it cites."""

from __future__ import annotations

import re

import pytest
from tests.report.selections import SELECTORS, fitted_to_wdbc, named

from qpfs import IKMQPFS, MRMR, QPFS, EqualWidth
from qpfs.report import selection_record
from qpfs.report.page import methods_text


def written(selector, **facts):
    return methods_text(selection_record(fitted_to_wdbc(selector), **facts))


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_every_reference_is_cited_in_order(selector):
    found = written(selector)
    cited = [int(n) for n in re.findall(r"\[(\d+)\]", found["text"])]
    assert sorted(set(cited)) == list(range(1, len(found["references"]) + 1))
    first = [cited.index(n) for n in sorted(set(cited))]
    assert first == sorted(first)
    assert "None" not in found["text"]
    assert "  " not in found["text"]
    assert "31 candidate features measured in 569 samples" in found["text"]


def test_methods_are_told_apart():
    texts = {named(selector): written(selector)["text"] for selector in SELECTORS}
    assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (QPFS(theta=0.25), "θ = 0.250, as chosen beforehand"),
        (QPFS(), "at which relevance and redundancy count the same on average"),
        (QPFS(measure="correlation"), "measured by absolute Pearson correlation"),
        (QPFS(discretizer=EqualWidth(4)), "4 intervals of equal width"),
        (MRMR(3, scheme="quotient"), "in its quotient form"),
        (IKMQPFS(radius=0.6, n_first=4), "starting from 4 clusters; a cluster of radius above 0.6"),
        (QPFS(3), "The best 3 features were selected."),
    ],
)
def test_parameters_are_told(selector, words):
    assert words in written(selector)["text"]


def test_correlation_needs_no_levels():
    assert "cut" not in written(QPFS(measure="correlation"))["text"]


def test_stability_is_told_with_its_reference():
    found = written(
        MRMR(3),
        stability={
            "n": 30,
            "index": 0.5,
            "low": 0.4,
            "high": 0.6,
            "resample": "30 stratified random halves of the samples",
        },
    )
    assert "Over 30 stratified random halves of the samples the stability" in found["text"]
    assert any("Nogueira" in one for one in found["references"])
    assert not any("Nogueira" in one for one in written(MRMR(3))["references"])


def test_stability_that_cannot_be_told():
    found = written(MRMR(3), stability={"n": 3, "index": None, "low": None, "high": None})
    assert "stability" not in found["text"]


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_no_more_is_claimed_than_is_certified(selector):
    fitted = fitted_to_wdbc(selector)
    words = " ".join(fitted.account().certainty)
    assert ("Proved optimal" in words) == (getattr(fitted, "status_", None) == "optimal")
    assert ("Stationary" in words) == (getattr(fitted, "status_", None) == "stationary")
