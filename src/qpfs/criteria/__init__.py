"""How much each of some features weighs.

A criterion is an object with one method, `weigh(table, relevance, features, tick) -> Weighing`.
"""

from __future__ import annotations

from qpfs.criteria.greedy import GreedyCriterion, difference, quotient
from qpfs.criteria.nystrom import NystromCriterion
from qpfs.criteria.quadratic import QuadraticCriterion, Redundancy
from qpfs.criteria.relevant import RelevanceCriterion
from qpfs.criteria.tradeoff import TradeOff, trade_off
from qpfs.criteria.weighing import Criterion, Weighing

__all__ = [
    "Criterion",
    "GreedyCriterion",
    "NystromCriterion",
    "QuadraticCriterion",
    "Redundancy",
    "RelevanceCriterion",
    "TradeOff",
    "Weighing",
    "difference",
    "quotient",
    "trade_off",
]
