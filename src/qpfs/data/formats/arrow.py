"""Parquet, and Feather (the file and the stream of Arrow)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc, parquet

from qpfs.data.errors import UnreadableError
from qpfs.data.formats.arrow_streams import (
    checked_table,
    pandas_index,
    stream_feather,
    stream_parquet,
    unpacked_bytes,
)
from qpfs.data.formats.format import Format
from qpfs.data.reading import Reading
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet, of_arrow, texts

STREAM = b"\xff\xff\xff\xff"


def parquet_table(path: Path) -> pa.Table:
    with parquet.ParquetFile(path) as file:
        check_room(unpacked_bytes(file.metadata), "what it holds")
        return checked_table(file.read())


def read_parquet(path: Path, reading: Reading) -> Sheet:
    return sheet_of(parquet_table(path), reading)


def read_feather(path: Path, reading: Reading) -> Sheet:
    return sheet_of(feather_table(path), reading)


def feather_table(path: Path) -> pa.Table:
    with pa.OSFile(str(path), "rb") as file:
        magic = file.read(6)
        file.seek(0)
        if magic.startswith(b"FEA1"):
            raise UnreadableError("it is Feather of version 1, which is not read here; save it as version 2.")
        opened = ipc.open_file(file) if magic == b"ARROW1" else ipc.open_stream(file)
        return checked_table(opened.read_all())


def sheet_of(table: pa.Table, reading: Reading) -> Sheet:
    """The sheet of a table; an index that pandas wrote names the samples."""
    index = pandas_index(table.schema)
    if index is None or index in (reading.target, reading.index, reading.groups) or reading.in_rows:
        return of_arrow(table, missing=reading.missing)
    samples = texts(table.column(index))
    return replace(of_arrow(table.drop_columns([index]), missing=reading.missing), samples=samples)


PARQUET = Format(
    "parquet",
    "Parquet",
    lambda head, path: head.startswith(b"PAR1"),
    read_parquet,
    is_table=True,
    as_arrow=parquet_table,
    stream=stream_parquet,
)
FEATHER = Format(
    "feather",
    "Feather",
    lambda head, path: head.startswith((b"ARROW1", b"FEA1", STREAM)),
    read_feather,
    is_table=True,
    as_arrow=feather_table,
    stream=stream_feather,
)
