"""The formats that can be read, recognised by content. A new one is a module here and a row in the table."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.arff import ARFF
from qpfs.data.formats.arrow import FEATHER, PARQUET
from qpfs.data.formats.delimited import CSV, TSV
from qpfs.data.formats.format import Format
from qpfs.data.formats.h5ad import H5AD
from qpfs.data.formats.matlab import MAT
from qpfs.data.formats.numpy_files import NPY, NPZ
from qpfs.data.formats.plink import BED
from qpfs.data.formats.scratch import Scratch, poured
from qpfs.data.formats.svmlight import SVMLIGHT
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, without_marks
from qpfs.data.stored import STORE, Stored
from qpfs.data.turning import turned
from qpfs.files import NO_ROOM
from qpfs.messages import Parameter, message_of

# The first that matches is taken.
WHOLE = 3  # memory to transpose a table that has to be read completely, as a multiple of the file size
FORMATS = (PARQUET, FEATHER, NPY, NPZ, MAT, H5AD, BED, ARFF, SVMLIGHT, TSV, CSV)


def read_sheet(stored: Stored, form: Format, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet in a file, whose numbers stay in the file if the format allows.

    Raises UnreadableError that names the file.
    """
    if form.times is not None:
        check_fits(stored, form, form.times, scratch.memory)
    with told_as(stored, form):
        sheet = without_marks(form.read(stored.path, reading, scratch), reading.missing)
        if not (reading.in_rows and form.is_table):
            return sheet
        if len(sheet.labels) > 1 + bool(sheet.labels.keys() - {0}):  # text among the samples
            check_fits(stored, form, WHOLE, scratch.memory)
            return turned(sheet.taken(), reading)
        return turned(
            replace(sheet, numbers=poured(sheet.numbers, scratch)), replace(reading, target=None, further=())
        )


def check_fits(stored: Stored, form: Format, times: int, memory: int) -> None:
    """Raises UnreadableError if a file that has to be read completely is too large for the memory."""
    size = stored.path.stat().st_size
    if zipfile.is_zipfile(stored.path):
        with told_as(stored, form), zipfile.ZipFile(stored.path) as archive:
            size = max(size, sum(one.file_size for one in archive.infolist()))
    if times * size > memory:
        raise UnreadableError(
            f"{stored.name!r} is {form.title}, which is read whole and needs about "
            f"{times * size / 1e6:,.0f} MB, but only {memory / 1e6:,.0f} MB are allowed. Allow more (",
            Parameter("memory"),
            "), or save it as .npy or Parquet.",
        )


def format_of(stored: Stored, reading: Reading) -> Format:
    """The format that was named, or else that of the content."""
    return named(reading.format) if reading.format else recognised(stored)


@contextmanager
def told_as(stored: Stored, form: Format) -> Iterator[None]:
    """A context in which any error becomes an UnreadableError that names the file."""
    try:
        yield
    except UsageError:
        raise
    except UnreadableError as error:
        raise UnreadableError(
            f"{stored.name!r} cannot be read as {form.title}: ", message_of(error)
        ) from error
    except MemoryError as error:
        raise UnreadableError(f"{stored.name!r} does not fit into memory.") from error
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise unreadable(stored, form, error) from error
        raise UnreadableError(
            f"{stored.name!r} was not read completely: temporary files cannot be written "
            f"({error.strerror}). Free space, or choose another ",
            Parameter("out"),
            ".",
        ) from error
    except Exception as error:  # parsers of libraries can raise anything
        raise unreadable(stored, form, error) from error


def unreadable(stored: Stored, form: Format, error: Exception) -> UnreadableError:
    reason = getattr(error, "strerror", None) or first_line(error)
    return UnreadableError(
        f"{stored.name!r} cannot be read as {form.title}: {reason}. It may be cut short or "
        "damaged; fetch or save it again, or name its format (",
        Parameter("format"),
        ").",
    )


def recognised(stored: Stored) -> Format:
    """The format of a file, by its content."""
    head = stored.head()
    if not head:
        raise UnreadableError(f"{stored.name!r} is empty.")
    if head.startswith(STORE):
        raise UsageError(
            f"{stored.name!r} is a store: it holds codes instead of columns. Open it with `qpfs select` or "
            "qpfs.data.open_problem."
        )
    for form in FORMATS:
        if form.matches(head, stored.path):
            return form
    known = ", ".join(form.name for form in FORMATS)
    raise UnreadableError(
        f"{stored.name!r} is in none of the known formats ({known}). Save it in one of them, or name its "
        "format (",
        Parameter("format"),
        ").",
    )


def named(name: str) -> Format:
    found = [form for form in FORMATS if form.name == name.lower()]
    if not found:
        raise UsageError(
            f"There is no format {name!r}; expected one of {', '.join(form.name for form in FORMATS)}."
        )
    return found[0]


def first_line(error: Exception) -> str:
    """The message of an error, on one line and without a full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


__all__ = ["FORMATS", "Format", "first_line", "format_of", "read_sheet", "told_as"]
