"""`qpfs report`: the page of a result, drawn again from its record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.progress import Log
from qpfs.cli.running import answered


def report(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="selection.json or comparison.json.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=o.to_write, metavar="FILE", help="The page; report.html beside the record by default."
        ),
    ] = None,
    comparison: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="comparison.json of the same data, to be shown on the page."),
    ] = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Draw the page of a result again."""
    with answered(quiet=quiet) as left:
        from qpfs.files import check_free, write_whole
        from qpfs.report import comparison_page, selection_page

        path = out or record.parent / "report.html"
        known = read_record(record)
        check_free(path, force=force, read=[record, comparison])
        with whole_record(record):
            if comparison is not None:
                known = with_comparison(known, read_record(comparison))
            page = comparison_page(known) if is_comparison(known) else selection_page(known)
        write_whole(path, page, force=force)
        left.says = f"{path} is complete"
        Log(quiet=quiet).say(f"wrote {path}")


@contextmanager
def whole_record(path: Path) -> Iterator[None]:
    """What goes wrong with a record within the block is that something in it is not as it was written."""
    from qpfs.data import UsageError

    try:
        yield
    except (UsageError, ImportError, MemoryError):
        raise
    except Exception as error:  # a record changed by hand can be wrong in any way
        raise UsageError(
            f"{path} is no whole record, or holds something else than this version writes "
            f"({type(error).__name__}: {error}); make it anew."
        ) from error


def is_comparison(record: dict[str, Any]) -> bool:
    return bool(record["schema"].startswith("qpfs-comparison/"))


def with_comparison(selection: dict[str, Any], comparison: dict[str, Any]) -> dict[str, Any]:
    """The record of a selection with that of a comparison; raises UsageError if they are of other data."""
    from qpfs.data import UsageError

    if is_comparison(selection) or not is_comparison(comparison):
        raise UsageError("--comparison takes a comparison.json, for the page of a selection.json.")
    if selection["data"]["checksum"] != comparison["data"]["checksum"]:
        raise UsageError("The comparison is of other data than the selection: their checksums differ.")
    return selection | {"comparison": comparison}


def read_record(path: Path) -> dict[str, Any]:
    """The record in a file; raises UsageError if there is none that this version reads."""
    import json

    from qpfs.data import UsageError
    from qpfs.report import SCHEMAS

    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        schema = record["schema"]
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; name its selection.json.") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is no record of a selection or comparison.") from error
    if schema not in SCHEMAS:
        raise UsageError(f"{path} holds {schema!r}; this version reads {' and '.join(SCHEMAS)}.")
    return record
