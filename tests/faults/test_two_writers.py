"""Several processes that write the same output at once: it is whole, and of one of them."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command import qpfs
from tests.faults.works import FEW, READ, check_one_line, files_in, prepare, result_in, succeed
from tests.faults.writers import at_once, writers_in

from qpfs import ThreeSegments, open_store
from qpfs.codes import checked_columns, disk_draft
from qpfs.codes.disk_draft import Draft
from qpfs.codes.disk_table import About
from qpfs.files import written_whole

METHODS = ("maxrel", "mrmr", "qpfs")
RULES = ("three-segments", "equal-width:2", "equal-frequency:3")
BUSY = ("exists; choose another", "is being written by another run; wait for it")


@dataclass(frozen=True)
class Work:
    """A command that writes disk/o..., spelled as each of the writers spells it."""

    typed: tuple[tuple[str, ...], ...]


def each(*arguments, out, **varying):
    """The command of each writer: the same but for one option."""
    ((name, values),) = varying.items()
    return Work(tuple((*arguments, f"--{name}", value, "--out", f"disk/{out}") for value in values))


def apply_to(ending):
    chosen = [("apply", f"{name}/selection.json", "table.csv", "--quiet") for name in METHODS]
    return Work(tuple((*one, "--out", f"disk/o{ending}") for one in chosen))


WORKS = {
    "select": each("select", *READ, "--top", "3", out="o", method=METHODS),
    "compare": each("compare", *READ, *FEW, "--seed", "3", out="o", method=METHODS),
    "encode": each("encode", *READ, out="o.qpfs", levels=RULES),
    "encode packed text": each(
        "encode", "table.csv.gz", "--target", "y", "--quiet", out="o.qpfs", levels=RULES
    ),
    "encode svmlight": each("encode", "table.svm", "--quiet", out="o.qpfs", levels=RULES),
    "apply to text": apply_to(".csv"),
    "apply to packed text": apply_to(".csv.gz"),
    "apply to Parquet": apply_to(".parquet"),
    "report": Work(
        tuple(("report", f"{name}/selection.json", "--quiet", "--out", "disk/o.html") for name in METHODS)
    ),
}
SOME = ("select", "encode", "apply to text")
EVERY = [pytest.param(name, marks=[] if name in SOME else pytest.mark.slow) for name in WORKS]
ROUNDS = {"quick": 2, "many": 40}
HOW_OFTEN = ["quick", pytest.param("many", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("writers")
    prepare(folder)
    for name in METHODS:
        succeed(qpfs("select", *READ, "--method", name, "--top", 4, "--out", name, cwd=folder))
    return folder


@pytest.fixture(scope="module")
def writers(folder):
    with writers_in(folder, 3) as writers:
        yield writers


def clean(folder):
    for path in (folder / "disk").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def contents(folder):
    """What tells the results of the writers apart; the page by the command that it names."""
    found = result_in(folder / "disk")
    for name, data in files_in(folder / "disk").items():
        if name.endswith(".html"):
            found[name] = page_of(data)
    return {name: one for name, one in found.items() if not name.endswith("records.jsonl")}


def page_of(page: bytes) -> object:
    """Of which method a page is."""
    text = re.sub(rb"<[^>]*>", b"", page)
    (found,) = {name for name in METHODS if f"--method {name} ".encode() in text}
    return found


@pytest.fixture(scope="module")
def alone(folder, writers):
    """What each writer ends with if it is alone."""
    known = {}

    def of(name):
        if name not in known:
            known[name] = []
            for writer, typed in zip(writers, WORKS[name].typed, strict=True):
                clean(folder)
                (run,) = at_once([writer], [typed])
                succeed(run)
                known[name].append(contents(folder))
        first, second, third = known[name]
        for file in first:
            if (folder / "disk" / file).is_file():
                assert first[file] != second[file] != third[file] != first[file], file
        return known[name]

    return of


def check_runs(runs):
    """All ended well, or said in one line that another one is at it; which ended well."""
    for run in runs:
        if run.returncode:
            check_one_line(run)
            assert run.returncode == 2, run
            assert any(words in run.stderr for words in BUSY), run.stderr
    return [i for i, run in enumerate(runs) if run.returncode == 0]


@pytest.mark.parametrize("often", HOW_OFTEN)
@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_there_yet(folder, writers, alone, name, often):
    expected = alone(name)
    for _ in range(ROUNDS[often]):
        clean(folder)
        well = check_runs(at_once(writers, WORKS[name].typed))
        assert len(well) == 1
        assert contents(folder) == expected[well[0]]
        assert not list((folder / "tmp").iterdir())


@pytest.mark.parametrize("often", HOW_OFTEN)
@pytest.mark.parametrize("name", EVERY)
def test_all_may_write_over_it(folder, writers, alone, name, often):
    expected = alone(name)
    clean(folder)
    for _ in range(ROUNDS[often]):
        well = check_runs(at_once(writers, [(*typed, "--force") for typed in WORKS[name].typed]))
        assert well
        assert contents(folder) in [expected[i] for i in well]
        assert not list((folder / "tmp").iterdir())


def test_records_of_all_are_whole(folder, writers):
    work = WORKS["compare"]
    keys = set()
    for typed in work.typed:
        clean(folder)
        succeed(qpfs(*typed, cwd=folder))
        keys |= set(records_in(folder))
    for _ in range(2):
        clean(folder)
        check_runs(at_once(writers, [(*typed, "--force") for typed in work.typed]))
        found = records_in(folder)
        assert set(found) == keys
        assert len(found) == len(keys)


def records_in(folder: Path) -> list[str]:
    """The key of each record, in order."""
    lines = (folder / "disk" / "o" / "records.jsonl").read_bytes().splitlines()
    return [json.dumps(json.loads(line)["key"]) for line in lines[1:]]


@pytest.fixture
def drafts(tmp_path):
    """Makes drafts of stores for one place; each store has another number of features."""
    path = tmp_path / "o.qpfs"

    def draft(n_features, *, force=False):
        columns = checked_columns(ThreeSegments(), np.eye(9, n_features), reset=True)
        about = About(None, {}, None, None, checksum="of the source")
        made = Draft(path, columns, ThreeSegments(), about, force=force, check=lambda: None)
        if not made.n_done:
            made.add(0, None)
        return made, about

    return path, draft


def test_who_has_finished_a_store_leaves_the_next_one_alone(drafts):
    path, draft = drafts
    first, about = draft(4)
    first.finish(about)
    second, _ = draft(5, force=True)
    first.__exit__(None, None, None)
    second.finish(about)
    second.__exit__(None, None, None)
    assert open_store(path, verify=True).n_features == 5
    assert list(path.parent.iterdir()) == [path]


def test_strips_of_a_run_that_has_just_finished_are_removed_by_whoever_has_the_folder(drafts):
    path, draft = drafts
    first, about = draft(4)
    first.finish(about)
    with pytest.raises(FileExistsError, match="exists; choose another"):
        draft(5)
    assert list(path.parent.iterdir()) == [path]
    first.__exit__(None, None, None)
    assert open_store(path, verify=True).n_features == 4
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_another_run_has_just_removed_is_made_again(drafts, monkeypatch):
    path, draft = drafts
    made, left = Path.mkdir, [1]

    def removed(self, *args, **options):
        made(self, *args, **options)
        if left and self.name.endswith(".partial"):
            left.pop()
            self.rmdir()

    monkeypatch.setattr(Path, "mkdir", removed)
    one, about = draft(4)
    one.finish(about)
    one.__exit__(None, None, None)
    assert not left
    assert open_store(path).n_features == 4


def test_a_folder_that_goes_while_it_is_made_is_made_again(drafts, monkeypatch):
    path, draft = drafts
    made, left = Path.mkdir, [1]

    def gone(self, *args, **options):
        if left and self.name.endswith(".partial"):  # there at first, and no folder when `mkdir` looks again
            left.pop()
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self))
        made(self, *args, **options)

    monkeypatch.setattr(Path, "mkdir", gone)
    one, about = draft(4)
    one.finish(about)
    one.__exit__(None, None, None)
    assert not left
    assert open_store(path).n_features == 4


def test_blocks_that_another_run_has_just_moved_are_made_again(drafts, monkeypatch):
    path, draft = drafts
    locked, left = disk_draft.locked, [1]

    def moved(file):
        if left:
            left.pop()
            (path.with_name("o.qpfs.partial") / "blocks").replace(path.with_name("other"))
        return locked(file)

    monkeypatch.setattr(disk_draft, "locked", moved)
    one, about = draft(4)
    one.finish(about)
    one.__exit__(None, None, None)
    assert not left
    assert open_store(path).n_features == 4


def test_a_store_that_came_meanwhile_is_not_written_over(drafts):
    path, draft = drafts
    one, about = draft(4)
    path.write_bytes(b"of somebody else")
    with pytest.raises(FileExistsError, match="exists; choose another"), one:
        one.finish(about)
    assert path.read_bytes() == b"of somebody else"
    path.unlink()
    with draft(4)[0] as again:
        assert again.n_done == 1  # what was done is not lost
        again.finish(about)
    assert open_store(path).n_features == 4


def test_the_command_keeps_what_is_done_if_another_file_came(folder, monkeypatch):
    clean(folder)
    finish, out = Draft.finish, folder / "disk" / "o.qpfs"

    def late(self, about):
        out.write_bytes(b"of somebody else")
        finish(self, about)

    with monkeypatch.context() as patch:
        patch.setattr(Draft, "finish", late)
        run = qpfs(*WORKS["encode"].typed[0], cwd=folder)
    check_one_line(run)
    assert "exists" in run.stderr
    assert out.read_bytes() == b"of somebody else"
    assert out.with_name("o.qpfs.partial").is_dir()
    succeed(qpfs(*WORKS["encode"].typed[0], "--force", cwd=folder))
    assert list((folder / "disk").iterdir()) == [out]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_came_meanwhile_is_not_written_over(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refused)
    path = tmp_path / "page.html"
    with pytest.raises(FileExistsError, match="exists; choose another"):
        write_late(path)
    assert path.read_text() == "of somebody else"
    assert list(tmp_path.iterdir()) == [path]
    path.unlink()
    with written_whole(path, force=False) as staged:
        staged.write_text("ours")
    assert path.read_text() == "ours"
    with written_whole(path, force=True) as staged:
        staged.write_text("ours again")
    assert path.read_text() == "ours again"
    assert list(tmp_path.iterdir()) == [path]


def write_late(path):
    """Writes a file, where there is one by the time that it is written."""
    with written_whole(path, force=False) as staged:
        staged.write_text("ours")
        path.write_text("of somebody else")


def refused(self, target):
    raise PermissionError(1, "a drive without links", str(self))
