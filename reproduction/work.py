"""What is done on a set: lists of the harness's trials, and what comes of their outcomes.

As published, features are scaled by all rows; on the small sets one selection on all rows is tested by
leaving out one row at a time, else a selection is made in each split. Nested, everything is settled inside
the training part. Trials are on record once they are done, and none is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

import qpfs
from qpfs import MaxRel, ThreeSegments, TwoLevelFeatureKMeans, TwoLevelSelector
from qpfs.arrays import IndexArray
from qpfs.evaluation import AllFeatures, MeasuringError, Records, measured
from qpfs.evaluation.judging import ErrorRate, Judge
from qpfs.evaluation.rankings import Inside, Ranker, Ranking
from qpfs.evaluation.runs import Tick, run
from qpfs.evaluation.sample import Sample
from qpfs.evaluation.selection_cv import SelectorGrid
from qpfs.evaluation.splits import Parts, splits_of
from qpfs.evaluation.trials import Trial
from qpfs.kinds import AMOUNT, COUNT, NUMBER, RANK, SHARE, TEXT, Fields, Kind, Maybe
from qpfs.report.cluster_record import cluster_record
from qpfs.report.schema import ClustersRecord, kind_for
from reproduction import published
from reproduction.leave_one_out import LeftOut
from reproduction.methods import CLUSTERED, COMPARED, TYPICAL, ComparedMethod, Parameters
from reproduction.plan import BASELINE_CLUSTERS, PaperPlan, Plain
from reproduction.results import JUDGED, Curve, Nested, SetResults, curve_from, lowest_of
from reproduction.sets import ALL_ROWS, GIVEN, SPLITS, DataSet, SetTable
from reproduction.theory import theory

REPEATS, LONG = 3, 600.0  # fits that the time is the median of; seconds after which one is given up
COST = Fields({"seconds": Maybe(AMOUNT), "megabytes": Maybe(AMOUNT), "why": TEXT})
THEORY = Fields(
    {
        **dict.fromkeys(
            ("n_features", "n_samples", "k", "levels", "published_bound", "bound", "pairs"), RANK
        ),
        **dict.fromkeys(("distances", "n_final"), COUNT),
        **dict.fromkeys(("R", "tau", "widest"), NUMBER),
        "levels_expected": AMOUNT,
        "without_weight": Maybe(SHARE),
    }
)


@dataclass(frozen=True, eq=False)
class SetWork:
    """The trials of a set."""

    plan: PaperPlan
    one: DataSet
    table: SetTable
    records: Records
    n_jobs: int = 1
    tick: Tick | None = None

    def results(self) -> SetResults:
        """All but costs, which are measured when nothing else runs."""
        found = SetResults(baselines=self.baselines())
        for method in self.plan.methods(self.one):
            found.tried[method.name] = self.tried(method, self.plan.grid(self.one, method))
            best = lowest_of(found.tried[method.name])
            if best is not None:
                self.follow_up(found, method, best)
            if not self.one.stand_in:
                found.nested[method.name] = self.nested(method)
        found.theory.update((method, self.theory(method)) for method in CLUSTERED)
        return found

    def follow_up(self, found: SetResults, method: ComparedMethod, best: Curve) -> None:
        """What is done with what was chosen: all splits, all sizes, another C; or the selection inside."""
        name, extent, division = method.name, self.plan.extent, self.one.division
        found.chosen[name] = found.curves[name] = found.inside[name] = best
        if division == ALL_ROWS:
            del found.inside[name]
            if not self.one.stand_in:
                found.inside[name] = self.curve(method, best.parameters, self.each_left_out)
            return
        if division == SPLITS:
            found.curves[name] = self.curve(method, best.parameters, self.splits)
        else:
            steps = self.plan.sizes(self.one, extent.last_steps)
            found.curves[name] = self.curve(method, best.parameters, self.tests, sizes=steps)
        found.inside[name] = found.curves[name]
        for C in extent.prices if name in JUDGED else ():
            found.prices[name, C] = self.curve(method, best.parameters, self.tests, C)

    # As published.

    @cached_property
    def splits(self) -> Sequence[Parts]:
        """The publication's random splits: a longer row of splits begins with the same."""
        n = self.plan.extent.n_splits
        cv = StratifiedShuffleSplit(n, train_size=published.TRAIN_SHARE, random_state=0)
        return splits_of(cv, self.table.scaled).parts

    @cached_property
    def tests(self) -> Sequence[Parts]:
        """On what parameters are tried: all rows at once, the first random splits, or the given one."""
        rows = np.arange(self.table.n_samples)
        if self.one.division == ALL_ROWS:
            return [(rows, rows)]
        return [given_parts(rows)] if self.one.division == GIVEN else self.splits[: self.plan.extent.n_tried]

    @cached_property
    def each_left_out(self) -> Sequence[Parts]:
        return splits_of(LeaveOneOut(), self.table.scaled).parts

    def judge(self, parts: Sequence[Parts], C: float = 1.0) -> Judge:
        """The publication's classifier; where rows are both trained on and tested, each as if left out."""
        left_out = parts is self.tests and self.one.division == ALL_ROWS
        machine = LeftOut() if left_out else LinearSVC(dual=False, C=C, max_iter=10_000)
        return Judge(machine, ErrorRate())

    def selector(self, method: ComparedMethod, parameters: Parameters) -> Any:
        return method.made(parameters, self.table.n_features)

    def tried(self, method: ComparedMethod, grid: Sequence[Parameters]) -> list[Curve]:
        """The curve of each choice of parameters on the tests by which one is chosen."""
        sizes, judge, n = self.plan.sizes(self.one), self.judge(self.tests), len(self.tests)
        rankers = [Inside(self.selector(method, one), self.table.scaled) for one in grid]
        found = self.run(
            method.title,
            self.table.scaled,
            [
                Trial("tried", ranker, train, test, sizes, judge)
                for ranker in rankers
                for train, test in self.tests
            ],
        )
        return [
            curve_from(one, sizes, found[i * n : (i + 1) * n], splits=self.one.division == SPLITS)
            for i, one in enumerate(grid)
        ]

    def curve(
        self,
        method: ComparedMethod,
        parameters: Parameters,
        parts: Sequence[Parts],
        C: float = 1.0,
        sizes: Sequence[int] | None = None,
    ) -> Curve:
        """The curve of one choice of parameters on some parts."""
        sizes = self.plan.sizes(self.one) if sizes is None else sizes
        ranker = Inside(self.selector(method, parameters), self.table.scaled)
        found = self.tested(method.title, ranker, parts, sizes, self.judge(parts, C))
        return curve_from(parameters, sizes, found, splits=self.one.division == SPLITS)

    def tested(
        self, name: str, ranker: Ranker, parts: Sequence[Parts], sizes: Sequence[int], judge: Judge
    ) -> list[Plain]:
        trials = [Trial(name, ranker, train, test, sizes, judge) for train, test in parts]
        return self.run(name, self.table.scaled, trials)

    def baselines(self) -> dict[str, float]:
        """Errors without a choice: of all features, and of all that stand for a cluster of two levels."""
        clusterer = TwoLevelFeatureKMeans(BASELINE_CLUSTERS, n_first=None, radius=None, init="leaders")
        several = TwoLevelSelector(clusterer, MaxRel(), measure="mi", discretizer=ThreeSegments())
        parts = self.splits if self.one.division == SPLITS else self.tests
        sizes, found = [self.table.n_features], {}
        for name, method in (("all", AllFeatures()), ("representatives", several)):
            ranker = Inside(method, self.table.scaled)
            outcomes = self.tested("baselines", ranker, parts, sizes, self.judge(self.tests))
            wrong = sum(one["rankings"][0]["loss"][0] for one in outcomes)
            found[name] = wrong / sum(one["n_test"] for one in outcomes)
        return found

    # Nested.

    @cached_property
    def outer(self) -> Sequence[Parts]:
        extent = self.plan.extent
        if self.one.division == SPLITS:
            return self.splits[: extent.n_outer]
        if self.one.division == GIVEN:
            return self.tests
        return splits_of(extent.n_folds, self.table.raw, repeats=extent.repeats).parts

    def nested(self, method: ComparedMethod) -> Nested:
        """Parameters and number of features chosen inside each training part, then tested on the rest."""
        candidates = self.plan.candidates(self.one, method)
        sizes = self.plan.sizes(self.one, self.plan.extent.inner_steps)
        scores = self.inner_scores(method, candidates, sizes)
        choices = [chosen(one, sizes) for one in scores]
        trials = [
            Trial(
                "",
                self.scaled_inside(method, [candidates[place]]),
                train,
                test,
                some,
                Judge(None, ErrorRate()),
            )
            for (train, test), choice in zip(self.outer, choices, strict=True)
            for place, some in choice.by_candidate()
        ]
        outcomes = iter(self.run(f"{method.title}, nested", self.table.raw, trials))
        wrong = [
            {k: loss for _, some in choice.by_candidate() for k, loss in losses(some, next(outcomes))}
            for choice in choices
        ]
        n = [len(test) for _, test in self.outer]
        return Nested(
            sum(one[choice.k] for one, choice in zip(wrong, choices, strict=True)) / sum(n),
            [one[choice.k] / m for one, choice, m in zip(wrong, choices, n, strict=True)],
            [choice.k for choice in choices],
            [dict(sorted(candidates[choice.best[choice.k]].items())) for choice in choices],
            {k: sum(one[k] for one in wrong) / sum(n) for k in published.TOPS if k in sizes},
            min(sum(n), self.table.n_samples),
        )

    def inner_scores(
        self, method: ComparedMethod, candidates: Sequence[Parameters], sizes: Sequence[int]
    ) -> list[Any]:
        """The mean accuracy of each candidate at each number of features, for each outer part."""
        folds = StratifiedKFold(self.plan.extent.n_inner, shuffle=True, random_state=0)
        parts = [splits_of(folds, self.table.raw, rows=train).parts for train, _ in self.outer]
        ranker: Ranker = self.scaled_inside(method, candidates)
        if method.searched:  # the levels of these do not depend on the scale
            selectors = [self.selector(method, one) for one in candidates]
            ranker = SelectorGrid(selectors, self.table.raw, max(sizes))
        judge = Judge(None, ErrorRate())
        trials = [Trial("", ranker, train, test, sizes, judge) for some in parts for train, test in some]
        outcomes = iter(self.run(f"{method.title}, nested", self.table.raw, trials))
        return [np.mean([accuracies(next(outcomes)) for _ in some], axis=0) for some in parts]

    def scaled_inside(self, method: ComparedMethod, candidates: Sequence[Parameters]) -> ScaledInside:
        return ScaledInside([self.selector(method, one) for one in candidates], self.table.raw)

    # What is no trial.

    def theory(self, method: str) -> Plain:
        """Distances and levels of a clustered method beside what the publication says of them."""
        X, y = self.table.scaled.X, self.table.scaled.y
        return self.recalled("theory", method, THEORY, lambda: theory(method, TYPICAL[method], X, y))

    def clusters(self) -> Plain:
        """The clusters of a selection, level by level, for a picture."""

        def made() -> Plain:
            fitted = self.selector(COMPARED["ikm"], TYPICAL["ikm"]).fit(
                self.table.scaled.X, self.table.scaled.y
            )
            names = [f"feature {i + 1}" for i in range(self.table.n_features)]
            return dict(cluster_record(fitted, names) or {})

        return self.recalled("clusters", "ikm", kind_for(ClustersRecord), made)

    def costs(self) -> dict[str, Plain]:
        """Each method's time and memory, in a process of its own."""
        left_out = ("nystrom",) if self.one.stand_in else ()
        methods = [method for method in self.plan.methods(self.one) if method.name not in left_out]
        return {
            method.name: self.recalled("cost", method.name, COST, partial(self.cost, method))
            for method in methods
        }

    def cost(self, method: ComparedMethod) -> Plain:
        """Seconds and megabytes of one selection, or why there are none."""
        selector = self.selector(method, TYPICAL[method.name])
        X, y = self.table.scaled.X, self.table.scaled.y
        try:
            found = measured(selector, X, y, repeats=REPEATS, timeout=LONG)
        except MeasuringError as error:
            return {"seconds": None, "megabytes": None, "why": str(error)}
        return {"seconds": found.seconds, "megabytes": found.megabytes, "why": ""}

    def recalled(self, what: str, method: str, kind: Kind, made: Callable[[], Plain]) -> Plain:
        """What is on record, or is made and put there."""
        key: Plain = {"what": what, "data": self.table.scaled.checksum, "qpfs": qpfs.__version__}
        key |= {"set": self.one.name, "method": method, "parameters": TYPICAL[method]}
        found: Plain | None = self.records.get(key, kind)
        return self.records.add(key, made(), kind) if found is None else found

    def run(self, name: str, sample: Sample, trials: list[Trial]) -> list[Plain]:
        """The outcomes of some trials."""

        def tick(done: int, of: int, trial: str) -> None:
            if self.tick is not None:
                self.tick(done, of, f"{self.one.title}, {name}")

        return run(sample, trials, self.records, self.n_jobs, tick)


