"""The reference lists every public name, and each estimator says what a reader of its page looks for."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import qpfs

DOCS = Path(__file__).parents[1] / "docs"
NOT_FOR_PYTHON = {"qpfs.cli"}


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "_extensions" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


api_pages = loaded("api_pages")
ESTIMATORS = [name for name in qpfs.__all__ if hasattr(getattr(qpfs, name), "get_params")]
CITING = [name for name in ESTIMATORS if name not in {"AsCodes", "EqualFrequency", "EqualWidth"}]


def test_every_room_is_in_the_reference():
    rooms = {f"qpfs.{one.name}" for one in pkgutil.iter_modules(qpfs.__path__) if one.ispkg} - NOT_FOR_PYTHON
    assert rooms <= api_pages.ROOMS.keys()


def test_every_public_name_has_an_entry():
    listed, parts = set(), set()
    for room, names in api_pages.public().items():
        text = api_pages.page(room, api_pages.ROOMS[room], names)
        for name in names:
            assert f"\n   {name}\n" in text
            parts.add(id(getattr(importlib.import_module(room), name)))
            listed.add(f"{room}.{name}")
    for room in api_pages.ROOMS:
        for name in api_pages.names(room):
            assert id(getattr(importlib.import_module(room), name)) in parts, (room, name)
    assert {f"qpfs.{name}" for name in qpfs.__all__} <= listed


def test_no_two_pages_differ_in_case_alone():
    files = api_pages.file_names()
    full = [f"{room}.{name}" for room, names in api_pages.public().items() for name in names]
    shown = [files.get(name, name).lower() for name in full]
    assert len(set(shown)) == len(shown)


def sections(name):
    doc = inspect.cleandoc(getattr(qpfs, name).__doc__)
    return set(re.findall(r"^(.+)\n-{4,}$", doc, re.MULTILINE))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_has_parameters_an_example_and_its_neighbours(name):
    assert {"Parameters", "See Also", "Examples"} <= sections(name)
    assert ">>>" in getattr(qpfs, name).__doc__


@pytest.mark.parametrize("name", CITING)
def test_an_estimator_cites_what_it_implements(name):
    assert "References" in sections(name)


@pytest.mark.parametrize("name", [name for name in CITING if not name.endswith("CV")])
def test_an_estimator_says_what_differs_from_its_publication(name):
    assert re.search(r"\bdiffer", getattr(qpfs, name).__doc__)


@pytest.mark.parametrize("name", ["qpfs.evaluation.AllFeatures", "qpfs.evaluation.rivals.Rival"])
def test_an_estimator_of_another_room_has_an_example_and_its_neighbours(name):
    room, _, last = name.rpartition(".")
    doc = inspect.cleandoc(getattr(importlib.import_module(room), last).__doc__)
    assert {"See Also", "Examples"} <= set(re.findall(r"^(.+)\n-{4,}$", doc, re.MULTILINE))


def test_neighbours_exist():
    for name in ESTIMATORS:
        doc = inspect.cleandoc(getattr(qpfs, name).__doc__)
        found = re.search(r"^See Also\n-+\n(.*?)\n\n", doc, re.DOTALL | re.MULTILINE)
        for line in found[1].splitlines():
            other = line.partition(" : ")[0].strip()
            room, _, last = other.rpartition(".")
            assert hasattr(importlib.import_module(room or "qpfs"), last), (name, other)


def test_bibtex_has_every_publication_of_the_selectors():
    bib = (DOCS / "references.bib").read_text(encoding="utf-8").lower()
    years = set(re.findall(r"year\s*=\s*\{(\d{4})\}", bib))
    for name in CITING:
        doc = inspect.cleandoc(getattr(qpfs, name).__doc__)
        text = re.search(r"^References\n-+\n(.*?)(\n\n|\Z)", doc, re.DOTALL | re.MULTILINE)[1]
        for entry in re.split(r"\.\. \[\d\] ", text)[1:]:
            if "as cited in" not in entry:
                year = re.findall(r"\b(?:19|20)\d\d\b", entry)[-1]
                surname = re.match(r"(?:[A-Z]\.[ -]?)+([\w-]+)", entry)[1].lower()
                assert year in years, (name, entry)
                assert re.search(rf"author\s*=\s*\{{{surname}", bib), (name, entry)
