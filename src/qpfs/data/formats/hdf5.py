"""The only module that imports h5py: matrices in HDF5, as `.mat` of version 7.3 and `.h5ad` have them."""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.keyed import checked_matrix
from qpfs.data.formats.scratch import (
    PIECE,
    Entries,
    Scratch,
    ScratchColumns,
    Slabs,
    SparseRows,
    check_places,
    runs,
)
from qpfs.data.room import check_room
from qpfs.sparse import check_size, sound_sparse

SLAB = 3  # a slab takes one part in so many of the budget
FORMS = ("csr_matrix", "csc_matrix")  # sparse matrices, by their names in anndata
HEAP = b"GCOL\x01\0\0\0"  # how a heap begins
MOST_PACKED = 1100  # the largest ratio of unpacked to packed size; deflate reaches at most 1032
MOST_FILLING = 1 << 28  # bytes of numbers that need not be stored, since all have the fill value


def arrays_in(path: Path) -> dict[str, Any]:
    """The arrays of a `.mat` file of version 7.3, by name."""
    with opened_file(path) as file:
        check_room(declared_bytes(file), "what it holds")
        found = {name: array(file[name], file) for name in file if not name.startswith("#")}
    return {name: value for name, value in found.items() if value is not None}


def opened_file(path: Path) -> Any:
    """An open file of HDF5, which the caller closes; raises UnreadableError if it refers to other files."""
    try:
        import h5py
    except ImportError as error:
        raise UnreadableError("this needs h5py: pip install 'qpfs[formats]'.") from error
    check_heaps(path)
    file = h5py.File(path, "r")
    try:
        for node in nodes_in(file):
            check_node(node)
    except BaseException:
        file.close()
        raise
    return file


def check_heaps(path: Path) -> None:
    """Raises UnreadableError if a heap of texts has an entry of size 0: HDF5 would loop forever."""
    if path.stat().st_size == 0:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        place = data.find(HEAP)
        while place >= 0:
            if not heap_has_end(data, place):
                raise UnreadableError("its texts are damaged.")
            place = data.find(HEAP, place + 1)


def heap_has_end(data: Any, start: int) -> bool:
    """Whether the sizes of the entries of a heap, and of its free space, add up to its size."""
    (size,) = struct.unpack_from("<Q", data[start : start + 16].ljust(16, b"\0"), 8)
    place, end = start + 16, min(start + size, len(data))
    while place + 16 <= end:
        number, length = struct.unpack_from("<H6xQ", data, place)
        if number == 0 and length == 0:
            return False
        place += length if number == 0 else 16 + length + -length % 8
    return place <= end


def nodes_in(file: Any) -> Iterator[Any]:
    """The file itself, and every group and dataset that a hard link or an attribute leads to, each once."""
    import h5py

    waiting, seen = [file], set()
    while waiting:
        node = waiting.pop()
        place = h5py.h5o.get_info(node.id).addr
        if place in seen:
            continue
        seen.add(place)
        yield node
        if isinstance(node, h5py.Group):
            names = (name for name in node if isinstance(node.get(name, getlink=True), h5py.HardLink))
            waiting += [node[name] for name in names]
        waiting += [file[one] for one in references_of(node)]


def references_of(node: Any) -> Iterator[Any]:
    """The nodes that the attributes of a node refer to, which need not be in any group."""
    import h5py

    for one in attributes_of(node):
        if one.get_type().get_class() == h5py.h5t.REFERENCE:
            yield from filter(None, np.asarray(node.attrs[one.name]).ravel().tolist())


def attributes_of(node: Any) -> Iterator[Any]:
    import h5py

    return (h5py.h5a.open(node.id, index=i) for i in range(h5py.h5a.get_num_attrs(node.id)))


def check_node(node: Any) -> None:
    """Raises UnreadableError for a link to another file, or a type that cannot be trusted."""
    import h5py

    for one in attributes_of(node):
        check_type(one.get_type(), node)
    if isinstance(node, h5py.Dataset):
        check_dataset(node)
    elif isinstance(node, h5py.Group):
        links = [name for name in node if isinstance(node.get(name, getlink=True), h5py.ExternalLink)]
        if links:
            raise UnreadableError(f"{links[0]!r} is a link to another file; copy its data into this one.")


def check_type(kind: Any, node: Any) -> None:
    """Raises UnreadableError for bytes of a node that the file falsely declares as a type of NumPy."""
    import h5py

    # h5py trusts that: it would use the bytes as addresses of Python objects in memory.
    if isinstance(kind, h5py.h5t.TypeOpaqueID):
        meant = kind.dtype
        if meant.hasobject or meant.itemsize != kind.get_size():
            what = "Python objects" if meant.hasobject else str(meant)[:40]
            raise UnreadableError(f"{node.name!r} claims to hold {what}, which is not true; remove it.")
    elif isinstance(kind, h5py.h5t.TypeCompoundID):
        for i in range(kind.get_nmembers()):
            check_type(kind.get_member_type(i), node)
    elif isinstance(kind, (h5py.h5t.TypeArrayID, h5py.h5t.TypeVlenID)):
        check_type(kind.get_super(), node)


def check_dataset(node: Any) -> None:
    """Raises UnreadableError for numbers that are in other files, that are missing, or that are objects."""
    check_type(node.id.get_type(), node)
    if node.external or node.is_virtual:
        raise UnreadableError(f"{node.name or 'a dataset'!r} is in other files; copy it into this one.")
    size, stored = size_of(node), node.id.get_storage_size()
    if size > MOST_FILLING + MOST_PACKED * stored:
        raise UnreadableError(
            f"{node.name!r} claims to be {size / 1e9:,.1f} GB, of which {stored} bytes are there; it was "
            "not written completely."
        )


