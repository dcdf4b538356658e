"""Rooms whose names are imported on first use."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import qpfs

ROOT = Path(qpfs.__path__[0])
LAZY = ["qpfs"] + [
    f"qpfs.{path.parent.name}" for path in ROOT.glob("*/__init__.py") if "on_first_use" in path.read_text()
]


def test_rooms_are_found():
    assert {"qpfs.selectors", "qpfs.report", "qpfs.data", "qpfs.evaluation"} < {*LAZY}


@pytest.mark.parametrize("name", LAZY)
def test_each_name_is_what_types_say_it_is(name):
    """Names are written down for who checks types, for who imports all, and by their modules: all agree."""
    room = import_module(name)
    tree = ast.parse(inspect.getsource(room))
    block = next(one for one in tree.body if isinstance(one, ast.If))
    typed = {alias.name: found.module for found in block.body for alias in found.names}
    eager = {*room.__all__} - {*typed}
    assert {*typed} <= {*room.__all__} <= {*dir(room)}
    assert all(name in vars(room) for name in eager)
    for one, module in typed.items():
        assert getattr(room, one) is getattr(import_module(module), one)
    assert not {*typed} & {path.stem for path in Path(room.__path__[0]).iterdir()}  # a module would hide it
    assert not hasattr(room, "no_such_name")
