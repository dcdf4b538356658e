"""`qpfs datasets`: tables by name."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qpfs.cli import options as o
from qpfs.cli.help import Command, Group
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.sources import use_folder
from qpfs.cli.terminal import plain_table, print_json

if TYPE_CHECKING:
    from qpfs.data import Entry

datasets = typer.Typer(
    cls=Group, help="Data sets that can be named in place of a file.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(metavar="NAME", show_default=False)]


@datasets.command("list", cls=Command)
def list_sets(as_json: o.Json = False, folder: o.Folder = None) -> None:
    """List the data sets, and which of them are on this computer."""
    with answered():
        use_folder(folder)
        from qpfs.data import entries

        found = entries()
        if as_json:
            print_json([asdict(entry) for entry in found])
        else:
            show_list(found)


@datasets.command(cls=Command)
def show(name: Name, folder: o.Folder = None) -> None:
    """Show a data set: its shape, classes, source and licence."""
    with answered():
        use_folder(folder)
        from qpfs.data import entry

        show_entry(entry(name))


@datasets.command(cls=Command)
def fetch(
    name: Name,
    to: Annotated[
        Path | None, o.option("DIR", "The folder; by default the one for downloads.", parser=o.to_write)
    ] = None,
    folder: o.Folder = None,
    quiet: o.Quiet = False,
) -> None:
    """Download a data set, and verify its checksum."""
    with answered(quiet=quiet):
        use_folder(folder)
        from qpfs.data import fetch as fetched

        log = Log(quiet=quiet)
        with log.steps(f"fetching {name}") as tick:
            path = fetched(name, to, tick=tick)
        log.say(f"{name} is in {path}")


def show_list(entries: list[Entry]) -> None:
    """Prints a line for each set: those built in, then those in the data folder."""
    from rich.console import Console

    from qpfs.data import stored_names

    console = Console(highlight=False)
    wide = console.width >= 100
    sizes = ["samples", "features", "classes"] if wide else ["shape"]
    table = plain_table(["name", *sizes, "what"], left={"name", "what"})
    table.columns[0].no_wrap = True
    for entry in entries:
        counts = [str(entry.n_samples), str(entry.n_features), str(len(entry.classes) or "-")]
        table.add_row(entry.name, *(counts if wide else [" x ".join(counts[:2])]), entry.title)
    for name in stored_names():
        table.add_row(name, *["-"] * len(sizes), "in the data folder")
    console.print(table)


def show_entry(entry: Entry) -> None:
    """Prints the description of a set."""
    from rich.console import Console
    from rich.text import Text

    classes = ", ".join(f"{name} {n}" for name, n in entry.classes) or "none: the target is a quantity"
    facts = {
        "shape": f"{entry.n_samples} samples, {entry.n_features} features",
        "classes": classes,
        "source": entry.source,
        "licence": entry.licence,
        "how to get it": entry.how,
    }
    console = Console(highlight=False)
    console.print(Text(f"{entry.name}: {entry.title}", style="bold"), soft_wrap=True)
    for name, fact in facts.items():
        console.print(Text(f"{name:>13}  {fact}"), soft_wrap=True)
