"""Which features are alike.

A clusterer is an object with `cluster(table, members, k, relevance) -> Clusters`.
"""

from __future__ import annotations

from qpfs.clustering.clusters import Clusters, MacQueenVariant
from qpfs.clustering.first_centres import AtRandom, FirstCentres, Leaders, farthest, first, most_relevant
from qpfs.clustering.points import MacQueenKMeans, TwoLevelKMeans
from qpfs.clustering.representatives import Medoid, NearestToMean, Representative

__all__ = [
    "AtRandom",
    "Clusters",
    "FirstCentres",
    "Leaders",
    "MacQueenKMeans",
    "MacQueenVariant",
    "Medoid",
    "NearestToMean",
    "Representative",
    "TwoLevelKMeans",
    "farthest",
    "first",
    "most_relevant",
]
