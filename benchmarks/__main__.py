"""Runs the parts asked for, or all of them, and keeps the results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from importlib import import_module
from time import perf_counter

from rich.console import Console

from benchmarks import machine
from benchmarks.rows import Row, cells, save, show
from qpfs.compiled import compiled_at_once

PARTS = {
    "start": "first use: fits with nothing compiled and with everything on disk; the command",
    "columns": "one column of mutual information against all, one core",
    "fits": "QPFS from floats to ranking, and its memory",
    "threads": "two threads against one, on all shapes",
    "dense": "the dense route: all of Q and a quadratic-program solver",
    "large": "the program alone: large supports, and the path over theta",
    "growth": "time against the numbers of features and of samples",
    "peers": "mRMR, JMI and CMIM against other packages; QPFS by ranks against HSIC Lasso",
    "rank": "the rank measure beside mutual information, clustered methods too; JMI and CMIM beside mRMR",
    "significance": "p and q values: cost, calibration on chance, power beside the F test",
    "weights": "weights of samples: 8 and 16 binary digits against none; a bootstrap as weights",
    "covariates": "adjusting for covariates: markers found in studies with a batch effect, cost",
    "clustered": "TLKM-, IKM- and IKMA-QPFS: time, growth and memory",
    "search": "...CV selectors against GridSearchCV on the same grid",
    "colon": "IKM- and IKMA-QPFS on Colon: selection on all rows as published, and inside the loop",
    "study": "what the defaults rest on: variants and rivals on twenty real sets (hours; resumes)",
    "command": "how soon `qpfs --help` answers, and how near --plan is to the truth",
    "reading": "CSV files, wide ones above all: time and memory against NumPy and pandas",
    "frames": "a mixed frame of pandas against the same in polars: CPU time, growth with rows, memory",
    "sparse": "QPFS and mRMR on a sparse table of 1,300,000 features: time, memory, what was planted",
    "store": "a million features and more: from a file of floats, and from an encoded store (long)",
    "scale": "growth to ten million features and a hundred thousand samples; two Dask workers (long)",
    "tall": "memory maps read in pieces: time against a pass of NumPy, and memory",
    "embedded": "FGM and GDM: time, error and memory beside the paper, L1 and RFE",
}

ONLY_BY_NAME = {"scale", "store", "study"}  # ten minutes; the study: hours


def main() -> int:
    arguments = parsed()
    if arguments.list:
        print(*(f"{name:10}{what}" for name, what in PARTS.items()), sep="\n")
        return 0
    console = Console(width=None if sys.stdout.isatty() else 150)
    facts = machine.facts()
    console.print(*(f"{name}: {fact}" for name, fact in facts.items()), sep="\n", highlight=False)
    done: dict[str, list[Row]] = {}
    for name in arguments.parts or [name for name in PARTS if name not in ONLY_BY_NAME]:
        start = perf_counter()
        with compiled_at_once():
            done[name] = gathered(import_module(f"benchmarks.{name}").main(), console)
        title = f"{name}: {PARTS[name]} (took {perf_counter() - start:.0f} s)"
        show(title, done[name], console)
    console.print(f"written: benchmarks/results/{save(facts, done).name}")
    return summary(done, console)


def gathered(rows: Iterable[Row], console: Console) -> list[Row]:
    """The rows of a part; those of a long one are told as they come."""
    if isinstance(rows, list):
        return rows
    found = []
    for row in rows:
        console.print(*filter(None, cells(row)), sep=" | ", style="dim", highlight=False)
        found.append(row)
    return found


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="NAME", help="; ".join(PARTS))
    parser.add_argument("--list", action="store_true", help="say what there is and stop")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return arguments


def summary(done: dict[str, list[Row]], console: Console) -> int:
    """0 if no bound was missed; the rows that missed theirs, or could not be run, come last."""
    bounded = [row for rows in done.values() for row in rows if row.bound is not None]
    kept = [row for row in bounded if row.verdict == "ok"]
    console.print(f"{len(kept)} of {len(bounded)} bounds kept")
    for row in bounded:
        if row.verdict != "ok":
            ratio = "" if row.ratio is None else f": {row.ratio:.3g}, {row.sense} {row.bound:g}"
            console.print(f"  {row.verdict}: {row.what}{ratio}", highlight=False)
    return int(any(row.verdict in ("below", "above") for row in bounded))


if __name__ == "__main__":
    raise SystemExit(main())
