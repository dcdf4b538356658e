"""Parquet, and Feather (the file and the stream of Arrow), some columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.format import Format
from qpfs.data.formats.scratch import Scratch, Slabs
from qpfs.data.reading import Reading
from qpfs.data.room import check_room
from qpfs.data.sheet import (
    EXACT,
    Sheet,
    fits,
    is_date,
    is_span,
    is_whole,
    long_integers,
    numbers_among,
    plain_column,
    stacked,
    texts,
    turned_dates,
    turned_spans,
    unmarked,
)
from qpfs.messages import Parameter

FOOTER = 6  # memory of the description of the columns, as a multiple of its size, about
SLAB = 3  # a slab takes one part in so many of the budget; decoding takes as much again
MANTISSA = 53  # bits of an integer that float64 represents
STREAM = b"\xff\xff\xff\xff"


@dataclass(frozen=True, eq=False)
class ArrowFile:
    """A table in a file: its columns, and how some of them are read."""

    schema: pa.Schema
    n_rows: int
    read: Callable[[list[int]], pa.Table]
    span: Callable[[int], tuple[int, int] | None] = lambda place: None  # of integers, if the file states them

    def column(self, place: int) -> pa.Array:
        return self.read([place]).column(0)


def checked_table(table: pa.Table) -> pa.Table:
    """A table from a file, after its buffers have been checked."""
    check_room(max(8, table.num_columns) * table.num_rows, f"a table of {table.num_rows:,} rows")
    # Arrow trusts the offsets and indices of a file, and could read outside of it.
    table.validate(full=True)
    return table


def unpacked_bytes(metadata: Any, share: float) -> int:
    """Bytes of a share of the columns, as a Parquet file states; a cell takes at least one."""
    packed = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return int(share * max(packed, metadata.num_rows * metadata.num_columns))


def parquet_file(path: Path, scratch: Scratch) -> ArrowFile:
    check_footer(path, scratch.memory)
    file = scratch.open(parquet.ParquetFile(path))
    bounds = np.concatenate([[0], np.cumsum([leaves(field.type) for field in file.schema_arrow])])

    def read(places: list[int]) -> pa.Table:
        check_room(
            unpacked_bytes(file.metadata, len(places) / max(len(file.schema_arrow), 1)), "what it holds"
        )
        columns = [leaf for place in places for leaf in range(bounds[place], bounds[place + 1])]
        # by place, since names may repeat
        return checked_table(file.reader.read_all(column_indices=columns, use_threads=False))

    def span(place: int) -> tuple[int, int] | None:
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        known = [group.column(int(bounds[place])).statistics for group in groups]
        if not known or any(one is None or not one.has_min_max for one in known):
            return None
        return min(one.min for one in known), max(one.max for one in known)

    return ArrowFile(file.schema_arrow, file.metadata.num_rows, read, span)


def check_footer(path: Path, memory: int) -> None:
    """Raises UnreadableError if the footer of a Parquet file alone needs too much memory."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 8, 0))
        size = int.from_bytes(file.read(4), "little")
    if FOOTER * size > memory and file_is_whole(path, size):
        raise UnreadableError(
            f"it describes its columns in {size / 1e6:.0f} MB, which need about "
            f"{FOOTER * size / 1e6:.0f} MB of memory, but {memory / 1e6:.0f} MB are allowed. "
            "Allow more (",
            Parameter("memory"),
            "), or write it with fewer row groups.",
        )


def file_is_whole(path: Path, size: int) -> bool:
    """Whether a file is long enough for its footer; if not, pyarrow has the better error."""
    return size + 12 <= path.stat().st_size


def leaves(kind: pa.DataType) -> int:
    """Columns of a Parquet file that a column of some type takes."""
    return sum(leaves(kind.field(i).type) for i in range(kind.num_fields)) if kind.num_fields else 1


def feather_file(path: Path, scratch: Scratch) -> ArrowFile:
    with pa.OSFile(str(path), "rb") as file:
        magic = file.read(6)
    if magic.startswith(b"FEA1"):
        raise UnreadableError("it is Feather of version 1, which is not supported; save it as version 2.")
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
    """The columns of labels, each read on access; all together if they fit into memory."""

    def __init__(self, file: ArrowFile, place: dict[int, int], *, together: bool) -> None:
        self.file = file
        self.place = place
        self.together = together

    def __getitem__(self, key: int) -> pa.Array:
        place = self.place[key]
        column = self.all.column(self.order[place]) if self.together else self.file.column(place)
        found = plain_column(column, "")
        return found if not isinstance(found, np.ndarray) else column.cast(pa.string()).combine_chunks()

    @cached_property
    def order(self) -> dict[int, int]:
        return {place: i for i, place in enumerate(sorted(self.place.values()))}

    @cached_property
    def all(self) -> pa.Table:
        return self.file.read(list(self.order))

    def __iter__(self) -> Iterator[int]:
        return iter(self.place)

    def __len__(self) -> int:
        return len(self.place)


