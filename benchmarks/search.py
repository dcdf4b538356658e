"""Searches that share work, against scikit-learn's grid search on the same grid and folds; one core each."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from benchmarks.datasets import LEVELS, Data, cases
from benchmarks.rows import Row, faster
from benchmarks.timing import race
from qpfs import IKMAQPFS, IKMAQPFSCV, IKMQPFS, IKMQPFSCV, QPFS, QPFSCV, TLKMQPFS, TLKMQPFSCV
from qpfs.evaluation import default_estimator

LENGTHS = [1, 2, 3, 5, 7, 10, 14, 20, 28, 40]
SEARCHES: list[tuple[Any, Any, dict[str, list[Any]]]] = [
    (QPFSCV, QPFS, {"theta": [0.1, 0.3, 0.5, 0.7, 0.9, "auto"]}),
    (TLKMQPFSCV, TLKMQPFS, {"n_clusters": [25, 50, 100, 200]}),
    (IKMQPFSCV, IKMQPFS, {"radius": [0.75, 0.8, 0.85], "n_first": [15, 50]}),
    (IKMAQPFSCV, IKMAQPFS, {"radius": [0.75, 0.8, 0.85], "n_first": [15, 50]}),
]


def main() -> list[Row]:
    warnings.simplefilter("ignore", UserWarning)  # that some candidates find fewer features than asked for
    with threadpool_limits(1):
        return [row for name, data in cases(62, 2000, "colon").items() for row in rows(name, data)]


def rows(name: str, data: Data) -> list[Row]:
    X, y = data
    cv = StratifiedKFold(5)
    found = []
    for search, plain, grid in SEARCHES:
        ours = search(plain(**LEVELS), param_grid=grid, n_features=LENGTHS, cv=cv)
        pipeline = Pipeline([("select", plain(**LEVELS)), ("model", default_estimator())])
        named = {f"select__{parameter}": values for parameter, values in grid.items()}
        theirs = GridSearchCV(pipeline, named | {"select__n_features_to_select": LENGTHS}, cv=cv)
        one, other = race(partial(ours.fit, X, y), partial(theirs.fit, X, y), repeats=1)
        n_candidates = len(ours.cv_results_["params"])
        what = f"{search.__name__}, {name}, {n_candidates} candidates in 5 folds; reference: GridSearchCV"
        found.append(faster(what, one, other))
    return found
