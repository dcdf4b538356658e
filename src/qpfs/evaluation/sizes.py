"""The numbers of features that are tried."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from qpfs.checks import is_integer, native
from qpfs.messages import Message, Parameter, UsageError, invalid
from qpfs.wording import listed

SIZES = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 100)  # each about 1.4 times the one before


def checked_sizes(name: str, value: Any, n_features: int) -> list[int]:
    """The numbers of features to try, ascending."""
    if value is None:
        return [n for n in SIZES if n <= n_features]
    sizes = values_of(name, value)
    for n in sizes:
        if not is_integer(n) or not 1 <= n <= n_features:
            raise UsageError(
                Parameter(name, native(n)),
                f", but there are {n_features} features; give integers from 1 to {n_features}.",
            )
    return sorted({int(n) for n in sizes})


def sizes_within(name: str, value: Any, n_features: int, stacklevel: int = 4) -> list[int]:
    """The numbers of features to try, ascending; at most that of all features, with a warning."""
    if value is None:
        return checked_sizes(name, None, n_features)
    given = values_of(name, value)
    beyond = sorted({int(n) for n in given if is_integer(n) and n > n_features})
    if beyond:
        asked = listed([str(n) for n in beyond])
        warnings.warn(
            Message(
                Parameter(name),
                f" asks for {asked} features, but there are {n_features}; all of them are tried instead.",
            ),
            UserWarning,
            stacklevel=stacklevel,
        )
    return checked_sizes(name, [n_features if n in beyond else n for n in given], n_features)


def values_of(name: str, value: Any) -> list[Any]:
    """The values to choose from: those of a sequence, or the one given."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    values = list(value)
    if len(values) == 0:
        raise invalid(Parameter(name), " is empty; give a value, or several to choose from.")
    return values
