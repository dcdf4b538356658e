"""Methods by the names that the command has for them, ours and those of other packages."""

from __future__ import annotations

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
        raise UsageError(f"methods names {name!r}, which is not a method; {meant}")
    selector = METHODS[name].selector()
    return after_scaler(selector, X) if METHODS[name].scaled else selector


def after_scaler(selector: Any, X: Any) -> Any:
    """The selector after a scaler to [-1, 1]; zeros of a sparse X are kept."""
    return make_pipeline(MaxAbsScaler() if is_sparse(X) else MinMaxScaler((-1, 1)), selector)


def called(method: Any) -> str:
    """The name of a method of a list: its own, or that of its class."""
    return method if isinstance(method, str) else getattr(method, "_called", type(method).__name__)


def titles_of(methods: Any) -> dict[str, str]:
    """The titles of the methods of a list that have names of their own."""
    if not isinstance(methods, list | tuple):
        return {}
    known = {name: METHODS[name].title for name in methods if isinstance(name, str) and name in METHODS}
    names = [called(one) for one in methods if isinstance(one, str) or hasattr(one, "_called")]
    return known | {name: RIVALS[name].title for name in names if name in RIVALS}
