"""Records that someone changed: endless, and the same for the same seed."""

from __future__ import annotations

import copy
import json
import math
import random
import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from tests.published import IKMAQPFS, MRMR, QPFS

from qpfs.evaluation import across_cohorts, compare
from qpfs.report import selection_record

MARK = "crafted-tag"
TEXTS = [
    f"<script>{MARK}</script>",
    f"</script></style></title><{MARK}>",
    f"<img src=x onerror={MARK}>",
    f"\"'><svg onload={MARK}>",
    "{{ 7 * 7 }} {% raw %}",
    "\x1b[31mred\x1b]0;title\x07",
    "=HYPERLINK(1)",
    "\ud800 half a letter",
    "\u202eturned",
    "",
    "a b" * 350_000,
    "x" * 1_000_000,
]
NUMBERS = [
    -1,
    -5,
    0,
    1,
    7,
    0.5,
    -0.0,
    1.5,
    1e-320,
    1e300,
    -1e308,
    10**18,
    -(10**18),
    2**53,
    2**63,
    10**400,
    math.nan,
    math.inf,
    -math.inf,
]
OTHERS = [None, True, False, [], {}, [None], {"a": []}, [[]], "text", 3]
NAMES = ["__class__", "items", "values", "", "a.b", "<b>", "x" * 100_000]
ABC, CREATED = "abcdefgh", "2030-01-01T00:00:00+00:00"
FIRST, LONG = 50, 20_000


