"""Signals at many moments of a command, in processes that have imported everything before.

Run with a folder, a signal, how many moments, a seed, how many signals each and the arguments: prints a line
of JSON for each moment, with the exit code, what was printed and which files are there.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path


def child(folder, arguments, ready):
    """Runs the command in a process of its own, that ends as Python ends."""
    os.chdir(folder)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder.parent / f"{folder.name}.{name}", os.O_WRONLY | os.O_CREAT), number)
    sys.argv = ["qpfs", *arguments]
    from qpfs.cli import main
    from qpfs.cli.signals import WATCH

    begin = WATCH.begin

    def heeding():
        begin()
        os.write(ready, b"!")

    WATCH.begin = heeding
    main()


def begun(folder, arguments):
    waits, ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(folder, arguments, ready)  # ends by SystemExit
    os.read(waits, 1)
    os.close(waits)
    os.close(ready)
    return pid


def ended(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def outcome(folder, arguments, number, after, times):
    folder.mkdir()
    pid = begun(folder, arguments)
    for _ in range(times):
        time.sleep(after)
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            os.kill(pid, number)
        after = 0.002
    code = ended(pid)
    found = {
        "after": after,
        "code": code,
        "err": Path(f"{folder}.err").read_text(),
        "files": sorted(str(path.relative_to(folder)) for path in folder.rglob("*")),
    }
    shutil.rmtree(folder)
    return found


def import_what_is_used(arguments):
    """Imports what the command does: a process of its own says what that is."""
    code = (
        "import atexit, sys; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))\n"
        "from qpfs.cli import main; sys.argv = ['qpfs', *sys.argv[1:]]; main()"
    )
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=folder
        )
    for name in run.stderr.splitlines()[-1].split():
        with suppress(Exception):
            import_module(name)


def at_moments(where, number, n, seed, times, arguments):
    import_what_is_used(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    length, rng = 0.0, random.Random(seed)
    for name in ("first", "second"):  # kernels may be compiled the first time
        (where / name).mkdir()
        start = time.monotonic()
        assert ended(begun(where / name, arguments)) == 0
        length = time.monotonic() - start
    for i in range(n):
        after = length * (i + rng.random()) / n
        sys.stdout.write(json.dumps(outcome(where / f"m{i}", arguments, number, after, times)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    folder, number, n, seed, times, *given = sys.argv[1:]
    at_moments(Path(folder), int(number), int(n), int(seed), int(times), given)
