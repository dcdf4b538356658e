"""Stores and records made on purpose, every checksum right: an answer or one line, and no signal."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from tests.codes.crafting import crafted_stores
from tests.fuzz.commands import FINE, command, server
from tests.fuzz.files import kept_apart
from tests.report.crafting import crafted_records


def fuzz_stores(number, examples):
    """A batch of stores through `select`, and through Python without comparing checksums."""
    ended = {}
    stores = crafted_stores(number)
    for _ in range(examples):
        done, data = next(stores)
        with tempfile.TemporaryDirectory(prefix="qpfs-fuzz-") as folder:
            path = Path(folder) / "crafted.qpfs"
            path.write_bytes(data)
            runs = {
                "select": command("select", path.name, "--top", 3, "--out", "out", cwd=folder),
                "python": server().run("tests.fuzz.crafted:use_store", path, cwd=folder),
            }
            for job, run in runs.items():
                note(ended, job, run, f"{job} a store with {done}", folder)
    return ended


def fuzz_records(number, examples):
    """A batch of records through `report` and `apply`."""
    ended, rng = {}, random.Random(f"records {number}")
    records = crafted_records(number)
    for _ in range(examples):
        done, text = next(records)
        with tempfile.TemporaryDirectory(prefix="qpfs-fuzz-") as folder:
            Path(folder, "crafted.json").write_text(text)
            Path(folder, "a.csv").write_text("a,b,y\n" + "1,2,x\n2,1,z\n" * 5)
            job = rng.choice(("report", "apply"))
            data = ["a.csv"] if job == "apply" else []
            run = command(job, "crafted.json", *data, "--out", f"out.{'csv' if data else 'html'}", cwd=folder)
            note(ended, job, run, f"{job} a record with {done}", folder)
    return ended


def note(ended, job, run, case, folder):
    """Counts how a run ended; raises AssertionError if it may not end so."""
    if complaint := run.complaint():
        kept = kept_apart(Path(folder))
        raise AssertionError(f"{case}\n{complaint}\nkept in {kept}\n{run.stderr[-2000:]}")
    told = f"{job}: {'an answer' if run.code == FINE else 'refused'}"
    ended[told] = ended.get(told, 0) + 1


def use_store():
    """Everything that can be asked of a store that is not verified; errors of ours are one line."""
    import numpy as np

    from qpfs import IKMAQPFS, QPFS, open_store

    try:
        table = open_store(sys.argv[1], verify=False)
        y = np.arange(table.shape[0]) % 2 if table.y is None else table.y
        for selector in (QPFS(3), IKMAQPFS(n_first=3)):
            selector.fit(table, y).report().save(f"{type(selector).__name__}.html")
        list(table.names or ())
        table[np.arange(2)]
    except ValueError as error:
        sys.exit(f"qpfs: {' '.join(str(error).split())}")
