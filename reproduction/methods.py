"""The methods that are compared, and the parameters that are tried for each.

A grid is a list of parameters. That of the protocol as published is read off the test error; the other one is
searched inside the training part. Both are the publication's, thinned: it has 30 radii, 148 numbers of first
clusters and 200 numbers of clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from qpfs.codes import ThreeSegments
from qpfs.methods import METHODS as TABLE
from reproduction import published

Parameters = dict[str, Any]
MOST = 100  # features looked at

# Every parameter that a grid does not name, as published or as first chosen here: what a user gets by default
# may change, these tables may not.
MEASURED: Parameters = {
    "n_features_to_select": None,
    "measure": "mi",
    "discretizer": ThreeSegments(),
    "target_discretizer": None,
    "n_jobs": None,
}
PROGRAM: Parameters = MEASURED | {"theta": "auto", "random_state": 0}
CLUSTERING: Parameters = {"init": "leaders", "representative": "mean"}
INTERLEAVING: Parameters = {"radius": 0.8, "n_first": 15, "n_split": 15, "max_depth": None}
CUTTING_PLANES: Parameters = {
    "n_features_to_select": None,
    "n_per_step": 5,
    "C": 1.0,
    "loss": "squared_hinge",
    "fit_intercept": False,
    "max_iter": 20,
    "tol": 1e-3,
}
PINNED: dict[str, Parameters] = {
    "qpfs": PROGRAM | {"order": "weight", "n_starts": 1},
    "nystrom": PROGRAM | {"sampling_rate": published.SAMPLING_RATE, "diagonal_correction": False},
    "fgm": CUTTING_PLANES,
    "gdm": CUTTING_PLANES | {"max_correlation": 0.9},
    "tlkm": PROGRAM
    | CLUSTERING
    | {"order": "weight", "n_clusters": 100, "n_first": None, "radius": None, "repeat": False},
    "ikm": PROGRAM | CLUSTERING | INTERLEAVING | {"order": "weight"},
    "ikma": PROGRAM | CLUSTERING | INTERLEAVING | {"order": "weight"},
    "maxrel": MEASURED,
    "mrmr": MEASURED | {"scheme": "difference"},
}


@dataclass(frozen=True)
class ComparedMethod:
    """A method as the publication, or its authors, would compare it."""

    name: str
    searched: bool = False  # whether a search shares work among candidates
    two_classes: bool = False
    published: bool = True

    @property
    def title(self) -> str:
        return TABLE[self.name].title

    def made(self, parameters: Parameters, n_features: int) -> Any:
        """The selector, made to rank as many features as are looked at."""
        pinned = PINNED[self.name]
        if self.name == "mrmr":  # stops by itself where no number is given
            pinned = pinned | {"n_features_to_select": min(MOST, n_features)}
        return TABLE[self.name].selector(**pinned | parameters)


COMPARED = {
    method.name: method
    for method in (
        ComparedMethod("qpfs", searched=True),
        ComparedMethod("nystrom", published=False),
        ComparedMethod("fgm", two_classes=True),
        ComparedMethod("gdm", two_classes=True),
        ComparedMethod("tlkm", searched=True),
        ComparedMethod("ikm", searched=True),
        ComparedMethod("ikma", searched=True),
        ComparedMethod("maxrel", published=False),
        ComparedMethod("mrmr", published=False),
    )
}
INTERLEAVED = ("ikm", "ikma")
CLUSTERED = ("tlkm", *INTERLEAVED)

Grids = dict[str, list[Parameters]]  # by method


def over(**ranges: tuple[Any, ...]) -> list[Parameters]:
    """Every combination of the values in some ranges."""
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]


def interleaved(some: list[Parameters]) -> Grids:
    """The same for both interleaved methods."""
    return dict.fromkeys(INTERLEAVED, some)


FINE: Grids = {
    "qpfs": over(theta=(*published.THETAS, "auto")),
    "nystrom": over(theta=(0.3, 0.5, 0.7, 0.9, "auto"), sampling_rate=(published.SAMPLING_RATE,)),
    "fgm": over(n_per_step=(2, 5, 10, 20), C=(1.0, 10.0)),
    "gdm": over(n_per_step=(2, 5, 10, 20), C=(1.0, 10.0), max_correlation=(0.7, 0.9)),
    "tlkm": over(
        n_clusters=(5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1000),
        init=("leaders", "relevance", "first"),
    ),
    **interleaved(
        over(
            radius=(0.70, 0.74, 0.78, 0.80, 0.84, 0.88, 0.92, 0.96),
            n_first=(3, 5, 10, 15, 25, 50, 100, 150),
            init=("leaders", "relevance"),
        )
        + over(
            radius=(0.72, 0.84), n_first=(5, 15, 50, 150), init=("relevance", "first"), theta=(0.3, 0.5, 0.7)
        )
    ),
    "maxrel": over(),
    "mrmr": over(scheme=("difference", "quotient")),
}
COARSE: Grids = FINE | {
    "nystrom": over(theta=(0.5, "auto"), sampling_rate=(published.SAMPLING_RATE, 0.2)),
    "fgm": over(n_per_step=(2, 5, 10), C=(1.0, 10.0)),
    "gdm": over(n_per_step=(2, 5, 10), C=(1.0,), max_correlation=(0.7, 0.9)),
    "tlkm": over(n_clusters=(10, 20, 40, 75, 100, 150, 200, 400), init=("leaders", "relevance"))
    + over(n_clusters=(200,), n_first=(50, 100, 150), init=("leaders", "relevance")),
    **interleaved(
        over(radius=(0.75, 0.8, 0.85, 0.9), n_first=(5, 15, 50), init=("leaders", "relevance"))
        + over(radius=(0.75, 0.85), n_first=(15, 50), init=("leaders", "relevance"), theta=(0.3, 0.5))
        + over(radius=(0.8,), n_first=(15, 50, 100), init=("relevance", "first"), theta=(0.5, "auto"))
    ),
}
THIN: Grids = COARSE | interleaved(
    over(radius=(0.8,), n_first=(15, 50), init=("leaders", "relevance"))
    + over(radius=(0.8, 0.88), n_first=(15, 50, 100), init=("leaders",), theta=(0.2, 0.3))
)
FEW: Grids = {
    "qpfs": over(theta=(0.5, "auto")),
    "nystrom": over(theta=("auto",), sampling_rate=(published.SAMPLING_RATE,)),
    "fgm": over(n_per_step=(5,)),
    "gdm": over(n_per_step=(5,)),
    "tlkm": over(n_clusters=(20, 100)),
    **interleaved(over(radius=(0.7, 0.8, 0.9), n_first=(15,))),
    "maxrel": over(),
    "mrmr": over(),
}
INSIDE: Grids = {
    "qpfs": over(theta=(0.1, 0.3, 0.5, 0.7, 0.9, "auto")),
    "nystrom": over(theta=("auto",), sampling_rate=(published.SAMPLING_RATE,)),
    "fgm": over(n_per_step=(2, 5, 10), C=(1.0, 10.0)),
    "gdm": over(n_per_step=(5, 10), C=(1.0,), max_correlation=(0.7, 0.9)),
    "tlkm": over(n_clusters=(10, 25, 50, 100, 200, 400)),
    **interleaved(over(radius=(0.75, 0.8, 0.85, 0.9), n_first=(5, 15, 50))),
    "maxrel": over(),
    "mrmr": over(scheme=("difference", "quotient")),
}

TYPICAL: dict[str, Parameters] = {  # whose time, memory and distances are counted
    "qpfs": {},
    "nystrom": {"sampling_rate": published.SAMPLING_RATE},
    "fgm": {},
    "gdm": {},
    "tlkm": {"n_clusters": 100},
    "ikm": {"radius": 0.8, "n_first": 15},
    "ikma": {"radius": 0.8, "n_first": 15},
    "maxrel": {},
    "mrmr": {},
}


def parameter_words(parameters: Parameters) -> str:
    """Parameters as text: radius 0.8, n_first 15."""
    return ", ".join(f"{name} {value}" for name, value in parameters.items()) or "none"
