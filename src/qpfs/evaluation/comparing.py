"""Several methods on one problem, by nested cross-validation.

In each outer split every method ranks the features on the training part, and the top ones are tested on the
test part: that is its curve. The number of features is chosen inside the training part, by inner splits of
it, and the result with that number on the outer test part is the nested error or score: it is unbiased, since
nothing was chosen with the samples that it is computed from.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

import qpfs
from qpfs.arrays import FloatArray
from qpfs.checks import check_integer
from qpfs.evaluation.agreement import check_level, stability
from qpfs.evaluation.comparison import Comparison
from qpfs.evaluation.comparison_plan import ComparisonPlan, comparison_plan
from qpfs.evaluation.curve import (
    ErrorCurve,
    best_place,
    curve_of,
    estimated,
    protocol_text,
    tested_of,
    within_one_standard_error,
)
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.draws import first_of_equal, overlap
from qpfs.evaluation.intervals import Tested
from qpfs.evaluation.judging import ErrorRate
from qpfs.evaluation.measuring import MeasuringError, measured
from qpfs.evaluation.named_methods import titles_of
from qpfs.evaluation.outcomes import COST
from qpfs.evaluation.parameter_texts import documented
from qpfs.evaluation.rankings import Inside
from qpfs.evaluation.records import Records, RecordsIn, opened_records
from qpfs.evaluation.resampling import numbers_of
from qpfs.evaluation.runs import Tick, run
from qpfs.evaluation.sample import Sample, last_step
from qpfs.evaluation.splits import Splits, fixed_seed
from qpfs.infinity import first_infinite, infinity_message
from qpfs.messages import Message
from qpfs.registry import version_of
from qpfs.report.schema import COMPARISON
from qpfs.report.stability_text import folds_words
from qpfs.wording import finite

OFTEN = 20  # features listed with their frequency of selection
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


@documented
def compare(
    methods: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    cv: Any = 5,
    inner_cv: Any = 3,
    scoring: Any = None,
    sizes: int | Sequence[int] | None = None,
    covariates: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    repeats: int = 1,
    one_standard_error: bool = False,
    stability_size: int | None = None,
    measure_memory: bool = False,
    confidence: float = 0.95,
    names: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
    data: Mapping[str, Any] | None = None,
    command: str | None = None,
    records: RecordsIn = None,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> Comparison:
    """Compare methods by nested cross-validation: error or score, how many features, stability, cost.

    Parameters
    ----------
    methods : dict of str to object, list of object or of (str, object), or one object
        What :func:`error_curve` takes as `selector`, by name; those of a list are named by their classes
        ("Pipeline-1", "Pipeline-2" if there are several of one), or are pairs of a name and an object.
        A text is a method of the command with its default parameters, such as "qpfs", "mrmr" or "f-test";
        :mod:`qpfs.evaluation.rivals` makes methods of other packages with other parameters.
    {X}
    {y}
    {estimator}
    {scoring}
    {confidence}
    {cv}
    inner_cv : int, splitter or None, default=3
        How a training part is divided to choose the number of features (None: 5 folds); not used if `sizes`
        is one number. If `cv` is a TimeSeriesSplit, a number means another one with so many splits.
    sizes : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100. Numbers larger than that
        of the columns mean all columns, with a warning.
    covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
        Covariates to adjust for, given to methods whose `fit` takes them, as those of this package with a
        measure do; others are fitted without, as the protocol states. The estimator does not get them.
    {sample_weight}
        The protocol lists the methods that take none.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one group stay in one part, outer and inner. They are also given to methods whose `fit`
        takes groups: for p values, which `fdr` uses, or for the folds of a search.
    {random_state}
    repeats : int, default=1
        How often the samples are divided into new folds, if `cv` is a number.
    one_standard_error : bool, default=False
        Whether to choose the smallest number within one standard error of the best inner error or score,
        instead of the smallest with the best.
    stability_size : int or None, default=None
        The number of top features whose agreement over the outer training parts is reported; None is, for
        each method, the smallest number within one standard error of its best.
    measure_memory : bool, default=False
        Whether to fit each method to all samples in a separate process, to measure its peak memory, and its
        time without compilation and without other threads.
    {names}
    titles : dict of str to str or None, default=None
        The names of methods in texts and figures.
    {data}
    command : str or None, default=None
        The command that made the comparison, for the record.
    {records}
    {n_jobs}
    {tick}

    Returns
    -------
    comparison : Comparison
        With `to_frame()`, `record`, `report()`, `plot()` and `to_latex()`. A method that failed is included
        with the reason, and a warning is given.

    See Also
    --------
    error_curve : The scores of one method at several numbers of features.
    resampled : How stable a selection is when samples are drawn again.
    SelectionCV : Parameters and the number of features chosen by cross-validation.

    Notes
    -----
    `best` and `smallest` are chosen by the test errors of all numbers of features, and so are optimistic for
    new samples; `nested` is not. The stability is that of the outer training parts, which share samples: it
    is higher than that of :func:`resampled`, which draws halves, and the two cannot be compared. Its interval
    assumes that the training parts are independent, which those of folds are not; there is none for fewer
    than 10 different ones.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, MaxRel
    >>> from qpfs.evaluation import compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = compare({"qpfs": QPFS(), "maxrel": MaxRel()}, X, y, cv=3, inner_cv=2, sizes=[2, 5])
    >>> found.to_frame()["method"].tolist()
    ['qpfs', 'maxrel', 'all features']
    >>> compare(["mrmr", "f-test"], X, y, cv=3, sizes=[5]).to_frame()["method"].tolist()
    ['mrmr', 'f-test', 'all features']
    """
    begun = perf_counter()
    check_level(confidence, "confidence")
    titles = titles_of(methods) | dict(titles or {})
    plan = comparison_plan(
        methods,
        X,
        y,
        estimator=estimator,
        cv=cv,
        inner_cv=inner_cv,
        scoring=scoring,
        sizes=sizes,
        covariates=covariates,
        sample_weight=sample_weight,
        groups=groups,
        random_state=fixed_seed(random_state),
        repeats=repeats,
    )
    sample, methods = plan.sample, plan.methods
    all_names = names_of_features(sample.X, names, sample)
    if (found := first_infinite(sample.X)) is not None:
        raise ValueError(f"Input X contains infinity: {infinity_message(found, all_names)}")
    if stability_size is not None:
        check_integer("stability_size", stability_size, 1, plan.sizes[-1])
    measure = list(methods) if measure_memory else []
    summary = Summary(plan, all_names, stability_size, confidence, one_standard_error)
    about = about_all(summary, titles, data)
    steps = StepCount(tick, len(plan.trials) + len(measure))
    outcomes = run(sample, plan.trials, records, n_jobs, steps.within, forgiving=True)
    costs = {}
    with opened_records(records) as store:
        for name in measure:
            costs[name] = cost(plan.rankers[name], store)
            steps.next(f"cost of {name}")
    record = comparison_record(about, summary, outcomes, costs)
    seconds = {"run": round(perf_counter() - begun, 3)}
    return Comparison(record | {"command": command, "seconds": seconds})


def about_all(
    summary: Summary, titles: Mapping[str, str] | None, data: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What is known before any trial, as plain data: an error in it comes before the work."""
    plan = summary.plan
    return {
        "schema": COMPARISON,
        "qpfs": qpfs.__version__,
        "command": None,
        "data": about_data(plan.sample) | dict(data or {}),
        "protocol": summary.protocol(),
        "methods": [about_method(name, method, titles) for name, method in plan.methods.items()],
    }


