"""Rank: squared correlations of normal scores, which need no bins.

Every feature is an orthonormal basis U of centred functions of it: its normal scores, the contrasts of its
categories. Q(f, g) = ||U_f' U_g||^2 and s(f) = ||U_f' V||^2, V the basis of the target, or of several targets
jointly: sums of squared canonical correlations. Q is the inner product of the projectors U U', so its matrix
is positive semi-definite for any features, and every solution of the program is optimal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import betainc

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import check_integer
from qpfs.codes.adjusting import AdjustedForm, ScoreProjection
from qpfs.codes.covariates import Covariates
from qpfs.codes.encoding import Rule
from qpfs.codes.forms import Scores
from qpfs.codes.score_runs import UNIT, square_sums
from qpfs.codes.scores import ScoreBlock
from qpfs.codes.target import Target
from qpfs.codes.weights import Weights, counts_of
from qpfs.information.measures.measure import (
    Listed,
    Margins,
    Measure,
    Prepared,
    ReadyMeasure,
    Runs,
    Words,
    pivot_rows,
)
from qpfs.scratch import scratch

CELLS = 1 << 22  # scores of shuffled targets that are held at a time: 32 MB


@dataclass(frozen=True)
class Rank(Measure):
    """Squared correlation of normal scores; with `degree` 2 also of their squares, which detects U-shapes.

    Parameters
    ----------
    degree : {1, 2}, default=1
        How many columns represent a column of numbers.
    """

    degree: int = 1

    name = "rank"
    convex = True
    radius = 0.4
    several = True
    words = Words(
        title="the squared correlation of normal scores (normal quantiles of ranks; contrasts of categories)",
        test="analysis of variance of normal scores",
        distance="the distance 1 − Q(f, g) / max(Q(f, f), Q(g, g)), with Q the squared correlation of "
        "normal scores",
        shared="the squared correlation of their normal scores",
        apart="its distance is 0 if one is a monotone function of the other, 1 if they are not correlated",
    )

    def __post_init__(self) -> None:
        check_integer("degree", self.degree, 1, 2)
        object.__setattr__(self, "form", Scores(int(self.degree)))

    def on(self, n_samples: int, weights: Weights | None = None) -> Ranked:
        return Ranked(self, n_samples, weights)

    def adjusted(self, covariates: Covariates, rule: Rule) -> Measure:
        projection = ScoreProjection(covariates.basis(int(self.degree)), covariates.weights)
        strata = covariates.strata(rule) if covariates.only_categories else None
        return PartialRank(self.degree, projection, strata)


class Ranked(ReadyMeasure):
    """The rank measure of scores, whose products are whole numbers, so that sums do not depend on order."""

    constant_sum = 0.0
    least_expected = 10.0
    most_samples = 4096  # samples whose matrix of products is held: 128 MB

    def prepare(self, block: Any) -> Prepared:
        own = np.empty(len(block.features))
        block.own_squares(np.arange(len(own)), own, self.weights)
        return Prepared(block, own, own)

    def between(self, pivots: Prepared, rows: slice, other: Prepared) -> FloatArray:
        out = scratch("shared", (len(pivots.own[rows]), len(other.own)), np.float64)
        products = other.block.products(pivots.block, rows, self.weights)
        total = self.n_samples if self.weights is None else self.weights.total
        square_sums(products, pivots.block.n_levels, other.block.n_levels, total, out)
        return out

    taken = 0  # degrees of freedom of the covariates

    def relevance(self, target: Target, block: Prepared) -> FloatArray:
        return self.between(self.prepare(target.scores), slice(None), block)[0].copy()

    def shuffled(self, target: Target, orders: IndexArray, block: Prepared) -> FloatArray:
        found = np.empty((len(orders), len(block.own)))
        step = max(1, CELLS // (self.n_samples * self.degrees(target)))
        for start in range(0, len(orders), step):
            pivots = target.scores_in(orders[start : start + step])
            unasked = np.zeros(len(pivots.features))  # what each shares with itself: costly for many classes
            found[start : start + step] = pivot_rows(self, Prepared(pivots, unasked, unasked), block)
        return found

    def degrees(self, target: Target) -> int:
        return target.scores.n_levels

    def margins(self, block: Prepared, least: float, target: Target) -> Margins:
        key = np.zeros(len(block.own), np.uint64)
        block.block.rare_margins(np.arange(len(key)), least, key, self.weights)
        return Margins(key, np.ones(len(key)))

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray:
        """The p values of Pillai's trace, approximately; for one column the F test, exact for normal data."""
        # With p and q columns, s the fewer and m the more of them, the trace over s has the beta distribution
        # with s m / 2 and s (N - 1 - m) / 2 degrees of freedom, less those of covariates.
        p, q = levels, self.degrees(target)
        fewer, more = np.minimum(p, q), np.maximum(p, q)
        size = self.n_samples if self.weights is None else self.weights.size
        rest = np.maximum(fewer * (size - 1.0 - self.taken - more) / 2, 0.5)
        left = np.clip(1.0 - relevance / fewer, 0.0, 1.0)
        return np.asarray(betainc(rest, fewer * more / 2, left), np.float64)

    def along(self, runs: Runs, others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        pairs = (runs.slots, runs.lo, runs.hi, others.features)
        runs.block.block.squares_along(*pairs, out, self.weights)
        return out

    def gram(self, block: Prepared) -> AnyArray:
        return block.block.gram()

    def sum_of_pairs(self, gram: AnyArray) -> float:
        if self.weights is None:
            scaled = gram / (float(self.n_samples) * UNIT * UNIT)
            return float((scaled * scaled).sum())
        scaled = gram / (float(self.total) * UNIT * UNIT)
        if self.weights.unit == 1:  # as for all copies, which are few: added up in the same order
            scaled = scaled.repeat(self.weights.counts, axis=0).repeat(self.weights.counts, axis=1)
            return float((scaled * scaled).sum())
        counts = self.weights.counts.astype(np.float64)
        return float(counts @ (scaled * scaled) @ counts)


@dataclass(frozen=True)
class PartialRank(Rank):
    """Squared partial correlation of normal scores: that of the residuals given covariates."""

    projection: ScoreProjection = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    codes: IndexArray | None = field(default=None, repr=False, compare=False)  # strata, of categories alone

    words = replace(
        Rank.words,
        title="the squared partial correlation of normal scores (normal quantiles of ranks; contrasts of "
        "categories) given the covariates",
        test="analysis of covariance of normal scores",
        distance="the distance 1 − Q(f, g) / max(Q(f, f), Q(g, g)), with Q the squared partial correlation "
        "of normal scores given the covariates",
        shared="the squared partial correlation of their normal scores given the covariates",
        apart="its distance, given the covariates, is 0 if one is a monotone function of the other, 1 if "
        "they are not correlated",
        given="given the covariates",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "form", AdjustedForm(Scores(int(self.degree)), self.projection))

    @property
    def strata(self) -> IndexArray | None:
        return self.codes

    def on(self, n_samples: int, weights: Weights | None = None) -> PartiallyRanked:
        return PartiallyRanked(self, n_samples, weights)


class PartiallyRanked(Ranked):
    """The measure of scores that are adjusted for covariates."""

    measure: PartialRank

    @property
    def taken(self) -> int:  # type: ignore[override]
        return self.measure.projection.basis.shape[1] - 1

    def target(self, target: Target) -> ScoreBlock | None:
        """The residuals of the target; None: the covariates determine it."""
        return next((block for _, block in self.measure.projection.parts(target.scores)), None)

    def relevance(self, target: Target, block: Prepared) -> FloatArray:
        left = self.target(target)
        if left is None:
            return np.zeros(len(block.own))
        return self.between(self.prepare(left), slice(None), block)[0].copy()

    def shuffled(self, target: Target, orders: IndexArray, block: Prepared) -> FloatArray:
        found, left = np.zeros((len(orders), len(block.own))), self.target(target)
        if left is None:
            return found
        # Where covariates are categories the target is shuffled within them, and, where samples have weights,
        # which are not shuffled, ranked and adjusted again. If any is a number, the residuals of the target
        # are shuffled freely and adjusted once more (Freedman and Lane).
        pivots, within = left.in_orders(orders), self.measure.strata is not None
        if within and self.weights is None:
            return pivot_rows(self, self.prepare(pivots), block)
        if within:
            pivots = target.scores_in(orders)
        for some, part in self.measure.projection.parts(pivots):
            found[some] = pivot_rows(self, self.prepare(part), block)
        return found

    def degrees(self, target: Target) -> int:
        left = self.target(target)
        return 1 if left is None else left.n_levels

    def margins(self, block: Prepared, least: float, target: Target) -> Margins:
        """The margins; rare ones depend on few samples, by the fourth moment: N / 3 for normal scores."""
        key = np.zeros(len(block.own), np.uint64)
        for some, part, at in block.block.pieces(np.arange(len(key))):
            columns = part.take(at).columns().reshape(len(at), part.n_levels, -1) / UNIT
            weight = np.average(columns**4, axis=2, weights=counts_of(self.weights)).max(axis=1)
            rare = 2 * self.total < least * weight
            # Chance also depends on the covariates, so no two features share margins.
            key[some] = np.where(rare, part.features[at].astype(np.uint64) + np.uint64(1), np.uint64(0))
        return Margins(key, np.ones(len(key)))
