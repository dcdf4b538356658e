"""The pages of the documentation, performed: their Python, their commands, their tutorials.

A page's blocks run in their order in a folder of their own: `pycon` blocks are doctests that share their
names,
`console` blocks are commands whose lines of output, where they are shown, are to be found in what is printed.
"""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import warnings
from pathlib import Path

import pytest
from tests.cli.command import qpfs

DOCS = Path(__file__).parents[2] / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.py"))
FENCE = re.compile(r"^```(pycon|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
ELSEWHERE = {"own.md"}  # a doctest file of its own, see pyproject.toml
PAGES = [page for page in sorted(DOCS.glob("*.md")) if FENCE.search(page.read_text(encoding="utf-8"))]
PAGES = [page for page in PAGES if page.name not in ELSEWHERE]


def examined(text, names, page, line):
    """Runs a block of Python; its examples see and leave names."""
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), line)
    runner, said = doctest.DocTestRunner(optionflags=FLAGS), []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, "".join(said)


def commands(text):
    """The commands of a block, each with the lines of output that are shown below it."""
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        typed, _, shown = part.partition("\n")
        yield shlex.split(typed, comments=True), [one for one in shown.splitlines() if one.strip(" .")]


def typed(arguments, shown):
    assert arguments[0] == "qpfs", arguments
    run = qpfs(*arguments[1:])
    said = " ".join((run.stdout + run.stderr).split())
    assert run.returncode == 0, said
    for line in shown:
        pattern = ".*".join(map(re.escape, " ".join(line.split()).split("...")))
        assert re.search(pattern, said), f"{line!r} is not in:\n{run.stdout}\n{run.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    text, names = page.read_text(encoding="utf-8"), {}
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start())
        if found[1] == "pycon":
            examined(found[2], names, page, line)
        else:
            for arguments, shown in commands(found[2]):
                typed(arguments, shown)


@pytest.mark.first
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # some show what is warned of
            runpy.run_path(str(path), run_name="__main__")
    finally:
        pyplot.close("all")
