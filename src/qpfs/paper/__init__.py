"""The publication's tables and figures, regenerated: its numbers, ours beside them, and what that says."""

from __future__ import annotations

from qpfs.paper.regenerate import Regenerated, paper

__all__ = ["Regenerated", "paper"]
