"""Folders and files that may not be written to, or not be read, by a user who is not root."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.cli.command import qpfs
from tests.faults.users import as_user, mode, never_root
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

import qpfs as package

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions as on POSIX")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("read-only")
    prepare(folder)
    return folder


@pytest.mark.parametrize("name", WORKS)
def test_a_folder_that_may_not_be_written_to(folder, name):
    work = WORKS[name]
    before = begin(work, folder)
    folders = [folder / "disk", *(one for one in (folder / "disk").rglob("*") if one.is_dir())]
    with as_user(), mode(0o555, *folders):
        run = work.run(folder)
    check_one_line(run)
    assert "Permission denied" in run.stderr
    assert "disk" in run.stderr
    assert files_in(folder / "disk") == before
    check_nothing_lost(folder, before, {})
    succeed(work.run(folder))


@pytest.mark.parametrize("name", [name for name, work in WORKS.items() if work.before])
def test_a_result_that_is_read_only_is_replaced_whole_if_asked(folder, name):
    """As by any program that writes a new file and moves it to its place."""
    work = WORKS[name]
    begin(work, folder)
    succeed(work.run(folder))
    expected = result_in(folder / "disk")
    begin(work, folder)
    with as_user(), mode(0o444, *(one for one in (folder / "disk").rglob("*") if one.is_file())):
        succeed(work.run(folder))
        assert result_in(folder / "disk") == expected
        for path in (one for one in (folder / "disk").rglob("*") if one.is_file()):
            assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600


@pytest.mark.parametrize("name", ["select", "encode text", "encode packed text", "apply to text", "report"])
def test_a_file_that_may_not_be_read(folder, name):
    work = WORKS[name]
    before = begin(work, folder)
    read = [folder / "table.csv", folder / "table.csv.gz", folder / "selected" / "selection.json"]
    with as_user(), mode(0o000, *read):
        run = qpfs(*work.arguments, cwd=folder)
    check_one_line(run)
    assert "Permission denied" in run.stderr
    assert any(path.name in run.stderr for path in read)
    assert files_in(folder / "disk") == before


def test_records_that_may_not_be_written_to(folder):
    work = WORKS["compare"]
    begin(work, folder)
    succeed(work.run(folder))
    for name in ("comparison.csv", "comparison.json", "report.html"):
        (folder / "disk" / "c" / name).unlink()
    before = files_in(folder / "disk")
    with as_user(), mode(0o444, folder / "disk" / "c" / "records.jsonl"):
        run = work.run(folder)
    check_one_line(run)
    assert "records.jsonl: cannot be written (Permission denied)" in run.stderr
    assert files_in(folder / "disk") == before


def test_no_folder_for_temporary_files(folder):
    with (
        as_user(),
        mode(0o555, folder / "tmp"),
        patch.object(tempfile, "tempdir", str(folder / "tmp")),
    ):
        run = qpfs("select", "table.csv", "--target", "y", "--quiet", cwd=folder)
    check_one_line(run)
    assert "folder for temporary files cannot be written to (Permission denied)" in run.stderr
    assert "TMPDIR" in run.stderr


@pytest.fixture
def installed(tmp_path):
    """The package as root has installed it, without compiled code, and a user without a home."""
    source = Path(package.__file__).parent
    shutil.copytree(source, tmp_path / "site" / "qpfs", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "home").mkdir()
    folders = [one for one in tmp_path.rglob("*") if one.is_dir()]
    with mode(0o555, *folders):
        yield tmp_path


def as_installed(folder, *arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG"))}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        preexec_fn=never_root,
        timeout=300,
        env=kept
        | {
            "HOME": str(folder / "home"),
            "PYTHONPATH": str(folder / "site"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        | environment,
    )


@pytest.mark.slow
def test_a_package_of_root_used_by_someone_without_a_home(installed):
    run = as_installed(installed, "-m", "qpfs", "select", "iris", "--method", "maxrel", "--top", "2")
    assert run.returncode == 0, run.stderr
    assert "petal length" in run.stdout
    assert run.stderr.count("Compiled code could not be kept (neither the folder of the package nor") == 1
    assert "NUMBA_CACHE_DIR" in run.stderr
    assert not list((installed / "home").iterdir())


@pytest.mark.slow
def test_a_folder_for_compiled_code_can_be_named(installed, tmp_path_factory):
    kept = tmp_path_factory.mktemp("kept")
    arguments = ("-m", "qpfs", "select", "iris", "--method", "maxrel", "--top", "2")
    run = as_installed(installed, *arguments, NUMBA_CACHE_DIR=str(kept))
    assert run.returncode == 0, run.stderr
    assert "Compiled code" not in run.stderr
    assert list(kept.rglob("*.nbc"))
