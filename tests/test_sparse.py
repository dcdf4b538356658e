"""A sparse matrix that is not what it says is refused at every door, before compiled code is given it.

All of it runs in a process of its own: were it not refused, it might end the process.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.apart import script

from qpfs import FGM, GDM, IKMQPFS, MRMR, QPFS, QPFSCV, TLKMQPFS, AsCodes, MaxRel, write_store
from qpfs.codes import columns_of
from qpfs.evaluation import error_curve, measured
from qpfs.sparse import sound_sparse

N, M = 60, 20
RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.4, (N, M)).astype(float)
Y = np.arange(N) % 2


def set_to(kind, **changes):
    """A sparse matrix with something else in its arrays, set behind SciPy's back."""

    def make():
        X = sparse.csr_array(COUNTS).asformat(kind)
        for name, change in changes.items():
            array = getattr(X, name).copy() if isinstance(getattr(X, name), np.ndarray) else getattr(X, name)
            setattr(X, name, change(array))
        return X

    return make


def at(place, value):
    def change(array):
        array[place] = value
        return array

    return change


def lil(change):
    def make():
        X = sparse.lil_array(COUNTS)
        change(X)
        return X

    return make


def dok():
    X = sparse.dok_array(COUNTS)
    X._dict[(N + 5, 2)] = 1.0
    return X


def huge(shape):
    return lambda: sparse.coo_array(([1.0], ([0], [0])), shape=shape)


def far_too_wide():
    X = sparse.csr_array((N, M))
    X._shape = (N, 10**15)
    return X


UNSOUND = {
    "csr: an index too large": set_to("csr", indices=at(5, 2**30)),
    "csr: an index just too large": set_to("csr", indices=at(5, M)),
    "csr: a negative index": set_to("csr", indices=at(5, -(2**30))),
    "csr: a pointer beyond": set_to("csr", indptr=at(-1, 2**30)),
    "csr: a pointer in the middle beyond": set_to("csr", indptr=at(3, 2**30)),
    "csr: a negative pointer": set_to("csr", indptr=at(3, -5)),
    "csr: pointers that begin late": set_to("csr", indptr=at(0, 3)),
    "csr: too few pointers": set_to("csr", indptr=lambda a: a[:-4]),
    "csr: too many pointers": set_to("csr", indptr=lambda a: np.append(a, a[-1])),
    "csr: no pointers": set_to("csr", indptr=lambda a: a[:0]),
    "csr: too few indices": set_to("csr", indices=lambda a: a[:9]),
    "csr: too few numbers": set_to("csr", data=lambda a: a[:9]),
    "csr: fractions for indices": set_to("csr", indices=lambda a: a.astype(float)),
    "csr: bytes for indices": set_to("csr", indices=lambda a: a.astype(np.int8)),
    "csr: the other bytes first": set_to("csr", indices=lambda a: a.astype(">i4")),
    "csr: a list for indices": set_to("csr", indices=lambda a: a.tolist()),
    "csr: a table for indices": set_to("csr", indices=lambda a: a[None]),
    "csr: fractions for pointers": set_to("csr", indptr=lambda a: a.astype(float)),
    "csr: objects": set_to("csr", data=lambda a: a.astype(object)),
    "csr: text": set_to("csr", data=lambda a: a.astype(str)),
    "csc: an index too large": set_to("csc", indices=at(5, 2**30)),
    "csc: a negative index": set_to("csc", indices=at(5, -1)),
    "csc: a pointer beyond": set_to("csc", indptr=at(3, 2**30)),
    "csc: too few pointers": set_to("csc", indptr=lambda a: a[:-1]),
    "coo: a row too large": set_to("coo", row=at(5, N)),
    "coo: a column too large": set_to("coo", col=at(5, 2**30)),
    "coo: a negative column": set_to("coo", col=at(5, -1)),
    "coo: too few columns": set_to("coo", col=lambda a: a[:9]),
    "coo: fractions": set_to("coo", coords=lambda pair: (pair[0], pair[1] + 0.5)),
    "bsr: an index too large": set_to("bsr", indices=at(5, 2**20)),
    "bsr: a pointer beyond": set_to("bsr", indptr=at(3, 2**20)),
    "bsr: blocks that do not fit": set_to("bsr", data=lambda a: np.ones((len(a), 7, 7))),
    "bsr: blocks of nothing": set_to("bsr", data=lambda a: np.ones((len(a), 0, 0))),
    "dia: a diagonal far out": set_to("dia", offsets=at(0, -(2**31))),
    "dia: a diagonal twice": set_to("dia", offsets=at(0, 1)),
    "dia: too few diagonals": set_to("dia", offsets=lambda a: a[:2]),
    "lil: a column too large": lil(lambda X: X.rows[3].__setitem__(0, 2**30)),
    "lil: a negative column": lil(lambda X: X.rows[3].__setitem__(0, -1)),
    "lil: no number for a column": lil(lambda X: X.rows[3].__setitem__(0, "a")),
    "lil: fewer numbers than columns": lil(lambda X: X.data[3].clear()),
    "lil: no list": lil(lambda X: X.rows.__setitem__(3, None)),
    "lil: no number": lil(lambda X: X.data[3].__setitem__(0, "a")),
    "dok: a key too large": dok,
    "more columns than memory": huge((N, 2**62)),
    "more rows than memory": huge((2**62, M)),
    "csr: a shape that lies": far_too_wide,
}

