"""Numbers -> small integers -> packed features.

A discretiser learns bin edges; `encode` discretises and packs columns, tile by tile; a block of packed
features counts how often its levels occur together with those of given features. All later results are
computed from such counts.
"""

from __future__ import annotations

from qpfs.codes.columns import Columns, NumberColumns
from qpfs.codes.discretizers import (
    DISCRETIZERS,
    AsCodes,
    Discretizer,
    EqualFrequency,
    EqualWidth,
    ThreeSegments,
)
from qpfs.codes.disk_format import StoreError
from qpfs.codes.disk_table import EncodedTable, open_store
from qpfs.codes.disk_writing import write_store
from qpfs.codes.encoding import Coding, encode
from qpfs.codes.lists import ListBlock
from qpfs.codes.numbers import NumberBlock, standardize
from qpfs.codes.planes import PlaneBlock
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.codes.sparse_encoding import encode_sparse
from qpfs.codes.sparse_numbers import standardize_sparse
from qpfs.codes.store import Block, MemoryStore, Store
from qpfs.codes.tables import TABLES, checked_columns, columns_of, some_columns, some_rows, table_kind
from qpfs.codes.target import Target, target_of

__all__ = [
    "DISCRETIZERS",
    "TABLES",
    "AsCodes",
    "Block",
    "Coding",
    "Columns",
    "Discretizer",
    "EncodedTable",
    "EqualFrequency",
    "EqualWidth",
    "ListBlock",
    "MemoryStore",
    "NumberBlock",
    "NumberColumns",
    "PlaneBlock",
    "SparseColumns",
    "Store",
    "StoreError",
    "Target",
    "ThreeSegments",
    "checked_columns",
    "columns_of",
    "encode",
    "encode_sparse",
    "open_store",
    "some_columns",
    "some_rows",
    "standardize",
    "standardize_sparse",
    "table_kind",
    "target_of",
    "write_store",
]
