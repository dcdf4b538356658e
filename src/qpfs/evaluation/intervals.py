"""The uncertainty of an error or a score, depending on how the samples were divided.

Letters. J the number of divisions.

- Errors of classes, every sample tested equally often (leave-one-out, folds, one split): the share of wrong
  ones among n samples, with the interval of Wilson. For repeated folds the mean, where n is still the number
  of samples: testing a sample again does not add a sample.
- Every sample tested equally often, but a quantity, or groups, whose samples are not independent: the ratio
  of the sums of losses and references, with the standard error of a ratio over the J parts, and the quantile
  of Student's t.
- Samples tested more or less often (random splits), and any scorer: the mean over splits, with the variance
  of Nadeau and Bengio, (1/J + n_test / n_train) s^2 if training parts share samples, since s^2 / J would be
  too small; the quantile of Student's t.
- Anything but counted errors has no interval on a single split: NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy import stats

from qpfs.arrays import FloatArray
from qpfs.evaluation.judging import Scoring
from qpfs.evaluation.splits import Splits
from qpfs.messages import Parameter, invalid


@dataclass(frozen=True, eq=False)
class Estimate:
    """Errors or scores with their standard errors and intervals; one for each number of features."""

    mean: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Tested:
    """The losses of divisions at each number of features, and their scoring."""

    losses: FloatArray  # (J, sizes)
    references: FloatArray  # (J,)
    n_train: FloatArray  # (J,)
    n_test: FloatArray  # (J,)


def estimate(
    tested: Tested, splits: Splits, scoring: Scoring, counted: bool, confidence: float = 0.95
) -> Estimate:
    """The error or score with its uncertainty; `counted` if samples are independent and right or wrong."""
    check_references(tested, scoring, together=bool(splits.repeats))
    if not scoring.adds_up or not splits.repeats:
        return over_splits(tested, splits.training_overlaps, (scoring.least, scoring.most), confidence)
    if counted:
        n = float(tested.references.sum()) / splits.repeats
        return proportion(tested.losses.sum(axis=0) / tested.references.sum(), n, confidence)
    return ratio(tested, splits.repeats, (scoring.least, scoring.most), confidence)


def check_references(tested: Tested, scoring: Scoring, *, together: bool) -> None:
    """Raises ValueError if the reference of a relative error is 0: in all test parts together, or in one."""
    nothing = tested.references == 0
    if nothing.all() if together else nothing.any():
        raise invalid(
            f"The {scoring.name} is not defined for a test part of {tested.n_test[nothing][0]:.0f} "
            "samples whose target is the mean of the training part throughout; use larger test parts, or "
            "another score, such as ",
            Parameter("scoring", "neg_mean_squared_error"),
            ".",
        )


def proportion(p: Any, n: float, confidence: float) -> Estimate:
    """A share of n samples, with the interval of Wilson."""
    p = np.asarray(p, np.float64)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)
    return Estimate(p, np.sqrt(p * (1 - p) / n), np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high))


def ratio(tested: Tested, repeats: int, bounds: tuple[float, float], confidence: float) -> Estimate:
    """The ratio of two sums, with its standard error over the parts of one repeat."""
    total = tested.references.sum()
    mean = tested.losses.sum(axis=0) / total
    J = len(tested.losses)
    if J // repeats < 2:
        return Estimate(mean, *(np.full(len(mean), np.nan) for _ in range(3)))
    residuals = tested.losses - np.outer(tested.references, mean)
    error = np.sqrt(repeats * J / (J - 1) * (residuals**2).sum(axis=0)) / total
    return student(mean, error, J // repeats - 1, confidence, bounds)


def over_splits(tested: Tested, overlap: bool, bounds: tuple[float, float], confidence: float) -> Estimate:
    """The mean over splits, its variance corrected for the overlap of training parts."""
    values = tested.losses / tested.references[:, None]
    J = len(values)
    if J < 2:
        return Estimate(values.mean(axis=0), *(np.full(values.shape[1], np.nan) for _ in range(3)))
    share = tested.n_test.sum() / tested.n_train.sum() if overlap else 0.0
    error = np.sqrt((1 / J + share) * values.var(axis=0, ddof=1))
    return student(values.mean(axis=0), error, J - 1, confidence, bounds)


def student(
    mean: FloatArray, error: FloatArray, freedom: int, confidence: float, bounds: tuple[float, float]
) -> Estimate:
    """An interval by Student's t, within the range of the error or score."""
    reach = stats.t.ppf((1 + confidence) / 2, freedom) * error
    low, high = np.clip([mean - reach, mean + reach], *bounds)
    return Estimate(mean, error, low, high)
