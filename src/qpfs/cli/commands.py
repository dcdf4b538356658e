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
from qpfs.cli.fields import as_options
from qpfs.cli.help import Command, Group
from qpfs.cli.methods import method_options
from qpfs.cli.redraw import report
from qpfs.cli.running import answered
from qpfs.cli.select import select
from qpfs.methods import METHODS

app = typer.Typer(
    cls=Group,
    help="Feature selection: few columns that together say the most about a target, with a report on why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
MOVED = {"allow_extra_args": True, "ignore_unknown_options": True}
METHOD_LIST = "\n\n".join(f"[bold]{name}[/bold]: {entry.says}." for name, entry in METHODS.items())

app.command(cls=Command, epilog=METHOD_LIST)(as_options(select, method_options()))
app.command(cls=Command, epilog=METHOD_LIST)(as_options(compare))
app.command(cls=Command)(as_options(encode))
app.command(cls=Command)(as_options(apply))
app.command(cls=Command)(as_options(report))
app.command(cls=Command, epilog=METHOD_LIST)(as_options(bench))
app.add_typer(datasets, name="datasets")


@app.command(cls=Command, hidden=True, context_settings=MOVED)
def paper() -> None:
    """Moved out of the package."""
    with answered():
        from qpfs.data import UsageError

        raise UsageError(
            "the publication's tables are made in a checkout of the project: make paper-quick, or make paper."
        )


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
