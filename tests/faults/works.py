"""What the commands write, and what must be true of it whatever goes wrong on the way."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
from tests.cli.command import Run, qpfs

# of records: not what was found, but when, how long and with how much memory
VARYING = {"seconds", "created", "command", "memory_mb"}


@dataclass(frozen=True)
class Work:
    """A command that writes into the folder `disk` of where it is run."""

    arguments: tuple[str, ...]
    before: tuple[str, ...] | None = None  # a command whose result lies there already

    def run(self, folder: Path) -> Run:
        return done(self.arguments, folder)


READ = ("table.csv", "--target", "y", "--quiet")
APPLY = ("apply", "selected/selection.json", "table.csv", "--quiet", "--out")
FEW = ("--cv", "2", "--inner-cv", "2", "--sizes", "1", "--no-memory")
WORKS = {
    "select": Work(("select", *READ, "--top", "3", "--out", "disk/o")),
    "select in place of another": Work(
        ("select", *READ, "--top", "3", "--out", "disk/o", "--force"),
        ("select", *READ, "--method", "maxrel", "--top", "2", "--out", "disk/o"),
    ),
    "compare": Work(
        ("compare", *READ, "--method", "maxrel", *FEW, "--out", "disk/c"),
    ),
    "encode text": Work(("encode", *READ, "--out", "disk/t.qpfs")),
    "encode packed text": Work(
        ("encode", "table.csv.gz", "--target", "y", "--quiet", "--out", "disk/t.qpfs")
    ),
    "encode svmlight": Work(("encode", "table.svm", "--quiet", "--out", "disk/s.qpfs")),
    "encode in place of another": Work(
        ("encode", *READ, "--out", "disk/t.qpfs", "--force"),
        ("encode", *READ, "--levels", "equal-width:2", "--out", "disk/t.qpfs"),
    ),
    "apply to text": Work((*APPLY, "disk/cut.csv")),
    "apply to packed text": Work((*APPLY, "disk/cut.csv.gz")),
    "apply to Parquet": Work((*APPLY, "disk/cut.parquet")),
    "apply to NumPy": Work((*APPLY, "disk/cut.npz")),
    "report": Work(("report", "selected/selection.json", "--quiet", "--out", "disk/page.html")),
    "report in place of another": Work(
        ("report", "selected/selection.json", "--quiet", "--out", "disk/page.html", "--force"),
        ("report", "compared/comparison.json", "--quiet", "--out", "disk/page.html"),
    ),
    "fetch a set": Work(("datasets", "fetch", "iris", "--quiet", "--to", "disk/sets")),
    "fetch an address": Work(("datasets", "fetch", "ADDRESS", "--quiet", "--to", "disk/sets")),
}


def done(arguments, folder: Path) -> Run:
    """The command, told the address of the table where it asks for one."""
    table = folder / "table.csv"
    address = f"{table.as_uri()}#sha256={hashlib.sha256(table.read_bytes()).hexdigest()}"
    typed = [address if one == "ADDRESS" else one for one in arguments]
    with patch.object(tempfile, "tempdir", str(folder / "tmp")):
        return qpfs(*typed, cwd=folder, TMPDIR=str(folder / "tmp"))


def prepare(folder: Path) -> None:
    """Tables to read, results to draw pages of, and folders to write into."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.round(rng.normal(size=(40, 30)) + y[:, None] * (np.arange(30) < 5), 3)
    lines = [",".join([*(f"gene{j}" for j in range(30)), "y"])]
    lines += [",".join([*map(str, row), "ab"[label]]) for row, label in zip(X, y, strict=True)]
    text = "\n".join([*lines, ""]).encode()
    folder.mkdir(exist_ok=True)
    (folder / "table.csv").write_bytes(text)
    (folder / "table.csv.gz").write_bytes(gzip.compress(text, mtime=0))
    entries = [" ".join(f"{j + 1}:{value}" for j, value in enumerate(row) if value > 0) for row in X]
    (folder / "table.svm").write_text(
        "".join(f"{label} {row}\n" for label, row in zip(y, entries, strict=True))
    )
    np.save(folder / "table.npy", X)
    (folder / "labels.csv").write_text("y\n" + "".join(f"{label}\n" for label in y))
    (folder / "disk").mkdir(exist_ok=True)
    (folder / "tmp").mkdir(exist_ok=True)
    succeed(qpfs("select", *READ, "--top", "3", "--out", "selected", cwd=folder))
    succeed(qpfs("compare", *READ, "--method", "mrmr", *FEW, "--out", "compared", cwd=folder))


def succeed(run: Run) -> None:
    assert run.returncode == 0, run.stderr


def begin(work: Work, folder: Path) -> dict[str, bytes]:
    """An empty disk, or one with an earlier result; what is there."""
    for path in (folder / "disk").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if work.before is not None:
        earlier = folder / "earlier" / "-".join(work.before).replace("/", "-")
        if not earlier.exists():
            succeed(done(work.before, folder))
            shutil.copytree(folder / "disk", earlier)
        shutil.copytree(earlier, folder / "disk", dirs_exist_ok=True)
    return files_in(folder / "disk")


def files_in(folder: Path) -> dict[str, bytes]:
    """All files below a folder; folders as such, too."""
    found = sorted(folder.rglob("*"))
    return {str(one.relative_to(folder)): b"" if one.is_dir() else one.read_bytes() for one in found}


def result_in(folder: Path) -> dict[str, object]:
    """What was found, without what differs from run to run."""
    return {name: comparable(name, data) for name, data in files_in(folder).items()}


def comparable(name: str, data: bytes) -> object:
    if name.endswith(".jsonl"):
        return sorted(json.dumps(without_varying(json.loads(line))) for line in data.splitlines())
    if name.endswith(".json"):
        return without_varying(json.loads(data))
    if name.endswith(".html"):  # a time and a command stand in it
        assert data.rstrip().endswith(b"</html>"), name
        return "a whole page"
    return gzip.decompress(data) if name.endswith(".gz") else data


def without_varying(thing):
    if isinstance(thing, dict):
        return {name: without_varying(one) for name, one in thing.items() if name not in VARYING}
    return [without_varying(one) for one in thing] if isinstance(thing, list) else thing


def check_one_line(run: Run) -> None:
    """An error code, and one line that says why."""
    assert run.returncode not in (0, 130), run
    lines = [line for line in run.stderr.splitlines() if not line.startswith("qpfs: note: ")]
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("qpfs: "), run.stderr
    assert "Traceback" not in run.stderr


def check_nothing_lost(folder: Path, before: dict[str, bytes], expected: dict[str, object]) -> None:
    """What was there is there; what came is a whole result, or a beginning that a later run goes on from."""
    now = files_in(folder / "disk")
    assert {name: now.get(name) for name in before} == before
    for name in now.keys() - before.keys():
        if name.endswith("records.jsonl"):
            assert set(comparable(name, now[name])) <= set(expected[name])
        elif ".partial" in name:
            assert any(one.endswith("strip-000000.npz") for one in now), name
        else:
            assert (folder / "disk" / name).is_dir(), name
    assert not list((folder / "tmp").iterdir())