def comparison_record(
    about: Mapping[str, Any],
    summary: Summary,
    outcomes: list[dict[str, Any]],
    costs: Mapping[str, dict[str, Any]],
) -> dict[str, Any]:
    """The results of all trials of a plan, as plain data."""
    by_method = summary.plan.by_method(outcomes)
    entries = [
        one | summary.method(*by_method[one["name"]]) | costs.get(one["name"], {"memory_mb": None})
        for one in about["methods"]
    ]
    warn_of_failures(entries)
    return {
        **about,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "methods": entries,
        "baselines": [{"name": "all features", **summary.baseline(by_method[""][0])}],
        "guessing": summary.guessing(),
        "versions": versions_for(summary.plan.methods.values()),
        "seconds": {},
    }


def versions_for(methods: Iterable[Any]) -> dict[str, str]:
    """The versions of Python and of the packages that a comparison of methods uses."""
    more = {package for one in methods for package in getattr(last_step(one)[0], "_packages", ())}
    return {
        "python": platform.python_version(),
        **{name: version_of(name) for name in [*LIBRARIES, *sorted(more)]},
    }


def warn_of_failures(entries: list[dict[str, Any]]) -> None:
    """Warns about each method that failed."""
    for entry in entries:
        if "failed" in entry:
            said = Message(f"{entry['name']} failed: ", entry["failed"])
            warnings.warn(said, RuntimeWarning, stacklevel=4)