def size_of(node: Any) -> int:
    """Bytes that a dataset takes in memory; for texts, the pointers only."""
    return math.prod(node.shape or ()) * max(node.dtype.itemsize, 1)


def declared_bytes(file: Any) -> int:
    return sum(size_of(node) for node in nodes_in(file) if hasattr(node, "shape"))


def columns_in(node: Any, scratch: Scratch) -> Any:
    """A matrix in a file, dense or sparse by rows or columns, some columns at a time."""
    if hasattr(node, "shape"):
        checked_matrix(node, "X")
        budget = scratch.memory // SLAB

        def slab(some: IndexArray) -> AnyArray:
            parts = [node[:, one] for one in runs(some)] or [np.empty((node.shape[0], 0))]
            return np.asarray(checked_matrix(np.concatenate(parts, 1), "X"))

        return Slabs(slab, node.shape, budget)
    shape, by_column = shape_of(node)
    bounds = bounds_of(node, shape[::-1] if by_column else shape)
    if by_column:
        return ScratchColumns(bounds, node["indices"], node["data"], shape)
    counts = np.zeros(shape[1], np.int64)
    for some in pieces(bounds):
        columns = node["indices"][bounds[some][0] : bounds[some][-1]]
        check_places(columns, shape[1])
        counts += np.bincount(columns, minlength=shape[1])

    def entries() -> Iterator[Entries]:
        for some in pieces(bounds):
            part = slice(int(bounds[some][0]), int(bounds[some][-1]))
            rows = np.repeat(np.arange(some.start, some.stop - 1), np.diff(bounds[some]))
            yield rows, node["indices"][part], node["data"][part]

    return SparseRows(entries, counts, shape[0], scratch, node["data"].dtype)


def shape_of(node: Any) -> tuple[tuple[int, int], bool]:
    """The rows and columns of a sparse matrix, and whether it is kept column by column."""
    form = node.attrs.get("encoding-type")
    shape = np.asarray(node.attrs.get("shape", ())).ravel()
    if form not in FORMS or len(shape) != 2 or shape.dtype.kind not in "iu" or shape.min() < 0:
        raise UnreadableError(f"X is not a matrix: {str(form)[:40]!r} of the shape {str(shape)[:40]}.")
    check_size((int(shape[0]), int(shape[1])))
    return (int(shape[0]), int(shape[1])), form == FORMS[1]


def bounds_of(node: Any, shape: tuple[int, int]) -> AnyArray:
    """Where the entries of each line begin; raises UnreadableError if the pointers are not valid."""
    for name, kinds in (("indptr", "iu"), ("indices", "iu"), ("data", "biuf")):
        there = name in node and getattr(node[name], "ndim", 0) == 1 and node[name].dtype.kind in kinds
        if not there:
            raise UnreadableError(f"X is sparse, but its {name!r} are not numbers.")
    bounds = node["indptr"][()].astype(np.int64)
    ascend = len(bounds) == shape[0] + 1 and bounds[0] == 0 and not (bounds[1:] < bounds[:-1]).any()
    if not ascend or bounds[-1] > min(len(node["indices"]), len(node["data"])):
        raise UnreadableError("X is sparse, but its pointers are not valid.")
    return bounds


def pieces(bounds: AnyArray) -> Iterator[slice]:
    """The bounds of rows in runs that hold few entries; each begins with the last bound of the one before."""
    start = 0
    while start < len(bounds) - 1:
        stop = max(int(np.searchsorted(bounds, bounds[start] + PIECE, "right")), start + 2)
        yield slice(start, min(stop, len(bounds)))
        start = min(stop, len(bounds)) - 1


def array(node: Any, file: Any) -> Any:
    """An array with its axes as in MATLAB, which counts them the other way round; None for anything else."""
    if "MATLAB_sparse" in node.attrs:
        return sparse_array(node)
    if not hasattr(node, "shape"):
        return None
    if node.attrs.get("MATLAB_class") == b"cell":
        return np.array([text(pointed(file, one)) for one in node[()].ravel()])
    return node[()].T if node.dtype.kind in "biuf" else None


def pointed(file: Any, reference: Any) -> Any:
    """The node that a cell points to, which need not be in any group."""
    node = file[reference]
    if hasattr(node, "shape"):
        check_dataset(node)
        check_room(size_of(node), "a cell")
    return node


def text(node: Any) -> str:
    """A cell as text: MATLAB stores the codes of its characters."""
    return "".join(map(chr, node[()].ravel())) if node.dtype.kind == "u" else str(node[()].ravel()[0])


def sparse_array(node: Any) -> Any:
    """A sparse matrix, checked."""
    from scipy import sparse

    columns = node["jc"][()].ravel()
    n_rows = int(node.attrs["MATLAB_sparse"])
    if len(columns) == 0 or columns.dtype.kind not in "iu" or n_rows < 0:
        raise UnreadableError(f"the sparse matrix {node.name!r} has no columns.")
    shape = (n_rows, len(columns) - 1)
    check_size(shape)
    if "data" not in node:
        return sparse.csc_matrix(shape)
    rows, values = node["ir"][()].ravel(), node["data"][()].ravel()
    if rows.dtype.kind not in "iu" or values.dtype.kind not in "biuf":
        raise UnreadableError(f"the sparse matrix {node.name!r} does not hold numbers.")
    return sound_sparse(sparse.csc_matrix((values, rows.astype(np.int64), columns.astype(np.int64)), shape))
