"""Small Dask clusters for tests."""

import multiprocessing
import sys
from contextlib import contextmanager

import dask
import distributed


def begin_quickly():
    """Workers are forks of one process that has everything imported, where there are forks."""
    if sys.platform == "win32":
        return
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    distributed.utils.get_mp_context()  # says what it imports, which is not enough
    modules = ["distributed", "dask.array", "qpfs.selectors", "qpfs.codes", "qpfs.engines.cluster"]
    multiprocessing.get_context("forkserver").set_forkserver_preload(modules)


@contextmanager
def cluster_of(n_workers, threads=1, **options):
    """A client of a cluster of processes on this machine."""
    begin_quickly()
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
