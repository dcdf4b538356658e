"""What is released, tried as a user has it: `make dist-test`, or `python tests/released.py dist PYTHON ...`.

For each Python an empty environment in a temporary folder: the wheel is installed there with the newest
versions of what it needs, and for Python 3.11 with the oldest, too. The examples of the README and the
command run from it, in a folder without the sources, and mypy checks a typed example. Last, some tests run
in the unpacked source distribution.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from oldest import oldest

OLDEST = (3, 11)  # for whose Python the oldest versions were made
BESIDE = ("pandas",)  # what the README's examples need beyond the package
SOME = ("tests/program", "tests/test_files.py", "tests/test_public.py", "tests/test_release.py")
SECONDS = 1800

EXAMPLES = """
import doctest, pathlib, sys
import qpfs
place = pathlib.Path(qpfs.__file__).resolve()
assert pathlib.Path(sys.prefix).resolve() in place.parents, f"{place} is not the installed package"
assert (place.parent / "py.typed").exists()
options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
for page, least in (("README.md", 8), ("python.md", 30)):
    path = pathlib.Path(page)
    lines = path.read_text(encoding="utf-8").splitlines()  # a fence is no output of the example above it
    path.write_text("\\n".join("" if line.startswith("```") else line for line in lines), encoding="utf-8")
    found = doctest.testfile(page, module_relative=False, optionflags=options, encoding="utf-8")
    print(f"qpfs {qpfs.__version__}, {page}: {found.attempted} examples, {found.failed} failed")
    if found.failed or found.attempted < least:
        sys.exit(1)
"""


def main(folder: Path, pythons: Iterable[str]) -> None:
    """Tries everything; ends at the first thing that does not work."""
    wheel, source = only(folder, "*.whl"), only(folder, "*.tar.gz")
    for python in pythons:
        version = version_of(python)
        if version is None:
            say(f"{python}: not here, left out")
            continue
        tried(wheel, source, python, [])
        if version == OLDEST:
            tried(wheel, source, python, [one for one in oldest() if "[" not in one])
    some_tests(source)


def tried(wheel: Path, source: Path, python: str, pinned: list[str]) -> None:
    """Installs the wheel into an empty environment, held to some versions, and runs what a user would."""
    with tempfile.TemporaryDirectory(prefix="qpfs-released-") as made:
        here = Path(made)
        (here / "pinned.txt").write_text("\n".join(pinned), encoding="utf-8")
        own = environment(
            python, here / "env", [str(wheel), *BESIDE, "--constraint", str(here / "pinned.txt")]
        )
        for page in ("README.md", "docs/python.md"):
            member(source, page, here)
        say(f"{python}, {'oldest' if pinned else 'newest'} versions: {', '.join(versions(own))}")
        run(own, "-c", EXAMPLES, cwd=here)
        command = own.parent / "qpfs"
        run(command, "--version", cwd=here)
        run(command, "select", "wdbc", "--top", "5", "--out", "result", cwd=here)
        for name in ("report.html", "selection.csv", "selection.json"):
            assert (here / "result" / name).stat().st_size > 1000, name
        if not pinned:
            typed(own, source, here)


def typed(own: Path, source: Path, here: Path) -> None:
    """Has mypy check a typed example against the installed package."""
    run(own, "-m", "pip", "install", "--quiet", "mypy")
    member(source, "tests/typed_example.py", here)
    run(own, "-m", "mypy", "--strict", "--config-file=", "typed_example.py", cwd=here)


def some_tests(source: Path) -> None:
    """Runs some tests in the unpacked source distribution, as whoever packages it would."""
    with tempfile.TemporaryDirectory(prefix="qpfs-released-") as made:
        with tarfile.open(source) as archive:
            archive.extractall(made, filter="data")
        (tree,) = Path(made).iterdir()
        own = environment(sys.executable, Path(made, "env"), [f"{tree}[test]"])
        say("some tests in the source distribution")
        run(own, "-m", "pytest", "-q", "-m", "not slow", *SOME, cwd=tree)


def environment(python: str, place: Path, needed: list[str]) -> Path:
    """The Python of a new environment with what is needed, and nothing else."""
    run(python, "-m", "venv", place)
    own = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "pip")
    run(own, "-m", "pip", "install", "--quiet", "--prefer-binary", *needed)
    run(own, "-m", "pip", "check")
    return own


def run(program: str | Path, *arguments: str | Path, cwd: Path | None = None) -> None:
    """Runs a program that sees no other sources of the package and keeps no code of other runs."""
    known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    known |= {"MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([program, *arguments], check=True, cwd=cwd, env=known, timeout=SECONDS)


def versions(own: Path) -> list[str]:
    """Python and the libraries that matter most, with their versions."""
    code = (
        "import platform; from importlib.metadata import version; "
        "print('python', platform.python_version()); "
        "names = 'numpy', 'scipy', 'scikit-learn', 'numba', 'pandas', 'pyarrow'; "
        "[print(one, version(one)) for one in names]"
    )
    return subprocess.run([own, "-c", code], check=True, capture_output=True, text=True).stdout.splitlines()


def version_of(python: str) -> tuple[int, ...] | None:
    """The version of a Python; None if there is none that works under the name."""
    if shutil.which(python) is None:
        return None
    code = "import sys; print(*sys.version_info[:2])"
    answer = subprocess.run([python, "-c", code], check=False, capture_output=True, text=True)
    return tuple(map(int, answer.stdout.split())) if answer.returncode == 0 else None


def member(source: Path, name: str, place: Path) -> None:
    """Takes one file out of a source distribution."""
    with tarfile.open(source) as archive:
        found = next(one for one in archive.getnames() if one.partition("/")[2] == name)
        place.joinpath(Path(name).name).write_bytes(archive.extractfile(found).read())


def only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.resolve().glob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} files {pattern}; expected one: run `make dist`.")
    return found[0]


def say(what: str) -> None:
    sys.stdout.write(what + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
