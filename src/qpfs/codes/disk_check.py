"""Checks of a store's file, before any address or number in it is used.

A store may come from an untrusted source; a checksum shows that it is complete, not who made it. So before a
section is read, its directory is compared with the format: every fact, and the type, shape and place of every
section. The contents of sections and blocks are compared with each other before a kernel reads them, since
kernels index by counts and feature numbers without bounds checks.

Letters: n samples, m features, e the most edges of a feature, b blocks, * any number. The caller adds the
name of the file to errors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IndexArray
from qpfs.checks import MOST_LEVELS
from qpfs.codes.disk_format import ALIGNED, next_aligned
from qpfs.compiled import kernel

if TYPE_CHECKING:
    from qpfs.codes.disk_layout import BlockLayout

MOST = 2**31 - 1  # samples, since counts are int32, and features, since their slots are
EXACT = 2**53  # integers up to here are exact as float64


class UnsoundError(ValueError):
    """What is wrong with a store; the reader adds its name."""


def need(holds: Any, what: str) -> None:
    """Raises UnsoundError with this text unless the condition holds."""
    if not holds:
        raise UnsoundError(what)


# The facts ------------------------------------------------------------------------------------------------


def is_count(value: Any, most: int = MOST) -> bool:
    return type(value) is int and 0 <= value <= most


def is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def is_rule(value: Any) -> bool:
    """Whether a rule is a name with named numbers; their values are checked by the rule itself."""
    if not isinstance(value, dict) or set(value) != {"name", "parameters"}:
        return False
    parameters = value["parameters"]
    sound = isinstance(value["name"], str) and isinstance(parameters, dict)
    return sound and all(map(is_number, parameters.values()))


def is_form(value: Any) -> bool:
    """Whether a form is one that a store may have: levels, or scores of a degree."""
    if not isinstance(value, dict):
        return False
    degree = value.get("degree")
    scores = {"name": "scores", "degree": degree} if type(degree) is int and degree in (1, 2) else None
    return value in ({"name": "levels"}, scores)


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and abs(value) <= EXACT


def is_label(value: Any) -> bool:
    return isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value))


def are_labels(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(some, list) and all(map(is_label, some)) and len(set(some)) == len(some)
        for some in value.values()
    )


def are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(is_count(n) and n > 0 for n in value.values())


FACTS: dict[str, Callable[[Any], bool]] = {
    "qpfs": lambda value: isinstance(value, str),
    "n_samples": lambda value: is_count(value) and value > 0,
    "n_features": lambda value: is_count(value) and value > 0,
    "form": is_form,
    "rule": is_rule,
    "targets": lambda value: are_texts(value) and len(set(value)) == len(value),
    "source": is_text_or_none,
    "checksum": is_text_or_none,
    "format": is_text_or_none,
    "notes": are_texts,
    "labels": are_labels,
    "merged": are_counts,
    "sections": lambda value: isinstance(value, dict),
}


def read_json(text: bytes | str) -> Any:
    """The content of a JSON text; raises UnsoundError if it is invalid, repeats a key, or nests too deep."""
    try:
        return json.loads(text, object_pairs_hook=unique_keys, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise UnsoundError(f"its directory cannot be read ({error})") from error


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    need(len(found) == len(pairs), "its directory has a repeated key")
    return found


def refuse_constant(name: str) -> Any:
    raise UnsoundError(f"its directory holds {name}")


def checked_facts(text: bytes) -> dict[str, Any]:
    """The facts of a directory, each of the right kind; raises UnsoundError."""
    facts = read_json(text)
    need(isinstance(facts, dict), "its directory is not a JSON object")
    for name in facts.keys() ^ FACTS.keys():
        has = "has, but should not have," if name in facts else "lacks"
        raise UnsoundError(f"its directory {has} {name[:40]!r}")
    for name, is_so in FACTS.items():
        need(is_so(facts[name]), f"its directory has a {name!r} that is invalid")
    check_numbered(facts["labels"], 0, facts["n_features"], "labels")
    check_numbered(facts["merged"], 0, facts["n_features"], "merged")
    return facts


def check_numbered(found: Mapping[str, Any], first: int, last: int, what: str) -> None:
    """Raises UnsoundError unless all keys are features from first to last - 1, as they are written."""
    for key in found:
        sound = key.isascii() and key.isdecimal() and len(key) <= len(str(MOST))
        need(sound and str(int(key)) == key and first <= int(key) < last, f"{what} of feature {key[:20]!r}")


# The sections ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SectionKind:
    """The types that a section may have, and its shape."""

    types: tuple[str, ...]
    shape: tuple[str | int, ...]


NUMBERS = ("|b1", "|i1", "|u1", *(f"<{kind}{size}" for kind in "iuf" for size in (2, 4, 8)))
LONG = np.dtype(np.longdouble).newbyteorder("<").str  # where the platform has one

Kinds = dict[str, SectionKind]


def of_texts(name: str, size: str) -> Kinds:
    return {f"{name}.ends": SectionKind(("<i8",), (size,)), f"{name}.bytes": SectionKind(("|u1",), ("*",))}


def of_values(name: str) -> tuple[Kinds, Kinds]:
    return {name: SectionKind((*NUMBERS, LONG), ("n",))}, of_texts(name, "n")


FEATURES: Kinds = {
    "levels": SectionKind(("|u1",), ("m",)),
    "edges": SectionKind(("<f8",), ("m", "e")),
    "occurs": SectionKind(("|b1",), ("m", "e+2")),
    "blocks": SectionKind(("<i8",), ("b", 5)),
}
SCORED: Kinds = {
    **{name: FEATURES[name] for name in ("levels", "edges", "occurs")},
    "columns": SectionKind(("|u1",), ("m",)),
    "blocks": FEATURES["blocks"],
}


def sections_of(n_targets: int) -> Iterator[tuple[Kinds, ...]]:
    """The sections in the order of writing, each a group of alternatives; {} means it may be missing."""
    yield FEATURES, SCORED
    yield of_texts("names", "m"), {}
    yield from (of_values(f"target {i}") for i in range(n_targets))
    yield of_texts("samples", "n"), {}
    yield *of_values("groups"), {}


def check_sections(facts: Mapping[str, Any], end: int) -> None:
    """Raises UnsoundError unless the sections are those of the format, consecutive up to the end."""
    table: dict[str, Any] = facts["sections"]
    names, kinds = list(table), Kinds()
    for group in sections_of(len(facts["targets"])):
        start = len(kinds)
        there = (some for some in group if names[start : start + len(some)] == list(some))
        found = next(there, None)
        if found is None:
            raise UnsoundError(f"its section {next(iter(group[0]))!r} is missing, or not in its place")
        kinds |= found
    need(
        len(names) == len(kinds),
        f"it has a section {''.join(names[len(kinds) :][:1])[:40]!r}, not known here",
    )
    sizes = {"n": facts["n_samples"], "m": facts["n_features"]}
    for name, kind in kinds.items():
        check_section(name, table[name], kind, sizes)
    place = begin_of(table)
    for name, where in table.items():
        need(where["offset"] == next_aligned(place), f"its section {name!r} is not where it should be")
        place = where["offset"] + n_bytes(where)
    need(next_aligned(place) == end, "its directory does not follow its last section")


def check_section(name: str, where: Any, kind: SectionKind, sizes: dict[str, int]) -> None:
    """Raises UnsoundError unless a section has its type and shape; records sizes that it defines first."""
    keys = {"offset", "dtype", "shape", "crc"}
    sound = (
        isinstance(where, dict)
        and set(where) == keys
        and is_count(where["offset"], 2**63 - 1)
        and is_count(where["crc"], 2**32 - 1)
        and isinstance(where["shape"], list)
        and all(is_count(size, 2**63 - 1) for size in where["shape"])
    )
    need(sound, f"its section {name!r} is not described as it should be")
    need(where["dtype"] in kind.types, f"its section {name!r} is of another type than {kind.types[0]}")
    need(len(where["shape"]) == len(kind.shape), f"its section {name!r} has another shape")
    for size, letter in zip(where["shape"], kind.shape, strict=True):
        wanted = letter if isinstance(letter, int) else sizes.setdefault(letter, size)
        need(letter == "*" or size == wanted, f"its section {name!r} has {size} where {wanted} were expected")
    if name == "edges":
        need(sizes["e"] < MOST_LEVELS, f"its section {name!r} has {sizes['e']} edges for a feature")
        sizes["e+2"] = sizes["e"] + 2


def n_bytes(where: Mapping[str, Any]) -> int:
    return math.prod(where["shape"]) * np.dtype(where["dtype"]).itemsize


def begin_of(table: Mapping[str, Any]) -> int:
    """Where the sections begin."""
    return max(int(next(iter(table.values()))["offset"]), ALIGNED)


# Their contents --------------------------------------------------------------------------------------------


def check_truths(values: AnyArray, name: str) -> None:
    """Raises UnsoundError if a truth value is neither 0 nor 1, which NumPy relies on."""
    if values.dtype.kind == "b":
        need(values.view(np.uint8).max(initial=0) <= 1, f"its section {name!r} has values other than 0 and 1")


def check_texts(ends: AnyArray, data: AnyArray, name: str) -> None:
    """Raises UnsoundError unless texts are consecutive, each of whole characters."""
    steps = np.diff(ends, prepend=0)
    sound = (ends >= 0).all() and (steps >= 0).all() and (ends[-1] if len(ends) else 0) == len(data)
    need(sound, f"its texts {name!r} do not end where they should")
    inner = ends[ends < len(data)]
    need(not (data[inner] >> 6 == 0b10).any(), f"its texts {name!r} split a character")
    try:
        data.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise UnsoundError(f"its texts {name!r} are not valid text ({error.reason})") from error


DISAGREEMENTS = (
    "a feature has no level",
    "a feature has an edge after its last",
    "a feature has both labels and edges",
    "a feature has a level beyond its edges",
    "the levels of a feature are not those that occur",
)


def check_features(
    levels: CodeArray,
    edges: FloatArray,
    occurs: BoolArray,
    labels: Mapping[str, Any],
    merged: Any,
    first: int,
) -> None:
    """Raises UnsoundError unless the sections agree about some features, counted from `first`."""
    check_truths(occurs, "occurs")
    labelled = np.zeros(len(levels), bool)
    labelled[[int(feature) - first for feature in labels]] = True
    found = disagreement(levels, edges, occurs, labelled)
    need(found < 0, DISAGREEMENTS[found])
    need(merged.keys() <= labels.keys(), "labels are merged where there are none")
    for feature, some in labels.items():
        missing = int(levels[int(feature) - first]) - len(some) - (feature in merged)
        need(missing in (0, 1), f"feature {feature} has different numbers of levels and labels")


@kernel
def disagreement(levels: CodeArray, edges: FloatArray, occurs: BoolArray, labelled: BoolArray) -> int:
    """The number of the first disagreement found, or -1."""
    for k in range(len(levels)):
        n_edges, n_codes = 0, 0
        while n_edges < edges.shape[1] and not np.isnan(edges[k, n_edges]):
            n_edges += 1
        for i in range(n_edges, edges.shape[1]):
            if not np.isnan(edges[k, i]):
                return 1
        for i in range(occurs.shape[1]):
            n_codes += occurs[k, i]
            if occurs[k, i] and i > n_edges + 1:  # missing values come after the last interval
                return 3
        if levels[k] == 0:
            return 0
        if labelled[k] and n_edges > 0:
            return 2
        if n_codes != (0 if labelled[k] else levels[k]):
            return 4
    return -1


STRIP: Kinds = {
    "end": SectionKind(("<i8",), ()),
    "blocks": FEATURES["blocks"],
    "levels": FEATURES["levels"],
    "edges": FEATURES["edges"],
    "occurs": FEATURES["occurs"],
}


def check_strip(known: Mapping[str, AnyArray], first: int, last: int, layout: BlockLayout) -> None:
    """Raises UnsoundError unless the records of features from first to last - 1 agree."""
    sizes = {"m": last - first}
    for name, kind in (STRIP | SCORED if "columns" in known else STRIP).items():
        where = {"offset": 0, "crc": 0, "dtype": known[name].dtype.str, "shape": list(known[name].shape)}
        check_section(name, where, kind, sizes)
    found = read_json(str(known["labels"]))
    sound = isinstance(found, list) and len(found) == 2 and are_labels(found[0]) and are_counts(found[1])
    need(sound, "its labels are invalid")
    for some in found:
        check_numbered(some, first, last, "labels")
    check_features(known["levels"], known["edges"], known["occurs"], found[0], found[1], first)
    layout.check_features(known, found[0], found[1], first)


def check_blocks(
    blocks: Iterable[tuple[int, int, int, int, int]],
    layout: BlockLayout,
    n_samples: int,
    begin: int,
    end: int,
) -> int:
    """Where the last of some blocks ends; raises UnsoundError unless they are consecutive."""
    place = begin
    for number, (offset, k, size, length, crc) in enumerate(blocks):
        sound = k > 0 and size in layout.sizes and 0 <= crc < 2**32
        need(sound, f"its block {number} is not described as it should be")
        place = next_aligned(place)
        stop = layout.places(offset, k, size, n_samples)[-1]
        need(offset == place and stop == offset + length, f"its block {number} is not where it should be")
        place = stop
        need(place <= end, f"its block {number} reaches beyond the blocks")
    return place


def check_members(
    blocks: Iterable[tuple[IndexArray, AnyArray]],
    layout: BlockLayout,
    known: Mapping[str, AnyArray],
    n_samples: int,
    first: int,
) -> None:
    """Raises UnsoundError unless each feature that varies is in exactly one block of its size."""
    size_of = layout.size_of(known)
    seen, n = np.zeros(len(size_of), bool), 0
    for number, (features, second) in enumerate(blocks):
        inside = (features >= first).all() and (features < first + len(size_of)).all()
        need(inside, f"its block {number} has a feature that does not exist")
        own = features - first
        seen[own], n = True, n + len(own)
        size = layout.check_second(second, n_samples, number)
        need((size_of[own] == size).all(), f"its block {number} has features of another size")
    need(np.count_nonzero(seen) == n, "a feature is in its blocks twice")
    need(((size_of > 0) == seen).all(), "a feature that varies is in no block")
