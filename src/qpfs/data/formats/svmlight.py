"""svmlight and libsvm: a target, and `index:value` for what is not zero. Sparse stays sparse."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.format import Format
from qpfs.data.formats.records import RecordSurvey
from qpfs.data.formats.scratch import PIECE, Entries, Scratch, by_columns
from qpfs.data.reading import Reading
from qpfs.data.sheet import EXACT, Sheet, are_long, as_integers, long_integers, of_matrix
from qpfs.memory import memory_of_machine
from qpfs.sparse import FEATURE

MOST = 100_000_000  # features, whatever room there is
EACH = 100  # bytes that a feature takes while a file is put in order: its name and its counts
CHUNK = 1 << 22  # bytes of text that are parsed at a time, where there is room
LEAST = 1 << 16  # bytes that a line may have, however little room there is
ROOM = 16  # bytes that are taken for a byte of text, and for a fourth of an entry
# Possessive (++, *+): what was taken is not given back, so a long run of digits is gone through once.
NUMBER = rb"[-+]?(?:(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+|nan|inf|NaN|Inf)"
LABEL = NUMBER + rb"(?:," + NUMBER + rb")*+"  # several are refused later, in as many words
PAIR = rb"\s++-?\d++:" + NUMBER  # as are indices below 0
START = rb"\s*+" + LABEL + rb"(?:\s++qid:\d++)?+"
LINE = re.compile(START + rb"(?P<pairs>(?:" + PAIR + rb")*+)\s*+(?:#.*+)?+")
BEGUN = re.compile(START + rb"(?:" + PAIR + rb"){2}")
ZERO = re.compile(rb"\s0++:")


def matches(head: bytes, path: Path) -> bool:
    """Whether every line is a number and pairs, and some line has a pair."""
    lines = [line for line in head.split(b"\n")[:50] if line.strip() and not line.startswith(b"#")]
    as_integers = lines[:-1] if len(lines) > 1 and not head.endswith(b"\n") else lines
    found = [LINE.fullmatch(line.rstrip(b"\r")) for line in as_integers]
    if len(as_integers) == 1 and found == [None]:  # one line longer than what was looked at
        return BEGUN.match(as_integers[0]) is not None
    return bool(found) and all(found) and any(one["pairs"] for one in found if one)


def read(path: Path, reading: Reading) -> Sheet:
    from sklearn.datasets import load_svmlight_file

    check_turned(reading)
    with path.open("rb") as file:
        X, y, query = load_svmlight_file(file, query_id=True)
    check_index(X.shape[1], path, FEATURE, memory_of_machine(), "use a machine with more memory")
    return sheet_of(path, X, first_index(path), y, query, rounded=is_rounded(X.data))


def stream(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a file whose entries are put in order of columns on disk."""
    check_turned(reading)
    entries = Parsed(path, scratch)
    first = 0 if entries.counts[:1].any() else 1  # as scikit-learn decides it
    matrix = by_columns(partial(entries.pieces, first), entries.counts[first:], entries.n_rows, scratch)
    y, query = (np.concatenate([np.empty(0), *some]) for some in (entries.targets, entries.queries))
    return sheet_of(path, matrix, first, y, query.astype(np.int64), rounded=entries.rounded)


def sheet_of(path: Path, X: Any, first: int, y: Any, query: Any, *, rounded: bool) -> Sheet:
    """The sheet of a matrix, its labels and queries, once it is seen that no line was lost."""
    if X.shape[1] == 0:
        raise UnreadableError("no line has an index:value pair.")
    RecordSurvey(sum(1 for _ in samples_in(path)), 0).check(len(y))
    if len(query) not in (0, len(y)):
        raise UnreadableError(
            f"{len(query)} of {len(y)} lines have a qid; give one to all of them, or to none."
        )
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


def check_turned(reading: Reading) -> None:
    if reading.in_rows:
        raise UsageError("svmlight has features in columns; leave out features_in='rows'.")


def samples_in(path: Path) -> Iterator[bytes]:
    """The lines that are samples, without comments."""
    with path.open("rb") as file:
        for line in file:
            if sample := line.partition(b"#")[0].strip():
                yield sample


