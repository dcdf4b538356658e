"""Files of every format with code, pickles, names of modules and places of other files planted in them.

Each case writes a file, given its path and what lies elsewhere, and may return how it is to be read.
"""

from __future__ import annotations

import json
import re
import struct
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import anndata
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import ipc, parquet
from tests.codes.crafting import crafted, small_store
from tests.codes.test_disk_writing import ABOUT, Broken, X
from tests.data.test_crafted_files import (
    H5AD,
    addresses_as_objects,
    addresses_in_records,
    an_address_beside,
    element,
    header,
    mat,
    matrix,
    old_categories,
)

from qpfs import ThreeSegments
from qpfs.codes.disk_writing import write_columns

N, M = 60, 20
NUMBERS = np.random.default_rng(0).poisson(0.5, (N, M)).astype(float)
Y = np.arange(N) % 2
PICKLE = b"cplanted\nrun\n(tR."  # who loads it runs planted.run()
CALL = "__import__('planted').run()"
TEXTS = [
    CALL,
    "${jndi:ldap://127.0.0.1:9/a}",
    "http://127.0.0.1:9/a.csv#sha256=" + "0" * 64,
    "!!python/object/apply:planted.run []",
    "{{ planted.run() }}",
    "$(touch run)",
    "`touch run`",
    PICKLE.decode().replace("\n", "\\n"),
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;',
    '{"py/reduce": [{"py/function": "planted.run"}, {"py/tuple": []}]}',
]
JSON = {
    "__reduce__": ["planted.run", []],
    "py/object": "planted.Own",
    "py/reduce": [{"py/function": "planted.run"}, {"py/tuple": []}],
    "__class__": "planted.Own",
    "$ref": "http://127.0.0.1:9/a.json",
}


@dataclass(frozen=True)
class Elsewhere:
    """Files that nothing has named to the reader."""

    text: Path
    hdf5: Path
    table: Path

    @classmethod
    def made(cls, folder):
        found = cls(*(folder / name for name in ("secret.txt", "secret.h5", "secret.parquet")))
        found.text.write_bytes(bytes(range(256)) * 64)
        with h5py.File(found.hdf5, "w") as file:
            file["X"] = NUMBERS
        parquet.write_table(pa.table({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1], "y": Y}), found.table)
        return found


# NumPy ----------------------------------------------------------------------------------------------------


def npy_objects(path, elsewhere):
    path.write_bytes(header("|O", (N, M), PICKLE))


def npy_records(path, elsewhere):
    path.write_bytes(header([("a", "<f8"), ("b", "|O")], (N,), PICKLE))


def npy_call(path, elsewhere):
    text = f"{{'descr': {CALL}, 'fortran_order': False, 'shape': (3, 3)}}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)


def npy_metadata(path, elsewhere):
    path.write_bytes(header(("<f8", {"metadata": {CALL: CALL}}), (N, M), NUMBERS.tobytes()))


def npz(members):
    def write(path, elsewhere):
        with zipfile.ZipFile(path, "w") as file:
            for name, data in members.items():
                file.writestr(name, data)
        return {}

    return write


PLAIN = header("<f8", (N, M), NUMBERS.tobytes())
LABELS = header("<i8", (N,), Y.astype("<i8").tobytes())
OBJECTS = header("|O", (N,), PICKLE)

# MATLAB ---------------------------------------------------------------------------------------------------


def mat_objects(path, elsewhere):
    data, planted = element(9, NUMBERS.tobytes(order="F")), element(2, PICKLE)
    parts = [matrix(kind, (1, 1), element(1, b"planted"), planted, name=b"y") for kind in (2, 3, 16, 17)]
    path.write_bytes(mat(matrix(6, (N, M), data), *parts))


def mat_oldest(path, elsewhere):
    """Of version 4, with text for a function."""
    numbers = struct.pack("<5i", 0, N, M, 0, 2) + b"X\0" + NUMBERS.tobytes(order="F")
    text = CALL.encode()
    path.write_bytes(numbers + struct.pack("<5i", 51, 1, len(text), 0, 2) + b"y\0" + text)


def modern(change):
    def write(path, elsewhere):
        with h5py.File(path, "w", userblock_size=512) as file:
            file["X"] = NUMBERS.T
            file["X"].attrs["MATLAB_class"] = np.bytes_("double")
            change(file, elsewhere)
        with path.open("r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file".ljust(512))

    return write


