"""How much selections agree with one another, beyond what chance would make them.

Letters. Z a mask of features for each of M selections among d features; p_f the share of the selections that
hold feature f, k_i the size of selection i, q = mean(k_i) / d. The index of Nogueira, Sechidis and Brown is

    Phi = 1 - mean_f(M / (M - 1) p_f (1 - p_f)) / (q (1 - q)):

1 if all selections are the same, 0 on average if each is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, FloatArray
from qpfs.checks import unfit


@dataclass(frozen=True, eq=False)
class Stability:
    """How much selections agree, with an interval.

    Attributes
    ----------
    index : float
        1 if all selections are the same, 0 on average for selections at random, never below -1 / (n - 1).
        NaN if every selection is empty or every selection is everything: then there is nothing to agree on.
    variance : float
        The estimated variance of the index, in closed form.
    low, high : float
        The interval of the index at the confidence asked for, cut to the range that the index has.
    confidence : float
        That confidence.
    n : int
        The number of selections.
    frequencies : array of shape (n_features,)
        The share of the selections that hold each feature.
    """

    index: float
    variance: float
    low: float
    high: float
    confidence: float
    n: int
    frequencies: FloatArray


def stability(selections: Any, *, confidence: float = 0.95) -> Stability:
    """The index of Nogueira, Sechidis and Brown, with its interval.

    Selections may differ in size. The interval is that of the normal distribution and takes the selections
    for independent draws: it tells how far the index of more resamples of the same data could be, and nothing
    about other data.

    Parameters
    ----------
    selections : array-like of bool of shape (n_selections, n_features)
        A mask of features for each selection; at least two.
    confidence : float, default=0.95
        How sure the interval is to be.

    Returns
    -------
    stability : Stability
        The index, its variance and interval, and how often each feature was selected.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis, G. Brown. On the Stability of Feature Selection Algorithms.
           Journal of Machine Learning Research 18(174):1-54, 2018.

    Examples
    --------
    >>> from qpfs.evaluation import stability
    >>> found = stability([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    >>> round(found.index, 3), found.frequencies.round(2)
    (0.333, array([1.  , 0.67, 0.33, 0.  ]))
    """
    Z = masks(selections)
    check_level(confidence, "confidence")
    n = len(Z)
    index, influence = agreement(Z.astype(np.float64))
    variance = float(4 / n**2 * ((influence - influence.mean()) ** 2).sum())
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance)
    low, high = np.clip([index - reach, index + reach], -1 / (n - 1), 1.0)
    return Stability(index, variance, float(low), float(high), confidence, n, Z.mean(axis=0))


def agreement(Z: FloatArray) -> tuple[float, FloatArray]:
    """The index, and half of how each selection moves it, up to a constant."""
    n, d = Z.shape
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    q = p.mean()
    if q in (0.0, 1.0):
        return np.nan, np.full(n, np.nan)
    chance = q * (1 - q)
    index = float(1 - n / (n - 1) * (p * (1 - p)).mean() / chance)
    influence = (Z @ p / d - k * q / d + index / 2 * (2 * k * q / d - k / d)) / chance
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
        From -1 to 1; 0 on average for selections at random. NaN if the selections are empty or everything.

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
            f"The selections have {sizes[0]} to {sizes[-1]} features, but Kuncheva's index is defined for "
            "equal sizes; use stability(), which is not."
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
        raise ValueError("selections holds other values than 0 and 1; expected a mask of features for each.")
    return Z.astype(bool)


def check_level(level: float, name: str = "level") -> None:
    if not 0 < level < 1:
        raise unfit(name, level, "between 0 and 1, such as 0.95.")
