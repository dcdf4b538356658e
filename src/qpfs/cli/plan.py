"""What a selection would do, and what time and memory it would take.

Time: what all methods begin with (cutting, packing, relevance) is done for some columns of some rows and
scaled; what a pair of features costs is measured, and times the number of pairs that a method should look at.
The linear machines, and the guessed matrix, are fitted to some columns, and that is scaled.

Memory: what is read, the packed features, and the columns kept.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qpfs.cli.methods import rule_words
from qpfs.cli.stores import held_words

PILOT = 1000  # columns of the trial
PILOT_ROWS = 2000  # and its rows
WARM_UP = 250  # columns, to have kernels compiled: more than the first clusters
SMALL = 2_000_000  # cells of a table that is fitted about as fast as a trial
FEW = 200  # samples below which their number hardly matters
PIVOTS = 64  # of them with all others, to see what a pair costs
VECTORS = 16  # numbers that are kept of each feature, about
COLUMNS = 100  # of Q that are kept, about


@dataclass(frozen=True)
class Forecast:
    """What is expected."""

    steps: tuple[str, ...]
    seconds: float  # of all that would be done
    megabytes: float  # beyond the table as it was read
    table_megabytes: float

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "steps": list(self.steps),
            "seconds": round(self.seconds, 3),
            "megabytes": round(self.megabytes, 6),
            "table_megabytes": round(self.table_megabytes, 6),
        }


def planned(
    model: Any, X: Any, problem: Any, title: str, resamples: int = 0, *, jobs: int = 1, reading: float = 0.0
) -> Forecast:
    """What fitting a model to a table should take, once it has been read in some seconds."""
    from qpfs.codes import table_kind

    trial = TrialFit.of(model, X, problem.y)
    one = trial.seconds_for(X.shape[1], X.shape[0])
    drawn = resamples * trial.seconds_for(X.shape[1], X.shape[0] / 2) / n_workers(jobs)
    return Forecast(
        steps(last(model), problem, title, resamples),
        reading + one + drawn,
        (packed_bytes(trial.coding, X.shape) if table_kind(X).has_numbers else kept_bytes(X)) / 1e6,
        table_bytes(problem.X) / 1e6,
    )


def expected_seconds(model: Any, X: Any, y: Any) -> float:
    """How long a fit should take; 0 if the table is so small that a trial would take as long."""
    if X.shape[0] * X.shape[1] <= SMALL:
        return 0.0
    return TrialFit.of(model, X, y).seconds_for(X.shape[1], X.shape[0])


def warm_up(model: Any, X: Any, y: Any) -> None:
    """Has kernels at hand by a fit to few columns; what is wrong with the data shows in the fit itself."""
    from qpfs.codes import table_kind

    some, rows = pilot(X, y, WARM_UP)
    if not table_kind(X).has_numbers:
        lock(some)
    with contextlib.suppress(Exception):
        fitted, _ = trial_fit(model, some, y[rows], X.shape[1], times=1)
        last(fitted).fitted_.table.mean()  # of many features pair by pair, which few go without


def lock(table: Any) -> None:
    """Makes the arrays of an encoded table read-only, as those in a file are: other kernels are for such."""
    from qpfs.codes.disk_layout import layout_for

    for block in table.blocks:
        for array in layout_for(table.form).arrays(block):
            array.flags.writeable = False


def n_workers(jobs: int) -> int:
    """How many resamples are worked on at once."""
    import os

    there = os.cpu_count() or 1
    return there if jobs < 0 else min(jobs, there)


@dataclass(frozen=True, eq=False)
class TrialFit:
    """What was found on some of the columns: seconds that grow with their number, and seconds of a pair."""

    selector: Any
    n_features: int
    n_samples: int
    linear: float
    pair: float
    coding: Any = None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> TrialFit:
        some, rows = pilot(X, y, PILOT)
        counted = last(model)._pairs(some.shape[1], len(rows)) is not None
        fitted, linear = trial_fit(
            relevance_alone(last(model)) if counted else model, some, y[rows], X.shape[1]
        )
        pair = seconds_of_a_pair(last(fitted)) if counted else 0.0
        coding = getattr(last(fitted), "discretizer_", None)
        return cls(last(model), some.shape[1], len(rows), linear, pair, coding)

    def seconds_for(self, n_features: int, n_samples: float) -> float:
        """Of a fit to more columns and rows."""
        taller = max(n_samples, FEW) / max(self.n_samples, FEW)
        linear = self.linear * n_features / self.n_features
        asked = self.pair * self.selector._pairs(n_features, n_samples) if self.pair else 0.0
        return (linear + asked) * taller


def relevance_alone(selector: Any) -> Any:
    """The selector that does what all begin with: cutting, packing, relevance."""
    from qpfs import MaxRel

    shared = ("measure", "discretizer", "target_discretizer", "n_jobs")
    return MaxRel(**{name: getattr(selector, name) for name in shared})


def seconds_of_a_pair(fitted: Any) -> float:
    """What two features share, found among all pairs of some."""
    import numpy as np

    table = fitted.fitted_.table
    some = np.arange(min(PIVOTS, table.n_features))
    return min(seconds(lambda: table.rows(some)) for _ in range(3)) / (len(some) * table.n_features)


def trial_fit(model: Any, X: Any, y: Any, n_features: int, times: int = 3) -> tuple[Any, float]:
    """The model fitted to some of so many features, and the seconds of that."""
    from sklearn.base import clone

    trial = clone(model)
    last(trial).set_params(**on_fewer(last(model), X.shape[1], n_features))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trial, min(seconds(lambda: trial.fit(X, y)) for _ in range(times))


def on_fewer(selector: Any, n: int, n_features: int) -> dict[str, Any]:
    """The parameters that go with the number of features, for n of them."""
    wanted = selector.n_features_to_select
    found = {"n_features_to_select": min(wanted, n) if isinstance(wanted, int) else wanted}
    if hasattr(selector, "sampling_rate"):  # as many sampled columns as there will be
        found["sampling_rate"] = min(1.0, selector.sampling_rate * n_features / n)
    return found


def seconds(work: Callable[[], Any]) -> float:
    """How long something takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def last(model: Any) -> Any:
    """The selector at the end of a pipeline, or by itself."""
    return model[-1] if hasattr(model, "steps") else model


