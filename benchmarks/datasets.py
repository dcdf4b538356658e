"""Data of a given shape, made or read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpfs import ThreeSegments

FOLDER = Path(os.environ.get("QPFS_DATA", Path(__file__).parents[2] / "shared" / "data"))
N_FACTORS = 10
N_SHIFTED = 40
LEVELS: dict[str, Any] = {"measure": "mi", "discretizer": ThreeSegments()}  # of what rows about levels fit

Data = tuple[NDArray[np.float32], NDArray[np.int64]]


def synthetic(n: int, m: int, seed: int = 0) -> Data:
    """Features made of latent factors and noise, some shifted between two classes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    factors = rng.standard_normal((n, N_FACTORS), dtype=np.float32)
    loadings = rng.standard_normal((N_FACTORS, m), dtype=np.float32) / np.sqrt(N_FACTORS)
    X = factors @ loadings.astype(np.float32)
    X += rng.standard_normal((n, m), dtype=np.float32)
    shifted = rng.choice(m, min(N_SHIFTED, m), replace=False)
    X[:, shifted] += y[:, None] * rng.uniform(0.5, 2.0, len(shifted)).astype(np.float32)
    return X, y


def stored(name: str) -> Data | None:
    """A set of the data folder, or None if it is not there."""
    path = FOLDER / f"{name}.npz"
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as archive:
        return archive["X"].astype(np.float32), archive["y"]


def is_train(name: str) -> NDArray[np.bool_]:
    """The training part of a set that has an official one."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as archive:
        return archive["is_train"]


def cases(n: int, m: int, name: str) -> dict[str, Data]:
    """Made data of a shape and, where it is at hand, the real set of that shape."""
    found = {f"synthetic {n} x {m}": synthetic(n, m)}
    real = stored(name)
    if real is None:
        print(f"skipped: {name}.npz is not in the data folder (set QPFS_DATA)")
    else:
        found[f"{name} {n} x {m}"] = real
    return found


def codes_of(X: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Three segments for each feature."""
    return ThreeSegments().fit_transform(X)
