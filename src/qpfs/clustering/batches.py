"""Groups clustered some at a time.

The groups of a level are clustered independently. Together they need few calls, but with ten million features
each array is larger than a cache and larger than the memory that a process keeps when it frees some, so that
the system clears it every time. In one run of `IKMAQPFS` at 100 x 3,000,000 that was 1.9 s of CPU, and 1.1 in
batches. Batches are also the tasks of several threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.clustering.clusters import Clusterer, Clusters
from qpfs.engines import Serial
from qpfs.groups import Groups, bounds_of
from qpfs.information import FeatureTable

MEMBERS = 1 << 19  # of a batch, unless one group has more: 4 MB for each array
LEAST, TASKS = 1 << 14, 4  # members of a batch that is worth a thread, and batches for each thread


@dataclass(frozen=True, eq=False)
class InBatches:
    """A clusterer that is given some of the groups at a time, in several threads if it allows that."""

    clusterer: Clusterer
    n_members: int = MEMBERS

    def cluster(self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> Clusters:
        engine = table.task_engine if getattr(self.clusterer, "parallel", False) else Serial()
        share = max(LEAST, len(groups.members) // (TASKS * engine.n_workers))
        width = self.n_members if engine.n_workers == 1 else min(self.n_members, share)
        parts = list(batches(groups.bounds, width))
        if len(parts) < 2:
            return self.clusterer.cluster(table, groups, k, relevance)
        # A batch is one task: what lies between its questions is then done by several threads, too.
        asked = table if engine.n_workers == 1 else table.undivided()

        def clustered(some: slice) -> Clusters:
            return self.clusterer.cluster(asked, groups.run(some), k[some], relevance)

        return joined(groups, list(engine.map(clustered, parts)))


def batches(bounds: IndexArray, n_members: int) -> Iterator[slice]:
    """Runs of groups with at most so many members, or of one group."""
    start, last = 0, len(bounds) - 1
    while start < last:
        stop = int(np.searchsorted(bounds, bounds[start] + n_members, side="right")) - 1
        yield slice(start, max(stop, start + 1))
        start = max(stop, start + 1)


def joined(groups: Groups, found: list[Clusters]) -> Clusters:
    """The clusters of all groups, from those of runs of groups."""
    begins = bounds_of(np.array([len(one) for one in found]))
    return Clusters(
        groups,
        np.concatenate([one.labels + begin for one, begin in zip(found, begins, strict=False)]),
        np.concatenate([[0], *(one.bounds[1:] + begin for one, begin in zip(found, begins, strict=False))]),
        np.concatenate([one.representatives for one in found]),
        np.concatenate([one.radii for one in found]),
        sum(one.n_distances for one in found),
    )
