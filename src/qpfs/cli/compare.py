"""`qpfs compare`: several methods under nested cross-validation."""

from __future__ import annotations

import warnings
from ast import literal_eval
from dataclasses import dataclass, fields
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from qpfs.cli import options as o
from qpfs.cli.estimators import ESTIMATOR_LIST, estimator_for
from qpfs.cli.methods import (
    after_colon,
    check_jobs,
    chosen,
    find_features,
    named_selectors,
    pairs_in,
    scaled_first,
    table_for,
    typed_after,
)
from qpfs.cli.progress import Log
from qpfs.cli.running import answered, as_option
from qpfs.cli.signals import Watch
from qpfs.cli.sources import check_header, check_out, check_source, command_line, facts, opened_problem
from qpfs.cli.terminal import Record, print_json, print_record, show_comparison, show_forecast
from qpfs.evaluation.estimators import check_name
from qpfs.messages import Parameter, UsageError, spelled
from qpfs.methods import METHODS, RIVALS, USUAL

if TYPE_CHECKING:
    from qpfs.data import Problem, Reading

FILES = ["comparison.csv", "report.html", "comparison.json"]
RECORDS = "records.jsonl"


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """How methods are compared."""

    method: Annotated[
        list[str] | None,
        o.option(
            "NAME",
            f"A method; may be given several times; {', '.join(USUAL)} by default. {o.EXAMPLE} Methods of "
            f"other packages: {', '.join(RIVALS)}.",
        ),
    ] = None
    sizes: Annotated[
        str | None, o.option("N,N", "Numbers of features to try; 1, 2, 3, 5, 7, 10, ... 100 by default.")
    ] = None
    cv: Annotated[int, o.option("N", "Number of folds.", parser=o.integer(2))] = 5
    repeats: Annotated[
        int, o.option("N", "How often the samples are split into new folds.", parser=o.integer(1))
    ] = 3
    inner_cv: Annotated[
        int,
        o.option(
            "N",
            "Number of inner folds, of each training part, to choose the number of features.",
            parser=o.integer(2),
        ),
    ] = 3
    estimator: Annotated[
        str, o.option("NAME", f"The model trained on the selected features. {ESTIMATOR_LIST}.")
    ] = "linear"
    scoring: Annotated[
        str | None,
        o.option(
            "NAME", "A score of scikit-learn, such as balanced_accuracy, roc_auc, r2; the error by default."
        ),
    ] = None
    memory: Annotated[
        bool, o.option("", "Measure memory, by one more fit of each method in a separate process.")
    ] = True
    seed: o.Seed = 0
    jobs: o.Jobs = 1


@dataclass(frozen=True, kw_only=True)
class CompareResult(o.ResultOptions):
    """What is done with a comparison."""

    out: Annotated[
        Path | None,
        o.option(
            "DIR",
            f"A folder for {', '.join(FILES)}, and {RECORDS}, from which an interrupted run continues.",
            parser=o.to_write,
            panel=o.RESULT,
        ),
    ] = None
    plan: o.Plan = False


def compare(source: o.StoreOptions, how: CompareOptions, result: CompareResult) -> None:
    """Compare methods: the error on new samples, how many features are enough, stability and time."""
    with answered(quiet=result.quiet) as left:
        log, out = Log(quiet=result.quiet), result.out
        texts, tried = how.method or [*USUAL], sizes_in(how.sizes)
        check_jobs(how.jobs)  # errors come before the slow imports
        check_methods(texts)
        check_name(how.estimator)
        check_source(source)
        if out is not None and not result.plan:
            check_out(out, FILES, source, log, force=result.force, also=[out / RECORDS])
        check_header(source)
        from qpfs.evaluation.score_checks import check_score_name

        check_score_name(how.scoring)
        methods = named_methods(texts, how.seed)
        begun = perf_counter()
        work = Work.of(opened_problem(source, log), source.reading(), methods, how, tried)
        if result.plan:
            show_plan(work, perf_counter() - begun, as_json=result.as_json)
            return
        if out is not None:
            left.says = f"finished trials are in {out / RECORDS}; run the same command to continue"
        with log.steps("comparing") as tick:
            records = None if out is None else out / RECORDS
            record = work.compared(facts(work.problem, source), records, foretold(tick))
        check_some_succeeded(record)
        if out is not None:
            write(record, out, log, left, force=result.force)
        print_record(record, show_comparison, as_json=result.as_json)


