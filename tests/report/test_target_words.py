"""How the target was taken is said with the answer, and what it means if most of it is one value."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs import EqualFrequency, MaxRel
from qpfs.report import selection_page, selection_record

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))


def taken(y, **given):
    record = selection_record(MaxRel(2, **given).fit(X, y))
    page = selection_page(record).replace("\n", " ")
    assert all(sentence.split(":")[0] in page for sentence in record["data"]["taken"])
    return record["data"]["taken"]


def test_classes_and_their_samples():
    y = np.repeat(["ALL", "AML", "none"], [90, 60, 50])
    assert taken(y) == ["The target has 3 classes: ALL (90), AML (60) and none (50)."]


def test_most_samples_in_one_class():
    y = np.where(np.arange(200) < 188, "no", "yes")
    assert taken(y) == [
        "The target has 2 classes: no (188) and yes (12).",
        "94 % of the samples are in class no: the results depend on the 12 others, and always predicting "
        "that class would be right as often.",
    ]


def test_many_classes_are_put_together():
    (sentence,) = taken(np.array([f"c{i % 20:02}" for i in range(200)]))
    assert sentence.startswith("The target has 20 classes: c00 (10), ")
    assert sentence.endswith(" and 9 smaller classes (90).")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("rank", "The target is a quantity, used by the normal scores of its ranks and not discretised."),
        ("correlation", "The target is a quantity, used unchanged and not discretised."),
    ],
)
def test_a_quantity_that_is_not_cut(measure, said):
    assert taken(rng.normal(size=200), measure=measure) == [said]


def test_a_quantity_that_is_cut():
    (sentence,) = taken(np.arange(200) + 0.5, measure="mi")
    assert sentence == (
        "The target is a quantity, discretised into 5 groups: 0.5 to 39.5 (40), 40.5 to 79.5 (40), 80.5 to "
        "119.5 (40), 120.5 to 159.5 (40) and 160.5 to 199.5 (40)."
    )


LOSS = np.where(np.arange(200) < 188, 0.0, 5.5 + np.arange(200))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measure": "rank"}, "whether a sample has it, and to the ranks of the 12 others."),
        (
            {"measure": "mi"},
            "which is a group of its own; the 12 others are divided among the remaining groups.",
        ),
        ({"measure": "correlation"}, "from the 12 others; how large those are counts for little."),
        (
            {"measure": "mi", "target_discretizer": EqualFrequency(2)},
            "from the 12 others; how large those are counts for nothing.",
        ),
    ],
)
def test_most_samples_at_one_value(given, said):
    first, second = taken(LOSS, **given)
    assert ("0 to 0 (188)" in first) == (given["measure"] == "mi")
    assert second.startswith("94 % of the samples have the value 0")
    assert second.endswith(said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "used jointly: relevance is what a feature shares with all of them together."),
        ({"measure": "mi"}, "and relevance is the mean over them."),
        ({"target_weights": [2, 1]}, "and relevance is the mean over them, weighted: 0 2 and 1 1."),
    ],
)
def test_several_targets(given, said):
    y = np.stack([np.arange(200) % 2, rng.integers(0, 3, 200)], axis=1)
    first = "Classes, pictures and effects are those of the first, 0."
    assert taken(y, **given) == [f"There are 2 targets, {said} {first}"]


def test_what_became_of_one_of_several_targets():
    y = np.stack([np.arange(200) % 2, LOSS], axis=1)
    assert taken(y)[1].startswith("1: 94 % of the samples have the value 0: relevance is to whether")
