"""Descriptions and checksums: equal for what is equal, different for what is not."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.preprocessing import OrdinalEncoder

from qpfs import MRMR, QPFS, EqualFrequency, TwoLevelFeatureKMeans, TwoLevelSelector
from qpfs.evaluation.descriptions import checksum, description
from qpfs.strategies import careful


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (QPFS(3), QPFS(4)),
        (QPFS(discretizer=EqualFrequency(3)), QPFS(discretizer=EqualFrequency(4))),
        (
            TwoLevelSelector(TwoLevelFeatureKMeans(5), MRMR()),
            TwoLevelSelector(TwoLevelFeatureKMeans(6), MRMR()),
        ),
        (SelectKBest(f_classif), SelectKBest(np.mean)),
        (partial(max, 1), partial(max, 2)),
        (careful, len),
        (str.upper, str.lower),
        (OrdinalEncoder(), OrdinalEncoder(dtype=np.float32)),
        (np.float64, np.float32),
        (np.arange(3), np.arange(4)),
        (float("nan"), float("inf")),
        ({1, 2}, {1, 3}),
        (QPFS(random_state=np.random.RandomState(0)), QPFS(random_state=np.random.RandomState(1))),
        (np.random.default_rng(0), np.random.default_rng(1)),
    ],
)
def test_a_description_tells_apart_and_is_plain(one, other):
    said = [json.dumps(description(value)) for value in (one, other)]
    assert said[0] != said[1]
    assert " at 0x" not in said[0]
    assert said[0] == json.dumps(description(one))


def test_threads_are_no_part_of_it():
    assert description(QPFS(n_jobs=2)) == description(QPFS())


def test_checksums():
    X = np.arange(12.0).reshape(4, 3)
    table = pa.table({"a": [1.0, 2.0], "b": ["x", None]})
    sums = [
        checksum(X),
        checksum(X.T),
        checksum(X + 1e-12),
        checksum(X, np.arange(4)),
        checksum(X, np.array(["a", "b", "c", "d"])),
        checksum(sparse.csr_array(X)),
        checksum(sparse.csr_array(X + 1)),
        checksum(table),
        checksum(table.rename_columns(["a", "c"])),
        checksum(pa.table({"a": [1.0, 2.0], "b": ["x", "None"]})),
    ]
    assert len(set(sums)) == len(sums)
    assert checksum(np.asfortranarray(X)) == sums[0]
    assert checksum(sparse.csc_matrix(X)) == sums[5]
    assert checksum(table.to_pandas()) == sums[7]
