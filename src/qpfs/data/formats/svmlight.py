"""svmlight and libsvm: a target, and `index:value` for nonzero values. Sparse stays sparse."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from qpfs.data.errors import UnreadableError
from qpfs.data.formats.format import Format
from qpfs.data.formats.records import RecordSurvey
from qpfs.data.formats.scratch import PIECE, Entries, Scratch, SparseRows
from qpfs.data.reading import Reading, in_columns
from qpfs.data.sheet import EXACT, Sheet, are_long, as_integers, long_integers, of_matrix
from qpfs.messages import Parameter
from qpfs.sparse import FEATURE
from qpfs.wording import some_of

MOST = 100_000_000  # features, however much memory is allowed
EACH = 100  # bytes per feature while a file is sorted: its name and its counts
CHUNK = 1 << 22  # bytes of text parsed at a time, if memory allows
LEAST = 1 << 16  # bytes that a line may have, however little memory is allowed
ROOM = 16  # bytes of memory for a byte of text, and for a fourth of an entry
# Possessive (++, *+): no backtracking, so a long run of digits is scanned once.
NUMBER = rb"[-+]?(?:(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+|nan|inf|NaN|Inf)"
LABEL = NUMBER + rb"(?:," + NUMBER + rb")*+"  # several targets are refused later, with a clear message
PAIR = rb"\s++-?\d++:" + NUMBER  # as are indices below 0
START = rb"\s*+" + LABEL + rb"(?:\s++qid:\d++)?+"
LINE = re.compile(START + rb"(?P<pairs>(?:" + PAIR + rb")*+)\s*+(?:#.*+)?+")
BEGUN = re.compile(START + rb"(?:" + PAIR + rb"){2}")


def matches(head: bytes, path: Path) -> bool:
    """Whether every line is a number and pairs, and some line has a pair."""
    lines = [line for line in head.split(b"\n")[:50] if line.strip() and not line.startswith(b"#")]
    as_integers = lines[:-1] if len(lines) > 1 and not head.endswith(b"\n") else lines
    found = [LINE.fullmatch(line.rstrip(b"\r")) for line in as_integers]
    if len(as_integers) == 1 and found == [None]:  # one line longer than the first bytes
        return BEGUN.match(as_integers[0]) is not None
    return bool(found) and all(found) and any(one["pairs"] for one in found if one)


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a file whose entries are sorted by column on first access."""
    if reading.in_rows:
        raise in_columns("svmlight has features in columns")
    entries = Parsed(path, scratch)
    first = 0 if entries.counts[:1].any() else 1  # as scikit-learn decides it
    matrix = SparseRows(partial(entries.pieces, first), entries.counts[first:], entries.n_rows, scratch)
    y, query = (np.concatenate([np.empty(0), *some]) for some in (entries.targets, entries.queries))
    return sheet_of(path, matrix, first, y, query.astype(np.int64), rounded=entries.rounded)


def sheet_of(path: Path, X: Any, first: int, y: Any, query: Any, *, rounded: bool) -> Sheet:
    """The sheet of a matrix, its labels and queries, after a check that no line was lost."""
    if X.shape[1] == 0:
        raise UnreadableError("no line has an index:value pair.")
    RecordSurvey(sum(1 for _ in samples_in(path)), 0).check(len(y))
    if len(query) not in (0, len(y)):
        have = some_of(len(query), len(y), "line", "has", "have")
        raise UnreadableError(f"{have} a qid; give one to all of them, or to none.")
    labels, notes = exact_labels(path, y)
    if rounded:
        notes = (*notes, "values of 2^53 and more were rounded, so integers among them may have become equal")
    return of_matrix(
        X,
        [str(first + j) for j in range(X.shape[1])],
        beside={"label": labels} | ({"qid": query} if len(query) else {}),
        target="label",
        groups=query if len(np.unique(query)) > 1 else None,
        notes=notes,
    )


def samples_in(path: Path) -> Iterator[bytes]:
    """The lines that are samples, without comments."""
    with path.open("rb") as file:
        for line in file:
            if sample := line.partition(b"#")[0].strip():
                yield sample


