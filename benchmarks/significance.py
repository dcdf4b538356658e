"""p and q values: what they cost, whether chance is told as chance, and what they find beside the F test.

Calibration: tables of one independent feature; a Kolmogorov-Smirnov test of their p values where these are
continuous, else how often p is at most 0.05. Planted: 200 features of 60 samples, 20 of them shifted in one
of two classes; what share of the discoveries is false, and what share of the 20 is found.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import kstest
from sklearn.feature_selection import SelectFdr, f_classif
from threadpoolctl import threadpool_limits

from benchmarks.datasets import cases
from benchmarks.rows import Row, duration, limited
from benchmarks.timing import race, seconds
from qpfs import QPFS, ChanceWarning, MaxRel
from qpfs.information import Shuffles, Significance, significance

MEASURES = ("rank", "mi", "chi2", "correlation")
TABLES = 200
PLANTED, FEATURES, SAMPLES, REPEATS = 20, 200, 60, 100
SHARE = 0.1  # of a fit that p and q may take
LONGEST = 2.0  # seconds for 1,000 permutations
NOISE = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.lognormal(size=shape),
    "heavy-tailed": lambda rng, shape: rng.standard_t(2, size=shape),
}


def main() -> Iterator[Row]:
    warnings.simplefilter("ignore", ChanceWarning)
    with threadpool_limits(1):
        for name, data in cases(72, 7129, "leukemia").items():
            yield from costs(name, *data)
    for measure in MEASURES:
        for n_samples in (20, 60, 500):
            yield from calibration(measure, n_samples)
    for noise in NOISE:
        for fdr in (0.05, 0.2):
            yield planted(noise, fdr)


def costs(name: str, X: Any, y: Any) -> list[Row]:
    fitted = QPFS(20).fit(X, y)
    table, target, relevance = fitted.fitted_.table, fitted.fitted_.target, fitted.relevance_

    def tested(n_permutations: int = 0) -> Significance:
        return significance(table, relevance, Shuffles(target), n_permutations)

    whole, part = race(lambda: QPFS(20).fit(X, y), tested, repeats=15)
    shuffled = min(seconds(lambda: tested(1_000)) for _ in range(3))
    return [
        limited(
            f"p and q, {name}; reference: QPFS(20)", part / whole, SHARE, duration(part), duration(whole)
        ),
        limited(
            f"seconds of 1,000 permutations of the maximum, {name}", shuffled, LONGEST, duration(shuffled)
        ),
    ]


def calibration(measure: str, n_samples: int) -> list[Row]:
    found = []
    for kind in ("numbers", "ties", "two values", "many classes"):
        p = np.array([p_of_chance(measure, kind, n_samples, seed) for seed in range(TABLES)])
        small = f"{(p <= 0.05).mean():.3f} at most 0.05"
        what = f"{TABLES} tables of chance, {measure}, {kind}, N = {n_samples}: p of Kolmogorov-Smirnov"
        found.append(Row(what, f"{kstest(p, 'uniform').pvalue:.2g}", small))
    return found


def p_of_chance(measure: str, kind: str, n_samples: int, seed: int) -> float:
    """The p value of a feature that says nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_samples, 1))
    x = {"ties": np.round(x), "two values": (x > 0.5) * 1.0}.get(kind, x)
    y = rng.permutation(np.arange(n_samples) % (5 if kind == "many classes" else 2))
    if (x == x[0]).all():
        return float(rng.random())
    return float(MaxRel(measure=measure).fit(x, y).pvalues_[0])


def planted(noise: str, fdr: float) -> Row:
    ours = np.array([discoveries(noise, seed, MaxRel(fdr=fdr)) for seed in range(REPEATS)])
    theirs = np.array([discoveries(noise, seed, SelectFdr(f_classif, alpha=fdr)) for seed in range(REPEATS)])
    error = ours[:, 0].std() / np.sqrt(REPEATS)
    rate = f"{ours[:, 0].mean():.3f} +- {error:.3f}"
    what = f"{noise}, fdr {fdr:g}: false share ({rate}), found; reference: F test"
    shown = f"{ours[:, 1].mean():.2f} found"
    reference = f"{theirs[:, 1].mean():.2f} found, {theirs[:, 0].mean():.3f} false"
    return limited(what, float(ours[:, 0].mean() - error), fdr, shown, reference)


def discoveries(noise: str, seed: int, selector: Any) -> tuple[float, float]:
    """The false share of what is discovered, and the share of what was planted that is."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(SAMPLES) % 2)
    X = NOISE[noise](rng, (SAMPLES, FEATURES)) + 1.2 * y[:, None] * (np.arange(FEATURES) < PLANTED)
    found = np.flatnonzero(selector.fit(X, y).get_support())
    false = float((found >= PLANTED).mean()) if len(found) else 0.0
    return false, float((found < PLANTED).sum() / PLANTED)
