"""Kinds of plain data: what passes, and what is said of what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from qpfs.kinds import (
    COUNT,
    NUMBER,
    PLAIN,
    SHARE,
    TEXT,
    Each,
    Fields,
    Maybe,
    MismatchError,
    Named,
    Row,
    one_of,
    same_as,
    told,
    whole,
)

POINT = Fields({"x": NUMBER, "names?": Each(TEXT, 2), "size": Maybe(COUNT)}, others=SHARE)


def deep(n):
    found: list = []
    for _ in range(n):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (POINT, {"x": 1.5, "size": None}),
        (POINT, {"x": np.float32(1.5), "size": np.int64(3), "names": ("a", "b"), "other": 0.5}),
        (Each(POINT), []),
        (Row((COUNT, TEXT)), [3, "a"]),
        (Named(SHARE), {"a": 0, "b": 1}),
        (PLAIN, {"a": [None, True, "text", 1.5, {"b": 10**300}]}),
        (PLAIN, deep(40)),
        (whole(-3, 3), -3),
        (one_of("a", "b"), "b"),
        (same_as(3), 3),
    ],
)
def test_what_passes(kind, value):
    kind.check(value)


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (POINT, {"size": 3}, "x: expected, but it is missing"),
        (POINT, {"x": 1, "size": -1}, "size: expected a whole number from 0 on, got -1"),
        (POINT, {"x": 1, "size": 1, "names": ["a", 1]}, "names[1]: expected text, got 1"),
        (
            POINT,
            {"x": 1, "size": 1, "names": list("abc")},
            "names: expected a list of at most 2, got a list of 3",
        ),
        (POINT, {"x": 1, "size": 1, "z": 2}, "z: expected a number from 0 to 1, got 2"),
        (POINT, [1], "expected an object with fields, got a list of 1"),
        (Each(Each(COUNT)), [[1], [2, 0.5]], "[1][1]: expected a whole number from 0 on, got 0.5"),
        (Each(POINT), [{"x": None, "size": 1}], "[0].x: expected a finite number, got null"),
        (Row((COUNT, TEXT)), [3], "expected a list of 2, got a list of 1"),
        (NUMBER, math.nan, "expected a finite number, got nan"),
        (NUMBER, 10**4000, "expected a finite number, got a whole number of 13,288 bits"),
        (NUMBER, True, "expected a finite number, got true"),
        (COUNT, False, "expected a whole number from 0 on, got false"),
        (TEXT, {"a": 1}, "expected text, got an object of 1"),
        (COUNT, "x" * 100, f'expected a whole number from 0 on, got "{"x" * 40}..."'),
        (PLAIN, {"a": [math.inf]}, "a[0]: expected a finite number, got inf"),
        (same_as(3), 3.0, "expected 3, got 3.0"),
        (one_of("a", "b"), ["a"], "expected one of a, b, got a list of 1"),
    ],
)
def test_what_does_not_is_named_with_its_place(kind, value, words):
    with pytest.raises(MismatchError) as wrong:
        kind.check(value)
    assert str(wrong.value) == words


def test_what_is_too_deep_is_refused_and_not_followed():
    with pytest.raises(MismatchError, match="at most 50 deep, got deeper ones"):
        PLAIN.check(deep(100_000))


@pytest.mark.parametrize("value", [1, 0, 1.0, None, True, "\x1b", -(10**30), [[]], object()])
def test_anything_is_told_in_one_line(value):
    assert told(value).isprintable()
