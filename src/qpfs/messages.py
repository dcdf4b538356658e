"""Messages that name parameters: a Python caller reads `target='y'`, a user of the command `--target y`.

A `Message` is the text that Python shows, and remembers which of its parts are parameters. It is used as any
text: `warnings.warn(Message(...))`, a note on a table; `raise UsageError(...)` and `raise invalid(...)` make
it of its parts. The command shows it with another spelling of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class NotGiven(Enum):
    """Marks a parameter that a message shows without a value (None is a value)."""

    NOT_GIVEN = 0


NOT_GIVEN = NotGiven.NOT_GIVEN


@dataclass(frozen=True)
class Parameter:
    """A parameter in a message, with the value it has or should have, if one is to be shown."""

    name: str
    value: Any = NOT_GIVEN


Spelling = Callable[[Parameter], str]


def in_python(parameter: Parameter) -> str:
    """A parameter as in a call: its name, or `name=value`."""
    return parameter.name if parameter.value is NOT_GIVEN else f"{parameter.name}={parameter.value!r}"


class Message(str):
    """Text made of parts, some of which are parameters.

    Examples
    --------
    >>> message = Message("Name the target with ", Parameter("target", "y"), ".")
    >>> print(message)
    Name the target with target='y'.
    >>> message.spelled(lambda one: f"--{one.name} {one.value}")
    'Name the target with --target y.'
    """

    parts: tuple[str | Parameter, ...]

    def __new__(cls, *parts: str | Parameter) -> Message:
        flat = [one for part in parts for one in (part.parts if isinstance(part, Message) else (part,))]
        made = super().__new__(cls, "".join(text_of(one, in_python) for one in flat))
        made.parts = tuple(flat)
        return made

    def spelled(self, spelling: Spelling) -> str:
        """The text with its parameters in another spelling."""
        return "".join(text_of(one, spelling) for one in self.parts)


class UsageError(ValueError):
    """A request that makes no sense or names something unknown; nothing is wrong with the data."""

    def __init__(self, *parts: str | Parameter) -> None:
        super().__init__(Message(*parts))


def invalid(*parts: str | Parameter) -> ValueError:
    """A ValueError whose message is made of parts."""
    return ValueError(Message(*parts))


def text_of(part: str | Parameter, spelling: Spelling) -> str:
    return spelling(part) if isinstance(part, Parameter) else part


def message_of(raised: BaseException | str) -> str:
    """The text of an error, a warning or a note: a Message if it was made from one."""
    if isinstance(raised, str):
        return raised
    return raised.args[0] if len(raised.args) == 1 and isinstance(raised.args[0], Message) else str(raised)


def spelled(raised: BaseException | str, spelling: Spelling) -> str:
    """The text of an error, a warning or a note, with its parameters in another spelling."""
    said = message_of(raised)
    return said.spelled(spelling) if isinstance(said, Message) else said
