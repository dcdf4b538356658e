"""Who does the work: engines schedule, and know nothing of what they schedule.

An engine has one method, `map`, which applies a function to every task and returns the results in
the order of the tasks. Kernels release the GIL, so threads are enough on one machine.
"""

from __future__ import annotations

from qpfs.engines.blas import one_blas_thread
from qpfs.engines.local import Engine, Held, Serial, Threads, engine_for

__all__ = ["Engine", "Held", "Serial", "Threads", "engine_for", "one_blas_thread"]
