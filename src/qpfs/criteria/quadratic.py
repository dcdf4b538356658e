"""QPFS: the weights that solve the quadratic program of redundancy and relevance.

Letters: Q redundancy, s relevance, theta trade-off, alpha weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.orders import Order, by_nearest
from qpfs.criteria.terms import Terms
from qpfs.criteria.tradeoff import TradeOff, balanced
from qpfs.criteria.weighing import Criterion, Standing, Tick, Weighing, spread
from qpfs.groups import Groups, bounds_of
from qpfs.information import FeatureTable, Mean
from qpfs.program import (
    DenseQuadratic,
    SimplexProgram,
    Solution,
    balanced_theta,
    solve,
    solve_above,
    solve_each,
)
from qpfs.sums import weighted_rows

CACHE_BYTES = 1 << 28  # of columns of Q that are kept: a few hundred of 100,000 features
LARGE = 512  # members of a group whose matrix is not formed
MOSTLY = 0.8  # of a table, beyond which its members are not copied
PART = 1 << 15  # entries of matrices that are worth a task: 0.4 ms to compute, 0.5 to solve (15 ns each)
MOST_ENTRIES = 1 << 18  # of a task: two megabytes
TASKS = 4  # for each worker, so that they end together
LONG = 100_000  # a longer column costs more to keep than to compute again for the few uses


class Redundancy:
    """The matrix Q of some features of a table, computed by columns on demand, each once.

    Columns are kept while they are short and fit the budget; a product with others computes them again, in
    the same order of summation and therefore with the same result.
    """

    nonnegative = True

    def __init__(self, table: FeatureTable, features: IndexArray, cache_bytes: int | None = None) -> None:
        mostly = len(features) > MOSTLY * len(table.varying)
        self.table = table if mostly else table.part(features)
        self.features = features if mostly else self.table.varying
        self.size = len(features)
        self.every = np.array_equal(self.features, np.arange(self.table.n_features))
        self.convex: bool = table.measure.measure.convex
        kept = CACHE_BYTES if cache_bytes is None else cache_bytes
        room = max(1, kept // (8 * self.table.n_features))
        self.capacity = room if self.size < LONG else 0
        self.kept = np.empty((0, self.table.n_features))  # includes constant features, which share nothing
        self.place = np.full(self.size, -1, np.intp)
        self.n_kept = 0

    def mean(self) -> Mean:
        """The mean of all entries."""
        whole = self.size == len(self.table.varying)
        return (self.table if whole else self.table.part(self.features)).mean(keep=not self.convex)

    def diagonal(self) -> FloatArray:
        return self.table.self_information if self.every else self.table.self_information[self.features]

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        if self._hold(columns):
            return self.kept[np.ix_(self.place[columns], self.features[rows])].T
        return self.table.between(self.features[rows], self.features[columns])

    def product(self, columns: IndexArray, weights: FloatArray) -> FloatArray:
        if self._hold(columns):
            return weighted_rows(self.kept, self.place[columns], weights).take(self.features)
        if self.capacity:
            self._let_go()
        return self.table.weighted_sum(self.features[columns], weights).take(self.features)

    def product_at(self, rows: IndexArray, columns: IndexArray, weights: FloatArray) -> FloatArray:
        shared = self.table.between(self.features[columns], self.features[rows])
        return weighted_rows(shared, np.arange(len(columns)), weights)

    def rows(self, columns: IndexArray) -> FloatArray:
        """The given columns of Q, as rows, computed again."""
        shared = self.table.rows(self.features[columns])
        return shared if self.every else shared.take(self.features, axis=1)

    def _hold(self, columns: IndexArray) -> bool:
        """Whether the given columns are kept; computes those that are new and fit."""
        new = columns[self.place[columns] < 0]
        if self.n_kept + len(new) > self.capacity:
            return False
        if len(new):
            # Room for more than these, since they come in rounds.
            if (n := self.n_kept + len(new)) > len(self.kept):
                n_rows = min(max(n, 2 * len(self.kept), 32), self.capacity)
                kept, self.kept = self.kept, np.empty((n_rows, self.table.n_features))
                self.kept[: self.n_kept] = kept[: self.n_kept]
            step = -(-self.capacity // 4)  # in addition to those kept
            for some in (new[start : start + step] for start in range(0, len(new), step)):
                self.kept[self.n_kept : self.n_kept + len(some)] = self.table.rows(self.features[some])
                self.place[some] = np.arange(self.n_kept, self.n_kept + len(some))
                self.n_kept += len(some)
        return True

    def _let_go(self) -> None:
        """Keeps no columns from now on: a support beyond the budget would replace them in every round."""
        self.kept, self.n_kept, self.capacity = np.empty((0, self.table.n_features)), 0, 0
        self.place[:] = -1


@dataclass(frozen=True)
class QuadraticCriterion(Criterion):
    """QPFS, solved exactly; `order` ranks the features with weight, the reduced gradient all others.

    Features to keep have at least the weight defined by `Terms`, and the others are weighted given that.

    Without a trade-off, each program uses the theta that balances its own means.
    """

    balance: TradeOff | None
    n_starts: int = 1
    random_state: int = 0
    cache_bytes: int | None = None  # bytes of columns of Q that are kept; None: the default
    order: Order = by_nearest
    terms: Terms | None = None

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        Q, s = Redundancy(table, features, self.cache_bytes), relevance[features]
        balance = self.balance or balanced(Q.mean(), float(s.mean()))
        program, terms = SimplexProgram(Q, s, balance.theta), self.terms and self.terms.among(features)
        options: dict[str, Any] = {
            "n_starts": self.n_starts,
            "random_state": self.random_state,
            "on_round": lambda _: tick(),
        }
        solution = solve(program, prove_up_to=Q.table.proof_size, **options)
        if terms:
            solution = kept_in(program, terms, solution, **options)
        scores = spread(solution.weights, features, table.n_features)
        facts = {
            "theta": solution.theta,
            "theta_standard_error": balance.standard_error,
            "objective": solution.objective,
            "gap": solution.gap,
            "status": solution.status,
            "support_convex": solution.support_convex,
            "n_columns": solution.n_columns,
            "n_iter": solution.n_rounds,
        }
        return Weighing(
            scores, features[self.order(solution, Q, s, terms)], facts, standing(solution, features, table)
        )

    def weigh_each(self, table: FeatureTable, relevance: FloatArray, groups: Groups) -> FloatArray:
        """The weights of all small programs in few calls, from one start each; large ones one by one."""
        weights = np.empty(len(groups.members))
        large, small = (np.flatnonzero(mask) for mask in (groups.sizes > LARGE, groups.sizes <= LARGE))
        weights[groups.places(large)] = super().weigh_each(table, relevance, groups.take(large))
        some, engine = groups.take(small), table.task_engine
        runs = shares(some.sizes**2, engine.n_workers)
        asked = table if len(runs) < 2 else table.undivided()
        parts = engine.map(lambda run: self._weigh_run(asked, relevance, some.run(run)), runs)
        weights[groups.places(small)] = np.concatenate([np.empty(0), *parts])
        return weights

    def _weigh_run(self, table: FeatureTable, relevance: FloatArray, groups: Groups) -> FloatArray:
        """The weights of some small programs in one call."""
        Q, s = table.redundancy_within(groups), relevance[groups.members]
        thetas = self._thetas(Q, s, groups)
        weights = solve_each(Q, groups.sizes, s, thetas)
        if self.terms:
            for i in np.unique(groups.labels[np.isin(groups.members, self.terms.keep)]).tolist():
                own = slice(groups.bounds[i], groups.bounds[i + 1])
                weights[own] = bounded(Q, s, groups, i, thetas[i], self.terms)
        return weights

    def _thetas(self, Q: FloatArray, s: FloatArray, groups: Groups) -> FloatArray:
        """The theta of each program."""
        if self.balance is not None:
            return np.full(len(groups), self.balance.theta)
        if len(groups) == 0:
            return np.zeros(0)
        begin = bounds_of(groups.sizes**2)[:-1]
        q_mean = np.add.reduceat(Q, begin) / groups.sizes**2
        s_mean = np.add.reduceat(s, groups.bounds[:-1]) / groups.sizes
        return np.array([balanced_theta(q, r) for q, r in zip(q_mean.tolist(), s_mean.tolist(), strict=True)])


def shares(work: IndexArray, n_workers: int) -> list[slice]:
    """Consecutive programs in shares of about equal work, the entries of their matrices."""
    bounds = bounds_of(work)
    total = int(bounds[-1])
    n = max(1, total // MOST_ENTRIES, min(TASKS * n_workers, total // PART) if n_workers > 1 else 1)
    cuts = np.unique(np.searchsorted(bounds, np.linspace(0, total, n + 1)))
    return [slice(first, last) for first, last in pairwise(cuts.tolist())]


def bounded(Q: FloatArray, s: FloatArray, groups: Groups, i: int, theta: float, terms: Terms) -> FloatArray:
    """The weights of a group with features to keep; Q and s are those of all groups."""
    n, corner = int(groups.sizes[i]), int((groups.sizes[:i] ** 2).sum())
    own = slice(groups.bounds[i], groups.bounds[i + 1])
    matrix = DenseQuadratic(Q[corner : corner + n * n].reshape(n, n))
    program = SimplexProgram(matrix, s[own], float(theta))
    free = solve(program, prove_up_to=0)
    return kept_in(program, terms.among(groups.members[own]), free).weights


def kept_in(program: SimplexProgram, terms: Terms, free: Solution, **options: Any) -> Solution:
    """The solution with the features to keep, by their positions, from the one without terms.

    The options are those of `solve`.
    """
    if len(terms.keep) == 0:
        return free
    return solve_above(program, terms.least(len(free.support), program.size), free, **options)


def standing(solution: Solution, features: IndexArray, table: FeatureTable) -> Standing:
    """The gradient at the solution, in units of relevance: s - (1 - theta) / theta Q alpha."""
    unit = solution.theta or 1.0  # where theta is 0 it is -Q alpha
    worth = spread(-solution.gradient / unit, features, table.n_features, np.nan)
    support = solution.support
    pull = (1.0 - solution.theta) / unit * solution.weights[support]
    needed = -solution.level / unit  # that of all with weight; all others have at most as much
    return Standing(worth, needed, features[support], pull, linear=solution.theta > 0)
