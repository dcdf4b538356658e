"""Pieces of rows give to the last bit what whole columns give, in memory that does not grow with rows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from qpfs.codes import AsCodes, EqualFrequency, EqualWidth, ThreeSegments, columns_of, encode, encoding, tiles
from qpfs.codes.columns import ArrayColumns
from qpfs.codes.encoding import Division, coded_tiles, packed_by_levels
from qpfs.codes.tiles import Tile, scaled_moments
from qpfs.engines import Serial, Threads

RULES = [ThreeSegments(), EqualWidth(4), EqualFrequency(4), AsCodes(5)]
WORD = 64

every_rule = pytest.mark.parametrize("rule", RULES, ids=str)

values = st.sampled_from(
    [
        st.floats(-1e6, 1e6, width=32),
        st.integers(-3, 6).map(float),
        st.integers(-4, 4).map(lambda x: x / 4),
        st.sampled_from([0.1, 0.3]),
        st.sampled_from([1e300, -1e300, 1e-300, 3.5e299]),
        st.just(2.5),
    ]
)
columns = values.flatmap(lambda numbers: st.lists(numbers | st.just(np.nan), min_size=1, max_size=12))
row_counts = st.integers(1, 330)


@st.composite
def tables(draw):
    """Columns of all kinds, each repeating a few values, and as many rows as a few words hold."""
    n_rows = draw(row_counts)
    pools = draw(st.lists(columns, min_size=1, max_size=6))
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(pool, n_rows) for pool in pools], axis=1)


def packed(table, rule, n_rows):
    """The edges, levels, counts and planes of every feature that varies."""
    table_columns = columns_of(table)
    features = np.arange(table_columns.n_features)
    division = Division(len(features), n_rows, encoding.block_width)
    found = {}
    for part in coded_tiles(table_columns, rule, features, division):
        coding = part.coding
        for slot, feature in enumerate(coding.features):
            edges, occurs = coding.edges[:, slot], coding.occurs[:, slot]
            found[int(feature)] = [edges, occurs, coding.n_levels[slot], coding.labels, coding.merged]
        for block in packed_by_levels(part):
            for slot, feature in enumerate(block.features):
                found[int(feature)] += [block.planes[:, :, slot], block.counts[:, slot]]
    return found


def same(one, other):
    assert one.keys() == other.keys()
    for feature in one:
        assert len(one[feature]) == len(other[feature])
        for left, right in zip(one[feature], other[feature], strict=True):
            np.testing.assert_array_equal(left, right)


@every_rule
@given(table=tables(), n_words=st.integers(1, 6), single=st.booleans())
@settings(deadline=None)
def test_pieces_give_the_bits_of_whole_columns(rule, table, n_words, single):
    if single:
        with np.errstate(over="ignore"):
            table = table.astype(np.float32)
        table[np.isinf(table)] = np.nan
    same(packed(table, rule, n_words * WORD), packed(table, rule, len(table)))


@every_rule
@given(table=arrays.arrays(np.int8, st.tuples(row_counts, st.integers(1, 4)), elements=st.integers(-5, 5)))
@settings(deadline=None)
def test_pieces_of_integers(rule, table):
    for array in (table, np.asfortranarray(table), table > 0):
        same(packed(array, rule, WORD), packed(array, rule, len(array)))


@every_rule
@pytest.mark.parametrize("dtype", ["float16", "float32", ">f4", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_type_is_read_as_its_numbers(rule, dtype, order):
    table = np.random.default_rng(0).integers(0, 2, (200, 5)) * 1.25 + np.arange(5) % 2
    table = np.asarray(table.astype(dtype), order=order)
    same(packed(table, rule, WORD), packed(table.astype(np.float64), rule, len(table)))


def frame(n_rows=300):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n_rows),
            "label": rng.choice(list("abcdefgh"), n_rows),
            "flag": rng.random(n_rows) < 0.3,
            "few": rng.integers(0, 4, n_rows),
            "gaps": pd.array(rng.integers(0, 3, n_rows), "Int64"),
            "single": rng.normal(size=n_rows).astype(np.float32),
            "same": 7,
        }
    )


def with_gaps(table):
    """Nothing is missing in the first piece, so that pieces differ in their types."""
    table.loc[100:120, "gaps"] = pd.NA
    table.loc[250:, "x"] = np.nan
    return table


def in_batches(table):
    arrow = pa.Table.from_pandas(table)
    return pa.concat_tables([arrow.slice(start, 37) for start in range(0, len(table), 37)])


FRAMES = {
    "pandas": lambda table: table,
    "pandas on arrow": lambda table: table.convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda table: pl.from_pandas(table),
    "pyarrow": lambda table: pa.Table.from_pandas(table),
    "pyarrow in batches": in_batches,
}


@every_rule
@pytest.mark.parametrize("kind", FRAMES.values(), ids=FRAMES)
def test_pieces_of_frames(rule, kind):
    table = kind(with_gaps(frame()))
    for n_rows in (WORD, 3 * WORD):
        same(packed(table, rule, n_rows), packed(table, rule, len(frame())))


@pytest.mark.parametrize("row", [0, 63, 64, 200, 299])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_the_first_infinite_column_is_named_with_its_first_row(row, infinity):
    table = np.random.default_rng(0).normal(size=(300, 6))
    table[row:, 4] = infinity
    table[0, 5] = np.inf
    message = rf"column 4 has {infinity} in row {row}\."
    for n_rows in (WORD, 128, 300):
        with pytest.raises(ValueError, match=message):
            packed(table, ThreeSegments(), n_rows)


@given(table=tables(), n_words=st.integers(1, 3))
@settings(deadline=None)
def test_a_survey_is_that_of_numpy(table, n_words):
    survey = Tile(columns_of(table), np.arange(table.shape[1]), n_words * WORD).survey
    for k, column in enumerate(table.T):
        present = column[~np.isnan(column)]
        assert survey.seen[k] == len(present)
        assert survey.low[k] == present.min(initial=np.inf)
        assert survey.high[k] == present.max(initial=-np.inf)
        assert survey.size[k] == abs(present).max(initial=0)
        assert survey.whole[k] == (present == np.floor(present)).all()


def test_moments_are_those_of_numpy():
    table = np.random.default_rng(0).normal(size=(1000, 4)) * [1, 1e-320, 1e200, 1e300] + [1e6, 0, 0, 0]
    mean, rest, deviation, scale = scaled_moments(Tile(columns_of(table), np.arange(4), 128))
    np.testing.assert_allclose(mean + rest, (table * scale).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(deviation, (table * scale).std(axis=0), rtol=1e-9)


def test_whole_columns_are_gathered_within_a_budget(monkeypatch):
    table = np.random.default_rng(0).normal(size=(500, 7)).astype(np.float32)
    monkeypatch.setattr(tiles, "GATHERED_BYTES", 2 * 8 * 500)
    parts = list(Tile(columns_of(table), np.arange(7), WORD).gathered())
    assert [len(part) for _, part in parts] == [2, 2, 2, 1]
    np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), table.T)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n_workers", [1, 2, 3])
@pytest.mark.parametrize(
    "shape", [(50, 100), (8_192, 64), (8_193, 64), (100_000, 200), (5_000_000, 200), (3, 1)]
)
def test_a_division_keeps_to_its_budgets(shape, n_workers, shared):
    columns = columns_of(np.broadcast_to(np.float32(0), shape))
    if shared:
        division = Division.shared(columns, ThreeSegments(), 1 << 22, SimpleNamespace(n_workers=n_workers))
    else:
        division = Division.of(columns, ThreeSegments(), 1 << 22, n_workers)
    if division.n_rows >= shape[0]:
        assert 8 * shape[0] * min(division.width, shape[1]) <= 1 << 22
    else:
        assert division.n_rows % WORD == 0
        assert 8 * division.n_rows * division.width <= 1 << 22
        assert 3 * division.width * shape[0] // 8 <= encoding.PLANE_BYTES // n_workers
        assert -(-shape[1] // division.width) >= n_workers


def test_columns_whose_rows_cannot_be_had_alone_are_read_once(monkeypatch):
    class ByColumns(ArrayColumns):
        row_wise = False

        def part(self, features, rows):
            read.extend(features.tolist())
            return super().part(features, rows)

    read = []
    table = np.random.default_rng(0).normal(size=(1000, 30))
    monkeypatch.setattr(encoding, "PLANE_BYTES", 8 * 16 * 40)
    found, _ = encode(ByColumns(table), ThreeSegments(), tile_bytes=8 * 64 * 7)
    assert sorted(read) == list(range(30))
    expected, _ = encode(ArrayColumns(table), ThreeSegments())
    for one, other in zip(found.pick(np.arange(30)), expected.pick(np.arange(30)), strict=True):
        np.testing.assert_array_equal(one.planes, other.planes)


@every_rule
def test_a_tall_table_is_encoded_as_a_wide_one(rule, monkeypatch):
    rng = np.random.default_rng(0)
    table = np.where(rng.random((1000, 30)) < 0.1, np.nan, rng.normal(size=(1000, 30)))
    table[:, ::3] = rng.integers(0, 4, (1000, 10))
    whole, coding = encode(columns_of(table), rule)
    monkeypatch.setattr(encoding, "PLANE_BYTES", 8 * 16 * 40)
    for engine in (Serial(), Threads(2)):
        with engine:
            parts, coding_of_parts = encode(columns_of(table), rule, engine, 8 * 64 * 7)
        np.testing.assert_array_equal(coding_of_parts.edges, coding.edges)
        np.testing.assert_array_equal(coding_of_parts.occurs, coding.occurs)
        for block in parts.blocks:
            for one in whole.pick(block.features):
                np.testing.assert_array_equal(one.planes[:, :, np.argsort(one.features)], block.planes)
                np.testing.assert_array_equal(one.counts[:, np.argsort(one.features)], block.counts)


CHILD = """
import resource, sys
import numpy as np
from qpfs import QPFS, ThreeSegments
X, y = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2])
by_planes = QPFS(theta=0.5, discretizer=ThreeSegments())
by_planes.fit(np.array(X[:10_000]), y[:10_000])  # imports and compiles
held = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmData"))
limit = held + int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
print(*by_planes.fit(X, y).order_[:3])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
@pytest.mark.slow
def test_a_tall_file_is_fitted_within_less_memory_than_it_takes(tmp_path):
    n_samples, n_features = 400_000, 60
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_samples)
    X = rng.normal(size=(n_samples, n_features)).astype(np.float32)
    X[:, [7, 11, 30]] += y[:, None] * np.array([2.0, 1.5, 1.0], np.float32)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    del X
    allowed = 60 << 20  # the file is 96 MB, its numbers in float64 192 MB, its planes 6 MB
    command = [sys.executable, "-c", CHILD, str(tmp_path / "X.npy"), str(tmp_path / "y.npy"), str(allowed)]
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, env=there, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["7", "11", "30"]
