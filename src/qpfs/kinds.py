"""A schema of plain data, itself written as data, and where data deviate from it.

A kind checks whether a value is as expected: `Value` a text or a number, `Maybe` a value that may be null,
`Each` the entries of a list, `Row` a list of known length, `Fields` an object with known names, `Named` an
object with any names, `Also` how parts must agree. `check` raises MismatchError, which names the place:
`features[3].weight: expected a number from 0 to 1, got "x"`.

Data come from files that anyone can have changed: a check takes time in proportion to their size, and its
depth is bounded by the schema.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from types import NoneType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Protocol,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

MOST = 2**53  # the largest integer up to which float64 represents all of them
DEEPEST = 50  # lists and objects inside each other
LONGEST = 40  # characters of a text that a message repeats
Unchecked: TypeAlias = Mapping[str, Any]  # an object that has not been checked


class MismatchError(ValueError):
    """Plain data are not as expected.

    Attributes
    ----------
    place : str
        Where, as `features[3].weight`.
    words : str
        What was expected there, and what there is.
    """

    def __init__(self, words: str, place: str = "") -> None:
        super().__init__(f"{place}: {words}" if place else words)
        self.words = words
        self.place = place

    def inside(self, part: str) -> MismatchError:
        """The error with its place extended by one outer step."""
        dot = "." if self.place and not self.place.startswith("[") else ""
        return MismatchError(self.words, f"{part}{dot}{self.place}")


class Kind(Protocol):
    """What a value is expected to be."""

    def check(self, value: Any) -> None:
        """Raises MismatchError if the value is something else."""


@dataclass(frozen=True)
class Value:
    """A single value that passes a test."""

    words: str
    fits: Callable[[Any], bool]

    def check(self, value: Any) -> None:
        if not self.fits(value):
            raise MismatchError(f"expected {self.words}, got {told(value)}")


@dataclass(frozen=True)
class Maybe:
    """A kind, or null."""

    kind: Kind

    def check(self, value: Any) -> None:
        if value is not None:
            self.kind.check(value)


@dataclass(frozen=True)
class Each:
    """A list whose entries are of one kind."""

    kind: Kind
    most: int = MOST

    def check(self, value: Any) -> None:
        check_list(value)
        if len(value) > self.most:
            raise MismatchError(f"expected a list of at most {self.most:,}, got {told(value)}")
        for place, one in enumerate(value):
            try:
                self.kind.check(one)
            except MismatchError as wrong:
                raise wrong.inside(f"[{place}]") from None


@dataclass(frozen=True)
class Row:
    """A list with a kind for each of its entries."""

    kinds: tuple[Kind, ...]

    def check(self, value: Any) -> None:
        check_list(value)
        if len(value) != len(self.kinds):
            raise MismatchError(f"expected a list of {len(self.kinds):,}, got {told(value)}")
        for place, (kind, one) in enumerate(zip(self.kinds, value, strict=True)):
            try:
                kind.check(one)
            except MismatchError as wrong:
                raise wrong.inside(f"[{place}]") from None


@dataclass(frozen=True)
class Fields:
    """An object: a kind for each name (one that ends in ? may be absent), and a kind for other names."""

    kinds: Mapping[str, Kind]
    others: Kind | None = None

    @cached_property
    def known(self) -> list[tuple[str, Kind, bool]]:
        """Each name, its kind, and whether it may be absent."""
        return [(name.removesuffix("?"), kind, name.endswith("?")) for name, kind in self.kinds.items()]

    def check(self, value: Any) -> None:
        check_object(value)
        for name, kind, absent in self.known:
            if name in value:
                check_in(value, name, kind)
            elif not absent:
                raise MismatchError("expected, but it is missing", name)
        if self.others is not None:
            for name in value.keys() - {name for name, _, _ in self.known}:
                check_in(value, name, self.others)


@dataclass(frozen=True)
class Named:
    """An object of any names, whose values are of one kind."""

    kind: Kind

    def check(self, value: Any) -> None:
        check_object(value)
        for name in value:
            check_in(value, name, self.kind)


@dataclass(frozen=True)
class Also:
    """A kind, and a rule about how its parts agree, which raises MismatchError if they do not."""

    kind: Kind
    rule: Callable[[Any], None]

    def check(self, value: Any) -> None:
        self.kind.check(value)
        self.rule(value)


@dataclass(frozen=True)
class Plain:
    """Any JSON value with finite numbers, up to a depth."""

    depth: int = DEEPEST

    def check(self, value: Any) -> None:
        if isinstance(value, (Mapping, list, tuple)) and not self.depth:
            raise MismatchError(f"expected lists and objects at most {DEEPEST} deep, got deeper ones")
        if isinstance(value, Mapping):
            Named(Plain(self.depth - 1)).check(value)
        elif isinstance(value, (list, tuple)):
            Each(Plain(self.depth - 1)).check(value)
        elif value is not None and not isinstance(value, (str, bool)):
            NUMBER.check(value)


def check_in(value: Mapping[str, Any], name: str, kind: Kind) -> None:
    """Raises MismatchError, with the name of the place, if a field is of another kind."""
    try:
        kind.check(value[name])
    except MismatchError as wrong:
        raise wrong.inside(cut(str(name))) from None


def check_list(value: Any) -> None:
    if not isinstance(value, (list, tuple)):
        raise MismatchError(f"expected a list, got {told(value)}")


def check_object(value: Any) -> None:
    if not isinstance(value, (dict, Mapping)):
        raise MismatchError(f"expected an object with fields, got {told(value)}")


def require(agrees: bool, place: str, words: str) -> None:
    """Raises MismatchError with these words about a place unless the condition holds."""
    if not agrees:
        raise MismatchError(words, place)


def told(value: Any) -> str:
    """Any value in a few words."""
    if isinstance(value, str):
        return json.dumps(cut(value))
    if isinstance(value, Mapping):
        return f"an object of {len(value):,}"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value):,}"
    if isinstance(value, int) and abs(value) > MOST and not isinstance(value, bool):
        return f"a whole number of {value.bit_length():,} bits"
    return json.dumps(value) if value is None or isinstance(value, bool) else cut(repr(value))


def cut(text: str) -> str:
    """A text that is not too long for a message."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def is_number(value: Any) -> bool:
    """Whether a value is a finite number; true and false are not."""
    if isinstance(value, bool) or not isinstance(value, (float, int, Real)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer larger than any float
        return False


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, Integral)) and not isinstance(value, bool)


