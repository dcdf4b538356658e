"""What the default parameters of the clustered methods rest on: nested errors on real sets, planted groups.

Selection is inside each of five stratified folds; the error is that of a linear support vector machine on the
first 5, 10, 20, 30 and 50 features, averaged. Planted: 8 groups of 6 noisy copies, some turned round, among
2,000 columns of noise; how many of the 8 groups are among the first 8 features.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold

from benchmarks.datasets import LEVELS, stored
from benchmarks.rows import Row
from qpfs import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS, MaxRel
from qpfs.codes import target_of
from qpfs.data import planted_groups
from qpfs.selectors.folds import Fold, default_estimator

SETS = ("wdbc", "colon", "srbct", "lymphoma", "leukemia", "usps", "rac_standin_borovecki")
LENGTHS = (5, 10, 20, 30, 50)
SEEDS = range(10)


def candidates() -> Iterator[tuple[str, Any]]:
    """The defaults with one or two parameters moved at a time."""
    yield "QPFS", QPFS(**LEVELS)
    yield "MaxRel", MaxRel(**LEVELS)
    for kind in (IKMQPFS, IKMAQPFS):
        name, method = kind.__name__, partial(kind, **LEVELS)
        for init in ("leaders", "relevance"):
            for radius in (0.7, 0.8, 0.85, 0.9, 0.95):
                for n_first in (5, 15, 50):
                    made = method(init=init, radius=radius, n_first=n_first)
                    yield f"{name} {init} radius {radius} n_first {n_first}", made
        for init in ("first", "random", "farthest"):
            for radius in (0.8, 0.9):
                yield f"{name} {init} radius {radius}", method(init=init, radius=radius)
        for n_split in (2, 5, 50):
            yield f"{name} leaders radius 0.8 n_split {n_split}", method(radius=0.8, n_split=n_split)
        for other in ("literal", "medoid"):
            yield f"{name} {other}", method(radius=0.8, representative=other)
        yield f"{name} local theta", method(radius=0.8, theta_scope="local")
    for init in ("leaders", "relevance", "farthest"):
        for n_clusters in (50, 100, 200, 400):
            yield f"TLKMQPFS {init} {n_clusters}", TLKMQPFS(init=init, n_clusters=n_clusters, **LEVELS)


def main() -> list[Row]:
    warnings.simplefilter(
        "ignore", UserWarning
    )  # that fewer features than asked for were found is counted here
    data = {name: found for name in SETS if (found := stored(name)) is not None}
    if missing := set(SETS) - set(data):
        print(f"skipped: {', '.join(sorted(missing))} not in the data folder (set QPFS_DATA)")
    problems = [planted_groups(random_state=seed) for seed in SEEDS]
    return [measured(name, selector, data, problems) for name, selector in candidates()]


def measured(name: str, selector: Any, data: dict[str, Any], problems: list[Any]) -> Row:
    errors = {one: nested_error(selector, *found) for one, found in data.items()}
    hits = [groups_found(selector, problem) for problem in problems]
    shown = " ".join(f"{one[:5]} {100 * error:.1f}" for one, error in errors.items())
    mean = round(100 * float(np.mean(list(errors.values()))), 2) if errors else None
    print(f"{name:45} mean error {mean} | {shown} | planted {min(hits)} to {max(hits)} of 8", flush=True)
    return Row(
        f"{name}: mean error, %; planted groups among the first 8", shown, f"{np.mean(hits):.1f}", mean
    )


def nested_error(selector: Any, X: Any, y: Any) -> float:
    estimator = default_estimator(continuous=False)
    scorer = check_scoring(estimator)
    errors = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        order = clone(selector).fit(X[train], y[train]).order_
        lengths = [n for n in LENGTHS if n <= X.shape[1]]
        errors.append(
            1 - Fold(X, y, train, test, target_of(y, None), estimator, scorer).scores([order], lengths).mean()
        )
    return float(np.mean(errors))


def groups_found(selector: Any, problem: Any) -> int:
    order = clone(selector).fit(problem.X, problem.y).order_[:8]
    return len(set(problem.group[order]) - {-1})
