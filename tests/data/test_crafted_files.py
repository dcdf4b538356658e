"""Binary files that say what is not so are refused with a sentence, read whole or by columns.

All of it runs in a process of its own with little memory: were a file believed, it might end the process.
"""

from __future__ import annotations

import io
import json
import struct
import sys
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path

import anndata
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.io
from pyarrow import ipc, parquet
from scipy import sparse
from tests.apart import script

from qpfs.data import Reading, UnreadableError, UsageError, open_problem, open_stream
from qpfs.data.formats import matlab

N, M = 60, 20
COUNTS = np.random.default_rng(0).poisson(0.5, (N, M)).astype(float)
Y = np.arange(N) % 2
MEMORY = 12 << 30  # that the process may have: libraries and their threads take much of it unused

CASES = {}


def case(write):
    """A file that must be refused; the function writes it and may return how it is to be read."""
    CASES[write.__name__] = write
    return write


# Sparse matrices in archives of NumPy ---------------------------------------------------------------------


def archive(path, form="csr", **changes):
    X = sparse.csr_matrix(COUNTS).asformat(form)
    parts = {"csr": ["indices", "indptr"], "coo": ["row", "col"], "dia": ["offsets"]}
    arrays = {name: getattr(X, name).copy() for name in parts.get(form, parts["csr"])} | {"data": X.data}
    arrays |= {"shape": np.array(X.shape), "format": np.array(form.encode())}
    for name, change in changes.items():
        arrays[name] = change(arrays[name]) if callable(change) else change
    with path.open("wb") as file:
        np.savez(file, **{name: array for name, array in arrays.items() if array is not None})


def at(place, value):
    def change(array):
        array[place] = value
        return array

    return change


SPARSE = {
    "an_index_too_large": {"indices": at(5, 2**30)},
    "a_negative_index": {"indices": at(5, -1)},
    "a_pointer_too_large": {"indptr": at(3, 2**30)},
    "a_negative_pointer": {"indptr": at(3, -5)},
    "a_last_pointer_too_large": {"indptr": at(-1, 10**6)},
    "too_few_pointers": {"indptr": lambda a: a[:-1]},
    "too_few_indices": {"indices": lambda a: a[:-9]},
    "fractions": {"indices": lambda a: a + 0.5},
    "no_indices": {"indices": None},
    "a_huge_width": {"shape": np.array([N, 2**60])},
    "a_huge_height": {"shape": np.array([2**60, M])},
    "a_negative_shape": {"shape": np.array([N, -1])},
    "three_dimensions": {"shape": np.array([N, M, 1])},
    "a_shape_of_text": {"shape": np.array(["60", "20"])},
    "an_unknown_format": {"format": np.array(b"xyz")},
    "text": {"data": lambda a: a.astype(str)},
    "objects": {"data": lambda a: a.astype(object)},
    "csc_an_index_too_large": {"form": "csc", "indices": at(5, 2**30)},
    "csc_a_pointer_too_large": {"form": "csc", "indptr": at(3, 2**30)},
    "coo_a_row_too_large": {"form": "coo", "row": at(5, 2**30)},
    "coo_a_negative_column": {"form": "coo", "col": at(5, -7)},
    "bsr_an_index_too_large": {"form": "bsr", "indices": at(5, 2**30)},
    "dia_a_diagonal_far_out": {"form": "dia", "offsets": at(5, -(2**31))},
}
for _name, _changes in SPARSE.items():
    CASES[f"npz_{_name}"] = lambda path, changes=_changes: archive(path, **changes)


# NumPy's own ----------------------------------------------------------------------------------------------


def header(descr, shape, data=b"", order=False):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": order, "shape": shape})
    return out.getvalue() + data


HEADERS = {
    "a_trillion_rows": header("<f8", (10**12, 20)),
    "more_than_can_be_counted": header("<f8", (2**62, 2**62)),
    "no_rows_of_a_trillion": header("<f8", (0, 10**12)),
    "texts_of_no_length": header("<U0", (10**12, 3)),
    "a_negative_shape": header("<f8", (-1, 20), bytes(800)),
    "fractions_of_rows": header("<f8", (2.0, 20), bytes(800)),
    "truths_of_rows": header("<f8", (True, 20), bytes(800)),
    "raw_bytes": header("|V8", (60, 20), bytes(9600)),
    "objects": header("|O", (60, 20), bytes(9600)),
    "records_of_objects": header([("a", "|O"), ("b", "<f8")], (60,), bytes(960)),
    "dates": header("<M8[ns]", (60, 20), bytes(9600)),
    "no_header": b"\x93NUMPY\x01\x00\xff\xff",
    "a_header_that_is_a_call": b"\x93NUMPY\x01\x00"
    + struct.pack("<H", 30)
    + b"__import__('os').getcwd()     \n",
}
for _name, _data in HEADERS.items():
    CASES[f"npy_{_name}"] = lambda path, data=_data: path.write_bytes(data)


