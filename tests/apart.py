"""Scripts in a process of their own: a fork of one that has everything imported, where there are forks.

A new Python takes seconds to import everything; a fork ends, is limited and is killed as any process is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MEMORY = 8 << 30
SECONDS = 500
CALL = "tests.fuzz.server:execute"
COMMAND = "from qpfs.cli import main; main()"


def script(code, *arguments, seconds=SECONDS, cwd=None):
    """How a script ended that may take so many seconds, and what it printed."""
    typed = [str(one) for one in arguments]
    if sys.platform == "win32":
        command = [sys.executable, "-c", code, *typed]
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=cwd)
    from tests.fuzz.commands import ROOT, server

    run = server().run(CALL, code, *typed, cwd=cwd or ROOT, seconds=seconds, memory=MEMORY)
    return subprocess.CompletedProcess(typed, run.code, run.stdout, run.stderr)


def measure_in_forks(monkeypatch):
    """Has costs measured in forks, where a new Python is not what is tested; not on Windows.

    The process that forks begins here, before the streams of this one are those of a command.
    """
    if sys.platform != "win32":
        from tests.fuzz.commands import server

        server()
        monkeypatch.setattr("qpfs.evaluation.measuring.subprocess.run", forked)


def forked(command, *, timeout=None, **_):
    """How a script ended, as `subprocess.run` of `python -c` says it."""
    from tests.fuzz.commands import ROOT, server

    run = server().run(CALL, command[-1], cwd=ROOT, seconds=timeout or SECONDS, memory=MEMORY)
    if run.late:
        raise subprocess.TimeoutExpired(command, timeout)
    return subprocess.CompletedProcess(command, run.code, run.stdout, run.stderr)


class Begun:
    """A script under way, one at a time, which can be watched and signalled; not on Windows."""

    def __init__(self, code, *arguments, cwd=None):
        from tests.fuzz.commands import ROOT, server

        self.folder = Path(server().scratch.name)
        known = self.folder / "pid"
        known.unlink(missing_ok=True)
        code = (
            "import os, signal, sys\n"
            "for one in (sys.stdout, sys.stderr): one.reconfigure(line_buffering=True)\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            f"open({str(known)!r} + '.new', 'w').write(str(os.getpid()))\n"
            f"os.replace({str(known)!r} + '.new', {str(known)!r})\n"
        ) + code
        self.end = ThreadPoolExecutor(1).submit(
            server().run, CALL, code, *arguments, cwd=cwd or ROOT, seconds=SECONDS, memory=MEMORY
        )
        self.wait_for(known.exists)
        self.pid = int(known.read_text())

    def said(self, stream="stdout"):
        """What it has printed by now."""
        return (self.folder / stream).read_text(errors="replace")

    def wait_for(self, condition):
        """Waits until something is so, which is before the end."""
        while not condition():
            assert not self.end.done(), self.end.result()
            time.sleep(0.005)

    def send(self, number):
        """How it ended after a signal."""
        os.kill(self.pid, number)
        return self.end.result(timeout=SECONDS)
