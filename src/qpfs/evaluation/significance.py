"""Whether methods differ over several data sets, beyond what chance would make them.

Letters. N the number of data sets, k of methods, R the mean rank of each method, 1 for the lowest error and
the mean of the ranks where errors are equal. Everything is a function of a table of errors, a row for each
data set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from qpfs.arrays import FloatArray
from qpfs.evaluation.agreement import check_level


@dataclass(frozen=True, eq=False)
class Friedman:
    """Whether any of several methods differs from the others.

    Attributes
    ----------
    names : tuple of str
        The methods.
    ranks : array of shape (n_methods,)
        The mean rank of each: 1 if it always has the lowest error.
    statistic, p : float
        Friedman's chi-square, corrected for equal errors, and its p-value.
    f_statistic, f_p : float
        The statistic of Iman and Davenport made of it, less conservative, and its p-value.
    n : int
        The number of data sets.
    """

    names: tuple[str, ...]
    ranks: FloatArray
    statistic: float
    p: float
    f_statistic: float
    f_p: float
    n: int


@dataclass(frozen=True)
class Pair:
    """Two methods compared.

    Attributes
    ----------
    first, second : str
        The methods.
    difference : float
        What the first has more of: mean rank, or for Wilcoxon's test median error.
    p : float
        The p-value of this pair by itself.
    adjusted : float
        The p-value corrected for all pairs that were compared.
    """

    first: str
    second: str
    difference: float
    p: float
    adjusted: float


def friedman(errors: Any, names: Sequence[str] | None = None) -> Friedman:
    """Friedman's test whether any of several methods differs from the others over data sets.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)
        The error of each method on each data set; lower is better.
    names : sequence of str or None, default=None
        The methods.

    Returns
    -------
    friedman : Friedman
        Mean ranks, statistics and p-values.

    References
    ----------
    .. [1] J. Demsar. Statistical comparisons of classifiers over multiple data sets. Journal of Machine
           Learning Research 7:1-30, 2006.

    Examples
    --------
    >>> from qpfs.evaluation import friedman
    >>> found = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]], ["a", "b", "c"])
    >>> found.ranks, round(found.statistic, 3)
    (array([1.25, 2.  , 2.75]), 4.5)
    """
    E, names = table(errors, names)
    N, k = E.shape
    each = stats.rankdata(E, axis=1)
    R = each.mean(axis=0)
    spread = ((each - (k + 1) / 2) ** 2).sum() / (N * (k - 1))  # k (k + 1) / 12 where no errors are equal
    statistic = float(N * ((R - (k + 1) / 2) ** 2).sum() / spread) if spread > 0 else 0.0
    rest = N * (k - 1) - statistic
    f_statistic = (N - 1) * statistic / rest if rest > 0 else math.inf
    return Friedman(
        names,
        R,
        statistic,
        float(stats.chi2.sf(statistic, k - 1)),
        f_statistic,
        float(stats.f.sf(f_statistic, k - 1, (k - 1) * (N - 1))),
        N,
    )


def nemenyi(errors: Any, names: Sequence[str] | None = None) -> list[Pair]:
    """Nemenyi's test of all pairs of methods, after Friedman's.

    Parameters
    ----------
    errors, names
        As for :func:`friedman`.

    Returns
    -------
    pairs : list of Pair
        `p` is that of the normal distribution for the pair by itself, `adjusted` that of the studentised
        range for all.

    Examples
    --------
    >>> from qpfs.evaluation import nemenyi
    >>> pairs = nemenyi([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]], ["a", "b", "c"])
    >>> [(pair.first, pair.second, round(pair.adjusted, 3)) for pair in pairs]
    [('a', 'b', 0.539), ('a', 'c', 0.086), ('b', 'c', 0.539)]
    """
    names, k, pairs, differences, z = rank_differences(errors, names, None)
    adjusted = stats.studentized_range.sf(np.abs(z) * math.sqrt(2), k, np.inf)
    return listed(names, pairs, differences, 2 * stats.norm.sf(np.abs(z)), np.minimum(adjusted, 1.0))


def critical_difference(n_datasets: int, n_methods: int, *, level: float = 0.95) -> float:
    """The difference of mean ranks beyond which two methods differ by Nemenyi's test.

    Parameters
    ----------
    n_datasets, n_methods : int
        The size of the comparison.
    level : float, default=0.95
        How sure to be.

    Returns
    -------
    difference : float
        In ranks.

    Examples
    --------
    >>> from qpfs.evaluation import critical_difference
    >>> round(critical_difference(14, 4), 2)
    1.25
    """
    check_level(level)
    q = float(stats.studentized_range.ppf(level, n_methods, np.inf)) / math.sqrt(2)
    return q * rank_error(n_datasets, n_methods)


def holm(errors: Any, names: Sequence[str] | None = None, *, reference: str | None = None) -> list[Pair]:
    """Pairs of methods by their mean ranks, after Friedman's test, with Holm's correction.

    Parameters
    ----------
    errors, names
        As for :func:`friedman`.
    reference : str or None, default=None
        The method that the others are compared with; None compares all pairs.

    Returns
    -------
    pairs : list of Pair
        `p` is that of the normal distribution, `adjusted` is corrected for all pairs.

    Examples
    --------
    >>> from qpfs.evaluation import holm
    >>> pairs = holm([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]], ["a", "b", "c"], reference="a")
    >>> [(pair.second, round(pair.p, 3), round(pair.adjusted, 3)) for pair in pairs]
    [('b', 0.289, 0.289), ('c', 0.034, 0.068)]
    """
    names, _, pairs, differences, z = rank_differences(errors, names, reference)
    p = 2 * stats.norm.sf(np.abs(z))
    return listed(names, pairs, differences, p, holm_adjusted(p))


def wilcoxon(errors: Any, names: Sequence[str] | None = None, *, reference: str | None = None) -> list[Pair]:
    """Wilcoxon's signed-rank test of pairs of methods over data sets, with Holm's correction.

    Parameters
    ----------
    errors, names
        As for :func:`friedman`.
    reference : str or None, default=None
        The method that the others are compared with; None compares all pairs.

    Returns
    -------
    pairs : list of Pair
        Two-sided; data sets on which both are equal count half for each. `difference` is the median.

    Examples
    --------
    >>> from qpfs.evaluation import wilcoxon
    >>> pairs = wilcoxon([[1, 2], [1, 3], [1, 4], [1, 5], [1, 6]], ["a", "b"])
    >>> pairs[0].difference, pairs[0].p
    (-3.0, 0.0625)
    """
    E, names = table(errors, names)
    pairs = wanted_pairs(names, reference)
    differences = [E[:, i] - E[:, j] for i, j in pairs]
    p = np.array([signed_rank_p(one) for one in differences])
    return listed(names, pairs, [float(np.median(one)) for one in differences], p, holm_adjusted(p))


def signed_rank_p(differences: FloatArray) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test."""
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def holm_adjusted(p: Any) -> FloatArray:
    """p-values corrected by Holm's step-down method.

    Parameters
    ----------
    p : array-like of shape (n,)
        p-values.

    Returns
    -------
    adjusted : array of shape (n,)
        In the same order; reject those at most the level asked for.

    Examples
    --------
    >>> from qpfs.evaluation import holm_adjusted
    >>> holm_adjusted([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p={p.tolist()!r}, but it must be a list of p-values, each from 0 to 1.")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def table(errors: Any, names: Sequence[str] | None) -> tuple[FloatArray, tuple[str, ...]]:
    """Checked errors and names."""
    E = np.asarray(errors, np.float64)
    if E.ndim != 2 or min(E.shape) < 2:
        raise ValueError(
            f"errors has the shape {E.shape}; expected (n_datasets, n_methods) with at least 2 of each."
        )
    if not np.isfinite(E).all():
        raise ValueError(
            "errors holds NaN or infinity; leave out the data sets that not every method ran on."
        )
    names = tuple(f"method {i}" for i in range(E.shape[1])) if names is None else tuple(names)
    if len(names) != E.shape[1] or len(set(names)) < len(names):
        raise ValueError(
            f"names has {len(names)} names for {E.shape[1]} methods; expected one each, all different."
        )
    return E, names


def wanted_pairs(names: tuple[str, ...], reference: str | None) -> list[tuple[int, int]]:
    """The pairs to be compared: those with the reference, or all."""
    if reference is None:
        return list(combinations(range(len(names)), 2))
    if reference not in names:
        raise ValueError(f"reference={reference!r}, but the methods are {', '.join(map(repr, names))}.")
    place = names.index(reference)
    return [(place, other) for other in range(len(names)) if other != place]


def rank_differences(errors: Any, names: Sequence[str] | None, reference: str | None) -> tuple[Any, ...]:
    """Names, k, pairs, their differences of mean ranks, and those in standard errors."""
    found = friedman(errors, names)
    k = len(found.names)
    pairs = wanted_pairs(found.names, reference)
    differences = [float(found.ranks[i] - found.ranks[j]) for i, j in pairs]
    return found.names, k, pairs, differences, np.array(differences) / rank_error(found.n, k)


def rank_error(N: int, k: int) -> float:
    """The standard error of the difference of two mean ranks."""
    return math.sqrt(k * (k + 1) / (6 * N))


def listed(names: Any, pairs: Any, differences: Any, p: Any, adjusted: Any) -> list[Pair]:
    return [
        Pair(names[i], names[j], difference, float(one), float(all_))
        for (i, j), difference, one, all_ in zip(pairs, differences, p, adjusted, strict=True)
    ]
