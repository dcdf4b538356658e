"""The types that users see: `py.typed` is there, and mypy finds what a typed example expects."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import qpfs

EXAMPLE = Path(__file__).with_name("typed_example.py")


@pytest.mark.slow  # mypy reads all libraries anew; `make dist-test` has it check the wheel
def test_a_typed_example_agrees_with_the_installed_package(tmp_path):
    pytest.importorskip("mypy")
    installed = environment(tmp_path / "env", Path(qpfs.__file__).parents[1])
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--warn-unused-ignores"]
    command += ["--python-executable", installed, "--cache-dir", tmp_path / "cache", EXAMPLE.name]
    (tmp_path / EXAMPLE.name).write_bytes(EXAMPLE.read_bytes())
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout == "Success: no issues found in 1 source file\n", run.stdout + run.stderr


def environment(place: Path, package: Path) -> Path:
    """The Python of an environment with the package that is tested, and with all others that are here."""
    venv.create(place)
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ask = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    others = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")}
    Path(site, "here.pth").write_text("\n".join([str(package), *sorted(others)]) + "\n", encoding="utf-8")
    return python
