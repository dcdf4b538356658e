"""`qpfs encode`: a table of any size into a store of levels (2 bits per cell) or of scores (16 bits)."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from qpfs.cli import options as o
from qpfs.cli.methods import check_jobs, rule_named, rule_words, value_of
from qpfs.cli.progress import Log
from qpfs.cli.running import answered, in_options
from qpfs.cli.signals import NOTHING, Watch
from qpfs.cli.signatures import parameters_of
from qpfs.cli.sources import check_header, check_source, fetch_first, reading_seconds
from qpfs.cli.stores import BASE, LEAST, bytes_in
from qpfs.cli.terminal import Record, print_json, show_steps, size
from qpfs.messages import UsageError, message_of
from qpfs.rules import UNDISCRETISED
from qpfs.wording import table_words

if TYPE_CHECKING:
    from qpfs.codes import Discretizer
    from qpfs.codes.disk_layout import BlockLayout
    from qpfs.codes.disk_table import About
    from qpfs.data import Reading, Streamed

PILOT = 256  # columns that are encoded to see how long it takes
READING = 2  # reading gets one part in so many of the memory above the minimum


@dataclass(frozen=True, kw_only=True)
class EncodeSource(o.SourceOptions):
    """A table with any number of targets."""

    kept: Annotated[
        list[str] | None,
        o.option("COLUMN", "A further column to keep as a target, not as a feature.", "--keep", panel=o.DATA),
    ] = None

    def reading(self) -> Reading:
        """How the table is to be read."""
        return replace(super().reading(), keep=tuple(self.kept or ()))


@dataclass(frozen=True, kw_only=True)
class EncodeOptions:
    """How the table is encoded, and where it is written."""

    out: Annotated[
        Path,
        o.option("STORE", "The file to write, usually NAME.qpfs.", parser=o.to_write, show_default=False),
    ]
    measure: Annotated[
        str | None,
        o.option(
            "NAME",
            "The measure to encode for: rank (normal scores of ranks, 16 bits per cell); by default all "
            "measures of discretised features.",
        ),
    ] = None
    levels: Annotated[
        str | None,
        o.option("RULE", f"How numbers are discretised: {o.LEVELS}. By default equal-frequency:3."),
    ] = None
    memory: Annotated[str, o.option("SIZE", "The memory limit, such as 512MB or 4GB; at least 256MB.")] = (
        "1GB"
    )
    jobs: o.Jobs = 1


@dataclass(frozen=True, kw_only=True)
class EncodeResult(o.ResultOptions):
    """What is printed, and whether anything is written."""

    plan: o.Plan = False


def encode(source: EncodeSource, how: EncodeOptions, result: EncodeResult) -> None:
    """Discretise (or rank) a table of any size once, into a file that `qpfs select` can read."""
    with answered(quiet=result.quiet) as left:
        log, begun = Log(quiet=result.quiet), time.perf_counter()
        budget = bytes_in(how.memory)
        for name, typed in (("measure", how.measure), ("discretizer", how.levels)):
            if typed is not None:  # errors come before the slow imports
                value_of(parameters_of("qpfs")[name], typed)
        check_jobs(how.jobs)
        if how.measure in UNDISCRETISED:
            check_layout(how.measure, UNDISCRETISED[how.measure], how.levels)
        check_source(source, needs_target=False)
        from qpfs.data import is_stored, open_stream

        data, out = source.data, how.out
        if is_stored(data):
            raise UsageError(f"{data} is already encoded; give it to `qpfs select`.")
        if not result.plan:
            check_out(out, source, force=result.force)
        check_header(source, needs_target=False)
        from qpfs.codes.discretizers import USUAL_RULE  # slow, so it comes after the checks

        layout = layout_named(how.measure, how.levels)
        rule = USUAL_RULE if how.levels is None else rule_named(how.levels)
        reading = source.reading()
        fetch_first(data, log)
        with ExitStack() as stack:
            with log.waiting(f"reading {data}", lambda: reading_seconds(data)):
                opening = open_stream(data, reading, scratch=out, memory=for_reading(budget))
                streamed = stack.enter_context(opening)
            for note in streamed.notes:
                log.note(in_options(note))
            check_memory(streamed, budget)
            if result.plan:
                plan = planned(streamed, rule, layout, out, budget, time.perf_counter() - begun)
                (print_json if result.as_json else show)(plan)
                return
            room = for_columns(streamed, budget)
            write(streamed, rule, layout, room, out, how.jobs, log, left, force=result.force)
        told(streamed, out, time.perf_counter() - begun, log)
        if result.as_json:
            print_json(facts(streamed, out, time.perf_counter() - begun))


def check_out(out: Path, source: EncodeSource, *, force: bool) -> None:
    """Raises OSError if a store cannot be written, or would overwrite what is read or there."""
    from qpfs.data import files_read
    from qpfs.files import check_apart, check_can_write, check_free

    read = files_read(source.data, *(source.labels or ()))
    check_free(out, force=force, read=read)
    check_apart([partial_of(out)], read)
    check_can_write(out.absolute().parent)


def for_reading(budget: int) -> int:
    """Bytes that reading may take; of the least budget what Python and its libraries leave."""
    return max(budget - LEAST, LEAST - BASE) // READING


def for_columns(streamed: Streamed, budget: int) -> int:
    """Bytes that columns may take that are read together; the rest is for one that is ranked."""
    return max(budget - BASE - 64 * streamed.shape[0], 0) // READING


def layout_named(measure: str | None, levels: str | None) -> BlockLayout:
    """How the table is kept for a measure; raises UsageError if it cannot be."""
    from qpfs.codes.disk_layout import layout_for
    from qpfs.codes.forms import LEVELS
    from qpfs.selectors.parameters import measure_of

    try:
        asked = None if measure is None else measure_of(measure)
    except ValueError as error:
        raise UsageError(message_of(error)) from error
    form = LEVELS if asked is None else asked.form
    check_layout(measure, form.name, levels)
    return layout_for(form)


def check_layout(measure: str | None, form: str, levels: str | None) -> None:
    """Raises UsageError if a store cannot keep what a measure uses, or it does not use a given rule."""
    from qpfs.checks import check_kept

    try:
        check_kept(form)
    except ValueError as error:
        raise UsageError(message_of(error)) from error
    if levels is not None and form != "levels":
        raise UsageError(f"--levels is not for --measure {measure}, which has no levels; leave it out.")


def check_memory(streamed: Streamed, budget: int) -> None:
    """Raises UsageError if one column, or the names of all columns, need more memory than is allowed."""
    n_samples, n_features = streamed.shape
    needed = BASE + 64 * n_samples + 150 * n_features  # mostly for names
    if needed > budget:
        raise UsageError(
            f"{table_words(n_samples, n_features)} cannot be encoded within {budget / 1e6:,.0f} MB; "
            f"allow about {math.ceil(needed / 1e6):,} MB with --memory."
        )


def write(
    streamed: Streamed,
    rule: Discretizer,
    layout: BlockLayout,
    room: int,
    out: Path,
    jobs: int,
    log: Log,
    left: Watch,
    *,
    force: bool,
) -> None:
    """Encodes the table; after an interruption the finished part remains."""
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
        there = f"the finished part is in {partial}; run the same command to continue"
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
    except FileExistsError:  # from another run: the user must remove it first; nothing of ours is left
        raise
    except BaseException:
        worth_it = was_begun or any(partial.glob("strip-*"))
        if is_complete() or not worth_it:  # an interruption may have come before this was removed
            clear(partial)
        raise


def which_file(path: Path) -> tuple[int, int] | None:
    """The identity of a file, which another file of the same name does not have; None if there is none."""
    found = path.stat() if path.exists() else None
    return None if found is None else (found.st_ino, found.st_mtime_ns)


def partial_of(out: Path) -> Path:
    """The folder of a store that is not complete yet."""
    return out.with_name(f"{out.name}.partial")


def about(streamed: Streamed) -> About:
    """What a store records about the table."""
    from qpfs.codes.disk_table import About

    return About(
        streamed.names,
        streamed.targets,
        streamed.samples,
        streamed.groups,
        streamed.name,
        streamed.checksum,
        streamed.format,
        tuple(map(in_options, streamed.notes)),
        asdict(streamed.reading),
    )


def told(streamed: Streamed, out: Path, seconds: float, log: Log) -> None:
    """One line: what was written, and the next command."""
    n_samples, n_features = streamed.shape
    written = size(out.stat().st_size / 1e6)
    go_on = f"qpfs select {out}" + ("" if streamed.targets else " --labels FILE")
    log.say(
        f"wrote {table_words(n_samples, n_features)} to {out}: {written} in {seconds:.1f} s; next: `{go_on}`"
    )


def facts(streamed: Streamed, out: Path, seconds: float) -> Record:
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


def planned(
    streamed: Streamed, rule: Discretizer, layout: BlockLayout, out: Path, budget: int, reading: float
) -> Record:
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
            f"read {table_words(n_samples, n_features)} ({streamed.format})",
            f"discretise numbers: {rule_words(rule)}"
            if layout.form.name == "levels"
            else "replace numbers by the normal scores of their ranks",
            f"write them to {out}",
        ],
        "seconds": round(reading + seconds * n_features, 3),
        "megabytes": round(budget / 1e6, 1),
        "store_megabytes": round(n_features * (per_feature + names) / 1e6, 6),
    }


def show(plan: Record) -> None:
    """What would be done, on standard output."""
    file = f"a file of about {size(plan['store_megabytes'])}"
    show_steps(plan, f"at most {size(plan['megabytes'])} of memory, {file}. Nothing has been written.")