@dataclass(frozen=True, eq=False)
class ScaledInside:
    """Selectors that rank by the rows they are given, scaled to [-1, 1] by these rows."""

    selectors: list[Any]
    sample: Sample

    def rankings(self, train: IndexArray) -> Iterator[Ranking]:
        for one in self._each:
            yield from one.rankings(train)

    @cached_property
    def _each(self) -> list[Inside]:
        return [Inside(make_pipeline(MinMaxScaler((-1, 1)), one), self.sample) for one in self.selectors]

    @cached_property
    def key(self) -> Plain:
        return {"selectors": [one.key for one in self._each]}


@dataclass(frozen=True)
class Choice:
    """The number of features chosen, and the best candidate for each number that is looked at."""

    k: int
    best: dict[int, int]

    def by_candidate(self) -> list[tuple[int, list[int]]]:
        """Candidates with the numbers of features at which they are tested."""
        return [(c, [k for k in self.best if self.best[k] == c]) for c in dict.fromkeys(self.best.values())]


def chosen(scores: Any, sizes: Sequence[int]) -> Choice:
    """For each number of features the first of the best candidates; of the best numbers the lowest."""
    reached = scores.max(axis=0)
    k = sizes[int(np.argmax(reached >= reached.max() - 1e-12))]
    best = dict(zip(sizes, map(int, scores.argmax(axis=0)), strict=True))
    return Choice(k, {size: place for size, place in best.items() if size == k or size in published.TOPS})


def accuracies(outcome: Plain) -> Any:
    """The accuracy of each ranking at each number of features."""
    wrong = np.array([one["loss"] for one in outcome["rankings"]])
    return (outcome["n_test"] - wrong) / outcome["n_test"]


def losses(sizes: Sequence[int], outcome: Plain) -> Iterator[tuple[int, float]]:
    """The wrong samples at each number of features."""
    return zip(sizes, outcome["rankings"][0]["loss"], strict=True)


def given_parts(rows: IndexArray) -> Parts:
    """The publication's split of MNIST: the rows to learn from come first."""
    n = published.MNIST_ROWS[0]
    return rows[:n], rows[n:]
