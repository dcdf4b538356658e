"""What a comparison, or the check of a selection, would do, and the time and memory it would take.

Time: each trial fits a method to its training part and trains the estimator at every number of features. A
fit of a method is forecast as for a selection, a method of another package by a fit to some columns; the cost
of training and testing the estimator is measured on a training part and its test part. The trials are those
that the comparison itself would run.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from qpfs.cli.plan import (
    PILOT_ROWS,
    Forecast,
    TrialFit,
    n_workers,
    packed_bytes,
    pilot,
    seconds,
    spread_rows,
    table_bytes,
    taller,
)
from qpfs.methods import METHODS
from qpfs.wording import counted, listed, table_words

if TYPE_CHECKING:
    from qpfs.arrays import IndexArray
    from qpfs.data import Problem
    from qpfs.evaluation.comparison_plan import ComparisonPlan
    from qpfs.evaluation.trials import Trial

OTHERS = (100, 300)  # columns that a method of another package is tried on
WIDE = 1000  # columns that the estimator is tried on, in place of all
APART = 4.0  # seconds to start a separate process, about
REPEATS = 4  # fits in that process


def planned_comparison(
    plan: ComparisonPlan,
    names: Mapping[str, str],
    titles: Mapping[str, str],
    problem: Problem,
    *,
    memory: bool,
    jobs: int,
    reading: float,
) -> Forecast:
    """The time and memory that a comparison should take, given the seconds that reading took."""
    costs = Costs(plan, names)
    apart = sum(APART + REPEATS * costs.of_fit(name, plan.sample.n_samples) for name in plan.methods)
    size = table_bytes(problem.X)
    return Forecast(
        steps(plan, titles, problem, costs.failed, memory=memory),
        reading + costs.of_trials(jobs) + apart * memory,
        costs.memory(size, jobs) / 1e6,
        size / 1e6,
    )


def with_check(forecast: Forecast, plan: ComparisonPlan, name: str, jobs: int) -> Forecast:
    """The forecast of a selection by the named method, and of its check, the trials of a plan."""
    costs, table = Costs(plan, dict.fromkeys(plan.methods, name)), 1e6 * forecast.table_megabytes
    return replace(
        forecast,
        steps=(*forecast.steps, check_step(plan)),
        seconds=forecast.seconds + costs.of_trials(jobs),
        megabytes=forecast.megabytes + costs.memory(table, jobs) / 1e6,
    )


@dataclass(frozen=True)
class OtherFit:
    """The time of a method of another package: seconds in all, and seconds per column, on some rows."""

    n_samples: int
    constant: float
    column: float
    n_planes: float | None = None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> OtherFit:
        taken = {}
        for n in OTHERS:
            some, known, _ = pilot(X, y, n)
            taken[some.shape[1]] = seconds(partial(model.fit, some, known))
        (few, least), (many, most) = min(taken.items()), max(taken.items())
        column = most / many if few == many else max(most - least, 0.0) / (many - few)
        return cls(some.shape[0], max(most - column * many, 0.0), column)

    def seconds_for(self, n_features: int, n_samples: float) -> float:
        return (self.constant + self.column * n_features) * taller(n_samples, self.n_samples)


@dataclass(frozen=True, eq=False)
class Costs:
    """Seconds of the parts of a plan."""

    plan: ComparisonPlan
    names: Mapping[str, str]  # the name of the method of each text

    def of_trials(self, jobs: int) -> float:
        """Seconds of all trials."""
        return sum(self.of_trial(trial) for trial in self.plan.trials) / n_workers(jobs)

    def memory(self, table: float, jobs: int) -> float:
        """Bytes of the trials that run together: each has a copy of its training part of the table."""
        return n_workers(jobs) * (table + self.packed)

    def of_trial(self, trial: Trial) -> float:
        """Seconds of a fit, and of training and testing by its ranking."""
        texts = [text for text, ranker in self.plan.rankers.items() if ranker is trial.ranker]
        fit = self.of_fit(texts[0], len(trial.train)) if texts else 0.0
        return fit + self.of_judging(len(trial.train), everything=not texts)

    def of_fit(self, text: str, n_samples: int) -> float:
        """Seconds of a fit of a method to so many samples; 0 for one that fails."""
        fit = self.fits.get(text)
        return 0.0 if fit is None else fit.seconds_for(self.plan.sample.n_features, n_samples)

    def of_judging(self, n_samples: int, *, everything: bool) -> float:
        """Seconds of training and testing at all numbers of features, or with all features."""
        some, n_some = self.judged_with_all if everything else self.judged
        return some * taller(n_samples, n_some)

    @cached_property
    def tried(self) -> dict[str, TrialFit | OtherFit | str]:
        """The measured cost of each method, or the reason why it fails."""
        return {text: self._tried(text, method) for text, method in self.plan.methods.items()}

    def _tried(self, text: str, method: Any) -> TrialFit | OtherFit | str:
        sample = self.plan.sample
        model = sample.prepared(method)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if self.names[text] in METHODS:
                    return TrialFit.of(model, sample.X, sample.y)
                return OtherFit.of(model, sample.X, sample.y)
        except Exception as error:  # any error of a method; the comparison would go on without it
            return f"{type(error).__name__}: {error}"

    @cached_property
    def fits(self) -> dict[str, TrialFit | OtherFit]:
        return {text: fit for text, fit in self.tried.items() if not isinstance(fit, str)}

    @cached_property
    def failed(self) -> dict[str, str]:
        return {text: why for text, why in self.tried.items() if isinstance(why, str)}

    @property
    def packed(self) -> float:
        """Bytes of packed features, of the method with the most."""
        shape = self.plan.sample.X.shape
        return max((packed_bytes(fit.n_planes, shape) for fit in self.fits.values()), default=0.0)

    @cached_property
    def judged(self) -> tuple[float, int]:
        """Seconds at all numbers of features, and of how many samples to train on."""
        return self._judged(list(self.plan.sizes))

    @cached_property
    def judged_with_all(self) -> tuple[float, int]:
        """Seconds with all features, and the number of training samples; of many features, some are tried."""
        n_features = self.plan.sample.n_features
        some = min(n_features, WIDE)
        taken, n_samples = self._judged([some])
        return taken * n_features / some, n_samples

    def _judged(self, sizes: list[int]) -> tuple[float, int]:
        import numpy as np

        from qpfs.codes import some_columns
        from qpfs.evaluation.baselines import AllFeatures
        from qpfs.evaluation.rankings import Inside
        from qpfs.evaluation.trials import Trial

        sample = self.plan.sample
        columns = np.linspace(0, sample.n_features - 1, sizes[-1]).astype(int).tolist()
        small = replace(sample, X=some_columns(sample.X, columns))
        train, test = (self._some(rows) for rows in self.plan.outer.parts[0])
        trial = Trial("", Inside(AllFeatures(), small), train, test, sizes, self.plan.judge)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return seconds(lambda: trial.outcome(small)), len(train)

    def _some(self, rows: IndexArray) -> IndexArray:
        """Some of many rows, every class in its share."""
        return rows[spread_rows(self.plan.sample.strata[rows], min(len(rows), PILOT_ROWS))]


def check_step(plan: ComparisonPlan) -> str:
    """What the check of a selection would do, in words."""
    return (
        f"check by {plan.outer.text}: select from each of {counted(len(plan.outer.parts), 'training part')}, "
        f"train {plan.judge.estimator_name} on the selected features, and on all, and score it by "
        f"{plan.judge.scoring.name} on the rest"
    )


def steps(
    plan: ComparisonPlan,
    titles: Mapping[str, str],
    problem: Problem,
    failed: Mapping[str, str],
    *,
    memory: bool,
) -> tuple[str, ...]:
    """What would be done, in words."""
    ranked = [titles[text] for text in plan.methods]
    parts = len(plan.outer.parts) + sum(len(one.parts) for one in plan.inner)
    inside = f", and each training part by {plan.inner[0].text}" if plan.inner else ""
    found = [
        f"read {table_words(problem.n_samples, problem.n_features)} ({problem.format})",
        f"divide them by {plan.outer.text}{inside}",
        f"rank the features of {counted(parts, 'training part')} by {listed(ranked)}",
        f"train {plan.judge.estimator_name} on the top {listed(list(map(str, plan.sizes)))} "
        f"features of each, and on all; score it by {plan.judge.scoring.name}",
    ]
    if memory:
        found.append("fit each method in a separate process, to measure its memory")
    return (*found, *(f"report that {titles[text]} failed ({why})" for text, why in failed.items()))
