"""Clustering of similar features.

A clusterer is an object with `cluster(table, groups, k, relevance) -> Clusters`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.clustering.anchored import Anchored
    from qpfs.clustering.batches import InBatches
    from qpfs.clustering.clusters import Clusterer, Clusters, MacQueenVariant
    from qpfs.clustering.first_centres import AtRandom, FirstCentres, Leaders, farthest, first, most_relevant
    from qpfs.clustering.foreign import Foreign, distance_matrix, similarity_matrix, standardized_rows
    from qpfs.clustering.points import MacQueenKMeans, TwoLevelKMeans
    from qpfs.clustering.representatives import NearestToMean, Representative, aligned, medoid

__all__ = [
    "Anchored",
    "AtRandom",
    "Clusterer",
    "Clusters",
    "FirstCentres",
    "Foreign",
    "InBatches",
    "Leaders",
    "MacQueenKMeans",
    "MacQueenVariant",
    "NearestToMean",
    "Representative",
    "TwoLevelKMeans",
    "aligned",
    "distance_matrix",
    "farthest",
    "first",
    "medoid",
    "most_relevant",
    "similarity_matrix",
    "standardized_rows",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "anchored": ("Anchored",),
        "batches": ("InBatches",),
        "clusters": ("Clusterer", "Clusters", "MacQueenVariant"),
        "first_centres": ("AtRandom", "FirstCentres", "Leaders", "farthest", "first", "most_relevant"),
        "foreign": ("Foreign", "distance_matrix", "similarity_matrix", "standardized_rows"),
        "points": ("MacQueenKMeans", "TwoLevelKMeans"),
        "representatives": ("NearestToMean", "Representative", "aligned", "medoid"),
    },
)
