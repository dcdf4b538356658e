"""The problem that a fit solves: packed features with their relevance, before any weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np

from qpfs.arrays import FloatArray
from qpfs.codes import Coding, Columns, Discretizer, Target
from qpfs.criteria import Effort, Terms, TradeOff, trade_off
from qpfs.criteria.weighing import Tick, Weighing
from qpfs.engines import Engine
from qpfs.information import FeatureTable, Measure, Shuffles, Significance
from qpfs.selectors.chance import discovered
from qpfs.selectors.restrictions import NONE, Restrictions
from qpfs.wording import all_of, some_of

HERE_BYTES = 400  # per feature, about, that a fit keeps in this process, even if the features are elsewhere
HELD_BYTES = 60  # per feature, about, that is kept in addition to its levels


@dataclass(frozen=True, eq=False)
class FitProblem:
    """The packed features with their relevance, the input they were made from, and how many to select."""

    table: FeatureTable
    relevance: FloatArray
    columns: Columns
    y: Any  # as it was given
    target: Target  # the target that is used
    rule: Discretizer
    n_select: int | None
    tick: Tick
    terms: Terms | None = None  # features to keep, and groups that may be full
    background: FeatureTable | None = None  # for the mean of an automatic theta; None: `table`
    effort: Effort | None = None  # to spend on an automatic theta; None: as for exact QPFS
    balances: dict[Any, Any] = field(default_factory=dict)  # automatic thetas, computed once

    @property
    def adjusted(self) -> bool:
        """Whether features are adjusted for covariates."""
        form = self.table.measure.measure.form
        return form.plain is not form

    def balance(self, theta: float | str, random_state: np.random.RandomState) -> TradeOff:
        """The given theta, or the automatic one; `random_state` advances as if it were computed again."""
        if theta != "auto":
            return TradeOff(float(theta))
        key = (self.effort, joblib.hash(random_state.get_state(legacy=False)))
        if key not in self.balances:
            found = trade_off(self.background or self.table, self.relevance, random_state, self.effort)
            self.balances[key] = found, random_state.get_state(legacy=False)
        found, after = self.balances[key]
        random_state.set_state(after)
        balance: TradeOff = found
        return balance


@dataclass(frozen=True, eq=False)
class FitInput:
    """What a fit computes with: the columns, target and measure after all checks, and what is asked for."""

    columns: Columns
    y: Any  # as it was given
    target: Target  # the target that is used
    rule: Discretizer
    measure: Measure
    shuffles: Shuffles
    asked: Restrictions | None  # None: no restrictions
    n_select: int | None

    def posed(
        self,
        table: FeatureTable,
        relevance: FloatArray,
        fdr: float | None,
        sure: Significance | None,
        tick: Tick,
    ) -> FitProblem:
        """The problem of the features that may be selected; with an fdr, of those that pass it."""
        asked = self.asked
        weighed = candidates = asked.candidates(table) if asked else table
        if fdr is not None and sure is not None:
            weighed = discovered(candidates, sure, fdr, asked.keep if asked else NONE)
        return FitProblem(
            weighed,
            relevance,
            self.columns,
            self.y,
            self.target,
            self.rule,
            self.n_select,
            tick,
            asked.terms(relevance) if asked else None,
            candidates,
        )


@dataclass(frozen=True, eq=False)
class FitOutput:
    """What a fit computes, beside its relevance."""

    table: FeatureTable
    plain: FeatureTable | None  # of single columns, where groups are single features of the table
    coding: Coding | None  # how columns were discretised; None: they were not
    alone: FloatArray  # the relevance of single columns
    sure: Significance | None  # None: not tested
    weighing: Weighing


def check_cluster_room(columns: Columns, measure: Measure, engine: Engine) -> None:
    """Raises MemoryError if memory is short in this process, or where the features will be held."""
    cells = int(measure.form.cell_bytes * columns.n_samples * columns.n_features)
    engine.check_room(HERE_BYTES * columns.n_features, 2 * cells + HELD_BYTES * columns.n_features)


def packed_table(
    columns: Columns, rule: Discretizer, measure: Measure, engine: Engine
) -> tuple[FeatureTable, Coding | None]:
    """The feature table of some columns under a measure, and how they were discretised."""
    store, coding = columns.packed(measure.form, rule, engine)
    weights = () if columns.weights is None else (columns.weights,)
    table: FeatureTable = FeatureTable(store, measure.on(columns.n_samples, *weights), engine)
    if len(table.varying) == 0:
        cut = measure.form.name == "levels"
        if len(store.reflecting):
            some = some_of(
                len(store.reflecting), table.n_features, "feature", "only reflects", "only reflect"
            )
            raise ValueError(
                f"{some} the covariates, and the others are constant: there is nothing to select from. Give "
                "fewer covariates, or fewer categories."
            )
        those = all_of(table.n_features, "feature", "is", "are")
        raise ValueError(
            f"{those} constant{' after discretisation' * cut}, so there is nothing to select. "
            f"Check the data{', or use a finer rule such as EqualFrequency(5)' * cut}."
        )
    return table, coding
