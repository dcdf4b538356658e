"""Covariates: variables of the samples besides features and target, for which results are adjusted.

A covariate is a category (batch, sex) or a number (age). Text, categories and truth values are categories; so
are whole numbers of at most FEW different values, as batches are often numbered: this removes all that a
numeric covariate would, and more. A missing category is a separate category; a missing number counts as the
mean.

A measure of scores or of numbers removes what depends linearly on the covariates: their `basis`. One computed
from counts compares samples within `strata`, which are the combinations of categories that occur, where
numbers are discretised as those of features are (into three bins of equal frequency, where that gives too
many).

Letters: N samples, r columns that represent the covariates, without the constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.discretizers import EqualFrequency
from qpfs.codes.encoding import Rule, cut_tile
from qpfs.codes.frame_columns import holds, is_frame, nullable_numbers
from qpfs.codes.numbers import standardized
from qpfs.codes.score_runs import UNIT
from qpfs.codes.scores import block_of_numbers, contrasts
from qpfs.codes.target import TIMES, combinations, orthogonalise
from qpfs.codes.tiles import tile_of
from qpfs.codes.values import NUMBERS, array_of, categories_of, first_missing, plain_values, tabled
from qpfs.codes.weights import Weights, counts_of, total_of, weights_at
from qpfs.wording import counted, listed

COARSE = EqualFrequency(3)  # for a number, if the rule of the features gives more bins than FEW
FEW = 12  # whole numbers with at most so many different values are categories
EXPECTED = "expected a number, a truth value or a category for each sample"


@dataclass(frozen=True, eq=False)
class Covariate:
    """A category or a number of each sample."""

    name: str
    codes: IndexArray | None  # (N,) 0, 1, ..., all of which occur, missing values last; None: a number
    numbers: FloatArray | None = None  # (N,) NaN where missing

    @property
    def n_samples(self) -> int:
        values = self.numbers if self.codes is None else self.codes
        return 0 if values is None else len(values)

    @property
    def n_different(self) -> int:
        """The number of categories, or of different numbers; 1: it is constant."""
        if self.codes is not None:
            return int(self.codes.max()) + 1
        assert self.numbers is not None
        return len(np.unique(self.numbers[~np.isnan(self.numbers)]))

    @property
    def words(self) -> str:
        """Its name, and whether it is a number or categories."""
        if self.codes is None:
            return f"{self.name} (a number)"
        return f"{self.name} ({counted(self.n_different, 'category', 'categories')})"

    def part(self, rows: IndexArray) -> Covariate:
        """The covariate of some samples, of the same kind as the whole."""
        if self.codes is None:
            assert self.numbers is not None
            return replace(self, numbers=self.numbers[rows])
        return replace(self, codes=np.unique(self.codes[rows], return_inverse=True)[1])

    def levels(self, rule: Rule, weights: Weights | None = None) -> IndexArray:
        """Its categories; for numbers the bins of a rule, or of a coarser one if these are too many."""
        if self.codes is not None:
            return self.codes
        assert self.numbers is not None
        tile = np.ascontiguousarray(self.numbers[:, None])
        for one in (rule, COARSE):
            edges, crowded = one.cuts(tile_of(tile, weights))
            values, found = np.unique(cut_tile(tile, edges)[:, 0], return_inverse=True)
            if not crowded[0] and len(values) <= FEW:
                break
        return found

    def columns(self, degree: int | None, weights: Weights | None = None) -> FloatArray:
        """Columns of mean 0 and mean square UNIT^2 that represent it: contrasts, scores, or the number."""
        total = total_of(weights, self.n_samples)
        if self.codes is not None:
            counts = np.bincount(self.codes) if weights is None else weights.added_up(self.codes)
            return contrasts(counts.astype(np.float64), total)[:, self.codes]
        assert self.numbers is not None
        if degree is not None:
            return block_of_numbers(self.numbers[:, None], np.array([0]), degree, weights).columns()
        seen = ~np.isnan(self.numbers)
        if weights is not None:
            found = np.zeros((1, len(seen)))
            tile = np.ascontiguousarray(self.numbers[seen, None])
            found[0, seen] = standardized(tile, np.array([0]), weights_at(weights, seen)).values[:, 0]
            return UNIT * np.sqrt(total) * found
        values = self.numbers[seen] / np.abs(self.numbers[seen]).max()  # squares of large numbers overflow
        values = (values - values.mean()) / values.std()
        found = np.zeros((1, len(seen)))
        found[0, seen] = UNIT * values * np.sqrt(len(seen) / len(values))
        return found


@dataclass(frozen=True, eq=False)
class Covariates:
    """The covariates that vary between samples."""

    varying: tuple[Covariate, ...]
    n_samples: int
    constant: tuple[str, ...] = ()  # the names of those that do not vary, which have no effect
    weights: Weights | None = None  # of the samples; None: all are 1

    @cached_property
    def only_categories(self) -> bool:
        return all(one.codes is not None for one in self.varying)

    @property
    def words(self) -> str:
        """The covariates as a list in a sentence."""
        return listed([one.words for one in self.varying])

    @property
    def values(self) -> list[AnyArray]:
        """The arrays of all covariates."""
        held = [one.numbers if one.codes is None else one.codes for one in self.varying]
        return [np.array([one.name for one in self.varying]), *(one for one in held if one is not None)]

    def part(self, rows: IndexArray) -> Covariates:
        """The covariates of some samples."""
        return of_varying([one.part(rows) for one in self.varying], len(rows))

    def strata(self, rule: Rule) -> IndexArray:
        """(N,) the stratum of each sample, from 0: samples of a stratum agree in all categories and bins."""
        return combinations([one.levels(rule, self.weights) for one in self.varying])[1]

    def basis(self, degree: int | None) -> FloatArray:
        """Columns that span the constant and the covariates, orthonormal by weight: (N, 1 + r)."""
        # Numbers have `degree` columns of scores; None: the numbers themselves. They are rounded as features
        # are, so that a feature that equals a covariate has no residual.
        columns = np.concatenate(
            [
                np.full((1, self.n_samples), float(UNIT)),
                *(one.columns(degree, self.weights) for one in self.varying),
            ]
        )
        length = float(total_of(self.weights, self.n_samples)) * UNIT * UNIT
        n_kept = orthogonalise(columns, None, counts_of(self.weights), 1, length)
        self._check_room(n_kept - 1)
        return np.ascontiguousarray(columns[:n_kept].T) / np.sqrt(length)

    def _check_room(self, rank: int) -> None:
        """Raises ValueError if the covariates use up the degrees of freedom."""
        free = self.n_samples - 1 - rank
        if free < 2:
            raise ValueError(
                f"covariates: {self.words} take up {rank} of the {self.n_samples - 1} degrees of freedom of "
                f"{self.n_samples} samples, so hardly anything of any feature remains. Expected at most "
                f"{self.n_samples - 3}: give fewer covariates, or fewer categories."
            )


def covariates_of(values: Any, n_samples: int) -> Covariates:
    """The given covariates, checked; raises ValueError or TypeError if they are invalid."""
    if isinstance(values, Covariates):
        return values
    found = [covariate(name, column) for name, column in named_covariates(values)]
    if not found:
        raise ValueError(f"covariates has no columns; {EXPECTED}, or None.")
    for one in found:
        if one.n_samples != n_samples:
            raise ValueError(
                f"covariates has values for {one.n_samples} samples, but X has {n_samples}; {EXPECTED}."
            )
    return of_varying(found, n_samples)


def of_varying(found: Sequence[Covariate], n_samples: int) -> Covariates:
    """Covariates without those that are constant."""
    varying = tuple(one for one in found if one.n_different > 1)
    return Covariates(varying, n_samples, tuple(one.name for one in found if one.n_different < 2))


def named_covariates(values: Any) -> Iterator[tuple[str, Any]]:
    """The named columns of covariates, each a list of Python values or an array of numbers."""
    if isinstance(values, Mapping):
        yield from ((str(name), array_of(column, "covariates")) for name, column in values.items())
        return
    table = tabled(values)
    if hasattr(table, "tocsc"):
        raise TypeError(f"covariates is a sparse matrix; {EXPECTED}. Give covariates.toarray().")
    if is_frame(table):
        frame = nw.from_native(table, eager_only=True)
        for series in frame.iter_columns():
            yield str(series.name), series_values(series)
        return
    series = nw.from_native(table, allow_series=True, pass_through=True)
    if isinstance(series, nw.Series):
        yield str(series.name or "covariate"), series_values(series)
        return
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], (list, tuple)):
        for place, column in enumerate(zip(*values, strict=True)):  # columns may differ in type
            yield f"covariate {place}", array_of(list(column), "covariates")
        return
    array = array_of(values, "covariates")
    if array.ndim not in (1, 2):
        raise ValueError(f"covariates has the shape {array.shape}; {EXPECTED}, or several in columns.")
    if array.ndim == 1:
        yield "covariate", array
        return
    for place, column in enumerate(array.T):
        yield f"covariate {place}", column


def series_values(series: Any) -> Any:
    """The values of a column of a data frame."""
    kind = holds(series.dtype)
    if kind in ("numbers", "integers") and series.dtype != nw.Boolean:
        return nullable_numbers(series)
    if kind not in ("numbers", "labels", "?"):
        raise TypeError(f"covariates: column {series.name!r} holds {kind}; {EXPECTED}.")
    return plain_values(series)


def covariate(name: str, values: Any) -> Covariate:
    """One covariate from its values."""
    array = values if isinstance(values, np.ndarray) else np.fromiter(values, object, len(values))
    if array.dtype.kind in "mMcV":
        raise TypeError(f"covariates: {name!r} holds {array.dtype}; {EXPECTED}.")
    if array.dtype.kind == "O":
        return of_objects(name, [one if first_missing([one]) is None else None for one in array.tolist()])
    if array.dtype.kind in "iuf":
        return of_numbers(name, array.astype(np.float64))
    return of_labels(name, array.tolist())


def of_objects(name: str, values: list[Any]) -> Covariate:
    """A covariate from Python values: numbers if all are, else labels."""
    if any(isinstance(one, TIMES) or hasattr(one, "to_timestamp") for one in values):
        raise TypeError(f"covariates: {name!r} holds dates or times; {EXPECTED}.")
    known = [one for one in values if one is not None]
    if known and all(isinstance(one, NUMBERS) and not isinstance(one, (bool, np.bool_)) for one in known):
        return of_numbers(name, np.array([np.nan if one is None else float(one) for one in values]))
    return of_labels(name, values)


def of_numbers(name: str, numbers: FloatArray) -> Covariate:
    """A covariate from numbers; whole numbers with few different values are categories."""
    if np.isinf(numbers).any():
        raise ValueError(f"covariates: {name!r} holds infinity; replace it by a number, or by NaN (missing).")
    present = numbers[~np.isnan(numbers)]
    check_present(name, len(present))
    if (present == np.floor(present)).all() and len(np.unique(present)) <= FEW:
        return Covariate(name, np.unique(numbers, return_inverse=True)[1])  # NaN is one category, the last
    return Covariate(name, None, numbers)


def of_labels(name: str, labels: list[Any]) -> Covariate:
    """A covariate from labels, sorted by their text."""
    codes, known = categories_of(labels)
    check_present(name, len(known))
    order = sorted(range(len(known)), key=lambda i: (str(known[i]), type(known[i]).__name__))
    place = np.empty(len(known) + 1, np.intp)
    place[order] = np.arange(len(known))
    place[-1] = len(known)  # the missing category
    return Covariate(name, place[codes])


def check_present(name: str, n_known: int) -> None:
    if n_known == 0:
        raise ValueError(f"covariates: all values of {name!r} are missing; {EXPECTED}, or leave it out.")
