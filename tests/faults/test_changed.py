"""A file that changes while it is read: the answer is that of one state of it, or there is none."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.cli.command import qpfs
from tests.faults.works import check_one_line, result_in, succeed

from qpfs import MRMR, MaxRel, open_store, write_store
from qpfs.codes import StoreError, disk_draft
from qpfs.codes.disk_draft import Draft

N, M = 40, 60
NAMES = [f"gene{j}" for j in range(M)]


def numbers(seed):
    """A table; those of all seeds take the same bytes as text."""
    rng = np.random.default_rng(seed)
    return rng.integers(100, 1000, (N, M)) + 300 * (np.arange(N) % 2)[:, None] * (np.arange(M) < 5) % 1000


def as_text(X):
    rows = [
        ",".join([*(f"{value / 1000:.3f}" for value in row), "ab"[i % 2]]) for i, row in enumerate(X % 1000)
    ]
    return "\n".join([",".join([*NAMES, "y"]), *rows, ""]).encode()


def as_arrow(X):
    columns = {name: pa.array(X[:, j].astype(float)) for j, name in enumerate(NAMES)}
    return pa.table(columns | {"y": pa.array([i % 2 for i in range(len(X))])})


def as_svmlight(X):
    rows = (" ".join(f"{j + 1}:{value / 1000:.3f}" for j, value in enumerate(row)) for row in X % 1000)
    return "".join(f"{i % 2} {row}\n" for i, row in enumerate(rows)).encode()


def write_h5ad(path, X):
    import anndata

    anndata.AnnData(X.astype(np.float32), obs={"y": [str(i % 2) for i in range(len(X))]}).write_h5ad(path)


WRITERS = {
    "t.csv": lambda path, X: path.write_bytes(as_text(X)),
    "t.csv.gz": lambda path, X: path.write_bytes(gzip.compress(as_text(X), mtime=0)),
    "t.npy": lambda path, X: np.save(path, X.astype(float)),
    "t.npz": lambda path, X: np.savez(path, X=X.astype(float), y=np.arange(len(X)) % 2),
    "t.parquet": lambda path, X: parquet.write_table(as_arrow(X), path),
    "t.feather": lambda path, X: feather.write_feather(as_arrow(X), path, compression="uncompressed"),
    "t.svm": lambda path, X: path.write_bytes(as_svmlight(X)),
    "t.h5ad": write_h5ad,
}
TARGETS = {"t.npy": ("--labels", "y.csv"), "t.svm": (), "t.npz": ()}


def truncate(path, new):
    os.truncate(path, path.stat().st_size // 2)


def grow(path, new):
    with path.open("ab") as file:
        file.write(path.read_bytes()[-200:])


def replace(path, new):
    shutil.copyfile(new, path.with_name("beside"))
    path.with_name("beside").replace(path)


def rewrite(path, new):
    with path.open("r+b") as file:
        file.write(new.read_bytes())
        file.truncate()


CHANGES = [truncate, grow, replace, rewrite]


class Hook:
    """Does something at the k-th time."""

    def __init__(self):
        self.wait(0, None)

    def wait(self, k, what):
        self.left, self.what = k, what

    def step(self):
        self.left -= 1
        if self.left == 0:
            what, self.what = self.what, None
            what()


class Opened(Hook):
    """Steps whenever a file is opened to be read."""

    path: str | None = None

    def heard(self, event, arguments):
        if event != "open" or self.what is None or not isinstance(arguments[0], str):
            return
        if Path(arguments[0]).absolute() == Path(self.path) and not int(arguments[2]) & os.O_ACCMODE:
            self.step()


OPENED = Opened()
sys.addaudithook(OPENED.heard)


@pytest.fixture
def strips(monkeypatch):
    """Steps when a strip is encoded; there are several."""
    hook, add = Hook(), Draft.add

    def added(self, number, engine):
        hook.step()
        add(self, number, engine)

    monkeypatch.setattr(Draft, "add", added)
    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 16)
    return hook


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "y.csv").write_text("y\n" + "0\n1\n" * (N // 2))
    return tmp_path


def answer(folder, command, name):
    """What a command makes of a file: its result, or None if it has none."""
    for path in folder.glob("out*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    out = "out" if command == "select" else "out.qpfs"
    options = TARGETS.get(name, ("--target", "y"))
    run = qpfs(command, name, *options, "--quiet", "--out", out, cwd=folder)
    if run.returncode:
        check_one_line(run)
        assert not list(folder.glob("out*")), list(folder.glob("out*"))
        return None, run
    (folder / "found").mkdir(exist_ok=True)
    shutil.move(folder / out, folder / "found" / out)
    found = result_in(folder / "found")
    shutil.rmtree(folder / "found")
    return found, run


def check_changes(folder, command, name, change, hook):
    """Changes a file at every step; the answer is that of the old file, of the new one, or there is none."""
    path, old, new = folder / name, folder / "old", folder / "new"
    WRITERS[name](path, numbers(0))
    shutil.copyfile(path, old)
    WRITERS[name](path, numbers(1))
    shutil.copyfile(path, new)
    OPENED.path = str(path)
    shutil.copyfile(old, path)
    change(path, new)
    after, _ = answer(folder, command, name)
    shutil.copyfile(old, path)
    before, _ = answer(folder, command, name)
    assert before is not None
    refused = 0
    for k in range(1, 100):
        shutil.copyfile(old, path)
        hook.wait(k, lambda: change(path, new))
        found, run = answer(folder, command, name)
        if hook.what is not None:
            break
        assert found in (before, after, None)
        if found is None:
            refused += "was changed while it was read; run again" in run.stderr
    hook.wait(0, None)
    shutil.copyfile(old, path)
    assert answer(folder, command, name)[0] == before
    return k - 1, refused


def every_change(*few):
    """Every format with every change; those are `slow` that are not among a few."""
    pairs = product(WRITERS, CHANGES)
    marked = [pytest.param(*both, marks=() if both in few else pytest.mark.slow) for both in pairs]
    return pytest.mark.parametrize(("name", "change"), marked)


@every_change(("t.csv", truncate), ("t.npy", replace))
@pytest.mark.parametrize("command", ["select", pytest.param("encode", marks=pytest.mark.slow)])
def test_when_the_file_is_opened(folder, command, name, change):
    n_steps, refused = check_changes(folder, command, name, change, OPENED)
    assert n_steps > 1
    assert refused > 0


@every_change(("t.csv", rewrite), ("t.npy", grow))
def test_while_it_is_encoded(folder, name, change, strips):
    n_steps, refused = check_changes(folder, "encode", name, change, strips)
    assert n_steps == 4
    assert refused == (0 if name.endswith(".gz") else n_steps)  # what was unpacked is our own


def test_a_file_that_is_touched_is_the_same(folder, strips):
    WRITERS["t.csv"](folder / "t.csv", numbers(0))
    expected, _ = answer(folder, "encode", "t.csv")
    strips.wait(2, (folder / "t.csv").touch)
    assert answer(folder, "encode", "t.csv")[0] == expected
    strips.wait(2, (folder / "t.csv").unlink)
    assert answer(folder, "encode", "t.csv")[0] == expected


def test_labels_that_change(folder, monkeypatch):
    from qpfs.data import labels

    WRITERS["t.npy"](folder / "t.npy", numbers(0))
    rows_of = labels.rows_of

    def changing(stored):
        (folder / "y.csv").write_text("y\n" + "1\n0\n" * (N // 2) + "1\n")
        return rows_of(stored)

    monkeypatch.setattr(labels, "rows_of", changing)
    found, run = answer(folder, "select", "t.npy")
    assert found is None
    assert "'y.csv' was changed while it was read" in run.stderr


@pytest.fixture
def store(tmp_path):
    return write_store(numbers(0), tmp_path / "t.qpfs", np.arange(N) % 2)


def damage(path):
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 3)
        file.write(b"\xff" * 8)


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 100), damage])
def test_a_store_that_changed_since_it_was_opened(store, change):
    table = open_store(store)
    change(store)
    with pytest.raises(StoreError, match="was changed while it was in use"):
        MaxRel(2).fit(table, table.y)


def test_a_store_that_changes_while_it_is_fitted_to(store, monkeypatch):
    table = open_store(store)
    weigh = MRMR._weigh

    def changed(self, problem):
        damage(store)
        return weigh(self, problem)

    monkeypatch.setattr(MRMR, "_weigh", changed)
    with pytest.raises(StoreError, match="was changed while it was in use"):
        MRMR(2).fit(table, table.y)


def test_a_store_that_is_replaced_or_gone_is_fitted_to(store):
    table = open_store(store)
    expected = MRMR(5).fit(table, table.y).order_.tolist()
    write_store(numbers(1), store, force=True)
    assert MRMR(5).fit(table, table.y).order_.tolist() == expected
    store.unlink()
    assert MRMR(5).fit(table, table.y).order_.tolist() == expected


def test_the_command_says_it_of_a_store(store, monkeypatch):
    weigh = MRMR._weigh

    def changed(self, problem):
        damage(store)
        return weigh(self, problem)

    expected = qpfs("select", store, "--method", "mrmr", "--top", 2, "--json", "--quiet")
    succeed(expected)
    monkeypatch.setattr(MRMR, "_weigh", changed)
    run = qpfs("select", store, "--method", "mrmr", "--top", 2, "--quiet", "--out", store.parent / "o")
    check_one_line(run)
    assert "was changed while it was in use" in run.stderr
    assert not (store.parent / "o").exists()
