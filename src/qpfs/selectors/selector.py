"""The base of all selectors that use the feature table."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_consistent_length, check_random_state

from qpfs.arrays import IndexArray
from qpfs.checks import LIMITS, check_grouped, check_limits
from qpfs.codes import (
    Columns,
    Discretizer,
    EqualFrequency,
    Target,
    checked_columns,
    columns_of,
    some_rows,
    target_of,
)
from qpfs.codes.covariates import Covariates
from qpfs.codes.discretizers import USUAL_RULE
from qpfs.codes.forms import LEVELS, RAW
from qpfs.criteria import Criterion, Weighing
from qpfs.engines import Engine, engine_for, one_blas_thread
from qpfs.information import MEASURES, AnyMeasure, FeatureTable, Measure, Shuffles, significance
from qpfs.information.significance import pending_significance
from qpfs.methods import names_of
from qpfs.selectors.account import Account
from qpfs.selectors.account import candidates as candidates_text
from qpfs.selectors.adjusting import adjusted, adjusting_cautions
from qpfs.selectors.alignment import beside
from qpfs.selectors.cautions import CovariateWarning, leaks, warn_of_leaks
from qpfs.selectors.chance import TESTED, warn_of_chance
from qpfs.selectors.feature_groups import FeatureGroups, GroupWeight
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.given_features import Names
from qpfs.selectors.parameters import (
    checked_discretizer,
    checked_n_features,
    is_auto,
    measure_of,
    usual_measure,
)
from qpfs.selectors.problem import FitInput, FitOutput, FitProblem, check_cluster_room, packed_table
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks
from qpfs.selectors.ranking import RankingMixin
from qpfs.selectors.reasons import Left, Reason, Said
from qpfs.selectors.redundancy import RedundancyMixin
from qpfs.selectors.reporting import ReportMixin
from qpfs.selectors.restrictions import ASKED, UNRESTRICTED, Restrictions
from qpfs.selectors.sample_weights import rows_of, weights_of_samples
from qpfs.selectors.samples_given import UNTOLD, SamplesGiven
from qpfs.wording import listed

QUANTITY_RULE = EqualFrequency(5)  # the default discretiser of a target that is a quantity
OWN = ("fdr", "n_permutations", "target_weights", "class_weight")  # they are settings, too


BY_FEATURE = (  # fitted attributes with a value for each feature
    "relevance_",
    "scores_",
    "support_",
    "pvalues_",
    "qvalues_",
    "familywise_pvalues_",
    "chance_",
    "labels_",
)


@dataclass(frozen=True, eq=False)
class Settings:
    """The parameters that all selectors share, checked once, as a fit uses them."""

    measure: Measure | None  # None: chosen by the table
    rule: Discretizer | None  # the given discretiser; None: the default
    target_rule: Discretizer  # the discretiser of a target that is a quantity
    forced: bool  # whether it is applied to any numeric target
    n_jobs: int | None
    target_weights: tuple[float, ...] | None  # of several targets
    fdr: float | None  # the largest false discovery rate
    n_permutations: int  # shuffles of the target, for family-wise p values
    class_weight: Any  # None, "balanced", or the weight of each class


class FeatureSelector(
    ReportMixin,
    RedundancyMixin,
    RankingMixin,
    CallbackSupportMixin,
    SelectorMixin,
    BaseEstimator,
):
    """Discretises the columns, computes their relevance, assigns weights, and selects the best."""

    n_features_to_select: int | float | None
    measure: AnyMeasure
    discretizer: Any
    target_discretizer: Any
    class_weight: Any = None
    target_weights: Any = None
    fdr: float | None = None
    n_permutations: int = 0
    keep: Any = None
    exclude: Any = None
    feature_groups: Any = None
    at_most: int | None = None
    n_jobs: int | None

    _references: ClassVar[tuple[str, ...]] = ()  # what to cite for the method
    _repeats_little = True  # whether its criterion considers redundancy
    _scored: ClassVar[str | None] = None  # what the score of a feature is; None: it has a weight

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raises ValueError for an invalid parameter of this selector."""

    def check(self) -> None:
        """Raise ValueError for a parameter that is invalid for any data; `fit` does so first."""
        self._settings()

    def _settings(self) -> Settings:
        """The parameters that all selectors share; raises ValueError if any parameter is invalid."""
        n_jobs = LIMITS["n_jobs"]("n_jobs", self.n_jobs)
        measure = measure_of(self._asked_measure(), n_jobs)
        rule = checked_discretizer("discretizer", self.discretizer)
        target_rule = checked_discretizer("target_discretizer", self.target_discretizer)
        self._check_parameters()
        own = {name: LIMITS[name](name, getattr(self, name)) for name in OWN}
        if self.at_most is not None:
            check_limits(self, "at_most")
            check_grouped(self.at_most, self.feature_groups)
        if measure is None and rule:  # a given discretiser is always applied
            measure = usual_measure(LEVELS)
        cut = target_rule or QUANTITY_RULE
        forced = target_rule is not None
        return Settings(measure, rule, cut, forced, n_jobs, **own)

    def _asked_measure(self) -> AnyMeasure:
        """The requested measure, or "auto"."""
        return self.measure

    @abstractmethod
    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        """The criterion that assigns weights to the features."""

    def _weigh(self, problem: FitProblem) -> Weighing:
        """Assigns weights to the features, and sets the fitted attributes of the criterion."""
        if len(problem.table.varying) == 0:  # no feature remains
            return Weighing(np.zeros(problem.table.n_features), np.empty(0, np.intp))
        criterion = self._criterion(problem, check_random_state(getattr(self, "random_state", 0)))
        weighing = criterion.weigh(problem.table, problem.relevance, problem.table.varying, problem.tick)
        for name, fact in weighing.facts.items():
            setattr(self, f"{name}_", fact)
        if problem.terms:
            weighing = replace(weighing, order=problem.terms.ordered(weighing.order))
        return weighing

    def _problem(
        self,
        X: Any,
        y: Any,
        target: Target,
        n_select: int | None,
        engine: Engine,
        covariates: Covariates | None = None,
        groups: IndexArray | None = None,
    ) -> FitProblem:
        """The problem for X and y that have been checked, for all samples."""
        columns, settings = columns_of(X), self._settings()
        columns = columns if target.weights is None else columns.weighted(target.weights)
        rule = columns.rule_for(settings.rule, USUAL_RULE)
        measure = settings.measure or usual_measure(columns.form)
        asked = self._restrictions(columns, measure)
        if covariates is not None:
            measure = adjusted(measure, covariates, rule, target.weights)
        if asked:
            asked.n_select(n_select)
        table, _ = packed_table(columns, rule, measure, engine)
        table = asked.whole(table) if asked else table
        told = SamplesGiven(covariates=covariates, groups=groups)
        shuffles = told.shuffles(target, measure, used=settings.fdr is not None)
        relevance = table.relevance(target)
        sure = None if settings.fdr is None else significance(table, relevance, shuffles)
        given = FitInput(columns, y, target, rule, measure, shuffles, asked, n_select)
        return given.posed(table, relevance, settings.fdr, sure, lambda: None)

    def _check_shuffles(self, X: Any, target: Target, given: SamplesGiven) -> None:
        """Raises ValueError, before any work, if p values that a fit computes have no shuffles."""
        columns, settings = columns_of(X), self._settings()
        measure = settings.measure or usual_measure(columns.form)
        measure = given.measure(measure, columns.rule_for(settings.rule, USUAL_RULE))
        given.shuffles(target, measure, used=settings.fdr is not None or TESTED.get())

    def _restrictions(self, columns: Columns, measure: Measure) -> Restrictions | None:
        """The restrictions on features, if there are any."""
        if all(getattr(self, name) is None for name in ASKED):
            return None
        found = Restrictions.of(self, Names(columns.names, columns.n_features, columns.marked))
        found.check_measure(measure)
        return found

    def _posed(
        self, X: Any, y: Any, covariates: Covariates | None = None, sample_weight: Any = None
    ) -> FitProblem:
        """The first steps of every method: columns discretised and packed, with their relevance."""
        settings = self._settings()
        with engine_for(settings.n_jobs) as engine:
            given = weights_of_samples(sample_weight, settings, y, len(y))
            if given.rows is not None:
                X, y = some_rows(X, given.rows), rows_of(y, given.rows)
                covariates = covariates and covariates.part(given.rows)
            target = target_of(
                y,
                settings.target_rule,
                settings.forced,
                importance=settings.target_weights,
                weights=given.weights,
            )
            return self._problem(X, y, target, None, engine, covariates)

    @classmethod
    def _orders(cls, problem: FitProblem, selectors: Sequence[Any]) -> Iterator[IndexArray]:
        """The order of features by each of several selectors of this class."""
        table = problem.table
        if len(table.varying) == 0:  # no feature remains
            yield from [np.empty(0, np.intp)] * len(selectors)
            return
        for one in selectors:
            criterion = one._criterion(problem, check_random_state(getattr(one, "random_state", 0)))
            found = criterion.weigh(table, problem.relevance, table.varying, problem.tick)
            yield problem.terms.ordered(found.order) if problem.terms else found.order

    def account(self, chosen: Collection[str] = ()) -> Account:
        """What the fit did, and how certain its result is, in words.

        Parameters
        ----------
        chosen : collection of str, default=()
            Parameters that were chosen by cross-validation.

        Returns
        -------
        account : Account
            `text` and `references` for a methods section, `certainty`, `repeats_little` and `distance` for a
            report.
        """
        title = names_of(type(self))[1]
        return Account(
            f"Features were selected from {candidates_text(self)} by {title}.",
            self._references,
            self._certainty(self),
            scored=self._scored,
        )

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        """How certain a result of this criterion is; for cluster representatives alone, if clustered."""
        return ()

    def _shortage(self, n: int) -> str:
        having = [] if self.fdr is None else [f"a q value of at most {self.fdr:g}"]
        having += [] if self.at_most is None else [f"a place among the first {self.at_most} of their group"]
        if not having and self.exclude is not None:
            return f"only {n} features that are not excluded vary; those are selected."
        if not having:
            return super()._shortage(n)
        if n == 0:
            return f"none has {listed(having)}; nothing is selected."
        return f"only {'1 has' if n == 1 else f'{n} have'} {listed(having)}; no others are selected."

    def _left_out(self, left: Left) -> Iterator[Said]:
        """Why features were left out, the weakest reason first: a later one replaces it."""
        yield ~left.ranked, Reason.plain("not selected")
        yield left.below()
        without = left.ranked & (left.weight == 0)
        yield without, Reason.plain("score 0" if self._scored else "no weight")
        yield left.by_chance(without | ~left.ranked)

    def _pairs(self, m: int, n_samples: float) -> float | None:
        """About how many pairs of m features a fit computes; None if its time does not depend on that."""
        return None

    @with_callbacks
    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> Self:
        """Learn which features to select.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame, AnnData, Dask array, EncodedTable}
            The features, (n_samples, n_features). NaN is a separate level where the measure is computed from
            counts. A data frame (pandas, polars, pyarrow) may hold booleans, categories and strings. A sparse
            matrix is never made dense; formats other than CSC are copied into it. For an AnnData object its
            `X` is used, with the names in `var_names`; for a layer pass ``AnnData(adata.layers["counts"],
            adata.obs, adata.var)``, which copies nothing. A table opened by :func:`qpfs.open_store` is used
            with the levels, or scores, it was encoded with. If a client of a Dask cluster is active, its
            workers process a Dask array or an encoded table; the result is the same.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The target: class labels of any type, or numbers. Several targets have a column each (indicators
            of labels also as a sparse matrix): relevance is the mean over them, or, where the measure is
            `"rank"` and `target_weights` is not given, the relevance to all of them jointly. If X is an
            AnnData object, the name of a column of `obs`.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample; None is 1 for all. A whole number gives the same result, to the last
            bit, as so many adjacent copies of the sample, and 0 the same as leaving it out. Weights that are
            not all whole numbers below 65,536 are rounded to 16 binary digits (fewer where they would add up
            to more than 2^28). p values use the sum of the weights as the number of samples: if weights
            express the importance of samples, not their number, scale them so that they add up to the number
            of samples. When the target is shuffled, weights stay with the features, and a sample counts as
            one, whatever its weight. An encoded table keeps its levels; its scores are ranked again.
        covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
            Variables to adjust for, such as batch, sex or age; a data frame or a dict has named columns.
            Text, categories, truth values, and whole numbers with at most 12 different values are categories;
            other numbers are numeric. A missing category is a separate category; a missing number counts as
            the mean, and in strata as a separate bin. Relevance and redundancy are then conditional on the
            covariates: partial correlations for the measures `"rank"` and `"correlation"`, and for all others
            the mean over strata of samples with equal covariates, where numbers are discretised as the
            features are (into three bins, where that gives more than 12). A feature that carries no
            information beyond the covariates is treated as constant. The target is shuffled within categories
            only.
        groups : array-like of shape (n_samples,) or None, default=None
            Which samples belong together, such as those of one patient. Such samples are not independent: p
            values then come from shuffles that keep them together. Nothing else depends on groups. If X is an
            AnnData object, the name of a column of `obs`.

        Returns
        -------
        self : object
            The fitted selector.

        Warns
        -----
        CovariateWarning
            If the covariates make many strata of few samples, or determine the target, so that no feature is
            relevant given them.
        ChanceWarning
            If no feature is more relevant than the best of so many would be by chance: no q value is 0.05 or
            less.
        """
        self._forget()
        y, sample_weight, covariates, groups = beside(
            X, y=y, sample_weight=sample_weight, covariates=covariates, groups=groups
        )
        settings = self._settings()
        columns = checked_columns(self, X, reset=True, min_samples=2)
        rule = columns.rule_for(settings.rule, USUAL_RULE)
        measure = settings.measure or usual_measure(columns.form)
        # Asked here, too: a fit without restrictions stays short to follow (tests/selectors/test_paths.py).
        restricted = not (self.keep is self.exclude is self.feature_groups is self.at_most is None)
        asked = self._restrictions(columns, measure) if restricted else None
        wanted = self._wanted()
        n_select = None if wanted is None else checked_n_features(wanted, columns.n_features)
        if asked:
            n_select = asked.n_select(wanted)
        if y is None:
            name = type(self).__name__
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
        told = UNTOLD
        if not (sample_weight is covariates is groups is settings.class_weight is None):
            told = SamplesGiven.of(settings, y, columns.n_samples, sample_weight, covariates, groups)
            columns, y = told.taken(columns, y)
        target = target_of(
            y, settings.target_rule, settings.forced, importance=settings.target_weights, weights=told.weights
        )
        check_consistent_length(target.codes, range(columns.n_samples))
        shuffles, tested = Shuffles(target), settings.fdr is not None or TESTED.get()
        if told is not UNTOLD:
            measure = told.measure(measure, rule)
            shuffles = told.shuffles(target, measure, used=tested)
        given = FitInput(columns, y, target, rule, measure, shuffles, asked, n_select)
        progress = Progress(self, X, y, n_stages=3)
        found = self._computed(given, settings, progress, tested=tested)
        columns.check_same()
        self.scores_, self.order_ = found.weighing.scores, found.weighing.order
        if sure := found.sure:
            self.pvalues_, self.qvalues_ = sure.pvalues, sure.qvalues
            if sure.familywise is not None:
                self.familywise_pvalues_, self.chance_ = sure.familywise, sure.line
        united = asked.united if asked else None
        asked = asked or UNRESTRICTED
        self.support_ = self._chosen(n_select, asked.keep, asked.n_choices if united else None)
        cut = measure.form.name == "levels"  # columns of labels have a coding even without a discretiser
        self.discretizer_ = copy(rule).keep(found.coding) if cut and found.coding is not None else None
        said = adjusting_cautions(measure, target, self.relevance_) if told.covariates else []
        telling = leaks(columns, found.coding, target, found.alone)
        self._fitted = Fitted(
            target,
            found.table,
            found.coding,
            sure,
            columns.cache_bytes,
            found.weighing.standing,
            tuple(one for one in telling if one not in asked.exclude),
            rows=told.rows,
            covariates=told.covariates,
            cautions=tuple(said),
            asked=asked,
            plain=found.plain,
        )
        if united:
            self._give_to_columns(united)
        for caution in said:
            warnings.warn(caution, CovariateWarning, stacklevel=3)
        if self._fitted.telling:
            warn_of_leaks([columns.name(one) for one in self._fitted.telling])
        if sure and sure.beats_chance is False:
            warn_of_chance(sure, columns.n_features)
        progress.end()
        return self

    def _computed(
        self, given: FitInput, settings: Settings, progress: Progress, *, tested: bool
    ) -> FitOutput:
        """The packed features, their relevance and whether it exceeds chance, and the weights."""
        columns, measure, asked, target = given.columns, given.measure, given.asked, given.target
        # The engine has the threads: those of BLAS would compete with them.
        blas = one_blas_thread() if measure.form.name == "scores" else nullcontext()
        with engine_for(settings.n_jobs, elsewhere=columns.elsewhere) as engine, blas:
            if columns.elsewhere:
                check_cluster_room(columns, measure, engine)
            with progress.stage("discretise"):
                plain, coding = packed_table(columns, given.rule, measure, engine)
                table = asked.whole(plain) if asked else plain
            if coding is not None and (found := coding.identifiers(columns.n_samples)):
                warn_of_identifiers([columns.name(feature) for feature in found])
            with progress.stage("relevance"):
                self.relevance_ = table.relevance(target)
                alone = self.relevance_ if table is plain else plain.relevance(target)
                chance, sure = None, None
                if tested:
                    chance = pending_significance(
                        table, self.relevance_, given.shuffles, settings.n_permutations
                    )
                if chance and settings.fdr is not None:
                    sure = chance.result()
            with progress.stage("weigh") as tick:
                weighing = self._weigh(given.posed(table, self.relevance_, settings.fdr, sure, tick))
                if chance and sure is None:  # computes what other threads have not
                    sure = chance.result()
        kept = FeatureTable(table.store, table.measure, engine.after)
        by_column = None if table is plain else FeatureTable(plain.store, plain.measure, engine.after)
        return FitOutput(kept, by_column, coding, alone, sure, weighing)

    def _give_to_columns(self, groups: FeatureGroups) -> None:
        """Copies the results of each group, held under the number of its first column, to all its columns."""
        self.feature_groups_ = [
            GroupWeight(
                groups.names[group],
                groups.members(group),
                float(self.scores_[lead]),
                float(self.relevance_[lead]),
                bool(self.support_[lead]),
            )
            for group, lead in groups.firsts()
        ]
        for name in BY_FEATURE:
            if hasattr(self, name):
                setattr(self, name, getattr(self, name)[groups.leads])
        self.order_ = groups.expanded(self.order_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        measure = MEASURES.get(self.measure) if isinstance(self.measure, str) else self.measure
        if is_auto(self.measure):
            measure = usual_measure(None if self.discretizer is None else LEVELS)
        form = measure.form if isinstance(measure, Measure) else RAW if callable(measure) else None
        gaps = form is None or form.takes_gaps  # tags are read before parameters are checked
        tags.input_tags.sparse = form is not RAW
        tags.input_tags.allow_nan = gaps
        tags.input_tags.categorical = gaps or form is RAW
        tags.target_tags.multi_output = True
        return tags


def warn_of_identifiers(names: list[str]) -> None:
    """Warns about columns of labels that hardly repeat, which seem relevant to any target by chance."""
    warnings.warn(
        f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}: more different labels than one for "
        "every two samples. Such a column seems relevant to any target; drop identifiers.",
        UserWarning,
        stacklevel=5,
    )
