"""Workers and schedulers of a Dask cluster that die at a given step of the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from unittest.mock import patch

from tests.cli.command import Run

from qpfs.cli import main
from qpfs.engines import cluster
from qpfs.engines.cluster import Cluster, named


def deadly(folder, n, function, *args):
    """What the function gives; but the first n times that it is called, its process dies first."""
    for number in range(n):
        with suppress(FileExistsError):
            os.close(os.open(Path(folder, str(number)), os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
    return function(*args)


@contextmanager
def killing(task: str, folder: Path, n: int = 1) -> Iterator[None]:
    """A time in which the first n tasks of a name end their workers; at least one does."""
    submitted, made = Cluster.submitted, cluster.made_alone

    def changed(self, function, *args, name=None):
        name = name or named(function)
        function = partial(deadly, str(folder), n, function) if name == task else function
        return submitted(self, function, *args, name=name)

    alone = partial(deadly, str(folder), n, made) if task == "encode" else made
    with patch.object(Cluster, "submitted", changed), patch.object(cluster, "made_alone", alone):
        yield
    assert list(folder.iterdir()), f"no task was called {task!r}"


@contextmanager
def doing(what: Callable[[], object], task: str) -> Iterator[None]:
    """A time in which something is done once the first task of a name has been submitted."""
    submitted, left = Cluster.submitted, [what]

    def changed(self, function, *args, name=None):
        future = submitted(self, function, *args, name=name)
        if left and (name or named(function)) == task:
            left.pop()()
        return future

    with patch.object(Cluster, "submitted", changed):
        yield
    assert not left, f"no task was called {task!r}"


@contextmanager
def killing_gathered(client) -> Iterator[None]:
    """A time in which all workers die when the first answers are done, and before they are fetched."""
    fetch, pids = client._gather_remote, list(client.run(os.getpid).values())

    async def fetched(*args):
        while pids:
            os.kill(pids.pop(), signal.SIGKILL)
        return await fetch(*args)

    with patch.object(client, "_gather_remote", fetched):
        yield
    assert not pids


class Processes:
    """A scheduler and workers that nobody starts again, each a process of its own."""

    def __init__(self, folder: Path, n_workers: int) -> None:
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
        self.workers = [self._start("worker", "--no-nanny", "--nthreads", "1") for _ in range(n_workers)]

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + what, "--scheduler-file", self.file, *options],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            cwd=self.file.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def address(self) -> str:
        while not self.file.exists():
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        return json.loads(self.file.read_text())["address"]

    def end(self) -> None:
        for one in (*self.workers, self.scheduler):
            one.kill()
            one.wait()


@contextmanager
def processes_of(folder: Path, n_workers: int) -> Iterator[Processes]:
    """The processes of a cluster, until the end of the block."""
    started = Processes(folder, n_workers)
    try:
        yield started
    finally:
        started.end()


def command(*arguments: object, victim: int, number: int, task: str) -> Run:
    """The command in a process of its own, which sends a signal when it submits the first task of a name."""
    told = json.dumps([victim, number, task])
    text = f"from tests.faults.deaths import ending; ending(*{told})"
    done = subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        timeout=300,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def ending(victim: int, number: int, task: str) -> None:
    """Runs the command, and sends the signal; patience is short."""
    with patch.object(cluster, "PATIENCE", 3.0), doing(lambda: os.kill(victim, number), task):
        main()
