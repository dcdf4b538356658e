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

from qpfs.program import DenseQuadratic, SimplexProgram, StepLimitError
from qpfs.program.active_set import NO_REST, enter, stationary_weights
from qpfs.program.at_once import steps_at_once
from qpfs.program.candidates import Candidates, worst_violators
from qpfs.program.cholesky import backward, delete_row, forward, leading_factor
from qpfs.program.convexity import convex_on_simplex
from qpfs.program.face import ALL, MEMBERS, append, face_below, newton, remove
from qpfs.program.vectors import dot


def positive_definite(n, seed=0):
    F = np.random.default_rng(seed).normal(size=(n, 2 * n))
    return F @ F.T / n


def factor(R, flat=0.0):
    """U of the largest leading block of R that has one."""
    U = R.copy()
    n = leading_factor(U, len(R), flat)
    return np.triu(U[:n, :n])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 31, 64])
def test_factor_of_a_definite_matrix(n):
    R = positive_definite(n)
    U = factor(R)
    np.testing.assert_allclose(U.T @ U, R, atol=1e-13)


@pytest.mark.parametrize("kept", [0, 1, 4, 6, 9])
def test_factor_stops_before_the_first_flat_or_concave_direction(kept):
    R = positive_definite(10)
    R[kept] = R[:, kept] = 0.0
    assert factor(R, 1e-12).shape == (kept, kept)
    R[kept, kept] = -1.0
    U = factor(R, 1e-12)
    np.testing.assert_allclose(U.T @ U, R[:kept, :kept], atol=1e-13)


@pytest.mark.parametrize("n", [0, 1, 4, 20])
def test_triangular_solves_within_a_larger_array(n):
    U = np.full((25, 25), np.nan)
    U[:n, :n] = factor(positive_definite(n))
    r = np.arange(1.0, n + 1.0)
    for system, solved in ((U[:n, :n].T, forward), (U[:n, :n], backward)):
        x = r.copy()
        solved(U, x)
        np.testing.assert_allclose(system @ x, r, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9])
def test_dot(n):
    assert dot(np.arange(1.0, n + 1.0), np.full(n, 2.0)) == n * (n + 1)


@pytest.mark.parametrize("q", [0, 3, 8, 9])
def test_deleting_a_row(q):
    R = positive_definite(10)
    U = factor(R)
    delete_row(U, 10, q)
    rest = np.delete(np.arange(10), q)
    shorter = np.triu(U[:9, :9])
    np.testing.assert_allclose(shorter.T @ shorter, R[np.ix_(rest, rest)], atol=1e-13)


def members(face):
    return face.order[: face.counts[MEMBERS]].tolist()


def waiting(face):
    return face.order[face.counts[MEMBERS] : face.counts[ALL]].tolist()


def newton_by_definition(K, g, members):
    """The minimiser of g'd + d'Kd/2 over directions on `members` that sum to zero."""
    n = len(members)
    system = np.ones((n + 1, n + 1))
    system[:n, :n], system[n, n] = K[np.ix_(members, members)], 0.0
    return np.linalg.solve(system, np.append(-g[members], 0.0))[:n]


def test_face_follows_its_members():
    K, g = positive_definite(60), np.random.default_rng(1).normal(size=60)
    a = np.random.default_rng(2).uniform(size=60)
    face = face_below(K, np.where(np.arange(60) < 10, a, 0.0))
    assert members(face) == sorted(range(10), key=lambda i: -a[i])
    for j in range(10, 60):
        enter(face, j)
        assert append(face)
    gone = {59, 17, 30, 1, members(face)[0]}
    for index in gone:
        remove(face, members(face).index(index), a)
    assert sorted(members(face)) == sorted(set(range(60)) - gone)
    assert waiting(face) == []
    newton(face, g)
    d = face.d[: face.counts[MEMBERS]]
    np.testing.assert_allclose(d, newton_by_definition(K, g, members(face)), atol=1e-10)


def test_face_shows_the_direction_that_is_not_convex():
    Q = ABSOLUTE_CORRELATION
    face = face_below(Q, np.array([0.3, 0.2, 0.1, 0.0]))
    enter(face, 3)
    assert not append(face)
    along = np.zeros(4)
    along[face.order] = face.d
    assert along.sum() == pytest.approx(0.0)
    assert along @ Q @ along < 0
    assert members(face) == [0, 1, 2]
    assert waiting(face) == [3]


def test_face_leaves_duplicates_waiting():
    K = np.kron(positive_definite(4), np.ones((2, 2)))
    a = np.arange(8.0, 0.0, -1.0)
    face = face_below(K, a)
    assert members(face) == [0]
    assert waiting(face) == list(range(7, 0, -1))
    assert append(face)
    assert members(face) == [0, 7]
    assert not append(face)
    remove(face, 0, a)
    assert members(face) == [1, 2]
    assert waiting(face) == [7, 6, 5, 4, 3]


def test_entering_twice_is_entering_once():
    face = face_below(np.eye(3), np.array([0.0, 1.0, 0.0]))
    for index in (1, 2, 2):
        enter(face, index)
    assert (members(face), waiting(face)) == ([1], [2])


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
    candidates = Candidates(program, np.zeros(0, np.intp), np.zeros((0, 0)))
    for wanted in ([5], [7, 2], [2, 5], [0, 7, 11]):
        candidates = candidates.with_indices(np.array(wanted))
    W = candidates.indices
    assert W.tolist() == [5, 7, 2, 0, 11]
    np.testing.assert_allclose(candidates.matrix, 0.75 * Q[np.ix_(W, W)])


def test_a_search_that_does_not_end_says_so():
    """No gap is negative, so none is small enough."""
    with pytest.raises(StepLimitError, match=r"160 pivots on 3 candidates .* larger tol"):
        stationary_weights(np.eye(3), np.zeros(3), np.array([1.0, 0, 0]), tol=-1.0)
    assert steps_at_once(np.eye(3), np.zeros(3), np.array([1.0, 0, 0]), -1.0) == NO_REST
