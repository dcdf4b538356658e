"""What became of every feature, and why: the rows of selection.csv."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, overload

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.formulas import csv_text
from qpfs.report.names import feature_names
from qpfs.wording import finite

SAME = 0.05  # distance below which one feature repeats another
COMPARED = 50  # selected features that others are compared with
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
    "cluster",
    "representative",
    "distance",
    "frequency",
    "reason",
)


class Members:
    """The cluster of each feature, who stands for it, and how far from that it is."""

    def __init__(self, selector: Any) -> None:
        n = selector.n_features_in_
        self.cluster: IndexArray = np.full(n, -1, np.intp)
        self.representative: IndexArray = np.full(n, -1, np.intp)
        self.distance: FloatArray = np.full(n, np.nan)
        self.sizes: IndexArray = np.zeros(0, np.intp)
        if hasattr(selector, "labels_"):
            self._read_clusters(selector)
        elif hasattr(selector, "affiliated_features_"):
            self._read_affiliates(selector.affiliated_features_)

    def _read_clusters(self, selector: Any) -> None:
        self.cluster = selector.labels_
        kept = np.flatnonzero(self.cluster >= 0)
        labels = self.cluster[kept]
        self.sizes = np.bincount(labels, minlength=len(selector.representatives_))
        self.representative[kept] = selector.representatives_[labels]
        self.distance[kept] = selector.fitted_.table.distance_to(kept, selector.representatives_, labels)

    def _read_affiliates(self, lists: dict[int, list[Any]]) -> None:
        self.sizes = np.array([1 + len(some) for some in lists.values()], np.intp)
        for cluster, (support, some) in enumerate(lists.items()):
            members = [support, *(one.feature for one in some)]
            self.cluster[members], self.representative[members] = cluster, support
            self.distance[members] = [0.0, *(1.0 - one.correlation for one in some)]


class FeatureRows(Sequence[dict[str, Any]]):
    """A row for every feature, in the order of the columns of X, made when it is asked for."""

    def __init__(self, selector: Any, names: Sequence[str], frequency: AnyArray | None) -> None:
        nothing = np.full(len(names), np.nan)
        self.names = names
        self.value = "score" if selector.account().scored else "weight"
        self.columns = tuple(self.value if column == "weight" else column for column in COLUMNS)
        self.support = selector.support_
        self.weight = selector.scores_
        self.rank: IndexArray = np.zeros(len(names), np.intp)
        self.rank[selector.order_] = np.arange(1, len(selector.order_) + 1)
        self.relevance = getattr(selector, "relevance_", nothing)
        self.p, self.q = getattr(selector, "pvalues_", nothing), getattr(selector, "qvalues_", nothing)
        self.members = Members(selector)
        self.with_frequency = frequency is not None
        self.frequency: FloatArray = nothing if frequency is None else np.asarray(frequency, np.float64)
        self.reasons = Reasons(selector, self.members, self.rank, self.value)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return list(self.of(np.arange(len(self))[place]))
        return next(self.of(np.array([range(len(self))[place]])))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.of(np.arange(len(self)))

    def best_first(self) -> IndexArray:
        """The selected features by rank, the others by rank, and those without one by relevance."""
        return np.lexsort((-np.nan_to_num(self.relevance), self.rank, self.rank == 0, ~self.support))

    def of(self, features: IndexArray) -> Iterator[dict[str, Any]]:
        """The rows of some features."""
        return (dict(zip(self.columns, row, strict=True)) for some in self.tuples(features) for row in some)

    def tuples(self, features: IndexArray) -> Iterator[Iterable[tuple[Any, ...]]]:
        """The same without the names of the columns, many at a time."""
        for start in range(0, len(features), SOME):
            some = features[start : start + SOME]
            yield zip(
                [self.names[i] for i in some.tolist()],
                some.tolist(),
                self.support[some].tolist(),
                [rank or None for rank in self.rank[some].tolist()],
                self.weight[some].tolist(),
                map(finite, self.relevance[some].tolist()),
                map(finite, self.p[some].tolist()),
                map(finite, self.q[some].tolist()),
                [None if cluster < 0 else cluster for cluster in self.members.cluster[some].tolist()],
                [None if i < 0 else self.names[i] for i in self.members.representative[some].tolist()],
                map(finite, self.members.distance[some].tolist()),
                map(finite, self.frequency[some].tolist()),
                self.reasons.texts_of(some, self.names),
                strict=True,
            )


class Reasons:
    """Why each feature was selected or not: one of few reasons, some of which name another feature."""

    def __init__(self, selector: Any, members: Members, rank: IndexArray, value: str) -> None:
        n, ranked = len(rank), rank > 0
        clustered = hasattr(selector, "labels_")
        without = ~ranked if clustered else selector.scores_ == 0
        behind = (members.representative >= 0) & (members.representative != np.arange(n)) & without
        unweighted = np.flatnonzero(ranked & (selector.scores_ == 0))
        self.texts = ["not ranked"]
        self.kind: IndexArray = np.zeros(n, np.uint8)
        self.other: IndexArray = np.full(n, -1, np.int32)
        if clustered:
            self._give(members.cluster < 0, "cluster discarded")
        self._give(constant(selector), "constant")
        self._give(ranked, f"ranked below the top {int(selector.support_.sum())}")
        self._give(unweighted, f"{value} 0")
        self.other[unweighted] = repeated(selector, unweighted)
        self._give(unweighted[self.other[unweighted] >= 0], "repeats")
        self._give(behind, "stands behind")
        self.other[behind] = members.representative[behind]
        self._give(selector.support_, "selected")
        self.other[selector.support_] = -1

    def _give(self, features: AnyArray, text: str) -> None:
        self.kind[features] = len(self.texts)
        self.texts.append(text)

    def texts_of(self, some: IndexArray, names: Sequence[str]) -> list[str]:
        each = zip(self.kind[some].tolist(), self.other[some].tolist(), strict=True)
        return [self.texts[kind] if i < 0 else f"{self.texts[kind]} {names[i]}" for kind, i in each]


def feature_rows(
    selector: Any, names: Sequence[str] | None = None, frequency: AnyArray | None = None
) -> FeatureRows:
    """A row for every feature: its rank, weight or score, relevance and cluster, and why it was selected.

    Parameters
    ----------
    selector : fitted selector
        Any of this package.
    names : sequence of str or None, default=None
        The names of all features; None for those that the selector knows.
    frequency : array-like of shape (n_features,) or None, default=None
        In which share of resamples each feature was selected.

    Returns
    -------
    rows : sequence of dict
        In the order of the columns of X, each made when it is asked for; None where something does not apply.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.report import feature_rows
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> feature_rows(QPFS(4).fit(X, y))[0]["reason"]
    'repeats worst area'
    """
    return FeatureRows(selector, feature_names(selector) if names is None else names, frequency)


def repeated(selector: Any, features: IndexArray) -> IndexArray:
    """For each of some features the selected one that it nearly equals; -1 if it equals none."""
    table = selector.fitted_.table
    chosen = selector.order_[selector.support_[selector.order_]][:COMPARED]
    if table is None or len(features) == 0 or len(chosen) == 0:
        return np.full(len(features), -1, np.intp)
    every = np.full(len(features), len(chosen))
    nearest, distance = table.nearest(features, np.zeros_like(every), every, chosen)
    return np.where(distance < SAME, chosen[nearest], -1)


def constant(selector: Any) -> IndexArray:
    """The features that are constant, or became so when they were cut."""
    table = selector.fitted_.table
    varying = selector.order_ if table is None else table.varying
    found = np.ones(selector.n_features_in_, bool)
    found[varying] = False
    return np.flatnonzero(found)


def csv_lines(rows: FeatureRows, order: IndexArray | None = None) -> Iterator[str]:
    """The rows as lines of CSV, many at a time, in an order; `frequency` only if it was asked for."""
    asked = [column for column in rows.columns if rows.with_frequency or column != "frequency"]
    cells = itemgetter(*map(rows.columns.index, asked))
    yield csv_text([asked])
    for some in rows.tuples(np.arange(len(rows)) if order is None else order):
        yield csv_text(cells((*row[:2], "yes" if row[2] else "no", *row[3:])) for row in some)
