"""`qpfs compare`: several methods under nested cross-validation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.methods import named_selectors, scaled_first, table_for
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.signals import Watch
from qpfs.cli.sources import check_out, command_line, facts, opened_problem
from qpfs.cli.stores import reject_store
from qpfs.methods import METHODS, USUAL

FILES = ["comparison.csv", "report.html", "comparison.json"]
RECORDS = "records.jsonl"


def compare(
    context: typer.Context,
    data: o.Table,
    target: o.Target = None,
    labels: o.Labels = None,
    features_in: o.FeaturesIn = "columns",
    drop: o.Drop = None,
    index: o.Index = None,
    groups: o.Groups = None,
    missing: o.Missing = None,
    categorical: o.Categorical = None,
    layer: o.Layer = None,
    file_format: o.Format = None,
    folder: o.DataFolder = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"A method, as often as you like; {', '.join(USUAL)} by default. Of {', '.join(METHODS)}. "
            "Parameters as in ikma:radius=0.9,n_first=20.",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="N,N", help="Numbers of features to try; 1, 2, 3, 5, 7, 10, ... 100."),
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="Parts the samples are split into.")] = 5,
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="How often they are split anew.")] = 3,
    inner_folds: Annotated[
        int,
        typer.Option(
            metavar="N", min=2, help="Parts of each training part, to choose the number of features by."
        ),
    ] = 3,
    classifier: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What predicts from the chosen features: svm, logistic, forest or neighbors.",
        ),
    ] = "svm",
    memory: Annotated[
        bool, typer.Option(help="Measure memory, by one more fit of each in a process of its own.")
    ] = True,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    as_json: o.Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=o.to_write,
            metavar="DIR",
            help=f"A folder for {', '.join(FILES)}, and {RECORDS}, from which an interrupted run goes on.",
            rich_help_panel=o.RESULT,
        ),
    ] = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Compare methods: what errors their features make, how many are enough, what each costs."""
    with answered(quiet=quiet) as left:
        log = Log(quiet=quiet)
        if out is not None:
            check_out(out, FILES, context.params, log, also=[out / RECORDS])
        methods = named_selectors(method or [*USUAL], {"random_state": seed})
        tried = sizes_in(sizes)
        judge = classifier_named(classifier)
        reject_store(data, "compare judges features by a classifier that needs the numbers. Name the table.")
        problem = opened_problem(data, context.params, log)
        check_sizes(tried, problem.n_features)
        if out is not None:
            left.says = f"what is done is in {out / RECORDS}, and the same command goes on from there"
        with log.steps("comparing") as tick:
            record = compared(
                problem,
                methods,
                facts(problem, context.params),
                outer=folds,
                repeats=repeats,
                inner=inner_folds,
                sizes=tried,
                classifier=judge,
                measure_memory=memory,
                records=None if out is None else out / RECORDS,
                seed=seed,
                n_jobs=jobs,
                tick=tick,
            )
        check_some_succeeded(record)
        if out is not None:
            write(record, out, log, left, force=force)
        show(record, as_json=as_json)


def sizes_in(text: str | None) -> list[int] | None:
    """The numbers in a text such as 1,2,5."""
    from qpfs.data import UsageError

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--sizes {text}; expected numbers of features such as 1,2,5,10.")
    return sorted({int(part) for part in parts})


def check_sizes(sizes: list[int] | None, n_features: int) -> None:
    from qpfs.data import UsageError

    if sizes and sizes[-1] > n_features:
        raise UsageError(f"--sizes asks for {sizes[-1]}, but there are {n_features} features.")


def check_some_succeeded(record: dict[str, Any]) -> None:
    """Raises ValueError if there is nothing to compare."""
    failed = [f"{one['title']} ({one['failed']})" for one in record["methods"] if "failed" in one]
    if len(failed) == len(record["methods"]):
        raise ValueError(f"every method failed: {'; '.join(failed)}")


def classifier_named(name: str) -> Any:
    """What predicts, by name; None is the linear machine (for a quantity ridge regression)."""
    from qpfs.data import UsageError

    if name not in CLASSIFIERS:
        raise UsageError(f"--classifier {name}; expected {', '.join(CLASSIFIERS)}.")
    return CLASSIFIERS[name]()


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=10_000)


def forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=0)


def neighbors() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier()


CLASSIFIERS = {"svm": lambda: None, "logistic": logistic, "forest": forest, "neighbors": neighbors}


def compared(
    problem: Any, methods: dict[str, tuple[str, Any]], known: dict[str, Any], **how: Any
) -> dict[str, Any]:
    """The record of a comparison."""
    from qpfs.evaluation import compare as by_nested_validation

    X = problem.X
    for name, _ in methods.values():
        X = table_for(name, X)
    models = {text: scaled_first(name, selector, X) for text, (name, selector) in methods.items()}
    return by_nested_validation(
        X,
        problem.y,
        models,
        names=problem.names,
        groups=problem.groups,
        titles={text: title(text, name) for text, (name, _) in methods.items()},
        data=known,
        command=command_line(),
        **how,
    )


def title(text: str, name: str) -> str:
    """What a method is called, with its parameters if some were given."""
    _, colon, parameters = text.partition(":")
    return f"{METHODS[name].title} ({parameters.replace(',', ', ')})" if colon else METHODS[name].title


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
        [method["name"], *(point[name] for name in ("k", "error", "low", "high", "n"))]
        for method in record["methods"]
        for point in method.get("curve", ())
    ]
    return csv_text([["method", "k", "error", "low", "high", "n_splits"], *rows])


def show(record: dict[str, Any], *, as_json: bool) -> None:
    """The answer on standard output."""
    from qpfs.cli.terminal import show_comparison
    from qpfs.report import as_json as json_text

    if as_json:
        sys.stdout.write(json_text(record))
    else:
        show_comparison(record)