def whole(least: int, most: int = MOST) -> Value:
    """A whole number in a range, written without a point."""
    upper = f"to {most:,}" if most < MOST else "on"
    return Value(
        f"a whole number from {least:,} {upper}", lambda value: is_whole(value) and least <= value <= most
    )


def number(least: float, most: float = math.inf, rounding: float = 0.0) -> Value:
    """A number in a range, or outside it only by rounding."""
    upper = "on" if most == math.inf else f"to {most:g}"
    return Value(
        f"a number from {least:g} {upper}",
        lambda value: is_number(value) and least - rounding <= value <= most + rounding,
    )


def one_of(*some: str) -> Value:
    """One of a few texts."""
    return Value(f"one of {', '.join(some)}", lambda value: isinstance(value, str) and value in some)


def same_as(known: Any, words: str = "") -> Value:
    """The one value that it can be."""
    return Value(words or told(known), lambda value: type(value) is type(known) and value == known)


TEXT = Value("text", lambda value: isinstance(value, str))
YES_NO = Value("true or false", lambda value: isinstance(value, bool))
NUMBER = Value("a finite number", is_number)
COUNT, RANK = whole(0), whole(1)
AMOUNT, SHARE = number(0), number(0, 1)
PLAIN = Plain()
TYPES: dict[Any, Kind] = {str: TEXT, bool: YES_NO, float: NUMBER}


def kind_of(hint: Any, rules: Mapping[Any, Callable[[Any], None]]) -> Kind:
    """The kind of plain data that a type describes, so that readers and checks share one definition."""
    origin, parts = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        fields = get_type_hints(hint, include_extras=True).items()
        made = Fields({f"{name}?" if may_lack(one) else name: kind_of(one, rules) for name, one in fields})
        return Also(made, rules[hint]) if hint in rules else made  # a rule checks how its parts agree
    if origin is Annotated:  # with a kind, or the maximum length of a list
        return (
            parts[1]
            if not isinstance(parts[1], int)
            else Each(kind_of(get_args(parts[0])[0], rules), parts[1])
        )
    if origin is NotRequired:
        return kind_of(parts[0], rules)
    if origin is Literal:
        return one_of(*parts)
    if NoneType in parts:
        return Maybe(kind_of(parts[0], rules))
    kinds = [kind_of(part, rules) for part in parts]
    return (
        TYPES[hint] if not kinds else Row(tuple(kinds)) if origin is tuple else CONTAINERS[origin](kinds[-1])
    )


CONTAINERS: dict[Any, Callable[[Kind], Kind]] = {list: Each, dict: Named}


def may_lack(hint: Any) -> bool:
    """Whether a field of an object may be absent."""
    return get_origin(hint) is NotRequired
