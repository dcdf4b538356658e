"""Where f is convex, and so a stationary point optimal.

Only curvature inside the simplex counts: with P = I - 11'/M the problem is convex exactly when PQP is
positive semi-definite, which is to say when the reduced matrix R_ij = (e_i - e_p)'Q(e_j - e_p) is, for
any p. A Cholesky factorisation of R decides it.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.program.cholesky import leading_factor
from qpfs.program.face import reduced
from qpfs.program.problem import Quadratic

# Curvature down to minus this share of R's largest diagonal entry counts as zero; it can hide no more
# than that share of improvement, a tenth of the default tolerance.
SLACK = 1e-10


def convex_on_simplex(Q: FloatArray) -> bool:
    """Whether a'Qa is convex on the simplex, up to SLACK."""
    n = len(Q) - 1
    R = np.zeros((n, n))
    reduced(Q, np.arange(len(Q)), R)
    if not R.any():
        return True
    slack = SLACK * float(np.abs(R.diagonal()).max())
    R[np.diag_indices_from(R)] += slack
    return leading_factor(R, n, slack / 2.0) == n


def proved_convex(quadratic: Quadratic, up_to: int) -> bool:
    """Whether Q is known to be convex: by construction, or by looking at all of it if M <= `up_to`."""
    if quadratic.convex or quadratic.size == 1:
        return True
    if quadratic.size > up_to:
        return False
    everything = np.arange(quadratic.size)
    return convex_on_simplex(quadratic.block(everything, everything))
