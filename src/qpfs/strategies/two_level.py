"""One clustering in two levels, then one weighing of the representatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qpfs.arrays import FloatArray
from qpfs.clustering import Clusters
from qpfs.clustering.two_level import TwoLevel
from qpfs.criteria.weighing import Tick
from qpfs.information import FeatureTable
from qpfs.strategies.interleaved import outcome
from qpfs.strategies.rounds import Fate, Outcome, Round


@dataclass(frozen=True, eq=False)
class TwoLevelStrategy:
    """Every cluster of the two levels is kept; the final weighing decides."""

    clusterer: TwoLevel

    def run(self, table: FeatureTable[Any], relevance: FloatArray, tick: Tick) -> Outcome:
        """The clusters, with the first level and the second as rounds."""
        found = self.clusterer.cluster(table, table.varying, relevance)
        first, final = found.first, found.final
        fates: list[Fate] = ["kept" if r <= found.radius else "split" for r in first.radii]
        rounds = [as_round(0, first, fates), as_round(1, final, ["kept"] * len(final))]
        tick()
        kept = [
            (final.of(i), int(final.representatives[i]), float(final.radii[i])) for i in range(len(final))
        ]
        return outcome(kept, rounds, final.n_distances, table.n_features, found.radius)


def as_round(number: int, clusters: Clusters, fates: list[Fate]) -> Round:
    """A level of the clustering as a round in which nothing was weighed."""
    parts = (clusters.members, clusters.labels, clusters.representatives, clusters.radii)
    return Round(number, number + 1, None, *parts, None, tuple(fates))
