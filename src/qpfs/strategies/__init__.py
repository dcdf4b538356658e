"""Strategies: which features are clustered and weighted, and when.

A strategy is an object with `run(table, relevance, tick) -> Outcome`: the clusters whose representatives are
weighted at the end, and the rounds before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.strategies.clustered import Clustered, Strategy
    from qpfs.strategies.refining import Discard, Refining, aggressive, always, by_round, careful, never
    from qpfs.strategies.rounds import Outcome, Round
    from qpfs.strategies.two_level import TwoLevel

__all__ = [
    "Clustered",
    "Discard",
    "Outcome",
    "Refining",
    "Round",
    "Strategy",
    "TwoLevel",
    "aggressive",
    "always",
    "by_round",
    "careful",
    "never",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "clustered": ("Clustered", "Strategy"),
        "refining": ("Discard", "Refining", "aggressive", "always", "by_round", "careful", "never"),
        "rounds": ("Outcome", "Round"),
        "two_level": ("TwoLevel",),
    },
)
