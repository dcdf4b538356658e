"""The association of each feature with the target: its direction and its size.

The measures are well known and based on ranks alone, so that neither scale nor discretisation matters. Also
the columns that alone determine the target.
"""

from __future__ import annotations

from qpfs.effects.effects import Effects, effects_of, known_effects, packed_effects
from qpfs.effects.telling import telling

__all__ = ["Effects", "effects_of", "known_effects", "packed_effects", "telling"]
