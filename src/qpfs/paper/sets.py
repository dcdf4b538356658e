"""The data sets, and how each is divided in the two protocols."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.preprocessing import minmax_scale

from qpfs import data
from qpfs.arrays import AnyArray, FloatArray
from qpfs.evaluation.descriptions import checksum
from qpfs.paper import published

ALL_ROWS = "all rows"  # one selection on all rows, leave-one-out of the classifier
SPLITS = "splits"  # random 60/40 splits, the selection inside each
GIVEN = "given"  # the split that the data come with


@dataclass(frozen=True)
class DataSet:
    """A set by name, and how it is divided in the protocol as published."""

    name: str
    title: str
    division: str
    stand_in: bool = False
    note: str = ""

    @property
    def published(self) -> bool:
        return self.name in published.SETS


DATA_SETS = {
    one.name: one
    for one in (
        DataSet("wdbc", "WDBC", SPLITS),
        DataSet("colon", "Colon", ALL_ROWS),
        DataSet("srbct", "SRBCT", ALL_ROWS),
        DataSet(
            "lymphoma",
            "Lymphoma",
            ALL_ROWS,
            note="rebuilt from public copies of the same study; the labels of 3 of its 45 rows are inferred",
        ),
        DataSet("leukemia", "Leukemia", ALL_ROWS),
        DataSet(
            "mnist38", "MNIST", GIVEN, note="digits 3 and 8, which fits the publication's numbers of rows"
        ),
        DataSet("usps", "USPS", SPLITS),
        DataSet(
            "rac_standin_borovecki",
            "Borovecki (stand-in)",
            ALL_ROWS,
            stand_in=True,
            note="Huntington's disease, blood; another study of RAC's kind, half as many features",
        ),
        DataSet(
            "rac_standin_hsmm",
            "HSMM (stand-in)",
            ALL_ROWS,
            stand_in=True,
            note="single cells; RAC's number of features, half of them constant",
        ),
    )
}
RAC = (
    "RAC is not public in the form used (33 samples, 48,701 features; GEO series GSE15573 is a guess from "
    "these numbers). It is not replaced: the stand-ins run under their own names."
)


@dataclass(frozen=True, eq=False)
class SetTable:
    """Features scaled to [-1, 1] by all rows, as published; the same before; and the classes."""

    scaled: FloatArray
    X: FloatArray
    y: AnyArray
    checksum: str
    known: dict[tuple[int, ...], int] = field(default_factory=dict)  # leave-one-out of selections, once done

    @property
    def n_samples(self) -> int:
        return len(self.y)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])


def folder_of(given: str | None) -> Path | None:
    """The folder with the data: the one given, or named by QPFS_DATA; None if neither is."""
    name = given or os.environ.get("QPFS_DATA")
    return Path(name) if name else None


def set_at_hand(name: str, folder: Path | None) -> bool:
    """Whether a set can be read: from the folder, or as the catalogue knows it."""
    return file_of(name, folder) is not None or data.at_hand(data.entry(name)) is not None


def file_of(name: str, folder: Path | None) -> Path | None:
    """The file of a set in the folder; None for one that is built in, which is the same everywhere."""
    path = None if folder is None or name in data.BUILT_IN else folder / f"{name}.npz"
    return path if path is not None and path.is_file() else None


@lru_cache(maxsize=2)
def table_of(name: str, folder: Path | None) -> SetTable:
    """A set, read from the folder or as the catalogue knows it; classes in the catalogue's order."""
    path = file_of(name, folder)
    problem = data.open_problem(name if path is None else str(path))
    classes = [label for label, _ in data.entry(name).classes]
    y = np.array([classes.index(str(label)) for label in problem.y])
    X = np.asarray(problem.X, np.float64)
    return SetTable(minmax_scale(X, (-1, 1)), X, y, checksum(X, y))
