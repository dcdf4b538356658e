"""The result for every feature, and the reason: the rows of selection.csv."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, overload

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.effects import Effects, known_effects
from qpfs.formulas import csv_text
from qpfs.selectors.account import given_account
from qpfs.selectors.given_features import seen_names
from qpfs.selectors.members import Members
from qpfs.selectors.reasons import Reasons, reasons_of
from qpfs.selectors.reporting import ReportMixin
from qpfs.wording import finite

SOME = 1 << 14  # rows that are made at a time
COLUMNS = (
    "feature",
    "index",
    "selected",
    "rank",
    "weight",
    "relevance",
    "pvalue",
    "qvalue",
    "direction",
    "effect",
    "effect_measure",
    "effect_samples",
    "cluster",
    "representative",
    "distance",
    "frequency",
    "reason",
)


class FeatureRows(Sequence[dict[str, object]]):
    """A row for every feature, in the order of the columns of X, made on access."""

    def __init__(
        self,
        selector: ReportMixin,
        names: Sequence[str],
        frequency: AnyArray | None,
        X: Any,
        further: Mapping[str, Sequence[object]],
    ) -> None:
        nothing = np.full(len(names), np.nan)
        self.names = names
        self.value = "score" if given_account(selector).scored else "weight"
        self.columns = (
            *(self.value if column == "weight" else column for column in COLUMNS[:-1]),
            *further,
            COLUMNS[-1],
        )
        self.further = list(further.values())
        self.support = selector.support_
        self.weight = selector.scores_
        self.rank: IndexArray = np.zeros(len(names), np.intp)
        self.asked = selector.fitted_.asked
        order = self.asked.units(selector.order_)
        self.rank[order] = np.arange(1, len(order) + 1)
        self.rank = self.rank[self.asked.leads(np.arange(len(names)))]  # the columns of a group share one
        self.relevance = getattr(selector, "relevance_", nothing)
        self.p, self.q = getattr(selector, "pvalues_", nothing), getattr(selector, "qvalues_", nothing)
        self.frequency: FloatArray = nothing if frequency is None else np.asarray(frequency, np.float64)
        self.with_frequency = frequency is not None
        self.n_samples = len(selector.fitted_.target.codes)
        self.selector, self.X = selector, X

    @cached_property
    def members(self) -> Members:
        return Members(self.selector)

    @cached_property
    def reasons(self) -> Reasons:
        return reasons_of(self.selector, self.members)

    @cached_property
    def effects(self) -> Effects:
        fitted = self.selector.fitted_
        return known_effects(fitted, len(self.names), fitted.samples(self.X))

    @cached_property
    def gaps(self) -> BoolArray:
        """The mask of effects that are not based on all samples."""
        return (self.effects.n < self.n_samples) & ~np.isnan(self.effects.size)

    @property
    def shown(self) -> list[str]:
        """The columns to show: without those that were not requested, or are the same for all features."""
        absent = {"frequency": not self.with_frequency, "effect_samples": not self.gaps.any()}
        return [column for column in self.columns if not absent.get(column)]

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> dict[str, object]: ...

    @overload
    def __getitem__(self, place: slice) -> list[dict[str, object]]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return list(self.of(np.arange(len(self))[place]))
        return next(self.of(np.array([range(len(self))[place]])))

    def __iter__(self) -> Iterator[dict[str, object]]:
        return self.of(np.arange(len(self)))

    def best_first(self) -> IndexArray:
        """The selected features by rank, the others by rank, and those without one by relevance."""
        return np.lexsort((-np.nan_to_num(self.relevance), self.rank, self.rank == 0, ~self.support))

    def of(self, features: IndexArray) -> Iterator[dict[str, object]]:
        """The rows of some features."""
        return (dict(zip(self.columns, row, strict=True)) for some in self.tuples(features) for row in some)

    def tuples(self, features: IndexArray) -> Iterator[Iterable[tuple[object, ...]]]:
        """The rows of some features as tuples, many at a time."""
        for start in range(0, len(features), SOME):
            some = features[start : start + SOME]
            each = some.tolist()
            yield zip(
                [self.names[i] for i in each],
                each,
                self.support[some].tolist(),
                [rank or None for rank in self.rank[some].tolist()],
                self.weight[some].tolist(),
                map(finite, self.relevance[some].tolist()),
                map(finite, self.p[some].tolist()),
                map(finite, self.q[some].tolist()),
                self.effects.directions(some),
                map(finite, self.effects.size[some].tolist()),
                self.effects.measures(some),
                [n if gap else None for n, gap in zip(self.effects.n[some], self.gaps[some], strict=True)],
                [None if cluster < 0 else cluster for cluster in self.members.cluster[some].tolist()],
                [None if i < 0 else self.names[i] for i in self.members.representative[some].tolist()],
                map(finite, self.members.distance[some].tolist()),
                map(finite, self.frequency[some].tolist()),
                *([column[i] for i in each] for column in self.further),
                self.reasons.texts(some, self.names),
                strict=True,
            )


def feature_rows(
    selector: ReportMixin,
    names: Sequence[str] | None = None,
    frequency: AnyArray | None = None,
    X: Any = None,
    further: Mapping[str, Sequence[object]] | None = None,
) -> FeatureRows:
    """A row for every feature: its rank, weight, relevance, effect and cluster, and why it was selected.

    Parameters
    ----------
    selector : fitted selector
        One of this package.
    names : sequence of str or None, default=None
        The names of all features; None for those that the selector knows.
    frequency : array-like of shape (n_features,) or None, default=None
        The share of resamples in which each feature was selected.
    X : array-like, data frame, sparse matrix or None, default=None
        The features as in `fit`, for direction and size of the effect of each. Without X they are computed
        from the packed features, such as levels, if the selector keeps them; linear models do not.
    further : mapping of str to sequence, or None, default=None
        Further columns by name, each with a value for every feature.

    Returns
    -------
    rows : sequence of dict
        In the order of the columns of X, each made on access; None where something does not apply.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.report import feature_rows
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> row = feature_rows(QPFS(4).fit(X, y), X=X)[0]
    >>> row["direction"], round(row["effect"], 3), row["effect_measure"]
    ('higher in 0', 0.938, 'auc')
    >>> row["reason"]
    'repeats worst area (95 % shared)'
    """
    known = seen_names(selector) if names is None else names
    return FeatureRows(selector, known, frequency, X, further or {})


def csv_lines(rows: FeatureRows, order: IndexArray | None = None) -> Iterator[str]:
    """The rows as lines of CSV, many at a time, in an order; without columns that hold nothing.

    These are `frequency` if it was not requested, `effect_samples` if no number is missing.
    """
    asked = rows.shown
    cells = itemgetter(*map(rows.columns.index, asked))
    yield csv_text([asked])
    for some in rows.tuples(np.arange(len(rows)) if order is None else order):
        yield csv_text(cells((*row[:2], "yes" if row[2] else "no", *row[3:])) for row in some)
