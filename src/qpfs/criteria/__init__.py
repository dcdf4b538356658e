"""Criteria: how weights are assigned to features.

A criterion is an object with one method, `weigh(table, relevance, features, tick) -> Weighing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.criteria.conditional import ConditionalCriterion
    from qpfs.criteria.greedy import GreedyCriterion, difference, nearest, quotient
    from qpfs.criteria.nystrom import NystromCriterion
    from qpfs.criteria.orders import ORDERS
    from qpfs.criteria.quadratic import CACHE_BYTES, QuadraticCriterion, Redundancy, kept_in
    from qpfs.criteria.relevant import RelevanceCriterion
    from qpfs.criteria.scorer import ScorerCriterion
    from qpfs.criteria.terms import Terms
    from qpfs.criteria.tradeoff import Effort, TradeOff, trade_off
    from qpfs.criteria.weighing import BestOf, Criterion, Standing, Weighing

__all__ = [
    "CACHE_BYTES",
    "ORDERS",
    "BestOf",
    "ConditionalCriterion",
    "Criterion",
    "Effort",
    "GreedyCriterion",
    "NystromCriterion",
    "QuadraticCriterion",
    "Redundancy",
    "RelevanceCriterion",
    "ScorerCriterion",
    "Standing",
    "Terms",
    "TradeOff",
    "Weighing",
    "difference",
    "kept_in",
    "nearest",
    "quotient",
    "trade_off",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "conditional": ("ConditionalCriterion",),
        "greedy": ("GreedyCriterion", "difference", "nearest", "quotient"),
        "nystrom": ("NystromCriterion",),
        "orders": ("ORDERS",),
        "quadratic": ("CACHE_BYTES", "QuadraticCriterion", "Redundancy", "kept_in"),
        "relevant": ("RelevanceCriterion",),
        "scorer": ("ScorerCriterion",),
        "terms": ("Terms",),
        "tradeoff": ("Effort", "TradeOff", "trade_off"),
        "weighing": ("BestOf", "Criterion", "Standing", "Weighing"),
    },
)