@case
def npz_a_member_twice(path):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
        warnings.simplefilter("ignore")
        for _ in range(2):
            file.writestr("X.npy", header("<f8", (N, M), COUNTS.tobytes()))


@case
def npz_a_trillion_rows(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("X.npy", header("<f8", (10**12, 20)))


@case
def npz_a_bomb(path):
    """Packed zeros: what is declared is there once it is unpacked, but there is no room for it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", header("<f8", (2**32, 20), bytes(1000)))
    data = bytearray(path.read_bytes())
    for place in (22, data.rindex(b"PK\x01\x02") + 24):  # that it says so itself
        data[place : place + 4] = struct.pack("<I", 2**32 - 2)
    path.write_bytes(data)


# HDF5 -----------------------------------------------------------------------------------------------------


def h5ad(path, change, kind=sparse.csr_matrix):
    obs = pd.DataFrame({"y": Y}, index=[f"s{i}" for i in range(N)])
    anndata.AnnData(kind(COUNTS), obs, layers={"raw": kind(COUNTS)}).write_h5ad(path)
    with h5py.File(path, "a") as file:
        change(file)
    return {"target": "y"}


def put(name, place, value):
    def change(file):
        array = file[name][:]
        array[place] = value
        del_and_set(file, name, array)

    return change


def del_and_set(file, name, array):
    del file[name]
    file[name] = array


def filled(file):
    del file["X"]
    one = file.create_dataset("X", (10**6, 10**6), "f8", chunks=(1000, 1000))
    one.attrs["encoding-type"], one.attrs["encoding-version"] = "array", "0.2.0"


def linked(file):
    del file["X"]
    file["X"] = h5py.ExternalLink("/etc/passwd", "/X")


def outside(file):
    del file["X"]
    one = file.create_dataset("X", (N, M), "u1", external=[("/etc/passwd", 0, N * M)])
    one.attrs["encoding-type"], one.attrs["encoding-version"] = "array", "0.2.0"


def virtual(file):
    del file["X"]
    layout = h5py.VirtualLayout((N, M), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "X", (N, M))
    one = file.create_virtual_dataset("X", layout)
    one.attrs["encoding-type"], one.attrs["encoding-version"] = "array", "0.2.0"


def records(file):
    del_and_set(file, "X", np.zeros((N, M), [("a", "f8"), ("b", "f8")]))
    file["X"].attrs["encoding-type"], file["X"].attrs["encoding-version"] = "array", "0.2.0"


def references(file):
    obs = file["obs"].ref
    del file["X"]
    one = file.create_dataset("X", (N, M), h5py.ref_dtype)
    one[:] = obs
    one.attrs["encoding-type"], one.attrs["encoding-version"] = "array", "0.2.0"


def opaque(tag, size):
    """A type that only HDF5's reader for Python has a meaning for, by its tag."""
    kind = h5py.h5t.create(h5py.h5t.OPAQUE, size)
    kind.set_tag(tag)
    return kind


def addresses_as_objects(file):
    """Numbers that would be taken for where Python objects are in memory."""
    del file["obs/y"]
    kind = opaque(b"NUMPY:|O", 8)
    one = h5py.h5d.create(file["obs"].id, b"y", kind, h5py.h5s.create_simple((N,)))
    one.write(h5py.h5s.ALL, h5py.h5s.ALL, np.full(N, 0x41414141, "<i8").view("V8"), mtype=kind)
    file["obs/y"].attrs["encoding-type"], file["obs/y"].attrs["encoding-version"] = "array", "0.2.0"


def addresses_in_records(file):
    kind = h5py.h5t.create(h5py.h5t.COMPOUND, 8)
    kind.insert(b"a", 0, opaque(b"NUMPY:|O", 8))
    one = h5py.h5d.create(file["uns"].id, b"r", kind, h5py.h5s.create_simple((3,)))
    one.write(h5py.h5s.ALL, h5py.h5s.ALL, np.full(3, 0x41414141, "<i8").view([("a", "V8")]), mtype=kind)
    file["uns/r"].attrs["encoding-type"], file["uns/r"].attrs["encoding-version"] = "rec-array", "0.2.0"


def an_address_beside(file):
    """As an attribute, which is read before what it is of."""
    kind = opaque(b"NUMPY:|O", 8)
    del file["obs"].attrs["encoding-version"]
    one = h5py.h5a.create(file["obs"].id, b"encoding-version", kind, h5py.h5s.create_simple((2,)))
    one.write(np.full(2, 0x41414141, "<i8").view("V8"), mtype=kind)


def a_type_of_another_size(file):
    del file["obs/y"]
    kind = opaque(b"NUMPY:|V4096", 8)
    h5py.h5d.create(file["obs"].id, b"y", kind, h5py.h5s.create_simple((N,)))
    file["obs/y"].attrs["encoding-type"], file["obs/y"].attrs["encoding-version"] = "array", "0.2.0"


def old_categories(file, **where):
    """As old versions wrote them: what the codes of a column mean is what an attribute refers to.

    No group that can be walked to holds it: the one that does holds itself, and so stays once it has no name.
    """
    for name in ("encoding-type", "encoding-version"):
        del file["obs/y"].attrs[name]
    file["obs"].attrs["encoding-version"] = "0.1.0"
    hidden = file.create_group("hidden")
    hidden["itself"] = hidden
    words = hidden.create_dataset("words", (9,), "u1", **where)
    if not where:
        words[:] = np.arange(9)
    file["obs/y"].attrs["categories"] = words.ref
    del file["hidden"]
    return hidden


def hidden_numbers_of_another_file(file):
    old_categories(file, external=[("/etc/passwd", 0, 9)])


def a_hidden_link(file):
    hidden = old_categories(file)
    hidden["elsewhere"] = h5py.ExternalLink("/etc/passwd", "/X")
    file["obs/y"].attrs["categories"] = hidden.ref


def a_heap_of_nothing(path):
    """Free room of no size among the texts."""
    said = h5ad(path, lambda file: None)
    data = bytearray(path.read_bytes())
    heap = data.index(b"GCOL")
    data[heap + 16 : heap + 32] = bytes(16)
    path.write_bytes(data)
    return said


def around(file):
    """A group that holds itself."""
    file["uns"]["again"] = file["uns"]


H5AD = {
    "an_index_too_large": put("X/indices", 5, 2**30),
    "a_negative_index": put("X/indices", 5, -1),
    "a_pointer_too_large": put("X/indptr", 3, 2**30),
    "a_negative_pointer": put("X/indptr", 3, -5),
    "too_few_pointers": lambda file: del_and_set(file, "X/indptr", file["X/indptr"][:-1]),
    "fractions": lambda file: del_and_set(file, "X/indices", file["X/indices"][:] + 0.5),
    "no_indices": lambda file: file.__delitem__("X/indices"),
    "a_huge_width": lambda file: file["X"].attrs.__setitem__("shape", np.array([N, 2**60])),
    "a_shape_of_one": lambda file: file["X"].attrs.__setitem__("shape", np.array([N])),
    "a_million_times_a_million": filled,
    "a_link_to_another_file": linked,
    "numbers_of_another_file": outside,
    "numbers_of_virtual_files": virtual,
    "records": records,
    "references": references,
    "addresses_as_objects": addresses_as_objects,
    "addresses_in_records": addresses_in_records,
    "an_address_beside": an_address_beside,
    "a_type_of_another_size": a_type_of_another_size,
    "hidden_numbers_of_another_file": hidden_numbers_of_another_file,
    "a_hidden_link": a_hidden_link,
}
for _name, _change in H5AD.items():
    CASES[f"h5ad_{_name}"] = lambda path, change=_change: h5ad(path, change)
    if "X/in" in str(getattr(_change, "__closure__", "") and _change.__closure__[0].cell_contents):
        CASES[f"h5ad_csc_{_name}"] = lambda path, change=_change: h5ad(path, change, sparse.csc_matrix)
CASES["h5ad_a_heap_of_nothing"] = a_heap_of_nothing
CASES["h5ad_layer"] = lambda path: h5ad(path, put("layers/raw/indices", 5, 2**30)) | {"layer": "raw"}


# MATLAB ---------------------------------------------------------------------------------------------------


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def matrix(kind, shape, *parts, name=b"X"):
    flags = element(6, struct.pack("<II", kind, 0))
    return element(
        14, flags + element(5, struct.pack(f"<{len(shape)}i", *shape)) + element(1, name) + b"".join(parts)
    )


def mat(*elements):
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + b"".join(elements)


def nested(depth):
    inside = matrix(4, (1, 1), element(16, b"a"), name=b"")
    for _ in range(depth):
        inside = matrix(1, (1, 1), inside, name=b"")
    return inside


def sparse_mat(change):
    X = sparse.csc_matrix(COUNTS)
    rows, bounds = change(X.indices.astype("<i4")), X.indptr.astype("<i4")
    parts = element(5, rows.tobytes()), element(5, bounds.tobytes()), element(9, X.data.tobytes())
    return mat(matrix(5, (N, M), *parts))


DENSE = element(9, COUNTS.tobytes(order="F"))
PACKED = zlib.compress(
    matrix(6, (N, M), DENSE)[:8].replace(struct.pack("<I", 14), struct.pack("<I", 14)) + bytes(9)
)
MAT = {
    "an_unknown_type": mat(matrix(6, (N, M), element(255, COUNTS.tobytes()))),
    "a_type_of_text": mat(matrix(6, (N, M), element(16, COUNTS.tobytes()))),
    "an_unknown_class": mat(matrix(99, (N, M), DENSE)),
    "more_rows_than_numbers": mat(matrix(6, (2**31 - 1, 2**31 - 1), DENSE)),
    "a_negative_shape": mat(matrix(6, (-N, -M), DENSE)),
    "no_shape": mat(matrix(6, (), DENSE)),
    "cut_short": mat(matrix(6, (N, M), DENSE))[:5000],
    "a_length_beyond": mat(struct.pack("<II", 14, 2**32 - 1) + bytes(100)),
    "an_element_beyond": mat(element(14, element(6, bytes(8)) + struct.pack("<II", 5, 2**31))),
    "cells_in_cells": mat(matrix(1, (1, 1), nested(2000))),
    "more_cells_than_there_are": mat(matrix(1, (2**31 - 1, 2**31 - 1), nested(0))),
    "a_packed_element_cut_short": mat(element(15, PACKED)),
    "a_packed_bomb": mat(element(15, zlib.compress(struct.pack("<II", 14, 2**32 - 8)))),
    "damaged_packing": mat(element(15, b"\xff" * 90)),
    "a_sparse_index_too_large": sparse_mat(at(5, 2**30)),
    "a_negative_sparse_index": sparse_mat(at(5, -1)),
    "another_order_of_bytes": mat(matrix(6, (N, M), DENSE)).replace(b"IM", b"MI"),
    "no_order_of_bytes": mat(matrix(6, (N, M), DENSE)).replace(b"IM", b"XX"),
    "an_object": mat(matrix(3, (1, 1), element(5, struct.pack("<i", 8)))),
    "a_function": mat(matrix(16, (1, 1), nested(0))),
}
for _name, _data in MAT.items():
    CASES[f"mat_{_name}"] = lambda path, data=_data: path.write_bytes(data)


def modern(path, change):
    with h5py.File(path, "w", userblock_size=512) as file:
        X = sparse.csc_matrix(COUNTS)
        group = file.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(N)
        group["jc"], group["ir"] = X.indptr.astype(np.uint64), X.indices.astype(np.uint64)
        group["data"] = X.data
        change(file)
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(512))


