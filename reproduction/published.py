"""The numbers of the publication: Prasad and Biswas, arXiv 1505.01728.

Those of its tables are in published.toml; None stands where it has a dash. Sets and methods go by the names
used here.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

CITATION = (
    "Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection. "
    "arXiv:1505.01728, 2015."
)
MACHINE = "Intel Core i7, 3.10 GHz, 8 GB of memory"

Row = tuple[float | None, ...]
Table = dict[str, Row]  # a row for each set, with a number for each method


class Shape(NamedTuple):
    """A line of the publication's Table 1."""

    n_samples: int
    n_features: int
    n_classes: int


def rows_of(some: dict[str, list[float]]) -> Table:
    return {name: tuple(None if math.isnan(one) else one for one in row) for name, row in some.items()}


_FOUND: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
METHODS: dict[str, str] = _FOUND["methods"]
SETS: dict[str, str] = {name: facts[0] for name, facts in _FOUND["sets"].items()}
SHAPES = {name: Shape(*facts[1:]) for name, facts in _FOUND["sets"].items()}
SECONDS, KILOBYTES = rows_of(_FOUND["seconds"]), rows_of(_FOUND["kilobytes"])
LOWEST = rows_of(_FOUND["lowest"])  # error in percent
LOWEST_AT = rows_of(_FOUND["lowest_at"])  # number of features that it is reached with
TOPS = (10, 20, 30, 50, 100)
ERRORS = {name: rows_of(rows) for name, rows in _FOUND["errors"].items()}  # in percent, at TOPS

# What the publication says about its parameters.
THETAS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
RADII = (0.70, 0.99, 0.01)  # tau: first, last, step
N_CLUSTERS = (5, 1000, 5)  # k of TLKM-QPFS: first, last, step
N_FIRST = (3, 150)  # k' of IKM- and IKMA-QPFS: first, last
SAMPLING_RATE = 0.05  # rho of the Nystrom method, on RAC
N_SPLITS, TRAIN_SHARE = 100, 0.6  # of WDBC and USPS
MNIST_ROWS = (11982, 1984)  # to learn from, to be tested on
FIGURE_4_N_FIRST, FIGURE_5_RADIUS = 15, 0.8


def value(table: Table, name: str, method: str) -> float | None:
    """The entry of a table by set and method; None where there is none."""
    if name not in table or method not in METHODS:
        return None
    return table[name][tuple(METHODS).index(method)]


def error_at(name: str, method: str, k: int) -> float | None:
    """The error in percent at k features; None where there is none."""
    row = ERRORS.get(name, {}).get(method)
    return None if row is None else row[TOPS.index(k)]


def number(what: str | int, name: str, method: str) -> float | None:
    """A number of the tables as claims ask for it: by its name, or the error at so many features."""
    if isinstance(what, int):
        return error_at(name, method, what)
    tables = {"lowest": LOWEST, "lowest at": LOWEST_AT, "seconds": SECONDS, "megabytes": KILOBYTES}
    return value(tables[what], name, method)
