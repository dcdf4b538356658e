"""Calls of a user's function with two columns, in this process or distributed to others by joblib.

Other processes import this module to make their calls, so it imports little: 0.3 s, where `qpfs.information`
takes 2.6 s.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from qpfs.arrays import FloatArray
from qpfs.checks import is_real
from qpfs.engines.blas import one_blas_thread
from qpfs.messages import Parameter, invalid

BATCHES = 4  # per process, so that all end at about the same time

Function: TypeAlias = Callable[[FloatArray, FloatArray], float]
Call: TypeAlias = tuple[int, int, bool]  # a row of the left, a row of the right; whether they are swapped
Answers: TypeAlias = tuple[list[float], str, Exception | None]  # the error of the next call, if any


def call_all(
    function: Function, left: FloatArray, right: FloatArray, calls: list[Call], n_jobs: int | None
) -> Answers:
    """The results of the function up to the first call that fails; its error message, and its cause."""
    n = effective_n_jobs(n_jobs)
    size = max(1, len(calls) if n == 1 else -(-len(calls) // (BATCHES * n)))
    batches = [calls[start : start + size] for start in range(0, len(calls), size)]
    if len(batches) < 2:
        return call_each(function, left, right, calls)
    values: list[float] = []
    for returned, trouble, cause in spread(partial(call_away, function, left, right), batches, n_jobs):
        values += returned
        if trouble:
            return values, trouble, cause
    return values, "", None


def spread(work: Any, batches: list[list[Call]], n_jobs: int | None) -> list[Answers]:
    """The work on each batch, in processes, or where `joblib.parallel_config` defines."""
    try:
        return list(Parallel(n_jobs=n_jobs)(delayed(work)(batch) for batch in batches))
    except pickle.PicklingError as error:
        raise invalid(
            "The function given as measure cannot be pickled, so it cannot be called in other processes, as ",
            Parameter("n_jobs", n_jobs),
            " requires. Use ",
            Parameter("n_jobs", None),
            ", threads (joblib.parallel_config('threading')), or a function that can be pickled.",
        ) from error


def call_each(function: Function, left: FloatArray, right: FloatArray, calls: list[Call]) -> Answers:
    """The results of `call_all`, computed in this thread."""
    values: list[float] = []
    with one_blas_thread():  # the number of threads may change the last bits of a product
        for i, j, swapped in calls:
            x, y = left[i].copy(), right[j].copy()  # copies, since the function may write to them
            try:
                value = function(y, x) if swapped else function(x, y)
            except Exception as error:  # whatever the user's function raises
                return values, f"raised {type(error).__name__}: {error}", error
            number = (
                value.item() if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 else value
            )
            if not is_real(number) or not 0 <= number < np.inf:
                return values, f"returned {' '.join(repr(value).split()):.60}", None
            values.append(float(number))
    return values, "", None


def call_away(function: Function, left: FloatArray, right: FloatArray, calls: list[Call]) -> Answers:
    """The results of `call_each`, with a cause that can be pickled: itself, or one with the same message."""
    values, trouble, cause = call_each(function, left, right, calls)
    try:
        pickle.loads(pickle.dumps(cause))
    except Exception:  # unpickling a user's exception may fail in any way
        cause = RuntimeError(repr(cause))
    return values, trouble, cause
