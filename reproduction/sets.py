"""The data sets, and how each is divided in the two protocols."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.preprocessing import minmax_scale

from qpfs import data
from qpfs.arrays import AnyArray
from qpfs.evaluation.sample import Sample, sample_of
from reproduction import published

ALL_ROWS = "all rows"  # one selection on all rows, leave-one-out of the classifier
SPLITS = "splits"  # random 60/40 splits, the selection inside each
GIVEN = "given"  # the split that the data come with


@dataclass(frozen=True)
class DataSet:
    """A set by name, its classes in the order of their numbers, and how it is divided as published."""

    name: str
    title: str
    division: str
    classes: tuple[str, ...]
    stand_in: bool = False
    note: str = ""

    @property
    def published(self) -> bool:
        return self.name in published.SETS


LYMPHOMA = "rebuilt from public copies of the same study; the labels of 3 of its 45 rows are inferred"
MNIST = "digits 3 and 8, which fits the publication's numbers of rows"
BOROVECKI = "Huntington's disease, blood; another study of RAC's kind, half as many features"
HSMM = "single cells; RAC's number of features, half of them constant"
DATA_SETS = {
    one.name: one
    for one in (
        DataSet("wdbc", "WDBC", SPLITS, ("malignant", "benign")),
        DataSet("colon", "Colon", ALL_ROWS, ("normal", "tumor")),
        DataSet("srbct", "SRBCT", ALL_ROWS, ("BL", "EWS", "NB", "RMS")),
        DataSet("lymphoma", "Lymphoma", ALL_ROWS, ("GCB", "ABC"), note=LYMPHOMA),
        DataSet("leukemia", "Leukemia", ALL_ROWS, ("ALL", "AML")),
        DataSet("mnist38", "MNIST", GIVEN, ("3", "8"), note=MNIST),
        DataSet("usps", "USPS", SPLITS, ("-1", "+1")),
        DataSet(
            "rac_standin_borovecki",
            "Borovecki (stand-in)",
            ALL_ROWS,
            ("control", "symptomatic"),
            stand_in=True,
            note=BOROVECKI,
        ),
        DataSet("rac_standin_hsmm", "HSMM (stand-in)", ALL_ROWS, ("0h", "72h"), stand_in=True, note=HSMM),
    )
}
RAC = (
    "RAC is not public in the form used (33 samples, 48,701 features; GEO series GSE15573 is a guess from "
    "these numbers). It is not replaced: the stand-ins run under their own names."
)


@dataclass(frozen=True)
class Shape:
    """What a plan must know of a set at hand."""

    n_samples: int
    n_features: int
    n_classes: int


@dataclass(frozen=True, eq=False)
class SetTable:
    """A set with its features scaled to [-1, 1] by all rows, as published; and as they are."""

    scaled: Sample
    raw: Sample

    @property
    def n_samples(self) -> int:
        return self.raw.n_samples

    @property
    def n_features(self) -> int:
        return self.raw.n_features

    @property
    def shape(self) -> Shape:
        return Shape(self.n_samples, self.n_features, len(np.unique(self.raw.y)))


def set_table(X: AnyArray, y: AnyArray) -> SetTable:
    return SetTable(sample_of(minmax_scale(X, (-1, 1)), y), sample_of(X, y))


def folder_of(given: str | None) -> Path | None:
    """The folder with the data: the one given, or named by QPFS_DATA; None if neither is."""
    name = given or os.environ.get("QPFS_DATA")
    if name and not Path(name).is_dir():
        raise data.UsageError(f"{name}: there is no such folder of data sets.")
    return Path(name) if name else None


def set_at_hand(name: str, folder: Path | None) -> bool:
    return name in data.BUILT_IN or file_of(name, folder) is not None


def file_of(name: str, folder: Path | None) -> Path | None:
    """The file of a set in the folder; None for one that is built in, which is the same everywhere."""
    path = None if folder is None or name in data.BUILT_IN else folder / f"{name}.npz"
    return path if path is not None and path.is_file() else None


@lru_cache(maxsize=2)
def table_of(name: str, folder: Path | None) -> SetTable:
    """A set, built in or read from the folder; classes as numbers."""
    problem = data.open_problem(str(file_of(name, folder) or name))
    y = np.array([DATA_SETS[name].classes.index(str(label)) for label in problem.y])
    return set_table(np.asarray(problem.X, np.float64), y)
