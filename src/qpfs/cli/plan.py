"""What a selection would do, and the time and memory it would take.

Time: the first steps of all methods (discretising, packing, relevance) are timed on some columns of some rows
and scaled; the time per pair of features is measured and multiplied by the number of pairs that a method
should need. The linear models, and the Nyström matrix, are fitted to some columns, and that time is scaled.

Memory: the table as read, the packed features, and the columns kept.
"""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qpfs.cli.methods import rule_words
from qpfs.cli.terminal import Record
from qpfs.wording import listed, table_words

if TYPE_CHECKING:
    from qpfs.arrays import IndexArray
    from qpfs.codes import EncodedTable
    from qpfs.codes.covariates import Covariates
    from qpfs.data import Problem
    from qpfs.information import FeatureTable
    from qpfs.selectors import FeatureSelector

AnyTable = Any  # the table that a selector is fitted to: an array, a sparse matrix, a frame, a store
Target = Any  # labels or numbers
Known = Any  # covariates by name, or none
Weights = Any  # a number for each sample, or None
Model = Any  # a selector, or a pipeline that ends in one
PILOT = 1000  # columns of the trial
PILOT_ROWS = 2000  # and its rows
WARM_UP = 250  # columns of a fit that only compiles kernels: more than the initial clusters
SMALL = 2_000_000  # cells of a table that is fitted about as fast as a trial
FEW = 200  # samples below which the time hardly depends on their number
PIVOTS = 64  # columns whose pairs with all others are timed
VECTORS = 16  # numbers that are kept of each feature, about
COLUMNS = 100  # of Q that are kept, about


@dataclass(frozen=True)
class Forecast:
    """What is expected."""

    steps: tuple[str, ...]
    seconds: float  # of all steps
    megabytes: float  # in addition to the table as read
    table_megabytes: float

    def record(self) -> Record:
        """As plain data."""
        sizes = {"megabytes": round(self.megabytes, 6), "table_megabytes": round(self.table_megabytes, 6)}
        return {"steps": list(self.steps), "seconds": round(self.seconds, 3), **sizes}


def planned(
    model: Model,
    X: AnyTable,
    problem: Problem,
    title: str,
    resamples: int = 0,
    *,
    jobs: int = 1,
    reading: float = 0.0,
) -> Forecast:
    """The time and memory of fitting a model to a table, given the seconds that reading took."""
    from qpfs.codes import table_kind

    trial = TrialFit.of(model, X, problem.y, problem.covariates, problem.weights)
    one = trial.seconds_for(X.shape[1], X.shape[0])
    fits = [X.shape[0] / 2] * resamples + cohort_fits(problem)
    drawn = sum(trial.seconds_for(X.shape[1], n) for n in fits) / n_workers(jobs)
    return Forecast(
        steps(last(model), problem, title, resamples),
        reading + one + drawn,
        (packed_bytes(trial.n_planes, X.shape) if table_kind(X).has_numbers else kept_bytes(X)) / 1e6,
        table_bytes(problem.X) / 1e6,
    )


def expected_seconds(
    model: Model, X: AnyTable, y: Target, covariates: Known = None, weights: Weights = None
) -> float:
    """How long a fit should take; 0 if the table is so small that a trial would take as long."""
    if X.shape[0] * X.shape[1] <= SMALL:
        return 0.0
    return TrialFit.of(model, X, y, covariates, weights).seconds_for(X.shape[1], X.shape[0])


def warm_up(model: Model, X: AnyTable, y: Target, weights: Weights = None) -> None:
    """Compiles the kernels by a fit to few columns; errors in the data are left to the fit itself."""
    from qpfs.compiled import compiled_at_once

    with contextlib.suppress(Exception), compiled_at_once():
        some, known, rows = pilot(X, y, WARM_UP)
        fitted, _ = trial_fit(model, some, known, X.shape[1], times=1, **given(weights, rows))
        if (table := last(fitted).fitted_.table) is not None:
            table.mean()  # kernels for pairs of many features, which few features do not need,
            table.between(table.varying[:1], table.varying[:1])  # or for features that are not adjacent


