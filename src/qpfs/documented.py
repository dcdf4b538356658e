"""Descriptions of parameters that many classes or functions have, written once.

A line `{name}` in the docstring of a class or a function is replaced by the description of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import update_wrapper
from textwrap import dedent, indent
from types import FunctionType
from typing import TypeVar

Class = TypeVar("Class", bound=type)
Documented = TypeVar("Documented", bound=Callable[..., object])  # a class, or a function
SECTION = re.compile(r"^ *Parameters\n *-+\n.*?(?=\n\n *Examples\n)", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)  # from Python 3.13 on without the indentation of a class


def with_descriptions(doc: str, descriptions: Mapping[str, str]) -> str:
    """A docstring with the descriptions in it."""
    return FIELD.sub(lambda found: indent(dedent(descriptions[found[2]]).strip("\n"), found[1]), doc)


def documented_by(descriptions: Mapping[str, str]) -> Callable[[Documented], Documented]:
    """A decorator that puts descriptions into the docstring of a class or a function."""

    def documented(part: Documented) -> Documented:
        if part.__doc__ is not None:  # python -OO drops them
            part.__doc__ = with_descriptions(part.__doc__, descriptions)
        return part

    return documented


def searching(cls: Class) -> Class:
    """The class of a search, with `{search}` replaced by what it shares with its base class, in words."""
    found = SECTION.search(cls.__bases__[0].__doc__ or "")
    init = vars(cls.__bases__[0])["__init__"]
    # The inherited constructor under a name of its own, which Python shows in errors.
    own = FunctionType(init.__code__, init.__globals__, init.__name__, init.__defaults__, init.__closure__)
    update_wrapper(own, init).__qualname__ = f"{cls.__qualname__}.__init__"
    own.__kwdefaults__ = init.__kwdefaults__
    type.__setattr__(cls, "__init__", own)
    usual = "As :class:`~qpfs.SelectionCV` with this method and its usual grid."
    return documented_by({"search": f"{usual}\n\n{dedent(found[0])}" if found else usual})(cls)
