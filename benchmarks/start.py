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
from pathlib import Path

from benchmarks.rows import Row, duration

SKLEARN = "import sklearn.feature_selection"
DATA = "from sklearn.datasets import load_breast_cancer; X, y = load_breast_cancer(return_X_y=True); "
WIDE = "from benchmarks.datasets import synthetic; X, y = synthetic(72, 7129); "
FIT = "from time import process_time as now; t = now(); {}.fit(X, y); print(now() - t); "
COMMAND = "import sys; sys.argv = ['qpfs', {}]; from qpfs.cli import main; main()"
SELECT = COMMAND.format("'select', 'wdbc', '--top', '10', '--quiet'")
MISTAKE = COMMAND.format("'select', 'wdbc', '--topp', '10'")
FRESH, LAPS = 3, 7  # folders of compiled code that are empty at first; laps with everything there
USUAL = 1.4  # seconds of CPU that the import takes where the bounds in seconds were set


def main() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        kept = [str(Path(folder, str(lap))) for lap in range(FRESH)]
        yield from first_fits(kept)
        yield from later_runs(kept[-1])


def first_fits(folders: list[str]) -> Iterator[Row]:
    """The fits with no compiled code at hand: each folder for it is empty at first."""
    empty = iter(folders)

    def fresh() -> list[float]:
        kept = next(empty)
        return [*fits(DATA, kept, "QPFS()", "IKMAQPFS()"), *fits(WIDE, kept, "QPFS()", "IKMAQPFS()")]

    [imported], (qpfs, ikma, wide_qpfs, wide_ikma) = in_turns(imports, fresh, repeats=len(folders))
    yield Row(f"python -c '{SKLEARN}'", duration(imported))
    yield bounded("first QPFS().fit on WDBC, nothing compiled", qpfs, imported, 6.0)
    yield bounded("first IKMAQPFS().fit after it", ikma, imported, 3.0 / USUAL)
    yield bounded("first QPFS().fit on 72 x 7129, nothing of it compiled", wide_qpfs, imported, None)
    yield bounded("first IKMAQPFS().fit after it", wide_ikma, imported, None)


def later_runs(kept: str) -> Iterator[Row]:
    """Fits and commands with everything on disk, which the first lap writes."""
    jobs = (
        imports,
        lambda: fits(DATA, kept, "QPFS()"),
        lambda: fits(WIDE, kept, "QPFS()"),
        lambda: [cpu(SELECT, kept)],
        lambda: [cpu(MISTAKE, kept, expected=2)],
    )
    [imported], [narrow], [wide], [select], [mistake] = in_turns(*jobs, repeats=LAPS)
    for again, name in ((narrow, "WDBC"), (wide, "72 x 7129")):
        what = f"first QPFS().fit on {name} in a process, everything on disk"
        yield bounded(what, again, imported, 0.35 / USUAL)
    yield bounded("qpfs select wdbc --top 10, everything on disk", select, imported, 1.4)
    yield bounded("qpfs select wdbc --topp 10: a mistake", mistake, imported, 0.5 / USUAL)


def bounded(what: str, ours: float, reference: float, bound: float | None) -> Row:
    """Seconds as a share of those of the import, which may not exceed `bound`."""
    return Row(what, duration(ours), duration(reference), ours / reference, bound, "at most")


def in_turns(*jobs: Callable[[], list[float]], repeats: int) -> list[list[float]]:
    """The least seconds of what each job times; the jobs alternate."""
    laps = [[job() for job in jobs] for _ in range(repeats)]
    return [[min(times) for times in zip(*of_job, strict=True)] for of_job in zip(*laps, strict=True)]


def imports() -> list[float]:
    return [cpu(SKLEARN)]


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
