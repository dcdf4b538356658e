"""`qpfs apply`: the selected columns of another table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, kw_only=True)
class ApplyTable(o.TableOptions):
    """Another table, and how it is read."""

    features_in: Annotated[
        str,
        o.of_data(
            "WHERE",
            "Where the features are: columns or rows; if not given, where they were in the table that they "
            "were selected from.",
            show_default=False,
        ),
    ] = ""


def apply(what: ApplyOptions, table: ApplyTable, written: o.WriteOptions) -> None:
    """Write the selected columns of another file, best first."""
    with answered(quiet=written.quiet) as left:
        from qpfs.data import files_read, is_stored, write_table, writer_for, writes_text
        from qpfs.files import check_free

        data, out = table.data, what.out
        record = read_record(what.selection)
        chosen = selected_in(record, what.selection)[: what.top]
        writer_for(str(out))
        check_source(table)
        if out != Path("-"):
            check_free(out, force=written.force, read=files_read(data, what.selection))
        log = Log(quiet=written.quiet)
        with log.waiting(f"reading {data}", lambda: reading_seconds(data)):
            if is_stored(data):
                from qpfs.codes.stored_problem import stored_columns

                in_columns = replace(table, features_in=table.features_in or "columns")
                found = stored_columns(data, in_columns.reading(), [*chosen, *(what.keep or ())])
            else:
                found = opened(table, record, chosen, as_text=writes_text(str(out)))
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


def opened(table: ApplyTable, record: Record, chosen: list[str], *, as_text: bool) -> Table:
    """The table that is named; with features where the options, else the record and the names, have them."""
    from qpfs.data import open_columns

    in_rows = (record["data"].get("reading") or {}).get("features_in") == "rows"
    ways = ["rows", "columns"] if in_rows else ["columns"]
    if table.features_in or table.data == "-":  # standard input can be read once
        ways = [table.features_in or ways[0]]
    for way in ways[:-1]:
        with suppress(ValueError):  # of formats that have no features in rows
            found = open_columns(table.data, replace(table, features_in=way).reading(), as_text=as_text)
            if not {*chosen}.isdisjoint(found.names):
                return found
    return open_columns(table.data, replace(table, features_in=ways[-1]).reading(), as_text=as_text)


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
            "Its column names should be those of the table that they were selected from; "
            "--features-in rows reads a table with features in rows."
        )
    return [places[name] for name in chosen]


def named(table: Table, name: str, source: str) -> int:
    if name not in table.names:
        raise UsageError(f"--keep {name}: there is no such column in {source}.")
    return int(table.names.index(name))
