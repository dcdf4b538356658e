"""How the features with weight are ranked; those without weight follow by reduced gradient.

The weights are those of the whole set: two features that are nearly copies may share the weight. So the k
largest weights are not the best k features. Ranked one by one, each feature is the one whose relevance most
exceeds its redundancy with the nearest of those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.greedy import Reduced, nearest, one_by_one
from qpfs.criteria.terms import Terms
from qpfs.program import Quadratic, Solution

MOST_AT_ONCE = 4096  # features whose redundancy matrix is held: 128 MB

Order: TypeAlias = Callable[..., IndexArray]  # of a solution, Q, s and terms


def by_weight(solution: Solution, Q: Quadratic, s: FloatArray, terms: Terms | None = None) -> IndexArray:
    """The order by weight, then by reduced gradient, then by index; features to keep come first."""
    return terms.ordered(solution.order()) if terms else solution.order()


def by_nearest(solution: Solution, Q: Quadratic, s: FloatArray, terms: Terms | None = None) -> IndexArray:
    """Features with weight one by one, then the others by reduced gradient; ties to the lowest index."""
    support = solution.support
    at_once = Q.block(support, support) if len(support) <= MOST_AT_ONCE else None
    rating = Reduced(
        s[support],
        lambda i: Q.block(support, support[i : i + 1])[:, 0] if at_once is None else at_once[:, i],
        nearest,
    )
    taken = one_by_one(s[support], rating.after, terms=terms and terms.among(support)).places
    order = np.concatenate((support[taken], solution.order()[len(support) :]))
    return terms.ordered(order) if terms else order


ORDERS: dict[str, Order] = {"nearest": by_nearest, "weight": by_weight}
