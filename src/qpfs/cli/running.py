"""How a command ends: successfully, or with one line that gives the reason."""

from __future__ import annotations

import io
import os
import shlex
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
from qpfs.messages import NOT_GIVEN, Parameter, UsageError, spelled

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
    except BrokenPipeError:  # the reader has stopped, as in `qpfs ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(NOBODY_READS) from None
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        tell(message_of(error))
        raise typer.Exit(code_of(error)) from None


def open_what_is_closed() -> None:
    """Opens standard streams that were closed (as by `>&-`) to nowhere, or files would get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open as long as the process


def replace_what_cannot_be_shown() -> None:
    """Replaces characters that a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def notes_for_warnings(*, quiet: bool) -> Iterator[None]:
    """Shows warnings as notes, each once; those meant for developers are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("once")
        for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = silence if quiet else show_warning
        yield


def tell(message: str) -> None:
    """Prints the one line about a run that failed."""
    if message:
        sys.stderr.write(f"qpfs: {printable(message)}\n")


def code_of(error: Exception) -> int:
    return BAD_USAGE if isinstance(error, (UsageError, FileExistsError)) else FAILED


def message_of(error: Exception) -> str:
    """The error as one paragraph; errors of the system name the file."""
    if isinstance(error, MemoryError):
        why = f" ({error})" if str(error) else ""
        return f"out of memory{why}; try fewer columns, or a store (`qpfs encode`)."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or ''}: {error.strerror}".lstrip(": ")
    return " ".join(in_options(error).split())


def in_options(raised: BaseException | str) -> str:
    """A message of the library, with parameters spelled as the command's options."""
    return spelled(raised, as_option)


def as_option(parameter: Parameter) -> str:
    """A parameter as it is typed: `--top 5`, `--force`; empty if its value is to leave the option out."""
    if parameter.name == "y":
        return "the target"
    name, value = option(parameter.name), parameter.value
    if value is NOT_GIVEN or value is True:
        return name
    if value is None:
        return f"no {name}"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " ".join(f"{name} {shlex.quote(one)}" for one in value)
    if isinstance(value, list):
        value = ",".join(f"{one:g}" for one in value)
    return f"{name} {shlex.quote(value) if isinstance(value, str) else value}"


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    sys.stderr.write(f"qpfs: note: {printable(in_options(message))}\n")


def silence(*_: Any, **__: Any) -> None:
    pass