MODERN = {
    "an_index_too_large": put("X/ir", 5, 2**40),
    "an_index_beyond_all": put("X/ir", 5, 2**63 + 5),
    "a_pointer_too_large": put("X/jc", 3, 2**40),
    "a_huge_height": lambda file: file["X"].attrs.__setitem__("MATLAB_sparse", np.uint64(2**62)),
    "fractions": lambda file: del_and_set(file, "X/ir", file["X/ir"][:] + 0.5),
    "a_million_times_a_million": filled,
    "a_link_to_another_file": linked,
    "numbers_of_another_file": outside,
}
for _name, _change in MODERN.items():
    CASES[f"mat73_{_name}"] = lambda path, change=_change: modern(path, change)


# Arrow ----------------------------------------------------------------------------------------------------

TEXTS = ["lung", "skin", "bones"] * (N // 3)


def arrow(table, path, old=b"", new=b""):
    """An Arrow file in which some bytes are others."""
    with pa.OSFile(str(path), "wb") as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    assert data.count(old) > 0
    path.write_bytes(data.replace(old, new.ljust(len(old), b"\0")))
    return {"target": "y"}


@case
def arrow_offsets_beyond(path):
    ends = np.cumsum([0, *map(len, TEXTS)]).astype("<i4")
    wrong = ends.copy()
    wrong[20:] += 2**30
    return arrow(pa.table({"t": TEXTS, "g": COUNTS[:, 0], "y": Y}), path, ends.tobytes(), wrong.tobytes())


@case
def arrow_offsets_that_go_back(path):
    ends = np.cumsum([0, *map(len, TEXTS)]).astype("<i4")
    wrong = ends.copy()
    wrong[20:40] = -(2**30)
    return arrow(pa.table({"t": TEXTS, "g": COUNTS[:, 0], "y": Y}), path, ends.tobytes(), wrong.tobytes())


@case
def arrow_codes_of_no_word(path):
    words = pa.array(TEXTS).dictionary_encode()
    codes = words.indices.to_numpy().astype("<i4")
    wrong = np.where(codes == 1, 2**30, codes).astype("<i4")
    return arrow(pa.table({"t": words, "g": COUNTS[:, 0], "y": Y}), path, codes.tobytes(), wrong.tobytes())


@case
def arrow_no_text(path):
    return arrow(pa.table({"t": TEXTS, "g": COUNTS[:, 0], "y": Y}), path, b"lungskin", b"\xff" * 8)


@case
def parquet_rows_without_end(path):
    table = pa.table({"g": pa.nulls(10**5), "h": pa.nulls(10**5), "y": np.arange(10**5) % 2})
    parquet.write_table(table, path)
    data = path.read_bytes()
    path.write_bytes(data.replace(zigzag(10**5), zigzag(2**30 + 5)[:3]))
    return {"target": "y"}


def zigzag(number):
    """An integer as Parquet's footer has it."""
    number, out = number << 1, bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


# PLINK ----------------------------------------------------------------------------------------------------


def bed(path, bim=lambda text: text, fam=lambda text: text, data=lambda data: data):
    from bed_reader import to_bed

    calls = np.random.default_rng(0).integers(0, 3, (N, M)).astype(np.int8)
    to_bed(path, calls, properties={"pheno": [str(1 + i % 2) for i in range(N)]})
    for suffix, change in ((".bim", bim), (".fam", fam)):
        beside = path.with_suffix(suffix)
        beside.write_text(change(beside.read_text()))
    path.write_bytes(data(path.read_bytes()))
    return {}


def lines(n):
    return lambda text: "".join(text.splitlines(keepends=True)[:n])


CASES |= {
    "bed_fewer_variants": lambda path: bed(path, bim=lines(5)),
    "bed_more_variants": lambda path: bed(path, bim=lambda text: text * 9),
    "bed_no_variants": lambda path: bed(path, bim=lambda text: ""),
    "bed_fewer_samples": lambda path: bed(path, fam=lines(9)),
    "bed_lines_of_one_word": lambda path: bed(path, fam=lambda text: "a\n" * N),
    "bed_cut_short": lambda path: bed(path, data=lambda data: data[:-3]),
    "bed_with_more": lambda path: bed(path, data=lambda data: data + b"\0"),
}


# --------------------------------------------------------------------------------------------------------


def suffix(name):
    kind = name.partition("_")[0]
    return {"mat73": ".mat", "arrow": ".arrow"}.get(kind, f".{kind}")


def reading_of(said, folder):
    said = dict(said) if isinstance(said, dict) else {"labels": str(folder / "labels.npy")}
    return Reading(**said)


def whole(path, reading):
    open_problem(str(path), reading)


def by_columns(path, reading):
    with open_stream(str(path), reading, scratch=path.with_name("scratch"), memory=10**9) as streamed:
        streamed.columns.numbers(np.flatnonzero(streamed.columns.numeric))
        for feature in np.flatnonzero(~streamed.columns.numeric):
            streamed.columns.labels(int(feature))


WAYS = {"whole": whole, "by columns": by_columns}


def outcomes():
    """What is said of each file, printed one by one: what is printed last was being tried."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        np.save(folder / "labels.npy", Y)
        for name, write in CASES.items():
            path = folder / f"a{suffix(name)}"
            reading = reading_of(write(path), folder)
            for way, read in WAYS.items():
                sys.stdout.write(json.dumps([name, way]) + "\n")
                sys.stdout.flush()
                try:
                    read(path, reading)
                    said = "nothing"
                except (UnreadableError, UsageError) as error:
                    said = f"refused: {error}"
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"
                sys.stdout.write(json.dumps(said) + "\n")


OUTCOMES = """
import warnings
warnings.simplefilter("ignore")
from tests.data.test_crafted_files import outcomes
outcomes()
"""


@pytest.fixture(scope="session")
def said():
    done = script(OUTCOMES)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    return {tuple(asked): answer for asked, answer in zip(lines[::2], lines[1::2], strict=True)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_a_crafted_file_is_refused(said, name, way):
    found = said[name, way]
    assert found.startswith("refused: "), found
    assert "\n" not in found
    assert len(found) < 500


def test_nothing_of_another_file_is_read(said):
    """What lies elsewhere is refused because it does, and not because it is not found there."""
    for name in (
        "h5ad_a_link_to_another_file",
        "h5ad_numbers_of_another_file",
        "h5ad_numbers_of_virtual_files",
        "h5ad_hidden_numbers_of_another_file",
        "h5ad_a_hidden_link",
    ):
        assert "in other files" in said[name, "whole"] or "link to another file" in said[name, "whole"]


def test_a_group_that_holds_itself_has_an_end(tmp_path):
    path = tmp_path / "a.h5ad"
    h5ad(path, around)
    assert open_problem(str(path), Reading(target="y")).n_features > 0


def test_objects_are_refused_before_they_are_followed(said):
    """Were they, the process would have ended; that it did not is not by chance."""
    for name in ("addresses_as_objects", "addresses_in_records", "an_address_beside"):
        for way in WAYS:
            assert "Python objects" in said[f"h5ad_{name}", way]


# What is right is read as before --------------------------------------------------------------------------

VARIABLES = {
    "X": COUNTS,
    "integers": np.arange(6, dtype=np.int16).reshape(2, 3),
    "truths": np.array([[True, False, True]]),
    "sparse": sparse.csc_matrix(COUNTS),
    "sparse_truths": sparse.csc_matrix(COUNTS) > 1,
    "cells": np.array(["ab", "cde", ""], object),
    "square": np.array([["ab", "c"], ["d", "e"]], object),
    "mixed": np.array([1.5, "x", np.arange(3)], object),
    "text": "hello",
    "lines": np.array(["ab ", "cde"]),
    "nothing": np.zeros((0, 3)),
    "cube": np.arange(24.0).reshape(2, 3, 4),
    "long": np.array([[2**63]], np.uint64),
    "short": np.array([[1.5]], np.float32),
    "no_text": "",
    "letters": "wéll名",
}


def test_categories_of_old_versions(tmp_path):
    path = tmp_path / "a.h5ad"
    h5ad(path, old_categories)
    assert open_problem(str(path), Reading(target="y")).y.tolist() == [str(i % 2) for i in range(N)]


@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`")  # of SciPy, which is asked here
@pytest.mark.parametrize("packed", [False, True])
def test_matlab_files_are_read_as_by_scipy(tmp_path, packed):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, VARIABLES | {"structure": {"a": 1}, "complex": 1j}, do_compression=packed)
    found, others = matlab.arrays_in(path), scipy.io.loadmat(path, chars_as_strings=True)
    assert found.keys() == VARIABLES.keys()
    for name, array in found.items():
        other = others[name]
        if other.dtype == object:
            other = np.array([str(cell.ravel()[0]) if cell.size else "" for cell in other.ravel()])
        dense = other.toarray() if sparse.issparse(other) else other
        np.testing.assert_array_equal(array.toarray() if sparse.issparse(array) else array, dense, name)
        assert array.dtype == other.dtype
        assert array.shape == other.shape


def test_truth_values_of_an_archive_are_zero_and_one(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        file.writestr("X.npy", header("<f8", (N, M), COUNTS.tobytes()))
        file.writestr("y.npy", header("|b1", (N,), bytes([0, 255]) * (N // 2)))
    y = open_problem(str(tmp_path / "a.npz"), Reading()).y
    assert np.asarray(y).view(np.uint8).tolist() == [0, 1] * (N // 2)