def n_workers(jobs: int) -> int:
    """How many resamples are computed in parallel."""
    there = os.cpu_count() or 1
    return there if jobs < 0 else min(jobs, there)


@dataclass(frozen=True, eq=False)
class TrialFit:
    """Times measured on some of the columns: seconds that grow with their number, and seconds per pair."""

    selector: FeatureSelector
    n_features: int
    n_samples: int
    linear: float
    pair: float = 0.0
    n_planes: float | None = None  # bits of a cell, where features are discretised

    @classmethod
    def of(
        cls, model: Model, X: AnyTable, y: Target, covariates: Known = None, weights: Weights = None
    ) -> TrialFit:
        from sklearn.base import clone

        some, told, rows = pilot(X, y, PILOT)
        selector, shape, asked = last(model), (some.shape[1], some.shape[0]), given(weights, rows)
        if selector._pairs(*shape) is None:  # its time depends on other things: the whole fit is tried
            return cls(selector, *shape, trial_fit(model, some, told, X.shape[1], **asked)[1])
        tables: list[FeatureTable] = []
        known = covariates_at(covariates, rows, X.shape[0])
        trial = clone(selector).set_params(**selector._for_fewer(some.shape[1], X.shape[1]))
        linear = min(
            seconds(lambda: tables.append(trial._posed(some, told, known, **asked).table)) for _ in range(3)
        )
        return cls(selector, *shape, linear, seconds_of_a_pair(tables[-1]), planes_of(tables[-1]))

    def seconds_for(self, n_features: int, n_samples: float) -> float:
        """Seconds of a fit to more columns and rows."""
        linear = self.linear * n_features / self.n_features
        asked = self.pair * (self.selector._pairs(n_features, n_samples) or 0.0)
        return (linear + asked) * taller(n_samples, self.n_samples)


def covariates_at(covariates: Known, rows: IndexArray, n_samples: int) -> Covariates | None:
    """The covariates of some rows."""
    from qpfs.codes.covariates import covariates_of

    return covariates_of(covariates, n_samples).part(rows) if covariates else None


def taller(n_samples: float, tried: int) -> float:
    """The time with so many samples as a multiple of the time of the trial."""
    return max(n_samples, FEW) / max(tried, FEW)


def seconds_of_a_pair(table: FeatureTable) -> float:
    """Seconds for the redundancy of two features, measured on all pairs of some."""
    import numpy as np

    some = np.arange(min(PIVOTS, table.n_features))
    return min(seconds(lambda: table.rows(some)) for _ in range(3)) / (len(some) * table.n_features)


def planes_of(table: FeatureTable) -> float | None:
    """How many bits a cell takes on average; None where features are not discretised."""
    if table.measure.measure.form.name != "levels":
        return None
    return sum((block.n_levels - 1) * len(block.features) for block in table.store.blocks) / table.n_features


def given(weights: Weights, rows: IndexArray) -> dict[str, Any]:
    """The weights of some samples as an argument of `fit`, if weights are given."""
    return {} if weights is None else {"sample_weight": weights[rows]}


def trial_fit(
    model: Model, X: AnyTable, y: Target, n_features: int, times: int = 3, **given: Any
) -> tuple[Model, float]:
    """The model fitted to some of so many features, and the seconds that took."""
    from sklearn.base import clone

    trial = clone(model)
    last(trial).set_params(**last(model)._for_fewer(X.shape[1], n_features))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trial, min(seconds(lambda: trial.fit(X, y, **given)) for _ in range(times))


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    from qpfs.compiled import clock, compiled_at_once

    with compiled_at_once():
        begun = clock()
        work()
        return clock() - begun


