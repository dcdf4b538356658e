"""What is done for each task of the plan: plain data in, plain data out.

Letters. k a number of top features. Everything is a function of the task and the data, so that a task done
again gives the same answer to the last digit; only seconds and megabytes are measured.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, minmax_scale
from sklearn.svm import LinearSVC

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes import ThreeSegments
from qpfs.engines import one_blas_thread
from qpfs.evaluation import Folds, GivenSplit, RandomSplits, Splits
from qpfs.paper import published
from qpfs.paper.leave_one_out import n_wrong
from qpfs.paper.methods import COMPARED, MOST, Parameters
from qpfs.paper.sets import DATA_SETS, GIVEN, SPLITS, SetTable, table_of
from qpfs.paper.theory import theory
from qpfs.report.cluster_record import cluster_record
from qpfs.selectors import MaxRel, SelectionCV, TwoLevelFeatureKMeans, TwoLevelSelector

Plain = dict[str, Any]


def done(task: Plain, folder: Path | None) -> Plain:
    """The outcome of a task."""
    table = table_of(task["set"], folder)
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fewer features than asked for: the outcome says how many
        return WORK[task["task"]](task, table)


def machine(C: float = 1.0) -> LinearSVC:
    """The publication's classifier; it does not say with which C."""
    return LinearSVC(dual=False, C=C, max_iter=10_000)


def ranking(method: str, parameters: Parameters, X: FloatArray, y: AnyArray) -> IndexArray:
    """The top features by a method, best first."""
    return COMPARED[method].made(parameters, X.shape[1]).fit(X, y).order_[:MOST]


def as_published(task: Plain, table: SetTable) -> Plain:
    """Wrong samples at each number of features, for one choice of parameters."""
    division = DATA_SETS[task["set"]].division
    if division == SPLITS:
        return on_splits(task, table)
    if division == GIVEN:
        return on_parts(task, table, *given_parts(table))
    order = ranking(task["method"], task["parameters"], table.scaled, table.y)
    return {
        "wrong": [left_out(table, order[:k]) for k in task["sizes"] if k <= len(order)],
        "n": table.n_samples,
        "found": len(order),
    }


def left_out(table: SetTable, features: IndexArray) -> int:
    """Leave-one-out of a selection: its wrong samples. The top few of many parameters are the same."""
    which = tuple(sorted(features.tolist()))
    if which not in table.known:
        table.known[which] = n_wrong(table.scaled[:, which], table.y)
    return table.known[which]


def inside(task: Plain, table: SetTable) -> Plain:
    """The same parameters, but the selection made anew without each sample that is tested."""
    X, y, rows = table.scaled, table.y, np.arange(table.n_samples)
    wrong, found = np.zeros(len(task["sizes"]), int), []
    for i in rows:
        train, test = rows[rows != i], rows[[i]]
        order = ranking(task["method"], task["parameters"], X[train], y[train])
        for place, k in enumerate(task["sizes"]):
            top = order[:k]
            wrong[place] += n_missed(X[np.ix_(train, top)], y[train], X[np.ix_(test, top)], y[test])
        found.append(len(order))
    n_sizes = sum(k <= max(found) for k in task["sizes"])
    return {"wrong": wrong[:n_sizes].tolist(), "n": len(y), "found": max(found)}


def given_parts(table: SetTable) -> tuple[IndexArray, IndexArray]:
    """The publication's split of MNIST: the rows to learn from come first."""
    rows = np.arange(table.n_samples)
    n = published.MNIST_ROWS[0]
    return rows[:n], rows[n:]


def on_splits(task: Plain, table: SetTable) -> Plain:
    """Several of the random splits: lists with an entry for each."""
    first, last = task["splits"]
    parts = list(random_splits(last).parts(table.y))[first:last]
    outcomes = [on_parts(task, table, train, test) for train, test in parts]
    return {name: [one[name] for one in outcomes] for name in ("wrong", "n", "found")}


def random_splits(n: int) -> RandomSplits:
    """The first n of the publication's splits: a longer row of splits begins with the same."""
    return RandomSplits(n, published.TRAIN_SHARE)


def on_parts(task: Plain, table: SetTable, train: IndexArray, test: IndexArray) -> Plain:
    """A selection on some rows, tested on others; where fewer are found, last with all of them."""
    X, y = table.scaled, table.y
    order = ranking(task["method"], task["parameters"], X[train], y[train])
    sizes = [k for k in task["sizes"] if k <= len(order)]
    if "splits" in task:
        sizes += [len(order)] * (len(sizes) < len(task["sizes"]))
    C = task.get("C", 1.0)
    wrong = [
        n_missed(X[np.ix_(train, order[:k])], y[train], X[np.ix_(test, order[:k])], y[test], C) for k in sizes
    ]
    return {"wrong": wrong, "n": len(test), "found": len(order)}


def n_missed(X: FloatArray, y: AnyArray, X_test: FloatArray, y_test: AnyArray, C: float = 1.0) -> int:
    """The samples that a machine taught on some gets wrong among others."""
    return int((machine(C).fit(X, y).predict(X_test) != y_test).sum())


