"""Peak memory of a fit above its input, measured in a process of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.evaluation import measured


def peak_above_input(selector: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Megabytes."""
    return measured(selector, X, y).megabytes
