"""Divisions of the samples into training and test parts, by scikit-learn's splitters.

The description of a division, and the uncertainty of an error, depend on its rows and not on its splitter.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from qpfs.arrays import AnyArray, IndexArray
from qpfs.checks import checked_count, is_integer, native, unfit
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.sample import Sample
from qpfs.messages import Parameter, UsageError, invalid
from qpfs.wording import counted

Parts = tuple[IndexArray, IndexArray]  # rows to train on, rows to be tested on


@dataclass(frozen=True, eq=False)
class Splits:
    """The divisions of a sample, one after another."""

    parts: tuple[Parts, ...]
    kind: str  # the splitter, such as the name of a class of scikit-learn
    settings: Any  # its parameters, as plain data
    quantity: bool  # whether the target is one
    grouped: bool  # whether groups of samples stay together

    @cached_property
    def repeats(self) -> int:
        """How often each tested sample is tested; 0 if that differs between samples."""
        times = np.unique(np.bincount(np.concatenate([test for _, test in self.parts])))
        times = times[times > 0]
        return int(times[0]) if len(times) == 1 else 0

    @cached_property
    def training_overlaps(self) -> bool:
        """Whether some sample is in several training parts."""
        return bool(np.bincount(np.concatenate([np.unique(train) for train, _ in self.parts])).max() > 1)

    @property
    def text(self) -> str:
        """The protocol in words."""
        by = "stratified by fifths of the target" if self.quantity else "stratified"
        how = ", ".join(
            [by] * ("Stratified" in self.kind)
            + ["groups kept together"] * (self.grouped and self.kind not in LEFT_OUT)
        )
        return self._kind_text() + f" ({how})" * bool(how)

    def _kind_text(self) -> str:
        n, tested = len(self.parts), {len(test) for _, test in self.parts}
        train, test = (int(sum(map(len, some))) for some in zip(*self.parts, strict=True))
        if self.kind in LEFT_OUT:
            return LEFT_OUT[self.kind]
        if n == 1:
            return f"one split, {train} samples to train on and {test} tested"
        if "Fold" in self.kind and self.repeats:
            often = f", {self.repeats} times" * (self.repeats > 1)
            return f"{n // self.repeats}-fold cross-validation{often}"
        if "Shuffle" in self.kind:
            share = round(100 * train / (train + test))
            return f"{n} random {share}/{100 - share} splits"
        if self.kind == "TimeSeriesSplit":
            return f"{n} splits in the order of the samples (each tested after those trained on)"
        if self.kind == GIVEN:
            return "leave-one-out" if tested == {1} and self.repeats == 1 else f"{n} given splits"
        return f"{n} splits by {self.kind}"

    def description(self) -> dict[str, Any]:
        """The protocol as plain data."""
        return {"class": self.kind, "parameters": self.settings, "n_splits": len(self.parts)}


BY_COHORT = "LeaveOneCohortOut"
LEFT_OUT = {
    "LeaveOneOut": "leave-one-out",
    "LeaveOneGroupOut": "leave-one-group-out",
    BY_COHORT: "leave-one-cohort-out",
}
GIVEN = "iterable of splits"
USUAL_FOLDS = 5  # as in scikit-learn


def splits_of(
    cv: Any,  # a number means stratified folds; None: five of them
    sample: Sample,
    *,
    random_state: int | None = 0,  # shuffles these folds; None: as in scikit-learn
    repeats: int = 1,
    rows: IndexArray | None = None,
    name: str = "cv",
) -> Splits:
    """The divisions that a number, a splitter or an iterable makes of a sample, or of some rows of it."""
    cv = USUAL_FOLDS if cv is None else cv
    splitter = checked_splitter(cv, sample, random_state, repeats, name, inner=rows is not None)
    part = sample if rows is None else sample.rows(rows)
    asked = Parameter(name, native(shown(cv)))
    if is_integer(cv):
        check_folds(asked, int(cv), part, type(splitter), inner=rows is not None)
    with warnings.catch_warnings():  # a class with fewer samples than folds is in some folds only
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        found = [
            (checked_rows(a, part.n_samples, name), checked_rows(b, part.n_samples, name))
            for a, b in divided(splitter, part, asked)
        ]
    if not found:
        raise invalid(asked, " gives no folds; give a number, a splitter, or splits.")
    for place, (train, test) in enumerate(found, start=1):
        check_part(train, test, part, asked, place)
    if rows is not None:
        found = [(rows[train], rows[test]) for train, test in found]
    kind = GIVEN if given(splitter) else type(splitter).__name__
    grouped = sample.groups is not None
    return Splits(tuple(found), kind, settings(splitter), sample.is_quantity, grouped)


def fixed_seed(random_state: Any) -> int:
    """A seed for all parts of a computation: the one given, or one drawn once as scikit-learn draws it."""
    check_seed(random_state)
    if is_integer(random_state):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def check_seed(random_state: Any) -> None:
    """Raises ValueError unless it is an integer of at least 0, a RandomState instance or None."""
    known = random_state is None or isinstance(random_state, np.random.RandomState)
    if not known and not (is_integer(random_state) and random_state >= 0):
        expected = "an integer of at least 0, a RandomState instance or None."
        raise unfit("random_state", random_state, expected)


def splitter_of(cv: Any, sample: Sample, random_state: int | None, repeats: int, name: str) -> Any:
    """The splitter; None if the value is not one."""
    if is_integer(cv) and random_state is not None:
        checked_count("random_state", random_state, 0)
        checked_count("repeats", repeats, 1)
        checked_count(name, cv, 2)
        if sample.groups is None:
            return StratifiedFolds(StratifiedKFold, int(cv), repeats, random_state)
        return StratifiedFolds(StratifiedGroupKFold, int(cv), repeats, random_state)
    if isinstance(cv, (str, type)) or not (
        is_integer(cv) or hasattr(cv, "split") or isinstance(cv, Iterable)
    ):
        return None
    found = check_cv(cv, sample.y, classifier=not sample.is_quantity)
    if is_integer(cv) and sample.groups is not None:
        return (StratifiedGroupKFold if isinstance(found, StratifiedKFold) else GroupKFold)(int(cv))
    return found


def checked_splitter(
    cv: Any, sample: Sample, random_state: int | None, repeats: int, name: str, *, inner: bool
) -> Any:
    """The splitter; raises ValueError for other values, and inside of a part for given rows."""
    cv = USUAL_FOLDS if cv is None else cv
    if repeats != 1 and not is_integer(cv):
        said = (
            f" is {type(cv).__name__}, whose splits are not repeated. Give a number of folds, or a splitter "
        )
        raise invalid(
            Parameter("repeats", native(repeats)),
            ", but ",
            Parameter(name),
            f"{said}that repeats them, such as RepeatedStratifiedKFold.",
        )
    splitter = splitter_of(cv, sample, random_state, repeats, name)
    if splitter is None or (inner and given(splitter)):
        also = ", or an iterable of (train, test)" * (not inner)
        raise unfit(name, shown(cv), f"a number of folds or a splitter of scikit-learn{also}.")
    return splitter


@dataclass(frozen=True)
class GivenSplits:
    """Splits in a message, without their rows."""

    n: int

    def __repr__(self) -> str:
        return f"<list of {counted(self.n, 'split')}>"


def shown(cv: Any) -> Any:
    """How splits are divided, as a message shows it."""
    return GivenSplits(len(cv)) if isinstance(cv, (list, tuple)) and len(cv) else cv


class StratifiedFolds:
    """Stratified folds, shuffled and repeated, also with groups, which scikit-learn does not repeat."""

    def __init__(self, kind: Any, n_splits: int, n_repeats: int, random_state: int) -> None:
        self.kind = kind
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def split(self, X: Any, y: AnyArray, groups: AnyArray | None = None) -> Iterator[Parts]:
        more = np.random.default_rng(self.random_state).integers(2**31 - 1, size=self.n_repeats - 1)
        for seed in (self.random_state, *map(int, more)):
            yield from self.kind(self.n_splits, shuffle=True, random_state=seed).split(X, y, groups)


def check_folds(asked: Parameter, n: int, sample: Sample, kind: type, *, inner: bool) -> None:
    """Raises UsageError for more folds than there are samples, or members of any class, or groups."""
    within = " of a training part" * inner
    of, most = f"there are {sample.n_samples} samples{within}", sample.n_samples
    if "Stratified" in kind.__name__:
        most = int(np.bincount(sample.strata).max())
        stratum = "largest fifth of the target" if sample.is_quantity else "largest class"
        of = f"the {stratum}{within} has {counted(most, 'sample')}"
    if sample.groups is not None and (n_groups := len(np.unique(sample.groups))) < most:
        of, most = f"there {'is' if n_groups == 1 else 'are'} {counted(n_groups, 'group')}{within}", n_groups
    if n > most:
        raise UsageError(asked, f", but {of}; {folds_advice(most)}.")


def folds_advice(most: int) -> str:
    """What to give where at most so many folds are possible."""
    if most < 2:
        return "that is too few for folds, which need at least 2"
    return "give 2 folds" if most == 2 else f"give a number of folds from 2 to {most}"


def divided(splitter: Any, sample: Sample, asked: Parameter) -> Iterator[Parts]:
    """The divisions of a sample by a splitter; a quantity is stratified by its fifths."""
    stratified = "Stratified" in type(splitter).__name__
    # Of several targets the first is used.
    y = sample.strata if stratified and (sample.is_quantity or sample.target.others) else sample.y
    try:
        yield from splitter.split(sample.X, y, sample.groups)
    except ValueError as error:
        raise invalid(asked, f" cannot divide {sample.n_samples} samples: {error}") from error


def given(splitter: Any) -> bool:
    """Whether the divisions were given as rows."""
    return type(splitter).__name__ == "_CVIterableWrapper"


def settings(splitter: Any) -> Any:
    """The parameters of a splitter as plain data."""
    hidden = ("_", "cv", "kind")  # private attributes; the rows that were given
    return description({name: one for name, one in vars(splitter).items() if not name.startswith(hidden)})


def checked_rows(rows: Any, n: int, name: str) -> IndexArray:
    """Rows, ascending, so that the result does not depend on their order."""
    rows = np.asarray(rows)
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            said = f" gives a mask of {rows.size} values; expected one for each of {n} samples."
            raise invalid(Parameter(name), said)
        return np.flatnonzero(rows)
    whole = rows.astype(np.intp)
    if (whole != rows).any():
        said = f" names the row {rows[whole != rows][0]}; expected integers, or a mask."
        raise invalid(Parameter(name), said)
    return np.sort(whole)


def check_part(train: IndexArray, test: IndexArray, sample: Sample, asked: Parameter, place: int = 1) -> None:
    """Raises ValueError for a division with an empty part, unknown rows, a split group, or one class."""
    n = sample.n_samples
    if len(train) == 0 or len(test) == 0:
        raise invalid(asked, f" leaves nothing to train on, or nothing to be tested on, in split {place}.")
    if max(train[-1], test[-1]) >= n or min(train[0], test[0]) < 0:
        raise invalid(asked, f" names rows beyond the {n} samples in split {place}.")
    if sample.groups is not None:
        both = np.intersect1d(sample.groups[train], sample.groups[test])
        if len(both):
            raise invalid(
                Parameter("groups"),
                " is given, but ",
                asked,
                f" has the group {native(both[0])!r} in both the training and the test part. Use "
                "GroupKFold, StratifiedGroupKFold or LeaveOneGroupOut, or leave groups out.",
            )
    if not sample.is_quantity and not sample.target.others:
        check_classes_of(train, sample, asked, place)


def check_classes_of(train: IndexArray, sample: Sample, asked: Parameter, place: int) -> None:
    """Raises ValueError if a training part holds one of several classes only."""
    first = sample.y[train[0]]
    if (sample.y[train] == first).all() and (sample.y != first).any():
        advice = "Use folds that keep the shares of the classes, such as StratifiedKFold, or fewer of them."
        if is_integer(asked.value):  # its folds do, as far as possible
            needed = "two samples" if sample.groups is None else "samples in two groups"
            advice = f"Give fewer folds; a class needs at least {needed}."
        raise invalid(
            f"The training part of a fold holds samples of one class only, {native(first)!r}: that of "
            f"split {place} of ",
            asked,
            f". {advice}",
        )
