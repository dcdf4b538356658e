"""Parquet and Feather some columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.scratch import Scratch, Slabs
from qpfs.data.reading import Reading
from qpfs.data.room import check_room
from qpfs.data.sheet import EXACT, Sheet, fits, numbers_among, plain_column, shortened, texts, unmarked

FOOTER = 6  # times its size, that the description of the columns takes in memory, about
SLAB = 3  # which part of the budget a slab takes; decoding takes as much again


@dataclass(frozen=True, eq=False)
class ArrowFile:
    """A table in a file: its columns, and how some of them are read."""

    schema: pa.Schema
    n_rows: int
    read: Callable[[list[int]], pa.Table]
    span: Callable[[int], tuple[int, int] | None] = lambda place: None  # of integers, if the file says it

    def column(self, place: int) -> pa.Array:
        return self.read([place]).column(0)


def checked_table(table: pa.Table) -> pa.Table:
    """A table from a file, once its buffers are known to hold what it says.

    Arrow takes offsets and indices as they are in the file, and would follow them out of it.
    """
    check_room(max(8, table.num_columns) * table.num_rows, f"a table of {table.num_rows:,} rows")
    table.validate(full=True)
    return table


def unpacked_bytes(metadata: Any) -> int:
    """Bytes of all columns, as a Parquet file says; a cell takes at least one."""
    packed = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return max(packed, metadata.num_rows * metadata.num_columns)


def parquet_file(path: Path, scratch: Scratch) -> ArrowFile:
    check_footer(path, scratch.memory)
    file = scratch.open(parquet.ParquetFile(path))
    bounds = np.concatenate([[0], np.cumsum([leaves(field.type) for field in file.schema_arrow])])

    def read(places: list[int]) -> pa.Table:
        columns = [leaf for place in places for leaf in range(bounds[place], bounds[place + 1])]
        # by place, for names may repeat
        return checked_table(file.reader.read_all(column_indices=columns, use_threads=False))

    def span(place: int) -> tuple[int, int] | None:
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        known = [group.column(int(bounds[place])).statistics for group in groups]
        if not known or any(one is None or not one.has_min_max for one in known):
            return None
        return min(one.min for one in known), max(one.max for one in known)

    return ArrowFile(file.schema_arrow, file.metadata.num_rows, read, span)


def check_footer(path: Path, memory: int) -> None:
    """Raises UnreadableError if what a Parquet file says of its columns takes too much memory by itself."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 8, 0))
        size = int.from_bytes(file.read(4), "little")
    if FOOTER * size > memory and file_is_whole(path, size):
        raise UnreadableError(
            f"it describes its columns in {size / 1e6:.0f} MB, which take about {FOOTER * size / 1e6:.0f} MB "
            f"of memory, and {memory / 1e6:.0f} MB may be taken. Allow more (--memory), or write it with "
            "fewer row groups."
        )


def file_is_whole(path: Path, size: int) -> bool:
    """Whether a file can end with so much; pyarrow says better what is wrong with one that cannot."""
    return size + 12 <= path.stat().st_size


def leaves(kind: pa.DataType) -> int:
    """Columns of a Parquet file that a column of some type takes."""
    return sum(leaves(kind.field(i).type) for i in range(kind.num_fields)) if kind.num_fields else 1


def feather_file(path: Path, scratch: Scratch) -> ArrowFile:
    with pa.OSFile(str(path), "rb") as file:
        magic = file.read(6)
    if magic.startswith(b"FEA1"):
        raise UnreadableError("it is Feather of version 1, which is not read here; save it as version 2.")
    source = scratch.open(pa.memory_map(str(path)))
    is_file = magic == b"ARROW1"
    opener = ipc.open_file if is_file else ipc.open_stream

    def batches(places: list[int]) -> Iterator[pa.RecordBatch]:
        source.seek(0)
        opened = opener(source, options=ipc.IpcReadOptions(included_fields=places, use_threads=False))
        if is_file:
            yield from (opened.get_batch(i) for i in range(opened.num_record_batches))
        else:
            yield from opened

    def read(places: list[int]) -> pa.Table:
        schema = pa.schema([whole.field(place) for place in places])
        return checked_table(pa.Table.from_batches(list(batches(places)), schema))

    source.seek(0)
    whole = opener(source).schema
    return ArrowFile(whole, sum(batch.num_rows for batch in batches([0])) if len(whole) else 0, read)


