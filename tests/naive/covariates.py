"""What is left of what two columns share, given covariates, straight from the definition."""

from __future__ import annotations

import numpy as np
from tests.naive import information as naive


def indicators(labels):
    """A column for each category."""
    return np.array([[float(label == one) for label in labels] for one in sorted(set(labels))]).T


def scores(column, labels=False):
    """The columns that stand for a feature: normal scores, or indicators of categories."""
    return indicators(column) if labels else np.array([naive.normal_scores(list(column))]).T


def orthonormal(columns):
    """An orthonormal basis of what columns span."""
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, sizes > 1e-7 * sizes.max()]


def residuals(columns, covariates):
    """What is left of columns that are regressed on the constant and some covariates."""
    design = np.column_stack([np.ones(len(columns)), *covariates])
    return columns - design @ np.linalg.lstsq(design, columns, rcond=None)[0]


def partial(f, g, covariates):
    """The sum of squared canonical correlations of what is left of two sets of columns."""
    u, v = (orthonormal(residuals(columns, covariates)) for columns in (f, g))
    return float(((u.T @ v) ** 2).sum())


def in_strata(shared, f, g, strata):
    """The mean over strata, by their samples, of what two columns share within each."""
    total = 0.0
    for one in sorted(set(strata)):
        rows = [i for i, stratum in enumerate(strata) if stratum == one]
        total += len(rows) / len(strata) * shared([f[i] for i in rows], [g[i] for i in rows])
    return total
