"""A stationary point on the candidates, with exact zeros.

Letters. K, b, a, g as in `problem`, on the candidates only; d a direction with sum(d) = 0.

Pair steps find the support; one factorisation of it and a few pivots make the solution exact. A pivot is one
of three moves, none of which increases f:

- slide: a waiting index would make the face flat or concave; move along that direction, downhill, until
  a weight is zero, and drop it (inertia control: the face stays strictly convex);
- Newton: go to the lowest point of the face, or up to the first weight that becomes zero, and drop it;
- enter: at the lowest point of the face, the index of least gradient waits to be admitted.

A face is left only for a lower value of f, so none occurs twice.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.compiled import CUBIC, inner_part, kernel, prompt
from qpfs.program.face import ALL, MEMBERS, Face, append, face_below, newton, remove
from qpfs.program.pairs import pair_steps
from qpfs.program.vectors import add, diagonal_of, dot, largest, lowest, multiply, total

# Pair steps are cheap but may converge slowly; once gradients agree to this share of K's diagonal, or after
# this many steps for each candidate, pivots follow.
ROUGH = 1e-5
PAIR_STEPS = 10  # pair steps for each candidate, before faces are solved
# A guard: so many pivots for each candidate have never been observed.
PIVOTS = 20
# The result of a kernel that the guard stopped.
NO_REST = -1
# A weight below this is rounding error.
DUST = 1e-14


class StepLimitError(RuntimeError):
    """The active set did not converge: rounding errors are as large as the tolerance."""


def no_rest_error(size: int, tol: float) -> StepLimitError:
    """The error where the guard stopped the search on `size` candidates."""
    pivots = f"{limit_for(PIVOTS, size)} pivots on {size} candidates"
    return StepLimitError(f"no stationary point within {pivots} at tol={tol:.3g}; use a larger tol.")


def stationary_weights(K: FloatArray, b: FloatArray, start: FloatArray, tol: float) -> tuple[FloatArray, int]:
    """Weights whose Frank-Wolfe gap on the candidates is at most `tol`, and the steps taken."""
    a = start.copy()
    n_steps = steps_to_rest(K, b, a, tol)
    if n_steps == NO_REST:
        raise no_rest_error(len(a), tol)
    return a, n_steps


@inner_part
def limit_for(steps: int, size: int) -> int:
    """The most steps on so many candidates, at `steps` for each."""
    return steps * size + 100


@prompt(CUBIC)
@kernel
def steps_to_rest(K: FloatArray, b: FloatArray, a: FloatArray, tol: float) -> int:
    """The number of steps until the Frank-Wolfe gap is at most `tol`, or NO_REST; updates `a` in place."""
    g = np.empty(len(a))
    gradient(K, b, a, g)
    rough = max(tol, ROUGH * largest(diagonal_of(K)))
    n_pairs = pair_steps(K, a, g, rough, limit_for(PAIR_STEPS, len(a)))
    n_pivots = pivots(K, b, a, g, tol)
    if n_pivots == NO_REST:
        return NO_REST
    without_dust(a)
    return n_pairs + n_pivots


@inner_part
def pivots(K: FloatArray, b: FloatArray, a: FloatArray, g: FloatArray, tol: float) -> int:
    """The number of pivots until the gap is at most `tol`, or NO_REST; updates `a` and `g` in place."""
    face = face_below(K, a)
    for n in range(limit_for(PIVOTS, len(a))):
        gradient(K, b, a, g)
        if face.counts[ALL] > face.counts[MEMBERS]:
            admit(face, a, g)
        elif to_lowest_point(face, a, g):
            gradient(K, b, a, g)
            entering = lowest(g)
            if dot(a, g) - g[entering] <= tol:
                return n + 1
            enter(face, entering)
    return NO_REST


@inner_part
def gradient(K: FloatArray, b: FloatArray, a: FloatArray, g: FloatArray) -> None:
    """Sets g to the gradient at a."""
    for k in range(len(g)):
        g[k] = 0.0
    for i in range(len(a)):
        if a[i] > 0.0:
            add(a[i], K[i], g)
    add(1.0, b, g)


@inner_part
def without_dust(a: FloatArray) -> None:
    """Sets weights that are only rounding errors to zero."""
    for i in range(len(a)):
        if a[i] < DUST:
            a[i] = 0.0
    whole = total(a)
    for i in range(len(a)):
        a[i] /= whole


@inner_part
def enter(face: Face, index: int) -> None:
    """Makes `index`, unless it is a member, the only one that waits."""
    n = face.counts[ALL]
    for k in range(n):
        if face.order[k] == index:
            return
    face.order[n] = index
    face.counts[ALL] += 1


@inner_part
def admit(face: Face, a: FloatArray, g: FloatArray) -> None:
    """Makes the next index a member, or drops an index so that it can become one."""
    if append(face):
        return
    n = face.counts[MEMBERS] + 1
    if a[face.order[n - 1]] > 0.0 and slope(face, n, g) > 0.0:
        multiply(-1.0, face.d[:n])
    move(face, n, a, np.inf)


@inner_part
def slope(face: Face, n: int, g: FloatArray) -> float:
    """How f changes along d, over the first n indices of the face."""
    total = 0.0
    for k in range(n):
        total += face.d[k] * g[face.order[k]]
    return total


@inner_part
def to_lowest_point(face: Face, a: FloatArray, g: FloatArray) -> bool:
    """Moves towards the lowest point of the face; returns whether it was reached."""
    newton(face, g)
    return move(face, face.counts[MEMBERS], a, 1.0)


@inner_part
def move(face: Face, n: int, a: FloatArray, longest: float) -> bool:
    """Moves `a` by `longest` d, or until a weight is zero and dropped; returns whether it moved fully."""
    order, d = face.order, face.d
    length, blocking = longest, -1
    for k in range(n):
        if d[k] < 0.0 and a[order[k]] / -d[k] < length:
            length, blocking = a[order[k]] / -d[k], k
    for k in range(n):
        a[order[k]] = max(a[order[k]] + length * d[k], 0.0)
    if blocking < 0:
        return True
    a[order[blocking]] = 0.0
    # The pivot is removed last: without it the rest has to be factorised again.
    for k in range(n - 1, -1, -1):
        if a[order[k]] == 0.0:
            remove(face, k, a)
    return False
