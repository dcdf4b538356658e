"""svmlight and libsvm: a target, and `index:value` for what is not zero. Sparse stays sparse."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.format import Format
from qpfs.data.formats.scratch import PIECE, Entries, Scratch, by_columns
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, of_matrix, whole

MOST = 100_000_000  # features, each of which gets a name
CHUNK = 1 << 22  # bytes of text that are parsed at a time
NUMBER = rb"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf|NaN|Inf)"
LABEL = NUMBER + rb"(?:," + NUMBER + rb")*"  # several are refused later, in as many words
PAIR = rb"\s+-?\d+:" + NUMBER  # as are indices below 0
LINE = re.compile(rb"\s*" + LABEL + rb"(?:\s+qid:\d+)?(?P<pairs>(?:" + PAIR + rb")*)\s*(?:#.*)?")


def matches(head: bytes, path: Path) -> bool:
    """Whether every line is a number and pairs, and some line has a pair."""
    lines = [line for line in head.split(b"\n")[:50] if line.strip() and not line.startswith(b"#")]
    whole = lines[:-1] if len(lines) > 1 and not head.endswith(b"\n") else lines
    found = [LINE.fullmatch(line.rstrip(b"\r")) for line in whole]
    if len(whole) == 1 and found == [None]:  # one line longer than what was looked at
        return re.match(rb"\s*" + LABEL + rb"(\s+qid:\d+)?(" + PAIR + rb"){2}", whole[0]) is not None
    return bool(found) and all(found) and any(one["pairs"] for one in found if one)


def read(path: Path, reading: Reading) -> Sheet:
    from sklearn.datasets import load_svmlight_file

    if reading.in_rows:
        raise UsageError("svmlight has features in columns; leave out features_in='rows'.")
    with path.open("rb") as file:
        X, y, query = load_svmlight_file(file, query_id=True)
    if X.shape[1] == 0:
        raise UnreadableError("no line has an index:value pair.")
    if X.shape[1] > MOST:
        raise UnreadableError(f"it has an index of {X.shape[1]:,}; expected at most {MOST:,} features.")
    first = first_index(path)
    return of_matrix(
        X,
        [str(first + j) for j in range(X.shape[1])],
        beside={"label": whole(y), "qid": query},
        target="label",
        groups=query if len(np.unique(query)) > 1 else None,
    )


def stream(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a file whose entries are put in order of columns on disk."""
    if reading.in_rows:
        raise UsageError("svmlight has features in columns; leave out features_in='rows'.")
    entries = Parsed(path, scratch)
    if len(entries.counts) == 0:
        raise UnreadableError("no line has an index:value pair.")
    first = 0 if entries.counts[0] else 1  # as scikit-learn decides it
    matrix = by_columns(partial(entries.pieces, first), entries.counts[first:], entries.n_rows, scratch)
    query = np.concatenate(entries.queries)
    return of_matrix(
        matrix,
        [str(first + j) for j in range(matrix.shape[1])],
        beside={"label": whole(np.concatenate(entries.targets)), "qid": query},
        target="label",
        groups=query if len(np.unique(query)) > 1 else None,
    )


class Parsed:
    """The entries of a file as numbers in scratch files, row after row, and how many each column has."""

    def __init__(self, path: Path, scratch: Scratch) -> None:
        self.counts = np.zeros(0, np.int64)
        self.targets: list[Any] = []
        self.queries: list[Any] = []
        self.paths = [scratch.file(name) for name in ("parsed rows", "parsed columns", "parsed values")]
        self.n_rows = 0
        with ExitStack() as stack:
            files = [stack.enter_context(one.open("wb")) for one in self.paths]
            file = stack.enter_context(path.open("rb"))
            while lines := file.readlines(CHUNK):
                self._take(b"".join(lines), files)

    def _take(self, text: bytes, files: list[Any]) -> None:
        from sklearn.datasets import load_svmlight_file

        X, y, query = load_svmlight_file(io.BytesIO(text), query_id=True, zero_based=True)
        if X.shape[1] > MOST:
            raise UnreadableError(f"it has an index of {X.shape[1]:,}; expected at most {MOST:,} features.")
        counts = np.bincount(X.indices, minlength=len(self.counts))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.targets.append(y)
        self.queries.append(query)
        rows = np.repeat(np.arange(self.n_rows, self.n_rows + len(y), dtype=np.int32), np.diff(X.indptr))
        for file, array in zip(files, (rows, X.indices.astype(np.int32), X.data), strict=True):
            file.write(array.tobytes())
        self.n_rows += len(y)

    def pieces(self, first: int) -> Iterator[Entries]:
        """The entries some at a time, columns counted from the first."""
        kinds = (np.int32, np.int32, np.float64)
        arrays = [np.memmap(path, kind, "r") for path, kind in zip(self.paths, kinds, strict=True)]
        for start in range(0, len(arrays[0]), PIECE):
            rows, columns, values = (np.array(array[start : start + PIECE]) for array in arrays)
            yield rows, columns - first, values


def first_index(path: Path) -> int:
    """0 if some pair has the index 0, else 1: as scikit-learn decides it."""
    with path.open("rb") as file:
        return 0 if any(re.search(rb"\s0+:", line.partition(b"#")[0]) for line in file) else 1


SVMLIGHT = Format("svmlight", "svmlight", matches, read, stream=stream)
