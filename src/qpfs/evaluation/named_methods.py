"""Methods by the names that the command has for them, ours and those of other packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from qpfs.codes.values import is_sparse
from qpfs.messages import UsageError
from qpfs.methods import METHODS, RIVALS


def named_method(name: str, X: Any) -> Any:
    """The method of a name with its default parameters; raises UsageError if there is none."""
    if name in RIVALS:
        from qpfs.evaluation.rivals import Rival

        return Rival(name)
    if name not in METHODS:
        near = get_close_matches(name, [*METHODS, *RIVALS], 1)
        meant = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join([*METHODS, *RIVALS])}."
        raise UsageError(f"{name!r} is not a method; {meant}")
    selector = METHODS[name].selector()
    return after_scaler(selector, X) if METHODS[name].scaled else selector


def checked_selector(selector: Any, X: Any) -> Any:
    """The selector, also by its name; raises ValueError for an object that is not one."""
    if isinstance(selector, str):
        return named_method(selector, X)
    if isinstance(selector, type):
        raise ValueError(f"selector is the class {selector.__name__}; give an object: {selector.__name__}().")
    if not hasattr(selector, "fit"):
        kind = type(selector).__name__
        raise ValueError(
            f"selector is a {kind}; expected an object with fit(X, y), such as QPFS(), then X and y."
        )
    return selector


def after_scaler(selector: Any, X: Any) -> Any:
    """The selector after a scaler to [-1, 1]; zeros of a sparse X are kept."""
    return make_pipeline(MaxAbsScaler() if is_sparse(X) else MinMaxScaler((-1, 1)), selector)


def called(method: Any) -> str:
    """The name of a method of a list: its own, or that of its class."""
    if isinstance(method, str):
        return method
    if isinstance(method, type):
        return method.__name__
    return getattr(method, "_called", type(method).__name__)


def is_named(one: Any) -> bool:
    """Whether a member of a list is a pair of a name and a method."""
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)


def in_list(methods: Sequence[Any]) -> list[tuple[str, Any]]:
    """The methods of a list by name; several of one name are numbered, as make_pipeline does."""
    names = [one[0] if is_named(one) else called(one) for one in methods]
    times, seen = Counter(names), Counter[str]()
    found = []
    for name, one in zip(names, methods, strict=True):
        seen[name] += 1
        number = f"-{seen[name]}" if times[name] > 1 and not is_named(one) else ""
        found.append((f"{name}{number}", one[1] if is_named(one) else one))
    return found


def titles_of(methods: Any) -> dict[str, str]:
    """The titles of the methods of a list, or of a single one, that have names of their own."""
    if isinstance(methods, Mapping):
        return {}
    some = methods if isinstance(methods, list | tuple) else [methods]
    names = [called(one) for one in some if isinstance(one, str) or hasattr(one, "_called")]
    known: dict[str, Any] = {**METHODS, **RIVALS}
    return {name: known[name].title for name in names if name in known}
