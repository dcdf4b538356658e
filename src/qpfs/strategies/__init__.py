"""What is weighed, and when.

A strategy is an object with `run(table, relevance, tick) -> Outcome`: the clusters whose representatives
are to be weighed at the end, and the rounds that led there.
"""

from __future__ import annotations

from qpfs.strategies.interleaved import Interleaved, aggressive, careful
from qpfs.strategies.rounds import Outcome, Round
from qpfs.strategies.two_level import TwoLevelStrategy

__all__ = ["Interleaved", "Outcome", "Round", "TwoLevelStrategy", "aggressive", "careful"]
