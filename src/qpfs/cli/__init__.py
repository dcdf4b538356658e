"""The command line: `qpfs select`, `compare`, `encode`, `apply`, `report`, `datasets`, `bench`.

This module only starts it: everything that takes time, imports included, runs where signals are handled.
"""

from __future__ import annotations

import os
import sys

from qpfs.cli.signals import WATCH, Stopped


def main() -> None:
    """Runs the command in a process that ends with it; signals are handled until that end."""
    # Processes that it starts do not import from the current folder, which may hold files of others.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        code = outcome()
    except (Stopped, KeyboardInterrupt) as stop:
        code = WATCH.last_words(stop)
    sys.exit(code)


def outcome() -> int | str | None:
    """The exit code of the command."""
    WATCH.begin()
    from qpfs.cli.commands import app_for
    from qpfs.cli.help import MISTYPED, mistake
    from qpfs.cli.running import BAD_USAGE, open_what_is_closed, tell

    open_what_is_closed()
    code: int | str | None = BAD_USAGE
    try:
        code = app_for(sys.argv[1:])(prog_name="qpfs", standalone_mode=False)
    except SystemExit as end:
        code = end.code
    except MISTYPED as error:
        tell(mistake(error))
    WATCH.over()
    return code
