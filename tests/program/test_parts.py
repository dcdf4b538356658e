"""The parts of the solver: factor, face, candidates, proof, step limit."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import program as naive
from tests.program.instances import (
    ABSOLUTE_CORRELATION,
    FOUR_SAMPLES,
    THREE_SAMPLES,
    XOR,
    convex_problem,
)

from qpfs.program import DenseQuadratic, SimplexProgram, StepLimitError, active_set
from qpfs.program.candidates import Candidates, worst_violators
from qpfs.program.cholesky import backward, delete_row, forward, leading_factor
from qpfs.program.convexity import convex_on_simplex
from qpfs.program.face import Face


def positive_definite(n, seed=0):
    F = np.random.default_rng(seed).normal(size=(n, 2 * n))
    return F @ F.T / n


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 31, 64])
def test_factor_of_a_definite_matrix(n):
    R = positive_definite(n)
    L = leading_factor(R, 0.0)
    assert np.array_equal(L, np.tril(L))
    np.testing.assert_allclose(L @ L.T, R, atol=1e-13)


@pytest.mark.parametrize("kept", [0, 1, 4, 6, 9])
def test_factor_stops_before_the_first_flat_or_concave_direction(kept):
    R = positive_definite(10)
    R[kept] = R[:, kept] = 0.0
    assert leading_factor(R, 1e-12).shape == (kept, kept)
    R[kept, kept] = -1.0
    assert leading_factor(R, 1e-12).shape == (kept, kept)


def test_triangular_solves():
    L = leading_factor(positive_definite(20), 0.0)
    r = np.arange(20.0)
    np.testing.assert_allclose(L @ forward(L, 20, r), r, atol=1e-12)
    np.testing.assert_allclose(L.T @ backward(L, 20, r), r, atol=1e-12)


@pytest.mark.parametrize("q", [0, 3, 8, 9])
def test_deleting_a_row(q):
    R = positive_definite(10)
    L = leading_factor(R, 0.0)
    delete_row(L, 10, q)
    rest = np.delete(np.arange(10), q)
    shorter = np.tril(L[:9, :9])
    np.testing.assert_allclose(shorter @ shorter.T, R[np.ix_(rest, rest)], atol=1e-13)


def newton_by_definition(K, g, members):
    """The minimiser of g'd + d'Kd/2 over directions on `members` that sum to zero."""
    n = len(members)
    system = np.ones((n + 1, n + 1))
    system[:n, :n], system[n, n] = K[np.ix_(members, members)], 0.0
    return np.linalg.solve(system, np.append(-g[members], 0.0))[:n]


def test_face_follows_its_members():
    K, g = positive_definite(60), np.random.default_rng(1).normal(size=60)
    a = np.random.default_rng(2).uniform(size=60)
    face = Face(K, np.arange(10))
    for j in range(10, 60):
        assert face.append(j) is None
    for index in (59, 0, 17, 30, 1):
        face.remove(index, a)
    assert sorted(face.members) == sorted(set(range(60)) - {59, 0, 17, 30, 1})
    np.testing.assert_allclose(face.newton(g), newton_by_definition(K, g, face.members), atol=1e-10)


def test_face_shows_the_direction_that_is_not_convex():
    Q = ABSOLUTE_CORRELATION
    face = Face(Q, np.array([0, 1, 2]))
    d = face.append(3)
    along = np.zeros(4)
    along[[*face.members, 3]] = d
    assert along.sum() == pytest.approx(0.0)
    assert along @ Q @ along < 0
    assert face.members == [0, 1, 2]


def test_face_leaves_duplicates_waiting():
    K = np.kron(positive_definite(4), np.ones((2, 2)))
    face = Face(K, np.arange(8))
    assert face.members == [0]
    assert face.waiting == list(range(1, 8))
    assert face.append(2) is None
    assert face.append(1) is not None


@pytest.mark.parametrize(
    ("Q", "convex"),
    [
        (naive.information_matrix(THREE_SAMPLES), True),
        (naive.information_matrix(XOR), True),
        (naive.information_matrix(FOUR_SAMPLES), False),
        (ABSOLUTE_CORRELATION, False),
        (np.zeros((5, 5)), True),
        (np.full((5, 5), -3.0), True),
        (-np.eye(3), False),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), True),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), False),
        (np.array([[-4.0]]), True),
    ],
)
def test_convexity_inside_the_simplex(Q, convex):
    assert convex_on_simplex(Q) == convex


def test_worst_violators_are_the_lowest_and_ties_go_to_the_lower_index():
    g = np.array([0.0, -1.0, -3.0, -1.0, -3.0, 2.0, -1.0])
    assert worst_violators(g, 0.0, 10).tolist() == [2, 4, 1, 3, 6]
    assert worst_violators(g, 0.0, 3).tolist() == [2, 4, 1]
    assert worst_violators(g, -3.0, 3).tolist() == []


def test_candidates_hold_their_block_in_order_of_arrival():
    Q, s = convex_problem(12, 3, seed=0)
    program = SimplexProgram(DenseQuadratic(Q), s, 0.25)
    candidates = Candidates.none(program)
    for wanted in ([5], [7, 2], [2, 5], [0, 7, 11]):
        candidates = candidates.with_indices(np.array(wanted))
    W = candidates.indices
    assert W.tolist() == [5, 7, 2, 0, 11]
    np.testing.assert_allclose(candidates.matrix, 0.75 * Q[np.ix_(W, W)])


def test_a_search_that_does_not_end_says_so(monkeypatch):
    monkeypatch.setattr(active_set, "newton", lambda face, a, g: False)
    with pytest.raises(StepLimitError, match="larger tol"):
        active_set.stationary_weights(np.eye(3), np.zeros(3), np.array([1.0, 0, 0]), 1e-9)
