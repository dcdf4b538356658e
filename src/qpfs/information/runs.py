"""What pairs of features share, run after run -> distances, and the nearest of each run."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.compiled import CUBIC, LINEAR, inner_part, kernel, prompt


@prompt(LINEAR)
@kernel
def apart_along(
    shared: FloatArray, own: FloatArray, lo: AnyArray, hi: AnyArray, other_own: FloatArray
) -> None:
    """Replaces what pairs share by their distances, 1 - shared / max(own, own')."""
    t = 0
    for i in range(len(lo)):
        for j in range(lo[i], hi[i]):
            shared[t] = distance_of(shared[t], own[i], other_own[j])
            t += 1


@inner_part
def distance_of(shared: float, own: float, other_own: float) -> Any:
    """The distance 1 - shared / max(own, own'); 0 where both are constant."""
    largest = max(own, other_own)
    ratio = shared / largest if largest > 0.0 else 1.0
    return min(max(1.0 - ratio, 0.0), 1.0)


@prompt(LINEAR)
@kernel
def nearest_along(
    shared: FloatArray,
    own: FloatArray,
    lo: AnyArray,
    hi: AnyArray,
    other_own: FloatArray,
    found: AnyArray,
    least: FloatArray,
) -> None:
    """The nearest of each run, the first on ties, and its distance; lo and inf where the run is empty."""
    t = 0
    for i in range(len(lo)):
        nearest, best = lo[i], np.inf
        for j in range(np.uint64(lo[i]), np.uint64(hi[i])):
            apart = distance_of(shared[t], own[i], other_own[j])
            if apart < best:
                nearest, best = np.int64(j), apart
            t += 1
        found[i], least[i] = nearest, best


@prompt(CUBIC)  # many calls of more would follow one another, and take a second in all
@kernel
def keep_nearest(
    shared: FloatArray,
    pivot_own: FloatArray,
    places: AnyArray,
    own: FloatArray,
    found: AnyArray,
    least: FloatArray,
) -> None:
    """Keeps the nearest pivot of each feature so far, the first on ties, and its distance."""
    for p in range(len(shared)):
        row, place, mine = shared[p], places[p], pivot_own[p]
        for k in range(len(row)):  # without branches, so that it becomes vector instructions
            apart = distance_of(row[k], own[k], mine)
            closer = (apart < least[k]) | ((apart == least[k]) & (place < found[k]))
            least[k] = apart if closer else least[k]
            found[k] = place if closer else found[k]


@prompt(LINEAR)
@kernel
def longest(lo: AnyArray, hi: AnyArray) -> int:
    """The length of the longest run, at least 1."""
    found = 1
    for i in range(len(lo)):
        found = max(found, hi[i] - lo[i])
    return found


@prompt(LINEAR)
@kernel
def put_runs(values: FloatArray, which: AnyArray, bounds: AnyArray, out: FloatArray) -> None:
    """Writes runs to their places: run which[i] is from its bound to the next."""
    t = 0
    for i in which:
        for place in range(bounds[i], bounds[i + 1]):
            out[place] = values[t]
            t += 1
