"""`qpfs report`: the page of a result, drawn again from its record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from qpfs.cli import options as o
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.terminal import Record
from qpfs.messages import UsageError


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is drawn."""

    record: Annotated[Path, o.argument("RECORD", "selection.json or comparison.json.")]
    out: Annotated[
        Path | None,
        o.option("FILE", "The page to write; report.html beside the record by default.", parser=o.to_write),
    ] = None
    comparison: Annotated[
        Path | None, o.option("FILE", "comparison.json of the same data, to be shown on the page.")
    ] = None


def report(what: ReportOptions, written: o.WriteOptions) -> None:
    """Write the HTML page of a result again, from its record."""
    with answered(quiet=written.quiet) as left:
        from qpfs.files import check_free, write_whole

        path = what.out or what.record.parent / "report.html"
        known = read_record(what.record)
        check_free(path, force=written.force, read=[what.record, what.comparison])
        check_whole(known, what.record)
        if what.comparison is not None:
            other = read_record(what.comparison)
            check_whole(other, what.comparison)
            known = with_comparison(known, other)
        from qpfs.report import comparison_page, selection_page  # slow, so it comes after the checks

        page = comparison_page(known) if is_comparison(known) else selection_page(known)
        write_whole(path, page, force=written.force)
        left.says = f"{path} is complete"
        Log(quiet=written.quiet).say(f"wrote {path}")


def check_whole(record: Record, path: Path) -> None:
    """Raises UsageError, which names the place, if a record is not as this version writes it."""
    from qpfs.report import RecordError, check_comparison, check_selection

    try:
        (check_comparison if is_comparison(record) else check_selection)(record)
    except RecordError as error:
        raise UsageError(f"{path} is incomplete, or was changed: {error}") from error


def is_comparison(record: Record) -> bool:
    return bool(record["schema"].startswith("qpfs-comparison/"))


def with_comparison(selection: Record, comparison: Record) -> Record:
    """The record of a selection with that of a comparison; raises UsageError if their data differ."""
    if is_comparison(selection) or not is_comparison(comparison):
        raise UsageError("--comparison takes a comparison.json, for the page of a selection.json.")
    if selection["data"]["checksum"] != comparison["data"].get("checksum"):
        raise UsageError("The comparison is of other data than the selection: their checksums differ.")
    return selection | {"comparison": comparison}


def read_record(path: Path) -> Record:
    """The record in a file; raises UsageError if there is none that this version reads."""
    import json

    from qpfs.kinds import told
    from qpfs.report import SCHEMAS

    try:
        record = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once_each)
        schema = record["schema"]
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; name its selection.json.") from None
    except ValueError as error:
        raise UsageError(f"{path} is not a record of a selection or comparison ({error}).") from error
    except (KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is not a record of a selection or comparison.") from error
    if schema not in SCHEMAS:
        raise UsageError(f"{path} holds {told(schema)}; this version reads {' and '.join(SCHEMAS)}.")
    return record


def once_each(pairs: list[tuple[str, Any]]) -> Record:
    """Fields by name; raises ValueError if one is there twice, since either could be meant."""
    from qpfs.kinds import told

    found: Record = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{told(name)} is there twice")
        found[name] = value
    return found
