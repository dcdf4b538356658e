"""Stores that someone made on purpose: any part changed, every checksum right.

`Crafted` takes a store apart and puts it together again; `crafted_stores` makes many, by a seed.
"""

from __future__ import annotations

import copy
import json
import math
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from qpfs import AsCodes, write_store
from qpfs.codes import disk_format
from qpfs.codes.disk_layout import layout_in


@dataclass
class Crafted:
    """A store in parts, to be changed at will: bytes of blocks and sections, and the directory."""

    facts: dict[str, Any]  # all of the directory, sections included
    blocks: list[bytearray]
    rows: list[list[int]]  # of the section "blocks": where, features, levels, length, checksum
    sections: dict[str, bytearray]
    head: dict[str, int] = field(default_factory=dict)  # what the head shall say in place of the truth
    text: bytes | None = None  # in place of the directory

    @classmethod
    def of(cls, data: bytes) -> Crafted:
        _, _, _, _, start, length, _, _ = disk_format.HEAD.unpack_from(data)
        facts = json.loads(data[start : start + length])
        sections = {}
        for name, where in facts["sections"].items():
            size = int(np.prod(where["shape"])) * np.dtype(where["dtype"]).itemsize
            sections[name] = bytearray(data[where["offset"] : where["offset"] + size])
        rows = np.frombuffer(bytes(sections["blocks"]), "<i8").reshape(-1, 5).tolist()
        blocks = [bytearray(data[row[0] : row[0] + row[3]]) for row in rows]
        return cls(facts, blocks, rows, sections)

    def array(self, name: str) -> np.ndarray:
        """A section as an array that can be written to."""
        where = self.facts["sections"][name]
        return np.frombuffer(self.sections[name], where["dtype"]).reshape(where["shape"])

    def block(self, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arrays of a block, to be written to."""
        offset, k, size, _, _ = self.rows[number]
        layout, data = layout_in(self.facts["form"]), self.blocks[number]
        n_samples, found = self.facts["n_samples"], []
        parts = (layout.shapes(k, size, n_samples), layout.types, layout.places(offset, k, size, n_samples))
        for shape, kind, place in zip(*parts, strict=False):
            found.append(np.frombuffer(data, kind, math.prod(shape), place - offset).reshape(shape))
        return tuple(found)

    def where(self, name: str) -> dict[str, Any]:
        """What the directory says of a section."""
        return self.facts["sections"][name]

    def packed(self) -> bytes:
        """The store, with checksums of what is there; what the directory says of places is left as it is."""
        out = bytearray(disk_format.ALIGNED)
        for row, block in zip(self.rows, self.blocks, strict=False):
            pad(out)
            out += block
            row[4] = zlib.crc32(block)
        flat = [value for row in self.rows for value in row]
        if len(flat) * 8 == len(self.sections["blocks"]):
            self.sections["blocks"][:] = b"".join(
                struct.pack("<q", max(min(value, 2**63 - 1), -(2**63))) for value in flat
            )
        for name, data in self.sections.items():
            pad(out)
            out += data
            described = self.facts.get("sections")
            if isinstance(described, dict) and isinstance(described.get(name), dict):
                described[name]["crc"] = zlib.crc32(data)
        pad(out)
        text = json.dumps(self.facts).encode() if self.text is None else self.text
        start = len(out)
        out += text
        said = {"size": len(out), "directory": start, "length": len(text), "checksum": zlib.crc32(text)}
        out[: disk_format.ALIGNED] = disk_format.Head(**said | self.head).packed()
        return bytes(out)


def pad(data: bytearray) -> None:
    data += b"\0" * (-len(data) % disk_format.ALIGNED)


Change = Callable[[Crafted], object]


def crafted(path: Path, change: Change) -> bytes:
    """The bytes of a store with something changed and every checksum right."""
    parts = Crafted.of(Path(path).read_bytes())
    change(parts)
    return parts.packed()


def small_store(path: Path, measure: Any = None) -> Path:
    """A store with something of everything: labels, missing values, merged ones, constants, names, groups."""
    import pandas as pd

    rng, n = np.random.default_rng(0), 70
    frame = pd.DataFrame({f"g{j}": rng.integers(0, 3, n).astype(float) for j in range(12)})
    frame["constant"] = 1.0
    frame.loc[3:9, "g1"] = np.nan
    frame["many"] = np.arange(n) % 20 * 1.5
    frame["text"] = [("lung", "skin", "bone", None)[i % 4] for i in range(n)]
    return write_store(
        frame,
        path,
        np.array(["ill", "wéll"])[np.arange(n) % 2],
        measure=measure,
        discretizer=AsCodes(5),
        samples=[f"s{i}" for i in range(n)],
        groups=np.arange(n) % 2 == 0,
    )


HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1, 2, 63, 64, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, -(2**63), 10**30, 10**400,
    0.5, 1e308, "", "|O", "<U9", "|V8", "O", ">i8", "<i8", "|b1", "M8[ns]", "(3,)f4,O", "os.system", "Own",
    "0", "99999999999", "-1", "\ud800", "x" * 5000, [], [[]], [None], [10**12], [-1], [0], [2**62, 4], {},
    {"a": 1}, {"0": ["a"]}, {"0": 10**9},
]  # fmt: skip


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all parts of a JSON value."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for place in range(min(len(value), 3)):
            yield from leaves(value[place], (*path, place))


def change_fact(parts: Crafted, rng: random.Random) -> str:
    """A part of the directory is replaced, goes, or gets a neighbour."""
    path = rng.choice(list(leaves(parts.facts)))
    inside: Any = parts.facts
    for key in path[:-1]:
        inside = inside[key]
    what = rng.choice(["is", "is", "is", "goes", "near", "more"])
    name = "/".join(map(str, path))
    if what == "goes":
        del inside[path[-1]]
        return f"{name} goes"
    if what == "more" and isinstance(inside, dict):
        inside[rng.choice(["extra", "target 1", "groups.ends", "0", "7", "-1"])] = copy.deepcopy(
            inside[path[-1]]
        )
        return f"{name} stands there twice under two names"
    old = inside[path[-1]]
    if what == "near" and type(old) is int:
        inside[path[-1]] = old + rng.choice([-64, -8, -1, 1, 2, 8, 64, 4096])
    else:
        inside[path[-1]] = copy.deepcopy(rng.choice(HOSTILE))
    return f"{name}: {str(old)[:30]} -> {str(inside[path[-1]])[:30]}"


def change_row(parts: Crafted, rng: random.Random) -> str:
    """What is said of a block is other than it is."""
    number, place = rng.randrange(len(parts.rows)), rng.randrange(4)
    old = parts.rows[number][place]
    new = rng.choice([0, -1, 1, old + 1, old - 1, old + 64, old * 2, 2**31, 2**62, -(2**62), 255, 256])
    parts.rows[number][place] = new
    return f"block {number}, field {place}: {old} -> {new}"


def change_section(parts: Crafted, rng: random.Random) -> str:
    """Some bytes of a section are others."""
    name = rng.choice([name for name, data in parts.sections.items() if data and name != "blocks"])
    return f"section {name}: {change_bytes(parts.sections[name], rng)}"


def change_block(parts: Crafted, rng: random.Random) -> str:
    """Some features, counts or bits of a block are others."""
    number, which = rng.randrange(len(parts.blocks)), rng.randrange(3)
    array = parts.block(number)[which].reshape(-1)
    place, values = rng.randrange(len(array)), np.iinfo(array.dtype)
    old = int(array[place])
    near = [old + 1, old - 1, old ^ (1 << rng.randrange(30)), int(array[rng.randrange(len(array))]), 0]
    new = rng.choice([*near, int(values.min), int(values.max), 10**9])
    array[place] = min(max(new, int(values.min)), int(values.max))
    return f"block {number}, array {which}[{place}]: {old} -> {int(array[place])}"


def change_bytes(data: bytearray, rng: random.Random) -> str:
    place = rng.randrange(len(data))
    size = min(rng.choice([1, 1, 2, 8, 64]), len(data) - place)
    data[place : place + size] = rng.choice([bytes(size), b"\xff" * size, rng.randbytes(size)])
    return f"{size} bytes from {place} on"


def change_size(parts: Crafted, rng: random.Random) -> str:
    """A section or a block is longer or shorter than is said of it."""
    data = rng.choice([*parts.sections.values(), *parts.blocks])
    if rng.random() < 0.5:
        data += rng.randbytes(rng.choice([1, 8, 64, 640]))
        return "something is longer"
    del data[rng.randrange(len(data) + 1) :]
    return "something is shorter"


def change_head(parts: Crafted, rng: random.Random) -> str:
    """The head says something else of the directory."""
    name = rng.choice(["size", "directory", "length"])
    parts.head[name] = rng.choice([0, 1, 64, 2**31, 2**63, 2**64 - 1])
    return f"the head's {name}: {parts.head[name]}"


def change_text(parts: Crafted, rng: random.Random) -> str:
    """The directory is another text."""
    texts = [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"1" * 10_000, b"NaN"]
    parts.text = rng.choice(texts)
    return f"the directory: {parts.text[:20]!r}"


CHANGES = [change_fact] * 6 + [change_row, change_section, change_block, change_block, change_size]
CHANGES += [change_head, change_text]


def crafted_stores(seed: int, measure: Any = None) -> Iterator[tuple[str, bytes]]:
    """Crafted stores without end, with what was changed; the same for the same seed.

    Some changes leave a sound store (another name of the source, say): what must not be is anything but an
    answer or a `StoreError`.
    """
    import tempfile

    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        data = small_store(Path(folder) / "a.qpfs", measure).read_bytes()
    while True:
        parts, said = Crafted.of(data), []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            try:
                said.append(rng.choice(CHANGES)(parts, rng))
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError, BufferError):
                continue  # an earlier change left nothing to change here
        try:
            yield "; ".join(said), parts.packed()
        except (TypeError, LookupError, AttributeError, struct.error):
            continue
