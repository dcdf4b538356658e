"""What a format is."""

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
    """A kind of file: how it is told by its content, and how it becomes a sheet.

    `read` raises UnreadableError with the reason alone; whoever calls it says which file it was.
    """

    name: str
    title: str
    matches: Callable[[bytes, Path], bool]  # of the first bytes, and the file
    read: Callable[[Path, Reading, Scratch], Sheet]  # whose numbers may stay in the file
    is_table: bool = False  # of columns with names, which may lie on its side
    is_text: bool = False  # whose cells have a spelling
    times: int | None = None  # the memory that reading takes, in sizes of the file, if it is read whole
    as_arrow: Callable[[Path, Scratch], pa.Table] | None = (
        None  # the columns in their own types, where they have some
    )
    header: Callable[[Path, Reading], Sheet] | None = (
        None  # the columns, without rows, of a file's first lines
    )
    companions: tuple[str, ...] = ()  # endings of the files that are read with it
