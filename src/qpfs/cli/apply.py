"""`qpfs apply`: another table cut to the selected columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.progress import Log
from qpfs.cli.redraw import check_whole, is_comparison, read_record
from qpfs.cli.running import answered
from qpfs.cli.sources import reading_of, reading_seconds, use_folder
from qpfs.cli.stores import reject_store


def apply(
    context: typer.Context,
    selection: Annotated[
        Path,
        typer.Argument(metavar="SELECTION", help="selection.json of an earlier run.", show_default=False),
    ],
    data: o.Table,
    out: Annotated[
        Path,
        typer.Option(
            parser=o.to_write,
            metavar="FILE",
            help="Where to: .csv, .tsv (also .gz), .parquet, .feather, .npy or .npz; - for CSV on "
            "standard output.",
            show_default=False,
        ),
    ],
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A further column to keep, such as the target."),
    ] = None,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the first of the selected.")
    ] = None,
    features_in: o.FeaturesIn = "columns",
    index: o.Index = None,
    missing: o.Missing = None,
    categorical: o.Categorical = None,
    layer: o.Layer = None,
    file_format: o.Format = None,
    folder: o.DataFolder = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Cut another file to the selected columns, best first."""
    with answered(quiet=quiet) as left:
        from qpfs.data import files_read, open_columns, write_table, writer_for, writes_text
        from qpfs.files import check_free

        record = read_record(selection)
        chosen = selected_in(record, selection)[:top]
        writer_for(str(out))
        use_folder(folder)
        if out != Path("-"):
            check_free(out, force=force, read=files_read(data, selection))
        reject_store(data, "cut the table it was made from.")
        log = Log(quiet=quiet)
        with log.waiting(f"reading {data}", lambda: reading_seconds(data)):
            table = open_columns(data, reading_of(context.params), as_text=writes_text(str(out)))
        found = [*columns_of(table, chosen, data), *(named(table, name, data) for name in keep or ())]
        columns = list(dict.fromkeys(found))  # one that is both selected and kept is written once
        if out == Path("-"):
            left.says = "what was printed may not be all"
        with log.waiting(f"writing {out}"):
            write_table(table, columns, str(out), force=force)
            left.says = f"{out} is complete"
        log.say(f"wrote {len(columns)} columns of {table.n_samples} samples to {out}")


def selected_in(record: dict[str, Any], path: Path) -> list[str]:
    """The names of the selected features, best first."""
    from qpfs.data import UsageError

    if is_comparison(record):
        raise UsageError(f"{path} is a comparison, which selects nothing; name a selection.json.")
    check_whole(record, path)
    return [row["feature"] for row in record["features"]]


def columns_of(table: Any, chosen: list[str], source: str) -> list[int]:
    """Where the selected features are in a table; raises UsageError if some are not there."""
    from qpfs.data import UsageError

    places = {name: place for place, name in enumerate(table.names)}
    absent = [name for name in chosen if name not in places]
    if absent:
        some = ", ".join(map(repr, absent[:5])) + (", ..." if len(absent) > 5 else "")
        raise UsageError(
            f"{source} lacks {len(absent)} of the {len(chosen)} selected features: {some}. "
            "It should name its columns as the table did that they were selected from."
        )
    return [places[name] for name in chosen]


def named(table: Any, name: str, source: str) -> int:
    from qpfs.data import UsageError

    if name not in table.names:
        raise UsageError(f"--keep {name}: there is no such column in {source}.")
    return int(table.names.index(name))
