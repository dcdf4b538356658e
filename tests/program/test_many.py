"""Many small programs at once: what `solve` gives each alone, the exhaustive minimum, the certificate."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import program as naive
from tests.program.instances import (
    ABSOLUTE_CORRELATION,
    FOUR_SAMPLES,
    THREE_SAMPLES,
    XOR,
    convex_problem,
    information_problem,
)
from tests.program.test_solver import program_of

from qpfs.program import StepLimitError, solve, solve_each
from qpfs.program.active_set import DUST
from qpfs.program.at_once import SMALL
from qpfs.program.convexity import convex_on_simplex

INDEFINITE = [
    naive.information_matrix(THREE_SAMPLES),
    naive.information_matrix(XOR),
    naive.information_matrix(FOUR_SAMPLES),
    ABSOLUTE_CORRELATION,
]

few = settings(deadline=None)
thetas = st.one_of(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]), st.floats(0.0, 1.0))


def flat(programs):
    """The arguments of `solve_each` for a list of (Q, s, theta)."""
    matrices = np.concatenate([np.ravel(Q) for Q, _, _ in programs])
    sizes = np.array([len(s) for _, s, _ in programs])
    relevance = np.concatenate([s for _, s, _ in programs])
    return matrices, sizes, relevance, np.array([theta for _, _, theta in programs])


def each(programs, **options):
    """The weights of each program of a list."""
    weights = solve_each(*flat(programs), **options)
    return np.split(weights, np.cumsum([len(s) for _, s, _ in programs])[:-1])


def check_alone(programs):
    """Every program has, to the last bit, the weights that it has alone."""
    for (Q, s, theta), weights in zip(programs, each(programs), strict=True):
        assert np.array_equal(weights, solve(program_of(Q, s, theta)).weights)


def check_weights(Q, s, theta, a):
    """On the simplex, with exact zeros, and stationary by definition."""
    scale = max(theta * np.abs(s).max(), (1 - theta) * np.abs(Q.diagonal()).max())
    g = naive.gradient(Q, s, theta, a)
    assert a.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all((a == 0.0) | (a >= DUST))
    assert naive.gap(Q, s, theta, a) <= 1e-9 * scale
    assert np.abs(g[a > 0] - a @ g).max() <= 1e-9 * scale


@st.composite
def information_programs(draw, most=12):
    """Q and s by mutual information of random codes, with features that occur more than once."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    N, M = draw(st.integers(3, 72)), draw(st.integers(1, most))
    codes = rng.integers(0, draw(st.integers(2, 4)), (N, M))
    codes = codes[:, rng.integers(0, M, draw(st.integers(1, most)))]
    y = rng.integers(0, 2, N)
    s = np.array([naive.information(feature, y) for feature in codes.T])
    return naive.information_matrix(codes), s * draw(st.integers(0, 1)), draw(thetas)


@few
@given(st.lists(information_programs(), min_size=1, max_size=4))
def test_the_same_as_each_alone(programs):
    check_alone(programs)
    for program, weights in zip(programs, each(programs), strict=True):
        check_weights(*program, weights)


@few
@given(information_programs(most=7))
def test_the_exhaustive_minimum_where_convex(program):
    Q, s, theta = program
    (weights,) = each([program])
    best = naive.objective(Q, s, theta, naive.exhaustive_minimum(Q, s, theta))
    found = naive.objective(Q, s, theta, weights)
    assert found >= best - 1e-12
    if theta == 1.0 or convex_on_simplex(Q):
        assert found <= best + 1e-9


@few
@given(st.integers(1, 40), st.integers(0, 10_000), thetas)
def test_any_symmetric_matrix(M, seed, theta):
    rng = np.random.default_rng(seed)
    Q, s = rng.normal(size=(M, M)), rng.normal(size=M)
    program = (Q + Q.T, s, theta)
    check_alone([program])
    check_weights(*program, *each([program]))


@few
@given(st.integers(1, 20), st.integers(0, 10_000), thetas)
def test_matrices_of_small_integers_full_of_ties(M, seed, theta):
    rng = np.random.default_rng(seed)
    Q, s = rng.integers(0, 3, (M, M)), rng.integers(0, 2, M).astype(float)
    program = ((Q + Q.T).astype(float), s, theta)
    check_alone([program])
    check_weights(*program, *each([program]))


