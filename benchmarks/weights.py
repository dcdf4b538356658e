"""Weights of samples: what 8 and 16 binary digits cost, and what a bootstrap sample gains by them.

Copies are no rival: 16 digits at 72 samples stand for two million rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.rows import Row, duration
from benchmarks.timing import cpu_race
from qpfs import QPFS, ChanceWarning

SHAPES = ((72, 7129, 5), (500, 100_000, 1))  # samples, features, how often


def main() -> Iterator[Row]:
    warnings.simplefilter("ignore", ChanceWarning)
    with threadpool_limits(1):
        for n_samples, n_features, repeats in SHAPES:
            rng = np.random.default_rng(0)
            y = np.arange(n_samples) % 2
            X = rng.normal(size=(n_samples, n_features)) + y[:, None] * (np.arange(n_features) < 50)
            for measure in ("rank", "mi"):
                name = f"{measure}, {n_samples} x {n_features:,}"
                selector = QPFS(20, theta=0.5, measure=measure)
                yield from costs(name, selector, X, y, repeats)
                yield bootstrap(name, selector, X, y, repeats)


def costs(name: str, selector: Any, X: Any, y: Any, repeats: int) -> Iterator[Row]:
    rng = np.random.default_rng(1)
    few, many = (rng.integers(1, 1 << digits, len(y)) for digits in (8, 16))
    plain, by_8, by_16 = cpu_race(
        lambda: selector.fit(X, y),
        lambda: selector.fit(X, y, sample_weight=few),
        lambda: selector.fit(X, y, sample_weight=many),
        repeats=repeats,
    )
    for digits, weighted in ((8, by_8), (16, by_16)):
        what = f"{digits} binary digits, {name}; reference: no weights"
        yield Row(what, duration(weighted), duration(plain), weighted / plain)


def bootstrap(name: str, selector: Any, X: Any, y: Any, repeats: int) -> Row:
    """A bootstrap sample as weights, against its rows drawn and fitted."""
    rows = np.sort(np.random.default_rng(2).integers(0, len(y), len(y)))
    weights = np.bincount(rows, minlength=len(y))
    drawn, weighted = cpu_race(
        lambda: selector.fit(X[rows], y[rows]),
        lambda: selector.fit(X, y, sample_weight=weights),
        repeats=repeats,
    )
    what = f"a bootstrap sample as weights, {name}; reference: rows"
    return Row(what, duration(weighted), duration(drawn), weighted / drawn)
