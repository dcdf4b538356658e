"""Leave-one-out of the publication's classifier, of all samples at little more than the cost of one fit.

Letters. K inner products of the samples, one added for the intercept; y in {-1, 1}; C the price of errors; f
decisions, a the multipliers of the samples: f = K a; S the active samples, those with y f < 1.

The L2-regularised L2-loss linear support vector machine minimises a'Ka / 2 + C sum max(0, 1 - y f)^2. Given S
its solution is linear: (K_SS + I / 2C) a_S = y_S, and 0 elsewhere. A sample that is not active can be left
out without any change. Leaving out an active one changes a by a column of the inverse, if S stays otherwise
as it is; only where it does not a machine is taught anew, from there.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from qpfs.arrays import AnyArray, BoolArray, FloatArray
from qpfs.evaluation.descriptions import checksum

C = 1.0  # liblinear's usual price of an error
STEPS = 200  # of the active set; a handful is usual, and no end is an error


class LeftOut(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The publication's classifier, that predicts each sample it was taught as if that had been left out."""

    _known: ClassVar[dict[str, AnyArray]] = {}  # the top few of many parameters are the same

    def fit(self, X: FloatArray, y: AnyArray) -> Self:
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X: FloatArray) -> AnyArray:
        """The classes of the samples that `fit` was given, in their order."""
        if not np.array_equal(X, self.X_):
            raise ValueError("X holds other samples than fit was given; expected the same to be left out.")
        key = checksum(X, self.y_)
        if key not in self._known:
            self._known[key] = self._said(X @ X.T + 1.0)
        return self._known[key]

    def _said(self, K: FloatArray) -> AnyArray:
        signs = [np.where(self.y_ == one, 1.0, -1.0) for one in self.classes_]
        if len(signs) == 2:
            return self.classes_[(left_out(K, signs[1]) > 0).astype(int)]
        return self.classes_[np.argmax([left_out(K, one) for one in signs], axis=0)]


def left_out(K: FloatArray, y: FloatArray) -> FloatArray:
    """The decision on each sample of the machine that the others teach."""
    everyone = np.ones(len(y), bool)
    a = taught(K, y, everyone, np.zeros(len(y)))
    decisions = K @ a
    active = y * decisions < 1
    S = np.flatnonzero(active)
    inverse = np.linalg.inv(K[np.ix_(S, S)] + np.eye(len(S)) / (2 * C))
    without = np.zeros((len(y), len(S)))
    without[S] = a[S, None] - inverse * (a[S] / np.diag(inverse))
    others = K @ without
    changed = (y[:, None] * others < 1) != active[:, None]
    changed[S, np.arange(len(S))] = False
    stays = ~changed.any(axis=0)
    decisions[S[stays]] = others[S, np.arange(len(S))][stays]
    for place in np.flatnonzero(~stays):
        i = S[place]
        allowed = everyone.copy()
        allowed[i] = False
        start = np.where(allowed, without[:, place], 0.0)
        decisions[i] = K[i] @ taught(K, y, allowed, start)
    return decisions


def taught(K: FloatArray, y: FloatArray, allowed: BoolArray, a: FloatArray) -> FloatArray:
    """The multipliers that some samples teach, by Newton steps from `a`, halved where they go too far."""
    f = K @ a
    active = allowed & (y * f < 1)
    for _ in range(STEPS):
        goal = solved(K, y, active)
        step = goal - a
        f_step = K @ step
        size, before = 1.0, loss(a, f, y, allowed)
        while size > 1e-10 and loss(a + size * step, f + size * f_step, y, allowed) > before:
            size /= 2
        a, f = a + size * step, f + size * f_step
        now = allowed & (y * f < 1)
        if size == 1.0 and np.array_equal(now, active):
            break
        active = now
    return a


def solved(K: FloatArray, y: FloatArray, active: BoolArray) -> FloatArray:
    """The multipliers if these samples are the active ones."""
    S = np.flatnonzero(active)
    a = np.zeros(len(y))
    a[S] = np.linalg.solve(K[np.ix_(S, S)] + np.eye(len(S)) / (2 * C), y[S])
    return a


def loss(a: FloatArray, f: FloatArray, y: FloatArray, allowed: BoolArray) -> float:
    """What is minimised."""
    short = np.maximum(0.0, 1 - y * f)[allowed]
    return float(a @ f / 2 + C * short @ short)
