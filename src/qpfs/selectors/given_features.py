"""Features as a user names them, as places in the table: by name, by index, or by a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names_in

from qpfs.arrays import IndexArray
from qpfs.checks import is_integer, native
from qpfs.messages import Message, Parameter


def seen_names(selector: Any) -> list[str]:
    """The names of all features that a fitted selector has seen; x0, x1, ... if X had none."""
    return [str(name) for name in _check_feature_names_in(selector)]


def index_of(selector: Any, feature: object) -> int:
    """The column that a name or an index means."""
    return places_of_features(selector, "feature", [feature])[0]


def indices_of(selector: Any, features: Any) -> IndexArray:
    """The columns that names, indices or a mask mean, in the order given; None: the selected ones, ranked."""
    if features is None:
        chosen: IndexArray = selector.order_[selector.support_[selector.order_]]
        return chosen
    several = np.iterable(features) and not isinstance(features, str)
    given = list(features) if several else [features]
    if given and all(isinstance(one, (bool, np.bool_)) for one in given):
        return np.flatnonzero(checked_mask(given, selector.n_features_in_))
    return np.array(places_of_features(selector, "features", given), np.intp)


def checked_mask(mask: list[bool], n_features: int) -> list[bool]:
    if len(mask) != n_features:
        raise ValueError(
            Message(
                Parameter("features"),
                f" is a mask of {len(mask)}, but there are {n_features} features; give True or False for "
                "each of them, or names, or indices.",
            )
        )
    return mask


def places_of_features(selector: Any, parameter: str, given: list[Any]) -> list[int]:
    """The column that each of some names and indices means; raises ValueError, naming the parameter."""
    n, named = selector.n_features_in_, any(isinstance(one, str) for one in given)
    # of features with the same name the first
    places = {name: i for i, name in reversed([*enumerate(seen_names(selector))])} if named else {}
    found = []
    for one in given:
        place = places.get(one) if isinstance(one, str) else one
        if place is None:
            raise ValueError(
                Message(Parameter(parameter, native(one)), ", but no column seen in fit has that name.")
            )
        if not is_integer(place) or not 0 <= place < n:
            raise ValueError(
                Message(
                    Parameter(parameter, native(one)),
                    f", but there are {n} features; give a name or an index from 0 to {n - 1}.",
                )
            )
        found.append(int(place))
    return found
