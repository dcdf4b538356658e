"""All commands under one name."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from qpfs.cli.apply import apply
from qpfs.cli.bench import bench
from qpfs.cli.compare import compare
from qpfs.cli.datasets import datasets
from qpfs.cli.encode import encode
from qpfs.cli.help import Command, Group
from qpfs.cli.paper import paper
from qpfs.cli.redraw import report
from qpfs.cli.running import answered
from qpfs.cli.select import select
from qpfs.methods import METHODS

app = typer.Typer(
    cls=Group,
    help="Which few columns say the most about the target while saying different things?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
METHOD_LIST = "\n\n".join(f"[bold]{name}[/bold]: {entry.says}." for name, entry in METHODS.items())

app.command(cls=Command, epilog=METHOD_LIST)(select)
app.command(cls=Command, epilog=METHOD_LIST)(compare)
app.command(cls=Command)(encode)
app.command(cls=Command)(apply)
app.command(cls=Command)(report)
app.command(cls=Command)(paper)
app.command(cls=Command, epilog=METHOD_LIST)(bench)
app.add_typer(datasets, name="datasets")


def show_version(asked: bool) -> None:
    """Prints the version and ends, if asked to."""
    if asked:
        with answered():
            from qpfs import __version__

            sys.stdout.write(f"qpfs {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Feature selection that says how sure it is."""
