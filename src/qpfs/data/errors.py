"""What can go wrong with data that someone names."""

from __future__ import annotations


class UsageError(ValueError):
    """What was asked for cannot be found; nothing is wrong with the data."""


class UnreadableError(ValueError):
    """A file is there, but nothing can be made of it."""
