"""Who does the work: engines schedule, and know nothing of what they schedule.

An engine applies a function to tasks and returns the results in the order of the tasks (`map`), and holds
things that are asked where they are (`hold`). Kernels release the GIL, so threads are enough on one machine;
beyond it the workers of a Dask cluster hold what is asked.
"""

from __future__ import annotations

from qpfs.engines.blas import one_blas_thread
from qpfs.engines.choosing import engine_for
from qpfs.engines.local import Engine, Held, Serial, Threads

__all__ = ["Engine", "Held", "Serial", "Threads", "engine_for", "one_blas_thread"]
