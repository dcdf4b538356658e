"""Help that says what to give, and not what Python makes of it."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        return worded(super().get_params(ctx))


class Group(TyperGroup):
    """A command that has others."""

    def get_params(self, ctx: Any) -> list[Any]:
        return worded(super().get_params(ctx))


def worded(params: list[Any]) -> list[Any]:
    """Parameters without types: an option that takes a value has a word for it, and a flag takes none."""
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
        elif param.is_flag:
            param.metavar = ""
    return params
