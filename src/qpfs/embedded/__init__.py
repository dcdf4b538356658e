"""Linear models that select their features while they are fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.embedded.affiliates import Affiliation, affiliations
    from qpfs.embedded.cutting_planes import CuttingPlanes, CuttingRound, Machine
    from qpfs.embedded.features import DenseFeatures, Features, SparseFeatures
    from qpfs.embedded.losses import Logistic, Loss, SquaredHinge
    from qpfs.embedded.master import Master, Model
    from qpfs.embedded.model import LinearModel
    from qpfs.embedded.searches import Largest, Search, Uncorrelated

__all__ = [
    "Affiliation",
    "CuttingPlanes",
    "CuttingRound",
    "DenseFeatures",
    "Features",
    "Largest",
    "LinearModel",
    "Logistic",
    "Loss",
    "Machine",
    "Master",
    "Model",
    "Search",
    "SparseFeatures",
    "SquaredHinge",
    "Uncorrelated",
    "affiliations",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "affiliates": ("Affiliation", "affiliations"),
        "cutting_planes": ("CuttingPlanes", "CuttingRound", "Machine"),
        "features": ("DenseFeatures", "Features", "SparseFeatures"),
        "losses": ("Logistic", "Loss", "SquaredHinge"),
        "master": ("Master", "Model"),
        "model": ("LinearModel",),
        "searches": ("Largest", "Search", "Uncorrelated"),
    },
)
