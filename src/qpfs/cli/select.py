"""`qpfs select`: from a table to a ranked, explained, repeatable answer."""

from __future__ import annotations

import re
import time
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from qpfs.cli import options as o
from qpfs.cli.clusters import check_dask, connected, on_cluster
from qpfs.cli.estimators import ESTIMATOR_LIST, estimator_for
from qpfs.cli.methods import (
    Chosen,
    Typed,
    check_jobs,
    chosen,
    find_features,
    needs_values,
    scaled_first,
    table_for,
)
from qpfs.cli.progress import Log
from qpfs.cli.running import answered, as_option, in_options
from qpfs.cli.signals import Watch
from qpfs.cli.signatures import parameters_of
from qpfs.cli.sources import check_header, check_out, check_source, command_line, facts, opened_problem
from qpfs.cli.stores import bytes_in
from qpfs.cli.terminal import Record, print_json, print_record, show_forecast, show_selection
from qpfs.evaluation.estimators import check_name
from qpfs.messages import Parameter, UsageError, spelled
from qpfs.methods import METHODS
from qpfs.wording import counted

if TYPE_CHECKING:
    from qpfs.arrays import AnyArray
    from qpfs.data import Problem
    from qpfs.evaluation.cohorts import AcrossCohorts
    from qpfs.evaluation.resampling import Resampled
    from qpfs.report.members import FeatureRows
    from qpfs.selectors import FeatureSelector

