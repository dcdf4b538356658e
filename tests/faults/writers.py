"""Several processes that run commands at the same moment."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.cli.command import Run, qpfs

Typed = Sequence[object]


class Writer:
    """A process that is at hand, and runs a command when it is told to."""

    def __init__(self, context: Any, folder: Path) -> None:
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, folder))
        self.process.start()
        other.close()

    def begin(self, typed: Typed) -> None:
        self.pipe.send([str(one) for one in typed])

    def end(self) -> Run:
        return Run(**self.pipe.recv())

    def close(self) -> None:
        self.pipe.close()
        self.process.join()


def serve(pipe: Any, folder: Path) -> None:
    """Runs one command after another, and says how each ended."""
    os.chdir(folder)
    with suppress(EOFError):
        while True:
            pipe.send(asdict(qpfs(*pipe.recv())))


@contextmanager
def writers_in(folder: Path, n: int) -> Iterator[list[Writer]]:
    """So many writers, until the end of the block; one process imports everything, and the others fork."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.writers", "tests.warmed"])
    with ExitStack() as stack:
        started = [Writer(context, folder) for _ in range(n)]
        for one in started:
            stack.callback(one.close)
        yield started


def at_once(writers: list[Writer], commands: Sequence[Typed]) -> list[Run]:
    """What became of commands that were begun at the same moment, one by each writer."""
    for writer, typed in zip(writers, commands, strict=True):
        writer.begin(typed)
    return [writer.end() for writer in writers]
