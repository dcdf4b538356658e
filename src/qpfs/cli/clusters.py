"""A Dask cluster for a command: one that runs somewhere, or a temporary one on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from qpfs.cli.progress import Log

LOCAL = "local"
PATIENCE = 10  # seconds until a scheduler must have answered


def check_dask(address: str | None, source: str) -> None:
    """Raises UsageError if a cluster could not read the source, or its library is missing."""
    from qpfs.data import UsageError, is_stored

    if address is None:
        return
    if not is_stored(source):
        raise UsageError(
            f"--dask is for a store, but {source} is not one: write one with `qpfs encode` first, in a place "
            "that all workers can read."
        )
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise UsageError("--dask needs the package distributed: pip install 'qpfs[dask]'.") from error


def on_cluster(address: str | None) -> str:
    """Where the work of a plan would be done, if not in this process."""
    if address is None:
        return ""
    where = "this machine" if address == LOCAL else address
    return f", by the Dask workers of {where} (the forecast of time and memory is for this machine alone)"


@contextmanager
def connected(address: str | None, log: Log) -> Iterator[None]:
    """A context in which the workers of a cluster do the work; without an address, nothing changes."""
    if address is None:
        yield
        return
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are shown once, by us
    with client_of(address) as client:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        many = "1 Dask worker" if len(workers) == 1 else f"{len(workers)} Dask workers"
        log.say(f"{many} at {client.scheduler.address}, dashboard {client.dashboard_link}")
        yield


@contextmanager
def client_of(address: str) -> Iterator[Any]:
    import distributed

    if address == LOCAL:
        workers = {"n_workers": os.cpu_count() or 1, "threads_per_worker": 1}
        with (
            distributed.LocalCluster(**workers, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    with client_at(address) as client, client.as_current():
        yield client


def client_at(address: str) -> Any:
    """A client of the scheduler at an address; raises UsageError if none answers in time."""
    from qpfs.data import UsageError

    found: list[Any] = []
    # In a separate thread, since Dask may wait forever for a server that is not a scheduler.
    asking = Thread(target=ask_for_client, args=(address, found), daemon=True)
    asking.start()
    asking.join(2 * PATIENCE)
    answer = found[0] if found else TimeoutError(f"no answer in {2 * PATIENCE} seconds")
    if isinstance(answer, BaseException):
        raise UsageError(
            f"--dask {address}: no Dask scheduler answers there ({answer}). Give the address that it prints "
            "when it starts, such as tcp://10.0.0.1:8786 (its dashboard has another), or local."
        ) from answer
    return answer


def ask_for_client(address: str, found: list[Any]) -> None:
    """Puts a client, or what went wrong, into a list."""
    import distributed

    try:
        found.append(distributed.Client(address, timeout=PATIENCE, set_as_default=False))
    except MemoryError:  # bytes of another protocol, read as a length
        found.append(ValueError("something else does"))
    except Exception as error:  # any failure to read the answer
        found.append(error)
