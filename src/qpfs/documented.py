"""What is said of a parameter that many classes have, written once.

A line `{name}` in the docstring of a class stands for the description of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import dedent, indent
from typing import TypeVar

Class = TypeVar("Class", bound=type)
FIELD = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)  # from Python 3.13 on without the indentation of a class


def documented_by(descriptions: Mapping[str, str]) -> Callable[[Class], Class]:
    """A decorator that puts descriptions into the docstring of a class."""

    def documented(cls: Class) -> Class:
        if cls.__doc__ is not None:  # Python may have been told to drop them
            cls.__doc__ = FIELD.sub(
                lambda found: indent(dedent(descriptions[found[2]]).strip("\n"), found[1]), cls.__doc__
            )
        return cls

    return documented
