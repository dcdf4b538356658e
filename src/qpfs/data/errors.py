"""Errors about data that a user names."""

from __future__ import annotations

from qpfs.messages import Message, Parameter, UsageError

__all__ = ["UnreadableError", "UsageError"]


class UnreadableError(ValueError):
    """A file exists, but cannot be read as a table."""

    def __init__(self, *parts: str | Parameter) -> None:
        super().__init__(Message(*parts))
