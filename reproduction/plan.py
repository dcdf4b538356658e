"""What is to be done: which sets and methods, which parameters, how many splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reproduction import published
from reproduction.methods import (
    COARSE,
    COMPARED,
    FEW,
    FINE,
    INSIDE,
    MOST,
    THIN,
    ComparedMethod,
    Grids,
    Parameters,
    interleaved,
    over,
)
from reproduction.sets import ALL_ROWS, DATA_SETS, GIVEN, SPLITS, DataSet, Shape

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
class PaperPlan:
    """An extent, and the sets at hand."""

    extent: Extent
    shapes: dict[str, Shape]

    def sets(self) -> list[DataSet]:
        """Those at hand, in their order."""
        return [one for name, one in DATA_SETS.items() if name in self.shapes and name in self.extent.sets]

    def nested_sets(self) -> list[DataSet]:
        """The publication's sets: stand-ins are left out of the nested protocol for what they take."""
        return [one for one in self.sets() if not one.stand_in]

    def methods(self, one: DataSet) -> list[ComparedMethod]:
        """Those that can be applied to a set."""
        two = self.shapes[one.name].n_classes == 2
        return [method for method in COMPARED.values() if two or not method.two_classes]

    def sizes(self, one: DataSet, steps: tuple[int, ...] | None = None) -> list[int]:
        """The numbers of features that are looked at."""
        most = self.shapes[one.name].n_features
        return [k for k in steps or self.extent.steps[one.division] if k <= most]

    def grid(self, one: DataSet, method: ComparedMethod) -> list[Parameters]:
        """The parameters that the protocol as published tries."""
        narrow = self.shapes[one.name].n_features <= NARROW
        breadth = "stand-in" if one.stand_in else ALL_ROWS if narrow else one.division
        return self._fitting(one, self.extent.grids[breadth][method.name])

    def candidates(self, one: DataSet, method: ComparedMethod) -> list[Parameters]:
        """The parameters that the nested protocol chooses from."""
        return self._fitting(one, self.extent.inside[method.name])

    def _fitting(self, one: DataSet, some: list[Parameters]) -> list[Parameters]:
        """Those that do not begin with more clusters than there are features."""
        most = self.shapes[one.name].n_features
        return [parameters for parameters in some if parameters.get("n_first", 0) <= most]

    def figures(self) -> dict[str, list[Parameters]]:
        """The parameters of the curves of the publication's figures 4 and 5, where Colon is at hand."""
        if "colon" not in self.shapes:
            return {}
        tau, n_first = published.FIGURE_5_RADIUS, published.FIGURE_4_N_FIRST
        return {
            "figure 4": [{"radius": radius, "n_first": n_first} for radius in self.extent.figure_4],
            "figure 5": [{"radius": tau, "n_first": k} for k in self.extent.figure_5],
        }

    def clusters(self) -> DataSet:
        """The set whose clusters are drawn: Colon, or the first at hand."""
        return DATA_SETS["colon"] if "colon" in self.shapes else self.sets()[0]
