"""Help that shows what to give, and errors in one line that explain what is wrong with what was given."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from qpfs.cli.methods import other_names

NEAR = 0.7  # the similarity from which an option is suggested for a mistyped one
MISTYPED: Any = typer.BadParameter.__mro__[1]  # raised by Typer for any mistake in what was typed


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        return worded(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuses an option that is given twice, of which Typer would silently take the last."""
        try:
            given: list[Any] = self.make_parser(ctx).parse_args(args=list(args))[2]
        except MISTYPED as error:  # that a value is missing is raised without the command
            error.ctx = ctx
            raise
        for param, times in Counter(given).items():
            if times > 1 and param.param_type_name == "option" and not (param.multiple or param.is_flag):
                raise typer.BadParameter(f"given {times} times; it takes one value.", ctx, param)
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A command that has others."""

    def get_params(self, ctx: Any) -> list[Any]:
        return worded(super().get_params(ctx))


def worded(params: list[Any]) -> list[Any]:
    """Parameters without types in the help: options with a value show a word for it, flags show none."""
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
        elif param.is_flag:
            param.metavar = ""
    return params


def mistake(error: Any) -> str:
    """What is wrong with what was typed, and where to look; empty if help was shown."""
    if not error.format_message():
        return ""
    context = error.ctx
    help_of = f"`{context.command_path} --help`" if context else "`qpfs --help`"
    if not (hasattr(error, "option_name") and hasattr(error, "possibilities")):  # an option there is none of
        said = error.format_message().rstrip(".")
        return f"{said}{'' if said.endswith('?') else '.'} See {help_of}."
    near = near_options(error.option_name, context)
    hint = f"; did you mean --{' or --'.join(near)}?" if near else "."
    return f"there is no option {error.option_name}{hint} {help_of} lists them all."


def near_options(typed: str, context: Any) -> list[str]:
    """The options of a command that were probably meant: by their names here, or by those elsewhere."""
    known = [name.strip("-") for param in context.command.get_params(context) for name in param.opts]
    options = {other: name for name in known for other in other_names(name)} | {one: one for one in known}
    word = typed.strip("-").replace("_", "-")
    near = [word] if word in options else get_close_matches(word, options, 2, NEAR)
    return list(dict.fromkeys(options[one] for one in near))
