"""Several methods on one problem, by nested cross-validation.

In each outer split every method ranks the features by the training part, and the top ones are tested on the
rest: that is its curve. How many features to take is chosen inside the training part, by inner splits of it
alone, and what that number gives on the outer test part is the nested error: an honest one, for nothing of it
was chosen by the samples it is made of.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np

import qpfs
from qpfs.arrays import FloatArray
from qpfs.checks import check_integer
from qpfs.evaluation.agreement import check_level, stability
from qpfs.evaluation.baselines import AllFeatures
from qpfs.evaluation.curve import (
    ErrorCurve,
    curve_of,
    estimated,
    json_number,
    protocol_text,
    tested_of,
    within_one_standard_error,
)
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.identities import exact_key
from qpfs.evaluation.intervals import Tested
from qpfs.evaluation.measuring import MeasuringError, measured
from qpfs.evaluation.outcomes import COST
from qpfs.evaluation.records import Records, opened_records
from qpfs.evaluation.runs import Job, Tick, run
from qpfs.evaluation.sample import Sample, sample_of
from qpfs.evaluation.splits import Parts, Splits, splits_of
from qpfs.evaluation.trials import Inside, Judge, Trial, judge_of
from qpfs.infinity import first_infinite, infinity_message
from qpfs.report.schema import COMPARISON
from qpfs.selectors.selection_cv import checked_lengths

OFTEN = 20  # features listed by how often they were selected
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def compare(
    X: Any,
    y: Any,
    methods: Mapping[str, Any],
    *,
    names: Sequence[str] | None = None,
    outer: Splits | int = 5,
    repeats: int = 1,
    inner: Splits | int = 3,
    sizes: int | Sequence[int] | None = None,
    groups: Any = None,
    classifier: Any = None,
    scale: str | None = "auto",
    one_standard_error: bool = False,
    stability_size: int | None = None,
    measure_memory: bool = False,
    level: float = 0.95,
    titles: Mapping[str, str] | None = None,
    data: Mapping[str, Any] | None = None,
    command: str | None = None,
    records: Records | str | PathLike[str] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> dict[str, Any]:
    """Compare methods by nested cross-validation: error, number of features, stability, time, memory.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The features.
    y : array-like of shape (n_samples,)
        The target: class labels, or numbers.
    methods : dict of str to object
        What has `fit(X, y)` and then `order_` or `scores_`, by name.
    names : sequence of str or None, default=None
        The features' names; None for those of the data frame, or their numbers.
    outer : Splits or int, default=5
        What errors are made of; a number of stratified folds, or a way to divide.
    repeats : int, default=1
        How often folds are made anew; for `outer` as a number.
    inner : Splits or int, default=3
        How a training part is divided to choose the number of features.
    sizes : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one group stay in one part, outer and inner.
    classifier, scale, level
        As for :func:`error_curve`.
    one_standard_error : bool, default=False
        Whether to choose the smallest number within one standard error of the lowest inner error, in place of
        the smallest with the lowest.
    stability_size : int or None, default=None
        The number of top features whose agreement over the outer training parts is told; None is, for each
        method, the smallest number within one standard error of its best.
    measure_memory : bool, default=False
        Whether to fit each method to all samples in a process of its own, for its peak memory, and for its
        time without that of compiling and of threads beside it.
    titles : dict of str to str or None, default=None
        What methods are called before people.
    data : dict or None, default=None
        What is known of where the data come from, as it goes into the answer.
    command : str or None, default=None
        The command that this is the answer to.
    records : Records, path or None, default=None
        Where results are kept, and taken from if they are there: a run that was interrupted continues. A
        method is known again by its code and all that it holds, functions included; one of which that cannot
        be told is refused.
    seed : int, default=0
        How samples are divided.
    n_jobs : int or None, default=None
        Threads; but for seconds the answer does not depend on it.
    tick : callable or None, default=None
        Called with (steps done, steps in all, what was done) after each.

    Returns
    -------
    comparison : dict
        Plain data, schema "qpfs-comparison/1": `data`, `protocol`, `methods` (each with its `curve`, `nested`
        error and the numbers of features chosen, `best`, `smallest` within one standard error of the best,
        `seconds` of a fit with the least and the most (measured apart: the median alone), `memory_mb`,
        `stability` at a number of features, `often` selected features; or `failed` with the reason),
        `baselines`, `versions`, `seconds`.

    Notes
    -----
    `best` and `smallest` are read off the test errors of all numbers of features, and so are too good to be
    expected of new samples; `nested` is not. The interval of the stability takes the training parts for
    independent, which those of folds are not: they share samples, and agree more than new samples would.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, MaxRel
    >>> from qpfs.evaluation import compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = compare(X, y, {"qpfs": QPFS(), "maxrel": MaxRel()}, outer=3, inner=2, sizes=[2, 5])
    >>> [method["name"] for method in found["methods"]], found["baselines"][0]["name"]
    (['qpfs', 'maxrel'], 'all features')
    """
    begun = perf_counter()
    check_level(level)
    check_methods(methods)
    sample = sample_of(X, y, groups)
    all_names = feature_names(sample.X, names, sample)
    if (found := first_infinite(sample.X)) is not None:
        raise ValueError(f"Input X contains infinity: {infinity_message(found, all_names)}")
    lengths = checked_lengths("sizes", sizes, sample.n_features)
    size = checked_size(stability_size, lengths[-1])
    judge = judge_of(classifier, scale, sample)
    kept = records is not None
    plan = ComparisonPlan(
        sample, splits_of(outer, seed, repeats), splits_of(inner, seed), lengths, judge, kept
    )
    jobs = [job for name, method in methods.items() for job in plan.jobs(name, method)]
    jobs += plan.baseline_jobs()
    measure = list(methods) if measure_memory else []
    steps = StepCount(tick, len(jobs) + len(measure))
    with opened_records(records) as store:
        outcomes = run(sample, judge, jobs, store, n_jobs, steps.within, forgiving=True)
        costs = {}
        for name in measure:
            costs[name] = cost(sample, methods[name], store)
            steps.next(f"cost of {name}")
    summary = Summary(plan, all_names, size, level, one_standard_error)
    by_method = plan.by_method(list(methods), outcomes)
    entries = [
        about_method(name, method, titles)
        | summary.method(*by_method[name])
        | costs.get(name, {"memory_mb": None})
        for name, method in methods.items()
    ]
    return {
        "schema": COMPARISON,
        "qpfs": qpfs.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "data": about_data(sample) | dict(data or {}),
        "protocol": summary.protocol(),
        "methods": entries,
        "baselines": [{"name": "all features", **summary.baseline(by_method[""][0])}],
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "seconds": {"run": round(perf_counter() - begun, 3)},
    }


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """All trials: for each method the outer splits and, in each, the inner ones."""

    sample: Sample
    outer: Splits
    inner: Splits
    sizes: Sequence[int]
    judge: Judge
    kept: bool  # whether outcomes go on record

    def outer_parts(self) -> list[Parts]:
        return list(self.outer.parts(self.sample.strata, self.sample.groups))

    def inner_parts(self, train: Any) -> list[Parts]:
        """The inner splits of a training part, as rows of the whole."""
        groups = None if self.sample.groups is None else self.sample.groups[train]
        parts = self.inner.parts(self.sample.strata[train], groups)
        return [(train[some], train[rest]) for some, rest in parts]

    def jobs(self, name: str, method: Any) -> list[Job]:
        """The trials of a method: of each outer split the outer one, then the inner ones."""
        ranker = Inside(method, self.sample)
        about = self._about(method, f"methods[{name!r}]")
        parts = self.outer_parts()
        jobs = []
        for place, (train, test) in enumerate(parts):
            words = f"{name}, split {place + 1} of {len(parts)}"
            jobs.append(self._job(about, ranker, (train, test), self.sizes, [place], words))
            for deep, part in enumerate(self.inner_parts(train)):
                jobs.append(self._job(about, ranker, part, self.sizes, [place, deep], f"{words}, inside"))
        return jobs

    def baseline_jobs(self) -> list[Job]:
        """The trials with all features."""
        ranker = Inside(AllFeatures(), self.sample)
        about = self._about(ranker.selector, "all features")
        everything = [self.sample.n_features]
        return [
            self._job(about, ranker, part, everything, [place], f"all features, split {place + 1}")
            for place, part in enumerate(self.outer_parts())
        ]

    def _about(self, method: Any, what: str) -> dict[str, Any]:
        return exact_key(method, self.judge.classifier, what, kept=self.kept)

    def _job(
        self,
        about: dict[str, Any],
        ranker: Inside,
        part: Parts,
        sizes: Sequence[int],
        place: list[int],
        words: str,
    ) -> Job:
        key = about | {
            "what": "trial",
            "selection": "inside",
            "splits": self.outer.description(),
            "inner": self.inner.description() if len(place) > 1 else None,
            "split": place,
        }
        return Job(Trial(ranker, *part, sizes), key, words)

    def by_method(
        self, names: list[str], outcomes: list[Any]
    ) -> dict[str, tuple[list[Any], list[list[Any]]]]:
        """The outer outcomes of each method, and the inner ones of each of its splits; "" is the baseline."""
        rest = iter(outcomes)
        inside = [len(self.inner_parts(train)) for train, _ in self.outer_parts()]
        found: dict[str, tuple[list[Any], list[list[Any]]]] = {}
        for name in names:
            both = [(next(rest), [next(rest) for _ in range(n)]) for n in inside]
            found[name] = [one for one, _ in both], [some for _, some in both]
        found[""] = list(rest), []
        return found


@dataclass(frozen=True, eq=False)
class Summary:
    """What the outcomes say."""

    plan: ComparisonPlan
    names: Sequence[str]
    size: int | None  # whose stability is told; None: of the smallest that is enough
    level: float
    one_standard_error: bool

    def method(self, outer: list[Any], inner: list[list[Any]]) -> dict[str, Any]:
        """What the outcomes say about a method."""
        failures = [
            one["failed"] for one in [*outer, *(one for some in inner for one in some)] if "failed" in one
        ]
        if failures:
            return {"failed": failures[0]}
        curve = self._curve(outer, self.plan.sizes).reached()
        size = curve.smallest()[0] if self.size is None else self.size
        return {
            "curve": curve.table(),
            "nested": self._nested(outer, inner),
            "best": dict(zip(("k", "error"), curve.best(), strict=True)),
            "smallest": dict(zip(("k", "error"), curve.smallest(), strict=True)),
            "ranked": {"fewest": int(curve.ranked.min()), "most": int(curve.ranked.max())},
            "seconds": spread(curve.seconds),
            "stability": self._stability(curve, size),
            "often": self._often(curve, size),
            "notes": list(curve.notes),
        }

    def baseline(self, outer: list[Any]) -> dict[str, Any]:
        if "failed" in outer[0]:
            return {"failed": outer[0]["failed"]}
        row = self._curve(outer, [self.plan.sample.n_features]).table()[0]
        return {name: row[name] for name in ("error", "low", "high")}

    def protocol(self) -> dict[str, Any]:
        """What was done, in words and as plain data."""
        plan = self.plan
        grouped = plan.sample.groups is not None
        inner = plan.inner.text(grouped)
        rule = (
            "the smallest whose error is within one standard error of the lowest"
            if self.one_standard_error
            else "the one with the lowest error"
        )
        outer = protocol_text(plan.sample, plan.outer, plan.judge.classifier, plan.judge.scale, "inside")
        return {
            "text": f"{outer} The number of features is {rule} by {inner} of the training part.",
            "outer": plan.outer.description(),
            "inner": plan.inner.description(),
            "repeats": plan.outer.repeats,
            "estimator": plan.judge.description(),
            "scoring": "relative squared error" if plan.sample.is_quantity else "share classified wrongly",
            "groups": grouped,
            "sizes": list(plan.sizes),
            "level": self.level,
        }

    def _curve(self, outer: list[Any], sizes: Sequence[int]) -> ErrorCurve:
        return curve_of(self.plan.sample, self.plan.outer, sizes, outer, self.level, {})

    def _nested(self, outer: list[Any], inner: list[list[Any]]) -> dict[str, Any]:
        """The error with the number of features chosen inside each training part."""
        places = [self._chosen(some) for some in inner]
        tested = tested_of(outer)
        losses = tested.losses[np.arange(len(places)), places][:, None]
        nested = Tested(losses, tested.references, tested.n_train, tested.n_test)
        found = estimated(self.plan.sample, self.plan.outer, nested, self.level)
        return {
            **{name: json_number(getattr(found, place)[0]) for name, place in ESTIMATES},
            "k": [
                min(self.plan.sizes[place], one["n_ranked"]) for place, one in zip(places, outer, strict=True)
            ],
        }

    def _chosen(self, inner: list[Any]) -> int:
        """The place of the number of features that the inner splits of a training part choose."""
        found = estimated(self.plan.sample, self.plan.inner, tested_of(inner), self.level)
        if self.one_standard_error:
            return within_one_standard_error(found.mean, found.standard_error)
        return int(np.argmin(found.mean))

    def _stability(self, curve: ErrorCurve, size: int) -> dict[str, Any] | None:
        """How much the selections of the outer training parts agree; None if there is one only."""
        if len(curve.orders) < 2:
            return None
        found = stability(curve.masks(size), level=self.level)
        return {
            "index": json_number(found.index),
            "low": json_number(found.low),
            "high": json_number(found.high),
            "size": size,
        }

    def _often(self, curve: ErrorCurve, size: int) -> list[dict[str, Any]]:
        """The features most often among the top ones."""
        shares = curve.masks(size).mean(axis=0)
        first = [int(one) for one in np.argsort(-shares, kind="stable")[:OFTEN] if shares[one] > 0]
        return [{"feature": self.names[one], "index": one, "share": float(shares[one])} for one in first]


ESTIMATES = (("error", "mean"), ("low", "low"), ("high", "high"), ("standard_error", "standard_error"))


class StepCount:
    """Counts what is done, over trials and what comes after them."""

    def __init__(self, tick: Tick | None, total: int) -> None:
        self.tick = tick
        self.total = total
        self.done = 0

    def within(self, done: int, total: int, what: str) -> None:
        self.next(what)

    def next(self, what: str) -> None:
        self.done += 1
        if self.tick is not None:
            self.tick(self.done, self.total, what)


def cost(sample: Sample, method: Any, records: Records | None) -> dict[str, Any]:
    """Peak memory and time of a method's fit to all samples, on record; or why there is none."""
    key = {
        "what": "cost",
        "qpfs": qpfs.__version__,
        "data": sample.checksum if records is not None else None,
        **exact_key(method, None, "the method", kept=records is not None),
    }
    known = None if records is None else records.get(key, COST)
    if known is not None:
        return dict(known)
    try:
        taken = measured(method, sample.X, sample.y, repeats=3)
    except MeasuringError as error:
        return {"memory_mb": None, "memory_note": str(error)}
    seconds = {"median": taken.seconds, "low": None, "high": None}
    found: dict[str, Any] = {"memory_mb": round(taken.megabytes, 3), "seconds": seconds}
    return dict(found if records is None else records.add(key, found, COST))