@pytest.mark.parametrize("theta", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("Q", INDEFINITE)
def test_the_smallest_indefinite_matrices(Q, theta):
    for s in (np.linspace(0.1, 0.4, len(Q)), np.zeros(len(Q))):
        check_alone([(Q, s, theta)])
        check_weights(Q, s, theta, *each([(Q, s, theta)]))


@pytest.mark.parametrize("theta", [0.0, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("M", [2, 15, 50, SMALL, SMALL + 1, 120])
def test_sizes_on_both_sides_of_small(M, theta):
    programs = [(*information_problem(N, M, seed=M), theta) for N in (30, 72)]
    programs.insert(1, (*convex_problem(7, 3, seed=M), 0.4))
    check_alone(programs)
    for program, weights in zip(programs, each(programs), strict=True):
        check_weights(*program, weights)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_duplicates_weigh_at_the_lowest_index(theta, seed):
    Q, s = information_problem(60, 20, seed)
    copies = np.random.default_rng(seed).permutation(np.repeat(np.arange(20), 3))
    plain, many = each([(Q, s, theta), (Q[copies][:, copies], s[copies], theta)])
    first = np.array([np.flatnonzero(copies == i)[0] for i in range(20)])
    np.testing.assert_allclose(many[first], plain, atol=1e-8)
    assert set(np.flatnonzero(many)) <= set(first)


def test_theta_one_takes_the_most_relevant_lowest_on_ties():
    s = np.array([0.1, 0.9, 0.3, 0.9])
    (weights,) = each([(np.eye(4), s, 1.0)])
    assert weights.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_nothing_at_all_goes_to_the_first_index():
    for weights in each([(np.zeros((M, M)), np.zeros(M), 0.5) for M in (1, 2, 6)]):
        assert np.flatnonzero(weights).tolist() == [0]


def test_one_theta_for_all():
    programs = [(*convex_problem(M, 3, seed=M), 0.3) for M in (4, 9, 1)]
    matrices, sizes, relevance, theta = flat(programs)
    assert np.array_equal(
        solve_each(matrices, sizes, relevance, 0.3), solve_each(matrices, sizes, relevance, theta)
    )


def test_no_programs():
    assert len(solve_each([], [], [], 0.5)) == 0


def test_slices_in_threads_give_the_same():
    sizes = np.random.default_rng(0).integers(1, 30, 40)
    programs = [(*information_problem(40, M, seed=k), 0.4) for k, M in enumerate(sizes)]
    matrices, sizes, relevance, theta = flat(programs)
    first, corner = np.append(0, np.cumsum(sizes)), np.append(0, np.cumsum(sizes**2))

    def part(ends):
        i, j = ends
        rows, entries = slice(first[i], first[j]), slice(corner[i], corner[j])
        return solve_each(matrices[entries], sizes[i:j], relevance[rows], theta[i:j])

    with ThreadPoolExecutor(3) as threads:
        parts = list(threads.map(part, pairwise([0, 7, 8, 8, 25, 40])))
    assert np.array_equal(np.concatenate(parts), solve_each(matrices, sizes, relevance, theta))


def test_arguments_are_left_alone():
    arguments = flat([(*convex_problem(5, 2, seed=0), 0.3), (*convex_problem(3, 2, seed=1), 0.7)])
    for array in arguments:
        array.setflags(write=False)
    solve_each(*arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"matrices": np.ones(4)}, r"matrices has shape \(4,\), but by the sizes it must be \(5,\)"),
        ({"relevance": np.ones(2)}, r"relevance has shape \(2,\)"),
        ({"theta": np.ones(3)}, r"theta has shape \(3,\)"),
        ({"sizes": [2, -1]}, "above 0"),
        ({"sizes": [[2], [1]]}, "above 0"),
        ({"matrices": np.full(5, np.nan)}, "not finite"),
        ({"relevance": np.full(3, np.inf)}, "not finite"),
        ({"theta": 1.5}, "outside"),
        ({"tol": 0.0}, "tol=0.0"),
    ],
)
def test_programs_that_will_not_do(change, message):
    fine = {"matrices": np.ones(5), "sizes": [2, 1], "relevance": np.ones(3), "theta": 0.5}
    with pytest.raises(ValueError, match=message):
        solve_each(**{**fine, **change})


def test_a_program_that_does_not_come_to_rest_says_so():
    """Entries so large that their sums are not finite."""
    with pytest.raises(StepLimitError, match="on 2 candidates"):
        each([(np.eye(1), np.ones(1), 0.5), (1e308 * (2.0 * np.eye(2) - 1.0), np.zeros(2), 0.0)])
