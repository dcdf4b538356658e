"""The formats that can be read, told by content. A new one is a module here and a place in the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.arff import ARFF
from qpfs.data.formats.arrow import FEATHER, PARQUET
from qpfs.data.formats.delimited import CSV, TSV
from qpfs.data.formats.format import Format
from qpfs.data.formats.h5ad import H5AD
from qpfs.data.formats.matlab import MAT
from qpfs.data.formats.numpy_files import NPY, NPZ
from qpfs.data.formats.plink import BED
from qpfs.data.formats.svmlight import SVMLIGHT
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, with_missing
from qpfs.data.stored import Stored
from qpfs.data.turning import turned
from qpfs.files import NO_ROOM

# The first that matches is taken.
FORMATS = (PARQUET, FEATHER, NPY, NPZ, MAT, H5AD, BED, ARFF, SVMLIGHT, TSV, CSV)


def read_sheet(stored: Stored, reading: Reading) -> tuple[Sheet, Format]:
    """What a file holds, and the format it is in; raises UnreadableError that names the file."""
    form = format_of(stored, reading)
    with told_as(stored, form):
        sheet = with_missing(form.read(stored.path, reading), reading.missing)
        return turned(sheet, reading) if reading.in_rows and form.is_table else sheet, form


def format_of(stored: Stored, reading: Reading) -> Format:
    """The format that was named, or else that of the content."""
    return named(reading.format) if reading.format else recognised(stored)


@contextmanager
def told_as(stored: Stored, form: Format) -> Iterator[None]:
    """Whatever goes wrong while a file is read becomes an UnreadableError that names it."""
    try:
        yield
    except UsageError:
        raise
    except UnreadableError as error:
        raise UnreadableError(f"{stored.name!r} cannot be read as {form.title}: {error}") from error
    except MemoryError as error:
        raise UnreadableError(f"{stored.name!r} does not fit into memory.") from error
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise unreadable(stored, form, error) from error
        raise UnreadableError(
            f"{stored.name!r} was not read to its end: files that are needed on the way cannot be written "
            f"({error.strerror}). Make room, or choose another --out."
        ) from error
    except Exception as error:  # libraries raise whatever their parsers run into
        raise unreadable(stored, form, error) from error


def unreadable(stored: Stored, form: Format, error: Exception) -> UnreadableError:
    return UnreadableError(
        f"{stored.name!r} cannot be read as {form.title}: {first_line(error)}. It may be cut short or "
        "damaged; fetch or save it again, or say what it is (--format)."
    )


def recognised(stored: Stored) -> Format:
    """The format of a file, by its content."""
    head = stored.head()
    if not head:
        raise UnreadableError(f"{stored.name!r} is empty.")
    for form in FORMATS:
        if form.matches(head, stored.path):
            return form
    known = ", ".join(form.name for form in FORMATS)
    raise UnreadableError(
        f"{stored.name!r} is none of the formats that are read ({known}). Save it as one of them, or say "
        "which it is (--format)."
    )


def named(name: str) -> Format:
    found = [form for form in FORMATS if form.name == name.lower()]
    if not found:
        raise UsageError(
            f"There is no format {name!r}; there are {', '.join(form.name for form in FORMATS)}."
        )
    return found[0]


def first_line(error: Exception) -> str:
    """What an error says, on one line and without a full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


__all__ = ["FORMATS", "Format", "first_line", "format_of", "read_sheet", "told_as"]