class LazyLabels(Mapping[int, pa.Array]):
    """The columns of labels, each read when it is asked for."""

    def __init__(self, file: ArrowFile, place: dict[int, int]) -> None:
        self.file = file
        self.place = place

    def __getitem__(self, key: int) -> pa.Array:
        found = plain_column(self.file.column(self.place[key]), "")
        return found if not isinstance(found, np.ndarray) else pa.array(found).cast(pa.string())

    def __iter__(self) -> Iterator[int]:
        return iter(self.place)

    def __len__(self) -> int:
        return len(self.place)


def sheet_of(file: ArrowFile, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a table whose columns stay in the file; an index that pandas wrote names the samples."""
    index = pandas_index(file.schema)
    if index is None or index in (reading.target, reading.index, reading.groups) or reading.in_rows:
        fields = list(range(len(file.schema)))
        samples = None
    else:
        at = file.schema.names.index(index)
        fields = [place for place in range(len(file.schema)) if place != at]
        samples = texts(file.column(at))
    kinds = {place: kind_of(file, field) for place, field in enumerate(fields)}
    numeric = [place for place, kind in kinds.items() if kind == "numbers"]
    marks = numbers_among(reading.missing)
    numbers = Slabs(
        lambda columns: matrix(file, [fields[numeric[i]] for i in columns], marks),
        (file.n_rows, len(numeric)),
        scratch.memory // SLAB,
    )
    long = [file.schema.names[fields[place]] for place, kind in kinds.items() if kind == "long"]
    notes = (f"integers too long to be numbers were read as labels: {shortened(long)}",) if long else ()
    return Sheet(
        [file.schema.names[field] for field in fields],
        numbers,
        np.array(numeric, np.intp),
        LazyLabels(
            file, {place: fields[place] for place, kind in kinds.items() if kind in ("labels", "long")}
        ),
        samples=samples,
        unread={place: kind for place, kind in kinds.items() if kind not in ("numbers", "labels", "long")},
        notes=notes,
    )


def pandas_index(schema: pa.Schema) -> str | None:
    """The column that is the index of a data frame."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    one = len(index) == 1 and isinstance(index[0], str) and schema.names.count(index[0]) == 1
    return index[0] if one else None


def kind_of(file: ArrowFile, place: int) -> str:
    """What a column is by its type: numbers, labels, integers too long for numbers; or why it is neither."""
    field = file.schema.field(place)
    kind = field.type
    if kind in (pa.int64(), pa.uint64()):
        return "numbers" if are_short(file, place) else "long"
    try:
        found = plain_column(pa.array([], kind), field.name)
    except UnreadableError as error:
        return str(error)
    return "numbers" if isinstance(found, np.ndarray) else "labels"


def are_short(file: ArrowFile, place: int) -> bool:
    """Whether all integers of a column are exact in float64."""
    span = file.span(place)
    if span is None:
        return all(fits(chunk) for chunk in file.column(place).chunks)
    return span[0] > -EXACT and span[1] < EXACT


def matrix(file: ArrowFile, places: list[int], marks: list[float]) -> AnyArray:
    """Some columns of numbers; missing values, and marks as the type of a column spells them, are NaN."""
    table = file.read(places)
    order = np.argsort(places)  # a file gives its columns in its own order
    out = np.empty((file.n_rows, len(places)), order="F")
    for column, place in zip(table.columns, order.tolist(), strict=True):
        out[:, place] = unmarked(np.asarray(plain_column(column, "")), marks)
    return out


def stream_parquet(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    return sheet_of(parquet_file(path, scratch), reading, scratch)


def stream_feather(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    return sheet_of(feather_file(path, scratch), reading, scratch)
