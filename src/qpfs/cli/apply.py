"""`qpfs apply`: the selected columns of another table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from qpfs.cli import options as o
from qpfs.cli.progress import Log
from qpfs.cli.redraw import check_whole, is_comparison, read_record
from qpfs.cli.running import answered
from qpfs.cli.sources import check_source, reading_seconds
from qpfs.cli.terminal import Record
from qpfs.messages import UsageError
from qpfs.wording import counted

if TYPE_CHECKING:
    from qpfs.data import Table


@dataclass(frozen=True, kw_only=True)
class ApplyOptions:
    """Which columns of which selection."""

    selection: Annotated[Path, o.argument("SELECTION", "selection.json of an earlier run.")]
    out: Annotated[
        Path,
        o.option(
            "FILE",
            "The file to write: .csv, .tsv (also .gz), .parquet, .feather, .npy or .npz; - for CSV on "
            "standard output.",
            parser=o.to_write,
            show_default=False,
        ),
    ]
    keep: Annotated[list[str] | None, o.option("COLUMN", "A further column to keep, such as the target.")] = (
        None
    )
    top: Annotated[
        int | None, o.option("N", "Only the first N of the selected columns.", parser=o.integer(1))
    ] = None


def apply(what: ApplyOptions, table: o.TableOptions, written: o.WriteOptions) -> None:
    """Write the selected columns of another file, best first."""
    with answered(quiet=written.quiet) as left:
        from qpfs.codes.stored_problem import stored_columns
        from qpfs.data import files_read, is_stored, open_columns, write_table, writer_for, writes_text
        from qpfs.files import check_free

        data, out = table.data, what.out
        chosen = selected_in(read_record(what.selection), what.selection)[: what.top]
        writer_for(str(out))
        check_source(table)
        if out != Path("-"):
            check_free(out, force=written.force, read=files_read(data, what.selection))
        log = Log(quiet=written.quiet)
        with log.waiting(f"reading {data}", lambda: reading_seconds(data)):
            if is_stored(data):
                found = stored_columns(data, table.reading(), [*chosen, *(what.keep or ())])
            else:
                found = open_columns(data, table.reading(), as_text=writes_text(str(out)))
        for note in found.notes if is_stored(data) else ():
            log.note(note)
        places = [*columns_of(found, chosen, data), *(named(found, name, data) for name in what.keep or ())]
        columns = list(dict.fromkeys(places))  # one that is both selected and kept is written once
        if out == Path("-"):
            left.says = "the printed table may be incomplete"
        with log.waiting(f"writing {out}"):
            write_table(found, columns, str(out), force=written.force)
            left.says = f"{out} is complete"
        log.say(f"wrote {counted(len(columns), 'column')} of {counted(found.n_samples, 'sample')} to {out}")


def selected_in(record: Record, path: Path) -> list[str]:
    """The names of the selected features, best first."""
    if is_comparison(record):
        raise UsageError(f"{path} is a comparison, not a selection; name a selection.json.")
    check_whole(record, path)
    return [name for row in record["features"] for name in row.get("columns", [row["feature"]])]


def columns_of(table: Table, chosen: list[str], source: str) -> list[int]:
    """Where the selected features are in a table; raises UsageError if some are not there."""
    places = {name: place for place, name in enumerate(table.names)}
    absent = [name for name in chosen if name not in places]
    if absent:
        some = ", ".join(map(repr, absent[:5])) + (", ..." if len(absent) > 5 else "")
        raise UsageError(
            f"{source} lacks {len(absent)} of the {len(chosen)} selected features: {some}. "
            "Its column names should be those of the table that they were selected from."
        )
    return [places[name] for name in chosen]


def named(table: Table, name: str, source: str) -> int:
    if name not in table.names:
        raise UsageError(f"--keep {name}: there is no such column in {source}.")
    return int(table.names.index(name))