def pilot(X: Any, y: Any, n: int) -> tuple[Any, Any]:
    """At most n columns of a table from all over it, and some of its rows; which rows these are."""
    import numpy as np

    from qpfs.codes import some_columns, some_rows

    columns = np.linspace(0, X.shape[1] - 1, min(X.shape[1], n)).astype(int)
    rows = spread_rows(y, min(X.shape[0], PILOT_ROWS))
    return some_rows(some_columns(X, columns.tolist()), rows), rows


def spread_rows(y: Any, n: int) -> Any:
    """Rows that have every class in about its share."""
    import numpy as np

    by_class = np.argsort(y, kind="stable")
    return np.sort(by_class[np.linspace(0, len(y) - 1, n).astype(int)])


def packed_bytes(coding: Any, shape: tuple[int, int]) -> float:
    """Of the packed features and the columns kept beside them."""
    n_samples, n_features = shape
    if coding is None:
        return 8.0 * n_samples * n_features
    planes = float((coding.n_levels_ - 1).mean())
    return 8.0 * n_features * (planes * math.ceil(n_samples / 64) + COLUMNS)


def kept_bytes(table: Any) -> float:
    """Of what a fit keeps in memory beside the mapped features of a store."""
    columns = min(8.0 * table.n_features * COLUMNS, table.cache_bytes)
    turned = min(table.nbytes, table.memory // 4)
    packed = 2 * table.nbytes if table.nbytes <= table.memory // 4 else 0  # a level of clusters, and the next
    return columns + max(turned, packed) + 8.0 * VECTORS * table.n_features


def table_bytes(X: Any) -> float:
    """Of a table as it was read."""
    from qpfs.codes.sparse_columns import is_sparse

    if is_sparse(X):
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return X.nbytes


def steps(selector: Any, problem: Any, title: str, resamples: int) -> tuple[str, ...]:
    """What would be done, in words."""
    from qpfs.codes import columns_of, table_kind

    found = [f"read {problem.n_samples} samples of {problem.n_features} features ({problem.format})"]
    settings = selector._settings() if hasattr(selector, "discretizer") else None
    if settings and settings.measure_on(columns_of(problem.X).form).form.name == "levels":
        kept = not table_kind(problem.X).has_numbers
        rule = rule_words(problem.X.rule if kept else selector.discretizer)
        found.append(
            f"take the levels as they were encoded: {rule}" if kept else f"discretise numbers: {rule}"
        )
    elif not table_kind(problem.X).has_numbers:
        found.append(f"take the {problem.X.form.name} as they were encoded: {held_words(problem.X)}")
    found.append(f"select by {title}")
    if resamples:
        found.append(f"select from {resamples} samples of the rows, for the stability")
    return tuple(found)
