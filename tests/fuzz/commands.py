"""The command as a user would run it, thousands of times: what it did, and whether it may do so."""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.fuzz.server import NOT_BEGUN

ROOT = Path(__file__).parents[2]
SECONDS, MEMORY = 60, 3 << 30  # of a case; a table of these tests takes a second and 300 MB
FINE, FAILED, BAD_USAGE, INTERRUPTED, ENDED = 0, 1, 2, 130, 143
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
ONE_LINE = re.compile(r"qpfs: (?!note: )\S.*")
USAGE = "Usage: qpfs"  # how the parser of options begins what it says


@dataclass(frozen=True)
class Ended:
    """How a run ended; a negative code is the signal that ended it."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    peak: int
    late: bool

    def complaint(self, allowed=(FINE, FAILED, BAD_USAGE)):
        """What is wrong with how it ended; empty if nothing is."""
        said = self.stderr.strip().splitlines()
        if self.late:
            return f"it did not end within {SECONDS} s"
        if self.code < 0:
            return f"it was ended by signal {-self.code}"
        if "Traceback" in self.stderr:
            return f"a traceback: {said[-1]}"
        if self.code not in allowed:
            return f"exit code {self.code}: {said[-1:]}"
        if self.code not in (FINE, NOT_BEGUN) and not explained(said, self.code):
            return f"exit code {self.code} without a sentence of one line: {said[-3:]}"
        return ""


def explained(said, code):
    """Whether one sentence, said last, says why it ended; or it is the usage of options."""
    if code == BAD_USAGE and any(line.startswith(USAGE) for line in said):
        return True
    sentences = [line for line in said if ONE_LINE.fullmatch(line)]
    return bool(sentences) and sentences == said[-1:]


class Server:
    """A process that runs calls in children of its own (see server.py)."""

    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="qpfs-fuzz-")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.server"],
            cwd=ROOT,
            env={**os.environ, **THREADS, "MPLBACKEND": "Agg", "COLUMNS": "200"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, call, *arguments, cwd, seconds=SECONDS, memory=MEMORY, signals=()):
        request = {
            "call": call,
            "arguments": [str(one) for one in arguments],
            "cwd": str(cwd),
            "seconds": seconds,
            "memory": memory,
            "signals": list(signals),
            "scratch": self.scratch.name,
        }
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return Ended(**json.loads(self.process.stdout.readline()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.scratch.cleanup()


@cache
def server():
    """The server of this process."""
    made = Server()
    atexit.register(made.close)
    return made


def command(*arguments, cwd, **limits):
    """`qpfs` with some arguments."""
    return server().run("qpfs.cli:main", *arguments, cwd=cwd, **limits)