def about_method(name: str, method: Any, titles: Mapping[str, str] | None) -> dict[str, Any]:
    """What a method is."""
    said = description(method)
    return {
        "name": name,
        "title": (titles or {}).get(name, type(method).__name__),
        "class": said["class"],
        "parameters": said["parameters"],
    }


def about_data(sample: Sample) -> dict[str, Any]:
    """What the data are."""
    groups, sizes = np.unique(sample.strata, return_counts=True)
    classes = sample.target.classes
    labels = [f"fifth {one + 1}" for one in groups] if classes is None else [str(one) for one in classes]
    return {
        "source": None,
        "checksum": sample.checksum,
        "task": "regression" if sample.is_quantity else "classification",
        "classes": [{"name": label, "n": int(n)} for label, n in zip(labels, sizes, strict=True)],
        "n_samples": sample.n_samples,
        "n_features": sample.n_features,
    }


def feature_names(X: Any, names: Sequence[str] | None, sample: Sample) -> list[str]:
    """The names of the features: given, of the data frame, or numbers."""
    if names is None:
        names = getattr(X, "column_names", None) or list(getattr(X, "columns", range(sample.n_features)))
    if len(names) != sample.n_features:
        raise ValueError(f"names has {len(names)} names for {sample.n_features} features.")
    return [str(name) for name in names]


def spread(seconds: FloatArray) -> dict[str, float]:
    """The median, the least and the most."""
    return {
        "median": float(np.median(seconds)),
        "low": float(seconds.min()),
        "high": float(seconds.max()),
    }


def checked_size(size: int | None, most: int) -> int | None:
    """The number of top features whose stability is told."""
    if size is not None:
        check_integer("stability_size", size, 1, most)
    return size


def check_methods(methods: Mapping[str, Any]) -> None:
    if not methods or "" in methods:
        raise ValueError("methods is empty or has one without a name; expected selectors by name.")
    for name, method in methods.items():
        if not hasattr(method, "fit") or isinstance(method, type):
            raise ValueError(f"methods[{name!r}] is {method!r}; expected an object with fit(X, y).")
