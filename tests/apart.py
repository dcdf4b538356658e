"""Scripts in a process of their own: a fork of one that has everything imported, where there are forks.

A new Python takes seconds to import everything; a fork ends, is limited and is killed as any process is.
"""

from __future__ import annotations

import subprocess
import sys

MEMORY = 8 << 30


def script(code, *arguments, seconds=500):
    """How a script ended that may take so many seconds, and what it printed."""
    typed = [str(one) for one in arguments]
    if sys.platform == "win32":
        command = [sys.executable, "-c", code, *typed]
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    from tests.fuzz.commands import ROOT, server

    call = "tests.fuzz.server:execute"
    run = server().run(call, code, *typed, cwd=ROOT, seconds=seconds, memory=MEMORY)
    return subprocess.CompletedProcess(typed, run.code, run.stdout, run.stderr)
