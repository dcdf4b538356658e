"""Help that says what to give, and not what Python makes of it."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Worded:
    """Shows no types: an option that takes a value has a word for it, and a flag takes none."""

    def get_params(self, context: Any) -> list[Any]:
        params: list[Any] = super().get_params(context)  # type: ignore[misc]
        for param in params:
            if param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None
            elif param.is_flag:
                param.metavar = ""
        return params


class Command(Worded, TyperCommand):
    """A command."""


class Group(Worded, TyperGroup):
    """A command that has others."""
