"""Headers of NumPy's files that are no headers."""

from __future__ import annotations

import io

import numpy as np
import pytest

from qpfs.npy import array_in, declared

HEADERS = {
    "a bracket": "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }   (",
    "a quote": "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }   '''",
    "an indent": "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}\n  1\n 2",
    "brackets": "[" * 5000,
    "no dict": "7",
    "no text": "\x00",
    "mixed keys": "{1: 2, 'a': 3, ('b',): 4}",
    "a shape of words": "{'descr': '<f8', 'fortran_order': False, 'shape': ('a',)}",
    "a type of nothing": "{'descr': None, 'fortran_order': False, 'shape': (3,)}",
    "a type of lists": "{'descr': [[['a', '<f8']]], 'fortran_order': False, 'shape': (3,)}",
    "an endless shape": "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "9" * 5000 + ",)}",
}


def file_with(header):
    text = header.encode("latin1") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + np.zeros(3).tobytes()


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_damaged_header_is_a_value_error(tmp_path, header):
    stored = file_with(header)
    with pytest.raises(ValueError, match=r"."):
        declared(io.BytesIO(stored), len(stored))
    (tmp_path / "a.npy").write_bytes(stored)
    with pytest.raises(ValueError, match=r"."):
        array_in(tmp_path / "a.npy")
