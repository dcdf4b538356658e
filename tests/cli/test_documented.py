"""Every field of the records is in the documentation."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli.command import qpfs

PAGE = Path(__file__).parents[2] / "docs" / "command.md"
FREE = {"parameters", "versions", "chosen", "outer", "inner", "estimator"}  # whose keys are others' names


def keys(value):
    """The names of all fields in a record."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from () if key in FREE else keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def documented(schema):
    text = PAGE.read_text(encoding="utf-8")
    part = text.split(f"### `{schema}`")[1].split("\n## ")[0]
    return set(re.findall(r"\w+", part))


def test_selection():
    arguments = ["--method", "ikma", "--radius", 0.6, "--top", 4, "--stability", 5, "--json"]
    record = json.loads(qpfs("select", "wdbc", *arguments).stdout)
    assert set(keys(record)) - documented(record["schema"]) == set()


def test_comparison():
    quick = ["--cv", 2, "--repeats", 1, "--inner-cv", 2, "--sizes", "1,2", "--no-memory", "--json"]
    record = json.loads(qpfs("compare", "iris", "--method", "maxrel", *quick).stdout)
    shared = documented("qpfs-selection/3")
    assert set(keys(record)) - documented(record["schema"]) - shared == set()
