"""Cross-validation of selections: every order of features scored at every length, inside each fold.

Letters. A candidate is a set of parameters; its order, learned on the training part of a fold, is scored on
the test part at each of the lengths asked for. Equal selections are scored once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes import Target, some_rows, table_kind


def default_estimator(continuous: bool) -> Any:
    """A linear model on scaled numbers: the publication's support vector machine, or ridge regression."""
    if continuous:
        return make_pipeline(StandardScaler(), Ridge())
    return make_pipeline(MinMaxScaler((-1, 1)), LinearSVC(dual=False))


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of the samples, and who is scored on it."""

    X: Any
    y: AnyArray
    train: IndexArray
    test: IndexArray
    target: Target  # of all samples
    estimator: Any
    scorer: Callable[[Any, Any, AnyArray], float]

    def training(self) -> tuple[Any, AnyArray]:
        return some_rows(self.X, self.train), self.y[self.train]

    def scores(self, orders: Iterable[IndexArray], lengths: Sequence[int]) -> FloatArray:
        """The score of each order at each length: (orders, lengths)."""
        known: dict[tuple[int, ...], float] = {}
        return np.array([[self._score(order[:n], known) for n in lengths] for order in orders])

    def _score(self, features: IndexArray, known: dict[tuple[int, ...], float]) -> float:
        """The score of a selection; its order does not matter."""
        key = tuple(np.sort(features).tolist())
        if key not in known:
            kind = table_kind(self.X)
            X = kind.dense(kind.take_columns(self.X, key))
            model = clone(self.estimator).fit(some_rows(X, self.train), self.y[self.train])
            known[key] = float(self.scorer(model, some_rows(X, self.test), self.y[self.test]))
        return known[key]


def results(candidates: list[dict[str, Any]], lengths: Sequence[int], scores: FloatArray) -> dict[str, Any]:
    """`cv_results_` as scikit-learn's searches have it; scores are (folds, candidates, lengths)."""
    parameters = [{**one, "n_features_to_select": n} for one in candidates for n in lengths]
    by_fold = scores.reshape(len(scores), -1)
    mean = by_fold.mean(axis=0)
    known = np.where(np.isnan(mean), -np.inf, mean)  # a score that is not a number comes last
    return {
        **{f"param_{name}": masked([one[name] for one in parameters]) for name in parameters[0]},
        "params": parameters,
        **{f"split{i}_test_score": fold for i, fold in enumerate(by_fold)},
        "mean_test_score": mean,
        "std_test_score": by_fold.std(axis=0),
        "rank_test_score": (known[None, :] > known[:, None]).sum(axis=1) + 1,
    }


def masked(values: list[Any]) -> Any:
    out = np.empty(len(values), object)
    out[:] = values
    return np.ma.MaskedArray(out, mask=False)


def best(found: dict[str, Any]) -> int:
    """The place of the highest mean; of those as high the one with fewest features, then the first."""
    mean = found["mean_test_score"]
    if np.isnan(mean).all():
        raise ValueError("No candidate could be scored: every mean score is NaN. Check the scoring function.")
    highest = np.flatnonzero(mean >= np.nanmax(mean) - 1e-12)
    lengths = np.array([found["params"][i]["n_features_to_select"] for i in highest])
    return int(highest[np.argmin(lengths)])
