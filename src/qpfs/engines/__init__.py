"""Engines schedule work, serially, in threads or on a Dask cluster, and know nothing about what they run.

An engine applies a function to tasks and returns the results in the order of the tasks (`map`), and holds
objects that are used where they are stored (`hold`). Kernels release the GIL, so threads are enough on one
computer; for more, the workers of a Dask cluster hold the objects.
"""

from __future__ import annotations

from qpfs.engines.blas import one_blas_thread
from qpfs.engines.choosing import engine_for
from qpfs.engines.local import Engine, Held, Here, Serial, Threads

__all__ = ["Engine", "Held", "Here", "Serial", "Threads", "engine_for", "one_blas_thread"]
