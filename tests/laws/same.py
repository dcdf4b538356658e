"""Whether two fitted selectors are the same to the last bit, in all that they have learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass

import numpy as np


def learned(selector):
    return {name: value for name, value in vars(selector).items() if name.endswith("_")}


def assert_same(one, other, where="selector"):
    """Arrays element by element, everything else by its parts."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), where
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, Sequence) and not isinstance(one, str):
        assert len(one) == len(other), where
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{place}]")
    elif is_dataclass(one):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif hasattr(one, "get_params"):
        assert_same(one.get_params(), other.get_params(), where)
        assert_same(learned(one), learned(other), where)
    else:
        assert one == other or (one != one and other != other), where
