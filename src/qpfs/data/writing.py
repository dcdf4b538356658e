"""Some columns of a table -> a file, written completely or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import feather, parquet

from qpfs.data.errors import UsageError
from qpfs.data.problem import Table
from qpfs.files import written_whole
from qpfs.formulas import FORMULA, MARK, NUMBER_TEXT, defused_row

LINES = 1 << 12  # of text that are made at a time
TEXT = pa.large_string()
Samples = list[str] | None
Writer = Callable[[pa.Table, Samples, Any], None]  # columns, names of the samples, where to


def write_table(table: Table, columns: list[int], target: str, *, force: bool = True) -> None:
    """Writes some columns of a table, in the order given.

    Parameters
    ----------
    table : Table
        Features with their names.
    columns : list of int
        Which of them.
    target : str
        A path whose suffix gives the format (.csv, .tsv, .parquet, .feather, .npy, .npz; .csv.gz, .tsv.gz),
        or ``-`` for CSV on standard output.
    force : bool, default=True
        Whether an existing file, also one that appears meanwhile, may be replaced.
    """
    write = writer_for(target)
    names = [table.names[i] for i in columns]
    cut = pa.Table.from_arrays([column(table.X, i) for i in columns], names)
    if target == "-":
        write(cut, table.samples, sys.stdout.buffer)
        return
    with written_whole(Path(target), force=force) as staged, staged.open("wb") as file:
        write(cut, table.samples, file)


def writer_for(target: str) -> Writer:
    """The function that writes a file of this name; raises UsageError if there is none."""
    if target == "-":
        return write_csv
    name = Path(target).name.lower()
    for ending, writer in WRITERS.items():
        if name.endswith(ending):
            return writer
    raise UsageError(f"{target!r} ends in none of {', '.join(WRITERS)}; give the file one of these suffixes.")


def writes_text(target: str) -> bool:
    """Whether a file of this name is a text file."""
    return target == "-" or Path(target).name.lower().endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz"))


def column(X: Any, place: int) -> pa.Array:
    """One column of an array, a sparse matrix or an Arrow table."""
    if isinstance(X, pa.Table):
        return X.column(place)
    part = X[:, [place]]
    dense = part.toarray() if hasattr(part, "toarray") else np.asarray(part)
    return pa.array(np.ascontiguousarray(dense[:, 0]), from_pandas=True)


def with_samples(table: pa.Table, samples: Samples) -> pa.Table:
    """The table, with the names of its samples in front if there are any."""
    if samples is None:
        return table
    name = "sample"
    while name in table.column_names:
        name += "_"
    return table.add_column(0, name, pa.array(samples))


def write_csv(table: pa.Table, samples: Samples, file: IO[bytes]) -> None:
    write_text(with_samples(table, samples), ",", file)


def write_tsv(table: pa.Table, samples: Samples, file: IO[bytes]) -> None:
    write_text(with_samples(table, samples), "\t", file)


def write_text(table: pa.Table, mark: str, file: IO[bytes]) -> None:
    """Lines of cells with a separator; Arrow's own writer would put quotes around all text."""
    names = quoted(pa.array(table.column_names), mark)
    # An empty line is not a row: a reader could not distinguish it from the end of the table.
    missing = {"null_handling": "replace", "null_replacement": "NA" if table.num_columns == 1 else ""}
    file.write(f"{mark.join(names.to_pylist())}\n".encode())
    for batch in table.to_batches(max_chunksize=LINES):
        cells = [quoted(cells, mark) for cells in batch.columns]
        lines = pc.binary_join_element_wise(*cells, pa.scalar(mark, TEXT), **missing)
        file.write("".join(f"{line}\n" for line in lines.to_pylist()).encode())


def quoted(cells: pa.Array, mark: str) -> pa.Array:
    """Cells as text, in quotes where they would be read as something else."""
    cells = cells.cast(TEXT) if numeric(cells.type) else defused(cells.cast(TEXT))
    unlike = pc.match_substring_regex(cells, f'[{mark}"\\r\\n]|^{MARK}*\\s|\\s$|^$')
    doubled = pc.replace_substring(cells, '"', '""')
    quote, nothing = pa.scalar('"', TEXT), pa.scalar("", TEXT)
    return pc.if_else(unlike, pc.binary_join_element_wise(quote, doubled, quote, nothing), cells)


def defused(cells: pa.Array) -> pa.Array:
    """Cells of text that no spreadsheet runs; columns of numbers are left to Arrow, which is quick."""
    signed = cells.filter(pc.match_substring_regex(cells, f"^(?:{FORMULA.pattern})"))
    numbers = pc.match_substring_regex(signed, f"^(?:{NUMBER_TEXT.pattern})$")
    return cells if pc.all(numbers, min_count=0).as_py() else pa.array(defused_row(cells.to_pylist()), TEXT)


def zipped(write: Writer) -> Writer:
    """A writer of text whose file is compressed."""

    def write_zipped(table: pa.Table, samples: Samples, file: Any) -> None:
        with pa.CompressedOutputStream(file, "gzip") as stream:
            write(table, samples, stream)

    return write_zipped


def write_parquet(table: pa.Table, samples: Samples, file: IO[bytes]) -> None:
    parquet.write_table(with_samples(table, samples), file)


def write_feather(table: pa.Table, samples: Samples, file: IO[bytes]) -> None:
    feather.write_feather(with_samples(table, samples), file)


def write_npy(table: pa.Table, samples: Samples, file: IO[bytes]) -> None:
    np.save(file, matrix(table))


def write_npz(table: pa.Table, samples: Samples, file: IO[bytes]) -> None:
    names: dict[str, Any] = {"feature_names": np.array(table.column_names)}
    if samples is not None:
        names["sample_names"] = np.array(samples)
    np.savez_compressed(file, X=matrix(table), **names)


def matrix(table: pa.Table) -> Any:
    """The numbers of a table; raises UsageError if there are labels."""
    kinds = zip(table.column_names, table.schema.types, strict=True)
    labelled = [name for name, kind in kinds if not numeric(kind)]
    if labelled:
        raise UsageError(
            f"column {labelled[0]!r} holds labels, which .npy and .npz cannot; write .csv or .parquet."
        )
    return np.column_stack([one.to_numpy(zero_copy_only=False) for one in table.columns])


def numeric(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)


WRITERS: dict[str, Writer] = {
    ".csv": write_csv,
    ".csv.gz": zipped(write_csv),
    ".tsv": write_tsv,
    ".tsv.gz": zipped(write_tsv),
    ".parquet": write_parquet,
    ".feather": write_feather,
    ".npy": write_npy,
    ".npz": write_npz,
}
