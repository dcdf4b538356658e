"""One trial: features ranked by some rows, a classifier taught on others of them, tested on the rest.

Letters. k a number of top features. The loss of a trial at k is the number of samples classified wrongly, or
for a quantity the sum of squared errors; its reference is the number of samples, or what predicting the mean
of the training part would lose. An error is a loss divided by its reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from qpfs.arrays import IndexArray
from qpfs.checks import native
from qpfs.codes import some_rows
from qpfs.evaluation.descriptions import checksum, description
from qpfs.evaluation.design import SCALES, design
from qpfs.evaluation.sample import Sample

KEPT_FEATURES = 1000  # features of a ranking that a record keeps


@dataclass(frozen=True, eq=False)
class Judge:
    """Who is taught on the top features, and how these are scaled for that."""

    classifier: Any
    scale: str | None

    def description(self) -> dict[str, Any]:
        return {"classifier": description(self.classifier), "scale": self.scale}


def judge_of(classifier: Any, scale: str | None, sample: Sample) -> Judge:
    """The classifier given, or the publication's; for a quantity ridge regression."""
    if scale not in SCALES:
        raise ValueError(f"scale={native(scale)!r}, but it must be 'auto', 'minmax', 'standard' or None.")
    if scale == "auto":
        scale = "standard" if sample.is_quantity else "minmax"
    if classifier is None:
        classifier = Ridge() if sample.is_quantity else LinearSVC(dual=False, max_iter=10_000)
    return Judge(classifier, scale)


@dataclass(frozen=True, eq=False)
class Inside:
    """A selector that ranks by the rows it is given."""

    selector: Any
    sample: Sample

    def ranking(self, train: IndexArray) -> tuple[IndexArray, float]:
        """The features, best first, and how many seconds the fit took."""
        selector = self.sample.prepared(self.selector)
        X, y = some_rows(self.sample.X, train), self.sample.y[train]
        start = perf_counter()
        fitted = selector.fit(X, y)
        seconds = perf_counter() - start
        return order_of(selector if fitted is None else fitted), seconds


class OnAllRows:
    """A selector that ranks once, by all rows, those among them that are tested: biased, as published."""

    def __init__(self, selector: Any, sample: Sample) -> None:
        self.selector = selector
        self.sample = sample
        self._lock = Lock()

    def ranking(self, train: IndexArray) -> tuple[IndexArray, float]:
        """The features, best first, and how many seconds the one fit took."""
        with self._lock:
            return self._ranking

    @cached_property
    def _ranking(self) -> tuple[IndexArray, float]:
        return Inside(self.selector, self.sample).ranking(np.arange(self.sample.n_samples))


def order_of(fitted: Any) -> IndexArray:
    """The features that a fitted selector ranks, best first: its `order_`, or else by its `scores_`."""
    fitted = ranking_step(fitted)
    if hasattr(fitted, "order_"):
        return np.asarray(fitted.order_, np.intp)
    if not hasattr(fitted, "scores_"):
        raise TypeError(
            f"{type(fitted).__name__} has neither order_ nor scores_ once fitted, so that it ranks no "
            "feature; expected a selector with one of them."
        )
    scores = np.asarray(fitted.scores_, np.float64)
    return np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")


def ranking_step(fitted: Any) -> Any:
    """The selector itself; of a pipeline (columns scaled first, say) its last step."""
    return fitted[-1] if isinstance(fitted, Pipeline) else fitted


@dataclass(frozen=True, eq=False)
class Trial:
    """Which rows are learned from and which tested, by whose ranking, at which numbers of features."""

    ranker: Any
    train: IndexArray
    test: IndexArray
    sizes: Sequence[int]

    def description(self) -> dict[str, Any]:
        """What tells it from other trials with the same selector, as plain data."""
        return {"sizes": list(self.sizes), "rows": checksum(self.train, self.test)}

    def outcome(self, sample: Sample, judge: Judge) -> dict[str, Any]:
        """What came of it, as plain data."""
        order, seconds = self.ranker.ranking(self.train)
        top = order[: max(self.sizes)]
        shown = design(sample.X, top, self.train, self.test, judge.scale)
        known: dict[int, float] = {}
        for n in sorted({min(k, len(top)) for k in self.sizes}):
            known[n] = loss(sample, judge, *shown.top(n), self.train, self.test)
        return {
            "loss": [known[min(k, len(top))] for k in self.sizes],
            "reference": reference(sample, self.train, self.test),
            "n_train": len(self.train),
            "n_test": len(self.test),
            "n_ranked": len(order),
            "order": top[:KEPT_FEATURES].tolist(),
            "seconds": round(seconds, 6),
        }


def loss(sample: Sample, judge: Judge, X: Any, X_test: Any, train: IndexArray, test: IndexArray) -> float:
    """What the classifier loses on the test rows."""
    y, y_test = sample.y[train], sample.y[test]
    predicted = clone(judge.classifier).fit(X, y).predict(X_test)
    if sample.is_quantity:
        return float(((np.asarray(predicted).ravel() - y_test) ** 2).sum())
    return float((predicted != y_test).sum())


def reference(sample: Sample, train: IndexArray, test: IndexArray) -> float:
    """What an error of 1 would lose on the test rows."""
    if sample.is_quantity:
        return float(((sample.y[test] - sample.y[train].mean()) ** 2).sum())
    return float(len(test))
