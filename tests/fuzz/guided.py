"""`python -m tests.fuzz.guided FORMAT [options of libFuzzer]`: bytes that coverage leads to new code.

Needs atheris: `make fuzz-guided FORMAT=csv`. Every reader gives a table or one of our own errors. Ends at
the first input that does something else, and keeps it. `-max_total_time=600` and `-seed=1` are the options of
most use.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["qpfs.data"]):
    from qpfs.data import Reading, UnreadableError, UsageError, open_problem

from tests.data.stored_tables import TABLES

FOLDER = Path(tempfile.mkdtemp(prefix="qpfs-fuzz-"))
LONGEST = 1 << 14  # bytes of an input: short ones are tried more often


def main():
    names = [name for name in TABLES if name.endswith(f".{sys.argv[1]}")]
    if not names:
        sys.exit(f"there is no table that ends in .{sys.argv[1]}; there are {', '.join(TABLES)}")
    seeds = FOLDER / "seeds"
    seeds.mkdir()
    for name in names:
        TABLES[name](seeds / name)
    atheris.Setup([sys.argv[0], f"-max_len={LONGEST}", *sys.argv[2:], str(seeds)], read)
    atheris.Fuzz()


def read(data):
    path = FOLDER / f"input.{sys.argv[1]}"
    path.write_bytes(data)
    try:
        open_problem(str(path), Reading(target="state"))
    except (UnreadableError, UsageError):
        return


if __name__ == "__main__":
    main()
