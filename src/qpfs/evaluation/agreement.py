"""How much selections agree with one another, corrected for chance.

Letters. Z a mask of features for each of M selections among d features; p_f the share of the selections that
hold feature f, k_i the size of selection i, q = mean(k_i) / d. The index of Nogueira, Sechidis and Brown is

    Phi = 1 - mean_f(M / (M - 1) p_f (1 - p_f)) / (q (1 - q)):

1 if all selections are the same, 0 on average if each is drawn at random.

Over clusters Z is a mask of clusters: one is selected if any of its members is. Selections of features drawn
at random hit a large cluster more often than a small one, so the correction uses the probability that a
cluster of m features is hit, h_i = 1 - C(d - m, k_i) / C(d, k_i), h = mean_i(h_i), and

    Phi = 1 - sum_c(M / (M - 1) p_c (1 - p_c)) / sum_c(h_c (1 - h_c)),

which is the index above if every feature is its own cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.checks import unfit

LEAST_FOR_INTERVAL = 10  # selections: the normal approximation of the interval needs so many


@dataclass(frozen=True, eq=False)
class Stability:
    """How much selections agree, with an interval.

    Attributes
    ----------
    index : float
        1 if all selections are the same, 0 on average for random selections, never below -1 / (n - 1); over
        clusters, which can agree even less, at least -1. NaN if every selection is empty or every selection
        holds all features: then agreement is not defined.
    variance : float
        The estimated variance of the index, in closed form.
    low, high : float
        The interval of the index, truncated to the range of the index; NaN for fewer than 10 selections.
    confidence : float
        The confidence of the interval.
    n : int
        The number of selections.
    frequencies : array of shape (n_features,) or (n_clusters,)
        The share of the selections that hold each feature, or a member of each cluster.
    """

    index: float
    variance: float
    low: float
    high: float
    confidence: float
    n: int
    frequencies: FloatArray


def stability(selections: Any, *, clusters: Any = None, confidence: float = 0.95) -> Stability:
    """The index of Nogueira, Sechidis and Brown, with its interval; over features, or over clusters of them.

    Selections may differ in size. The interval uses the normal distribution and assumes that the selections
    are independent draws: it covers the index of more resamples of the same data, not of other data.

    Parameters
    ----------
    selections : array-like of bool of shape (n_selections, n_features)
        A mask of features for each selection; at least two.
    clusters : array-like of int of shape (n_features,) or None, default=None
        The cluster of each feature; a negative number is a cluster of its own. A cluster counts as selected
        if any of its members is; the correction for chance is that of features drawn at random, which hit a
        large cluster more often than a small one. None is for the features themselves.
    confidence : float, default=0.95
        The confidence of the interval.

    Returns
    -------
    stability : Stability
        The index, its variance and interval, and how often each feature or cluster was selected.

    See Also
    --------
    resampled : Selections from random parts of the samples, with their stability.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis, G. Brown. On the Stability of Feature Selection Algorithms.
           Journal of Machine Learning Research 18(174):1-54, 2018.

    Examples
    --------
    >>> from qpfs.evaluation import stability
    >>> selections = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    >>> found = stability(selections)
    >>> round(found.index, 3), found.frequencies.round(2)
    (0.333, array([1.  , 0.67, 0.33, 0.  ]))
    >>> stability(selections, clusters=[0, 1, 1, 2]).index  # the second and the third are one cluster
    1.0
    """
    Z = masks(selections)
    check_level(confidence, "confidence")
    n = len(Z)
    if clusters is None:
        chance, least = chance_of_features(Z), -1 / (n - 1)
    else:
        labels, least = numbered_clusters(clusters, Z.shape[1]), -1.0
        chance, Z = chance_of_clusters(Z, np.bincount(labels)), cluster_masks(Z, labels)
    index, influence = agreement(Z.astype(np.float64), chance)
    variance = float(4 / n**2 * ((influence - influence.mean()) ** 2).sum())
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance)
    index, low, high = np.clip([index, index - reach, index + reach], least, 1.0).tolist()
    if n < LEAST_FOR_INTERVAL:
        low = high = np.nan
    return Stability(index, variance, low, high, confidence, n, Z.mean(axis=0))


@dataclass(frozen=True, eq=False)
class Chance:
    """The probability that a random selection holds an item, by the selection's size and the kind of item."""

    shares: FloatArray  # (n_selections, n_kinds)
    weights: FloatArray  # (n_kinds,): the share of the items that are of each kind

    @cached_property
    def mean(self) -> FloatArray:
        return self.shares.mean(axis=0)

    @property
    def variance(self) -> float:
        """The variance of whether an item is held, on average over the items."""
        return float(self.mean * (1 - self.mean) @ self.weights)

    @property
    def slopes(self) -> FloatArray:
        """The derivative of that variance by each selection, up to a constant."""
        return self.shares @ (self.weights * (1 - 2 * self.mean))


