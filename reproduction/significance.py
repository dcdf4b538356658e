"""Whether methods differ over several data sets, beyond what chance would make them (Demsar, JMLR 7, 2006).

Letters. N the number of data sets, k of methods, R the mean rank of each method, 1 for the lowest error and
the mean of the ranks where errors are equal. Everything is a function of a table of errors, a row for each
data set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from qpfs.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Friedman:
    """Whether any of several methods differs from the others.

    `statistic` and `p` are Friedman's chi-square, corrected for equal errors, and its p-value; `f_p` is that
    of the less conservative statistic that Iman and Davenport made of it.
    """

    ranks: FloatArray
    statistic: float
    p: float
    f_p: float
    n: int


def friedman(errors: Any) -> Friedman:
    """Friedman's test over a table of errors; at least two sets and two methods.

    Examples
    --------
    >>> found = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> found.ranks, round(found.statistic, 3)
    (array([1.25, 2.  , 2.75]), 4.5)
    """
    E = table(errors)
    N, k = E.shape
    each = stats.rankdata(E, axis=1)
    R = each.mean(axis=0)
    spread = ((each - (k + 1) / 2) ** 2).sum() / (N * (k - 1))  # k (k + 1) / 12 where no errors are equal
    statistic = float(N * ((R - (k + 1) / 2) ** 2).sum() / spread) if spread > 0 else 0.0
    rest = N * (k - 1) - statistic
    f_statistic = (N - 1) * statistic / rest if rest > 0 else math.inf
    f_p = stats.f.sf(f_statistic, k - 1, (k - 1) * (N - 1))
    return Friedman(R, statistic, float(stats.chi2.sf(statistic, k - 1)), float(f_p), N)


def critical_difference(n_datasets: int, n_methods: int, *, level: float = 0.95) -> float:
    """The difference of mean ranks beyond which two methods differ by Nemenyi's test.

    Examples
    --------
    >>> round(critical_difference(14, 4), 2)
    1.25
    """
    q = float(stats.studentized_range.ppf(level, n_methods, np.inf)) / math.sqrt(2)
    return q * rank_error(n_datasets, n_methods)


def ranks_p(errors: Any, reference: int) -> FloatArray:
    """For every method its p-value against one of them: by mean ranks, after Friedman's test."""
    found = friedman(errors)
    z = (found.ranks - found.ranks[reference]) / rank_error(found.n, len(found.ranks))
    return 2 * stats.norm.sf(np.abs(z))


def signed_rank_p(differences: FloatArray) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test; equal errors count half for each."""
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def holm(p: Any) -> FloatArray:
    """p-values corrected by Holm's step-down method, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def table(errors: Any) -> FloatArray:
    """Errors that a test can be made of."""
    E = np.asarray(errors, np.float64)
    if E.ndim != 2 or min(E.shape) < 2 or not np.isfinite(E).all():
        raise ValueError(
            f"errors has the shape {E.shape}; expected (n_datasets, n_methods), at least 2 of each, and "
            "numbers without NaN: leave out the data sets that not every method ran on."
        )
    return E


def rank_error(N: int, k: int) -> float:
    """The standard error of the difference of two mean ranks."""
    return math.sqrt(k * (k + 1) / (6 * N))
