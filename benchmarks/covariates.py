"""Adjusting for covariates: what it finds in a study with a batch effect, and what it costs.

The study: 120 samples in four batches, of two classes whose shares differ between batches (confounded), and
1,000 features, half of them shifted by the batch. 10 are markers of the class, shifted, too; 100 say nothing
but the batch. Counted: markers among the first 10 features of MaxRel, with and without adjusting, beside
residuals of a linear regression on the batch and the F test, over 20 seeds. Cost: a fit with three covariates
(three categories, two, a number) against a plain one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif
from threadpoolctl import threadpool_limits

from benchmarks.rows import Row, duration, limited
from benchmarks.timing import cpu_race
from qpfs import QPFS, MaxRel

SEEDS, SAMPLES, FEATURES, MARKERS, BATCHES = 20, 120, 1_000, 10, 4
REFLECTING = 100  # features that say nothing but the batch
LIMITS = {"rank": 3.0, "mi": 6.0}  # a fit with three covariates, in plain fits


def main() -> Iterator[Row]:
    warnings.simplefilter("ignore", UserWarning)
    yield from found_markers()
    with threadpool_limits(1):
        for n_samples, n_features, repeats in ((72, 7_129, 5), (500, 100_000, 1)):
            for measure in LIMITS:
                yield cost(measure, n_samples, n_features, repeats)


def study(seed: int) -> tuple[Any, Any, Any]:
    """Features, classes and batches of one study."""
    rng = np.random.default_rng(seed)
    batch = rng.integers(0, BATCHES, SAMPLES)
    y = (rng.random(SAMPLES) < 0.2 + 0.6 * batch / (BATCHES - 1)).astype(int)
    X = rng.normal(size=(SAMPLES, FEATURES))
    shifted = (np.arange(FEATURES) % 2 == 0) | (np.arange(FEATURES) < MARKERS + REFLECTING)
    shift = rng.normal(scale=1.5, size=(BATCHES, FEATURES)) * shifted
    X += shift[batch]
    X[:, MARKERS : MARKERS + REFLECTING] = shift[batch][:, MARKERS : MARKERS + REFLECTING] + 0.3 * rng.normal(
        size=(SAMPLES, REFLECTING)
    )
    X[:, :MARKERS] += 1.2 * y[:, None]
    return X, y, batch


def found_markers() -> Iterator[Row]:
    found: dict[str, list[int]] = {}
    for seed in range(SEEDS):
        X, y, batch = study(seed)
        regressed = residuals(X, batch)
        orders = {
            "residuals and F test": np.argsort(-f_classif(regressed, y)[0]),
            "F test": np.argsort(-f_classif(X, y)[0]),
        }
        for measure in ("rank", "mi"):
            orders[f"{measure}, adjusted"] = (
                MaxRel(measure=measure).fit(X, y, covariates=batch.astype(str)).order_
            )
            orders[measure] = MaxRel(measure=measure).fit(X, y).order_
        for name, order in orders.items():
            found.setdefault(name, []).append(int((order[:MARKERS] < MARKERS).sum()))
    reference = np.array(found["residuals and F test"])
    for name, counts in found.items():
        shown = f"{np.mean(counts):.1f} (least {min(counts)})"
        what = f"{MARKERS} markers among the first {MARKERS}, {SEEDS} studies, {name}; reference: residuals"
        yield Row(what, shown, f"{reference.mean():.1f} (least {reference.min()})")


def residuals(X: Any, batch: Any) -> Any:
    """What a linear regression on the batch leaves of each feature."""
    means = np.stack([X[batch == one].mean(axis=0) for one in range(BATCHES)])
    return X - means[batch]


def cost(measure: str, n_samples: int, n_features: int, repeats: int) -> Row:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_samples, n_features)), rng.integers(0, 2, n_samples)
    covariates = {
        "batch": rng.integers(0, 3, n_samples),
        "sex": rng.integers(0, 2, n_samples),
        "age": rng.normal(size=n_samples),
    }
    plain, adjusted = cpu_race(
        lambda: QPFS(20, measure=measure).fit(X, y),
        lambda: QPFS(20, measure=measure).fit(X, y, covariates=covariates),
        repeats=repeats,
    )
    what = f"three covariates, {measure}, {n_samples} x {n_features:,}; reference: none"
    return limited(what, adjusted / plain, LIMITS[measure], duration(adjusted), duration(plain))
