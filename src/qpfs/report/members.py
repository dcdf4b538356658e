"""What became of every feature, and why: the rows of selection.csv."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.report.names import feature_names
from qpfs.report.numbers import finite

SAME = 0.05  # distance below which one feature repeats another
COMPARED = 50  # selected features that others are compared with
COLUMNS = (
    "feature",
    "index",
    "selected",
    "rank",
    "weight",
    "relevance",
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
        self.distance[kept] = selector._table.apart(kept, selector.representatives_, labels)

    def _read_affiliates(self, lists: dict[int, list[Any]]) -> None:
        self.sizes = np.array([1 + len(some) for some in lists.values()], np.intp)
        for cluster, (support, some) in enumerate(lists.items()):
            members = [support, *(one.feature for one in some)]
            self.cluster[members], self.representative[members] = cluster, support
            self.distance[members] = [0.0, *(1.0 - one.correlation for one in some)]


def feature_rows(
    selector: Any, names: list[str] | None = None, frequency: AnyArray | None = None
) -> list[dict[str, Any]]:
    """A row for every feature: its rank, weight, relevance and cluster, and why it was selected or not.

    Parameters
    ----------
    selector : fitted selector
        Any of this package.
    names : list of str or None, default=None
        The names of all features; None for those that the selector knows.
    frequency : array-like of shape (n_features,) or None, default=None
        In which share of resamples each feature was selected.

    Returns
    -------
    rows : list of dict
        In the order of the columns of X; None where something does not apply.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.report import feature_rows
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> feature_rows(QPFS(4).fit(X, y))[0]["reason"]
    'ranked below the top 4'
    """
    names = feature_names(selector) if names is None else names
    members = Members(selector)
    ranks = np.zeros(len(names), np.intp)
    ranks[selector.order_] = np.arange(1, len(selector.order_) + 1)
    relevance = getattr(selector, "relevance_", np.full(len(names), np.nan))
    reasons = reasons_of(selector, names, members, ranks)
    columns = zip(
        names,
        range(len(names)),
        selector.support_.tolist(),
        [rank or None for rank in ranks.tolist()],
        selector.scores_.tolist(),
        map(finite, relevance.tolist()),
        [None if cluster < 0 else cluster for cluster in members.cluster.tolist()],
        [None if i < 0 else names[i] for i in members.representative.tolist()],
        map(finite, members.distance.tolist()),
        [None] * len(names) if frequency is None else map(finite, np.asarray(frequency).tolist()),
        reasons,
        strict=True,
    )
    return [dict(zip(COLUMNS, row, strict=True)) for row in columns]


def reasons_of(selector: Any, names: list[str], members: Members, ranks: IndexArray) -> list[str]:
    """Why each feature was selected or not."""
    clustered = hasattr(selector, "labels_")
    without = ranks == 0 if clustered else selector.scores_ == 0
    own = members.representative == np.arange(len(names))
    behind = np.flatnonzero((members.representative >= 0) & ~own & without)
    ranked = ranks > 0
    reasons = np.full(len(names), "not ranked", object)
    if clustered:
        reasons[members.cluster < 0] = "cluster discarded"
    reasons[constant(selector)] = "constant"
    reasons[ranked] = f"ranked below the top {int(selector.support_.sum())}"
    unweighted = np.flatnonzero(ranked & (selector.scores_ == 0))
    reasons[unweighted] = [
        "weight 0" if i < 0 else f"repeats {names[i]}" for i in repeated(selector, unweighted)
    ]
    reasons[behind] = [f"stands behind {names[i]}" for i in members.representative[behind]]
    reasons[selector.support_] = "selected"
    return reasons.tolist()


def repeated(selector: Any, features: IndexArray) -> IndexArray:
    """For each of some features the selected one that it nearly equals; -1 if it equals none."""
    table = getattr(selector, "_table", None)
    chosen = selector.order_[selector.support_[selector.order_]][:COMPARED]
    if table is None or len(features) == 0 or len(chosen) == 0:
        return np.full(len(features), -1, np.intp)
    distances = table.distances(chosen)[:, features]
    nearest = distances.argmin(axis=0)
    return np.where(distances.min(axis=0) < SAME, chosen[nearest], -1)


def constant(selector: Any) -> IndexArray:
    """The features that are constant, or became so when they were cut."""
    table = getattr(selector, "_table", None)
    varying = selector.order_ if table is None else table.varying
    return np.setdiff1d(np.arange(selector.n_features_in_), varying)


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The rows as CSV; `frequency` only if it was asked for."""
    asked = any(row["frequency"] is not None for row in rows)
    columns = [column for column in COLUMNS if asked or column != "frequency"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([written(row[column]) for column in columns] for row in rows)
    return text.getvalue()


def written(value: Any) -> Any:
    return {None: "", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else value
