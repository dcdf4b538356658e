"""Covariates: what is known of the samples beside features and target, and is to be adjusted for.

A covariate is a category (batch, sex) or a number (age). Text, categories and truth values are categories; so
are whole numbers of at most FEW different values, as batches are often numbered: that takes out all that a
number would, and more. A missing category is a category of its own; a missing number says nothing.

A measure of scores or of numbers takes out what depends on the covariates linearly: their `basis`. One made
of counts looks at samples that are alike: the `strata`, which are the combinations of categories that occur,
numbers cut as those of features are (into three bins of equal frequency, where that leaves too many).

Letters: N samples, r columns that stand for the covariates, the constant not among them.
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

COARSE = EqualFrequency(3)  # what cuts a number where the rule of the features leaves more bins than FEW
FEW = 12  # different whole numbers that are taken for names of categories
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
        """Categories, or different numbers; 1: it says nothing."""
        if self.codes is not None:
            return int(self.codes.max()) + 1
        assert self.numbers is not None
        return len(np.unique(self.numbers[~np.isnan(self.numbers)]))

    @property
    def words(self) -> str:
        """Its name, and what it is taken for."""
        if self.codes is None:
            return f"{self.name} (a number)"
        return f"{self.name} ({counted(self.n_different, 'category', 'categories')})"

    def part(self, rows: IndexArray) -> Covariate:
        """The covariate of some samples, a category or a number as the whole is."""
        if self.codes is None:
            assert self.numbers is not None
            return replace(self, numbers=self.numbers[rows])
        return replace(self, codes=np.unique(self.codes[rows], return_inverse=True)[1])

    def levels(self, rule: Rule, weights: Weights | None = None) -> IndexArray:
        """Its categories; of numbers the bins that a rule cuts them into, unless these are too many."""
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
        """Columns of mean 0 and mean square UNIT^2 that stand for it: a number's scores, or the number."""
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
    """The covariates that differ between samples."""

    varying: tuple[Covariate, ...]
    n_samples: int
    constant: tuple[str, ...] = ()  # the names of those that do not differ, which change nothing
    weights: Weights | None = None  # of the samples; None: all are 1

    @cached_property
    def only_categories(self) -> bool:
        return all(one.codes is not None for one in self.varying)

    @property
    def words(self) -> str:
        """What they are, as a list in a sentence."""
        return listed([one.words for one in self.varying])

    @property
    def values(self) -> list[AnyArray]:
        """The arrays that they are made of."""
        held = [one.numbers if one.codes is None else one.codes for one in self.varying]
        return [np.array([one.name for one in self.varying]), *(one for one in held if one is not None)]

    def part(self, rows: IndexArray) -> Covariates:
        """The covariates of some samples."""
        return of_varying([one.part(rows) for one in self.varying], len(rows))

    def strata(self, rule: Rule) -> IndexArray:
        """(N,) the stratum of each sample, from 0 on: samples alike in all categories and bins."""
        return combinations([one.levels(rule, self.weights) for one in self.varying])[1]

    def basis(self, degree: int | None) -> FloatArray:
        """Columns that span the constant and the covariates, orthonormal by weight: (N, 1 + r).

        Of numbers there are `degree` columns of scores; None: the numbers themselves. They are as features
        have them, rounding included, so that of a feature that is a covariate nothing is left.
        """
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
        """Raises ValueError if the covariates explain everything, whatever it is."""
        free = self.n_samples - 1 - rank
        if free < 2:
            raise ValueError(
                f"covariates: {self.words} take up {rank} of the {self.n_samples - 1} degrees of freedom of "
                f"{self.n_samples} samples, so that next to nothing is left of any feature. Expected at most "
                f"{self.n_samples - 3}: give fewer covariates, or fewer categories."
            )


def covariates_of(values: Any, n_samples: int) -> Covariates:
    """The covariates that were given; raises ValueError or TypeError for what makes none."""
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
    """Covariates without those that say nothing."""
    varying = tuple(one for one in found if one.n_different > 1)
    return Covariates(varying, n_samples, tuple(one.name for one in found if one.n_different < 2))


def named_covariates(values: Any) -> Iterator[tuple[str, Any]]:
    """The columns of covariates with their names, each a list of Python's values or an array of numbers."""
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
        for place, column in enumerate(zip(*values, strict=True)):  # each of a type of its own
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
    """One covariate."""
    array = values if isinstance(values, np.ndarray) else np.fromiter(values, object, len(values))
    if array.dtype.kind in "mMcV":
        raise TypeError(f"covariates: {name!r} holds {array.dtype}; {EXPECTED}.")
    if array.dtype.kind == "O":
        return of_objects(name, [one if first_missing([one]) is None else None for one in array.tolist()])
    if array.dtype.kind in "iuf":
        return of_numbers(name, array.astype(np.float64))
    return of_labels(name, array.tolist())


def of_objects(name: str, values: list[Any]) -> Covariate:
    """A covariate of Python's values: numbers if all are, else labels."""
    if any(isinstance(one, TIMES) or hasattr(one, "to_timestamp") for one in values):
        raise TypeError(f"covariates: {name!r} holds dates or times; {EXPECTED}.")
    known = [one for one in values if one is not None]
    if known and all(isinstance(one, NUMBERS) and not isinstance(one, (bool, np.bool_)) for one in known):
        return of_numbers(name, np.array([np.nan if one is None else float(one) for one in values]))
    return of_labels(name, values)


def of_numbers(name: str, numbers: FloatArray) -> Covariate:
    """A covariate of numbers; few whole ones are names of categories."""
    if np.isinf(numbers).any():
        raise ValueError(f"covariates: {name!r} holds infinity; replace it by a number, or by NaN (missing).")
    present = numbers[~np.isnan(numbers)]
    check_present(name, len(present))
    if (present == np.floor(present)).all() and len(np.unique(present)) <= FEW:
        return Covariate(name, np.unique(numbers, return_inverse=True)[1])  # NaN is one, and the last
    return Covariate(name, None, numbers)


def of_labels(name: str, labels: list[Any]) -> Covariate:
    """A covariate of labels, in the order of their text."""
    codes, known = categories_of(labels)
    check_present(name, len(known))
    order = sorted(range(len(known)), key=lambda i: (str(known[i]), type(known[i]).__name__))
    place = np.empty(len(known) + 1, np.intp)
    place[order] = np.arange(len(known))
    place[-1] = len(known)  # of a missing one
    return Covariate(name, place[codes])


def check_present(name: str, n_known: int) -> None:
    if n_known == 0:
        raise ValueError(f"covariates: all values of {name!r} are missing; {EXPECTED}, or leave it out.")
