"""A beginning that someone changed, with every checksum right, is made again and not gone on with."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from tests.codes.test_disk_writing import ABOUT, Broken, X

from qpfs import ThreeSegments, open_store
from qpfs.codes import columns_of, disk_draft
from qpfs.codes.disk_writing import write_columns

WIDTH = 60


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: WIDTH)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "whole.qpfs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_draft, "strip_width", lambda n_samples: WIDTH)
        write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    return path.read_bytes()


def value(name, place, new):
    def change(known, blocks):
        known[name] = known[name].copy()
        known[name][place] = new

    return change


def other(name, make):
    def change(known, blocks):
        known[name] = make(known[name])

    return change


def lost(name):
    return lambda known, blocks: known.pop(name)


def in_block(place, new):
    """Bytes of the strip's first block, with its checksum made right."""

    def change(known, blocks):
        offset, _, _, length, _ = known["blocks"][0].tolist()
        blocks[offset + place : offset + place + len(new)] = new
        known["blocks"] = known["blocks"].copy()
        known["blocks"][0, 4] = zlib.crc32(blocks[offset : offset + length])

    return change


CHANGES = {
    "an end beyond": other("end", lambda end: end + 10**6),
    "an end before": other("end", lambda end: end - 64),
    "a negative end": other("end", lambda end: -end),
    "an end of text": other("end", lambda end: np.array("a")),
    "a block beyond": value("blocks", (0, 0), 2**40),
    "a block before": value("blocks", (0, 0), -64),
    "a block of nothing": value("blocks", (0, 1), 0),
    "a block of too much": value("blocks", (0, 1), 2**61),
    "a block of a level": value("blocks", (0, 2), 1),
    "a block without end": value("blocks", (0, 3), 2**62),
    "a block of negative length": value("blocks", (0, 3), -1),
    "blocks of another shape": other("blocks", lambda blocks: blocks[:, :4]),
    "blocks of fractions": other("blocks", lambda blocks: blocks + 0.5),
    "a feature far beyond": in_block(0, np.int64(10**9).tobytes()),
    "a feature of another strip": in_block(0, np.int64(0).tobytes()),
    "bits that are not counted": in_block(-8 + 2000, b"\xff" * 8),
    "levels of none": value("levels", 0, 0),
    "fewer levels": other("levels", lambda levels: levels[:-1]),
    "levels of another type": other("levels", lambda levels: levels.astype(np.int64)),
    "more edges": other("edges", lambda edges: np.zeros((len(edges), 300))),
    "codes that do not occur": other("occurs", lambda occurs: ~occurs),
    "labels that are no JSON": other("labels", lambda labels: np.array("{")),
    "labels without end": other("labels", lambda labels: np.array("[" * 100_000)),
    "labels of a feature beyond": other("labels", lambda _: np.array(json.dumps([{"999": ["a", "b"]}, {}]))),
    "labels of lists": other("labels", lambda _: np.array(json.dumps([{"61": [["a"]]}, {}]))),
    "no labels": lost("labels"),
    "no blocks": lost("blocks"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_crafted_strip_is_made_again(tmp_path, whole, change):
    path, folder = tmp_path / "a.qpfs", tmp_path / "a.qpfs.partial"
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT)
    strip, place = folder / "strip-000001.npz", folder / "blocks"
    with np.load(strip) as arrays:
        known = dict(arrays)
    blocks = bytearray(place.read_bytes())
    change(known, blocks)
    place.write_bytes(blocks)
    np.savez(strip, **known)
    rest = Broken(X, 10**9, None)
    write_columns(rest, ThreeSegments(), path, ABOUT)
    assert min(rest.asked) == WIDTH  # the strip before is gone on from, this one and those after it are not
    assert path.read_bytes() == whole
    open_store(path)


def test_a_packed_strip_is_made_again(tmp_path, whole):
    path, folder = tmp_path / "a.qpfs", tmp_path / "a.qpfs.partial"
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT)
    np.savez_compressed(folder / "strip-000000.npz", edges=np.zeros((60, 10**5)))
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    assert path.read_bytes() == whole


def test_a_run_of_another_table_is_not_written_over(tmp_path):
    path = tmp_path / "a.qpfs"
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT)
    with pytest.raises(FileExistsError, match="another run"):
        write_columns(columns_of(X[:30]), ThreeSegments(), path, ABOUT)