@dataclass(frozen=True, eq=False)
class Work:
    """Methods and what they are compared on."""

    problem: Problem
    X: Any  # the table in the form that the methods take
    names: dict[str, str]  # the name of the method of each text
    models: dict[str, Any]
    how: CompareOptions
    asked: Record  # the arguments of `qpfs.evaluation.compare`

    @classmethod
    def of(
        cls,
        problem: Problem,
        reading: Reading,
        methods: dict[str, tuple[str, Any]],
        how: CompareOptions,
        sizes: list[int] | None,
    ) -> Work:
        X = problem.X
        for text, (name, selector) in methods.items():
            X = table_for(name, X)
            if hasattr(selector, "keep"):
                with typed_after(text):
                    find_features(selector, problem, reading)
        models = {
            text: scaled_first(name, selector, X) if name in METHODS else selector
            for text, (name, selector) in methods.items()
        }
        asked = {
            "estimator": estimator_for(how.estimator, problem.y),
            "cv": how.cv,
            "inner_cv": how.inner_cv,
            "scoring": how.scoring,
            "sizes": sizes,
            "covariates": problem.covariates or None,
            "sample_weight": problem.weights,
            "groups": problem.groups,
            "random_state": how.seed,
            "repeats": how.repeats,
        }
        return cls(problem, X, {text: name for text, (name, _) in methods.items()}, models, how, asked)

    @property
    def titles(self) -> dict[str, str]:
        return {text: title(text, name) for text, name in self.names.items()}

    def compared(self, known: Record, records: Path | None, tick: Any) -> Record:
        """The record of the comparison."""
        from qpfs.evaluation import compare as by_nested_validation

        with warnings.catch_warnings():
            # of methods that failed, which the answer reports, too
            warnings.simplefilter("ignore", RuntimeWarning)
            found = by_nested_validation(
                self.models,
                self.X,
                self.problem.y,
                names=self.problem.names,
                titles=self.titles,
                data=known,
                command=command_line(),
                measure_memory=self.how.memory,
                records=records,
                n_jobs=self.how.jobs,
                tick=tick,
                **self.asked,
            )
        return found.record | {"methods": [spelled_as_typed(one) for one in found.record["methods"]]}


def show_plan(work: Work, reading: float, *, as_json: bool) -> None:
    """What would be done, on standard output."""
    from qpfs.cli.comparison_forecast import planned_comparison
    from qpfs.evaluation.comparison_plan import comparison_plan

    plan = comparison_plan(work.models, work.X, work.problem.y, **work.asked)
    found = planned_comparison(
        plan,
        work.names,
        work.titles,
        work.problem,
        memory=work.how.memory,
        jobs=work.how.jobs,
        reading=reading,
    ).record()
    if as_json:
        print_json(found)
    else:
        show_forecast(found, "compared")


