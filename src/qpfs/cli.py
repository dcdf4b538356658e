"""The command line: `qpfs select`."""

from __future__ import annotations

import io
import os
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

app = typer.Typer(
    help="Which few columns say the most about the target while saying different things?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Method(StrEnum):
    """The selectors, as the command names them."""

    QPFS = "qpfs"
    NYSTROM = "nystrom"
    MRMR = "mrmr"
    MAXREL = "maxrel"


def show_version(asked: bool) -> None:
    """Prints the version and ends, if asked to."""
    if asked:
        from qpfs import __version__

        sys.stdout.write(f"qpfs {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Feature selection that says how sure it is."""


@app.command()
def select(
    data: Annotated[
        str,
        typer.Argument(
            help="A CSV file with a header, or a built-in set: wdbc, digits, wine, iris, diabetes."
        ),
    ],
    target: Annotated[
        str | None, typer.Option(help="The column to be told about; built-in sets have theirs.")
    ] = None,
    method: Annotated[Method, typer.Option(help="How features are weighed.")] = Method.QPFS,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="How many features; by default all with positive weight."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON in place of a table.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="A folder to write selection.csv and selection.json into.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite results in --out.")] = False,
) -> None:
    """Rank the columns of DATA by what they say about the target, without repeating each other."""
    from qpfs.report import as_json as json_text
    from qpfs.report import check_free, write_selection

    if out is not None:
        check_free(out, force=force)
    record = selected(data, target, method, top)
    if out is not None:
        for path in write_selection(record, out):
            sys.stderr.write(f"wrote {path}\n")
    if as_json:
        sys.stdout.write(json_text(record))
    else:
        show(record)


def selected(data: str, target: str | None, method: Method, top: int | None) -> dict[str, Any]:
    """The record of a selection."""
    from qpfs import MRMR, QPFS, MaxRel, NystromQPFS
    from qpfs.data import UsageError, open_problem
    from qpfs.report import selection_record

    selectors = {
        Method.QPFS: QPFS,
        Method.NYSTROM: NystromQPFS,
        Method.MRMR: MRMR,
        Method.MAXREL: MaxRel,
    }
    problem = open_problem(data, target)
    n_features = problem.features.num_columns
    if top is not None and top > n_features:
        raise UsageError(f"--top {top}, but there are {n_features} features.")
    selector = selectors[method](top).fit(problem.features, problem.target)
    return selection_record(selector, problem, method.value, top)


def show(record: dict[str, Any]) -> None:
    """Prints a selection for a person."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    data = record["data"]
    facts = f"{data['n_samples']} samples, {data['n_features']} features, target {data['target']!r}"
    console.print(Text(printable(data["source"]), style="bold"), soft_wrap=True)
    console.print(Text(facts), soft_wrap=True)
    console.print(ranked_table(record["features"], bars=console.width >= 60))
    console.print(Text(summary(record), style="dim"), soft_wrap=True)


def ranked_table(features: list[dict[str, Any]], *, bars: bool) -> Table:
    """The ranked features, with a bar for each weight where there is room."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("feature", overflow="fold", min_width=8)
    table.add_column("weight", justify="right", no_wrap=True)
    table.add_column("relevance", justify="right", no_wrap=True)
    if bars:
        table.add_column("")
    largest = max((row["weight"] for row in features), default=0.0)
    for row in features:
        share = row["weight"] / largest if largest > 0 else 0.0
        cells: list[str | Text] = [
            str(row["rank"]),
            Text(printable(row["feature"])),
            f"{row['weight']:.4f}" if row["weight"] else "0",
            f"{row['relevance']:.4f}",
            Text("█" * round(20 * max(share, 0.0)), style="cyan"),
        ]
        table.add_row(*cells[: len(table.columns)])
    return table


def printable(name: str) -> str:
    """A name on one line, with control characters shown and not obeyed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name) or "(no name)"


def summary(record: dict[str, Any]) -> str:
    """One line on how the answer was found and how sure it is."""
    certificate = record["certificate"]
    n = record["n_weighted"]
    parts = [f"{record['method']}: {n} feature{' has' if n == 1 else 's have'} weight"]
    if "theta" in certificate:
        parts.append(f"theta {certificate['theta']:.3f}")
    if "gap" in certificate:
        parts.append(f"gap {certificate['gap']:.1e}")
    if "status" in certificate:
        parts.append(certificate["status"])
    return ", ".join(parts)


def main() -> None:
    """Runs the command; bad data or usage gets one line on standard error and a non-zero exit."""
    warnings.showwarning = show_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without the characters still gets the numbers
    try:
        app()
    except BrokenPipeError:  # nobody reads on, as in `qpfs ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (ValueError, TypeError, OSError) as error:
        from qpfs.data import UsageError

        sys.stderr.write(f"qpfs: {error}\n")
        sys.exit(2 if isinstance(error, (UsageError, FileExistsError)) else 1)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    sys.stderr.write(f"qpfs: note: {message}\n")
