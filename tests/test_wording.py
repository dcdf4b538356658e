"""Numbers as they are read."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs.report.pictures.axes import nice_ticks
from qpfs.wording import all_of, bytes_words, counted, fixed, json_value, listed, short, some_of, table_words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.012345, "0.01235"),
        (1234.5, "1,234"),
        (12.3456, "12.35"),
        (-0.5, "−0.5"),
        (100.0, "100"),
        (123456.0, "123,456"),
        (3.2e-9, "3.2e−9"),
        (-1.5e20, "−1.5e20"),
        (None, "–"),
        (0.99999, "1"),
    ],
)
def test_short(value, text):
    assert short(value) == text


def test_short_numbers_are_near():
    rng = np.random.default_rng(0)
    for value in rng.normal(size=500) * 10.0 ** rng.integers(-8, 9, 500):
        assert float(short(value).replace("−", "-").replace(",", "")) == pytest.approx(value, rel=1e-2)


def test_fixed():
    assert [fixed(value) for value in (0, 0.5, 1e-6, -0.25, None)] == [
        "0",
        "0.5000",
        "<0.0001",
        "−0.2500",
        "–",
    ]


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (1540, "1.5 kB"),
        (20_400_000, "20 MB"),
        (10**9, "1 GB"),
        (23 * 10**11, "2,300 GB"),
    ],
)
def test_sizes_of_files(n, text):
    assert bytes_words(n) == text


def test_words():
    assert [counted(n, "feature") for n in (0, 1, 1000)] == ["0 features", "1 feature", "1,000 features"]
    has = [some_of(n, of, "feature", "has", "have") for n, of in ((1, 1), (1, 2000), (0, 2), (2, 2))]
    assert has == [
        "1 of 1 feature has",
        "1 of 2,000 features has",
        "0 of 2 features have",
        "2 of 2 features have",
    ]
    assert [all_of(n, "feature", "is", "are") for n in (1, 2)] == [
        "The only feature is",
        "All 2 features are",
    ]
    assert table_words(1000, 1) == "1,000 samples of 1 feature"
    assert [listed(some) for some in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_plain_is_what_json_has():
    value = {"a": np.float64("nan"), "b": (np.int64(1), [np.bool_(True)]), 3: object, "c": np.inf}
    found = json_value(value)
    assert (found["a"], found["b"], found["c"]) == (None, [1, [True]], None)
    assert isinstance(found["3"], str)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3.7, 12), (1e-9, 3e-9), (5, 5), (0, 1e300), (0, float("inf"))]
)
def test_ticks_lie_within(low, high):
    ticks = nice_ticks(low, high)
    assert 1 <= len(ticks) <= 12
    assert all(low * (1 - 1e-9) <= tick <= high * (1 + 1e-9) or low < 0 for tick in ticks)