def crafted_records(seed: int) -> Iterator[tuple[str, str]]:
    """What was changed in a few words, and the text of a record with that change; without end."""
    rng = random.Random(f"records {seed}")
    changes = [value_changed, number_changed, number_moved, text_changed, field_changed, list_changed]
    while True:
        name, record = rng.choice(bases())
        record = copy.deepcopy(record)
        done = [rng.choice(changes)(record, rng) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
        text = json.dumps(record)
        if rng.random() < 0.1:
            more, text = text_spoiled(text, rng)
            done.append(more)
        yield f"{name}: {', '.join(done)}", text


NAMES = ("classes", "a quantity", "clusters", "stability", "comparison", "both", "cohorts")


@cache
def bases() -> list[tuple[str, dict[str, Any]]]:
    """Small records of several kinds, as our own code writes them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 8)).round(2)
    y = np.repeat(["sick", "well", "unknown"], 8)
    X[:, 0] += 2 * (y == "sick")
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    X[:, 2] = np.arange(24) % 3
    X[0, 3] = np.nan
    two = np.where(y == "sick", "sick", "well")
    facts = {"source": "a.csv", "target": "y", "checksum": "sha256:00", "notes": ["a 'b' was dropped"]}
    stability = {"n": 9, "index": 0.3, "low": 0.1, "high": 0.8, "confidence": 0.95, "resample": "9 halves"}
    stability |= {"n_asked": 20, "n_different": 9, "overlap": 0.4, "units": "groups"}
    stability |= {"clusters": {"n": 4, "text": "like", "index": 0.6, "low": None, "high": None}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        full = np.nan_to_num(X)
        compared = compare(
            {"qpfs": QPFS(), "mrmr": MRMR()}, full, two, cv=2, inner_cv=2, sizes=[1, 2, 5]
        ).record
        compared |= {"created": CREATED, "seconds": {"run": 1.5}, "data": compared["data"] | facts}
        for method in compared["methods"]:
            method["seconds"] = {"median": 0.2, "low": 0.1, "high": 0.3}
        across = across_cohorts(QPFS(2), full, two, np.arange(24) % 3, names=list(ABC))
        left_out = across.comparison.record | {"created": CREATED, "seconds": {}}
        for method in left_out["methods"]:
            method["seconds"] = {"median": 0.2, "low": 0.1, "high": 0.3}
        records = {
            "classes": record_of(QPFS(4), X, y, data=facts),
            "a quantity": record_of(MRMR(3), full, full[:, 0] + rng.normal(size=24), data=facts),
            "clusters": record_of(IKMAQPFS(3, n_first=3, radius=0.4), full, two, data=facts),
            "stability": record_of(
                QPFS(3), full, two, data=facts, stability=stability, frequency=np.linspace(0, 1, 8)
            ),
            "comparison": compared,
            "both": record_of(QPFS(2), full, two, data=facts, comparison=compared),
            "cohorts": record_of(
                QPFS(2), full, two, data=facts, comparison=left_out, cohorts=across.record()
            ),
        }
    return [(name, json.loads(json.dumps(records[name]))) for name in NAMES]


def record_of(selector, X, y, **facts):
    facts |= {"names": list(ABC), "command": "qpfs select a.csv --target y", "seconds": {"fit": 0.5}}
    return selection_record(selector.fit(X, y), X=X, **facts) | {"created": CREATED}


def places(record) -> list[tuple[Any, Any]]:
    """Every (list or object, its index or name) inside, in order; of long lists the first ones."""
    found, left = [], [record]
    while left:
        one = left.pop()
        inner = list(one.items() if isinstance(one, dict) else enumerate(one[:FIRST]))
        found += [(one, key) for key, _ in inner]
        left += [value for _, value in inner if isinstance(value, (dict, list))]
    return found


def some_place(record, rng, kind=object):
    """A place whose value is of a kind, all fields as likely however often they repeat."""
    by_field: dict[str, list[tuple[Any, Any]]] = {}
    for one, key in places(record):
        if isinstance(one[key], kind) and not (isinstance(one[key], bool) and kind is not object):
            by_field.setdefault(str(key), []).append((one, key))
    if not by_field:
        return {"nothing": None}, "nothing"
    return rng.choice(by_field[rng.choice(sorted(by_field))])


def changed(one, key, value):
    one[key] = value
    return f"{str(key)[:30]} is {repr(value)[:40] if not is_huge(value) else 'huge'}"


def is_huge(value):
    return isinstance(value, int) and abs(value) > 10**100


def value_changed(record, rng):
    return changed(*some_place(record, rng), copy.deepcopy(rng.choice([*OTHERS, *NUMBERS, *TEXTS[:-2]])))


def number_changed(record, rng):
    return changed(*some_place(record, rng, (int, float)), rng.choice(NUMBERS))


def number_moved(record, rng):
    """A number a little beside what it was: of the right kind, but it may no longer agree."""
    one, key = some_place(record, rng, (int, float))
    value = one[key] or 0
    return changed(one, key, rng.choice([value + 1, value - 1, value * 2, -value, float(value), value / 3]))


def text_changed(record, rng):
    return changed(*some_place(record, rng, str), rng.choice(TEXTS))


def field_changed(record, rng):
    """A field missing, renamed or added."""
    one, key = some_place(record, rng)
    how = rng.choice(("missing", "renamed", "added", "exchanged"))
    name = rng.choice(NAMES)
    if not isinstance(one, dict):
        del one[key]
        return f"entry {key} missing"
    if how == "added":
        one[name] = rng.choice([*OTHERS, *TEXTS[:4]])
    elif how == "exchanged":
        other = rng.choice(sorted(one))
        one[key], one[other] = one[other], one[key]
    else:
        value = one.pop(key)
        if how == "renamed":
            one[rng.choice([name, key + "s", key.upper()])] = value
    return f"{str(key)[:30]} {how}"


def list_changed(record, rng):
    """A list cut, repeated, turned around, nested or made long."""
    one, key = some_place(record, rng, list)
    some = one[key] or []
    some = some if isinstance(some, list) else [some]
    how, value = rng.choice(
        [
            ("cut", some[: len(some) // 2]),
            ("without its first", some[1:]),
            ("repeated", some * 3),
            ("turned around", some[::-1]),
            ("nested", [some]),
            ("one longer", [*some, *copy.deepcopy(some[-1:])]),
            ("long", longer(some)),
            ("of zeros", [0] * 100_000),
            ("of itself, deep", nested(rng.choice((30, 60, 180)))),
        ]
    )
    one[key] = value
    return f"{str(key)[:30]} {how}"


def longer(some):
    """The same entries again and again; as many as give a text of some megabytes at most."""
    n = min(LONG, 4_000_000 // len(json.dumps(some[:1])))
    return (some * (n // max(len(some), 1) + 1))[:n]


def nested(depth):
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def text_spoiled(text, rng):
    """The text itself changed: cut, with a field twice, deep, with numbers that JSON lacks."""
    fields = list(re.finditer(r'"(\w+)": (-?\d[\d.e-]*)', text))
    one = rng.choice(fields)
    before, after = text[: one.start()], text[one.end() :]
    return rng.choice(
        [
            ("the text cut", text[: rng.randrange(len(text))]),
            ("a field twice", f"{before}{one[0]}, {one[0]}{after}"),
            ("a field twice, differently", f'{before}{one[0]}, "{one[1]}": -5{after}'),
            ("text a little deep", f'{before}"{one[1]}": {"[" * 900}{"]" * 900}{after}'),
            ("deep text", f'{before}"{one[1]}": {"[" * 50_000}{"]" * 50_000}{after}'),
            ("many digits", f'{before}"{one[1]}": {"9" * 5000}{after}'),
            ("beyond all numbers", f'{before}"{one[1]}": 1e999{after}'),
            ("more after the end", f"{text} {{}}"),
            ("nothing", ""),
        ]
    )
