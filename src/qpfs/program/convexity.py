"""Tests of convexity; where f is convex, a stationary point is optimal.

Only curvature within the simplex matters: with P = I - 11'/M the problem is convex exactly when PQP is
positive semi-definite, that is, when the reduced matrix R_ij = (e_i - e_p)'Q(e_j - e_p) is, for
any p. A Cholesky factorisation of R decides it.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import CUBIC, kernel, prompt
from qpfs.program.cholesky import flatness, leading_factor
from qpfs.program.face import reduced
from qpfs.program.problem import Quadratic
from qpfs.program.vectors import diagonal_of, largest

# Curvature down to minus this share of R's largest diagonal entry counts as zero; it can hide no more
# than that share of improvement, a tenth of the default tolerance.
SLACK = 1e-10


@prompt(CUBIC)
@kernel
def convex_on_simplex(Q: FloatArray) -> bool:
    """Whether a'Qa is convex on the simplex, up to SLACK."""
    n = len(Q) - 1
    R = np.zeros((n, n))
    reduced(Q, np.arange(len(Q)), R)
    if not R.any():
        return True
    slack = SLACK * largest(diagonal_of(R))
    for i in range(n):
        R[i, i] += slack
    return leading_factor(R, n, slack / 2.0) == n


@prompt(CUBIC)
@kernel
def strictly_convex(K: FloatArray, members: IndexArray) -> bool:
    """Whether f is strictly convex among the weights of `members`."""
    n = len(members) - 1
    R = np.empty((n, n))
    reduced(K, members, R)
    return leading_factor(R, n, flatness(K)) == n


def proved_convex(quadratic: Quadratic, up_to: int) -> bool:
    """Whether Q is proved convex: by construction, or by reading all of it if M <= `up_to`."""
    if quadratic.convex or quadratic.size == 1:
        return True
    if quadratic.size > up_to:
        return False
    everything = np.arange(quadratic.size)
    return convex_on_simplex(quadratic.block(everything, everything))
