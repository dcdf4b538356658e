"""The publication's tables and figures, regenerated: its numbers, ours beside them, and what that says."""
