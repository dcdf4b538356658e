"""Several processes that run commands at the same moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from tests.cli.command import Run, qpfs

Typed = Sequence[object]


class Writer:
    """A process that is at hand, and runs a command when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from tests.faults.writers import serve; serve()"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, typed: Typed) -> None:
        self.process.stdin.write(json.dumps([str(one) for one in typed]) + "\n")
        self.process.stdin.flush()

    def end(self) -> Run:
        return Run(**json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def serve() -> None:
    """Runs one command for each line, and says how it ended."""
    said = sys.stdout
    for line in sys.stdin:
        run = qpfs(*json.loads(line))
        said.write(json.dumps(asdict(run)) + "\n")
        said.flush()


@contextmanager
def writers_in(folder: Path, n: int) -> Iterator[list[Writer]]:
    """So many writers, until the end of the block."""
    with ExitStack() as stack:
        started = [Writer(folder) for _ in range(n)]
        for one in started:
            stack.callback(one.close)
        yield started


def at_once(writers: list[Writer], commands: Sequence[Typed]) -> list[Run]:
    """What became of commands that were begun at the same moment, one by each writer."""
    for writer, typed in zip(writers, commands, strict=True):
        writer.begin(typed)
    return [writer.end() for writer in writers]
