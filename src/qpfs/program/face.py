"""A face of the simplex: the indices that may carry weight, and how f curves among them.

Letters. K the matrix on the candidates, g the gradient there, d a direction on them with sum(d) = 0.
The first member p of the face is its pivot; the others have the reduced matrix
R_ij = (e_i - e_p)'K(e_j - e_p) = K_ij - K_ip - K_pj + K_pp. R is positive definite exactly where f is
strictly convex on the face, and then R = L L'. Members that would spoil that are left `waiting`.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.cholesky import backward, delete_row, flatness, forward, leading_factor


def reduced(K: FloatArray, members: IndexArray) -> FloatArray:
    """R of `members`, the first of them as the pivot."""
    p, rest = members[0], members[1:]
    to_pivot = K[rest, p]
    R: FloatArray = K[np.ix_(rest, rest)] - to_pivot[:, None] - to_pivot[None, :] + K[p, p]
    return R


class Face:
    """The members of a face with their factor, kept up as members come and go."""

    def __init__(self, K: FloatArray, members: IndexArray) -> None:
        self._K = K
        self._flat = flatness(K)
        self._factorise(members)

    def _factorise(self, members: IndexArray) -> None:
        L = leading_factor(reduced(self._K, members), self._flat)
        kept = len(L) + 1
        room = kept + 32
        self.members = [int(i) for i in members[:kept]]
        self.waiting = [int(i) for i in members[kept:]]
        self._L = np.zeros((room, room))
        self._L[: kept - 1, : kept - 1] = L

    def _column(self, j: int) -> tuple[FloatArray, float]:
        """R_ij for the members i, and R_jj."""
        K, p, rest = self._K, self.members[0], self.members[1:]
        shift = K[p, p] - K[j, p]
        return K[j, rest] - K[p, rest] + shift, K[j, j] - K[j, p] + shift

    def append(self, j: int) -> FloatArray | None:
        """None once j is a member; or, if f would not be convex, the direction that shows it, j last."""
        r, r_jj = self._column(j)
        n = len(r)
        row = forward(self._L, n, r)
        pivot = r_jj - row @ row
        if pivot <= self._flat:
            d = -backward(self._L, n, row)
            return np.concatenate(([-1.0 - d.sum()], d, [1.0]))
        if n == len(self._L):
            self._L = np.pad(self._L, (0, n))
        self._L[n, :n] = row
        self._L[n, n] = np.sqrt(pivot)
        self.members.append(j)
        return None

    def remove(self, index: int, weights: FloatArray) -> None:
        """`index` is no member any more."""
        position = self.members.index(index)
        if position:
            delete_row(self._L, len(self.members) - 1, position - 1)
            del self.members[position]
        else:
            rest = np.array(self.members[1:] + self.waiting)
            self._factorise(rest[np.argsort(-weights[rest], kind="stable")])

    def newton(self, g: FloatArray) -> FloatArray:
        """The direction over the members to the lowest point of the face's plane."""
        slopes = g[self.members[1:]] - g[self.members[0]]
        n = len(slopes)
        d = -backward(self._L, n, forward(self._L, n, slopes))
        return np.concatenate(([-d.sum()], d))