def baselines(task: Plain, table: SetTable) -> Plain:
    """Errors without a choice of features: all of them, and all that stand for a cluster of two levels."""
    clusterer = TwoLevelFeatureKMeans(task["n_clusters"], n_first=None, radius=None, init="leaders")
    several = TwoLevelSelector(clusterer, MaxRel(), measure="mi", discretizer=ThreeSegments())
    parts = {
        SPLITS: lambda: list(random_splits(task["n_splits"]).parts(table.y)),
        GIVEN: lambda: [given_parts(table)],
    }.get(DATA_SETS[task["set"]].division, list)()
    if parts:
        everything = [test_of(table, train, test, np.arange(table.n_features)) for train, test in parts]
        some = [several.fit(table.scaled[train], table.y[train]).order_ for train, _ in parts]
        clusters = [test_of(table, *rows, order) for rows, order in zip(parts, some, strict=True)]
        return {"all": mean(everything), "representatives": mean(clusters), "found": mean(map(len, some))}
    order = several.fit(table.scaled, table.y).order_
    return {
        "all": n_wrong(table.scaled, table.y) / table.n_samples,
        "representatives": n_wrong(table.scaled[:, order], table.y) / table.n_samples,
        "found": float(len(order)),
    }


def mean(values: Any) -> float:
    return float(np.mean(list(values)))


def test_of(table: SetTable, train: IndexArray, test: IndexArray, order: IndexArray) -> float:
    """The error of some features on some rows."""
    X, y = table.scaled[:, order], table.y
    return n_missed(X[train], y[train], X[test], y[test]) / len(test)


def outer(name: str, task: Plain, table: SetTable) -> Splits:
    """How samples are divided in the nested protocol."""
    division = DATA_SETS[name].division
    if division == SPLITS:
        return random_splits(task["n_splits"])
    if division == GIVEN:
        return GivenSplit(given_parts(table)[1])
    return Folds(task["n_folds"], task["repeats"])


def nested(task: Plain, table: SetTable) -> Plain:
    """One outer part: parameters and number of features chosen inside it, then tested on the rest."""
    train, test = list(outer(task["set"], task, table).parts(table.y))[task["part"]]
    X, y = minmax_scale(table.X[train], (-1, 1)), table.y[train]
    candidates, sizes = task["candidates"], task["sizes"]
    scores = inner_scores(task["method"], candidates, sizes, task["n_inner"], X, y)
    best = scores.argmax(axis=0)  # for each number of features the first of the best candidates
    reached = scores.max(axis=0)
    chosen = int(np.argmax(reached >= reached.max() - 1e-12))  # of the best the fewest features
    looked_at = sorted({chosen} | {i for i, k in enumerate(sizes) if k in published.TOPS})
    wrong = {}
    for i in looked_at:
        order = ranking(task["method"], candidates[best[i]], X, y)
        wrong[sizes[i]] = scaled_missed(table, train, test, order[: sizes[i]])
    return {
        "k": sizes[chosen],
        "parameters": candidates[best[chosen]],
        "wrong": wrong[sizes[chosen]],
        "n": len(test),
        "at": {str(k): wrong[k] for k in wrong if k in published.TOPS},
    }


def scaled_missed(table: SetTable, train: IndexArray, test: IndexArray, features: IndexArray) -> int:
    """The wrong samples of a selection, scaled by what the training part says."""
    some = table.X[:, features]
    scaler = MinMaxScaler((-1, 1)).fit(some[train])
    return n_missed(
        scaler.transform(some[train]), table.y[train], scaler.transform(some[test]), table.y[test]
    )


def inner_scores(
    method: str, candidates: list[Parameters], sizes: Sequence[int], n_folds: int, X: FloatArray, y: AnyArray
) -> FloatArray:
    """The mean accuracy of each candidate at each number of features, over folds of the training part."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    if not COMPARED[method].searched:
        return plain_scores(method, candidates, sizes, folds, X, y)
    names = list(candidates[0])
    ranges = {name: list(dict.fromkeys(one[name] for one in candidates)) for name in names}
    made = COMPARED[method].made({}, X.shape[1])
    search = SelectionCV(made, ranges, list(sizes), cv=folds).fit(X, y)
    found = {place(one): mean for one, mean in zip(*results(search), strict=True)}
    return np.array([[found[place({**one, "n_features_to_select": k})] for k in sizes] for one in candidates])


def results(search: Any) -> tuple[list[Plain], FloatArray]:
    return search.cv_results_["params"], search.cv_results_["mean_test_score"]


def place(parameters: Plain) -> tuple[tuple[str, str], ...]:
    """Parameters as a key."""
    return tuple(sorted((name, repr(value)) for name, value in parameters.items()))


def plain_scores(
    method: str,
    candidates: list[Parameters],
    sizes: Sequence[int],
    folds: StratifiedKFold,
    X: FloatArray,
    y: AnyArray,
) -> FloatArray:
    """The same, one candidate after another."""
    scores = np.zeros((len(candidates), len(sizes)))
    for train, test in folds.split(X, y):
        table = SetTable(X, X, y, "")
        for c, parameters in enumerate(candidates):
            order = ranking(method, parameters, minmax_scale(X[train], (-1, 1)), y[train])
            for i, k in enumerate(sizes):
                missed = scaled_missed(table, train, test, order[:k])
                scores[c, i] += (1 - missed / len(test)) / folds.get_n_splits()
    return scores


def counted(task: Plain, table: SetTable) -> Plain:
    """Distances and levels of a clustered method beside what the publication says of them."""
    return theory(task["method"], task["parameters"], table.scaled, table.y)


def clusters(task: Plain, table: SetTable) -> Plain:
    """The clusters of a selection, level by level, for a picture."""
    selector = COMPARED[task["method"]].made(task["parameters"], table.n_features).fit(table.scaled, table.y)
    return cluster_record(selector, [f"feature {i + 1}" for i in range(table.n_features)]) or {}


WORK: dict[str, Callable[[Plain, SetTable], Plain]] = {
    "as published": as_published,
    "inside": inside,
    "baselines": baselines,
    "nested": nested,
    "theory": counted,
    "clusters": clusters,
}