def chance_of_features(Z: BoolArray) -> Chance:
    """The chance of features, which is the same for all: k of d."""
    return Chance(Z.mean(axis=1)[:, None], np.ones(1))


def chance_of_clusters(Z: BoolArray, sizes: IndexArray) -> Chance:
    """The chance of clusters by size: 1 - C(d - m, k) / C(d, k), which is a product of m factors."""
    d = Z.shape[1]
    kinds, times = np.unique(sizes, return_counts=True)
    left = d - np.arange(kinds[-1])  # one factor for each member of a cluster
    each, which = np.unique(Z.sum(axis=1), return_inverse=True)
    with np.errstate(divide="ignore"):  # of selections that cannot miss a cluster
        missed = np.cumsum(np.log1p(-np.minimum(each[:, None] / left, 1.0)), axis=1)
    return Chance(-np.expm1(missed[:, kinds - 1])[which], times / times.sum())


def numbered_clusters(clusters: Any, n_features: int) -> IndexArray:
    """The cluster of each feature, numbered from 0 without gaps, those of single features last."""
    given = np.asarray(clusters)
    if given.shape != (n_features,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"clusters has the shape {given.shape} and holds {given.dtype}; expected an integer for each "
            f"of {n_features} features."
        )
    alone = given < 0
    found: IndexArray = np.empty(n_features, np.intp)
    known, found[~alone] = np.unique(given[~alone], return_inverse=True)
    found[alone] = len(known) + np.arange(alone.sum())
    return found


def cluster_masks(Z: BoolArray, labels: IndexArray) -> BoolArray:
    """The mask of the clusters of which each selection holds a member."""
    found = np.zeros((len(Z), int(labels.max()) + 1), bool)
    for mask, selected in zip(found, Z, strict=True):
        mask[labels[selected]] = True
    return found


def agreement(Z: FloatArray, chance: Chance) -> tuple[float, FloatArray]:
    """The index, and half of its derivative by each selection, up to a constant."""
    n, p = len(Z), Z.mean(axis=0)
    expected = chance.variance
    if expected <= 0:
        return np.nan, np.full(n, np.nan)
    index = float(1 - n / (n - 1) * (p * (1 - p)).mean() / expected)
    influence = (Z @ p / len(p) - Z.mean(axis=1) / 2 + (1 - index) / 2 * chance.slopes) / expected
    return index, influence


def kuncheva(selections: Any) -> float:
    """The index of Kuncheva: the mean over pairs of selections of the same size.

    A pair of selections of k among d features that share r has the consistency (r d - k^2) / (k (d - k)).
    For equal sizes the mean over all pairs is the index of :func:`stability`.

    Parameters
    ----------
    selections : array-like of bool of shape (n_selections, n_features)
        A mask of features for each selection; at least two, all of the same size.

    Returns
    -------
    index : float
        From -1 to 1; 0 on average for random selections. NaN if all of them are empty or hold all features.

    References
    ----------
    .. [1] L. I. Kuncheva. A stability index for feature selection. Proceedings of the 25th IASTED
           International Multi-Conference: Artificial Intelligence and Applications, 390-395, 2007.

    Examples
    --------
    >>> from qpfs.evaluation import kuncheva
    >>> round(kuncheva([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]), 3)
    0.333
    """
    Z = masks(selections)
    n, d = Z.shape
    sizes = np.unique(Z.sum(axis=1))
    if len(sizes) > 1:
        raise ValueError(
            f"The selections have {sizes[0]} to {sizes[-1]} features, but Kuncheva's index needs equal "
            "sizes; use stability(), which does not."
        )
    k = int(sizes[0])
    if k in (0, d):
        return float("nan")
    times = Z.sum(axis=0)
    shared = (times * (times - 1)).sum() / (n * (n - 1))  # mean over pairs of the features they share
    return float((shared * d - k**2) / (k * (d - k)))


def masks(selections: Any) -> BoolArray:
    """Selections as an array of masks."""
    Z = np.asarray(selections)
    if Z.ndim != 2 or len(Z) < 2 or Z.shape[1] == 0:
        raise ValueError(
            f"selections has the shape {Z.shape}; expected a mask of features for each of at least two "
            "selections: (n_selections, n_features)."
        )
    if Z.dtype.kind != "b" and not np.isin(Z, (0, 1)).all():
        raise ValueError("selections holds values other than 0 and 1; expected a mask of features for each.")
    return Z.astype(bool)


def check_level(level: float, name: str = "level") -> None:
    if not 0 < level < 1:
        raise unfit(name, level, "between 0 and 1, such as 0.95.")
