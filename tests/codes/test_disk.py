"""What was written is what is read, and whatever is not is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qpfs import EqualFrequency, StoreError, open_store, write_store
from qpfs.codes import columns_of, disk_draft, encode
from qpfs.codes.disk import Shelf
from qpfs.codes.disk_format import VERSION
from qpfs.codes.planes import unpack

N, M = 70, 300


@pytest.fixture(scope="module")
def numbers():
    X = np.random.default_rng(0).normal(size=(N, M))
    X[:, 10] = 4.0
    X[:, 20] = np.arange(N) % 2
    X[5, 30] = np.nan
    return X


@pytest.fixture(scope="module")
def path(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("stores") / "a.qpfs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_draft, "strip_width", lambda n_samples: 90)
        labels = np.array(["ill", "well"])[np.arange(N) % 2]
        write_store(
            numbers,
            path,
            labels,
            target_name="state",
            samples=[f"s{i}" for i in range(N)],
            groups=np.arange(N) // 2,
        )
    return path


def test_codes_counts_and_coding_come_back(path, numbers):
    table, (store, coding) = open_store(path, verify=True), encode(columns_of(numbers), table_rule())
    for block in table.blocks:
        (plain,) = store.pick(np.asarray(block.features))
        np.testing.assert_array_equal(unpack(block), unpack(plain))
        np.testing.assert_array_equal(block.counts, plain.counts)
    assert table.store.varying.tolist() == store.varying.tolist()
    np.testing.assert_array_equal(table.coding.edges, coding.edges)
    np.testing.assert_array_equal(table.coding.occurs, coding.occurs)
    np.testing.assert_array_equal(table.coding.n_levels, coding.n_levels)


def table_rule():
    from qpfs import EqualFrequency

    return EqualFrequency(3)


def test_what_is_known_of_the_samples_comes_back(path):
    table = open_store(path)
    assert (table.shape, table.names) == ((N, M), None)
    assert table.y.tolist() == ["ill", "well"] * (N // 2)
    assert list(table.targets) == ["state"]
    assert list(table.samples) == [f"s{i}" for i in range(N)]
    assert table.groups.tolist() == (np.arange(N) // 2).tolist()
    assert repr(table).startswith("EncodedTable(70 samples, 300 features in ")


def test_arrays_begin_where_words_do(path):
    for block in open_store(path).blocks:
        for array in (block.features, block.counts, block.planes):
            assert array.__array_interface__["data"][0] % 64 == 0
            assert not array.flags.writeable


def test_a_cell_takes_two_bits(tmp_path):
    X = np.random.default_rng(1).normal(size=(640, 4000))
    size = write_store(X, tmp_path / "b.qpfs").stat().st_size
    assert size < X.size / 4 * 1.3  # features, counts and edges take the rest


HOSTILE = ["", "a\nb", "x\0y", "‮gnp.exe", "<script>", "名", "a" * 3000, "'; --", "\ud800"]


def test_names_are_kept_whatever_they_are(tmp_path):
    import pandas as pd

    names = pd.Index(HOSTILE, dtype=object)  # pandas' own text cannot hold half a pair of surrogates
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(9, len(HOSTILE))), columns=names)
    table = open_store(
        write_store(X, tmp_path / "c.qpfs", samples=HOSTILE, y=HOSTILE, target_name=HOSTILE[3])
    )
    assert list(table.names) == HOSTILE
    assert list(table.samples) == HOSTILE
    assert table.y.tolist() == [name.rstrip("\0") for name in HOSTILE]
    assert list(table.targets) == [HOSTILE[3]]
    assert table.names[2:4] == HOSTILE[2:4]


@pytest.mark.parametrize("share", [0.0, 1e-4, 0.001, 0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 0.99, 0.9999])
def test_a_file_cut_short_is_refused(path, tmp_path, share):
    data = path.read_bytes()
    cut = tmp_path / "cut.qpfs"
    for length in {int(share * len(data)), min(int(share * len(data)) + 37, len(data) - 1)}:
        cut.write_bytes(data[:length])
        with pytest.raises(StoreError, match=r"truncated|not a store"):
            open_store(cut)


def test_bytes_behind_the_end_are_refused(path, tmp_path):
    (tmp_path / "long.qpfs").write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(StoreError, match="after its end"):
        open_store(tmp_path / "long.qpfs")


@pytest.fixture(scope="module")
def header(path):
    """Which bytes of the file are its head, its directory, and what stands beside the blocks."""
    table = open_store(path)
    file = table.store.file
    _, start, length = struct.unpack_from("<QQQ", path.read_bytes(), 16)
    places = [range(64), range(start, start + length)]
    for where in file.table.values():
        n_bytes = int(np.prod(where["shape"])) * np.dtype(where["dtype"]).itemsize
        places.append(range(where["offset"], where["offset"] + n_bytes))
    return [place for some in places for place in some]


@settings(
    max_examples=3 * settings.default.max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_every_flip_of_a_bit_in_the_header_is_found(path, header, tmp_path, data):
    place = data.draw(st.sampled_from(header))
    bit = data.draw(st.integers(0, 7))
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    (tmp_path / "flipped.qpfs").write_bytes(content)
    with pytest.raises(StoreError):
        open_store(tmp_path / "flipped.qpfs")


def test_a_damaged_block_is_named(path, tmp_path):
    table = open_store(path)
    where = table.store.file.blocks
    for number in range(len(where)):
        offset, _, _, length, _ = where[number].tolist()
        content = bytearray(path.read_bytes())
        content[offset + length - 5] ^= 4
        damaged = tmp_path / f"damaged{number}.qpfs"
        damaged.write_bytes(content)
        open_store(damaged, verify=False)
        first, last = table.blocks[number].features[[0, -1]]
        with pytest.raises(StoreError, match=rf"block {number} of \d+ \(features {first} to {last}\)"):
            open_store(damaged)


@pytest.mark.parametrize(
    ("version", "says"),
    [(VERSION + 1, r"newer version.*upgrade"), (1, r"another version.*encode the data again")],
)
def test_another_version_says_what_to_do(path, tmp_path, version, says):
    content = bytearray(path.read_bytes())
    content[8:12] = struct.pack("<I", version)
    (tmp_path / "newer.qpfs").write_bytes(content)
    with pytest.raises(StoreError, match=says):
        open_store(tmp_path / "newer.qpfs")


def test_what_is_no_store_is_refused(tmp_path):
    (tmp_path / "text").write_text("a,b\n1,2\n")
    with pytest.raises(StoreError, match="is not a store"):
        open_store(tmp_path / "text")
    with pytest.raises(StoreError, match="is a folder"):
        open_store(tmp_path)
    with pytest.raises(FileNotFoundError, match="no such store"):
        open_store(tmp_path / "nothing")


@pytest.mark.parametrize("memory", [0, -1, "1GB", 1.5, True, 1000])
def test_a_budget_that_makes_no_sense_is_refused(path, memory):
    with pytest.raises(ValueError, match="memory="):
        open_store(path, memory=memory)


def test_nothing_that_varies_and_nothing_at_all(tmp_path):
    table = open_store(write_store(np.ones((5, 3)), tmp_path / "ones.qpfs"), verify=True)
    assert (table.shape, len(table.blocks), table.store.varying.tolist()) == ((5, 3), 0, [])


def test_rows_beyond_the_budget_are_refused(tmp_path):
    X = np.random.default_rng(0).normal(size=(2000, 3000))
    table = open_store(write_store(X, tmp_path / "large.qpfs"), memory=1 << 20)
    with pytest.raises(ValueError, match="open it with more"):
        table[np.arange(1900)]
    assert table[np.arange(0, 2000, 4)].shape == (500, 3000)


@pytest.mark.parametrize("key", [3, "a", (0, 1), (slice(3), slice(3))])
def test_a_table_is_taken_apart_by_rows_or_columns(path, key):
    with pytest.raises(TypeError, match="by rows"):
        open_store(path)[key]


def test_a_rule_that_cannot_be_made_again_is_refused(tmp_path, numbers):
    class Own(EqualFrequency):
        pass

    with pytest.raises(ValueError, match="cannot be kept in a store"):
        write_store(numbers, tmp_path / "own.qpfs", discretizer=Own())
    assert list(tmp_path.iterdir()) == []


def test_a_shelf_keeps_what_was_used_last():
    shelf, made = Shelf(100), []

    def get(number):
        return shelf.get("columns", number, lambda: made.append(number) or np.zeros(5, np.uint64))

    for number in (0, 1, 0, 2, 0, 1):
        get(number)
    assert made == [0, 1, 2, 1]
    assert shelf.bytes == 80
