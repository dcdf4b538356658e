"""First use: what a newcomer waits for, in new processes, against `import sklearn.feature_selection`.

Each fit is timed inside a process that has imported everything; compiled code is kept in a folder that is
empty at first. Everything is CPU time, which other work on the machine disturbs least. A small table is
fitted without compiling (decision 0019), a wide one is not, so both are here.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from benchmarks.rows import Row, duration, limited

SKLEARN = "import sklearn.feature_selection"
DATA = "from sklearn.datasets import load_breast_cancer; X, y = load_breast_cancer(return_X_y=True); "
WIDE = "from benchmarks.datasets import synthetic; X, y = synthetic(72, 7129); "
FIT = "from time import process_time as now; t = now(); {}.fit(X, y); print(now() - t); "
COMMAND = "import sys; sys.argv = ['qpfs', {}]; from qpfs.cli import main; main()"
SELECT = COMMAND.format("'select', 'wdbc', '--top', '10', '--quiet'")
MISTAKE = COMMAND.format("'select', 'wdbc', '--topp', '10'")
USUAL = 1.4  # seconds of CPU that the import takes where the bounds in seconds were set


def main() -> Iterator[Row]:
    reference = least(lambda: cpu(SKLEARN), repeats=5)
    yield Row(f"python -c '{SKLEARN}'", duration(reference))
    with tempfile.TemporaryDirectory() as kept:
        yield from first_fits(reference, kept)
        yield from commands(reference, kept)


def first_fits(reference: float, kept: str) -> Iterator[Row]:
    """The fits with no compiled code at hand, and then in new processes with all of it."""
    scale = reference / USUAL
    qpfs, ikma = fits(DATA, kept, "QPFS()", "IKMAQPFS()")
    yield bounded("first QPFS().fit on WDBC, nothing compiled", qpfs, reference, 6.0)
    yield bounded("first IKMAQPFS().fit after it", ikma, reference, 3.0 / USUAL)
    wide, ikma = fits(WIDE, kept, "QPFS()", "IKMAQPFS()")
    yield bounded("first QPFS().fit on 72 x 7129, nothing of it compiled", wide, reference, None)
    yield bounded("first IKMAQPFS().fit after it", ikma, reference, None)
    for data, name in ((DATA, "WDBC"), (WIDE, "72 x 7129")):
        again = least(lambda data=data: fits(data, kept, "QPFS()")[0], repeats=5)
        yield limited(
            f"first QPFS().fit on {name} in a process, everything on disk, at the usual scale",
            again / scale, 0.35, duration(again), duration(reference),
        )  # fmt: skip


def commands(reference: float, kept: str) -> Iterator[Row]:
    """The command with everything on disk."""
    select = least(lambda: cpu(SELECT, kept), repeats=5)
    yield bounded("qpfs select wdbc --top 10, everything on disk", select, reference, 1.4)
    mistake = least(lambda: cpu(MISTAKE, kept, expected=2), repeats=5)
    yield bounded("qpfs select wdbc --topp 10: a mistake", mistake, reference, 0.5 / USUAL)


def bounded(what: str, ours: float, reference: float, bound: float | None) -> Row:
    """Seconds as a share of those of the import, which may not exceed `bound`."""
    return Row(what, duration(ours), duration(reference), ours / reference, bound, "at most")


def least(job: Callable[[], float], repeats: int) -> float:
    return min(job() for _ in range(repeats))


def fits(data: str, kept: str, *selectors: str) -> list[float]:
    """The seconds of CPU of the first fit of each selector, one after another in one new process."""
    code = f"{data} from qpfs import *; " + "".join(map(FIT.format, selectors))
    return [float(line) for line in run(code, kept).splitlines()]


def cpu(code: str, kept: str = "", expected: int = 0) -> float:
    """The seconds of CPU of a new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(code, kept, expected)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(code: str, kept: str = "", expected: int = 0) -> str:
    """What a new process prints; compiled code is kept in the folder `kept`, if one is named.

    Modules are compiled once in all, as where a package is installed.
    """
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="", **({"NUMBA_CACHE_DIR": kept} if kept else {}))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    if done.returncode != expected:
        raise RuntimeError(f"{code} ended with {done.returncode}, not {expected}: {done.stderr}")
    return done.stdout