def exact_labels(path: Path, y: Any) -> tuple[Any, tuple[str, ...]]:
    """The labels as integers if they are, or as text where numbers would not tell them apart; and a note."""
    if (np.abs(y) >= EXACT).any():
        spelled = pa.array([sample.split(None, 1)[0].decode() for sample in samples_in(path)], pa.string())
        if are_long(spelled, y):
            return np.array(spelled.to_pylist(), str), long_integers(["label"])
    return as_integers(y), ()


def is_rounded(values: Any) -> bool:
    return bool((np.abs(values) >= EXACT).any())


def check_index(n_features: int, path: Path, each: int, memory: int, remedy: str) -> None:
    """Raises UnreadableError if there are more features than there is room for what is known of each."""
    most = min(MOST, memory // each)
    if n_features <= most:
        return
    line, index = far_index(path, most)
    why = f"so many features take about {index * each / 1e6:,.0f} MB, but there are {memory / 1e6:,.0f} MB"
    why = f"expected at most {MOST:,} features" if index > MOST else why
    raise UnreadableError(
        f"line {line} has an index of {index:,}; {why}. Number the features without gaps, or {remedy}."
    )


def far_index(path: Path, most: int) -> tuple[int, int]:
    """The first line with an index that is too high, and that index."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            last = line.partition(b"#")[0].rpartition(b":")[0].rsplit(None, 1)[-1:]  # indices ascend
            if last and last[0].isdigit() and int(last[0]) >= most:
                return number, int(last[0])
    return 1, most


def chunks(file: BinaryIO, memory: int) -> Iterator[bytes]:
    """Whole lines, some at a time; raises UnreadableError for one that is longer than there is room for."""
    longest = max(LEAST, memory // ROOM)
    line = 1
    while text := file.read(min(CHUNK, longest)):
        line += text.count(b"\n")  # the line in which the text is cut
        if not text.endswith(b"\n"):
            rest = file.readline(longest + 1)
            if len(rest) > longest:
                raise UnreadableError(
                    f"line {line} is longer than {longest / 1e6:,.1f} MB, which is more than may be held; "
                    "shorten what it says behind #, or allow more memory (--memory)."
                )
            text += rest
            line += rest.count(b"\n")
        yield text


class Parsed:
    """The entries of a file as numbers in scratch files, row after row, and how many each column has."""

    def __init__(self, path: Path, scratch: Scratch) -> None:
        self.path = path
        self.memory = scratch.memory
        self.counts = np.zeros(0, np.int64)
        self.targets: list[Any] = []
        self.queries: list[Any] = []
        self.rounded = False
        self.paths = [scratch.file(name) for name in ("parsed rows", "parsed columns", "parsed values")]
        self.n_rows = 0
        with ExitStack() as stack:
            files = [stack.enter_context(one.open("wb")) for one in self.paths]
            file = stack.enter_context(path.open("rb"))
            for text in chunks(file, self.memory):
                self._take(text, files)

    def _take(self, text: bytes, files: list[Any]) -> None:
        from sklearn.datasets import load_svmlight_file

        X, y, query = load_svmlight_file(io.BytesIO(text), query_id=True, zero_based=True)
        check_index(X.shape[1], self.path, EACH, self.memory, "allow more (--memory)")
        counts = np.bincount(X.indices, minlength=len(self.counts))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.targets.append(y)
        self.queries.append(query)
        self.rounded |= is_rounded(X.data)
        rows = np.repeat(np.arange(self.n_rows, self.n_rows + len(y), dtype=np.int32), np.diff(X.indptr))
        for file, array in zip(files, (rows, X.indices.astype(np.int32), X.data), strict=True):
            file.write(array.tobytes())
        self.n_rows += len(y)

    def pieces(self, first: int) -> Iterator[Entries]:
        """The entries some at a time, columns counted from the first."""
        kinds = (np.int32, np.int32, np.float64)
        arrays = [np.memmap(path, kind, "r") for path, kind in zip(self.paths, kinds, strict=True)]
        size = min(PIECE, max(1, self.memory // (4 * ROOM)))
        for start in range(0, len(arrays[0]), size):
            rows, columns, values = (np.array(array[start : start + size]) for array in arrays)
            yield rows, columns - first, values


def first_index(path: Path) -> int:
    """0 if some pair has the index 0, else 1: as scikit-learn decides it."""
    with path.open("rb") as file:
        return 0 if any(ZERO.search(line.partition(b"#")[0]) for line in file) else 1


SVMLIGHT = Format("svmlight", "svmlight", matches, read, stream=stream)
