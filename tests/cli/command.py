"""The command, run in this process, or in one of its own where that matters."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

import typer

from qpfs.cli import commands, main
from qpfs.cli.signals import WATCH


@dataclass
class Run:
    returncode: int
    stdout: str
    stderr: str


class Stream(io.TextIOWrapper):
    """A file in memory that takes text and bytes."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self):
        return self.buffer.getvalue().decode()


@cache
def command_for(word, methods, app_for=commands.app_for):
    """The commands as one is made of what was typed: it depends on the first word, and on the methods."""
    return typer.main.get_command(app_for([word]))


def kept(words):
    """The commands, which are made once for many runs: that takes longer than most of these do."""
    return command_for(words[0] if words else "", tuple(commands.METHODS))


def qpfs(*arguments, cwd=None, stdin=b"", **environment):
    """What a user would see; the process is this one, which saves the seconds that a new one begins with."""
    out, err, before = Stream(), Stream(), Path.cwd()
    typed = ["qpfs", *map(str, arguments)]
    source = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    os.chdir(cwd or before)
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]
    heeded = {number: signal.getsignal(number) for number in numbers}
    hook = sys.unraisablehook
    try:
        with (
            patch.dict(os.environ, environment),
            patch.object(sys, "argv", typed),
            patch.object(commands, "app_for", kept),
            patch.object(sys, "stdin", source),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = exit_code(main)
    finally:
        os.chdir(before)
        sys.unraisablehook = hook
        atexit.unregister(WATCH.end)  # this process does not end with the command
        for number, handler in heeded.items():
            signal.signal(number, handler)
    return Run(code, out.text(), err.text())


def exit_code(run):
    try:
        run()
    except SystemExit as end:
        return end.code or 0
    return 0
