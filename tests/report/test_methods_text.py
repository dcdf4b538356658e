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


def test_the_target_the_test_and_the_error_are_told():
    data = {"target": "ill", "notes": ["9 of 12 samples have a label; 3 left out: 'a', 'b', 'c'"]}
    nested = {"score": 0.05, "low": 0.02, "high": 0.1, "k": [3, 3]}
    comparison = {
        "qpfs": "1",
        "created": "2030-01-01",
        "data": {"n_samples": 569, "n_features": 31},
        "protocol": {"text": "Tested by 2-fold cross-validation. SVC was trained.", "stability": "Not here."},
        "methods": [{"name": "qpfs", "title": "QPFS", "nested": nested}],
    }
    text = written(QPFS(3), data=data, comparison=comparison)["text"].replace("\N{NO-BREAK SPACE}", " ")
    assert re.search(
        r"The target was ill, with the classes \w+ \(\d+ samples\) and \w+ \(\d+ samples\)\.", text
    )
    assert "9 of 12 samples have a label; 3 left out." in text
    assert re.search(r"q values \[\d+\] were computed from p values of ", text)
    assert "Tested by 2-fold cross-validation. SVC was trained. With 3 features the error was 5.0 % " in text
    assert "(95 % interval 2.0 % to 10.0 %); the tested samples took no part in the selection" in text
    assert "Not here" not in text
