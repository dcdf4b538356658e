"""`qpfs encode`: a table of any size into a store of levels, two bits a cell, or of scores, 16."""

from __future__ import annotations

import math
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.methods import levels as rule_named
from qpfs.cli.methods import rule_words
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.signals import NOTHING, Watch
from qpfs.cli.sources import fetch_first, reading_of, reading_seconds, use_folder
from qpfs.cli.stores import BASE, LEAST, bytes_in, is_stored
from qpfs.cli.terminal import duration, size

PILOT = 256  # columns that are cut to see how long it takes
READING = 2  # which part of the budget beyond the least is for reading


def encode(
    context: typer.Context,
    data: o.Table,
    out: Annotated[
        Path,
        typer.Option(
            parser=o.to_write,
            metavar="STORE",
            help="The file to write, by custom NAME.qpfs.",
            show_default=False,
        ),
    ],
    target: o.Target = None,
    kept: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", metavar="COLUMN", help="A further column to keep as a target and not as a feature."
        ),
    ] = None,
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
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The measure to encode for: rank (normal scores of ranks, 16 bits a cell), or else all that "
            "are made of levels.",
            show_default=False,
        ),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="How numbers are discretised: equal-frequency:3, equal-width:5, three-segments (at mean ± 1 "
            "standard deviation), three-segments:0.5, or codes for integers as they are.",
            show_default="equal-frequency:3",
        ),
    ] = None,
    memory: o.Memory = "1GB",
    jobs: o.Jobs = 1,
    as_json: o.Json = False,
    force: o.Force = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Say what would be written, in what time and memory, and stop.",
            rich_help_panel=o.RESULT,
        ),
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Encode DATA of any size, once, as levels or scores, into STORE, from which `qpfs select` starts."""
    with answered(quiet=quiet) as left:
        from qpfs.codes.discretizers import USUAL_RULE
        from qpfs.data import UsageError, files_read, open_stream
        from qpfs.files import check_apart, check_can_write, check_free

        log, begun = Log(quiet=quiet), time.perf_counter()
        budget, layout = bytes_in(memory), layout_named(measure, levels)
        rule = USUAL_RULE if levels is None else rule_named(levels)
        if is_stored(data):
            raise UsageError(f"{data} is encoded already.")
        use_folder(folder)
        if not plan:
            read = files_read(data, labels)
            check_free(out, force=force, read=read)
            check_apart([partial_of(out)], read)
            check_can_write(out.absolute().parent)
        reading = reading_of(context.params)
        fetch_first(data, log)
        with ExitStack() as stack:
            with log.waiting(f"reading {data}", lambda: reading_seconds(data)):
                opening = open_stream(data, reading, scratch=out, memory=for_reading(budget))
                streamed = stack.enter_context(opening)
            for note in streamed.notes:
                log.note(note)
            check_memory(streamed, budget)
            if plan:
                plans = planned(streamed, rule, layout, out, budget, time.perf_counter() - begun)
                show(plans, as_json=as_json)
                return
            room = for_columns(streamed, budget)
            write(streamed, rule, layout, room, out, jobs, log, left, force=force)
        told(streamed, out, time.perf_counter() - begun, log)
        if as_json:
            write_json(result(streamed, out, time.perf_counter() - begun))


def for_reading(budget: int) -> int:
    """Bytes that reading may take; of the least budget what Python and its libraries leave."""
    return max(budget - LEAST, LEAST - BASE) // READING


def for_columns(streamed: Any, budget: int) -> int:
    """Bytes that columns may take that are read together; the rest is for one that is ranked."""
    return max(budget - BASE - 64 * streamed.shape[0], 0) // READING


def layout_named(measure: str | None, levels: str | None) -> Any:
    """How the table is kept for a measure; raises UsageError if it cannot be."""
    from qpfs.codes.disk_layout import layout_for
    from qpfs.codes.forms import LEVELS
    from qpfs.data import UsageError
    from qpfs.selectors.parameters import measure_of

    try:
        asked = None if measure is None else measure_of(measure)
        layout = layout_for(LEVELS if asked is None else asked.form)
    except ValueError as error:
        raise UsageError(f"--measure {measure}: {error}") from error
    if levels is not None and layout.form.name != LEVELS.name:
        raise UsageError(f"--levels is not for --measure {measure}, which has no levels; leave it out.")
    return layout


def check_memory(streamed: Any, budget: int) -> None:
    """Raises UsageError if a column alone, or what is known of all columns, takes more than is allowed."""
    from qpfs.data import UsageError

    n_samples, n_features = streamed.shape
    needed = BASE + 64 * n_samples + 150 * n_features  # names above all
    if needed > budget:
        raise UsageError(
            f"{n_samples} samples of {n_features} features cannot be encoded within {budget / 1e6:,.0f} MB; "
            f"allow about {math.ceil(needed / 1e6):,} MB with --memory."
        )


def write(
    streamed: Any,
    rule: Any,
    layout: Any,
    room: int,
    out: Path,
    jobs: int,
    log: Log,
    left: Watch,
    *,
    force: bool,
) -> None:
    """Encodes the table; an interruption leaves what is done."""
    from qpfs.codes.disk_draft import clear
    from qpfs.codes.disk_writing import write_columns
    from qpfs.engines import engine_for

    partial, before = partial_of(out), which_file(out)
    was_begun = partial.exists()

    def is_complete() -> bool:
        return which_file(out) not in (None, before)

    def state() -> str:
        if is_complete():
            return f"{out} is complete"
        there = f"what is done is in {partial}, and the same command goes on from there"
        return there if any(partial.glob("strip-*")) else NOTHING

    left.says = state
    try:
        with log.steps("encoding") as tick, engine_for(jobs) as engine:
            write_columns(
                streamed.columns,
                rule,
                out,
                about(streamed),
                layout=layout,
                room=room,
                engine=engine,
                tick=tick,
                force=force,
                check=streamed.check,
            )
    except FileExistsError:  # there is something of another run, which has to go first; ours is seen to
        raise
    except BaseException:
        worth_it = was_begun or any(partial.glob("strip-*"))
        if is_complete() or not worth_it:  # an interruption may have come before this was removed
            clear(partial)
        raise


def which_file(path: Path) -> tuple[int, int] | None:
    """What tells a file from another of the same name; None if there is none."""
    found = path.stat() if path.exists() else None
    return None if found is None else (found.st_ino, found.st_mtime_ns)


def partial_of(out: Path) -> Path:
    """What a store that is not complete yet is kept in."""
    return out.with_name(f"{out.name}.partial")


def about(streamed: Any) -> Any:
    """What a store says of the table."""
    from dataclasses import asdict

    from qpfs.codes.disk_table import About

    return About(
        streamed.names,
        streamed.targets,
        streamed.samples,
        streamed.groups,
        streamed.name,
        streamed.checksum,
        streamed.format,
        streamed.notes,
        asdict(streamed.reading),
    )


def told(streamed: Any, out: Path, seconds: float, log: Log) -> None:
    """One line: what was written, and how to go on."""
    n_samples, n_features = streamed.shape
    written = size(out.stat().st_size / 1e6)
    go_on = f"qpfs select {out}" + ("" if streamed.targets else " --labels FILE")
    log.say(
        f"wrote {n_samples} samples of {n_features} features to {out}: {written} in {seconds:.1f} s; "
        f"go on with `{go_on}`"
    )


def result(streamed: Any, out: Path, seconds: float) -> dict[str, Any]:
    """What was written, as plain data."""
    n_samples, n_features = streamed.shape
    return {
        "store": str(out),
        "n_samples": n_samples,
        "n_features": n_features,
        "targets": list(streamed.targets),
        "bytes": out.stat().st_size,
        "seconds": round(seconds, 3),
    }


def write_json(found: dict[str, Any]) -> None:
    import json

    sys.stdout.write(json.dumps(found, indent=2) + "\n")


def planned(streamed: Any, rule: Any, layout: Any, out: Path, budget: int, reading: float) -> dict[str, Any]:
    """What would be done: a few columns are encoded to see how long it takes and how large they become."""
    from qpfs.codes.disk_draft import ColumnRange

    n_samples, n_features = streamed.shape
    some = ColumnRange(streamed.columns, 0, min(n_features, PILOT))
    list(layout.encoded(ColumnRange(streamed.columns, 0, 1), rule, None, 0))  # has kernels compiled
    begun = time.perf_counter()
    blocks = [block for full, _ in layout.encoded(some, rule, None, 0) for block in full]
    seconds = (time.perf_counter() - begun) / some.n_features
    packed = sum(array.nbytes for block in blocks for array in layout.arrays(block))
    per_feature = packed / some.n_features + 21
    names = 0 if streamed.names is None else 8 + len(streamed.names[0])
    return {
        "steps": [
            f"read {n_samples} samples of {n_features} features ({streamed.format})",
            f"discretise numbers: {rule_words(rule)}"
            if layout.form.name == "levels"
            else "replace numbers by the normal scores of their ranks",
            f"write them to {out}",
        ],
        "seconds": round(reading + seconds * n_features, 3),
        "megabytes": round(budget / 1e6, 1),
        "store_megabytes": round(n_features * (per_feature + names) / 1e6, 6),
    }


def show(plan: dict[str, Any], *, as_json: bool) -> None:
    """What would be done, on standard output."""
    if as_json:
        write_json(plan)
        return
    lines = [f"{i}. {step}" for i, step in enumerate(plan["steps"], start=1)]
    lines.append(
        f"expected: {duration(plan['seconds'])}, at most {size(plan['megabytes'])} of memory, a file of "
        f"about {size(plan['store_megabytes'])}. Nothing has been written."
    )
    sys.stdout.write("\n".join(lines) + "\n")
