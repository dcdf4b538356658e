"""The study by itself: some of its work, or its page from what is on record."""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks.rows import show
from benchmarks.study import main, report


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study", description=__doc__)
    parser.add_argument("--report", action="store_true", help="only write docs/study.md and docs/study.svg")
    return parser.parse_args()


if __name__ == "__main__":
    rows = list(report() if parsed().report else main())
    show("study", rows, Console(width=150))
