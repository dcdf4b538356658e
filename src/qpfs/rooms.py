"""Packages whose names are imported on first use, so that one name does not import everything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(
    room: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package, from the names that each of its modules has."""
    places = {name: module for module, names in modules.items() for name in names}
    known = vars(sys.modules[room])

    def found(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        known[name] = value = getattr(import_module(f"{room}.{places[name]}"), name)
        return value

    return found, lambda: sorted({*known, *places})
