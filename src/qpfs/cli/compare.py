"""`qpfs compare`: several methods under nested cross-validation."""

from __future__ import annotations

import sys
import warnings
from ast import literal_eval
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

from qpfs.cli import options as o
from qpfs.cli.methods import chosen, named_selectors, pairs_in, scaled_first, table_for
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.signals import Watch
from qpfs.cli.sources import check_out, check_source, command_line, facts, opened_problem
from qpfs.cli.stores import reject_store
from qpfs.messages import UsageError
from qpfs.methods import METHODS, RIVALS, USUAL

FILES = ["comparison.csv", "report.html", "comparison.json"]
RECORDS = "records.jsonl"
ESTIMATORS = ("linear", "logistic", "forest", "neighbors")  # that `evaluation/judging.py` makes


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """How methods are compared."""

    method: Annotated[
        list[str] | None,
        o.option(
            "NAME",
            f"A method, as often as you like; {', '.join(USUAL)} by default. {o.EXAMPLE} Of others: "
            f"{', '.join(RIVALS)}.",
        ),
    ] = None
    sizes: Annotated[
        str | None, o.option("N,N", "Numbers of features to try; 1, 2, 3, 5, 7, 10, ... 100 by default.")
    ] = None
    cv: Annotated[int, o.option("N", "Parts the samples are split into.", parser=o.integer(2))] = 5
    repeats: Annotated[int, o.option("N", "How often they are split anew.", parser=o.integer(1))] = 3
    inner_cv: Annotated[
        int,
        o.option(
            "N", "Parts of each training part, to choose the number of features by.", parser=o.integer(2)
        ),
    ] = 3
    estimator: Annotated[
        str,
        o.option(
            "NAME",
            "What predicts from the features: linear (a support vector machine, for a quantity ridge "
            "regression), logistic, forest or neighbors.",
        ),
    ] = "linear"
    scoring: Annotated[
        str | None,
        o.option(
            "NAME", "A score of scikit-learn, such as balanced_accuracy, roc_auc, r2; errors by default."
        ),
    ] = None
    memory: Annotated[
        bool, o.option("", "Measure memory, by one more fit of each in a process of its own.")
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
            f"A folder for {', '.join(FILES)}, and {RECORDS}, from which an interrupted run goes on.",
            parser=o.to_write,
            panel=o.RESULT,
        ),
    ] = None


def compare(source: o.SourceOptions, how: CompareOptions, result: CompareResult) -> None:
    """Compare methods: what errors their features make, how many are enough, what each costs."""
    with answered(quiet=result.quiet) as left:
        log, out = Log(quiet=result.quiet), result.out
        texts, tried = how.method or [*USUAL], sizes_in(how.sizes)
        check_methods(texts)  # what is wrong is said before anything heavy is imported
        if how.estimator not in ESTIMATORS:
            raise UsageError(f"--estimator {how.estimator}; expected {', '.join(ESTIMATORS)}.")
        check_source(source)
        if out is not None:
            check_out(out, FILES, source, log, force=result.force, also=[out / RECORDS])
        check_scoring(how.scoring)
        methods = named_methods(texts, how.seed)
        reject_store(
            source.data, "compare judges features by an estimator that needs the numbers. Name the table."
        )
        problem = opened_problem(source, log)
        check_sizes(tried, problem.n_features)
        model = estimator_for(how.estimator, problem.y)
        if out is not None:
            left.says = f"what is done is in {out / RECORDS}, and the same command goes on from there"
        with log.steps("comparing") as tick:
            record = compared(
                problem,
                methods,
                facts(problem, source),
                estimator=model,
                cv=how.cv,
                inner_cv=how.inner_cv,
                scoring=how.scoring,
                sizes=tried,
                random_state=how.seed,
                repeats=how.repeats,
                measure_memory=how.memory,
                records=None if out is None else out / RECORDS,
                n_jobs=how.jobs,
                tick=foretold(tick),
            )
        check_some_succeeded(record)
        if out is not None:
            write(record, out, log, left, force=result.force)
        show(record, as_json=result.as_json)