def python_types(file, elsewhere):
    """As packages name them that keep Python objects in such files."""
    for node in (file["X"], file.create_dataset("y", data=np.frombuffer(PICKLE, "u1"))):
        for name in ("Python.Type", "Python.numpy.Container", "CLASS", "TYPE", "MATLAB_object_decode"):
            node.attrs[name] = np.bytes_("planted.Own")


def cell_elsewhere(file, elsewhere):
    """A cell that points to a dataset of another file, which no group holds."""
    hidden = file.create_group("hidden")
    hidden["itself"] = hidden
    words = hidden.create_dataset("words", (9,), "u2", external=[(str(elsewhere.text), 0, 18)])
    cells = file.create_dataset("names", (1, 1), h5py.ref_dtype)
    cells[0, 0] = words.ref
    cells.attrs["MATLAB_class"] = np.bytes_("cell")
    del file["hidden"]


def linked_elsewhere(file, elsewhere):
    del file["X"]
    file["X"] = h5py.ExternalLink(str(elsewhere.hdf5), "/X")


def outside(file, elsewhere):
    del file["X"]
    described(file.create_dataset("X", (N, M), "u1", external=[(str(elsewhere.text), 0, N * M)]))


def virtual(file, elsewhere):
    del file["X"]
    layout = h5py.VirtualLayout((N, M), "f8")
    layout[:] = h5py.VirtualSource(str(elsewhere.hdf5), "X", (N, M))
    described(file.create_virtual_dataset("X", layout))


def described(node, kind="array", version="0.2.0"):
    node.attrs["encoding-type"], node.attrs["encoding-version"] = kind, version


# h5ad -----------------------------------------------------------------------------------------------------


@cache
def plain_h5ad():
    obs = pd.DataFrame({"y": Y, "t": TEXTS * 6}, index=[f"s{i}" for i in range(N)])
    with tempfile.TemporaryDirectory() as folder:
        anndata.AnnData(NUMBERS, obs, uns={"what": CALL}).write_h5ad(Path(folder, "a.h5ad"))
        return Path(folder, "a.h5ad").read_bytes()


def h5ad(change):
    def write(path, elsewhere):
        path.write_bytes(plain_h5ad())
        with h5py.File(path, "a") as file:
            change(file, elsewhere)
        return {"target": "y"}

    return write


def pickled_bytes(file, elsewhere):
    for node in (file, file["X"], file["obs"], file["obs/y"], file["uns"]):
        node.attrs["pickle"] = np.void(PICKLE)
    file["uns/pickle"] = np.void(PICKLE)
    file["uns/texts"] = TEXTS
    described(file["uns/texts"], "string-array")


def kinds(where, kind, version="0.1.0"):
    return lambda file, elsewhere: described(file[where], kind, version)


def hidden_elsewhere(file, elsewhere):
    old_categories(file, external=[(str(elsewhere.text), 0, 9)])


def hidden_link(file, elsewhere):
    hidden = old_categories(file)
    hidden["link"] = h5py.ExternalLink(str(elsewhere.hdf5), "/X")
    file["obs/y"].attrs["categories"] = hidden.ref


def soft_link_elsewhere(file, elsewhere):
    """A name that leads through a link to another file."""
    file["uns/other"] = h5py.ExternalLink(str(elsewhere.hdf5), "/")
    del file["X"]
    file["X"] = h5py.SoftLink("/uns/other/X")


def without(change):
    return lambda file, elsewhere: change(file)


# Arrow ----------------------------------------------------------------------------------------------------

EXTENSIONS = {
    b"ARROW:extension:name": b"arrow.py_extension_type",
    b"ARROW:extension:metadata": PICKLE,
}
OTHER = {b"ARROW:extension:name": b"planted.Own", b"ARROW:extension:metadata": PICKLE}
PANDAS = {
    b"pandas": json.dumps(
        {
            "index_columns": [{"kind": "planted", "name": CALL, "start": CALL}],
            "column_indexes": [{"name": CALL, "pandas_type": "planted", "numpy_type": "planted.Own"}],
            "columns": [
                {
                    "name": name,
                    "field_name": name,
                    "pandas_type": "planted.Own",
                    "numpy_type": "planted.Own",
                    "metadata": JSON,
                }
                for name in ("a", "t", "y")
            ],
            "creator": {"library": "planted", "version": CALL},
        }
    ).encode(),
    b"pickle": PICKLE,
}