def sheet_of(file: ArrowFile, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a table whose columns stay in the file; an index that pandas wrote names the samples."""
    index = pandas_index(file.schema)
    fields, samples = list(range(len(file.schema))), None
    taken = (*reading.targets, reading.index, reading.groups, reading.weights, *reading.adjust)
    if not (index is None or index in taken or reading.in_rows):
        fields.remove(at := file.schema.names.index(index))
        samples = texts(file.column(at))
    names = [file.schema.names[field] for field in fields]
    long = long_places(file, fields, scratch.memory // SLAB)
    categories = categories_in(file.schema)
    kinds = {
        place: kind_of(file.schema.field(field), long=field in long, category=field in categories)
        for place, field in enumerate(fields)
    }
    numeric = [place for place, kind in kinds.items() if kind == "numbers"]
    text = {place: fields[place] for place, kind in kinds.items() if kind in ("labels", "long")}
    marks = numbers_among(reading.missing)
    numbers = Slabs(
        lambda columns: matrix(file, [fields[numeric[i]] for i in columns], marks),
        (file.n_rows, len(numeric)),
        scratch.memory // SLAB,
    )
    dates = [(names[i], kind) for i in numeric if is_date(kind := file.schema.types[fields[i]])]
    return Sheet(
        names,
        numbers,
        np.array(numeric, np.intp),
        LazyLabels(file, text, together=scratch.beside is None),
        samples=samples,
        categories=frozenset(place for place, field in enumerate(fields) if field in categories),
        unread={place: kind for place, kind in kinds.items() if kind not in ("numbers", "labels", "long")},
        notes=(
            *long_integers([names[place] for place, kind in kinds.items() if kind == "long"]),
            *turned_dates([name for name, kind in dates if not is_span(kind)]),
            *turned_spans([name for name, kind in dates if is_span(kind)]),
        ),
    )


def pandas_index(schema: pa.Schema) -> str | None:
    """The column that is the index of a data frame."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    one = len(index) == 1 and isinstance(index[0], str) and schema.names.count(index[0]) == 1
    return index[0] if one else None


def categories_in(schema: pa.Schema) -> set[int]:
    """The columns that are categories: by their type, or by pandas' metadata if the file has no such type."""
    about = (schema.pandas_metadata or {}).get("columns", [])
    names = {one.get("field_name") for one in about if one.get("pandas_type") == "categorical"}
    fields = enumerate(schema)
    return {i for i, field in fields if pa.types.is_dictionary(field.type) or field.name in names}


def kind_of(field: pa.Field, *, long: bool, category: bool) -> str:
    """The kind of a column by its type: numbers, labels, integers too long for numbers; or why none."""
    if long:
        return "long"
    try:
        found = plain_column(pa.array([], field.type), field.name)
    except UnreadableError as error:
        return str(error)
    return "numbers" if isinstance(found, np.ndarray) and not category else "labels"


def long_places(file: ArrowFile, places: list[int], budget: int) -> set[int]:
    """The columns of integers that are not all exact in float64; some are read together within a budget."""
    kinds = {place: file.schema.types[place] for place in places}
    wide = [place for place, kind in kinds.items() if is_whole(kind) and kind.bit_width > MANTISSA]
    spans = {place: file.span(place) for place in wide}
    found = {
        p for p, span in spans.items() if span is not None and not (span[0] > -EXACT and span[1] < EXACT)
    }
    unknown = sorted(place for place, span in spans.items() if span is None)
    width = max(1, budget // (8 * max(file.n_rows, 1)))
    for start in range(0, len(unknown), width):
        some = unknown[start : start + width]
        columns = zip(some, file.read(some).columns, strict=True)
        found |= {place for place, column in columns if not all(map(fits, column.chunks))}
    return found


def matrix(file: ArrowFile, places: list[int], marks: list[float]) -> AnyArray:
    """Some columns of numbers; missing values, and marks as the type of a column spells them, are NaN."""
    table = file.read(places)
    order = {place: i for i, place in enumerate(sorted(places))}  # the file returns columns in its own order
    columns = [np.asarray(plain_column(table.column(order[place]), "")) for place in places]
    return stacked([unmarked(column, marks) for column in columns], file.n_rows)


def table_in(file: ArrowFile) -> pa.Table:
    """All columns in their own types."""
    return file.read(list(range(len(file.schema))))


def of_table(table: pa.Table) -> ArrowFile:
    return ArrowFile(table.schema, table.num_rows, table.select)


PARQUET = Format(
    "parquet",
    "Parquet",
    lambda head, path: head.startswith(b"PAR1"),
    lambda path, reading, scratch: sheet_of(parquet_file(path, scratch), reading, scratch),
    is_table=True,
    as_arrow=lambda path, scratch: table_in(parquet_file(path, scratch)),
)
FEATHER = Format(
    "feather",
    "Feather",
    lambda head, path: head.startswith((b"ARROW1", b"FEA1", STREAM)),
    lambda path, reading, scratch: sheet_of(feather_file(path, scratch), reading, scratch),
    is_table=True,
    as_arrow=lambda path, scratch: table_in(feather_file(path, scratch)),
)
