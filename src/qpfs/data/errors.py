"""Errors about data that a user names."""

from __future__ import annotations

from qpfs.messages import UsageError

__all__ = ["UnreadableError", "UsageError"]


class UnreadableError(ValueError):
    """A file exists, but cannot be read as a table."""
