"""Many small programs with their matrices in memory, solved in one compiled call.

Letters. Q, s, theta, K, b, a as in `problem`, one of each for every program. The call releases the GIL and
writes only its result, so that threads can each solve a part of the programs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import kernel, prompt
from qpfs.program.active_set import NO_REST, no_rest_error
from qpfs.program.at_once import SMALL, best_vertex, steps_at_once
from qpfs.program.problem import DenseQuadratic, SimplexProgram
from qpfs.program.solver import Options, solve
from qpfs.program.vectors import diagonal_of

# Uncompiled, a hundred programs of 40 indices (168,200 numbers) take 0.3 s, and a thousand of four 0.2; to
# compile everything that solves them takes 12.
NUMBERS, PATIENCE = 1 << 18, 10.0


def solve_each(
    matrices: ArrayLike, sizes: ArrayLike, relevance: ArrayLike, theta: ArrayLike, tol: float = 1e-9
) -> FloatArray:
    """Solve many programs: their weights, concatenated; each is solved as by `solve`.

    Parameters
    ----------
    matrices : array
        Q of each program, row by row, concatenated over the programs. Each must be symmetric, which is not
        checked.
    sizes : array of int
        M of each program.
    relevance : array
        s of each program, concatenated.
    theta : float, or an array with one for each program
    tol : float
        The largest gap allowed, relative to a program's scale.

    Examples
    --------
    The first program has two indices, the second three, of which the last two are duplicates:

    >>> import numpy as np
    >>> from qpfs.program import solve_each
    >>> two = [[1.0, 0.2], [0.2, 1.0]]
    >>> three = [[1.0, 0.5, 0.5], [0.5, 1.0, 1.0], [0.5, 1.0, 1.0]]
    >>> matrices = np.concatenate((np.ravel(two), np.ravel(three)))
    >>> solve_each(matrices, [2, 3], [0.3, 0.3, 0.4, 0.4, 0.4], theta=0.5).round(3).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.0]
    """
    Q, s = (np.ascontiguousarray(numbers, dtype=np.float64) for numbers in (matrices, relevance))
    if len(np.ravel(sizes)) and np.asarray(sizes).dtype.kind not in "iu":
        raise ValueError(f"sizes are {np.asarray(sizes).dtype}, but they must be whole numbers.")
    M = np.ascontiguousarray(sizes, dtype=np.intp)
    thetas = np.array(theta, dtype=np.float64)
    if thetas.ndim == 0:
        thetas = np.full(len(M), thetas)
    check(Q, M, s, thetas)
    Options(tol)
    weights = np.zeros(len(s))
    stuck = solve_small(Q, M, s, thetas, tol, weights) if M.min(initial=SMALL + 1) <= SMALL else len(M)
    if stuck < len(M):
        raise no_rest_error(int(M[stuck]), tol)
    solve_large(Q, M, s, thetas, tol, weights)
    return weights


def check(Q: FloatArray, M: IndexArray, s: FloatArray, thetas: FloatArray) -> None:
    """Raises ValueError if the programs are invalid."""
    if M.ndim != 1 or not np.all(M > 0):
        raise ValueError("sizes must be whole numbers above 0, one for each program.")
    wanted = {"matrices": (Q, int(M @ M)), "relevance": (s, int(M.sum())), "theta": (thetas, len(M))}
    for name, (numbers, count) in wanted.items():
        if numbers.shape != (count,):
            raise ValueError(f"{name} has shape {numbers.shape}, but by the sizes it must be ({count},).")
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name} has entries that are not finite; remove them first.")
    if not np.all((thetas >= 0.0) & (thetas <= 1.0)):
        raise ValueError("theta has entries outside of 0 to 1.")


@prompt(NUMBERS, PATIENCE)
@kernel
def solve_small(
    Q: FloatArray, M: IndexArray, s: FloatArray, thetas: FloatArray, tol: float, weights: FloatArray
) -> int:
    """Fills in the weights; returns the first small program that did not converge, or their number."""
    first, corner = 0, 0
    for k in range(len(M)):
        last, end = first + M[k], corner + M[k] * M[k]
        if M[k] <= SMALL:
            K = (1.0 - thetas[k]) * Q[corner:end].reshape((M[k], M[k]))
            b = -thetas[k] * s[first:last]
            a = weights[first:last]
            a[best_vertex(diagonal_of(K), b)] = 1.0
            if steps_at_once(K, b, a, tol) == NO_REST:
                return k
        first, corner = last, end
    return len(M)


def solve_large(
    Q: FloatArray, M: IndexArray, s: FloatArray, thetas: FloatArray, tol: float, weights: FloatArray
) -> None:
    """Fills in the weights of the programs that are not small."""
    ends, corners = np.cumsum(M), np.cumsum(M**2)
    for k in np.flatnonzero(M > SMALL):
        matrix = Q[corners[k] - M[k] ** 2 : corners[k]].reshape(M[k], M[k])
        own = slice(ends[k] - M[k], ends[k])
        program = SimplexProgram(DenseQuadratic(matrix), s[own], thetas[k])
        weights[own] = solve(program, tol=tol, prove_up_to=0).weights