def exact_labels(path: Path, y: Any) -> tuple[Any, tuple[str, ...]]:
    """The labels as integers if they are, or as text if float64 would make some equal; and a note."""
    if (np.abs(y) >= EXACT).any():
        spelled = pa.array([sample.split(None, 1)[0].decode() for sample in samples_in(path)], pa.string())
        if are_long(spelled, y):
            return np.array(spelled.to_pylist(), str), long_integers(["label"])
    return as_integers(y), ()


def check_index(n_features: int, path: Path, each: int, memory: int) -> None:
    """Raises UnreadableError if there are more features than there is memory for their names and counts."""
    most = min(MOST, memory // each)
    if n_features <= most:
        return
    line, index = far_index(path, most)
    why = f"so many features need about {index * each / 1e6:,.0f} MB, but {memory / 1e6:,.0f} MB are allowed"
    why = f"expected at most {MOST:,} features" if index > MOST else why
    raise UnreadableError(
        f"line {line} has an index of {index:,}; {why}. Number the features without gaps, or allow more (",
        Parameter("memory"),
        ").",
    )


def far_index(path: Path, most: int) -> tuple[int, int]:
    """The first line with an index that is too high, and that index."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            last = line.partition(b"#")[0].rpartition(b":")[0].rsplit(None, 1)[-1:]  # indices ascend
            if last and last[0].isdigit() and int(last[0]) >= most:
                return number, int(last[0])
    return 1, most


def chunks(file: BinaryIO, scratch: Scratch) -> Iterator[bytes]:
    """Whole lines, some at a time; raises UnreadableError for one that is too long for the memory."""
    longest = max(LEAST, scratch.memory // ROOM)
    line = 1
    while text := file.read(min(CHUNK, longest)):
        line += text.count(b"\n")  # the line in which the chunk ends
        if not text.endswith(b"\n"):
            rest = file.readline(longest + 1)
            if len(rest) > longest:
                raise UnreadableError(
                    f"line {line} is longer than the {longest / 1e6:,.1f} MB allowed; shorten its "
                    "comment after #, or allow more memory (",
                    Parameter("memory"),
                    ").",
                )
            text += rest
            line += rest.count(b"\n")
        yield text


class Parsed:
    """The entries of a file as numbers, row after row, and how many each column has."""

    def __init__(self, path: Path, scratch: Scratch) -> None:
        self.path = path
        self.memory = scratch.memory
        self.each = FEATURE if scratch.beside is None else EACH
        self.counts = np.zeros(0, np.int64)
        self.targets: list[Any] = []
        self.queries: list[Any] = []
        self.rounded = False
        self.n_rows = 0
        kinds = {"parsed rows": np.int32, "parsed columns": np.int32, "parsed values": np.float64}
        self.spills = [scratch.spill(name, kind) for name, kind in kinds.items()]
        with path.open("rb") as file:
            for text in chunks(file, scratch):
                self._take(text)
        self.entries = [spill.matrix() for spill in self.spills]

    def _take(self, text: bytes) -> None:
        from sklearn.datasets import load_svmlight_file

        X, y, query = load_svmlight_file(io.BytesIO(text), query_id=True, zero_based=True)
        check_index(X.shape[1], self.path, self.each, self.memory)
        counts = np.bincount(X.indices, minlength=len(self.counts))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.targets.append(y)
        self.queries.append(query)
        self.rounded |= bool((np.abs(X.data) >= EXACT).any())
        rows = np.repeat(np.arange(self.n_rows, self.n_rows + len(y), dtype=np.int32), np.diff(X.indptr))
        for spill, array in zip(self.spills, (rows, X.indices.astype(np.int32), X.data), strict=True):
            spill.append(array)
        self.n_rows += len(y)

    def pieces(self, first: int) -> Iterator[Entries]:
        """The entries some at a time, columns counted from the first."""
        size = min(PIECE, max(1, self.memory // (4 * ROOM)))
        for start in range(0, len(self.entries[0]), size):
            rows, columns, values = (np.array(array[start : start + size]) for array in self.entries)
            yield rows, columns - first, values


SVMLIGHT = Format("svmlight", "svmlight", matches, read)
