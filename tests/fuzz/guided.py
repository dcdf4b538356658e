"""`python -m tests.fuzz.guided FORMAT [options of libFuzzer]`: bytes that coverage leads to new code.

Needs atheris: `make fuzz-guided FORMAT=csv`. Every reader gives a table or one of our own errors. Ends at
the first input that does something else, and keeps it. `-max_total_time=600` and `-seed=1` are the options of
most use.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

from tests.data.stored_tables import TABLES

LONGEST = 1 << 14  # bytes of an input: short ones are tried more often


def main():
    import atheris

    with atheris.instrument_imports(include=["qpfs.data"]):
        data = importlib.import_module("qpfs.data")
    folder = Path(tempfile.mkdtemp(prefix="qpfs-fuzz-"))
    path, seeds = folder / f"input.{sys.argv[1]}", folder / "seeds"
    write_seeds(seeds, sys.argv[1])

    def read(given):
        path.write_bytes(given)
        try:
            data.open_problem(str(path), data.Reading(target="state"))
        except (data.UnreadableError, data.UsageError):
            return

    atheris.Setup([sys.argv[0], f"-max_len={LONGEST}", *sys.argv[2:], str(seeds)], read)
    atheris.Fuzz()


def write_seeds(folder, ending):
    """Tables of a format, to begin with."""
    names = [name for name in TABLES if name.endswith(f".{ending}")]
    if not names:
        sys.exit(f"there is no table that ends in .{ending}; there are {', '.join(TABLES)}")
    folder.mkdir()
    for name in names:
        TABLES[name](folder / name)


if __name__ == "__main__":
    main()
