"""The master problem: the best linear model on the groups chosen so far.

    minimise   P(x) = 1/2 (sum_t |w_t|)^2 + 1/2 b^2 + C sum_i l(y_i f_i),    f = Zu

Letters. Z the columns of the features in use (first a column of ones, where there is an intercept b), w_t
the weights of group t, x = (b, w_1, w_2, ...), u the weight of each column of Z, y the signs of the
samples, l the loss, a its pulls, c = Z'(a y) the negative gradient of the loss, q the largest |c_t|^2 of a
group plus c_b^2.

The loss is replaced by its quadratic around x, of curvature H = Z' diag(C l'') Z; accelerated proximal
gradient minimises that with the penalty, and the step there is shortened where P does not decrease. A squared
hinge is piecewise quadratic, so a few of these are enough. The pulls give a lower bound on P that equals it
at the minimum: the certificate, and the stopping rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.embedded.descent import descended, summed
from qpfs.embedded.features import Features
from qpfs.embedded.losses import Loss
from qpfs.embedded.proximal import group_norms

LIMIT = 100  # quadratics for one master
ENOUGH = 1e-4  # the share of the predicted decrease of P that a step must reach
SHORTEST = 2.0**-30  # the shortest step, as a share of that to the minimum of the quadratic


@dataclass(frozen=True, eq=False)
class Model:
    """Weights of a master problem, with scores, objective and bound."""

    x: FloatArray
    f: FloatArray  # (n_samples,) the scores of the samples
    objective: float  # P(x)
    bound: float  # no weights on these groups have a lower P


@dataclass(frozen=True, eq=False)
class Master:
    """The master problem: the groups chosen so far, and the columns they need."""

    Z: FloatArray
    y: FloatArray
    loss: Loss
    features: IndexArray  # of each column of Z; -1 for the ones
    place: IndexArray  # the column of each entry of x
    bounds: IndexArray  # group t is x[bounds[t]:bounds[t + 1]]

    @classmethod
    def without_groups(cls, y: FloatArray, loss: Loss, intercept: bool) -> Master:
        k = int(intercept)
        return cls(np.ones((len(y), k)), y, loss, np.full(k, -1), np.arange(k), np.array([k]))

    def has(self, group: IndexArray) -> bool:
        """Whether a group was chosen before."""
        members = self.features[self.place]
        return any(set(members[start:end]) == set(group) for start, end in pairwise(self.bounds))

    def with_group(self, group: IndexArray, features: Features) -> Master:
        """The master problem with one more group; only new columns are gathered."""
        new = group[~np.isin(group, self.features)]
        known = np.concatenate((self.features, new))
        rising = np.argsort(known)
        place = rising[np.searchsorted(known, group, sorter=rising)]
        return Master(
            np.hstack((self.Z, features.gathered(new))),
            self.y,
            self.loss,
            known,
            np.concatenate((self.place, place)),
            np.append(self.bounds, self.bounds[-1] + len(group)),
        )

    def start(self, before: Model | None) -> Model:
        """The weights of the previous master, with 0 for groups added since."""
        if before is None:
            f = np.zeros(len(self.y))
            return Model(np.zeros(len(self.place)), f, self.loss.value(f), 0.0)
        added = np.zeros(len(self.place) - len(before.x))
        return Model(np.concatenate((before.x, added)), before.f, before.objective, 0.0)

    def penalty(self, x: FloatArray) -> float:
        b = x[: self.bounds[0]]
        return (float(group_norms(x, self.bounds).sum()) ** 2 + float(b @ b)) / 2.0

    def columns_weight(self, x: FloatArray) -> FloatArray:
        """The weight u of each column."""
        return summed(x, self.place, len(self.features))

    def solved(self, before: Model | None, tol: float) -> Model:
        """The minimum, to a share `tol` of P, from the weights of the master before.

        At least one quadratic is solved: weights of 0 may be close enough, but give no ranking.
        """
        model = self.start(before)
        for n_quadratics in range(LIMIT):
            a = self.loss.pull(self.y * model.f)
            c = self.Z.T @ (a * self.y)
            proved = self.loss.bound(a, self.strongest(c[self.place]))
            model = replace(model, bound=max(model.bound, proved))
            if n_quadratics > 0 and model.objective - model.bound <= tol * model.objective:
                break
            lower = self.lowered(model, c)
            if lower is None:
                break
            model, last = lower, model
            if model.objective == last.objective:
                break
        return model

    def strongest(self, c: FloatArray) -> float:
        """The largest squared norm q, with c laid out as x."""
        b = c[: self.bounds[0]]
        return float((group_norms(c, self.bounds) ** 2).max(initial=0.0) + b @ b)

    def lowered(self, model: Model, c: FloatArray) -> Model | None:
        """The model after one quadratic; None where P would increase for any step."""
        u = self.columns_weight(model.x)
        chain, curved = self.quadratic(model.f, u)
        d = descended(chain, curved + c, model.x, self.place, self.bounds) - model.x
        ahead = self.Z @ self.columns_weight(d)
        promised = self.penalty(model.x + d) - self.penalty(model.x) - float(c[self.place] @ d)
        share = 1.0
        while share >= SHORTEST:
            x, f = model.x + share * d, model.f + share * ahead
            objective = self.penalty(x) + self.loss.value(self.y * f)
            if objective <= model.objective + ENOUGH * share * min(promised, 0.0):
                return Model(x, f, objective, model.bound)
            share /= 2.0
        return None

    def quadratic(self, f: FloatArray, u: FloatArray) -> tuple[tuple[FloatArray, ...], FloatArray]:
        """H as matrices to be applied one after another, and Hu: the Gram matrix if small, else factors."""
        curvature = self.loss.curvature(self.y * f)
        rows = np.flatnonzero(curvature)
        root = self.Z[rows] * np.sqrt(curvature[rows])[:, None]
        curved = root.T @ (root @ u)
        if root.shape[0] < root.shape[1] / 2:
            return (np.ascontiguousarray(root.T), root), curved
        return (np.ascontiguousarray(root.T @ root),), curved
