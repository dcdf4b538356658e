"""A disk that is full: one line, nothing lost, and the next run ends as if nothing had been."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from tests.faults.disks import full_at
from tests.faults.works import (
    WORKS,
    begin,
    check_nothing_lost,
    check_one_line,
    files_in,
    prepare,
    result_in,
    succeed,
)

from qpfs import MaxRel, open_store, write_store
from qpfs.evaluation import Records

PAGE = 4096
NO_ROOM = ("No space left on device", "File too large", "there is no room left")
SOME = ("select in place of another", "encode svmlight", "apply to packed text", "fetch an address")
LIGHT = ("report in place of another", *SOME[1:])  # writing over a result by the quickest command that does
EVERY = [pytest.param(name, marks=[] if name in LIGHT else pytest.mark.slow) for name in WORKS]
posix = pytest.mark.skipif(sys.platform == "win32", reason="limits and mounts as on POSIX")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    prepare(folder)
    return folder


@pytest.fixture(scope="module")
def expected(folder):
    """What each work ends with if nothing happens to it."""
    found = {}

    def of(name):
        if name not in found:
            begin(WORKS[name], folder)
            succeed(WORKS[name].run(folder))
            found[name] = result_in(folder / "disk")
        return found[name]

    return of


def check(folder, work, expected, fault):
    """Runs a work under a fault; whether it ended well. If not, the next run does."""
    before = begin(work, folder)
    with fault:
        run = work.run(folder)
    if run.returncode:
        check_one_line(run)
        assert any(why in run.stderr for why in NO_ROOM), run.stderr
        check_nothing_lost(folder, before, expected)
        succeed(work.run(folder))
    assert result_in(folder / "disk") == expected
    return run.returncode == 0


def steps():
    """Every step at the beginning, then fewer and fewer."""
    step = 1.0
    while step < 1000:
        yield int(step)
        step = step + 1 if step < 6 else step * 1.6


def failed_steps(folder, work, expected, where, tried):
    """How many of the steps at which a folder can be full were tried."""
    for n, k in enumerate(tried):
        fault = full_at(k, folder / where)
        if check(folder, work, expected, fault) and not fault.failed:
            return n
    raise AssertionError("there were always more steps")


@pytest.mark.parametrize("name", SOME)
def test_full_at_some_steps(folder, expected, name):
    assert failed_steps(folder, WORKS[name], expected(name), "disk", steps()) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_full_at_every_step(folder, expected, name):
    assert failed_steps(folder, WORKS[name], expected(name), "disk", range(1, 1000)) > 3


@pytest.mark.parametrize("name", EVERY)
def test_a_full_folder_for_temporary_files(folder, expected, name):
    failed_steps(folder, WORKS[name], expected(name), "tmp", range(1, 100))


def test_no_room_to_unpack_is_not_said_of_the_file(folder, expected):
    with full_at(2, folder / "tmp"):
        run = WORKS["encode packed text"].run(folder)
    assert "free space (TMPDIR names another folder)" in run.stderr
    assert "No space left on device" in run.stderr
    assert "fetch it again" not in run.stderr


@contextmanager
def limited(size):
    """No file grows beyond a size."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@posix
@pytest.mark.parametrize("name", EVERY)
def test_files_that_may_not_grow(folder, expected, name):
    largest = max(map(len, [*files_in(folder / "disk").values(), b"1"]))
    sizes = [0, 1, 63, 64, 65, 500, 2000, 5000, 9000, 20_000, largest - 1]
    ended = [check(folder, WORKS[name], expected(name), limited(size)) for size in sizes]
    assert not ended[0]


@contextmanager
def mounted(path, size):
    """A disk of its own at a path; skips, saying so, where that is not allowed."""
    kind = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path]
    try:
        made = subprocess.run(kind, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no disk can be mounted here: there is no mount")
    if made.returncode:
        pytest.skip(f"no disk can be mounted here: {made.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


@contextmanager
def filled(path, room):
    """A time in which a disk has so many bytes of room."""
    there = os.statvfs(path)
    with (path / "filling").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(there.f_bavail * there.f_frsize - room, 1))
    try:
        yield
    finally:
        (path / "filling").unlink()


@posix
@pytest.mark.parametrize("where", ["disk", "tmp"])
@pytest.mark.parametrize("name", EVERY)
def test_a_small_disk(folder, expected, name, where):
    answer, work = expected(name), WORKS[name]
    with mounted(folder / where, "4m"):
        rooms = (PAGE * (n - 1) for n in steps())
        assert any(check(folder, work, answer, filled(folder / where, room)) for room in rooms)


X = np.random.default_rng(1).normal(size=(50, 400))


def test_the_library_says_the_same(tmp_path):
    y = np.arange(50) % 2
    whole = write_store(X, tmp_path / "whole.qpfs", y).read_bytes()
    disk = tmp_path / "disk"
    disk.mkdir()
    page = MaxRel(2).fit(X, y).report()
    works = {
        "t.qpfs": lambda: write_store(X, disk / "t.qpfs", y),
        "r.jsonl": lambda: recorded(disk / "r.jsonl"),
        "p.html": lambda: page.save(disk / "p.html", force=True),
    }
    for name, work in works.items():
        for k in range(1, 100):
            with full_at(k, disk) as fault:
                if ended(work):
                    break
            assert fault.failed
            assert not list(disk.iterdir()) or name == "r.jsonl"
        assert k > 3
        assert [path.name for path in disk.iterdir()] == [name]
        assert name != "t.qpfs" or (disk / name).read_bytes() == whole
        (disk / name).unlink()


def recorded(path):
    with Records(path) as records:
        records.add({"a": 1}, {"b": 2})
    with Records(path) as records:
        assert records.get({"a": 1}) == {"b": 2}


def ended(work):
    try:
        work()
    except OSError as error:
        return "No space left on device" not in str(error) or error.filename is None
    return True


@posix
def test_a_store_on_a_small_disk_does_not_end_the_process(tmp_path):
    """Mapped files that there is no room for end a process; so none is written through a map without."""
    with mounted(tmp_path, "64k"):
        with pytest.raises(OSError, match="No space left on device"):
            write_store(np.tile(X, (4, 40)), tmp_path / "t.qpfs")
        assert list(tmp_path.iterdir()) == []
        assert open_store(write_store(X, tmp_path / "t.qpfs")).shape == X.shape
