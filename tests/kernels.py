"""Compiles the kernels of most tests before they begin: `python -m tests.kernels`, as `make test` does.

The workers of pytest begin with the same ones, and each would compile them. Here two processes share the
work: one begins at the first fit, one at the last, and where they meet everything is on disk. Nothing is done
if nothing has changed since: fits take seconds of importing and loading even if all kernels are on disk.
"""

from __future__ import annotations

import multiprocessing
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import qpfs
from qpfs.compiled import tally

SOURCES = [*Path(qpfs.__file__).parent.rglob("*.py"), *Path(__file__).parent.glob("kernel*.py")]


def main():
    state = state_of(SOURCES)
    if known() == state:
        return 0
    code = compile_all()
    if code == 0:
        with suppress(RuntimeError, OSError):  # there is no place for kernels either
            place().write_text(state)
    return code


def compile_all():
    from tests.kernel_fits import FITS, fit_all

    context = multiprocessing.get_context("spawn")
    first, last = context.Value("i", 0), context.Value("i", len(FITS) - 1)
    processes = [context.Process(target=fit_all, args=(first, last, step)) for step in (1, -1)]
    for one in processes:
        one.start()
    for one in processes:
        one.join()
    return max(abs(one.exitcode) for one in processes)


def state_of(sources):
    """What kernels depend on, and numba's file of them with it: the sources, Python, and what compiles."""
    stats = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(sources)]
    return repr((sys.version, *map(version, ("numba", "llvmlite", "numpy")), *stats))


def place():
    """The file beside the kernels: who removes them removes it, too."""
    return tally().with_name("compiled-for-tests")


def known():
    """The state for which everything was compiled; empty if it is not known."""
    with suppress(RuntimeError, OSError):
        return place().read_text()
    return ""


if __name__ == "__main__":
    sys.exit(main())
