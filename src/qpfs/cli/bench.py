"""`qpfs bench`: the time and memory of the methods on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from qpfs.cli import options as o
from qpfs.cli.methods import check_jobs, chosen, named_selectors, scaled_first
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.terminal import Record, plain_table, print_json, printable, size
from qpfs.methods import USUAL

if TYPE_CHECKING:
    from qpfs.data import Planted

TIMED = [*USUAL, "ikm", "tlkm"]
GROUPS, COPIES = 8, 6  # planted groups: few enough to read, with copies enough to differ from noise


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """What is timed."""

    samples: Annotated[int, o.option("N", "Rows of the table.", parser=o.integer(10))] = 100
    features: Annotated[int, o.option("N", "Columns of the table.", parser=o.integer(GROUPS * COPIES))] = (
        10_000
    )
    method: Annotated[
        list[str] | None,
        o.option("NAME", f"A method; may be given several times; {', '.join(TIMED)} by default. {o.EXAMPLE}"),
    ] = None
    repeats: Annotated[
        int, o.option("N", "How often each is fitted; the time is the median.", parser=o.integer(1))
    ] = 3
    seed: o.Seed = 0
    jobs: o.Jobs = 1
    as_json: o.Json = False
    quiet: o.Quiet = False


def bench(asked: BenchOptions) -> None:
    """Time methods on this machine, on a generated table: 8 groups of 6 noisy copies among noise."""
    with answered(quiet=asked.quiet):
        check_jobs(asked.jobs)
        for text in asked.method or ():
            chosen(text, {}, {})  # errors come before the slow imports
        from qpfs.data import planted_groups

        selectors = named_selectors(asked.method or TIMED, {"random_state": asked.seed, "n_jobs": asked.jobs})
        noise = asked.features - GROUPS * COPIES
        table = planted_groups(asked.samples, GROUPS, COPIES, noise, random_state=asked.seed)
        log, rows = Log(quiet=asked.quiet), []
        with log.steps("fitting") as tick:
            for done, (text, (name, selector)) in enumerate(selectors.items()):
                tick(done, len(selectors), text)
                row = row_of(scaled_first(name, selector, table.X), table, asked.repeats)
                rows.append({"method": text, **row})
        if asked.as_json:
            shape = {"n_samples": asked.samples, "n_features": asked.features, "n_jobs": asked.jobs}
            print_json(shape | {"methods": rows})
        else:
            show(rows, asked)


def row_of(selector: Any, table: Planted, repeats: int) -> Record:
    """The cost of a method, and how many of the groups are among its first features."""
    from qpfs.evaluation import MeasuringError, measured
    from qpfs.evaluation.rankings import order_of

    try:
        cost = measured(selector, table.X, table.y, repeats=repeats)
    except MeasuringError as error:
        raise ValueError(str(error)) from error
    first = order_of(selector.fit(table.X, table.y))[:GROUPS]
    groups = set(table.group[first].tolist()) - {-1}
    return {"seconds": cost.seconds, "megabytes": cost.megabytes, "groups_found": len(groups)}


def show(rows: list[Record], asked: BenchOptions) -> None:
    """A line for each method."""
    from rich.console import Console

    console = Console(highlight=False)
    workers = f"{asked.jobs} job{'s' * (asked.jobs != 1)}"
    shape = f"{asked.samples:,} samples, {asked.features:,} features"
    console.print(f"{shape}, {GROUPS} groups of copies, {workers}")
    table = plain_table(["method", "seconds", "memory", "groups among the first 8"], left={"method"})
    for row in rows:
        found, memory = f"{row['groups_found']} of {GROUPS}", size(row["megabytes"])
        table.add_row(printable(row["method"]), f"{row['seconds']:.3g}", memory, found)
    console.print(table)
