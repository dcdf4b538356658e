"""QPFS on a matrix approximated from the columns of a few sampled features.

Letters: Q redundancy, s relevance, theta trade-off, alpha weights, r sampled features, M features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.quadratic import Redundancy, kept_in
from qpfs.criteria.terms import Terms
from qpfs.criteria.weighing import Criterion, Tick, Weighing, spread
from qpfs.engines import one_blas_thread
from qpfs.information import FeatureTable
from qpfs.memory import memory_of_machine
from qpfs.program import (
    Nystrom,
    RangeSolution,
    SimplexProgram,
    Solution,
    balanced_theta,
    nystrom_approximation,
    solve,
    solve_in_range,
)


@dataclass(frozen=True, eq=False)
class NystromCriterion(Criterion):
    """QPFS with a Nystrom approximation; `theta` None: automatic, from the approximation's own mean."""

    theta: float | None
    sampling_rate: float
    diagonal_correction: bool
    random_state: np.random.RandomState
    terms: Terms | None = None

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        Q, s = Redundancy(table, features), relevance[features]
        terms = self.terms and self.terms.among(features)
        sampled = self._sample(len(features), terms)
        check_room(len(sampled), len(features))
        columns = Q.rows(sampled)
        with one_blas_thread():
            approximation = nystrom_approximation(sampled, columns)
            tick()
            theta = self.theta
            if theta is None:
                theta = balanced_theta(max(approximation.mean_redundancy, 0.0), float(s.mean()))
            solution = self._solved(approximation, Q.diagonal(), s, theta, terms)
        scores = spread(solution.weights, features, table.n_features)
        facts = {
            "theta": solution.theta,
            "objective": solution.objective,
            "gap": solution.gap,
            "sampled_features": features[sampled],
        }
        return Weighing(scores, features[solution.order()], facts)

    def _sample(self, m: int, terms: Terms | None) -> IndexArray:
        """r = sampling_rate * m features, at least one, uniformly without replacement, ascending."""
        r = min(max(1, round(self.sampling_rate * m)), m)
        drawn = self.random_state.permutation(m)[:r]
        # Features to keep are sampled, too: the range has to contain weights for them.
        return np.union1d(drawn, terms.keep) if terms else np.sort(drawn)

    def _solved(
        self, approximation: Nystrom, diagonal: FloatArray, s: FloatArray, theta: float, terms: Terms | None
    ) -> Solution | RangeSolution:
        if self.diagonal_correction:
            program = SimplexProgram(approximation.corrected(diagonal), s, theta)
            found = solve(program)
            return kept_in(program, terms, found) if terms else found
        free = solve_in_range(approximation, s, theta)
        if terms is None or len(terms.keep) == 0:
            return free
        least = terms.least(int((free.weights > 0).sum()), len(s))
        return solve_in_range(approximation, s, theta, lower=least)


def check_room(n_columns: int, n_features: int) -> None:
    """Raises MemoryError if the columns and the arrays made from them exceed the computer's memory."""
    needed = 2 * 8 * n_columns * n_features
    if needed > (room := memory_of_machine()):
        raise MemoryError(
            f"The approximation keeps {n_columns:,} columns of {n_features:,} features, about "
            f"{needed / 1e9:.1f} GB, and this computer has {room / 1e9:.1f} GB. Lower sampling_rate."
        )
