"""The command: how soon it answers, and how near its plans are to the truth."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

from benchmarks.datasets import synthetic
from benchmarks.rows import Row, duration, faster
from benchmarks.timing import race
from qpfs import IKMAQPFS, MRMR, QPFS, MaxRel, NystromQPFS
from qpfs.cli.plan import TrialFit, warm_up

HELP = "import sys; sys.argv = ['qpfs', '--help']; from qpfs.cli import main; main()"
SELECTORS = (QPFS(), QPFS(theta=0.5), IKMAQPFS(), MRMR(50), MaxRel(), NystromQPFS(sampling_rate=0.002))


def main() -> list[Row]:
    return [soon(), *(row for shape in ((72, 7129), (33, 48_701)) for row in plans(*shape))]


def soon() -> Row:
    """`qpfs --help` in a new process, against one that imports scikit-learn."""
    ours, reference = race(lambda: run(HELP), lambda: run("import sklearn"), repeats=10)
    return faster("qpfs --help; reference: python -c 'import sklearn'", ours, reference, 2.0)


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def plans(n: int, m: int) -> list[Row]:
    """What --plan expects of a fit, beside what it takes."""
    X, y = synthetic(n, m)
    rows = []
    for selector in SELECTORS:
        expected = TrialFit.of(selector, X, y).seconds_for(m, n)
        warm_up(selector, X, y)
        begun = perf_counter()
        selector.fit(X, y)
        taken = perf_counter() - begun
        what = f"{selector!r}, {n} x {m}: planned (reference) and taken".replace("\n", " ")
        rows.append(Row(what, duration(taken), duration(expected), expected / taken))
    return rows
