"""`qpfs select`: from a table to a ranked, explained, repeatable answer."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.clusters import check_dask, connected, on_cluster
from qpfs.cli.methods import given_parameters, method_in, scaled_first, selector_for, table_for
from qpfs.cli.progress import Log
from qpfs.cli.running import answered, in_options
from qpfs.cli.signals import Watch
from qpfs.cli.sources import check_out, command_line, facts, opened_problem
from qpfs.methods import METHODS

FILES = ["selection.csv", "report.html", "selection.json"]
DESCRIBING = 1e-5  # seconds for each feature, about
Record = dict[str, Any]


def select(
    context: typer.Context,
    data: o.Source,
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
    method: o.MethodName = "qpfs",
    top: o.Top = None,
    stability: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Select from N samples of the rows too: how often is each chosen?"
        ),
    ] = 0,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    memory_size: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="The most memory to take with a store, such as 512MB or 4GB, about; 1GB.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Have a Dask cluster work on a store: the address of its scheduler, or local.",
        ),
    ] = None,
    theta: o.Theta = None,
    measure: o.Measure = None,
    levels: o.Levels = None,
    target_levels: o.TargetLevels = None,
    clusterer: o.ClustererName = None,
    criterion: o.CriterionName = None,
    discard: o.Discard = None,
    n_keep: o.NKeep = None,
    radius: o.Radius = None,
    n_first: o.NFirst = None,
    n_split: o.NSplit = None,
    max_depth: o.MaxDepth = None,
    n_clusters: o.NClusters = None,
    repeat: o.Repeat = None,
    init: o.Init = None,
    representative: o.Representative = None,
    theta_scope: o.ThetaScope = None,
    order: o.Order = None,
    n_starts: o.NStarts = None,
    sampling_rate: o.SamplingRate = None,
    diagonal_correction: o.DiagonalCorrection = None,
    scheme: o.Scheme = None,
    n_per_step: o.NPerStep = None,
    c: o.C = None,
    max_correlation: o.MaxCorrelation = None,
    loss: o.Loss = None,
    max_iter: o.MaxIter = None,
    tol: o.Tol = None,
    fit_intercept: o.FitIntercept = None,
    as_json: o.Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=o.to_write,
            metavar="DIR",
            help=f"A folder to write {', '.join(FILES)} into.",
            rich_help_panel=o.RESULT,
        ),
    ] = None,
    force: o.Force = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Say what would be done, in what time and memory, and stop.",
            rich_help_panel=o.RESULT,
        ),
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Rank the columns of DATA by what they say about the target, without repeating each other."""
    with answered(quiet=quiet) as left:
        log = Log(quiet=quiet)
        if out is not None and not plan:
            check_out(out, FILES, context.params, log)
        method, given = method_in(method)
        selector = selector_for(method, given_parameters(context.params) | given)
        check_stability(stability)
        check_dask(dask, data)
        begun = time.perf_counter()
        problem = opened_problem(data, context.params, log)
        check_top(top, problem.n_features)
        if plan:
            seconds = time.perf_counter() - begun
            named = (method, METHODS[method].title + on_cluster(dask))
            show_plan(selector, problem, *named, stability, jobs=jobs, reading=seconds, as_json=as_json)
            return
        known = facts(problem, context.params, method)
        with connected(dask, log):
            record, rows = answer(selector, problem, method, known, stability, jobs, seed, log)
        if out is not None:
            write(record, rows, out, log, left, force=force)
        show(record, as_json=as_json)


def check_top(top: int | None, n_features: int) -> None:
    from qpfs.data import UsageError

    if top is not None and top > n_features:
        raise UsageError(
            f"--top {top}, but there are {n_features} features; ask for fewer, or leave --top out for all "
            "that have weight."
        )


def check_stability(n: int) -> None:
    from qpfs.data import UsageError

    if n == 1:
        raise UsageError("--stability 1, but selections are compared with each other; ask for 2 or more.")