@dataclass(frozen=True, eq=False)
class Summary:
    """A summary of the outcomes of trials."""

    plan: ComparisonPlan
    names: Sequence[str]
    size: int | None  # features whose stability is reported; None: the smallest number that is enough
    confidence: float
    one_standard_error: bool

    def method(self, outer: list[Any], inner: list[list[Any]]) -> dict[str, Any]:
        """The results of a method."""
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
            "best": dict(zip(("k", "score"), curve.best(), strict=True)),
            "smallest": dict(zip(("k", "score"), curve.smallest(), strict=True)),
            "ranked": {"fewest": int(curve.ranked.min()), "most": int(curve.ranked.max())},
            "seconds": spread_of(curve.seconds),
            "stability": self._stability(curve, size),
            "often": self._often(curve, size),
            "notes": list(curve.notes),
        }

    def baseline(self, outer: list[Any]) -> dict[str, Any]:
        failed = [one["failed"] for one in outer if "failed" in one]
        if failed:
            return {"failed": failed[0]}
        row = self._curve(outer, [self.plan.sample.n_features]).table()[0]
        return {name: row[name] for name in ("score", "low", "high")}

    def guessing(self) -> dict[str, Any] | None:
        """The error rate of predicting the largest class of each training part; None for other scores."""
        plan, judge = self.plan, self.plan.judge
        if not isinstance(judge.scoring, ErrorRate):
            return None
        losses, references = [], []
        for parts in plan.outer.parts:
            (y, weights), (y_test, tested) = (
                (plan.sample.y[rows], judge.weights(plan.sample, rows)) for rows in parts
            )
            losses.append(judge.guessed(y, y_test, weights, tested))
            references.append(judge.scoring.reference(y, y_test, weights, tested))
        sizes = (
            np.array([len(one) for one in some], np.float64) for some in zip(*plan.outer.parts, strict=True)
        )
        found = Tested(np.array(losses)[:, None], np.array(references), *sizes)
        score = estimated(plan.sample, plan.outer, judge.scoring, found, self.confidence).mean[0]
        return {"name": "guessing the largest class", "score": finite(score)}

    def protocol(self) -> dict[str, Any]:
        """What was done, in words and as plain data."""
        plan, scoring = self.plan, self.plan.judge.scoring
        what = "score" if scoring.greater_is_better else "error"
        best = "highest" if scoring.greater_is_better else "lowest"
        rule = (
            f"the smallest whose {what} is within one standard error of the {best}"
            if self.one_standard_error
            else f"the one with the {best} {what}"
        )
        inner = plan.inner[0] if plan.inner else None
        chosen = f" The number of features is {rule} by {inner.text} of the training part." if inner else ""
        return {
            "text": f"{protocol_text(plan.outer, plan.judge, plan.sample)}{plan.others}{chosen}",
            "stability": self._stability_text() or None,
            "outer": plan.outer.text,
            "inner": inner and inner.text,
            "cv": plan.outer.description(),
            "inner_cv": inner and inner.description(),
            "estimator": plan.judge.description(),
            "scoring": {"name": scoring.name, "greater_is_better": scoring.greater_is_better},
            "groups": plan.outer.grouped,
            "sizes": list(plan.sizes),
            "confidence": self.confidence,
        }

    def _stability_text(self) -> str:
        """What the stability is based on; empty if there is none."""
        parts = [self.plan.outer.parts[place][0] for place in self._different]
        return folds_words(overlap(parts, self.plan.sample.n_samples)) if len(parts) > 1 else ""

    @cached_property
    def _different(self) -> list[int]:
        """The splits with different training parts: with few groups, repeated splits can be equal."""
        return first_of_equal([train for train, _ in self.plan.outer.parts])

    def _curve(self, outer: list[Any], sizes: Sequence[int]) -> ErrorCurve:
        plan = self.plan
        return curve_of(plan.sample, plan.outer, plan.judge.scoring, sizes, outer, self.confidence, {})

    def _nested(self, outer: list[Any], inner: list[list[Any]]) -> dict[str, Any]:
        """The error or score with the number of features chosen inside each training part."""
        plan = self.plan
        places = [self._chosen(some, splits) for some, splits in zip(inner, plan.inner, strict=True)]
        places = places or [0] * len(outer)
        tested = tested_of(outer)
        losses = tested.losses[np.arange(len(places)), places][:, None]
        nested = Tested(losses, tested.references, tested.n_train, tested.n_test)
        found = estimated(plan.sample, plan.outer, plan.judge.scoring, nested, self.confidence)
        return {
            **{name: finite(getattr(found, place)[0]) for name, place in ESTIMATES},
            "k": [
                min(plan.sizes[place], one["rankings"][0]["n_ranked"])
                for place, one in zip(places, outer, strict=True)
            ],
        }

    def _chosen(self, inner: list[Any], splits: Splits) -> int:
        """The index of the number of features that the inner splits of a training part choose."""
        scoring = self.plan.judge.scoring
        found = estimated(self.plan.sample, splits, scoring, tested_of(inner), self.confidence)
        if self.one_standard_error:
            return within_one_standard_error(found.mean, found.standard_error, scoring.greater_is_better)
        return best_place(found.mean, scoring.greater_is_better)

    def _stability(self, curve: ErrorCurve, size: int) -> dict[str, Any] | None:
        """How much the selections of different outer training parts agree; None if there is only one."""
        if len(self._different) < 2:
            return None
        found = stability(curve.masks(size)[self._different], confidence=self.confidence)
        return {**numbers_of(found), "size": size}

    def _often(self, curve: ErrorCurve, size: int) -> list[dict[str, Any]]:
        """The features most often among the top ones."""
        shares = curve.masks(size).mean(axis=0)
        first = [int(one) for one in np.argsort(-shares, kind="stable")[:OFTEN] if shares[one] > 0]
        return [{"feature": self.names[one], "index": one, "share": float(shares[one])} for one in first]


