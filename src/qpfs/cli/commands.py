"""All commands under one name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from qpfs.cli.fields import as_options
from qpfs.cli.help import Command, Group
from qpfs.cli.methods import method_options
from qpfs.cli.running import answered
from qpfs.methods import METHODS, RIVALS

HOMES = {  # the module of each command, as the help lists them
    "select": "select",
    "compare": "compare",
    "encode": "encode",
    "apply": "apply",
    "report": "redraw",
    "bench": "bench",
    "datasets": "datasets",
}
HELP = "Feature selection: few columns, relevant to a target and not redundant, with a report on why."
METHOD_LIST = "\n\n".join(f"[bold]{name}[/bold]: {entry.says}." for name, entry in METHODS.items())
RIVAL_LIST = "\n\n".join(f"[bold]{name}[/bold]: {entry.says}." for name, entry in RIVALS.items())
LISTS = {  # below the options of a command
    "select": METHOD_LIST,
    "compare": f"{METHOD_LIST}\n\nMethods of other packages:\n\n{RIVAL_LIST}",
    "bench": METHOD_LIST,
}
MOVED_TO = (
    "the publication's tables are made in a checkout of the project, by its folder reproduction: "
    "make paper-quick, or make paper"
)
MOVED = {"allow_extra_args": True, "ignore_unknown_options": True}


def app_for(words: Sequence[str]) -> typer.Typer:
    """The commands; if the first word names one, only that one is made."""
    app = typer.Typer(
        cls=Group,
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(root)
    for name in [words[0]] if words and words[0] in HOMES else HOMES:
        add(app, name)
    app.command(cls=Command, hidden=True, help=f"Moved: {MOVED_TO}.", context_settings=MOVED)(paper)
    return app


def add(app: typer.Typer, name: str) -> None:
    """Adds a command, or a group of them."""
    found = getattr(import_module(f"qpfs.cli.{HOMES[name]}"), name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name)
        return
    command = as_options(found, method_options() if name == "select" else None)
    app.command(cls=Command, epilog=LISTS.get(name))(command)


def paper() -> None:
    with answered():
        from qpfs.messages import UsageError

        raise UsageError(f"{MOVED_TO}.")


def show_version(asked: bool) -> None:
    """Prints the version and ends, if asked to."""
    if asked:
        with answered():
            from qpfs import __version__

            sys.stdout.write(f"qpfs {__version__}\n")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Feature selection that reports its uncertainty."""
