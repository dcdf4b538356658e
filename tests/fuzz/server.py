"""Runs calls in forked children of one process that has everything imported and compiled, under hard limits.

A child begins within milliseconds, ends as a process of its own would, and cannot hurt the next one: a
signal, a hang or a gigabyte too many is an answer like any other. Requests and answers are lines of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

TICK = 0.002  # seconds between looks at a child
NOT_BEGUN = 70  # of a child that a signal ended before it made its call
STREAMS = ("stdout", "stderr")


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    warm()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(NOT_BEGUN))
    for line in sys.stdin:
        answers.write(json.dumps(answered(json.loads(line))) + "\n")
        answers.flush()


def warm():
    """Imports and compiles what most calls need; without threads, which would not survive a fork."""
    import numpy as np
    from tests.shuffles import shuffle_as_said

    from qpfs import QPFS

    shuffle_as_said()
    X = np.random.default_rng(0).normal(size=(30, 12))
    QPFS(3).fit(X, np.arange(30) % 2).report()


def answered(request):
    """How the call of a request ended, and what it printed."""
    begun = time.monotonic()
    folder = Path(request["scratch"])
    for name in STREAMS:
        (folder / name).write_bytes(b"")
    child = os.fork()
    if child == 0:
        run(request, folder)
    status, peak, late = watched(child, begun, request["seconds"], request.get("signals", []))
    return {
        "code": os.waitstatus_to_exitcode(status),
        **{name: (folder / name).read_text(errors="replace") for name in STREAMS},
        "seconds": time.monotonic() - begun,
        "peak": peak,
        "late": late,
    }


def watched(child, begun, limit, signals):
    """The status of a child, its peak memory in bytes, and whether it had to be ended."""
    signals, late = [*signals], False
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return status, usage.ru_maxrss * 1024, late
        passed = time.monotonic() - begun
        while signals and passed >= signals[0][0]:
            os.kill(child, signals.pop(0)[1])
        if passed > limit and not late:
            late = True
            os.kill(child, signal.SIGKILL)
        time.sleep(TICK)


def run(request, folder):
    """Makes the call in this process, and ends it."""
    code = NOT_BEGUN
    try:
        for number, path in enumerate((Path(os.devnull), *(folder / name for name in STREAMS))):
            os.dup2(os.open(path, os.O_RDWR), number)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), open_text(1), open_text(2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (request["memory"],) * 2)
        os.chdir(request["cwd"])
        module, function = request["call"].split(":")
        sys.argv = ["qpfs", *request["arguments"]]
        code = ended(getattr(importlib.import_module(module), function))
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):  # a call may do without
            stream.flush()
        os._exit(code)


def open_text(number):
    return os.fdopen(number, "w", encoding="utf-8", errors="replace")


def ended(call):
    """The exit code of a call, as Python itself would end it."""
    try:
        call()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code)
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def execute():
    """Runs the source that is the first argument, as `python -c` does."""
    source = sys.argv.pop(1)
    exec(compile(source, "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    main()
