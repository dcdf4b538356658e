"""`qpfs paper`: the publication's tables and figures, regenerated."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from qpfs.cli import options as o
from qpfs.cli.progress import Log
from qpfs.cli.running import answered
from qpfs.cli.sources import use_folder


def paper(
    out: Annotated[
        Path,
        typer.Option(
            parser=o.to_write, metavar="DIR", help="A folder for the page, the tables and the records."
        ),
    ] = Path("paper"),
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look in minutes: few parameters, few splits.")
    ] = False,
    folder: o.DataFolder = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="SET", help="Only this set; as often as you like.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(parser=o.to_write, metavar="FILE", help="A copy of the document in Markdown."),
    ] = None,
    jobs: o.Jobs = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Begin anew, and overwrite an earlier result.")
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Regenerate the tables and figures of the publication, with its numbers beside ours."""
    with answered(quiet=quiet) as left:
        left.says = f"what is done is on record in {out}, and the same command goes on from there"
        from qpfs.paper import paper as regenerated

        use_folder(folder)
        if markdown is not None:
            check_copy(markdown, out, force=force)
        log = Log(quiet=quiet)
        with log.steps("regenerating") as tick:
            outcome = regenerated(
                out,
                quick=quick,
                sets=only,
                jobs=jobs,
                force=force,
                tick=lambda done, of, seconds, what: tick(done, of, what, seconds),
            )
        if markdown is not None:
            copy_document(outcome, markdown)
        tell(outcome, log)


def check_copy(path: Path, out: Path, *, force: bool) -> None:
    """Raises FileExistsError if the copy would take the place of a set, of a file of the run, or unasked."""
    from qpfs.files import check_free

    folders = [out, *(Path(named) for named in (os.environ.get("QPFS_DATA"),) if named)]
    check_free(
        path, force=force, read=[one for folder in folders if folder.is_dir() for one in folder.iterdir()]
    )


def copy_document(outcome: Any, path: Path) -> None:
    """Puts the Markdown document elsewhere too, whole."""
    from qpfs.files import written_whole

    source = next(one for one in outcome.paths if one.suffix == ".md")
    with written_whole(path) as staged:
        shutil.copyfile(source, staged)


def tell(outcome: Any, log: Log) -> None:
    """The main findings on standard output; what is missing, and where everything is, on standard error."""
    from rich.console import Console
    from rich.text import Text

    for missing in outcome.missing:
        log.note(missing)
    console = Console(highlight=False)
    for note in outcome.notes:
        console.print(Text(note), soft_wrap=True)
    log.say(f"wrote {outcome.paths[0]} and {len(outcome.paths) - 1} more files beside it")
