"""`python -m reproduction`: the publication's tables and figures, regenerated."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from time import monotonic

from qpfs.data import UsageError
from qpfs.files import write_whole
from qpfs.messages import NOT_GIVEN, Parameter, spelled
from reproduction.regenerate import Regenerated, paper

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130
PAUSE = 30.0  # seconds between lines that say how far it is


def main(arguments: Sequence[str] | None = None) -> int:
    """What the command ends with: 0, or another number and one line that says why."""
    asked = parsed(arguments)
    try:
        outcome = paper(
            asked.out,
            quick=asked.quick,
            data=asked.data,
            sets=asked.only,
            jobs=asked.jobs,
            force=asked.force,
            tick=HowFar().tell,
        )
    except (ValueError, OSError, ImportError) as error:
        usage = isinstance(error, (UsageError, FileExistsError))
        return told(BAD_USAGE if usage else FAILED, spelled(error, as_option))
    except KeyboardInterrupt:
        return told(INTERRUPTED, f"stopped; the same command goes on with what is on record in {asked.out}.")
    print(*outcome.notes, sep="\n")  # noqa: T201 - the answer
    told(0, f"wrote {outcome.paths[0]} and {len(outcome.paths) - 1} more files beside it", *outcome.missing)
    if asked.page is not None:
        told(0, published(outcome, asked.page))
    return 0


def published(outcome: Regenerated, page: Path) -> str:
    """Replaces a page by that of a whole run; what was done, in a sentence."""
    if outcome.lacks:
        return f"{page} is unchanged, for this run is not the whole: {outcome.lacks}"
    write_whole(page, outcome.paths[0].with_suffix(".md").read_text(encoding="utf-8"))
    return f"wrote {page}"


def as_option(parameter: Parameter) -> str:
    """A parameter as it is typed."""
    name = "--jobs" if parameter.name == "n_jobs" else f"--{parameter.name}"
    return name if parameter.value is NOT_GIVEN or parameter.value is True else f"{name} {parameter.value}"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default="paper", metavar="DIR", help="for page, tables and records [%(default)s]")
    add("--quick", action="store_true", help="a first look in minutes: few parameters, few splits")
    add("--data", metavar="DIR", help="where sets lie as NAME.npz [the folder that QPFS_DATA names]")
    add("--only", action="append", metavar="SET", help="only this set; as often as you like")
    add("--jobs", type=int, default=1, metavar="N", help="threads, -1 for all; the answer is the same [1]")
    add("--page", type=Path, metavar="FILE", help="a page in Markdown to replace, if no set was missing")
    add("--force", action="store_true", help="begin anew, and overwrite an earlier result")
    return parser.parse_args(arguments)


class HowFar:
    """A line now and then on standard error."""

    def __init__(self) -> None:
        self.begun = self.last = monotonic()
        self.n_done = 0

    def tell(self, done: int, of: int, what: str) -> None:
        self.n_done += 1
        if monotonic() - self.last >= PAUSE:
            self.last = monotonic()
            so_far = timedelta(seconds=round(self.last - self.begun))
            told(0, f"{self.n_done:,} trials in {so_far}; {what}: {done:,} of {of:,}")


def told(code: int, *lines: str) -> int:
    sys.stderr.writelines(f"reproduction: {line}\n" for line in lines)
    return code


if __name__ == "__main__":
    sys.exit(main())
