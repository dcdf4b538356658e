"""The description of a file format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet


@dataclass(frozen=True)
class Format:
    """A kind of file: how it is recognised by its content, and how it becomes a sheet.

    `read` raises UnreadableError with the reason alone; the caller adds the name of the file.
    """

    name: str
    title: str
    matches: Callable[[bytes, Path], bool]  # of the first bytes, and the file
    read: Callable[[Path, Reading, Scratch], Sheet]  # whose numbers may stay in the file
    is_table: bool = False  # of columns with names, which may be transposed
    is_text: bool = False  # whose cells are text
    times: int | None = None  # memory of reading, as a multiple of the file size, if it is read completely
    # The columns in their own types, if they have types.
    as_arrow: Callable[[Path, Scratch], pa.Table] | None = None
    # The columns, without rows, of a file's first lines.
    header: Callable[[Path, Reading], Sheet] | None = None
    companions: tuple[str, ...] = ()  # suffixes of companion files
