"""What is said of a stability: no more than the numbers carry, and what to do about it."""

from __future__ import annotations

import pytest

from qpfs.report.stability_text import (
    absence_words,
    absences,
    bars_caption,
    folds_words,
    halves_words,
    reading_words,
    stability_words,
)

HALVES = {"n": 20, "index": 0.3, "low": -0.011, "high": 0.6, "resample": "20 stratified random halves"}
SIX = {
    "n": 6,
    "n_asked": 200,
    "n_different": 6,
    "index": 0.5,
    "low": None,
    "high": None,
    "resample": "6 halves",
}


def record(stability, features=(), n_selected=4):
    return {"stability": stability, "features": list(features), "n_selected": n_selected}


def words(stability, *features, **facts):
    return " ".join(stability_words(record(stability, features, **facts)))


def near(name, share=0.6, distance=0.12, **facts):
    return {"feature": name, "index": 1, "frequency": share, "distance": distance, "near": True, **facts}


def feature(name, frequency, instead=()):
    return {"feature": name, "frequency": frequency, "instead": list(instead)}


def over(index, text="those of the method"):
    return {"index": index, "low": None, "high": None, "n": 9, "text": text}


def test_the_index_has_a_true_minus():
    start = (
        "Stability over 20 stratified random halves: 0.30 (95 % interval for more such draws −0.01 to 0.60)"
    )
    assert words(HALVES).startswith(start)
    assert words({**HALVES, "low": -0.001}).count("−") == 0


@pytest.mark.parametrize(
    ("index", "means"),
    [(0.39, "poor"), (0.4, "intermediate to good"), (0.74, "intermediate to good"), (0.75, "excellent")],
)
def test_how_an_index_is_read(index, means):
    assert f"commonly called {means}." in words({**HALVES, "index": index, "high": 0.9})


def test_few_resamples_are_said_to_be_few():
    said = words(SIX)
    assert "200 resamples were requested, but only 6 different ones exist: each was used once." in said
    assert "6 are too few for an interval." in said
    assert "interval for" not in said
    assert "requested" not in words(HALVES)
    assert "too few" not in words(HALVES)


def test_an_interval_is_about_the_same_samples():
    assert "the interval does not cover other samples" in reading_words(HALVES)
    assert "interval" not in reading_words(SIX)


def test_what_cannot_be_computed_or_was_not_measured():
    assert "cannot be computed" in words({**SIX, "index": None})
    assert "was not measured" in words(None)


def test_fixed_levels_are_said():
    assert "Levels are those of all samples" not in words(HALVES)
    assert "Levels are those of all samples" in words({**HALVES, "fixed_levels": True})


@pytest.mark.parametrize(
    ("index", "clusters", "said"),
    [
        (0.3, 0.8, "the features change, the clusters stay the same"),
        (0.1, 0.3, "the features change, the clusters change less"),
        (0.3, 0.35, "the clusters change with the features"),
        (0.8, 0.82, "they agree as well"),
    ],
)
def test_clusters_stand_beside_features(index, clusters, said):
    text = words({**HALVES, "index": index, "low": None, "high": None, "clusters": over(clusters)})
    assert f"(those of the method) it is {clusters:.2f}: {said}." in text


def test_a_poor_index_comes_with_advice_from_the_facts():
    poor = {**HALVES, "n_often": 2}
    assert "Only 2 features are selected in half of the draws or more: select 2" in words(poor)
    assert "more groups are needed" in words({**poor, "n_often": 0, "units": "groups"})
    assert "Measure more samples before" in words({**poor, "n_often": 4})
    assert "Fewer features, or more samples" in words(HALVES)
    taken = feature("a", 0.1, [near("b")])
    assert "“a” is selected less often than “b”, which is near it: treat them as interchangeable." in words(
        poor, taken
    )
    far, also = feature("a", 0.1, [near("b", near=False)]), feature("a", 0.1, [near("b", selected=True)])
    assert "interchangeable" not in words(poor, far, also)
    assert "Report the clusters" in words({**poor, "clusters": over(0.7)}, taken)
    good = words({**poor, "index": 0.5, "clusters": over(0.7)}, taken)
    assert "interchangeable" not in good
    assert "Only 2" not in good


NEVER = "never selected in other draws of samples"
TAKEN = "; its place was taken by “b” (60 %, distance 0.12) and “c” (20 %, distance 0.30)"
FAR = ", nor was any feature near it; the nearest that was selected is “b” (60 %, distance 0.70)"


@pytest.mark.parametrize(
    ("frequency", "instead", "said"),
    [
        (0.2, [near("b")], None),
        (None, [], None),
        (0, [], ""),
        (0, [near("b"), near("c", 0.2, 0.3), near("d")], TAKEN),
        (0, [near("b", selected=True)], "; near it is “b” (60 %, distance 0.12), also selected"),
        (0, [near("b", 0.6, 0.7, near=False)], FAR),
    ],
)
def test_a_chosen_feature_at_zero_is_explained(frequency, instead, said):
    one = feature("a", frequency, instead)
    expected = "" if said is None else f"{NEVER}{said}"
    assert absence_words(one).replace("\xa0", " ") == expected
    assert len(absences(record(HALVES, [one]))) == bool(expected)


def test_two_stabilities_say_which_is_which():
    assert halves_words({**HALVES, "overlap": 0.4}).startswith(
        "Two of these draws share 40\xa0% of their samples"
    )
    assert halves_words(HALVES) == ""
    assert "share 75\xa0% of their samples" in folds_words(0.75)
    assert "share less (50\xa0%), so their stability is usually lower" in folds_words(0.75)
    assert "share more (50\xa0%), so their stability is usually higher" in folds_words(0.4)
    for equal in (0.5, 0.499):  # three folds
        assert folds_words(equal).endswith("two of which share 50\xa0% of their samples.")
    for said in (halves_words({**HALVES, "overlap": 0.5}), folds_words(0.75)):
        assert "do not compare the two figures" in said


def test_the_bars_say_what_they_leave_out():
    often = [{"feature": "a", "share": 0.5, "rank": 1}, {"feature": "b", "share": 0.5, "rank": None}]
    shown = record({**HALVES, "often": often}, n_selected=1)
    assert (
        bars_caption(shown)
        == "The 2 features shown are those selected on all samples and the most frequent others."
    )
    assert "without 3 further selected ones" in bars_caption({**shown, "n_selected": 4})


def test_draws_that_select_nothing_are_counted():
    one = {"feature": "a", "frequency": 0.0}
    some = record({**HALVES, "n": 20, "n_empty": 12}, [one])
    some["method"] = {"parameters": {"fdr": 0.05}}
    said = "n 12 of 20 draws no feature had a q value of at most 0.05. Repeat without"
    assert any(line.startswith(f"I{said}") for line in stability_words(some))
    assert len(absences(some)) == 1
    some["stability"] |= {"index": None, "n_empty": 20}
    assert f"cannot be computed: i{said.replace('12', '20')}" in stability_words(some)[0]
    assert absences(some) == []  # nothing was selected in its place
