"""Compressed files: read to the end or refused, and never more than there is room for."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import shutil
import threading
from collections import namedtuple

import pytest

from qpfs.data import Reading, UnreadableError, open_problem, stored

RNG = random.Random(0)
TEXT = b"a,b,y\n" + b"".join(f"{RNG.random()},{RNG.random()},{i % 2}\n".encode() for i in range(200))
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
Disk = namedtuple("Disk", "total used free")


def opened(tmp_path, content):
    path = tmp_path / "a.csv.packed"
    path.write_bytes(content)
    return open_problem(str(path), Reading(target="y"))


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("block", [1, 100, 1 << 20])
def test_streams_one_after_another_are_read(tmp_path, monkeypatch, kind, block):
    monkeypatch.setattr(stored, "CHUNK", block)
    pack, cut = PACK[kind], len(TEXT) // 3
    assert opened(tmp_path, pack(TEXT[:cut]) + pack(TEXT[cut:])).n_samples == 200
    if kind != "bz2":
        assert opened(tmp_path, pack(TEXT) + bytes(8)).n_samples == 200


@pytest.mark.parametrize("name", ["pipe.gz", "standard input.gz", "..gz", "...gz", "a" * 252 + ".gz"])
@pytest.mark.parametrize("piped", [False, True])
def test_files_of_any_name_are_unpacked(tmp_path, name, piped):
    path = tmp_path / name
    if piped:
        os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    if not piped:
        writer.join()
    assert open_problem(str(path), Reading(target="y")).n_samples == 200
    writer.join()


@pytest.mark.parametrize("kind", PACK)
def test_whatever_is_damaged_is_refused_in_a_sentence(tmp_path, kind):
    packed = PACK[kind](TEXT)
    damaged = [packed[:cut] for cut in (30, len(packed) // 2, len(packed) - 1)]
    for seed in range(40):
        rng, some = random.Random(seed), bytearray(packed)
        start = rng.randrange(8, len(packed) - 50)
        some[start : start + 50] = bytes(50) if seed % 2 else rng.randbytes(50)
        damaged.append(bytes(some))
    damaged += [packed + b"something else", packed + packed[:20] + bytes(9) + packed[29:]]
    for content in damaged:
        with pytest.raises(UnreadableError, match="cannot be unpacked"):
            opened(tmp_path, content)


@pytest.mark.parametrize("kind", PACK)
def test_what_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(stored, "ANY_RATIO", 10**5)
    monkeypatch.setattr(stored, "RATIO", 100)
    packed = PACK[kind](bytes(10**7))
    with pytest.raises(
        UnreadableError, match=r"not unpacked completely: it holds more than .* 100 times its"
    ):
        opened(tmp_path, packed)
    assert opened(tmp_path, PACK[kind](b"a,b,y\n" + b"1,1,u\n2,2,v\n" * 7000)).n_samples == 14_000


def test_unpacking_stops_before_the_disk_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(10**12, 10**12 - 10**9, 10**9))
    with pytest.raises(
        UnreadableError, match=r"completely: there is no room left in .* for its first \d[.\d]* kB"
    ):
        opened(tmp_path, gzip.compress(TEXT))
    assert opened(tmp_path, TEXT).n_samples == 200


def test_unpacking_takes_no_more_memory_than_it_may(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    with pytest.raises(UnreadableError, match=r"cannot be unpacked: Memory usage limit"):
        opened(tmp_path, lzma.compress(TEXT, filters=filters))
