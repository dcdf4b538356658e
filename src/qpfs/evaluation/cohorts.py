"""Whether a selection holds in every cohort: tested on each after the others, and made in each alone.

A cohort is a part of the samples that was collected separately: a study, a hospital, a year. Three questions.
What is the error on a cohort if features are selected and an estimator is trained on the others? Which
features would each cohort alone select, and how much do these selections agree? In which direction, and how
strongly, is a feature associated with the target within each cohort?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.checks import check_integer
from qpfs.codes import Target, columns_of, some_rows
from qpfs.codes.weights import Weights, whole_weights
from qpfs.effects import Effects, effects_of, packed_effects
from qpfs.evaluation.agreement import Stability, stability
from qpfs.evaluation.comparing import Summary, about_all, comparison_record, names_of_features
from qpfs.evaluation.comparison import Comparison
from qpfs.evaluation.comparison_plan import ComparisonPlan
from qpfs.evaluation.judging import judge_of
from qpfs.evaluation.named_methods import checked_selector
from qpfs.evaluation.parameter_texts import documented
from qpfs.evaluation.rankings import Inside, ends_of, masks_of
from qpfs.evaluation.records import RecordsIn
from qpfs.evaluation.resampling import fitted_to_all, selected_by
from qpfs.evaluation.runs import Tick, run
from qpfs.evaluation.sample import (
    Sample,
    adjusts,
    check_adjusts,
    check_weighed,
    named_cohorts,
    reject_several,
    sample_of,
)
from qpfs.evaluation.splits import BY_COHORT, Splits
from qpfs.evaluation.trials import Trial
from qpfs.messages import Parameter, UsageError
from qpfs.methods import names_of
from qpfs.report.left_out import effect_records
from qpfs.selectors.alignment import beside
from qpfs.wording import counted, finite, rounded

LISTED = 50  # features that the record lists in addition to those selected on all cohorts together


@dataclass(frozen=True, eq=False, repr=False)
class AcrossCohorts:
    """How a selection performs across cohorts.

    Attributes
    ----------
    cohorts : tuple of str
        The names of the cohorts, in order of first occurrence.
    n_samples : tuple of int
        The number of samples of each.
    size : int
        How many features count as selected.
    selected : array of int
        The features selected on all cohorts together, best first.
    selections : tuple of (array of int or None)
        The features selected in each cohort alone, best first; None if selection is not possible.
    stability : Stability or None
        How much these selections agree; None for fewer than two.
    jaccard : array of shape (n_cohorts, n_cohorts)
        Of all features that at least one of two cohorts selects, the share that both select; NaN where there
        is no selection.
    scores : tuple of (float or None)
        The error (or score) on each cohort of an estimator trained on the others, with features selected on
        the others; None if training on them is not possible.
    all_features : tuple of (float or None)
        The error (or score) on each cohort with all features.
    effects : tuple of Effects
        Direction and size of the effect of every feature within each cohort.
    within : bool
        Whether the selector computed relevance within cohorts, for which its `fit` must take `covariates`.
    feature_names : list of str
        The names of the columns of X, or their numbers.
    comparison : Comparison or None
        Leave-one-cohort-out as a comparison, like that of :func:`compare`; None if no cohort can be tested.
    notes : tuple of str
        Notes: cohorts with one class, or in which selection failed.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MaxRel
    >>> from qpfs.evaluation import across_cohorts
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = across_cohorts(MaxRel(3), X, y, [f"year {i % 3}" for i in range(len(y))])
    >>> found.cohorts, found.size
    (('year 0', 'year 1', 'year 2'), 3)
    >>> frame = found.to_frame()
    >>> frame["feature"].tolist()[:3] == X.columns[found.selected].tolist(), frame["agree"].all()
    (True, np.True_)
    """

    cohorts: tuple[str, ...]
    n_samples: tuple[int, ...]
    size: int
    selected: IndexArray
    selections: tuple[IndexArray | None, ...]
    stability: Stability | None
    jaccard: FloatArray
    scores: tuple[float | None, ...]
    all_features: tuple[float | None, ...]
    effects: tuple[Effects, ...]
    within: bool
    feature_names: list[str]
    comparison: Comparison | None
    notes: tuple[str, ...]

    @property
    def masks(self) -> BoolArray:
        """The mask of the features that each cohort alone selects: (n_cohorts, n_features)."""
        n, nothing = len(self.feature_names), np.empty(0, np.intp)
        return masks_of([nothing if one is None else one for one in self.selections], n, n)

    @property
    def n_cohorts(self) -> IndexArray:
        """The number of cohorts that alone select each feature."""
        return np.asarray(self.masks.sum(axis=0))

    @property
    def towards(self) -> IndexArray:
        """The direction of each feature in each cohort, -1 where there is none: (n_cohorts, n_features)."""
        return np.array([one.towards for one in self.effects])

    @property
    def agree(self) -> list[bool | None]:
        """Whether each feature has the same direction in all cohorts; None if fewer than two have one."""
        known = self.towards >= 0
        high = np.where(known, self.towards, -1).max(axis=0)
        low = np.where(known, self.towards, high + 1).min(axis=0)
        several = known.sum(axis=0) > 1
        return [bool(same) if there else None for same, there in zip(low == high, several, strict=True)]

    def to_frame(self) -> Any:
        """A data frame with a row for each feature that is selected on all cohorts together, or in one.

        Returns
        -------
        frame : pandas.DataFrame, or polars.DataFrame where pandas is not installed
            `feature`, `index`, `rank` on all cohorts together, the number `n_cohorts` of cohorts that alone
            select it, whether directions `agree`, and for each cohort `selected in`, `direction in` and
            `effect in` it.
        """
        from qpfs.report import frame_of

        some = self._listed(len(self.feature_names))
        ranks = {int(one): rank for rank, one in enumerate(self.selected, start=1)}
        agree = self.agree
        plain = {
            "feature": [self.feature_names[i] for i in some],
            "index": some.tolist(),
            "rank": [ranks.get(i) for i in some.tolist()],
            "n_cohorts": self.n_cohorts[some].tolist(),
            "agree": [agree[i] for i in some.tolist()],
        }
        for cohort, mask in zip(self.cohorts, self.masks, strict=True):
            plain[f"selected in {cohort}"] = mask[some].tolist()
        return frame_of(plain | self.columns(some, counted=False))

    def __repr__(self) -> str:
        from qpfs.report.score_text import score_noun, score_text

        found = f"{counted(len(self.selected), 'feature')} selected in {len(self.cohorts)} cohorts together"
        index = np.nan if self.stability is None else self.stability.index
        stable = "" if np.isnan(index) else f"; stability {rounded(index)} between them"
        scores = [one for one in self.scores if one is not None]
        if self.comparison is None or not scores:
            return f"<AcrossCohorts: {found}{stable}>"
        low, high = (score_text(one, self.comparison.record) for one in (min(scores), max(scores)))
        span = low if low == high else f"{low} to {high}"
        noun = score_noun(self.comparison.record)
        return f"<AcrossCohorts: {found}; {noun} {span} on each after the others{stable}>"

    def cohorts_to_frame(self) -> Any:
        """A data frame with a row for each cohort.

        Returns
        -------
        frame : pandas.DataFrame, or polars.DataFrame where pandas is not installed
            `cohort`, `n_samples`, the `score` on it after selection and training on the others, that with
            `all_features`, and the number of `common` features, which both it and all together select.
        """
        from qpfs.report import frame_of

        return frame_of(
            {
                "cohort": list(self.cohorts),
                "n_samples": list(self.n_samples),
                "score": list(self.scores),
                "all_features": list(self.all_features),
                "common": self._n_common,
            }
        )

    @property
    def _n_common(self) -> list[int | None]:
        """How many of the features selected on all together each cohort alone selects."""
        return [
            None if some is None else len(np.intersect1d(some, self.selected)) for some in self.selections
        ]

    def _listed(self, most: int) -> IndexArray:
        """The features selected on all together by rank, then others by the number of cohorts that do."""
        n = self.n_cohorts
        n[self.selected] = 0
        others = np.flatnonzero(n)
        return np.concatenate([self.selected, others[np.argsort(-n[others], kind="stable")][:most]])

    def columns(self, features: IndexArray, *, counted: bool = True) -> dict[str, list[Any]]:
        """Columns about cohorts for a table of features: in how many it is selected, its directions, effects.

        Parameters
        ----------
        features : array of int
            The features that the table lists.
        counted : bool, default=True
            Whether to include in how many cohorts a feature is selected, and whether directions agree.

        Returns
        -------
        columns : dict of str to list
            By the names of the columns.
        """
        agree = self.agree
        found: dict[str, list[Any]] = {}
        if counted:
            found["cohorts"] = self.n_cohorts[features].tolist()
            said = {None: None, True: "yes", False: "no"}
            found["directions_agree"] = [said[agree[i]] for i in features.tolist()]
        for cohort, effects in zip(self.cohorts, self.effects, strict=True):
            found[f"direction in {cohort}"] = effects.directions(features)
            found[f"effect in {cohort}"] = [finite(one) for one in effects.size[features].tolist()]
        return found

    def record(self) -> dict[str, Any]:
        """The results as plain data, as :func:`qpfs.report.selection_record` takes them.

        Returns
        -------
        cohorts : dict
            `cohorts`, each with its results; `features`, each with its results in every cohort; how much the
            selections agree.
        """
        some = self._listed(LISTED)
        ranks = {int(one): rank for rank, one in enumerate(self.selected, start=1)}
        effects = [effect_records(one, some, n) for one, n in zip(self.effects, self.n_samples, strict=True)]
        agree, n_cohorts, masks, stable = self.agree, self.n_cohorts, self.masks, self.stability
        return {
            "size": self.size,
            "within": self.within,
            "cohorts": [
                {"name": name, "n": n, "score": score, "all_features": every, "n_common": common}
                for name, n, score, every, common in zip(
                    self.cohorts, self.n_samples, self.scores, self.all_features, self._n_common, strict=True
                )
            ],
            "features": [
                {
                    "feature": self.feature_names[i],
                    "index": i,
                    "rank": ranks.get(i),
                    "n": int(n_cohorts[i]),
                    "selected": masks[:, i].tolist(),
                    "agree": agree[i],
                    "effects": [one[place] for one in effects],
                }
                for place, i in enumerate(some.tolist())
            ],
            "n_in_all": int((n_cohorts == max(1, sum(one is not None for one in self.selections))).sum()),
            "index": None if stable is None else finite(stable.index),
            "jaccard": [[finite(one) for one in row] for row in self.jaccard],
            "notes": list(self.notes),
        }


@documented
def across_cohorts(
    selector: Any,
    X: Any,
    y: Any,
    cohorts: Any,
    *,
    size: int | None = None,
    estimator: Any = None,
    scoring: Any = None,
    covariates: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    fitted: Any = None,
    names: Sequence[str] | None = None,
    data: Mapping[str, Any] | None = None,
    records: RecordsIn = None,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> AcrossCohorts:
    """How a selection performs across cohorts: its error on each, agreement, and effects within each.

    For each cohort, features are selected and an estimator is trained on the others, and tested on it. Each
    cohort alone also selects. A selector whose `fit` takes `covariates` is given the cohorts of the samples
    wherever there are several, so that relevance is computed within them.

    Parameters
    ----------
    {selector}
    {X}
    {one_y}
    cohorts : array-like of shape (n_samples,)
        The cohort of each sample; at least two.
    size : int or None, default=None
        The number of top features that count as selected (a group selected as a whole counts as one); None is
        as many as are selected on all cohorts together, at least 1.
    {estimator}
    {scoring}
    {confidence}
    covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
        What the selector adjusts for in addition to the cohorts, as in its `fit`.
    {sample_weight}
    groups : array-like of shape (n_samples,) or None, default=None
        Which samples belong together, each group in one cohort; given to a selector whose `fit` takes them.
    fitted : object or None, default=None
        The selector fitted to all cohorts together, if available; None fits one.
    {names}
    {data}
    {records}
    {n_jobs}
    {tick}

    Returns
    -------
    found : AcrossCohorts
        With `to_frame()`, `cohorts_to_frame()`, `record()` and `comparison`.

    See Also
    --------
    compare : Methods compared by cross-validation within one table.
    resampled : The stability of a selection within one table.

    Notes
    -----
    Selections of single cohorts and effects within them do not depend on shifts and scales that differ
    between cohorts, if the measure is based on ranks or bins. The error on a cohort does: an estimator uses
    the values themselves. Few cohorts are weak evidence for the next one: two are only one pair.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import across_cohorts
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = across_cohorts(QPFS(4), X, y, ["first"] * 300 + ["second"] * 269)
    >>> found.cohorts_to_frame()["cohort"].tolist()
    ['first', 'second']
    """
    selector = checked_selector(selector, X)
    sample, called, codes = sample_in_cohorts(selector, X, y, cohorts, covariates, sample_weight, groups)
    judge = judge_of(estimator, scoring, sample)
    whole = fitted_to_all(selector, sample) if fitted is None else fitted
    selected = selected_by(whole, sample.n_features, size)
    if size is None:
        size = max(n_chosen(whole, len(selected)), 1)
    check_integer("size", size, 1, sample.n_features)
    all_names = names_of_features(sample.X, names, sample)
    parts = [np.flatnonzero(codes == place) for place in range(len(called))]
    tests = tested_in_turn(sample, parts)
    alone = selected_alone(selector, sample, called, parts, size)
    name, title = names_of_method(selector)
    plan = None if tests is None else ComparisonPlan(sample, {name: selector}, judge, tests, None, 0, [size])
    summary = None if plan is None else Summary(plan, all_names, None, confidence, one_standard_error=False)
    about = None if summary is None else about_all(summary, {name: title}, data)
    trials = [*(() if plan is None else plan.trials), *alone.values()]
    outcomes = run(sample, trials, records, n_jobs, tick, forgiving=True)
    n_left = len(outcomes) - len(alone)
    selections, notes = made_alone(called, dict(zip(alone, outcomes[n_left:], strict=True)))
    comparison = None
    scores: tuple[float | None, ...] = (None,) * len(called)
    every = scores
    if plan is not None and summary is not None and about is not None:
        comparison = Comparison(comparison_record(about, summary, outcomes[:n_left], {}))
        by_method = plan.by_method(outcomes[:n_left])
        scores, every = (
            scores_by_cohort(by_method[one][0], plan.outer, codes, len(called)) for one in (name, "")
        )
    made = masks_of([one for one in selections if one is not None], sample.n_features, sample.n_features)
    return AcrossCohorts(
        cohorts=tuple(called),
        n_samples=tuple(map(len, parts)),
        size=size,
        selected=selected,
        selections=selections,
        stability=stability(made, confidence=confidence) if len(made) > 1 else None,
        jaccard=jaccard(selections),
        scores=scores,
        all_features=every,
        effects=tuple(effects_within(sample, rows) for rows in parts),
        within=adjusts(selector),
        feature_names=all_names,
        comparison=comparison,
        notes=(*one_value_notes(sample, called, parts), *notes),
    )


def sample_in_cohorts(
    selector: Any, X: Any, y: Any, cohorts: Any, covariates: Any, sample_weight: Any, groups: Any
) -> tuple[Sample, list[str], IndexArray]:
    """The samples of positive weight, the names of the cohorts, and the cohort of each sample; checked."""
    y, cohorts = beside(X, y=y, cohorts=cohorts)
    reject_several(y, "across_cohorts")
    check_weighed(selector, sample_weight)
    sample = sample_of(X, y, groups, covariates, sample_weight)
    check_adjusts(selector, sample)
    called, codes = named_cohorts(cohorts, sample.n_samples)
    check_within_cohorts(sample.groups, called, codes)
    sample = sample.in_cohorts(cohorts).weighing()
    called, codes = named_cohorts(np.array(called)[sample.cohorts], sample.n_samples)
    check_cohorts(sample.target, called, codes)
    return replace(sample, cohorts=codes), called, codes


def check_within_cohorts(groups: AnyArray | None, called: Sequence[str], codes: IndexArray) -> None:
    """Raises UsageError for a group of samples in several cohorts."""
    if groups is None:
        return
    first: dict[Any, int] = {}
    for group, code in zip(groups.tolist(), codes.tolist(), strict=True):
        if first.setdefault(group, code) != code:
            both = f"{called[first[group]]} and {called[code]}"
            raise UsageError(
                Parameter("groups"),
                f": {group!r} has samples in the cohorts {both}, so these are not independent. Leave its "
                "samples out of one of them, or give ids that differ between cohorts.",
            )


def n_chosen(fitted: Any, n: int) -> int:
    """The number of choices in the first n features of a fitted method; a whole group is one."""
    ends = ends_of(fitted)
    return n if ends is None else int(np.searchsorted(ends, n, "right"))


def check_cohorts(target: Target, called: Sequence[str], codes: IndexArray) -> None:
    """Raises UsageError for a single cohort, or if one has no class in common with the others."""
    if len(called) < 2:
        raise UsageError(f"There is one cohort, {called[0]!r}; expected at least two.")
    if target.classes is None:
        return
    there = [set(np.unique(target.codes[codes == place]).tolist()) for place in range(len(called))]
    for place, mine in enumerate(there):
        others: set[int] = set().union(*(one for at, one in enumerate(there) if at != place))
        if not mine & others:
            names = [target.classes[sorted(some)].tolist() for some in (mine, others)]
            some, rest = (", ".join(repr(one) for one in each[:5]) for each in names)
            raise UsageError(
                f"{called[place]} has the classes {some}, none of which another cohort has (they have "
                f"{rest}); expected the same labels in each cohort."
            )


def several_values(sample: Sample, rows: IndexArray) -> bool:
    """Whether some samples differ in the target."""
    return len(np.unique(sample.y[rows])) > 1


def one_value_notes(sample: Sample, called: Sequence[str], parts: Sequence[IndexArray]) -> list[str]:
    """Notes on cohorts in which nothing can be selected."""
    what = "value of the target" if sample.is_quantity else "class"
    return [
        f"{name} has one {what} only ({sample.y[rows[0]]}): it cannot select alone"
        for name, rows in zip(called, parts, strict=True)
        if not several_values(sample, rows)
    ]


def tested_in_turn(sample: Sample, parts: Sequence[IndexArray]) -> Splits | None:
    """Each cohort as a test part, if the others differ in the target; None if there is none."""
    every = np.arange(sample.n_samples)
    found = [(np.setdiff1d(every, rows), rows) for rows in parts]
    usable = tuple(one for one in found if several_values(sample, one[0]))
    return Splits(usable, BY_COHORT, {}, sample.is_quantity, grouped=True) if usable else None


def names_of_method(selector: Any) -> tuple[str, str]:
    """The name and the title of a method; of a pipeline, those of its last step."""
    return names_of(type(selector[-1] if isinstance(selector, Pipeline) else selector))


def selected_alone(
    selector: Any, sample: Sample, called: Sequence[str], parts: Sequence[IndexArray], size: int
) -> dict[str, Trial]:
    """The trials in which a cohort alone selects, by its name."""
    ranker = Inside(selector, sample)
    return {
        name: Trial(f"{name} alone", ranker, rows, n_selected=size)
        for name, rows in zip(called, parts, strict=True)
        if several_values(sample, rows)
    }


def made_alone(
    called: Sequence[str], outcomes: Mapping[str, dict[str, Any]]
) -> tuple[tuple[IndexArray | None, ...], list[str]]:
    """The selection of each cohort alone, and notes on it."""
    failed = [
        f"nothing could be selected in {name} alone: {one['failed']}"
        for name, one in outcomes.items()
        if "failed" in one
    ]
    found = {
        name: np.array(one["rankings"][0]["selected"], np.intp)
        for name, one in outcomes.items()
        if "failed" not in one
    }
    return tuple(found.get(name) for name in called), failed


def jaccard(selections: Sequence[IndexArray | None]) -> FloatArray:
    """For each two selections, the share of the features in either that are in both."""
    found = np.full((len(selections),) * 2, np.nan)
    for i, one in enumerate(selections):
        for j, other in enumerate(selections):
            if one is not None and other is not None:
                found[i, j] = len(np.intersect1d(one, other)) / max(len(np.union1d(one, other)), 1)
    return found


def scores_by_cohort(
    outcomes: Sequence[dict[str, Any]], splits: Splits, codes: IndexArray, n: int
) -> tuple[float | None, ...]:
    """The error or score on each cohort; None if it was not tested."""
    found: list[float | None] = [None] * n
    for one, (_, test) in zip(outcomes, splits.parts, strict=True):
        if "failed" not in one and one["reference"]:
            found[int(codes[test[0]])] = finite(one["rankings"][0]["loss"][0] / one["reference"])
    return tuple(found)


def effects_within(sample: Sample, rows: IndexArray) -> Effects:
    """The effects of all features within some samples, with their weights."""
    columns: Any = columns_of(some_rows(sample.X, rows))
    target = sample.target.reordered(rows)
    if sample.weights is not None:
        target = replace(target, weights=Weights(*whole_weights(sample.weights[rows])))
    if columns.has_numbers:
        return effects_of(columns.with_numbers(), target)
    return packed_effects(columns.store, columns.coding, target)
