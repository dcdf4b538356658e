"""All trials of a comparison, before any is run, for checks and for the forecast of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.model_selection import TimeSeriesSplit
from sklearn.pipeline import Pipeline

from qpfs.evaluation.baselines import AllFeatures
from qpfs.evaluation.curve import curve_trials
from qpfs.evaluation.judging import Judge, judge_of
from qpfs.evaluation.named_methods import in_list, named_method
from qpfs.evaluation.rankings import Inside
from qpfs.evaluation.sample import Sample, adjusts, check_adjusts, sample_of, takes, unites
from qpfs.evaluation.sizes import sizes_within
from qpfs.evaluation.splits import USUAL_FOLDS, Splits, checked_splitter, splits_of
from qpfs.evaluation.trials import Trial
from qpfs.messages import Message, Parameter, message_of
from qpfs.wording import listed


def comparison_plan(
    methods: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any,
    cv: Any,
    inner_cv: Any,
    scoring: Any,
    sizes: Any,
    covariates: Any = None,
    sample_weight: Any = None,
    groups: Any,
    random_state: int,
    repeats: int,
) -> ComparisonPlan:
    """The plan of a call of :func:`compare`; raises ValueError for arguments that make no sense."""
    methods = checked_methods(methods, X)
    sample = sample_of(X, y, groups, covariates, sample_weight).weighing(cv)
    for name, method in methods.items():
        check_parameters(name, method, sample)
    checked_splitter(inner_cv, sample, random_state, 1, "inner_cv", inner=True)
    if not any(map(adjusts, methods.values())):
        check_adjusts(next(iter(methods.values())), sample)
    return ComparisonPlan(
        sample,
        methods,
        judge_of(estimator, scoring, sample),
        splits_of(cv, sample, random_state=random_state, repeats=repeats),
        inner_cv_for(inner_cv, cv),
        random_state,
        sizes_within("sizes", sizes, sample.n_features),
    )


def inner_cv_for(inner_cv: Any, cv: Any) -> Any:
    """How a training part is divided: a number of folds means divisions by time if those of `cv` are."""
    if not isinstance(cv, TimeSeriesSplit) or hasattr(inner_cv, "split"):
        return inner_cv
    n = USUAL_FOLDS if inner_cv is None else int(inner_cv)
    return TimeSeriesSplit(n, gap=cv.gap, max_train_size=cv.max_train_size)


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """All trials: for each method the outer splits and, in each, the inner ones."""

    sample: Sample
    methods: Mapping[str, Any]
    judge: Judge
    outer: Splits
    inner_cv: Any
    random_state: int
    sizes: Sequence[int]

    @property
    def others(self) -> str:
        """Sentences on methods that do not adjust for covariates or use weights, and on groups as a whole."""
        united = " A group of features that is selected as a whole counts as one." * any(
            map(unites, self.methods.values())
        )
        return (
            united
            + self._without("covariates", "adjusted", self.sample.covariates)
            + self._without("sample_weight", "weighted", self.sample.weights)
        )

    def _without(self, argument: str, done: str, given: Any) -> str:
        found = [name for name, one in self.methods.items() if not takes(one, argument)]
        return f" Not {done}: {listed(found)}." if found and given is not None else ""

    @cached_property
    def rankers(self) -> dict[str, Inside]:
        return {name: Inside(one, self.sample, f"methods[{name!r}]") for name, one in self.methods.items()}

    @cached_property
    def inner(self) -> list[Splits]:
        """The inner splits of each outer training part; none if there is one number of features to choose."""
        if len(self.sizes) == 1:
            return []
        how: dict[str, Any] = {"random_state": self.random_state, "name": "inner_cv"}
        return [splits_of(self.inner_cv, self.sample, rows=train, **how) for train, _ in self.outer.parts]

    @cached_property
    def trials(self) -> list[Trial]:
        """The outer trials of each method, then the inner ones of each split; then those of all features."""
        found = []
        for name, ranker in self.rankers.items():
            found += curve_trials(ranker, self.judge, self.outer, self.sizes, name)
            for place, splits in enumerate(self.inner, start=1):
                found += curve_trials(ranker, self.judge, splits, self.sizes, f"{name}, inside of {place}")
        everything = Inside(AllFeatures(), self.sample)
        return found + curve_trials(
            everything, self.judge, self.outer, [self.sample.n_features], "all features"
        )

    def by_method(self, outcomes: list[Any]) -> dict[str, tuple[list[Any], list[list[Any]]]]:
        """The outer outcomes of each method, and the inner ones of each of its splits; "" is the baseline."""
        rest = iter(outcomes)
        found: dict[str, tuple[list[Any], list[list[Any]]]] = {}
        for name in self.methods:
            outer = [next(rest) for _ in self.outer.parts]
            found[name] = outer, [[next(rest) for _ in splits.parts] for splits in self.inner]
        found[""] = list(rest), []
        return found


def checked_methods(methods: Any, X: Any) -> dict[str, Any]:
    """Methods by name; raises ValueError for an object that is not a method."""
    if isinstance(methods, str) or hasattr(methods, "fit"):
        methods = [methods]
    if not isinstance(methods, Mapping):
        if hasattr(methods, "shape") or not isinstance(methods, Sequence):
            raise ValueError(
                f"methods is a {type(methods).__name__}; expected a dict or a list of methods, then X and y."
            )
        named = in_list(methods)
        if twice := [name for name, n in Counter(name for name, _ in named).items() if n > 1]:
            raise ValueError(f"methods names {twice[0]!r} twice; give each a name of its own.")
        methods = dict(named)
    if not methods or "" in methods:
        raise ValueError("methods is empty or has one without a name; expected selectors by name.")
    found = {name: named_method(one, X) if isinstance(one, str) else one for name, one in methods.items()}
    for name, method in found.items():
        if isinstance(method, type):
            raise ValueError(
                f"methods[{name!r}] is the class {method.__name__}; give an object: {method.__name__}()."
            )
        if not hasattr(method, "fit"):
            raise ValueError(f"methods[{name!r}] is {method!r}; expected an object with fit(X, y).")
    return found


def check_parameters(name: str, method: Any, sample: Sample) -> None:
    """Raises ValueError for a parameter that cannot be right, if a method or a step of it can check."""
    for one in [step for _, step in method.steps] if isinstance(method, Pipeline) else [method]:
        if not hasattr(one, "check"):
            continue
        try:
            sample.prepared(one).check()
        except ValueError as error:
            raise type(error)(Message(Parameter("method", name), ": ", message_of(error))) from error