FILES = ["selection.csv", "report.html", "selection.json"]
DESCRIBING = 1e-5  # seconds for each feature, about


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """How features are selected."""

    method: Annotated[str, o.option("NAME", f"The method; see the list below. {o.EXAMPLE}")] = "qpfs"
    stability: Annotated[
        int,
        o.option(
            "N",
            "Also select from N random halves of the samples, to see how often each feature is selected.",
            parser=o.integer(0),
        ),
    ] = 0
    check: Annotated[
        int,
        o.option(
            "K",
            "Estimate the error on new samples by K-fold cross-validation: select and train on K - 1 parts "
            "of the samples, test on the other. With --groups, groups stay together.",
            parser=o.integer(0),
        ),
    ] = 0
    scoring: Annotated[
        str | None,
        o.option(
            "NAME",
            "What --check computes: a score of scikit-learn, such as balanced_accuracy, roc_auc, r2; by "
            "default the error.",
        ),
    ] = None
    estimator: Annotated[
        str | None,
        o.option(
            "NAME",
            f"The model that --check trains on the selected features; linear by default. {ESTIMATOR_LIST}.",
        ),
    ] = None
    seed: o.Seed = 0
    jobs: o.Jobs = 1
    memory: Annotated[
        str | None, o.option("SIZE", "The approximate memory limit for a store, such as 4GB; 1GB by default.")
    ] = None
    dask: Annotated[
        str | None,
        o.option("ADDRESS", "Use a Dask cluster for a store: the address of its scheduler, or local."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SelectResult(o.ResultOptions):
    """What is done with a selection."""

    out: Annotated[
        Path | None,
        o.option("DIR", f"The folder to write {', '.join(FILES)} into.", parser=o.to_write, panel=o.RESULT),
    ] = None
    plan: o.Plan = False


def select(source: o.CohortOptions, how: SelectOptions, result: SelectResult, **parameters: Typed) -> None:
    """Select few columns of DATA, relevant to the target and not redundant, and rank them."""
    with answered(quiet=result.quiet) as left:
        log = Log(quiet=result.quiet)
        check_jobs(how.jobs)
        method = chosen(how.method, parameters, {"random_state": how.seed, "n_jobs": how.jobs})
        check_how(how)
        check_weights(source.weights, how)
        if method.name in METHODS.ours:
            keeps = "keep" in parameters_of(method.name)
            check_uses(method.name, source, adjusts=METHODS[method.name].adjusts, keeps=keeps)
        if how.memory is not None:
            bytes_in(how.memory)
        for one in source.each:
            check_source(one)
        if source.more:
            check_cohort_options(method, source, how)
        check_targets(method, source, how)
        if result.out is not None and not result.plan:
            check_out(result.out, FILES, source, log, force=result.force)
        check_dask(how.dask, source.data)
        for one in source.each:
            check_header(one, method.given)
        if how.scoring is not None:
            from qpfs.evaluation.score_checks import check_score_name

            check_score_name(how.scoring)
        if METHODS[method.name].scaled:
            check_values(method.name, source)
        selector = method.selector()
        from sklearn.utils.validation import has_fit_parameter

        adjusts = has_fit_parameter(selector, "covariates")
        check_uses(method.name, source, adjusts=adjusts, keeps=hasattr(selector, "keep"))
        begun = time.perf_counter()
        problem = opened_problem(source, log, how.memory)
        find_features(selector, problem, source.each[0].reading())
        check_parts(problem, how)
        check_classes(problem)
        work = Work(method.name, selector, problem, how, log)
        if result.plan:
            show_plan(work, time.perf_counter() - begun, as_json=result.as_json)
            return
        with connected(how.dask, log):
            record, rows = answer(work, facts(problem, source, method.name))
        if result.out is not None:
            write(record, rows, result.out, log, left, force=result.force)
        print_record(record, show_selection, as_json=result.as_json)


def check_how(how: SelectOptions) -> None:
    """Raises UsageError for --stability, --check, --scoring and --estimator that make no sense together."""
    if how.stability == 1:
        raise UsageError("--stability 1, but selections are compared with each other; give 2 or more.")
    if how.check == 1:
        raise UsageError("--check 1, but one part is kept for the test; give 2 parts or more.")
    if how.scoring is not None and not how.check:
        raise UsageError(f"--scoring {how.scoring} is what --check computes; give --check 5, too.")
    if how.estimator is not None and not how.check:
        raise UsageError(f"--estimator {how.estimator} is what --check trains; give --check 5, too.")
    if how.estimator is not None:
        check_name(how.estimator)


def check_weights(asked: str | None, how: SelectOptions) -> None:
    """Raises UsageError if weights are given to a method that does not use them."""
    method = how.method.partition(":")[0]
    if asked is not None and METHODS[method].scaled:
        raise UsageError(f"--weights {asked}, but --method {method} does not use weights; leave them out.")


def check_values(method: str, source: o.CohortOptions) -> None:
    """Raises UsageError for a store, if a method needs values."""
    from qpfs.data import is_stored

    if any(map(is_stored, source.sources)):
        raise needs_values(method)


def check_targets(method: Chosen, source: o.SourceOptions, how: SelectOptions) -> None:
    """Raises UsageError, before anything takes long, for options that do not fit the number of targets."""
    n, weights = max(1, len(source.target or ())), method.given.get("target_weights")
    if isinstance(weights, list) and len(weights) != n:
        targets = Parameter("target_weights", weights), f", but there {'is' if n == 1 else 'are'} "
        raise UsageError(*targets, f"{counted(n, 'target')}; give a weight for each.")
    if n > 1 and len(source.sources) > 1:
        raise UsageError(f"several tables can have one target only, but {n} are given; name one --target.")
    if n > 1 and METHODS[method.name].scaled:
        raise UsageError(f"--method {method.name} is for one target, but {n} are given; name one --target.")


def check_cohort_options(method: Chosen, source: o.CohortOptions, how: SelectOptions) -> None:
    """Raises UsageError for options that several tables cannot have, or tables that cannot be cohorts."""
    if how.check:
        raise UsageError("--check is for one table; of several, each one is left out once and tested anyway.")
    for name, given in (("--memory", how.memory), ("--dask", how.dask)):
        if given is not None:
            raise UsageError(f"{name} is for a store, but several tables are read into memory; leave it out.")
    from qpfs.data.cohorts import check_sources

    check_sources(source.sources, source.labels or ())


def check_classes(problem: Problem) -> None:
    """Raises UsageError, before anything takes long, if a cohort has other classes than all others."""
    if problem.cohorts is None:
        return
    from qpfs.codes import EqualFrequency, target_of
    from qpfs.evaluation.cohorts import check_cohorts
    from qpfs.evaluation.sample import named_cohorts

    check_cohorts(target_of(problem.y, EqualFrequency(5)), *named_cohorts(problem.cohorts, problem.n_samples))


def check_parts(problem: Problem, how: SelectOptions) -> None:
    """Raises UsageError, before anything takes long, if --check is not possible, as for few samples."""
    if not how.check:
        return
    from qpfs.evaluation.judging import judge_of
    from qpfs.evaluation.sample import sample_of
    from qpfs.evaluation.splits import splits_of

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit will warn
        sample = sample_of(problem.X, problem.y, problem.groups, weights=problem.weights).weighing()
        judge_of(checked_estimator(problem, how), how.scoring, sample)
        splits_of(how.check, sample, random_state=how.seed, name="check")


def checked_estimator(problem: Problem, how: SelectOptions) -> Any:
    """The model that --check trains, in the form that the target needs; None is the default."""
    return None if how.estimator is None else estimator_for(how.estimator, problem.y)


@dataclass(frozen=True, eq=False)
class Work:
    """A selector and what it is fitted to."""

    method: str
    selector: FeatureSelector
    problem: Problem
    how: SelectOptions
    log: Log

    @cached_property
    def X(self) -> Any:  # noqa: N802 - as scikit-learn calls it
        """The table as the method takes it."""
        return table_for(self.method, self.problem.X)

    @cached_property
    def model(self) -> Any:
        """The selector, after a scaler if it needs one."""
        return scaled_first(self.method, self.selector, self.X)

    @cached_property
    def covariates(self) -> dict[str, AnyArray] | None:
        """The covariates that are adjusted for, cohorts included, if the method does that."""
        from qpfs.evaluation.sample import COHORT, adjusts

        cohorts = self.problem.cohorts
        found = {**self.problem.covariates, **({} if cohorts is None else {COHORT: cohorts})}
        return found if found and adjusts(self.model) else None

    @property
    def title(self) -> str:
        return METHODS[self.method].title


def answer(work: Work, known: Record) -> tuple[Record, FeatureRows]:
    """The record of a selection, and a row for every feature."""
    import numpy as np

    from qpfs.report import feature_rows, selection_record

    seconds, said = fit(work)
    notes = shown_notes(said, work.log)
    for one in said:  # the next steps need not repeat the warning
        warnings.filterwarnings("ignore", re.escape(str(one.message)), one.category)
    found = resamples(work, said=[in_options(one.message) for one in said]) if work.how.stability else None
    frequency = None if found is None else found.frequencies
    tested = checked_on_new_samples(work, known) if work.how.check else None
    across = asked_of_cohorts(work, known) if work.problem.cohorts is not None else None
    if across is not None and across.comparison is not None:
        tested = across.comparison.record
    with work.log.waiting("describing the result", lambda: DESCRIBING * work.problem.n_features):
        further = None if across is None else across.columns(np.arange(work.problem.n_features))
        rows = feature_rows(work.selector, work.problem.names, frequency, work.X, further)
        record = selection_record(
            work.selector,
            data=known | {"notes": [*known["notes"], *notes]},
            names=work.problem.names,
            X=work.X,
            command=command_line(),
            stability=None if found is None else stability_record(found, work.X) | {"seed": work.how.seed},
            frequency=frequency,
            comparison=tested,
            cohorts=None if across is None else cohorts_record(across, work.problem),
            seconds={"fit": round(seconds, 4)},
            rows=rows,
        )
        return dict(record), rows


def shown_notes(said: list[warnings.WarningMessage], log: Log) -> list[str]:
    """The warnings of a fit as notes, without cautions; those with which the answer begins are not shown."""
    from qpfs.selectors.cautions import CautionWarning
    from qpfs.selectors.chance import ChanceWarning

    texts = [(in_options(one.message), one.category) for one in said]
    notes = list(dict.fromkeys(text for text, kind in texts if not issubclass(kind, CautionWarning)))
    of_chance = {text for text, kind in texts if issubclass(kind, ChanceWarning)}
    for note in notes:
        if note not in of_chance:
            log.note(note)
    return notes


def fit(work: Work) -> tuple[float, list[warnings.WarningMessage]]:
    """Fits a selector; the seconds that took, and its warnings."""
    from qpfs.cli.plan import expected_seconds, warm_up
    from qpfs.compiled import LINEAR, clock

    log, y = work.log, work.problem.y
    if work.X.shape[0] * work.X.shape[1] > LINEAR:  # a smaller table is fitted before anything is compiled
        with log.waiting("preparing (kernels are compiled the first time)"):
            warm_up(work.model, work.X, y, work.problem.weights)
    begun = clock()
    with (
        log.waiting(
            f"selecting by {work.title}",
            lambda: expected_seconds(work.model, work.X, y, work.covariates, work.problem.weights),
        ),
        warnings.catch_warnings(record=True) as noted,
    ):
        work.model.fit(work.X, y, **of_samples(work))
    seconds = clock() - begun
    log.say(f"{work.title} fitted in {seconds:.2f} s")
    return seconds, noted


def of_samples(work: Work) -> Record:
    """Weights, groups and covariates as arguments of `fit`, where there are any and it takes them."""
    from sklearn.utils.validation import has_fit_parameter

    known = {
        "sample_weight": work.problem.weights,
        "groups": work.problem.groups,
        "covariates": work.covariates,
    }
    return {
        name: value
        for name, value in known.items()
        if value is not None and has_fit_parameter(work.model, name)
    }


def check_uses(method: str, source: o.CohortOptions, *, adjusts: bool, keeps: bool) -> None:
    """Raises UsageError if a method, or tables, cannot use --adjust or --keep-where, which are given."""
    if source.adjust and not adjusts:
        raise UsageError(
            f"--adjust, but {method} cannot adjust for covariates; use another method, such as qpfs."
        )
    if source.keep_where and not keeps:
        raise UsageError(f"--keep-where, but {method} has no --keep; use another method, such as qpfs.")
    if source.keep_where and source.more:
        raise UsageError("--keep-where is for one table; with several, name the features with --keep.")


def resamples(work: Work, said: list[str]) -> Resampled:
    """Selections on new draws of samples; notes that were shown before are not repeated."""
    from sklearn.base import clone

    from qpfs.evaluation import resampled
    from qpfs.evaluation.resampling import selection_notes

    model, problem, how = clone(work.model), work.problem, work.how
    with work.log.steps("stability") as tick:
        found = resampled(
            model,
            work.X,
            problem.y,
            how.stability,
            sample_weight=problem.weights,
            covariates=problem.covariates or None,
            groups=problem.groups,
            cohorts=problem.cohorts,
            random_state=how.seed,
            n_jobs=how.jobs,
            fitted=work.model,
            tick=tick,
        )
    new = {note: n for note, n in found.warned.items() if in_options(note) not in said}
    for note in selection_notes(new, found.stability.n):  # other notes are in the answer
        work.log.note(in_options(note))
    return found


def checked_on_new_samples(work: Work, known: Record) -> Record | None:
    """The error, or score, of as many features as were selected, on samples not used for selection."""
    from qpfs.evaluation import compare
    from qpfs.evaluation.cohorts import n_chosen

    n = int(work.selector.support_.sum())
    if n == 0:
        work.log.note("nothing was selected, so --check has nothing to test.")
        return None
    with work.log.steps("checking on new samples") as tick, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a check that failed, which the answer reports
        found = compare(
            X=work.X,
            y=work.problem.y,
            names=work.problem.names,
            titles={work.method: work.title},
            data=known,
            n_jobs=work.how.jobs,
            tick=tick,
            **check_asked(work, n_chosen(work.selector, n)),
        )
    (method,) = found.record["methods"]
    why = {"failed": spelled(method["failed"], of_check)} if "failed" in method else {}
    return found.record | {"methods": [method | why]}


def check_asked(work: Work, size: int) -> Record:
    """What --check asks of :func:`qpfs.evaluation.compare`, for so many features, beside X and y."""
    from sklearn.base import clone

    problem, how = work.problem, work.how
    return {
        "methods": {work.method: clone(work.model)},
        "estimator": checked_estimator(problem, how),
        "cv": how.check,
        "scoring": how.scoring,
        "sizes": [size],
        "sample_weight": problem.weights,
        "covariates": problem.covariates or None,
        "groups": problem.groups,
        "random_state": how.seed,
    }


def of_check(parameter: Parameter) -> str:
    """A parameter of the check as it is typed: the number of its folds is that of --check."""
    return as_option(replace(parameter, name="check") if parameter.name == "cv" else parameter)


def asked_of_cohorts(work: Work, known: Record) -> AcrossCohorts | None:
    """How well the selection holds across cohorts; None if nothing was selected."""
    from sklearn.base import clone

    from qpfs.evaluation import across_cohorts

    problem = work.problem
    if not work.selector.support_.any():
        return None
    with work.log.steps("selecting in each cohort") as tick:
        found = across_cohorts(
            clone(work.model),
            work.X,
            problem.y,
            problem.cohorts,
            sample_weight=problem.weights,
            covariates=problem.covariates or None,
            groups=problem.groups,
            fitted=work.model,
            names=problem.names,
            data=known,
            n_jobs=work.how.jobs,
            tick=tick,
        )
    for note in found.notes:
        work.log.note(note)
    return found


def cohorts_record(found: AcrossCohorts, problem: Problem) -> Record:
    """The results across cohorts, and the source of each cohort."""
    record = found.record()
    sources = {one.name: one for one in problem.cohort_sources}
    for one in record["cohorts"]:
        source = sources[one["name"]]
        one |= {
            "source": source.source,
            "format": source.format,
            "checksum": source.checksum,
            "n_features": source.n_features,
        }
    return record


def stability_record(found: Resampled, X: Any) -> Record:
    """How stable the selection is, as plain data."""
    from qpfs.codes import table_kind

    ranked = table_kind(X).has_numbers or X.form.name == "scores"  # anew in every resample
    return found.record() | ({} if ranked else {"fixed_levels": True})


def show_plan(work: Work, reading: float, *, as_json: bool) -> None:
    """What would be done, on standard output."""
    from qpfs.cli.plan import planned

    title = work.title + on_cluster(work.how.dask)
    plan = planned(
        work.model, work.X, work.problem, title, work.how.stability, jobs=work.how.jobs, reading=reading
    )
    if work.how.check:
        from qpfs.cli.comparison_forecast import with_check
        from qpfs.evaluation.comparison_plan import comparison_plan

        trials = comparison_plan(
            X=work.X, y=work.problem.y, inner_cv=3, repeats=1, **check_asked(work, expected_size(work))
        )
        plan = with_check(plan, trials, work.method, work.how.jobs)
    (print_json if as_json else show_forecast)(plan.record())


def expected_size(work: Work) -> int:
    """How many features will be selected: as many as are asked for, or as a comparison tries at most."""
    from qpfs.evaluation.sizes import SIZES
    from qpfs.selectors.parameters import checked_n_features

    n = work.X.shape[1]
    return checked_n_features(work.selector.n_features_to_select, n) or min(n, SIZES[-1])


def write(record: Record, rows: FeatureRows, folder: Path, log: Log, left: Watch, *, force: bool) -> None:
    """The files of a selection: all of them or none."""
    from qpfs.files import staged_folder
    from qpfs.report import as_json, csv_lines, selection_page

    with ExitStack() as stack:
        with log.waiting(f"writing {folder}", lambda: DESCRIBING * len(rows)):
            texts = (csv_lines(rows, rows.best_first()), selection_page(record), as_json(record))
            named = dict(zip(FILES, texts, strict=True))
            move = stack.enter_context(staged_folder(folder, named, last="selection.json", force=force))
        with left.holding():
            paths = move()
            left.says = f"the result is in {folder}"
    for path in paths:
        log.say(f"wrote {path}")
