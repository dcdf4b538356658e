"""Errors of many records as a table of sets and methods, and what may be concluded from it.

The error of a method on a set is the mean over the folds that all compared methods have there, so that what
is compared was measured on the same rows. Mean ranks are over sets, 1 for the lowest error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reproduction.significance import Friedman, critical_difference, friedman
from scipy.stats import rankdata

WORST = 1.0  # the error of a method that gave no answer: it is last on that set
Record = dict[str, Any]
Records = dict[tuple[str, int, str], Record]  # by set, fold and method
Error = Callable[[Record], float]


def read(folder: Path) -> Records:
    """All records of a folder."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))]
    return {(one["set"], one["fold"], one["method"]): one for one in found}


def error_of(classifiers: Iterable[str] = ("svm", "knn"), lengths: Iterable[int] = ()) -> Error:
    """The error of a record, averaged over classifiers and numbers of features; no numbers: all there are."""
    classifiers, wanted = list(classifiers), [str(k) for k in lengths]

    def error(record: Record) -> float:
        if "errors" not in record:
            return WORST
        kept = [
            value
            for one in classifiers
            for k, value in record["errors"][one].items()
            if not wanted or k in wanted
        ]
        return float(np.mean(kept)) if kept else np.nan  # 50 of a table with 30 features

    return error


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods on the sets and folds that all of them have."""

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    folds: tuple[tuple[int, ...], ...]  # of each set
    records: Records

    @cached_property
    def errors(self) -> NDArray[np.float64]:
        """The mean error of each method on each set."""
        return self.errors_by(error_of())

    def errors_by(self, error: Error) -> NDArray[np.float64]:
        rows = [
            [self.mean(name, method, folds, error) for method in self.methods] for name, folds in self.each
        ]
        return np.array(rows)

    @property
    def each(self) -> list[tuple[str, tuple[int, ...]]]:
        return list(zip(self.sets, self.folds, strict=True))

    def mean(self, name: str, method: str, folds: Sequence[int], error: Error) -> float:
        return float(np.mean([error(self.records[name, fold, method]) for fold in folds]))

    @cached_property
    def test(self) -> Friedman:
        return friedman(self.errors)

    @property
    def critical(self) -> float:
        return critical_difference(len(self.sets), len(self.methods))

    def ranks_by(self, error: Error) -> NDArray[np.float64]:
        """Mean ranks by another error; sets that have none are left out."""
        E = self.errors_by(error)
        return mean_ranks(E[~np.isnan(E).any(axis=1)])

    def seconds(self, method: str) -> float:
        """The median over sets of the median over folds; where a method failed there is no time."""
        return float(np.nanmedian([self.median_seconds(name, method, folds) for name, folds in self.each]))

    def median_seconds(self, name: str, method: str, folds: Sequence[int]) -> float:
        found = [self.records[name, fold, method] for fold in folds]
        return float(np.nanmedian([one.get("seconds", one.get("too_slow", np.nan)) for one in found]))

    def unanswered(self, method: str) -> list[str]:
        """The sets on which a method failed, or was too slow."""
        return [
            name
            for name, folds in self.each
            if any("errors" not in self.records[name, fold, method] for fold in folds)
        ]


def compared(records: Records, methods: Sequence[str]) -> Comparison:
    """The comparison on what all methods have, of those that have been tried on every set."""
    names = list(dict.fromkeys(key[0] for key in records))
    folds = folds_of(records)
    methods = [method for method in methods if all((name, method) in folds for name in names)]
    shared = {name: set.intersection(*(folds[name, one] for one in methods)) for name in names if methods}
    sets = tuple(name for name in names if shared.get(name))
    return Comparison(sets, tuple(methods), tuple(tuple(sorted(shared[name])) for name in sets), records)


def folds_of(records: Records) -> dict[tuple[str, str], set[int]]:
    """The folds that there are records of, by set and method."""
    found: dict[tuple[str, str], set[int]] = {}
    for name, fold, method in records:
        found.setdefault((name, method), set()).add(fold)
    return found


def mean_ranks(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the lowest error of a set; equal errors share the mean of their ranks."""
    return rankdata(errors, axis=1).mean(axis=0)


def cliques(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """Runs of ascending mean ranks that do not differ: first and last of each that no longer run holds."""
    found: list[tuple[int, int]] = []
    for first, low in enumerate(ranks):
        last = max(i for i, rank in enumerate(ranks) if rank - low <= critical)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def wins(errors: NDArray[np.float64], one: int, other: int) -> tuple[int, int, int]:
    """On how many sets one method is better than another, worse, and the same."""
    difference = errors[:, one] - errors[:, other]
    return int((difference < 0).sum()), int((difference > 0).sum()), int((difference == 0).sum())
