"""Cutting planes: add the group of features that violates optimality most, fit the model again, repeat.

    minimise over groups and weights   1/2 (sum_t |w_t|)^2 + 1/2 b^2 + C sum_i l(y_i f(x_i)),   |group| <= B

Letters as in `master`. Over all groups there are too many weights to enumerate; but a group can lower the
objective only if the gradient on its features, c_j = sum_i a_i y_i x_ij, has a larger norm than on every
group in use. One pass over the data gives all c, a search rule gives the group, and the same pass gives a
lower bound on the objective over all groups of B features, chosen or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.embedded.features import Features
from qpfs.embedded.losses import Loss
from qpfs.embedded.master import Master, Model
from qpfs.embedded.searches import Search, leading

EPSILON = float(np.finfo(np.float64).eps)
PRECISION = 0.1  # the master is solved to this share of `tol`, the change that ends the rounds


@dataclass(frozen=True, eq=False)
class CuttingRound:
    """A group that was added, with the objective and the bound after the model is fitted again."""

    group: IndexArray
    objective: float
    bound: float  # no groups of features that vary, and no weights, have a lower objective


@dataclass(frozen=True, eq=False)
class Machine:
    """The linear model after the last round."""

    coef: FloatArray  # (n_features,) the weights of a feature in all groups, added up
    intercept: float
    objective: float
    bound: float
    slack: float  # the share of the objective that the last master may be above its minimum
    strength: FloatArray  # (n_features,) |c| of the final model: how much each feature violates optimality
    rounds: tuple[CuttingRound, ...]


@dataclass(frozen=True)
class CuttingPlanes:
    """Cutting planes: rounds of adding a group, chosen by the search rule, and fitting the model."""

    search: Search
    loss: Loss
    intercept: bool
    max_iter: int
    tol: float

    def machine(self, features: Features, y: FloatArray, tick: Callable[[], None]) -> Machine:
        """The model that separates the samples with y = 1 from those with y = -1."""
        master = Master.without_groups(y, self.loss, self.intercept)
        model = master.solved(None, PRECISION * self.tol)
        strength, bound = self.priced(model, features, y)
        rounds: list[CuttingRound] = []
        settled = False
        while len(rounds) < self.max_iter and not settled:
            group = self.search(strength, features)
            if len(group) == 0 or master.has(group):
                break
            master = master.with_group(group, features)
            before, model = model, master.solved(model, PRECISION * self.tol)
            strength, proved = self.priced(model, features, y)
            bound = max(bound, proved)
            rounds.append(CuttingRound(group, model.objective, bound))
            least = self.tol * model.objective
            settled = before.objective - model.objective <= least or model.objective - bound <= least
            tick()
        coef, b = merged(master, model, features.n_features)
        slack = 1.0 - model.bound / model.objective
        return Machine(coef, b, model.objective, bound, slack, strength, tuple(rounds))

    def priced(self, model: Model, features: Features, y: FloatArray) -> tuple[FloatArray, float]:
        """|c| of all features that vary, 0 where it is rounding error, and the lower bound that it proves."""
        a = self.loss.pull(y * model.f)
        strength = np.abs(features.products(a * y)) * features.varying
        strongest = strength[leading(strength, self.search.size)]
        on_ones = float(a @ y) if self.intercept else 0.0
        rounding = EPSILON * np.sqrt(len(a)) * np.linalg.norm(a) * features.lengths
        bound = self.loss.bound(a, float(strongest @ strongest) + on_ones**2)
        # Else a feature that pulls at nothing got a weight of 1e-17, by the unit of X (decision 0008).
        return np.where(strength > rounding, strength, 0.0), bound


def merged(master: Master, model: Model, n_features: int) -> tuple[FloatArray, float]:
    """The weight of each feature, added up over its groups, and the intercept."""
    u = master.columns_weight(model.x)
    real = master.features >= 0
    coef = np.zeros(n_features)
    coef[master.features[real]] = u[real]
    return coef, float(u[~real].sum())
