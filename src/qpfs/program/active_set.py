"""A stationary point on the candidates, with exact zeros.

Letters. K, b, a, g as in `problem`, on the candidates only; d a direction with sum(d) = 0.

Pair steps find the support, one factorisation of it and a few pivots make the answer exact. A pivot is
one of three moves, none of which raises f:

- slide: a waiting index would make the face flat or concave; move along that direction, downhill, until
  a weight is zero, and drop it (inertia control: the face stays strictly convex);
- Newton: go to the lowest point of the face, or as far as the first weight that turns zero, and drop it;
- enter: at the lowest point of the face, the index of least gradient waits to be admitted.

Faces are left only for lower values of f, so none is met twice.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.face import Face
from qpfs.program.pairs import pair_steps
from qpfs.sums import weighted_rows

# Pair steps are cheap but may creep; beyond this many for each candidate, pivots take over.
PAIR_STEPS = 10
# So many pivots for each candidate have never been seen; it is a guard.
PIVOTS = 20
# A weight below this is rounding.
DUST = 1e-14


class StepLimitError(RuntimeError):
    """The active set did not come to rest: rounding is as large as the tolerance."""


def stationary_weights(K: FloatArray, b: FloatArray, start: FloatArray, tol: float) -> tuple[FloatArray, int]:
    """Weights whose Frank-Wolfe gap on the candidates is at most `tol`, and the steps taken."""
    a = start.copy()
    n_pairs = pair_steps(K, a, gradient(K, b, a), tol, PAIR_STEPS * len(a) + 100)
    limit = PIVOTS * len(a) + 100
    face = Face(K, heaviest_first(a))
    for n_pivots in range(limit):
        g = gradient(K, b, a)
        if face.waiting:
            admit(face, a, g)
        elif newton(face, a, g):
            g = gradient(K, b, a)
            entering = int(g.argmin())
            if a @ g - g[entering] <= tol:
                return without_dust(a), n_pairs + n_pivots + 1
            if entering not in face.members:
                face.waiting.append(entering)
    raise StepLimitError(
        f"no stationary point within {limit} pivots on {len(a)} candidates at tol={tol:.3g}; "
        "ask for a larger tol."
    )


def without_dust(a: FloatArray) -> FloatArray:
    """The weights with those that are only rounding set to zero."""
    weights = np.where(a < DUST, 0.0, a)
    total: np.float64 = weights.sum()
    return weights / total


def gradient(K: FloatArray, b: FloatArray, a: FloatArray) -> FloatArray:
    """The gradient at a."""
    support = np.flatnonzero(a)
    return weighted_rows(K, support, a[support]) + b


def heaviest_first(a: FloatArray) -> IndexArray:
    """The support, the heaviest first: it is the pivot, and the last to leave."""
    support = np.flatnonzero(a)
    return support[np.argsort(-a[support], kind="stable")]


def admit(face: Face, a: FloatArray, g: FloatArray) -> None:
    """One waiting index made a member, or one index dropped on its behalf."""
    j = face.waiting[-1]
    d = face.append(j)
    if d is None:
        face.waiting.remove(j)
        return
    indices = [*face.members, j]
    if a[j] > 0.0 and d @ g[indices] > 0.0:
        d = -d
    move(face, a, indices, d, np.inf)


def newton(face: Face, a: FloatArray, g: FloatArray) -> bool:
    """Whether the lowest point of the face was reached."""
    return move(face, a, face.members, face.newton(g), 1.0)


def move(face: Face, a: FloatArray, indices: list[int], d: FloatArray, longest: float) -> bool:
    """Whether `a` could move by `longest` d; what turned zero on the way has been dropped."""
    here = a[indices]
    falling = np.flatnonzero(d < 0.0)
    room = here[falling] / -d[falling]
    if len(room) == 0 or room.min() >= longest:
        a[indices] = np.maximum(here + longest * d, 0.0)
        return True
    a[indices] = np.maximum(here + room.min() * d, 0.0)
    a[indices[falling[room.argmin()]]] = 0.0
    for index in [i for i in indices if a[i] == 0.0]:
        drop(face, index, a)
    return False


def drop(face: Face, index: int, a: FloatArray) -> None:
    """`index` neither a member nor waiting."""
    if index in face.waiting:
        face.waiting.remove(index)
    else:
        face.remove(index, a)
