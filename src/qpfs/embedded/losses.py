"""Losses: their values, derivatives, and the lower bounds that they prove.

Letters: z = y f the margins, l the loss of one, C the factor of the sum of losses, a = -C l'(z) >= 0 the pull
of each sample, q the largest squared norm of c = X'(a y) on a group of features.

For any pulls a the number sum(-C l*(-a / C)) - q / 2, with l* the conjugate of l, is a lower bound on the
minimum of the objective, and likewise for s a with any s > 0 that the loss allows; `bound` is the best of
these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import entr, expit

from qpfs.arrays import FloatArray


class Loss(Protocol):
    """C times the loss of each margin, with its derivatives."""

    def value(self, z: FloatArray) -> float:
        """The sum of losses, C sum(l(z))."""

    def pull(self, z: FloatArray) -> FloatArray:
        """The pulls a."""

    def curvature(self, z: FloatArray) -> FloatArray:
        """C l''(z); one of the two limits where l'' jumps."""

    def bound(self, a: FloatArray, q: float) -> float:
        """The best lower bound on the objective that the direction of a proves."""


@dataclass(frozen=True)
class SquaredHinge:
    """The squared hinge loss l(z) = max(0, 1 - z)^2, with -l*(-u) = u - u^2 / 4."""

    C: float

    def value(self, z: FloatArray) -> float:
        short = np.maximum(1.0 - z, 0.0)
        return self.C * float(short @ short)

    def pull(self, z: FloatArray) -> FloatArray:
        return 2.0 * self.C * np.maximum(1.0 - z, 0.0)

    def curvature(self, z: FloatArray) -> FloatArray:
        return np.where(z < 1.0, 2.0 * self.C, 0.0)

    def bound(self, a: FloatArray, q: float) -> float:
        curved = float(a @ a) / (2.0 * self.C) + q
        return float(a.sum()) ** 2 / (2.0 * curved) if curved > 0.0 else 0.0


@dataclass(frozen=True)
class Logistic:
    """The logistic loss l(z) = log(1 + exp(-z)), with -l*(-u) the entropy of u and 1 - u."""

    C: float

    def value(self, z: FloatArray) -> float:
        return self.C * float(np.logaddexp(0.0, -z).sum())

    def pull(self, z: FloatArray) -> FloatArray:
        return self.C * expit(-z)

    def curvature(self, z: FloatArray) -> FloatArray:
        return self.C * expit(z) * expit(-z)

    def bound(self, a: FloatArray, q: float) -> float:
        u = a / self.C
        highest = float(u.max())
        if highest <= 0.0:
            return 0.0

        def below(s: float) -> float:
            return s * s * q / 2.0 - self.C * float((entr(s * u) + entr(1.0 - s * u)).sum())

        return max(0.0, -float(minimize_scalar(below, bounds=(0.0, 1.0 / highest), method="bounded").fun))
