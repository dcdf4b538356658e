"""Mutated files of every format through the real command: an answer or one line, in time and memory."""

from __future__ import annotations

import csv
import io
import json
import random
import tempfile
import zipfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy import sparse
from scipy.io import savemat
from tests.data.stored_tables import COUNTS, TABLES, Y
from tests.fuzz.commands import FINE, command
from tests.fuzz.mutations import mutated

RESULT = {"selection.csv", "report.html", "selection.json"}
SECONDS = 60
BUDGET = 256 << 20  # bytes for `encode --memory`, the least that it takes
# Bytes that no small file may cost; about 400 MB of it are the libraries of the process that runs it.
PEAK, PEAK_OF_ENCODE = 900 << 20, (400 << 20) + BUDGET


def fuzz(number, examples):
    """A batch: how many runs ended how; raises AssertionError for the first that may not be."""
    rng, ended = random.Random(f"files {number}"), {}
    for _ in range(examples):
        with tempfile.TemporaryDirectory(prefix="qpfs-fuzz-") as folder:
            told = one_file(Path(folder), rng)
        ended[told] = ended.get(told, 0) + 1
    return ended


def one_file(folder, rng):
    """Writes a file, changes it, and runs a command on it; says how that ended."""
    data, arguments, done = changed(folder, rng)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    job = rng.choice(("select", "select", "select", "encode", "apply", "plan"))
    run = command(*line_of(job, data.name, arguments), cwd=folder, seconds=SECONDS)
    case = f"{job} {data.name} {arguments}, changed: {done}"
    complaint = run.complaint() or wrong_with(folder, before, run, job)
    if not complaint and run.code == FINE and job == "select":
        complaint = wrong_count(folder, data, arguments)
    if complaint:
        kept = kept_apart(folder)
        raise AssertionError(f"{case}\n{complaint}\nkept in {kept}\n{run.stderr[-2000:]}")
    return f"{job}: {'an answer' if run.code == FINE else 'refused'}"


def line_of(job, name, arguments):
    """The arguments of a command on a file."""
    if job == "encode":
        return ["encode", name, *arguments, "--out", "out.qpfs", "--memory", f"{BUDGET >> 20}MB"]
    if job == "apply":
        return ["apply", "selection.json", name, "--out", "cut.csv"]
    plan = ["--plan"] if job == "plan" else ["--out", "out"]
    return ["select", name, *arguments, "--top", "3", *plan]


@cache
def clean():
    """Every table as bytes: the file itself first, then what lies beside it; and its arguments."""
    made = {}
    for name, write in {**TABLES, **SPARSE}.items():
        with tempfile.TemporaryDirectory() as folder, one_moment():
            arguments = write(Path(folder) / name)
            files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
        words = [str(Path(one).name) if isinstance(one, Path) else one for one in arguments]
        made[name] = ({name: files.pop(name), **files}, words)
    return made


@contextmanager
def one_moment():
    """Files that tell when they were made, as gzip, zip and MATLAB do, are always of the same moment."""
    with patch("time.time", return_value=1e9), patch("time.asctime", return_value="Sun Sep  9 01:46:40 2001"):
        yield


def changed(folder, rng):
    """A folder with a table one of whose files was changed: the table, its arguments, what was done."""
    name = rng.choice([*clean(), *CRAFTED])
    if name in CRAFTED:
        with one_moment():
            arguments, done = CRAFTED[name](folder / name, rng)
        (folder / "y.csv").write_text("y\n" + "\n".join(Y) + "\n")
        write_selection(folder)
        return folder / name, arguments, done
    files, arguments = clean()[name]
    for one, data in files.items():
        (folder / one).write_bytes(data)
    victim = name if rng.random() < 0.85 else rng.choice([*files])
    data, done = mutated(files[victim], rng)
    (folder / victim).write_bytes(data)
    write_selection(folder)
    return folder / name, arguments, f"{victim}: {done}"


def write_selection(folder):
    (folder / "selection.json").write_bytes(selection())


@cache
def selection():
    """A record for `apply`, of columns that most of the tables have."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.csv").write_bytes(clean()["a.csv"][0]["a.csv"])
        run = command("select", "a.csv", "--target", "state", "--top", 3, "--out", "o", cwd=folder)
        assert run.code == FINE, run.stderr
        return Path(folder, "o", "selection.json").read_bytes()


def wrong_with(folder, before, run, job):
    """What a run should not have done to its folder or to the machine; empty if nothing."""
    for path, data in before.items():
        if not path.exists() or path.read_bytes() != data:
            return f"{path.name} was changed"
    new = {path.name for path in folder.iterdir()} - {path.name for path in before}
    expected = {"select": {"out"}, "plan": set(), "encode": {"out.qpfs"}, "apply": {"cut.csv"}}[job]
    if new != (expected if run.code == FINE else set()):
        return f"it ended with {run.code} and left {sorted(new)}"
    if "out" in new and {path.name for path in (folder / "out").iterdir()} != RESULT:
        return "the result is not whole"
    if run.peak > (PEAK_OF_ENCODE if job == "encode" else PEAK):
        return f"it took {run.peak >> 20} MB"
    return ""


def wrong_count(folder, data, arguments):
    """Whether rows of a text were lost, by Python's own reader; empty if none was."""
    found = json.loads((folder / "out" / "selection.json").read_text())["data"]["n_samples"]
    if data.suffix not in (".csv", ".tsv") or "rows" in arguments:
        return ""
    try:
        text = data.read_bytes().decode("utf-8-sig")
        rows = [
            row
            for row in csv.reader(
                io.StringIO(text, newline=""), delimiter="\t" if data.suffix == ".tsv" else ","
            )
            if row
        ]
    except (UnicodeDecodeError, csv.Error):
        return ""
    return "" if found in (len(rows) - 1, len(rows)) else f"{found} samples of {len(rows) - 1} were read"