ESTIMATES = (("score", "mean"), ("low", "low"), ("high", "high"), ("standard_error", "standard_error"))


class StepCount:
    """Counts finished steps: trials, and the measurements after them."""

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


def cost(ranker: Inside, records: Records | None) -> dict[str, Any]:
    """Peak memory and time of a method's fit to all samples, kept in records; or why there is none."""
    sample, key = ranker.sample, {}
    if records is not None:
        key = {"what": "cost", "qpfs": qpfs.__version__, "data": sample.checksum, **ranker.key}
        if (known := records.get(key, COST)) is not None:
            return dict(known)
    try:
        # Without folds groups affect p values alone, which have no shuffles with some covariates.
        groups = sample.groups if hasattr(last_step(ranker.method)[0], "cv") else None
        known = {"covariates": sample.covariates, "sample_weight": sample.weights, "groups": groups}
        taken = measured(ranker.method, sample.X, sample.y, **known, repeats=3)
    except MeasuringError as error:
        return {"memory_mb": None, "memory_note": str(error)}
    seconds = {"median": taken.seconds, "low": None, "high": None}
    found: dict[str, Any] = {"memory_mb": round(taken.megabytes, 3), "seconds": seconds}
    return dict(found if records is None else records.add(key, found, COST))


def about_method(name: str, method: Any, titles: Mapping[str, str] | None) -> dict[str, Any]:
    """The description of a method."""
    said = description(method)
    return {
        "name": name,
        "title": (titles or {}).get(name, name),
        "class": said["class"],
        "parameters": said["parameters"],
        "references": references_of(method),
    }


def references_of(method: Any) -> list[str]:
    """The references of a method that has some, as ours and rivals do; of a pipeline, of its last step."""
    return list(getattr(method[-1] if isinstance(method, Pipeline) else method, "_references", ()))


def about_data(sample: Sample) -> dict[str, Any]:
    """The description of the data."""
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


def names_of_features(X: Any, names: Sequence[str] | None, sample: Sample) -> list[str]:
    """The names of the features: given, of the data frame, or numbers."""
    if names is None:
        known = getattr(X, "column_names", None) or getattr(X, "names", None)  # of Arrow, or encoded
        names = known or list(getattr(X, "columns", range(sample.n_features)))
    if len(names) != sample.n_features:
        raise ValueError(f"names has {len(names)} names for {sample.n_features} features.")
    return [str(name) for name in names]


def spread_of(seconds: FloatArray) -> dict[str, float]:
    """The median, the minimum and the maximum."""
    return {"median": float(np.median(seconds)), "low": float(seconds.min()), "high": float(seconds.max())}
