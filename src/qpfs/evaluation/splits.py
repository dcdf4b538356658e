"""Divisions of the samples into those that are learned from and those that are tested on.

Each is a small value that says what it is (`description`, plain data) and gives the same parts whenever it is
asked. `strata` are the classes of the samples, or levels of a quantity; samples of one group stay together.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn import model_selection

from qpfs.arrays import AnyArray, IndexArray
from qpfs.checks import checked_count, is_integer, native

Parts = tuple[IndexArray, IndexArray]  # rows to learn from, rows to be tested on


class Splits:
    """A way to divide samples, one or several times."""

    repeats = 1  # how often every sample is tested
    overlapping = (
        False  # whether parts are drawn anew each time, so that samples are tested more or less often
    )

    @abstractmethod
    def parts(self, strata: AnyArray, groups: AnyArray | None = None) -> Iterator[Parts]:
        """The rows to learn from and those to be tested on, of each division."""

    @abstractmethod
    def text(self, grouped: bool = False) -> str:
        """The protocol in words."""

    def description(self) -> dict[str, Any]:
        """The protocol as plain data."""
        return {"splits": type(self).__name__, **asdict(self)}  # type: ignore[call-overload]


@dataclass(frozen=True)
class LeaveOneOut(Splits):
    """Every sample tested by itself; with groups, every group.

    Examples
    --------
    >>> from qpfs.evaluation import LeaveOneOut
    >>> [test.tolist() for train, test in LeaveOneOut().parts([0, 1, 1], groups=["a", "b", "a"])]
    [[0, 2], [1]]
    """

    def parts(self, strata: AnyArray, groups: AnyArray | None = None) -> Iterator[Parts]:
        units = np.arange(len(strata)) if groups is None else np.unique(groups, return_inverse=True)[1]
        for unit in range(int(units.max()) + 1):
            yield np.flatnonzero(units != unit), np.flatnonzero(units == unit)

    def text(self, grouped: bool = False) -> str:
        return "leave-one-group-out" if grouped else "leave-one-out"


@dataclass(frozen=True)
class Folds(Splits):
    """Cross-validation: the samples in n parts, each of which is tested by what the others teach.

    Parameters
    ----------
    n_folds : int, default=5
        The number of parts.
    repeats : int, default=1
        How often the samples are divided anew.
    stratified : bool, default=True
        Whether each part is to have each class in its share.
    seed : int, default=0
        Who goes where.

    Examples
    --------
    >>> from qpfs.evaluation import Folds
    >>> [test.tolist() for train, test in Folds(2).parts([0, 0, 1, 1])]
    [[1, 2], [0, 3]]
    """

    n_folds: int = 5
    repeats: int = 1
    stratified: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count("n_folds", self.n_folds, 2)
        checked_count("repeats", self.repeats, 1)
        checked_count("seed", self.seed, 0)

    def parts(self, strata: AnyArray, groups: AnyArray | None = None) -> Iterator[Parts]:
        self._check_units(strata, groups)
        kinds = {
            (True, False): model_selection.StratifiedKFold,
            (True, True): model_selection.StratifiedGroupKFold,
            (False, False): model_selection.KFold,
            (False, True): model_selection.GroupKFold,
        }
        kind = kinds[self.stratified, groups is not None]
        with warnings.catch_warnings():  # a class with fewer samples than folds is in some folds only
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            for seed in seeds(self.seed, self.repeats):
                splitter = kind(self.n_folds, shuffle=True, random_state=seed)
                yield from splitter.split(np.empty((len(strata), 1)), strata, groups)

    def _check_units(self, strata: AnyArray, groups: AnyArray | None) -> None:
        n, what = (len(strata), "samples") if groups is None else (len(np.unique(groups)), "groups")
        if self.stratified and n >= self.n_folds:
            n, what = int(np.unique(strata, return_counts=True)[1].max()), "samples in the largest class"
        if n < 2:
            raise ValueError(f"There are {n} {what} to divide; expected at least 2.")
        if n < self.n_folds:
            raise ValueError(f"n_folds={self.n_folds}, but there are {n} {what}; ask for 2 to {n}.")

    def text(self, grouped: bool = False) -> str:
        how = ", ".join(["stratified"] * self.stratified + ["groups kept together"] * grouped)
        often = f", {self.repeats} times" * (self.repeats > 1)
        return f"{self.n_folds}-fold cross-validation{often}{f' ({how})' * bool(how)}"


@dataclass(frozen=True)
class RandomSplits(Splits):
    """A share of the samples drawn at random to learn from, the rest tested; again and again.

    Parameters
    ----------
    n_splits : int, default=100
        How often.
    train : float, default=0.6
        The share to learn from.
    stratified : bool, default=True
        Whether both parts are to have each class in its share; not kept to where groups are given.
    seed : int, default=0
        Who goes where.

    Examples
    --------
    >>> from qpfs.evaluation import RandomSplits
    >>> [len(test) for train, test in RandomSplits(3).parts([0] * 10 + [1] * 10)]
    [8, 8, 8]
    """

    n_splits: int = 100
    train: float = 0.6
    stratified: bool = True
    seed: int = 0
    overlapping = True

    def __post_init__(self) -> None:
        checked_count("n_splits", self.n_splits, 1)
        checked_count("seed", self.seed, 0)
        if not 0 < self.train < 1:
            raise ValueError(
                f"train={native(self.train)!r}, but it must be a share between 0 and 1, such as 0.6."
            )

    def parts(self, strata: AnyArray, groups: AnyArray | None = None) -> Iterator[Parts]:
        kind: Any = model_selection.ShuffleSplit
        if groups is not None:
            kind = model_selection.GroupShuffleSplit
        elif self.stratified:
            kind = model_selection.StratifiedShuffleSplit
        splitter = kind(self.n_splits, train_size=self.train, random_state=self.seed)
        for train, test in splitter.split(np.empty((len(strata), 1)), strata, groups):
            yield np.sort(train), np.sort(test)

    def text(self, grouped: bool = False) -> str:
        how = "groups kept together" if grouped else "stratified" * self.stratified
        share = f"{100 * self.train:g}/{100 - 100 * self.train:g}"
        return f"{self.n_splits} random {share} splits{f' ({how})' * bool(how)}"


@dataclass(frozen=True, eq=False)
class GivenSplit(Splits):
    """The one division that the data come with.

    Parameters
    ----------
    test : array-like of shape (n_samples,) or of int
        A mask of the samples to be tested, or their rows; the others are learned from.

    Examples
    --------
    >>> from qpfs.evaluation import GivenSplit
    >>> [(train.tolist(), test.tolist()) for train, test in GivenSplit([False, True, False]).parts([0, 1, 1])]
    [([0, 2], [1])]
    """

    test: Any

    def parts(self, strata: AnyArray, groups: AnyArray | None = None) -> Iterator[Parts]:
        test = np.asarray(self.test)
        if test.dtype.kind == "b" and len(test) != len(strata):
            raise ValueError(
                f"The mask of the given split has {len(test)} entries for {len(strata)} samples."
            )
        rows = test.dtype.kind in "iu" and np.isin(test, np.arange(len(strata))).all()
        if test.dtype.kind != "b" and not rows:
            raise ValueError(
                f"test={self.test!r}, but it must be a mask of the samples, or rows from 0 to "
                f"{len(strata) - 1}."
            )
        mask = np.zeros(len(strata), bool)
        mask[test] = True
        if mask.all() or not mask.any():
            raise ValueError("The given split leaves nothing to learn from, or nothing to be tested on.")
        yield np.flatnonzero(~mask), np.flatnonzero(mask)

    def text(self, grouped: bool = False) -> str:
        return "the given split"

    def description(self) -> dict[str, Any]:
        test = np.asarray(self.test)
        rows = np.flatnonzero(test) if test.dtype.kind == "b" else np.sort(test)
        return {"splits": type(self).__name__, "test": rows.tolist()}


def splits_of(splits: Any, seed: int = 0, repeats: int = 1) -> Splits:
    """Splits as such, or a number of folds."""
    if isinstance(splits, Splits):
        return splits
    if is_integer(splits):
        return Folds(int(splits), repeats, seed=seed)
    raise ValueError(
        f"splits={native(splits)!r}, but it must be a number of folds, or one of LeaveOneOut(), Folds(), "
        "RandomSplits(), GivenSplit()."
    )


def seeds(seed: int, n: int) -> list[int]:
    """n seeds; the first is the one given."""
    more = np.random.default_rng(seed).integers(2**31 - 1, size=n - 1)
    return [seed, *(int(one) for one in more)]
