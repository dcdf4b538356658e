"""How each feature goes with the target: in which direction, and by how much.

Measures that a reader knows, of ranks alone, so that no scale and no discretisation matters; and the columns
that tell the target by themselves.
"""

from __future__ import annotations

from qpfs.effects.effects import Effects, effects_of, known_effects, packed_effects
from qpfs.effects.telling import telling, telling_columns

__all__ = ["Effects", "effects_of", "known_effects", "packed_effects", "telling", "telling_columns"]
