"""What all selectors that speak through the feature table share."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_consistent_length, check_random_state

from qpfs.arrays import IndexArray
from qpfs.checks import checked_count, share
from qpfs.codes import (
    Discretizer,
    EqualFrequency,
    Target,
    checked_columns,
    columns_of,
    some_rows,
    target_of,
)
from qpfs.codes.discretizers import USUAL_RULE
from qpfs.codes.forms import LEVELS, RAW
from qpfs.criteria import Criterion, Weighing
from qpfs.engines import Engine, engine_for, one_blas_thread
from qpfs.information import MEASURES, AnyMeasure, FeatureTable, Measure, Shuffles, significance
from qpfs.methods import names_of
from qpfs.selectors.account import Account, candidates
from qpfs.selectors.alternatives import AlternativesMixin
from qpfs.selectors.cautions import leaks, warn_of_leaks
from qpfs.selectors.chance import discovered, grouped, warn_of_chance
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.parameters import (
    checked_discretizer,
    checked_n_features,
    checked_n_jobs,
    is_auto,
    measure_of,
    usual_measure,
)
from qpfs.selectors.problem import FitProblem, check_cluster_room, packed_table
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks
from qpfs.selectors.ranking import RankingMixin
from qpfs.selectors.reasons import Left, Reason, Said
from qpfs.selectors.redundancy import RedundancyMixin
from qpfs.selectors.reporting import ReportMixin
from qpfs.selectors.sample_weights import checked_class_weight, rows_of, weights_of_samples

QUANTITY_RULE = EqualFrequency(5)  # how a target that is a quantity is cut, unless it is said


@dataclass(frozen=True, eq=False)
class Settings:
    """The parameters that all selectors share, checked once, as a fit uses them."""

    measure: Measure | None  # None: the one that suits the table
    rule: Discretizer | None  # that is asked for
    target_rule: Discretizer  # how a target that is a quantity is cut
    forced: bool  # whether any numeric target is cut by it
    fdr: float | None  # the false discovery rate that is allowed
    n_permutations: int  # of the target, for family-wise p values
    n_jobs: int | None
    class_weight: Any  # None, "balanced", or the weight of each class


class FeatureSelector(
    ReportMixin,
    AlternativesMixin,
    RedundancyMixin,
    RankingMixin,
    CallbackSupportMixin,
    SelectorMixin,
    BaseEstimator,
):
    """Cuts the columns, asks how relevant they are, weighs them, and keeps the best."""

    n_features_to_select: int | float | None
    measure: AnyMeasure
    discretizer: Any
    target_discretizer: Any
    class_weight: Any = None
    fdr: float | None = None
    n_permutations: int = 0
    n_jobs: int | None

    _references: ClassVar[tuple[str, ...]] = ()  # what to cite for the method
    _repeats_little = True  # whether its criterion looks at what features share
    _scored: ClassVar[str | None] = None  # what the score of a feature is; None: it has a weight

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raises ValueError for a parameter of this selector that makes no sense."""

    def check(self) -> None:
        """Raise ValueError for a parameter that makes no sense, whatever the data; `fit` does so first."""
        self._settings()

    def _settings(self) -> Settings:
        """The parameters that all selectors share; raises ValueError if one of them all makes no sense."""
        n_jobs = checked_n_jobs(self.n_jobs)
        measure = measure_of(self._asked_measure(), n_jobs)
        rule = checked_discretizer("discretizer", self.discretizer)
        target_rule = checked_discretizer("target_discretizer", self.target_discretizer)
        self._check_parameters()
        if measure is None and rule:  # who says how numbers are cut wants them cut
            measure = usual_measure(LEVELS)
        fdr = None if self.fdr is None else share("fdr", self.fdr)
        n_permutations = checked_count("n_permutations", self.n_permutations, 0)
        cut = target_rule or QUANTITY_RULE
        forced = target_rule is not None
        weights = None if self.class_weight is None else checked_class_weight(self.class_weight)
        return Settings(measure, rule, cut, forced, fdr, n_permutations, n_jobs, weights)

    def _asked_measure(self) -> AnyMeasure:
        """The measure that is asked for, or "auto"."""
        return self.measure

    @abstractmethod
    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        """What weighs the features."""

    def _weigh(self, problem: FitProblem) -> Weighing:
        """Weighs the features, and sets the fitted attributes that the criterion has found."""
        if len(problem.table.varying) == 0:  # none is left
            return Weighing(np.zeros(problem.table.n_features), np.empty(0, np.intp))
        criterion = self._criterion(problem, check_random_state(getattr(self, "random_state", 0)))
        weighing = criterion.weigh(problem.table, problem.relevance, problem.table.varying, problem.tick)
        for name, fact in weighing.facts.items():
            setattr(self, f"{name}_", fact)
        return weighing

    def _problem(self, X: Any, y: Any, target: Target, n_select: int | None, engine: Engine) -> FitProblem:
        """What is weighed where X and y, of all samples, have been checked before."""
        columns, settings = columns_of(X), self._settings()
        columns = columns if target.weights is None else columns.weighted(target.weights)
        rule = columns.rule_for(settings.rule, USUAL_RULE)
        table, _ = packed_table(columns, rule, settings.measure or usual_measure(columns.form), engine)
        relevance, weighed = table.relevance(target), table
        if settings.fdr is not None:
            weighed = discovered(table, significance(table, relevance, Shuffles(target)), settings.fdr)
        return FitProblem(weighed, relevance, columns, y, target, rule, n_select, lambda: None, table)

    def _posed(self, X: Any, y: Any, sample_weight: Any = None) -> FitProblem:
        """What all methods begin with, and nothing more: columns cut and packed, and their relevance."""
        settings = self._settings()
        several = (settings.measure or usual_measure(columns_of(X).form)).several
        with engine_for(settings.n_jobs) as engine:
            given = weights_of_samples(sample_weight, settings, y, len(y), several)
            if given.rows is not None:
                X, y = some_rows(X, given.rows), rows_of(y, given.rows)
            target = target_of(y, settings.target_rule, settings.forced, several, given.weights)
            return self._problem(X, y, target, None, engine)

    @classmethod
    def _orders(cls, problem: FitProblem, selectors: Sequence[Any]) -> Iterator[IndexArray]:
        """The order of features that each of some selectors of this class finds."""
        table = problem.table
        if len(table.varying) == 0:  # none is left
            yield from [np.empty(0, np.intp)] * len(selectors)
            return
        for one in selectors:
            criterion = one._criterion(problem, check_random_state(getattr(one, "random_state", 0)))
            yield criterion.weigh(table, problem.relevance, table.varying, problem.tick).order

    def account(self, chosen: Collection[str] = ()) -> Account:
        """What the fit did, and how sure its answer is, in words.

        Parameters
        ----------
        chosen : collection of str, default=()
            Parameters that cross-validation has chosen.

        Returns
        -------
        account : Account
            `text` and `references` for a methods section, `certainty`, `repeats_little` and `distance` for a
            report.
        """
        title = names_of(type(self))[1]
        return Account(
            f"Features were selected from {candidates(self)} by {title}.",
            self._references,
            self._certainty(self),
            scored=self._scored,
        )

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        """How sure the answer of a fit by this one's criterion is; of representatives alone, if clustered."""
        return ()

    def _shortage(self, n: int) -> str:
        if self.fdr is None:
            return super()._shortage(n)
        return f"{n} with a q value of at most {self.fdr:g} can be; those are selected."

    def _left_out(self, left: Left) -> Iterator[Said]:
        """Why features were left out, the weakest reason first: a later one stands in place of it."""
        yield ~left.ranked, Reason.plain("not taken")
        yield left.below()
        without = left.ranked & (left.weight == 0)
        yield without, Reason.plain("score 0" if self._scored else "no weight")
        yield left.by_chance(without | ~left.ranked)

    def _pairs(self, m: int, n_samples: float) -> float | None:
        """About how many pairs of m features a fit looks at; None if its time does not go by that."""
        return None

    def _wanted(self) -> Any:
        """How many features are asked for."""
        return self.n_features_to_select

    @with_callbacks
    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn which features to select.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame, Dask array, EncodedTable}, (n_samples, n_features)
            The features. NaN is a level of its own where the measure is made of counts. A data frame
            (pandas, polars, pyarrow) may hold booleans, categories and strings. A sparse matrix is never
            made dense; formats other than CSC are copied into it. A table opened by
            :func:`qpfs.open_store` is taken at the levels, or scores, it was encoded with. If a client of a
            Dask cluster is in use, its workers do the work on a Dask array or an encoded table; the answer is
            the same.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The target: class labels of any type, or numbers. Several targets, one in each column, are taken
            together where the measure is `"rank"`: relevance is then what a feature says of any of them.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample; None is 1 for all. A whole number is the same, to the last bit, as so
            many copies of the sample next to it, and 0 as if it were not there. Weights that are not all
            whole numbers below 65,536 are rounded to 16 binary digits (fewer where they would add up to more
            than 2^28). p values take the sum of the weights for the number of samples: if weights say how
            important samples are, and not how many there were, let them add up to the number of samples.
            Shuffles of the target leave weights with the features: a sample is one, whatever it weighs. An
            encoded table keeps the levels that it has; the scores of one are ranked anew.
        groups : array-like of shape (n_samples,) or None, default=None
            Which samples belong together, such as those of one patient. They are no evidence each by itself:
            p values then come from shuffles that keep them together. Nothing else depends on it.

        Returns
        -------
        self : object
            The fitted selector.

        Warns
        -----
        ChanceWarning
            If no feature is more relevant than chance makes one of so many: no q value is 0.05 or less.
        """
        self._forget()
        settings = self._settings()
        columns = checked_columns(self, X, reset=True, min_samples=2)
        rule = columns.rule_for(settings.rule, USUAL_RULE)
        measure = settings.measure or usual_measure(columns.form)
        n_select = checked_n_features(self._wanted(), columns.n_features)
        if y is None:
            name = type(self).__name__
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
        together = None if groups is None else grouped(groups, columns.n_samples)
        rows, weights = None, None
        if sample_weight is not None or settings.class_weight is not None:
            check_consistent_length(y, range(columns.n_samples))
            given = weights_of_samples(sample_weight, settings, y, columns.n_samples, measure.several)
            rows, weights = given.rows, given.weights
            columns, y, together = given.samples(columns, y, together)
        target = target_of(y, settings.target_rule, settings.forced, measure.several, weights)
        check_consistent_length(target.codes, range(columns.n_samples))
        progress = Progress(self, X, y, n_stages=3)
        # Threads are the engine's: products of matrices that bring their own would get in each other's way.
        blas = one_blas_thread() if measure.form.name == "scores" else nullcontext()
        with engine_for(settings.n_jobs, elsewhere=columns.elsewhere) as engine, blas:
            if columns.elsewhere:
                check_cluster_room(columns, measure, engine)
            with progress.stage("discretise"):
                table, coding = packed_table(columns, rule, measure, engine)
            if coding is not None and (found := coding.identifiers(columns.n_samples)):
                warn_of_identifiers([columns.name(feature) for feature in found])
            with progress.stage("relevance"):
                self.relevance_ = table.relevance(target)
                shuffles = Shuffles(target, together)
                sure = significance(table, self.relevance_, shuffles, settings.n_permutations)
            with progress.stage("weigh") as tick:
                weighed = table if settings.fdr is None else discovered(table, sure, settings.fdr)
                posed = FitProblem(weighed, self.relevance_, columns, y, target, rule, n_select, tick, table)
                weighing = self._weigh(posed)
        columns.check_same()
        self.scores_, self.order_ = weighing.scores, weighing.order
        self.pvalues_, self.qvalues_ = sure.pvalues, sure.qvalues
        if sure.familywise is not None:
            self.familywise_pvalues_, self.chance_ = sure.familywise, sure.line
        self.support_ = self._chosen(n_select)
        cut = measure.form.name == "levels"  # labels have a coding without that, too
        self.discretizer_ = rule.keep(coding) if cut and coding is not None else None
        told = leaks(columns, coding, target, self.relevance_)
        kept = FeatureTable(table.store, table.measure, engine.after)
        self._fitted = Fitted(target, kept, coding, sure, columns.cache_bytes, weighing.standing, told, rows)
        if told:
            warn_of_leaks([columns.name(one) for one in told])
        if sure.beats_chance is False:
            warn_of_chance(sure, columns.n_features)
        progress.end()
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        measure = MEASURES.get(self.measure) if isinstance(self.measure, str) else self.measure
        if is_auto(self.measure):
            measure = usual_measure(None if self.discretizer is None else LEVELS)
        form = measure.form if isinstance(measure, Measure) else RAW if callable(measure) else None
        gaps = form is None or form.takes_gaps  # tags come before any check
        tags.input_tags.sparse = form is not RAW
        tags.input_tags.allow_nan = gaps
        tags.input_tags.categorical = gaps or form is RAW
        tags.target_tags.multi_output = isinstance(measure, Measure) and measure.several
        return tags


def warn_of_identifiers(names: list[str]) -> None:
    """A column of labels that hardly repeat says much about any target, by chance alone."""
    warnings.warn(
        f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}: more different labels than one for "
        "every two samples. Such a column seems to say much about any target; drop identifiers.",
        UserWarning,
        stacklevel=4,
    )
