"""What the publication proves about its methods, beside what they do.

Letters. M features, N samples, k clusters or parts, L levels, R the radius of all features, tau the radius at
which a cluster is final.

It counts 2Mk - 2k^2 + 2M distances for k-means of features and L(2Mk - k^2 + 2M) for the interleaved methods;
the sum over a level's clusters is 2Mk + 2M at most, the rest of its formula holds for one cluster only. It
expects N log_k(R / tau) levels, by an argument about volumes that this distance does not have.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from reproduction.methods import COMPARED, Parameters


def theory(method: str, parameters: Parameters, X: FloatArray, y: AnyArray) -> dict[str, Any]:
    """Counts and bounds of a fit."""
    fitted = COMPARED[method].made(parameters, X.shape[1]).fit(X, y)
    levels = fitted.rounds_.levels
    n_varying = len(levels[0].clusters.labels)
    k = max(most_parts(levels), 2)
    radius = whole_radius(X, y)
    tau = float(fitted.radius_)
    first = levels[0]
    return {
        "n_features": n_varying,
        "n_samples": len(y),
        "k": k,
        "levels": len(levels),
        "distances": int(fitted.n_distances_),
        "published_bound": len(levels) * (2 * n_varying * k - k**2 + 2 * n_varying),
        "bound": len(levels) * (2 * n_varying * k + 2 * n_varying),
        "pairs": n_varying * (n_varying - 1) // 2,
        "R": radius,
        "tau": tau,
        "levels_expected": levels_expected(len(y), k, radius, tau),
        "widest": float(fitted.radii_.max()),
        "n_final": len(fitted.representatives_),
        "without_weight": share_without_weight(first.weights),
    }


def most_parts(levels: Any) -> int:
    """The most clusters that anything was split into."""
    return int(max(np.diff(level.clusters.bounds).max() for level in levels))


def whole_radius(X: FloatArray, y: AnyArray) -> float:
    """R: how far the farthest feature is from the one that stands for all."""
    fitted = COMPARED["ikm"].made({"radius": 1.0, "n_first": 1, "max_depth": 1}, X.shape[1]).fit(X, y)
    return float(fitted.rounds_.levels[0].clusters.radii[0])


def levels_expected(n_samples: int, k: int, radius: float, tau: float) -> float:
    """N log_k(R / tau); 0 where all features are near enough from the start."""
    return max(0.0, n_samples * math.log(radius / tau) / math.log(k))


def share_without_weight(weights: FloatArray) -> float | None:
    """The share of first representatives that the program gives no weight; None where it was not asked."""
    return None if np.isnan(weights).any() else float((weights == 0).mean())