def last(model: Model) -> FeatureSelector:
    """The selector at the end of a pipeline, or the selector itself."""
    found: FeatureSelector = model[-1] if hasattr(model, "steps") else model
    return found


def pilot(X: AnyTable, y: Target, n: int) -> tuple[AnyTable, Target, IndexArray]:
    """At most n columns spread over a table, some of its rows, the target of these rows, and the rows."""
    import numpy as np

    from qpfs.codes import some_columns, some_rows

    columns = np.linspace(0, X.shape[1] - 1, min(X.shape[1], n)).astype(int)
    rows = spread_rows(y, min(X.shape[0], PILOT_ROWS))
    return some_rows(some_columns(X, columns.tolist()), rows), some_rows(y, rows), rows


def spread_rows(y: Target, n: int) -> IndexArray:
    """Rows that have every class in about its share."""
    import numpy as np

    from qpfs.codes.values import named_columns

    targets = [np.asarray(column) for _, column in named_columns(y) or [("", y)]]
    each = np.linspace(0, len(targets[0]) - 1, max(2, n // len(targets))).astype(int)
    return np.unique([np.argsort(one, kind="stable")[each] for one in targets])


def packed_bytes(n_planes: float | None, shape: tuple[int, int]) -> float:
    """Bytes of the packed features and of the columns kept beside them."""
    n_samples, n_features = shape
    if n_planes is None:
        return 8.0 * n_samples * n_features
    return 8.0 * n_features * (n_planes * math.ceil(n_samples / 64) + COLUMNS)


def kept_bytes(table: EncodedTable) -> float:
    """Bytes that a fit keeps in memory beside the memory-mapped features of a store."""
    from qpfs.codes.disk_table import CACHE

    columns = min(8.0 * table.n_features * COLUMNS, float(table.memory // CACHE))
    turned = min(table.nbytes, table.memory // 4)
    packed = 2 * table.nbytes if table.nbytes <= table.memory // 4 else 0  # a level of clusters, and the next
    return columns + max(turned, packed) + 8.0 * VECTORS * table.n_features


def cohort_fits(problem: Problem) -> list[int]:
    """The numbers of samples of the fits without each cohort, and of the fits to each cohort alone."""
    sizes = [] if problem.cohorts is None else list(Counter(problem.cohorts.tolist()).values())
    return [n for size in sizes for n in (problem.n_samples - size, size)]


def table_bytes(X: AnyTable) -> float:
    """Bytes of a table as it was read."""
    from qpfs.codes.values import is_sparse

    if is_sparse(X):
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return X.nbytes


def steps(selector: FeatureSelector, problem: Problem, title: str, resamples: int) -> tuple[str, ...]:
    """What would be done, in words."""
    from qpfs.codes import columns_of, table_kind
    from qpfs.codes.stored_problem import held_words
    from qpfs.selectors.parameters import usual_measure

    found = [f"read {table_words(problem.n_samples, problem.n_features)} ({problem.format})"]
    settings = selector._settings() if hasattr(selector, "discretizer") else None
    measure = settings and (settings.measure or usual_measure(columns_of(problem.X).form))
    if measure and measure.form.name == "levels":
        kept = not table_kind(problem.X).has_numbers
        rule = rule_words(problem.X.rule if kept else selector.discretizer)
        found.append(
            f"take the levels as they were encoded: {rule}" if kept else f"discretise numbers: {rule}"
        )
    elif not table_kind(problem.X).has_numbers:
        found.append(f"take the {problem.X.form.name} as they were encoded: {held_words(problem.X)}")
    if problem.covariates:
        found.append(f"adjust for {listed(list(problem.covariates))}")
    found.append(f"select by {title}")
    if resamples:
        units = "samples" if problem.groups is None else "groups"
        found.append(f"select from {resamples} random halves of the {units}, for the stability")
    if n := len(problem.cohort_sources):
        found.append(f"leave each of {n} cohorts out: select and train on the others, and test on it")
        found.append("select in each cohort alone")
    return tuple(found)
