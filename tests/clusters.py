"""Small Dask clusters for tests."""

from contextlib import contextmanager

import distributed


@contextmanager
def cluster_of(n_workers, threads=1, **options):
    """A client of a cluster of processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=threads,
            dashboard_address=":0",
            silence_logs=50,
            **options,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