def table(field_metadata, **more):
    fields = [pa.field("a", pa.float64(), metadata=field_metadata), pa.field("t", pa.string())]
    schema = pa.schema([*fields, pa.field("y", pa.int64())], metadata=PANDAS | more)
    return pa.table([NUMBERS[:, 0], TEXTS * 6, Y], schema=schema)


def in_parquet(field_metadata):
    def write(path, elsewhere):
        parquet.write_table(table(field_metadata), path)
        return {"target": "y"}

    return write


def parquet_elsewhere(path, elsewhere):
    """Columns that are said to lie in another file, as the format allows."""
    parquet.write_table(table(None), path)
    described_there = parquet.read_metadata(path)
    described_there.set_file_path(str(elsewhere.table))
    described_there.write_metadata_file(path.with_name("footer"))
    data, footer = path.read_bytes(), path.with_name("footer").read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    path.write_bytes(data[: -8 - size] + footer[4:])
    assert str(elsewhere.table).encode() in path.read_bytes()
    return {"target": "y"}


def in_feather(field_metadata, opener):
    def write(path, elsewhere):
        made = table(field_metadata)
        with pa.OSFile(str(path), "wb") as file, opener(file, made.schema) as writer:
            writer.write_table(made)
        return {"target": "y"}

    return write


# Text -----------------------------------------------------------------------------------------------------


def separated(separator):
    def write(path, elsewhere):
        names = [f'"{text}"'.replace(separator, " ") for text in (CALL, TEXTS[1])]
        lines = [separator.join([*names, "t", "y"])]
        quoted = ['"' + text.replace('"', '""') + '"' for text in [*TEXTS, str(elsewhere.text)]]
        lines += [separator.join([str(i), CALL, quoted[i % len(quoted)], str(i % 2)]) for i in range(N)]
        path.write_text("\n".join(lines))
        return {"target": "y"}

    return write


def arff(path, elsewhere):
    head = [f"% {CALL}", f"@relation '{TEXTS[1]}'", f'@attribute "{CALL}" numeric', "@attribute t string"]
    rows = [f'{i},"{CALL}",{i % 2}' for i in range(N)]
    path.write_text("\n".join([*head, "@attribute y {0,1}", "@data", *rows]) + "\n")
    return {"target": "y"}


def arff_type(kind):
    def write(path, elsewhere):
        head = ["@relation r", f"@attribute a {kind}", "@attribute y {0,1}", "@data"]
        path.write_text("\n".join([*head, *(f"{i},{i % 2}" for i in range(N))]) + "\n")
        return {"target": "y"}

    return write


def svmlight(path, elsewhere):
    path.write_text("".join(f"{i % 2} 1:{i} 3:2 # {TEXTS[i % len(TEXTS)]}\n" for i in range(N)))
    return {}


def svmlight_call(path, elsewhere):
    path.write_text("".join(f"{i % 2} 1:{CALL} {CALL}:2\n" for i in range(N)))
    return {}


