"""What is to be done: a list of tasks, each plain data that says everything its outcome depends on.

A task is its own key on record. The parameters that the protocol as published reads off the test error are
found on the first few random splits, all of them where there is no choice of splits; the rest of the splits
is a second list, made from the outcomes of the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import qpfs
from qpfs.paper import published
from qpfs.paper.methods import (
    COARSE,
    COMPARED,
    FEW,
    FINE,
    INSIDE,
    MOST,
    THIN,
    TYPICAL,
    ComparedMethod,
    Grids,
    Parameters,
    interleaved,
    over,
)
from qpfs.paper.sets import ALL_ROWS, DATA_SETS, GIVEN, SPLITS, DataSet

Plain = dict[str, Any]

STEPS = (*range(1, 41), *range(42, 61, 2), *range(65, 101, 5))
WIDE_STEPS = (*range(1, 11), *range(12, 31, 2), *range(35, 101, 5))
RARE_STEPS = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99, 100)
QUICK_STEPS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)
INNER_STEPS = (1, 3, 5, 10, 20, 30, 50, 70, 100)
QUICK_INNER_STEPS = (5, 10, 20, 30, 50, 100)

STAND_IN: Grids = COARSE | {
    "qpfs": over(theta=(0.5, 0.7, 0.9, "auto")),
    "nystrom": [],  # the method's time grows with the cube of the features: minutes for a single selection
    "tlkm": over(n_clusters=(50, 100, 200, 400)),
    **interleaved(over(radius=(0.8, 0.85, 0.9), n_first=(15, 50))),
}
FIGURE_4 = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.99)  # tau
FIGURE_5 = (3, 5, 15, 50, 100, 150)  # k'
BASELINE_CLUSTERS = 100  # as many as the two-level method is given in its typical run
NARROW = 50  # features up to which every set is given the finest grid


@dataclass(frozen=True)
class Extent:
    """How much is done."""

    name: str
    sets: tuple[str, ...]
    grids: dict[str, Grids]  # by division
    inside: Grids
    steps: dict[str, tuple[int, ...]]  # by division
    last_steps: tuple[int, ...]  # of what was chosen on the given split
    inner_steps: tuple[int, ...]
    n_tried: int  # random splits on which parameters are read off
    n_splits: int  # random splits of what was read off
    n_outer: int  # random splits of the nested protocol
    n_folds: int
    repeats: int
    n_inner: int
    figure_4: tuple[float, ...]
    figure_5: tuple[int, ...]
    prices: tuple[float, ...] = ()  # further C of the classifier


FULL = Extent(
    "full",
    tuple(DATA_SETS),
    {ALL_ROWS: FINE, SPLITS: COARSE, GIVEN: THIN, "stand-in": STAND_IN},
    INSIDE,
    {ALL_ROWS: STEPS, SPLITS: WIDE_STEPS, GIVEN: RARE_STEPS},
    tuple(range(1, MOST + 1)),
    INNER_STEPS,
    n_tried=10,
    n_splits=published.N_SPLITS,
    n_outer=5,
    n_folds=5,
    repeats=2,
    n_inner=5,
    figure_4=FIGURE_4,
    figure_5=FIGURE_5,
    prices=(0.1, 10.0),
)
QUICK = Extent(
    "quick",
    tuple(name for name, one in DATA_SETS.items() if not one.stand_in),
    dict.fromkeys((ALL_ROWS, SPLITS, GIVEN, "stand-in"), FEW),
    FEW,
    dict.fromkeys((ALL_ROWS, SPLITS, GIVEN), QUICK_STEPS),
    QUICK_STEPS,
    QUICK_INNER_STEPS,
    n_tried=2,
    n_splits=5,
    n_outer=2,
    n_folds=3,
    repeats=1,
    n_inner=3,
    figure_4=(0.8, 0.9),
    figure_5=(5, 15),
    prices=(0.1,),
)


@dataclass(frozen=True)
class Shape:
    """What a plan must know of a set at hand."""

    n_samples: int
    n_features: int
    n_classes: int
    checksum: str


@dataclass(frozen=True)
class PaperPlan:
    """An extent, and the sets at hand."""

    extent: Extent
    shapes: dict[str, Shape]

    def sets(self) -> list[DataSet]:
        """Those at hand, in their order."""
        return [one for name, one in DATA_SETS.items() if name in self.shapes and name in self.extent.sets]

    def methods(self, one: DataSet) -> list[ComparedMethod]:
        """Those that can be applied to a set."""
        two = self.shapes[one.name].n_classes == 2
        return [method for method in COMPARED.values() if two or not method.two_classes]

    def task(self, kind: str, name: str, **more: Any) -> Plain:
        """A task, with what its outcome depends on besides."""
        return {
            "task": kind,
            "set": name,
            "data": self.shapes[name].checksum,
            "qpfs": qpfs.__version__,
            **more,
        }

    def sizes(self, one: DataSet) -> list[int]:
        """The numbers of features that are looked at."""
        return up_to(self.extent.steps[one.division], self.shapes[one.name].n_features)

    def grid(self, one: DataSet, method: ComparedMethod) -> list[Parameters]:
        """The parameters that the protocol as published tries."""
        return self._fitting(one, self.extent.grids[self._breadth(one)][method.name])

    def candidates(self, one: DataSet, method: ComparedMethod) -> list[Parameters]:
        """The parameters that the nested protocol chooses from."""
        return self._fitting(one, self.extent.inside[method.name])

    def _fitting(self, one: DataSet, some: list[Parameters]) -> list[Parameters]:
        """Those that do not begin with more clusters than there are features."""
        most = self.shapes[one.name].n_features
        return [parameters for parameters in some if parameters.get("n_first", 0) <= most]

    def _breadth(self, one: DataSet) -> str:
        """Which of the grids a set is given: a wide one where it is cheap."""
        if one.stand_in:
            return "stand-in"
        return ALL_ROWS if self.shapes[one.name].n_features <= NARROW else one.division

    def costs(self) -> list[Plain]:
        """Each method's time and memory."""
        return [
            self.task("cost", one.name, method=method.name, parameters=TYPICAL[method.name])
            for one in self.sets()
            for method in self.methods(one)
            if not (one.stand_in and method.name == "nystrom")
        ]

    def published(
        self, one: DataSet, method: ComparedMethod, parameters: Parameters, first: int, last: int
    ) -> Plain:
        """A choice of parameters in the protocol as published."""
        splits = {"splits": [first, last]} if one.division == SPLITS else {}
        sizes = self.sizes(one)
        return self.task(
            "as published", one.name, method=method.name, parameters=parameters, sizes=sizes, **splits
        )

    def whole(self, one: DataSet, method: ComparedMethod, parameters: Parameters) -> Plain:
        """A choice of parameters on the given split, at every number of features."""
        steps = up_to(self.extent.last_steps, self.shapes[one.name].n_features)
        return self.published(one, method, parameters, 0, 0) | {"sizes": steps}

    def priced(self, one: DataSet, method: ComparedMethod, parameters: Parameters, C: float) -> Plain:
        """A choice of parameters, the classifier with another C."""
        return self.published(one, method, parameters, 0, self.extent.n_tried) | {"C": C}

    def inside(self, one: DataSet, method: ComparedMethod, parameters: Parameters) -> Plain:
        """A choice of parameters on a small set, the selection made inside the loop."""
        more = {"method": method.name, "parameters": parameters, "sizes": self.sizes(one)}
        return self.task("inside", one.name, **more)

    def tried(self) -> list[Plain]:
        """Every choice of parameters in the protocol as published."""
        return [
            self.published(one, method, parameters, 0, self.extent.n_tried)
            for one in self.sets()
            for method in self.methods(one)
            for parameters in self.grid(one, method)
        ]

    def blocks(self, one: DataSet) -> list[tuple[int, int]]:
        """The random splits that come after those on which parameters were tried, some at a time."""
        if one.division != SPLITS:
            return []
        n, step = self.extent.n_splits, self.extent.n_tried
        return [(first, min(first + step, n)) for first in range(step, n, step)]

    def nested(self, one: DataSet, method: ComparedMethod) -> list[Plain]:
        """Every outer part of the nested protocol."""
        extent = self.extent
        how: Plain = {"n_folds": extent.n_folds, "repeats": extent.repeats}
        n_parts = extent.n_folds * extent.repeats
        if one.division != ALL_ROWS:
            n_parts = extent.n_outer if one.division == SPLITS else 1
            how = {"n_splits": n_parts}
        sizes = up_to(extent.inner_steps, self.shapes[one.name].n_features)
        more = {"method": method.name, "candidates": self.candidates(one, method), "sizes": sizes, **how}
        return [self.task("nested", one.name, part=i, n_inner=extent.n_inner, **more) for i in range(n_parts)]

    def nested_sets(self) -> list[DataSet]:
        """The publication's sets: stand-ins are left out for what they take."""
        return [one for one in self.sets() if not one.stand_in]

    def all_nested(self) -> list[Plain]:
        return [
            task
            for one in self.nested_sets()
            for method in self.methods(one)
            for task in self.nested(one, method)
        ]

    def baselines(self, one: DataSet) -> Plain:
        n_splits = {"n_splits": self.extent.n_splits} if one.division == SPLITS else {}
        return self.task("baselines", one.name, n_clusters=BASELINE_CLUSTERS, **n_splits)

    def theory(self, one: DataSet, method: str) -> Plain:
        return self.task("theory", one.name, method=method, parameters=TYPICAL[method])

    def figure(self, parameters: Parameters) -> Plain:
        """A curve of IKM-QPFS on Colon."""
        return self.published(DATA_SETS["colon"], COMPARED["ikm"], parameters, 0, 0)

    def figures(self) -> dict[str, list[Plain]]:
        """The curves of the publication's figures 4 and 5, where Colon is at hand."""
        if "colon" not in self.shapes:
            return {}
        return {
            "figure 4": [
                self.figure({"radius": tau, "n_first": published.FIGURE_4_N_FIRST})
                for tau in self.extent.figure_4
            ],
            "figure 5": [
                self.figure({"radius": published.FIGURE_5_RADIUS, "n_first": k}) for k in self.extent.figure_5
            ],
        }

    def clusters(self) -> Plain:
        """The clusters of a typical selection: on Colon, or on the first set at hand."""
        name = "colon" if "colon" in self.shapes else self.sets()[0].name
        return self.task("clusters", name, method="ikm", parameters=TYPICAL["ikm"])

    def first(self) -> list[Plain]:
        """All tasks that need no other's outcome, but for costs, which are measured alone."""
        simple = [self.baselines(one) for one in self.sets()]
        counted = [self.theory(one, method) for one in self.sets() for method in ("tlkm", "ikm", "ikma")]
        figures = [task for tasks in self.figures().values() for task in tasks]
        return [*simple, *counted, self.clusters(), *figures, *self.tried(), *self.all_nested()]


def up_to(steps: tuple[int, ...], most: int) -> list[int]:
    """The steps up to a number, that number among them where steps go beyond it."""
    return [k for k in steps if k <= most]
