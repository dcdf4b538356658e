"""The choice of the engine."""

from __future__ import annotations

from joblib import effective_n_jobs

from qpfs.engines.cluster import Cluster, active_client
from qpfs.engines.local import Engine, Serial, Threads
from qpfs.messages import Parameter, invalid


def engine_for(n_jobs: int | None, *, elsewhere: bool = False) -> Engine:
    """The engine for a value of scikit-learn's parameter `n_jobs`.

    If workers can read the data, and a client of a Dask cluster is active, it is that cluster.
    """
    client = active_client() if elsewhere else None
    if client is not None:
        return Cluster(client)
    if n_jobs == 0:
        raise invalid(
            Parameter("n_jobs", 0),
            ", but at least one thread is needed; give a number of threads, or -1 for all.",
        )
    n_workers = effective_n_jobs(n_jobs)
    return Serial() if n_workers == 1 else Threads(n_workers)