def answer(
    selector: Any,
    problem: Any,
    method: str,
    known: Record,
    n_resamples: int,
    jobs: int,
    seed: int,
    log: Log,
) -> tuple[Record, Any]:
    """The record of a selection, and a row for every feature."""
    from qpfs.report import feature_rows, selection_record

    X = table_for(method, problem.X)
    model = scaled_first(method, selector, X)
    seconds, notes = fit(model, X, problem, METHODS[method].title, log)
    found = resamples(model, X, problem, n_resamples, jobs, seed, log, said=notes) if n_resamples else None
    frequency = None if found is None else found.frequencies
    with log.waiting("describing what was found", lambda: DESCRIBING * problem.n_features):
        record = selection_record(
            selector,
            data=known | {"notes": [*known["notes"], *notes]},
            names=problem.names,
            X=X,
            command=command_line(),
            stability=None if found is None else stability_record(found, X) | {"seed": seed},
            frequency=frequency,
            seconds={"fit": round(seconds, 4)},
        )
        return record, feature_rows(selector, problem.names, frequency)


def fit(model: Any, X: Any, problem: Any, title: str, log: Log) -> tuple[float, list[str]]:
    """Fits a selector; how many seconds that took, and what was noted."""
    from qpfs.cli.plan import warm_up

    with log.waiting("getting ready (kernels are compiled the first time)"):
        warm_up(model, X, problem.y)
    begun = time.perf_counter()
    with (
        log.waiting(f"selecting by {title}", lambda: expected(model, X, problem)),
        warnings.catch_warnings(record=True) as noted,
    ):
        model.fit(X, problem.y)
    seconds = time.perf_counter() - begun
    notes = list(dict.fromkeys(in_options(str(one.message)) for one in noted))
    for note in notes:
        log.note(note)
    log.say(f"{title} fitted in {seconds:.2f} s")
    return seconds, notes


def expected(model: Any, X: Any, problem: Any) -> float:
    """Seconds that a fit should take."""
    from qpfs.cli.plan import expected_seconds

    return expected_seconds(model, X, problem.y)


def resamples(
    model: Any, X: Any, problem: Any, n: int, jobs: int, seed: int, log: Log, said: list[str]
) -> Any:
    """Selections on samples drawn anew; notes that were said before are not said again."""
    from sklearn.base import clone

    from qpfs.evaluation import resampled

    with log.steps("stability") as tick:
        found = resampled(
            clone(model), X, problem.y, n, groups=problem.groups, seed=seed, n_jobs=jobs, tick=tick
        )
    for note in dict.fromkeys(map(in_options, found.notes)):
        if note not in said:
            log.note(f"in some of the resamples: {note}")
    return found


def stability_record(found: Any, X: Any) -> Record:
    """How stable the selection is, as plain data."""
    from qpfs.codes import table_kind
    from qpfs.report import finite

    stable = found.stability
    numbers = {"index": stable.index, "low": stable.low, "high": stable.high}
    ranked = table_kind(X).has_numbers or X.form.name == "scores"  # anew in every resample
    fixed = {} if ranked else {"fixed_levels": True}
    return {"n": stable.n, "resample": found.resample, "level": stable.level, **fixed} | {
        name: finite(value) for name, value in numbers.items()
    }


def show_plan(
    selector: Any,
    problem: Any,
    method: str,
    title: str,
    n_resamples: int,
    *,
    jobs: int,
    reading: float,
    as_json: bool,
) -> None:
    """What would be done, on standard output."""
    import json

    from qpfs.cli.plan import planned
    from qpfs.cli.terminal import show_plan

    X = table_for(method, problem.X)
    model = scaled_first(method, selector, X)
    plan = planned(model, X, problem, title, n_resamples, jobs=jobs, reading=reading).record()
    if as_json:
        sys.stdout.write(json.dumps(plan, indent=2) + "\n")
    else:
        show_plan(plan)


def write(record: Record, rows: Any, folder: Path, log: Log, left: Watch, *, force: bool) -> None:
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


def show(record: Record, *, as_json: bool) -> None:
    """The answer on standard output."""
    from qpfs.cli.terminal import show_selection
    from qpfs.report import as_json as json_text

    if as_json:
        sys.stdout.write(json_text(record))
    else:
        show_selection(record)