def kept_apart(folder):
    """The files of a case that failed, where they stay."""
    kept = Path(tempfile.mkdtemp(prefix="qpfs-fuzz-failed-"))
    for path in folder.rglob("*"):
        if path.is_file():
            (kept / path.name).write_bytes(path.read_bytes())
    return kept


# Files that are whole in themselves and hold sparse matrices that are not.

NUMBERS = (-1, -5, 0, 1, 2**20, 2**30, 2**31 - 1)


def hostile_arrays(rng, kind="csr"):
    """The arrays of a sparse matrix, one of them changed, and what was done."""
    X = sparse.csr_matrix(COUNTS) if kind == "csr" else sparse.csc_matrix(COUNTS)
    arrays = {"data": X.data, "indices": X.indices.copy(), "indptr": X.indptr.copy()}
    name = rng.choice(("indices", "indptr", "shape", "data"))
    shape = [*X.shape]
    if name == "shape":
        shape[rng.randrange(2)] = rng.choice((*NUMBERS, 10**12))
    elif name == "data":
        arrays["data"] = arrays["data"][: rng.randrange(len(X.data))]
    else:
        arrays[name][rng.randrange(len(arrays[name]))] = rng.choice(NUMBERS)
    return arrays, shape, name


def sparse_npz(path, rng):
    kind = rng.choice(("csr", "csc"))
    arrays, shape, done = hostile_arrays(rng, kind)
    with path.open("wb") as file:
        np.savez(file, format=kind.encode(), shape=shape, **arrays)
    return ["--labels", "y.csv"], f"{kind} {done}"


def coo_npz(path, rng):
    X = sparse.coo_matrix(COUNTS)
    rows = X.row.copy()
    rows[rng.randrange(len(rows))] = rng.choice(NUMBERS)
    with path.open("wb") as file:
        np.savez(file, format=b"coo", shape=X.shape, data=X.data, row=rows, col=X.col)
    return ["--labels", "y.csv"], "coo rows"


def sparse_h5ad(path, rng):
    import h5py

    layout = rng.choice(("csr.h5ad", "csc.h5ad"))
    path.write_bytes(clean()[layout][0][layout])
    arrays, shape, done = hostile_arrays(rng, layout[:3])
    with h5py.File(path, "r+") as file:
        node = file["X"]
        node.attrs["shape"] = shape
        for name, array in arrays.items():
            del node[name]
            node[name] = array
    return ["--target", "state"], f"{layout} {done}"


def sparse_mat(path, rng):
    """Numbers changed in the file itself: SciPy would run into them while it writes."""
    X = sparse.csc_matrix(COUNTS.astype(float))
    savemat(path, {"X": X})
    name = rng.choice(("indices", "indptr"))
    right = getattr(X, name).astype("<i4")
    wrong = right.copy()
    wrong[rng.randrange(len(wrong))] = rng.choice(NUMBERS)
    data = path.read_bytes()
    assert right.tobytes() in data
    path.write_bytes(data.replace(right.tobytes(), wrong.tobytes()))
    return ["--labels", "y.csv"], f"mat {name}"


def member_of_npz(path, rng):
    """One array of an archive changed, the archive around it whole."""
    with zipfile.ZipFile(io.BytesIO(clean()["a.npz"][0]["a.npz"])) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    victim = rng.choice([*members])
    members[victim], done = mutated(members[victim], rng)
    with zipfile.ZipFile(path, "w") as archive:
        for one, data in members.items():
            archive.writestr(one, data)
    return [], f"{victim}: {done}"


def unpacked_text(path, rng):
    """A text changed and then packed, so that the packing is whole."""
    import gzip

    data, done = mutated(clean()["a.csv"][0]["a.csv"], rng)
    path.write_bytes(gzip.compress(data))
    return ["--target", "state"], f"packed: {done}"


def write_npz(path):
    with path.open("wb") as file:
        sparse.save_npz(file, sparse.csr_matrix(COUNTS))
    path.with_name("y.csv").write_text("y\n" + "\n".join(Y) + "\n")
    return ["--labels", "y.csv"]


def write_mat(path):
    savemat(path, {"X": sparse.csc_matrix(COUNTS.astype(float)), "y": (Y == "ill").astype(float)[:, None]})
    return ["--target", "y"]


SPARSE = {"sparse.npz": write_npz, "sparse.mat": write_mat}
CRAFTED = {
    "crafted.npz": sparse_npz,
    "coo.npz": coo_npz,
    "crafted.h5ad": sparse_h5ad,
    "crafted.mat": sparse_mat,
    "member.npz": member_of_npz,
    "packed.csv.gz": unpacked_text,
}
