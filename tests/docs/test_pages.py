"""The pages of the documentation, performed: every block of code, and every command in the text.

A page's blocks run in their order in a folder of their own. What a block is, its fence names:

- `pycon`: a doctest; the blocks of a page share their names.
- `console`: commands, and the lines of output that are shown below each.
- `sh`: commands that are not run, as their files are the reader's: the command, its options, the target of
  `make` or the extra of `pip` must exist.
- `python`: another package, run after the page's doctests where it is installed (slow).
- `toml`, `bibtex`: read by a parser, or compared with what they repeat.

Other fences are an error, so that no block can be forgotten.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import re
import runpy
import shlex
import tomllib
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest
import typer
from tests.cli.command import qpfs
from tests.test_recipes import RECIPES

import qpfs as package
from qpfs.cli.commands import app_for

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
TEXTS = sorted({*PAGES, *ROOT.glob("*.md"), *ROOT.glob("[br]*/README.md"), *DOCS.glob("decisions/*.md")})
FENCE = re.compile(r"^(`{3,}|:{3,})([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
PERFORMED = {"pycon", "console"}
CHECKED = {"sh", "python", "toml", "bibtex", "text"}
INLINE = re.compile(r"`(qpfs \w[^`]*)`")
LEFT_OUT = ("MissingParameter", "BadOptionUsage", "Exit")  # `qpfs select --fdr` within a sentence; `--help`
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page, languages):
    """The blocks of a page in some languages: the language, the text, and the line that it begins in."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        if found[2] in languages:
            yield found[2], found[3], text.count("\n", 0, found.start())


def with_blocks(*languages):
    return [page for page in PAGES if any(blocks(page, languages))]


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


def performed(page):
    """Runs the blocks of a page in their order; the names that its Python leaves."""
    names = {}
    for language, text, line in blocks(page, PERFORMED):
        if language == "pycon":
            examined(text, names, page, line)
        else:
            for arguments, shown in commands(text):
                typed(arguments, shown)
    return names


@pytest.mark.parametrize("page", with_blocks(*PERFORMED), ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    performed(page)


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_has_a_language_that_is_tested(page):
    for found in FENCE.finditer(page.read_text(encoding="utf-8")):
        assert found[2].startswith("{") or found[2] in PERFORMED | CHECKED, found[0][:200]


def known(line, left_out=()):
    """Raises if a command line names a command, an option, a target or an extra that does not exist."""
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert words[1] in targets, line
    elif words[:2] == ["pip", "install"]:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        asked = {
            extra for word in words for found in re.findall(r"\[(.*)\]", word) for extra in found.split(",")
        }
        assert asked <= project["optional-dependencies"].keys(), line
    else:
        assert words[0] == "qpfs", line
        command = typer.main.get_command(app_for(words[1:]))
        context = command.make_context("qpfs", words[1:], resilient_parsing=True)
        while words := words[1:]:
            name, command, words = command.resolve_command(context, words)
            if not hasattr(command, "resolve_command"):
                with suppressed(left_out):
                    command.make_context(name, words, parent=context)
                break
            words = ["", *words]


@contextmanager
def suppressed(names):
    """Ignores exceptions by the names of their classes; typer has them from one package or another."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ not in names:
            raise


@pytest.mark.parametrize("page", with_blocks("sh"), ids=lambda page: page.stem)
def test_commands_of_the_reader_exist(page):
    for _, text, _ in blocks(page, {"sh"}):
        for line in text.splitlines():
            known(line)


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_within_the_text_exist(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for line in map(" ".join, map(str.split, INLINE.findall(text))):
        if "..." not in line and "|" not in line:
            known(line, LEFT_OUT)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_commands_of_a_tutorial_exist(path):
    text = re.sub(r"^# ?", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    for line in re.findall(r"^ +\$ (.*)$", text, re.MULTILINE):
        known(line)


@pytest.mark.slow
@pytest.mark.parametrize("page", with_blocks("python"), ids=lambda page: page.stem)
def test_other_packages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = performed(page)
    for _, text, _ in blocks(page, {"python"}):
        imports = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.ImportFrom)]
        if all(importlib.util.find_spec(one.module.partition(".")[0]) for one in imports):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # those of other packages are theirs
                exec(text, names)


def test_the_entry_points_that_are_shown_are_those_of_the_recipes():
    ((_, text, _),) = blocks(DOCS / "extending.md", {"toml"})
    points = tomllib.loads(text)["project"]["entry-points"]
    shown = {group: next(iter(points[group].items())) for group in points}
    assert shown == {group: (name, f"my_package.{place}") for group, (name, place) in RECIPES.items()}


def test_the_citation_names_this_version():
    ((_, text, _),) = blocks(DOCS / "contrib.md", {"bibtex"})
    assert f"version = {{{package.__version__}}}" in text


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
