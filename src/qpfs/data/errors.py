"""What can go wrong with data that someone names."""

from __future__ import annotations

from qpfs.messages import UsageError

__all__ = ["UnreadableError", "UsageError"]


class UnreadableError(ValueError):
    """A file is there, but nothing can be made of it."""