def sizes_in(text: str | None) -> list[int] | None:
    """The numbers in a text such as 1,2,5."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--sizes {text}; expected numbers of features such as 1,2,5,10.")
    return sorted({int(part) for part in parts})


def check_some_succeeded(record: Record) -> None:
    """Raises ValueError if there is nothing to compare."""
    failed = [f"{one['title']} ({one['failed']})" for one in record["methods"] if "failed" in one]
    if len(failed) == len(record["methods"]):
        raise ValueError(f"every method failed: {'; '.join(failed)}")


def check_methods(texts: list[str]) -> None:
    """Raises UsageError for an unknown method, or an unknown parameter of one of ours."""
    if len(set(texts)) < len(texts):
        raise UsageError(f"--method names {texts!r}; expected each once.")
    for text in texts:
        name = text.partition(":")[0]
        if name not in METHODS and name not in RIVALS:
            raise UsageError(f"--method {text}; expected one of {', '.join([*METHODS, *RIVALS])}.")
        if name in METHODS:
            chosen(text, {}, {})
        else:
            options_in(text)


def named_methods(texts: list[str], seed: int) -> dict[str, tuple[str, Any]]:
    """The name and the selector of each text, which names a method of ours or of another package."""
    found: dict[str, tuple[str, Any]] = {}
    for text in texts:
        name = text.partition(":")[0]
        if name in RIVALS:
            found[text] = name, rival(text, seed)
        else:
            found |= named_selectors([text], {"random_state": seed})
    return found


def options_in(text: str) -> dict[str, Any]:
    """The parameters in the text of a method of another package; raises UsageError for one it lacks."""
    name, _, given = text.partition(":")
    pairs = pairs_in(given, text)
    with typed_after(text):
        found = {key: value_in(key, value) for key, value in pairs}
        if found:
            from qpfs.checks import check_options

            check_options(name, RIVALS[name].options, found)
    return found


def rival(text: str, seed: int) -> Any:
    """A method of another package; raises UsageError for an unknown parameter or a missing package."""
    from qpfs.evaluation.rivals import Rival

    found = Rival(text.partition(":")[0], options_in(text) or None, random_state=seed)
    with typed_after(text):
        found.check()
    return found


def value_in(key: str, text: str) -> Any:
    """The value of a parameter of a method of another package, as Python writes it."""
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(
            f"{key}={text}; expected a number, True, False, None, or a text in quotes."
        ) from None


def foretold(tick: Any) -> Any:
    """A tick that estimates the seconds left from the time of the trials so far."""
    begun = perf_counter()

    def told(done: int, of: int, step: str) -> None:
        tick(done, of, step, (perf_counter() - begun) / done * (of - done))

    return told


def spelled_as_typed(method: Record) -> Record:
    """A record's message about a method that failed, with the comparison's own parameters as options."""
    if "failed" not in method:
        return method

    def typed(parameter: Parameter) -> str:
        own = parameter.name in {one.name for one in fields(CompareOptions)}
        # Those of the method are typed after its colon.
        return as_option(parameter) if own else after_colon(parameter)

    return method | {"failed": spelled(method["failed"], typed)}


def title(text: str, name: str) -> str:
    """What a method is called, with its parameters if some were given."""
    _, colon, parameters = text.partition(":")
    plain = METHODS[name].title if name in METHODS else RIVALS[name].title
    return f"{plain} ({parameters.replace(',', ', ')})" if colon else plain


def write(record: Record, folder: Path, log: Log, left: Watch, *, force: bool) -> None:
    """The files of a comparison."""
    from qpfs.files import write_folder
    from qpfs.report import as_json, comparison_page

    texts = dict(zip(FILES, (scores_csv(record), comparison_page(record), as_json(record)), strict=True))
    with left.holding():
        paths = write_folder(folder, texts, last="comparison.json", force=force)
        left.says = f"the result is in {folder}"
    for path in paths:
        log.say(f"wrote {path}")


def scores_csv(record: Record) -> str:
    """Rows for each method: its score with each number of features, then the nested one; or why it failed.

    A nested score has the number of features that was chosen in each split.
    """
    from qpfs.formulas import csv_text

    header = ["method", "k", "score", "low", "high", "n_splits", "estimate", "failed"]
    rows: list[list[object]] = []
    for method in record["methods"]:
        name = method["name"]
        if "failed" in method:
            rows.append([name, *[None] * 6, method["failed"]])
            continue
        spans = [(one["k"], one, one["n"], "curve") for one in method["curve"]]
        chosen = method["nested"]["k"]
        spans.append((" ".join(map(str, chosen)), method["nested"], len(chosen), "nested"))
        rows += [[name, k, *(one[key] for key in header[2:5]), n, kind, None] for k, one, n, kind in spans]
    return csv_text([header, *rows])
