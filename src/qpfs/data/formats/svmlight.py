"""svmlight and libsvm: a target, and `index:value` for what is not zero. Sparse stays sparse."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.format import Format
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, of_matrix, whole

MOST = 100_000_000  # features, each of which gets a name
NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
LINE = re.compile(rb"\s*" + NUMBER + rb"(?:\s+qid:\d+)?(?P<pairs>(?:\s+\d+:" + NUMBER + rb")*)\s*(?:#.*)?")


def matches(head: bytes, path: Path) -> bool:
    """Whether every line is a number and pairs, and some line has a pair."""
    lines = [line for line in head.split(b"\n")[:50] if line.strip() and not line.startswith(b"#")]
    whole = lines[:-1] if len(lines) > 1 and not head.endswith(b"\n") else lines
    found = [LINE.fullmatch(line.rstrip(b"\r")) for line in whole]
    if len(whole) == 1 and found == [None]:  # one line longer than what was looked at
        return (
            re.match(rb"\s*" + NUMBER + rb"(\s+qid:\d+)?(\s+\d+:" + NUMBER + rb"){2}", whole[0]) is not None
        )
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


def first_index(path: Path) -> int:
    """0 if some pair has the index 0, else 1: as scikit-learn decides it."""
    with path.open("rb") as file:
        return 0 if any(re.search(rb"\s0+:", line.partition(b"#")[0]) for line in file) else 1


SVMLIGHT = Format("svmlight", "svmlight", matches, read)
