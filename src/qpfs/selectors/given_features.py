"""From names, patterns, indices or a mask, as a user gives features, to their columns in the table.

Where the table has true or false annotations of its features (columns of `var` of an AnnData object), the
name of one means the features for which it is true. Names of features take precedence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import AnyArray, IndexArray
from qpfs.checks import is_integer, native
from qpfs.codes.values import first_missing
from qpfs.messages import Parameter, invalid
from qpfs.wording import listed

Marked: TypeAlias = Callable[[str], AnyArray | None]  # an annotation of the features, by its name
COMPARED = 20_000  # at most so many names are searched for a similar one


class Names:
    """The names of all columns; x0, x1, ... if they have none. Made when first needed."""

    def __init__(self, names: Sequence[Any] | None, n: int, marked: Marked | None = None) -> None:
        self.given, self.n, self.marked = names, n, marked

    def __len__(self) -> int:
        return self.n

    @cached_property
    def all(self) -> list[str]:
        named = self.given is not None and all(isinstance(one, str) for one in self.given)
        return [*self.given] if named and self.given is not None else [f"x{i}" for i in range(self.n)]

    @cached_property
    def places(self) -> dict[str, int]:
        """The column of each name; the first of columns with the same name."""
        return {name: i for i, name in reversed([*enumerate(self.all)])}

    def some(self, features: IndexArray, most: int = 3) -> str:
        """The first few names, for a message."""
        shown = [repr(self.all[i]) for i in features[:most].tolist()]
        more = len(features) - len(shown)
        return listed([*shown, f"{more} more"] if more else shown)

    def fitting(self, pattern: str) -> list[int]:
        """The columns with this name, or that match it as a pattern with * and ?."""
        if pattern in self.places:
            return [self.places[pattern]]
        return [i for i, name in enumerate(self.all) if fnmatchcase(name, pattern)]

    def true_of(self, parameter: str, name: str) -> list[int] | None:
        """The columns for which an annotation of the table is true; None: there is none of that name."""
        values = None if self.marked is None else self.marked(name)
        if values is None:
            return None
        different = [one for one in dict.fromkeys(values.tolist()) if first_missing([one]) is None]
        if not {*different} <= {True, False}:
            shown = listed([repr(one) for one in different[:3]])
            raise invalid(
                Parameter(parameter, name),
                f" is a column of var that holds {shown}; expected one of true and false.",
            )
        return [i for i, one in enumerate(values.tolist()) if first_missing([one]) is None and one]

    def meant(self, name: str) -> str:
        """A suggestion of similar names for one that does not exist."""
        close = get_close_matches(name, self.all[:COMPARED], n=3)
        return f"; did you mean {listed([repr(one) for one in close], 'or')}?" if close else "."


def seen_names(selector: Any) -> list[str]:
    """The names of all features seen in fit; x0, x1, ... if X had no names."""
    return names_seen(selector).all


def names_seen(selector: Any) -> Names:
    return Names(getattr(selector, "feature_names_in_", None), selector.n_features_in_)


def index_of(selector: Any, feature: object) -> int:
    """The column of a fitted selector that a name or an index refers to."""
    return one_place("feature", feature, names_seen(selector))


def indices_of(selector: Any, features: Any) -> IndexArray:
    """The columns that names, indices or a mask refer to, in their order; None: the selected ones by rank."""
    if features is None:
        chosen: IndexArray = selector.order_[selector.support_[selector.order_]]
        return chosen
    names, given = names_seen(selector), as_list(features)
    if is_mask(given):
        return np.flatnonzero(checked_mask("features", given, len(names)))
    return np.array([one_place("features", one, names) for one in given], np.intp)


def places_given(parameter: str, features: Any, names: Names) -> IndexArray:
    """The columns that names, patterns, indices, a mask or a mix of them refer to; raises ValueError."""
    given = as_list(features)
    if is_mask(given):
        return np.flatnonzero(checked_mask(parameter, given, len(names)))
    found: list[int] = []
    for one in given:
        fitting = names.fitting(one) if isinstance(one, str) else []
        if isinstance(one, str) and not fitting and (true := names.true_of(parameter, one)) is not None:
            found += true
            continue
        found += fitting or [one_place(parameter, one, names)]
    return np.array(found, np.intp)


def as_list(features: Any) -> list[Any]:
    several = np.iterable(features) and not isinstance(features, str)
    return list(features) if several else [features]


def is_mask(given: list[Any]) -> bool:
    return bool(given) and all(isinstance(one, (bool, np.bool_)) for one in given)


def checked_mask(parameter: str, mask: list[bool], n_features: int) -> list[bool]:
    if len(mask) != n_features:
        raise invalid(
            Parameter(parameter),
            f" is a mask of length {len(mask)}, but there are {n_features} features; give True or False "
            "for each of them, or names, or indices.",
        )
    return mask


def one_place(parameter: str, given: Any, names: Names) -> int:
    """The column that a name or an index refers to; raises ValueError, naming the parameter."""
    n = len(names)
    place = names.places.get(given) if isinstance(given, str) else given
    if place is None and isinstance(given, str):
        raise invalid(
            Parameter(parameter, given), f", but no column seen in fit has that name{names.meant(given)}"
        )
    if not is_integer(place) or not 0 <= place < n:
        raise invalid(
            Parameter(parameter, native(given)),
            f", but there are {n} features; give a name or an index from 0 to {n - 1}.",
        )
    return int(place)