def bed(path, elsewhere):
    from bed_reader import to_bed

    calls = np.random.default_rng(0).integers(0, 3, (N, M)).astype(np.int8)
    texts = [re.sub('[# "]', "_", text) for text in TEXTS]
    to_bed(path, calls, properties={"sid": texts * 2, "iid": texts * 6, "pheno": [CALL, "2"] * (N // 2)})
    return {}


FILES = {
    "npy": [npy_objects, npy_records, npy_call, npy_metadata],
    "npz": [
        npz({"X.npy": header("|O", (N, M), PICKLE), "y.npy": LABELS}),
        npz({"X.npy": PLAIN, "y.npy": OBJECTS}),
        npz({"X.npy": PLAIN, "y.npy": LABELS, "y.pkl": PICKLE, "more.npy": PICKLE}),
        npz({"X.npy": PLAIN, "y.npy": LABELS, "planted.pkl": PICKLE, "../../up.npy": LABELS}),
        npz({"X.npy": PLAIN, "data.npy": PLAIN, "format.npy": OBJECTS, "shape.npy": LABELS}),
    ],
    "mat": [
        mat_objects,
        mat_oldest,
        modern(python_types),
        modern(cell_elsewhere),
        modern(linked_elsewhere),
        modern(outside),
        modern(virtual),
        modern(lambda file, elsewhere: file["X"].attrs.__setitem__("MATLAB_class", np.void(PICKLE))),
    ],
    "h5ad": [
        h5ad(pickled_bytes),
        *(h5ad(kinds("X", kind)) for kind in ("planted.run", "pickle", "awkward-array", "../planted", "")),
        *(h5ad(kinds("obs/t", kind, CALL)) for kind in ("planted.run", "string-array", "categorical")),
        h5ad(kinds("uns", "planted.Own", CALL)),
        *(h5ad(without(one)) for one in (addresses_as_objects, addresses_in_records, an_address_beside)),
        h5ad(without(H5AD["references"])),
        *map(h5ad, (linked_elsewhere, outside, virtual, hidden_elsewhere, hidden_link, soft_link_elsewhere)),
    ],
    "parquet": [*map(in_parquet, (EXTENSIONS, OTHER, None)), parquet_elsewhere],
    "feather": [
        in_feather(kind, opener)
        for kind in (EXTENSIONS, OTHER, None)
        for opener in (ipc.new_file, ipc.new_stream)
    ],
    "csv": [separated(",")],
    "tsv": [separated("\t")],
    "arff": [arff, *map(arff_type, (CALL, f"{{{CALL}}}", "relational", f'date "{CALL}"'))],
    "svmlight": [svmlight, svmlight_call],
    "bed": [bed],
}
SUFFIX = {"svmlight": "svm", "feather": "arrow"}  # of those whose name is not their suffix

# What qpfs writes itself ----------------------------------------------------------------------------------


def rule_of_strangers(parts):
    parts.facts["rule"] = {"class": "planted.run", "parameters": JSON}


def more_facts(parts):
    parts.facts |= {"source": "http://127.0.0.1:9/a.csv", "notes": TEXTS, "checksum": CALL}


def facts_of_strangers(parts):
    parts.facts |= JSON


def pickles_for_labels(parts):
    parts.facts["labels"] = {"14": [PICKLE.decode(), CALL, "a", "b"]}


def objects_in_sections(parts):
    parts.where("edges")["dtype"] = "|O"


STORES = [rule_of_strangers, more_facts, facts_of_strangers, pickles_for_labels, objects_in_sections]


def store(change):
    def write(path):
        small_store(path)
        path.write_bytes(crafted(path, change))

    return write


STRIPS = [
    {"edges": OBJECTS},
    {"labels": header("|O", (), PICKLE)},
    {"labels": header("<U400", (), json.dumps([JSON, JSON]).ljust(400).encode("utf-32-le"))},
    {"end": header("|O", (), PICKLE), "pickle": PICKLE},
]


def draft(path, members):
    """A beginning of a store in whose record of a strip some members are others."""
    with suppress(ValueError):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT)
    (strip, *_) = sorted(path.with_name(f"{path.name}.partial").glob("strip-*.npz"))
    with zipfile.ZipFile(strip) as file:
        known = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(strip, "w") as file:
        for name, data in (known | {f"{name}.npy": data for name, data in members.items()}).items():
            file.writestr(name, data)


def records(path):
    lines = [{"schema": "qpfs-records", "version": 1, **JSON}]
    lines += [{"key": {"class": "planted.Own", **JSON}, "value": JSON}, {"key": CALL, "value": TEXTS}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


FREE = {"feature", "title", "names", "rule", "text", "source", "python", "created", "qpfs", "checksum"}
ESTIMATORS = ("planted.Own", "sklearn.conftest.Own", "sklearn.tests.test_base.T", "os.system", "sklearn..os")


def planted_records(record):
    """A record with other texts wherever any text may stand; of a comparison, one for each estimator.

    The same text becomes the same one everywhere, for names that disagree are refused before they are used.
    """
    texts, known = iter(TEXTS * 1000), {}

    def changed(value, key=""):
        if isinstance(value, dict):
            return {name: changed(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [changed(one, key) for one in value]
        if isinstance(value, str) and key in FREE:
            return known.setdefault(value, f"{next(texts)} {len(known)}")
        return value

    said = changed(record) | JSON
    if "protocol" not in said:
        return [said]
    estimators = [{"class": place, "parameters": JSON} for place in ESTIMATORS]
    return [said | {"protocol": said["protocol"] | {"estimator": one}} for one in estimators]
