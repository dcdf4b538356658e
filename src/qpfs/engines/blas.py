"""The threads that products of matrices start behind one's back.

Many small products in a row wait for those threads where other processes want the cores too: on two cores
with a load of about 3, fits of FGM in turns took 0.55 s on one thread and 1.5 s on two (usps, groups of
20), 2.5 s and 11.9 s (mnist38); on microarrays it made no difference. An idle machine was not measured. On
one thread the answer also does not depend on how many there are.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def pools() -> ThreadpoolController:
    """The libraries with threads of their own; finding them takes some milliseconds."""
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """A time in which products of matrices stay in the thread that asks for them."""
    return pools().limit(limits=1, user_api="blas")
