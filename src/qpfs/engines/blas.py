"""Control of the threads that BLAS starts for matrix products.

Many small products in sequence wait for those threads if other processes use the cores too: on two cores with
a load of about 3, alternating fits of FGM took 0.55 s on one thread and 1.5 s on two (usps, groups of 20),
2.5 s and 11.9 s (mnist38); on microarrays it made no difference. An idle machine was not measured. With one
thread the result also does not depend on the number of threads.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def pools() -> ThreadpoolController:
    """The libraries that start threads; finding them takes some milliseconds."""
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Within this context matrix products run in the calling thread only."""
    return pools().limit(limits=1, user_api="blas")