def sizes_in(text: str | None) -> list[int] | None:
    """The numbers in a text such as 1,2,5."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--sizes {text}; expected numbers of features such as 1,2,5,10.")
    return sorted({int(part) for part in parts})


def check_sizes(sizes: list[int] | None, n_features: int) -> None:
    if sizes and sizes[-1] > n_features:
        raise UsageError(f"--sizes asks for {sizes[-1]}, but there are {n_features} features.")


def check_some_succeeded(record: dict[str, Any]) -> None:
    """Raises ValueError if there is nothing to compare."""
    failed = [f"{one['title']} ({one['failed']})" for one in record["methods"] if "failed" in one]
    if len(failed) == len(record["methods"]):
        raise ValueError(f"every method failed: {'; '.join(failed)}")


def check_methods(texts: list[str]) -> None:
    """Raises UsageError for a method that there is not, or a parameter that one of ours has not."""
    if len(set(texts)) < len(texts):
        raise UsageError(f"--method names {texts!r}; expected each once.")
    for text in texts:
        name = text.partition(":")[0]
        if name not in METHODS and name not in RIVALS:
            raise UsageError(f"--method {text}; expected one of {', '.join([*METHODS, *RIVALS])}.")
        if name in METHODS:
            chosen(text, {}, {})


def check_scoring(name: str | None) -> None:
    """Raises UsageError, before anything is read, for a score that there is not."""
    from sklearn.metrics import get_scorer_names

    if name is not None and name not in get_scorer_names():
        near = get_close_matches(name, get_scorer_names(), 3) or ["balanced_accuracy", "roc_auc", "r2"]
        raise UsageError(f"--scoring {name} is no score of scikit-learn; did you mean {', '.join(near)}?")


def named_methods(texts: list[str], seed: int) -> dict[str, tuple[str, Any]]:
    """The name and the selector of each text, which may name one of ours or of others."""
    found: dict[str, tuple[str, Any]] = {}
    for text in texts:
        name, _, given = text.partition(":")
        if name in RIVALS:
            found[text] = name, rival(text, name, given, seed)
        else:
            found |= named_selectors([text], {"random_state": seed})
    return found


def rival(text: str, name: str, given: str, seed: int) -> Any:
    """A method of others; raises UsageError if it has not such a parameter, or its package is missing."""
    from qpfs.evaluation.rivals import Rival

    try:
        options = {key: value_in(key, value) for key, value in pairs_in(given, text)}
        found = Rival(name, options or None, random_state=seed)
        found.check()
    except (ValueError, ImportError) as error:
        raise UsageError(f"--method {text}: {error}") from error
    return found


def value_in(key: str, text: str) -> Any:
    """The value of a parameter of others, as Python writes it."""
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(
            f"{key}={text}; expected a number, True, False, None, or a text in quotes."
        ) from None


def estimator_for(name: str, y: Any) -> Any:
    """What predicts, in the form that the target needs; None is the default."""
    from qpfs.codes import EqualFrequency, target_of
    from qpfs.evaluation.judging import named_estimator

    try:
        return named_estimator(name, target_of(y, EqualFrequency(5)).classes is None)
    except ValueError as error:
        raise UsageError(str(error).replace(f"estimator={name!r}", f"--estimator {name}")) from error


def foretold(tick: Any) -> Any:
    """A tick that tells the seconds left by how long the trials so far took."""
    begun = perf_counter()

    def told(done: int, of: int, step: str) -> None:
        tick(done, of, step, (perf_counter() - begun) / done * (of - done))

    return told


def compared(
    problem: Any, methods: dict[str, tuple[str, Any]], known: dict[str, Any], **how: Any
) -> dict[str, Any]:
    """The record of a comparison."""
    from qpfs.evaluation import compare as by_nested_validation

    X = problem.X
    for name, _ in methods.values():
        X = table_for(name, X) if name in METHODS else X
    models = {
        text: scaled_first(name, selector, X) if name in METHODS else selector
        for text, (name, selector) in methods.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of methods that failed, which the answer says, too
        found = by_nested_validation(
            models,
            X,
            problem.y,
            names=problem.names,
            groups=problem.groups,
            titles={text: title(text, name) for text, (name, _) in methods.items()},
            data=known,
            command=command_line(),
            **how,
        )
    return found.record


def title(text: str, name: str) -> str:
    """What a method is called, with its parameters if some were given."""
    _, colon, parameters = text.partition(":")
    plain = METHODS[name].title if name in METHODS else RIVALS[name]
    return f"{plain} ({parameters.replace(',', ', ')})" if colon else plain


def write(record: dict[str, Any], folder: Path, log: Log, left: Watch, *, force: bool) -> None:
    """The files of a comparison."""
    from qpfs.files import write_folder
    from qpfs.report import as_json, comparison_page

    texts = dict(zip(FILES, (curves_csv(record), comparison_page(record), as_json(record)), strict=True))
    with left.holding():
        paths = write_folder(folder, texts, last="comparison.json", force=force)
        left.says = f"the result is in {folder}"
    for path in paths:
        log.say(f"wrote {path}")


def curves_csv(record: dict[str, Any]) -> str:
    """A row for each method and number of features."""
    from qpfs.formulas import csv_text

    rows = [
        [method["name"], *(point[name] for name in ("k", "score", "low", "high", "n"))]
        for method in record["methods"]
        for point in method.get("curve", ())
    ]
    return csv_text([["method", "k", "score", "low", "high", "n_splits"], *rows])


def show(record: dict[str, Any], *, as_json: bool) -> None:
    """The answer on standard output."""
    from qpfs.cli.terminal import show_comparison
    from qpfs.report import as_json as json_text

    if as_json:
        sys.stdout.write(json_text(record))
    else:
        show_comparison(record)
