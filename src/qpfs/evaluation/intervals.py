"""How sure an error is, by how the samples were divided.

Letters. J the number of divisions.

- Every sample tested once (leave-one-out, folds, a given split), classes: the wrong ones among n samples,
  with the interval of Wilson. Of folds that are repeated the mean, with n still the number of samples: to
  test a sample again adds nothing to how many there are.
- The same, but for a quantity or with groups, whose samples are not independent: the ratio of the sums of
  losses and references, with the standard error of a ratio over the J parts, and the quantile of Student's t.
- Random splits: the mean over splits, with the variance of Nadeau and Bengio, (1/J + n_test / n_train) s^2,
  for the splits share samples and s^2 / J would promise too much; the quantile of Student's t.
- A quantity on a single given split has no interval: NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy import stats

from qpfs.arrays import FloatArray
from qpfs.evaluation.splits import Splits


@dataclass(frozen=True, eq=False)
class Estimate:
    """Errors with their standard errors and intervals; one for each number of features."""

    mean: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Tested:
    """The losses of divisions at each number of features, and what they are measured by."""

    losses: FloatArray  # (J, sizes)
    references: FloatArray  # (J,)
    n_train: FloatArray  # (J,)
    n_test: FloatArray  # (J,)


def estimate(tested: Tested, splits: Splits, counted: bool, level: float = 0.95) -> Estimate:
    """The error and how sure it is; `counted` where samples are independent and right or wrong."""
    if splits.overlapping:
        return over_splits(tested, level)
    if counted:
        n = float(tested.references.sum()) / splits.repeats
        return proportion(tested.losses.sum(axis=0) / tested.references.sum(), n, level)
    return ratio(tested, splits.repeats, level)


def proportion(p: Any, n: float, level: float) -> Estimate:
    """A share of n samples, with the interval of Wilson."""
    p = np.asarray(p, np.float64)
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)
    return Estimate(p, np.sqrt(p * (1 - p) / n), np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high))


def ratio(tested: Tested, repeats: int, level: float) -> Estimate:
    """The ratio of two sums, with its standard error over the parts of one repeat."""
    total = tested.references.sum()
    mean = tested.losses.sum(axis=0) / total
    J = len(tested.losses)
    if J // repeats < 2:
        return Estimate(mean, *(np.full(len(mean), np.nan) for _ in range(3)))
    residuals = tested.losses - np.outer(tested.references, mean)
    error = np.sqrt(repeats * J / (J - 1) * (residuals**2).sum(axis=0)) / total
    return student(mean, error, J // repeats - 1, level)


def over_splits(tested: Tested, level: float) -> Estimate:
    """The mean over overlapping splits, its variance corrected for what they share."""
    errors = tested.losses / tested.references[:, None]
    J = len(errors)
    if J < 2:
        return Estimate(errors.mean(axis=0), *(np.full(errors.shape[1], np.nan) for _ in range(3)))
    share = tested.n_test.sum() / tested.n_train.sum()
    error = np.sqrt((1 / J + share) * errors.var(axis=0, ddof=1))
    return student(errors.mean(axis=0), error, J - 1, level)


def student(mean: FloatArray, error: FloatArray, freedom: int, level: float) -> Estimate:
    """An interval by Student's t; an error is never below 0."""
    reach = stats.t.ppf((1 + level) / 2, freedom) * error
    return Estimate(mean, error, np.maximum(mean - reach, 0.0), mean + reach)
