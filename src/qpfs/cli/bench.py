"""`qpfs bench`: what the methods take on this machine."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.methods import named_selectors, scaled_first
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.methods import METHODS, USUAL

TIMED = [*USUAL, "ikm", "tlkm"]
GROUPS, COPIES = 8, 6  # planted: as many groups as a person can count, of copies enough to be told from noise


def bench(
    samples: Annotated[int, typer.Option(metavar="N", min=10, help="Rows of the table.")] = 100,
    features: Annotated[
        int, typer.Option(metavar="N", min=GROUPS * COPIES, help="Columns of the table.")
    ] = 10_000,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"A method, as often as you like; {', '.join(TIMED)} by default. Of {', '.join(METHODS)}. "
            "Parameters as in ikma:radius=0.9,n_first=20.",
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="Fits that the time is the median of.")
    ] = 3,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Time methods on this machine, on a table made for it: 8 groups of 6 noisy copies among noise."""
    with answered(quiet=quiet):
        from qpfs.data import planted_groups

        selectors = named_selectors(method or TIMED, {"random_state": seed, "n_jobs": jobs})
        table = planted_groups(samples, GROUPS, COPIES, features - GROUPS * COPIES, random_state=seed)
        log, rows = Log(quiet=quiet), []
        with log.steps("fitting") as tick:
            for done, (text, (name, selector)) in enumerate(selectors.items()):
                tick(done, len(selectors), text)
                row = row_of(scaled_first(name, selector, table.X), table, repeats)
                rows.append({"method": text, **row})
        if as_json:
            import json

            shape = {"n_samples": samples, "n_features": features, "n_jobs": jobs}
            sys.stdout.write(json.dumps(shape | {"methods": rows}, indent=2) + "\n")
        else:
            show(rows, samples, features, jobs)


def row_of(selector: Any, table: Any, repeats: int) -> dict[str, Any]:
    """What a method takes, and how many of the groups are among its first features."""
    from qpfs.evaluation import MeasuringError, measured
    from qpfs.evaluation.trials import order_of

    try:
        cost = measured(selector, table.X, table.y, repeats=repeats)
    except MeasuringError as error:
        raise ValueError(str(error)) from error
    first = order_of(selector.fit(table.X, table.y))[:GROUPS]
    groups = set(table.group[first].tolist()) - {-1}
    return {"seconds": cost.seconds, "megabytes": cost.megabytes, "groups_found": len(groups)}


def show(rows: list[dict[str, Any]], samples: int, features: int, jobs: int) -> None:
    """A line for each method."""
    from rich.console import Console

    from qpfs.cli.terminal import plain_table, printable, size

    console = Console(highlight=False)
    workers = f"{jobs} job{'s' * (jobs != 1)}"
    console.print(f"{samples:,} samples, {features:,} features, {GROUPS} groups of copies, {workers}")
    table = plain_table(["method", "seconds", "memory", "groups among the first 8"], left={"method"})
    for row in rows:
        found, memory = f"{row['groups_found']} of {GROUPS}", size(row["megabytes"])
        table.add_row(printable(row["method"]), f"{row['seconds']:.3g}", memory, found)
    console.print(table)
