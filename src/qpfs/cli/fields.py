"""A command as a function of dataclasses, whose fields are its options, so that their types are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature
from typing import Any, get_type_hints


def as_options(command: Callable[..., None], more: Mapping[str, Any] | None = None) -> Callable[..., None]:
    """The command as Typer takes it: a parameter for each field, then one for each further option."""
    kinds: dict[str, Any] = {
        name: kind for name, kind in get_type_hints(command).items() if is_dataclass(kind)
    }

    def run(**given: Any) -> None:
        made = {
            name: kind(**{one.name: given.pop(one.name) for one in fields(kind)})
            for name, kind in kinds.items()
        }
        command(**made, **given)

    listed = [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=default(one), annotation=hint)
        for kind in kinds.values()
        for one, hint in zip(fields(kind), ordered_hints(kind), strict=True)
    ]
    listed += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in (more or {}).items()  # keyword arguments of the command
    ]
    run.__signature__ = Signature(listed)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in listed}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def ordered_hints(kind: Any) -> list[Any]:
    """The annotation of each field, with its settings for Typer."""
    hints = get_type_hints(kind, include_extras=True)
    return [hints[one.name] for one in fields(kind)]


def default(one: Field[Any]) -> Any:
    return Parameter.empty if one.default is MISSING else one.default
