"""QPFS: the weights that solve the quadratic program of redundancy and relevance.

Letters: Q redundancy, s relevance, theta trade-off, alpha weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.weighing import Tick, Weighing, spread
from qpfs.information import FeatureTable
from qpfs.program import SimplexProgram, Solution, solve
from qpfs.sums import weighted_rows

CACHE_BYTES = 1 << 28


class Redundancy:
    """Q over some features of a table, as the program asks for it: by columns, each computed once.

    Columns are kept while they fit the budget; a product with more of them computes them anew, in the same
    order of summation and so with the same result.
    """

    def __init__(
        self, table: FeatureTable[Any], features: IndexArray, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self.table = table
        self.features = features
        self.size = len(features)
        self.convex: bool = table.measure.convex
        self.whole = len(features) == len(table.varying)
        self.capacity = max(1, cache_bytes // (8 * self.size))
        self.kept = np.empty((0, self.size))
        self.place = np.full(self.size, -1, np.intp)
        self.n_kept = 0

    def diagonal(self) -> FloatArray:
        return self.table.own[self.features]

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        if self._hold(columns):
            return self.kept[np.ix_(self.place[columns], rows)].T
        return self.table.between(self.features[rows], self.features[columns])

    def product(self, columns: IndexArray, weights: FloatArray) -> FloatArray:
        if self._hold(columns):
            return weighted_rows(self.kept, self.place[columns], weights)
        return self.table.weighted_sum(self.features[columns], weights)[self.features]

    def columns(self, columns: IndexArray) -> FloatArray:
        """The given columns of Q, as rows, computed anew."""
        features = self.features[columns]
        if not self.whole:
            return self.table.between(features, self.features)
        shared = self.table.columns(features)
        return shared if self.size == shared.shape[1] else shared.take(self.features, axis=1)

    def _hold(self, columns: IndexArray) -> bool:
        """Whether the given columns are kept, after computing those that are new and fit."""
        new = columns[self.place[columns] < 0]
        if self.n_kept + len(new) > self.capacity:
            return False
        if len(new):
            self._reserve(self.n_kept + len(new))
            self.kept[self.n_kept : self.n_kept + len(new)] = self.columns(new)
            self.place[new] = np.arange(self.n_kept, self.n_kept + len(new))
            self.n_kept += len(new)
        return True

    def _reserve(self, n: int) -> None:
        if n > len(self.kept):
            grown = np.empty((min(max(n, 2 * len(self.kept), 32), self.capacity), self.size))
            grown[: self.n_kept] = self.kept[: self.n_kept]
            self.kept = grown


@dataclass(frozen=True, eq=False)
class ProgramWeighing(Weighing):
    """Weights with the solution, and the certificate, that they come from."""

    solution: Solution


@dataclass(frozen=True)
class QuadraticCriterion:
    """The exact solution at a given theta; ranked by weight, then by how near to having some."""

    theta: float
    n_starts: int = 1
    random_state: int = 0

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> ProgramWeighing:
        program = SimplexProgram(Redundancy(table, features), relevance[features], self.theta)
        solution = solve(
            program,
            n_starts=self.n_starts,
            random_state=self.random_state,
            on_round=lambda _: tick(),
        )
        scores = spread(solution.weights, features, table.n_features)
        return ProgramWeighing(scores, features[solution.order()], solution)