FITTED = {
    name: kind.fit(sparse.csr_array(COUNTS), Y) for name, kind in {"max": MaxRel(3), "fgm": FGM(3)}.items()
}


def into_store(X):
    return write_store(X, Path(os.environ.get("QPFS_TEST_OUT", "/nowhere")) / "a.qpfs", force=True)


DOORS = {
    "QPFS": lambda X: QPFS(3).fit(X, Y),
    "correlation": lambda X: QPFS(3, measure="correlation").fit(X, Y),
    "MaxRel": lambda X: MaxRel(3).fit(X, Y),
    "MRMR": lambda X: MRMR(3).fit(X, Y),
    "TLKMQPFS": lambda X: TLKMQPFS(3, n_clusters=5).fit(X, Y),
    "IKMQPFS": lambda X: IKMQPFS(3, n_first=4).fit(X, Y),
    "QPFSCV": lambda X: QPFSCV(param_grid={"theta": [0.3]}, n_features=[2], cv=2).fit(X, Y),
    "FGM": lambda X: FGM(3).fit(X, Y),
    "GDM": lambda X: GDM(3).fit(X, Y),
    "transform": lambda X: FITTED["max"].transform(X),
    "inverse_transform": lambda X: MaxRel(M).fit(COUNTS, Y).inverse_transform(X),
    "predict": lambda X: FITTED["fgm"].predict(X),
    "FGM's transform": lambda X: FITTED["fgm"].transform(X),
    "discretiser": lambda X: AsCodes().fit(X),
    "discretiser's transform": lambda X: AsCodes().fit(COUNTS).transform(X),
    "report": lambda X: FITTED["max"].report(X, Y),
    "columns_of": columns_of,
    "write_store": into_store,
    "error_curve": lambda X: error_curve(MaxRel(), X, Y, sizes=[1]),
    "measured": lambda X: measured(MaxRel(), X, Y),
}


def outcomes():
    """What each door says to each matrix, printed one by one: what is printed last was being tried."""
    for door, enter in DOORS.items():
        for name, make in UNSOUND.items():
            sys.stdout.write(json.dumps([door, name]) + "\n")
            sys.stdout.flush()
            try:
                enter(make())
                said = "nothing"
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            sys.stdout.write(json.dumps(said) + "\n")


OUTCOMES = """
import os, sys, warnings
warnings.simplefilter("ignore")
os.environ["QPFS_TEST_OUT"] = sys.argv[1]
from tests.test_sparse import outcomes
outcomes()
"""


@pytest.fixture(scope="session")
def said(tmp_path_factory):
    done = script(OUTCOMES, tmp_path_factory.mktemp("out"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    return {tuple(asked): answer for asked, answer in zip(lines[::2], lines[1::2], strict=True)}


REFUSALS = (
    "UnsoundSparseError: The sparse matrix ",
    "MemoryError: A sparse matrix of ",
    "ValueError: X has the shape ",  # of another table than was fitted to
)


@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_an_unsound_matrix_in(said, door):
    for name in UNSOUND:
        assert said[door, name].startswith(REFUSALS), (name, said[door, name])


FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("name", FORMATS)
def test_a_sound_matrix_comes_through_as_it_is(name, kind):
    X = kind(COUNTS).asformat(name)
    found = sound_sparse(X)
    np.testing.assert_array_equal(found.toarray(), COUNTS)
    assert isinstance(found, sparse.sparray) == isinstance(X, sparse.sparray)
    if name in ("csr", "csc", "coo", "bsr"):
        assert np.shares_memory(found.data, X.data)
    assert sound_sparse(COUNTS) is COUNTS


def unsorted(kind):
    """A matrix whose lines are backwards, with an entry twice, that says it is in order."""
    X = kind(COUNTS)
    X.sort_indices()
    for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        X.indices[begin:end], X.data[begin:end] = (
            X.indices[begin:end][::-1].copy(),
            X.data[begin:end][::-1].copy(),
        )
    first = int(X.indptr[np.flatnonzero(np.diff(X.indptr) >= 2)[0]])
    X.indices[first] = X.indices[first + 1]
    dense = kind((X.data, X.indices, X.indptr), X.shape).toarray()
    X.has_sorted_indices = X.has_canonical_format = True
    return X, dense


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("selector", [MaxRel(5), MaxRel(5, measure="correlation"), FGM(5)], ids=str)
def test_a_matrix_that_says_it_is_in_order_is_not_believed(kind, selector):
    X, dense = unsorted(kind)
    fitted = selector.fit(X, Y)
    scores, order = fitted.scores_, fitted.order_
    other = selector.fit(kind(dense), Y)
    np.testing.assert_array_equal(order, other.order_)
    np.testing.assert_array_equal(scores, other.scores_)
    assert X.has_canonical_format  # the matrix itself is left as it was


def test_entries_behind_the_last_are_not_read():
    X = sparse.csc_array(COUNTS)
    X.data, X.indices = np.append(X.data, [1e9, 1e9]), np.append(X.indices, [2**30, -7]).astype(np.int32)
    for selector in (MaxRel(5), FGM(5)):
        scores = selector.fit(X, Y).scores_
        np.testing.assert_array_equal(scores, selector.fit(sparse.csc_array(COUNTS), Y).scores_)
