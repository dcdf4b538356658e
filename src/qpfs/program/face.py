"""A face of the simplex: the indices that may carry weight, and how f curves among them.

Letters. K the matrix on the candidates, a their weights, g the gradient there, d a direction on them with
sum(d) = 0. The first member p of the face is its pivot; the others have the reduced matrix
R_ij = (e_i - e_p)'K(e_j - e_p) = K_ij - K_ip - K_pj + K_pp. R is positive definite exactly where f is
strictly convex on the face, and then R = U'U. Indices that would make R indefinite wait.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import inner_part
from qpfs.program.cholesky import backward, delete_row, flatness, forward, leading_factor
from qpfs.program.vectors import dot, multiply, total


class Face(NamedTuple):
    """The members of a face with their factor, and space for all candidates; kernels change it in place.

    Attributes
    ----------
    K : (n, n) array
    flat : float
        Curvature up to this counts as zero.
    U : (n, n) array
        The factor of R in its leading rows, one less than there are members.
    order : (n,) array of int
        First the members, the pivot first of all, then those that wait, the next to be admitted first.
    counts : (2,) array of int
        How many are MEMBERS, and how many there are in ALL.
    d : (n,) array
        A direction over the leading indices of `order`.
    """

    K: FloatArray
    flat: float
    U: FloatArray
    order: IndexArray
    counts: IndexArray
    d: FloatArray


MEMBERS, ALL = 0, 1  # positions of the counts


@inner_part
def reduced(K: FloatArray, members: IndexArray, R: FloatArray) -> None:
    """The upper triangle of R of `members`, the first of them as the pivot."""
    p = members[0]
    for i in range(len(members) - 1):
        row = K[members[i + 1]]
        shift = K[p, p] - row[p]
        for j in range(i, len(members) - 1):
            R[i, j] = row[members[j + 1]] - K[p, members[j + 1]] + shift


@inner_part
def face_below(K: FloatArray, a: FloatArray) -> Face:
    """The face of the indices with weight."""
    n = len(a)
    order, counts = np.empty(n, np.intp), np.zeros(2, np.intp)
    for i in range(n):
        if a[i] > 0.0:
            order[counts[ALL]] = i
            counts[ALL] += 1
    face = Face(K, flatness(K), np.empty((n, n)), order, counts, np.empty(n))
    factorise(face, a)
    return face


@inner_part
def factorise(face: Face, a: FloatArray) -> None:
    """Factorises the face again, with the largest weight as the pivot, since it leaves last."""
    held = face.order[: face.counts[ALL]]
    heaviest_first(held, a)
    reduced(face.K, held, face.U)
    # Indices become members by weight as long as the factor exists; of the others the smallest waits first.
    kept = leading_factor(face.U, len(held) - 1, face.flat) + 1
    reverse(held[kept:])
    face.counts[MEMBERS] = kept


@inner_part
def heaviest_first(indices: IndexArray, a: FloatArray) -> None:
    """Sorts the indices by descending weight, in place and stably (insertion sort)."""
    for last in range(1, len(indices)):
        index, k = indices[last], last
        while k > 0 and a[indices[k - 1]] < a[index]:
            indices[k] = indices[k - 1]
            k -= 1
        indices[k] = index


@inner_part
def reverse(indices: IndexArray) -> None:
    """Reverses the indices in place."""
    last = len(indices) - 1
    for k in range(len(indices) // 2):
        indices[k], indices[last - k] = indices[last - k], indices[k]


@inner_part
def append(face: Face) -> bool:
    """Makes the next index a member; if it cannot, returns False and d is a direction without convexity."""
    n = face.counts[MEMBERS] - 1
    p, j = face.order[0], face.order[n + 1]
    at_p, at_j, x = face.K[p], face.K[j], face.d[1 : n + 1]
    shift = at_p[p] - at_j[p]
    for i in range(n):
        x[i] = at_j[face.order[i + 1]] - at_p[face.order[i + 1]] + shift
    forward(face.U, x)
    pivot = at_j[j] - at_j[p] + shift - dot(x, x)
    if pivot <= face.flat:
        backward(face.U, x)
        multiply(-1.0, x)
        face.d[0], face.d[n + 1] = -1.0 - total(x), 1.0
        return False
    for i in range(n):
        face.U[i, n] = x[i]
    face.U[n, n] = np.sqrt(pivot)
    face.counts[MEMBERS] += 1
    return True


@inner_part
def remove(face: Face, position: int, a: FloatArray) -> None:
    """Removes the index at `position` of the order from the members or the waiting ones."""
    for k in range(position, face.counts[ALL] - 1):
        face.order[k] = face.order[k + 1]
    face.counts[ALL] -= 1
    if position == 0:
        factorise(face, a)
    elif position < face.counts[MEMBERS]:
        delete_row(face.U, face.counts[MEMBERS] - 1, position - 1)
        face.counts[MEMBERS] -= 1


@inner_part
def newton(face: Face, g: FloatArray) -> None:
    """The direction d over the members to the lowest point of the face's plane."""
    n = face.counts[MEMBERS] - 1
    x = face.d[1 : n + 1]
    for i in range(n):
        x[i] = g[face.order[0]] - g[face.order[i + 1]]
    forward(face.U, x)
    backward(face.U, x)
    face.d[0] = -total(x)
