"""How a command ends: well, or with one line that says why not."""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from qpfs.cli.methods import option
from qpfs.cli.signals import WATCH, Stopped, Watch
from qpfs.cli.terminal import printable

FAILED, BAD_USAGE, NOBODY_READS = 1, 2, 141


@contextmanager
def answered(*, quiet: bool = False) -> Iterator[Watch]:
    """Runs a command; bad data or usage gets one line on standard error and a non-zero exit."""
    replace_what_cannot_be_shown()
    try:
        with notes_for_warnings(quiet=quiet):
            yield WATCH
        sys.stdout.flush()
    except KeyboardInterrupt:
        raise Stopped from None
    except BrokenPipeError:  # nobody reads on, as in `qpfs ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(NOBODY_READS) from None
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        end(code_of(error), message_of(error))


def open_what_is_closed() -> None:
    """Standard streams that were closed (as by `>&-`) lead nowhere; else files would take their places."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open as long as the process


def replace_what_cannot_be_shown() -> None:
    """A terminal without the characters still gets the numbers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def notes_for_warnings(*, quiet: bool) -> Iterator[None]:
    """Warnings are notes, each said once; those meant for developers are not said."""
    with warnings.catch_warnings():
        warnings.simplefilter("once")
        for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = silence if quiet else show_warning
        yield


def end(code: int, message: str) -> None:
    sys.stderr.write(f"qpfs: {printable(message)}\n")
    raise typer.Exit(code) from None


def code_of(error: Exception) -> int:
    from qpfs.data import UsageError

    return BAD_USAGE if isinstance(error, (UsageError, FileExistsError)) else FAILED


def message_of(error: Exception) -> str:
    """One paragraph; an error of the system says which file."""
    if isinstance(error, MemoryError):
        return f"out of memory{f' ({error})' if str(error) else ''}; try --plan, or fewer columns."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or ''}: {error.strerror}".lstrip(": ")
    return in_options(" ".join(str(error).split()))


def in_options(text: str) -> str:
    """What the library says, with parameters called as the command calls them."""
    for parameter in ("n_features_to_select", "target_discretizer", "discretizer", "n_jobs", "random_state"):
        text = re.sub(rf"(?<!\.)\b{parameter}\b", option(parameter), text)  # but a field of a record
    return text.replace("with force=True", "with --force")


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    sys.stderr.write(f"qpfs: note: {printable(in_options(str(message)))}\n")


def silence(*_: Any, **__: Any) -> None:
    pass
