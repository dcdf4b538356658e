"""What holds for every measure, and for the feature table under it."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import qpfs as command_run
from tests.laws.parts import MEASURES, TILE
from tests.naive.information import distance, matrix
from tests.pairs import crossed

import qpfs
from qpfs import information
from qpfs.codes import ThreeSegments, columns_of, encoding, target_of
from qpfs.codes.store import MemoryStore
from qpfs.compiled import cell, kernel
from qpfs.engines import Serial, Threads
from qpfs.groups import Groups
from qpfs.information import FeatureTable, questions
from qpfs.information import table as table_module

every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
counted_measure = pytest.mark.parametrize(
    "measure",
    [measure for measure in MEASURES.values() if measure.counted],
    ids=[name for name, measure in MEASURES.items() if measure.counted],
)
plain = settings(deadline=None)


def discrete(n_samples, n_features, seed):
    """Related features of 1 to 6 levels each; those of one level are constant."""
    rng = np.random.default_rng(seed)
    hidden = rng.random((n_samples, 1))
    mixture = np.where(rng.random((n_samples, n_features)) < 0.4, hidden, 0)
    noise = rng.random((n_samples, n_features))
    return np.floor((mixture + noise) / 2 * rng.integers(1, 7, n_features)) * 2.0 + 1


def classes(n_samples, seed):
    y = np.random.default_rng(seed).integers(0, 3, n_samples)
    y[:2] = 0, 1
    return y


tables = st.builds(
    discrete, st.sampled_from([2, 3, 20, 63, 64, 65, 130]), st.integers(1, 8), st.integers(0, 999)
)


def whole(measure, X):
    return measure.table(columns_of(X)).rows(np.arange(X.shape[1]))


def twin(shared, X, others=None):
    others = X if others is None else others
    return np.array(matrix(shared, X.T.tolist(), others.T.tolist()))


@every_measure
@given(X=tables)
@plain
def test_the_matrix_is_that_of_the_slow_twin(measure, X):
    np.testing.assert_allclose(whole(measure, X), twin(measure.naive, X), rtol=1e-11, atol=1e-12)


@every_measure
@given(X=tables, seed=st.integers(0, 99))
@plain
def test_relevance_is_that_of_the_slow_twin(measure, X, seed):
    y = classes(len(X), seed)
    relevance = measure.table(columns_of(X)).relevance(target_of(y, None))
    expected = [measure.relevance(f, y.tolist()) for f in X.T.tolist()]
    np.testing.assert_allclose(relevance, expected, rtol=1e-11, atol=1e-12)


@kernel
def empty_cell(tables, n_a, n_b):
    return cell(tables, 0, n_a, n_b)


@counted_measure
@given(n_a=st.integers(1, 130), n_b=st.integers(1, 130))
@plain
def test_levels_that_never_meet_add_nothing(measure, n_a, n_b):
    """Loops rely on it: of a feature with itself they look at the levels that meet alone."""
    assert empty_cell(measure.measure.on(130).tables, n_a, n_b) == 0


@every_measure
def test_a_measure_has_a_name_and_words(measure):
    named = measure.measure
    assert information.MEASURES[named.name] is named
    words = dict(vars(named.words))
    assert words.pop("given") == ""  # of measures that are adjusted for covariates
    assert all(words.values())
    others = [one.measure.words for one in MEASURES.values() if one is not measure]
    for text in ("title", "distance", "shared"):
        assert getattr(named.words, text) not in {getattr(one, text) for one in others}


@every_measure
def test_a_measure_that_was_sent_is_the_same(measure):
    ready = sent(measure.measure.on(N))
    assert (ready.measure, ready.n_samples, type(ready)) == (measure.measure, N, type(measure.measure.on(N)))
    assert len(pickle.dumps(measure.table(columns_of(WIDE)).measure)) < 1000


@every_measure
@given(X=tables)
@plain
def test_own_is_what_a_feature_shares_with_itself(measure, X):
    table = measure.table(columns_of(X))
    everything = np.arange(X.shape[1])
    np.testing.assert_array_equal(np.diag(table.rows(everything)), table.self_information)
    np.testing.assert_array_equal(np.diag(table.between(everything, everything)), table.self_information)


@every_measure
@given(X=tables)
@plain
def test_sharing_is_symmetric_not_negative_and_at_most_ones_own(measure, X):
    Q = whole(measure, X)
    np.testing.assert_array_equal(Q, Q.T)
    own = np.diag(Q)
    assert (Q >= 0).all()
    assert (np.minimum(own[:, None], own[None, :]) + 1e-13 >= Q).all()


@given(X=tables)
@plain
def test_information_is_at_most_either_entropy_to_the_last_bit(X):
    Q = whole(MEASURES["mi"], X)
    own = np.diag(Q)
    assert (np.minimum(own[:, None], own[None, :]) >= Q).all()


@every_measure
@given(X=tables)
@plain
def test_a_constant_shares_nothing(measure, X):
    X = np.column_stack([X, np.full(len(X), 0.1)])
    table = measure.table(columns_of(X))
    assert not table.rows(np.array([X.shape[1] - 1])).any()
    assert not whole(measure, X)[:, -1].any()
    assert table.self_information[-1] == 0
    assert table.relevance(target_of(classes(len(X), 0), None))[-1] == 0
    assert table.varying.tolist() == [j for j in range(X.shape[1]) if len(set(X[:, j])) > 1]


@counted_measure
@given(X=tables, seed=st.integers(0, 99))
@plain
def test_the_names_of_levels_say_nothing(measure, X, seed):
    rng = np.random.default_rng(seed)
    names = rng.permuted(np.tile(np.arange(20.0), (X.shape[1], 1)), axis=1)
    renamed = np.take_along_axis(names, X.T.astype(int), axis=1).T
    np.testing.assert_array_equal(whole(measure, renamed), whole(measure, X))
    y = classes(len(X), seed)
    names = rng.permutation(["red", "green", "blue"])
    np.testing.assert_array_equal(
        measure.table(columns_of(renamed)).relevance(target_of(names[y], None)),
        measure.table(columns_of(X)).relevance(target_of(y, None)),
    )


@counted_measure
@given(X=tables, seed=st.integers(0, 99))
@plain
def test_the_order_of_counted_samples_says_nothing(measure, X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    np.testing.assert_array_equal(whole(measure, X[order]), whole(measure, X))


@every_measure
@given(X=tables, seed=st.integers(0, 99))
@plain
def test_the_order_of_samples_says_nothing_beyond_rounding(measure, X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    np.testing.assert_allclose(whole(measure, X[order]), whole(measure, X), atol=1e-12)


@every_measure
@given(X=tables, seed=st.integers(0, 99))
@plain
def test_permuting_features_permutes_the_answer(measure, X, seed):
    order = np.random.default_rng(seed).permutation(X.shape[1])
    np.testing.assert_array_equal(whole(measure, X[:, order]), whole(measure, X)[np.ix_(order, order)])


@every_measure
@given(X=tables)
@plain
def test_measures_that_say_so_are_convex(measure, X):
    Q = whole(measure, X)
    if measure.measure.convex:
        assert np.linalg.eigvalsh(Q)[0] >= -1e-11 * max(1, Q.max()) * len(Q)


@every_measure
@given(X=tables)
@plain
def test_pairs_are_never_concave(measure, X):
    own, Q = np.diag(whole(measure, X)), whole(measure, X)
    assert (own[:, None] + own[None, :] - 2 * Q >= -1e-12).all()


@given(X=tables)
@plain
def test_distance_is_that_of_the_slow_twin(X):
    table = MEASURES["mi"].table(columns_of(X))
    d = table.distances(np.arange(X.shape[1]))
    np.testing.assert_allclose(d, twin(distance, X), atol=1e-12)


@given(X=tables)
@plain
def test_distance_is_a_metric(X):
    d = MEASURES["mi"].table(columns_of(X)).distances(np.arange(X.shape[1]))
    assert (np.diag(d) == 0).all()
    np.testing.assert_array_equal(d, d.T)
    assert ((d >= 0) & (d <= 1)).all()
    detour = (d[:, :, None] + d[None, :, :]).min(axis=1)
    assert (d <= detour + 1e-12).all()


N, M = 70, 150
WIDE = discrete(N, M, 5)
Y = classes(N, 6)
ASKED = np.random.default_rng(7).permutation(M)[:41]
OTHERS = np.random.default_rng(8).permutation(M)[:23]
ORDERS = np.random.default_rng(5).permuted(np.tile(np.arange(N), (9, 1)), axis=1)
WEIGHTS = np.random.default_rng(9).random(41)


def answers(table):
    sample = np.random.default_rng(10).permutation(table.varying)[:37]
    labels = np.random.default_rng(11).integers(0, 5, len(table.varying))
    groups = Groups.labelled(table.varying, labels, 5)
    centres = groups.members[groups.bounds[:-1]]
    which = np.random.default_rng(12).integers(0, 5, len(sample))
    found, least = table.nearest(sample, which // 2, which + 1, centres)
    many = np.sort(np.random.default_rng(14).permutation(table.varying)[:29])
    whole = np.where(np.isin(table.varying, many), 0, len(many))
    of_all, least_of_all = table.nearest(table.varying, np.zeros_like(whole), whole, many)
    means = table.means(groups, centres)
    target = target_of(Y, None)
    relevance = table.relevance(target)
    times, most = table.reached(target, relevance, [ORDERS])
    return {
        "nearest": found,
        "least": least,
        "nearest of all": of_all,
        "least of all": least_of_all,
        "apart": table.distance_to(sample, centres, which),
        "apart from": table.distance_to_points(sample, means, which, ThreeSegments()),
        "total apart": table.distance_sums(groups),
        "within": table.redundancy_within(groups),
        "means": means,
        "own": table.self_information,
        "varying": table.varying,
        "relevance": relevance,
        "shuffled": table.shuffled(target, [ORDERS[:3], ORDERS]),
        "times reached": times,
        "most reached": most,
        "columns": table.rows(ASKED),
        "between": table.between(ASKED, OTHERS),
        "weighted_sum": table.weighted_sum(ASKED, WEIGHTS),
        "distances": table.distances(ASKED),
        "mean": table.mean().value,
        "totals": table.totals(sample),
    }


@cache
def expected_of(measure):
    """What is answered where nothing is divided."""
    return answers(measure.table(columns_of(WIDE), Serial()))


def same(one, other):
    for question in other:
        np.testing.assert_array_equal(one[question], other[question], err_msg=question)


DIVISIONS = [  # bytes of a tile, features of a block, features of a strip
    (TILE, 2048, 16),
    (1, 2048, 16),
    (8 * N * 11, 13, 16),
    (TILE, 64, 1),
    (8 * N * 30, 7, 5),
    (1, 1, 1000),
]


@crossed(
    measure=MEASURES,
    n_threads={"1 thread": 1, "2 threads": 2, "3 threads": 3},
    division=dict(zip(map(str, DIVISIONS), DIVISIONS, strict=True)),
)
def test_division_and_threads_do_not_change_a_bit(monkeypatch, measure, n_threads, division):
    tile_bytes, width, strip = division
    columns, expected = columns_of(WIDE), expected_of(measure)
    monkeypatch.setattr(encoding, "block_width", lambda n_samples, n_levels: width)
    for module in (table_module, questions):
        monkeypatch.setattr(module, "STRIP", strip)
        monkeypatch.setattr(module, "PAIRS", 11 * strip)
    monkeypatch.setattr(table_module, "SMALL", 0)
    with Threads(n_threads) as engine:
        same(answers(measure.table(columns, engine, tile_bytes)), expected)


@every_measure
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
def test_type_and_layout_do_not_change_a_bit(measure, layout, dtype):
    same(answers(measure.table(columns_of(layout(WIDE.astype(dtype))))), expected_of(measure))


@every_measure
@pytest.mark.parametrize("m", [40, pytest.param(M, marks=pytest.mark.slow)])
def test_every_question_is_answered_by_the_matrix(measure, m):
    table, Q = measure.table(columns_of(WIDE[:, :m])), twin(measure.naive, WIDE[:, :m])
    varying, asked, others = table.varying, ASKED[m > ASKED], OTHERS[m > OTHERS]
    close, weights = {"rtol": 1e-10, "atol": 1e-11}, WEIGHTS[m > ASKED]
    np.testing.assert_allclose(table.rows(asked), Q[asked], **close)
    np.testing.assert_allclose(table.between(asked, others), Q[np.ix_(asked, others)], **close)
    np.testing.assert_allclose(table.weighted_sum(asked, weights), weights @ Q[asked], **close)
    np.testing.assert_allclose(table.mean().value, Q[np.ix_(varying, varying)].mean(), atol=1e-10)
    assert table.mean().standard_error == 0
    own = np.diag(Q)
    with np.errstate(invalid="ignore"):
        ratio = Q[asked] / np.maximum(own[asked][:, None], own)
    np.testing.assert_allclose(table.distances(asked), 1 - np.nan_to_num(ratio, nan=1), **close)


@every_measure
def test_every_question_about_groups_is_answered_by_the_matrix(measure):
    """To the last bit: pairs asked about one by one are those of whole columns."""
    table = measure.table(columns_of(WIDE))
    everything = np.arange(M)
    Q, D = table.rows(everything), table.distances(everything)
    labels = np.random.default_rng(11).integers(0, 5, len(table.varying))
    groups = Groups.labelled(table.varying, labels, 5)
    centres = groups.members[groups.bounds[:-1]]
    within = np.split(table.redundancy_within(groups), np.cumsum(groups.sizes**2)[:-1])
    for i in range(5):
        mine = groups.of(i)
        np.testing.assert_array_equal(within[i].reshape(len(mine), -1), Q[np.ix_(mine, mine)])
    found, least = table.nearest(groups.members, groups.labels * 0, groups.labels + 1, centres)
    for place, feature in enumerate(groups.members):
        run = D[feature, centres[: groups.labels[place] + 1]]
        assert (found[place], least[place]) == (run.argmin(), run.min())
    apart = table.distance_to(groups.members, centres, groups.labels)
    np.testing.assert_array_equal(apart, D[groups.members, centres[groups.labels]])
    total = [
        D[feature, groups.of(label)].sum()
        for feature, label in zip(groups.members, groups.labels, strict=True)
    ]
    np.testing.assert_allclose(table.distance_sums(groups), total, rtol=1e-12)


@every_measure
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("n", [5, 40])
def test_the_nearest_of_centres_that_all_features_share_is_the_first_of_the_least(measure, n, turned):
    """Few centres are compared in single pairs, many by rows; centres themselves with none."""
    table = measure.table(
        columns_of(np.hstack([WIDE, WIDE[:, ::-1]]))
    )  # with duplicates, so that there are ties
    if turned:
        blocks = [block.turned() for block in table.store.blocks]
        store = MemoryStore(blocks, table.store.n_samples, table.n_features)
        table = FeatureTable(store, table.measure)
    centres = np.sort(np.random.default_rng(15).permutation(table.varying)[:n])
    lo = np.zeros(len(table.varying), np.intp)
    hi = np.where(np.isin(table.varying, centres[3:]), 0, n)
    D = table.distances(table.varying)[:, centres]
    found, least = table.nearest(table.varying, lo, hi, centres)
    np.testing.assert_array_equal(found, np.where(hi > 0, D.argmin(axis=1), 0))
    np.testing.assert_array_equal(least, np.where(hi > 0, D.min(axis=1), np.inf))


@every_measure
def test_a_part_of_a_table_is_a_table(measure):
    table = measure.table(columns_of(WIDE))
    some = np.random.default_rng(13).permutation(table.varying)[:31]
    part = table.part(some)
    assert (part.n_features, part.varying.tolist()) == (31, list(range(31)))
    np.testing.assert_array_equal(part.rows(np.arange(31)), table.between(some, some))
    np.testing.assert_array_equal(part.self_information, table.self_information[some])
    np.testing.assert_array_equal(
        part.part(np.array([7, 2])).rows(np.arange(2)), table.between(some[[7, 2]], some[[7, 2]])
    )
    assert part.mean().value == pytest.approx(table.between(some, some).mean(), rel=1e-11)


@every_measure
def test_a_weighted_sum_is_its_rows_in_turn(measure):
    table = measure.table(columns_of(WIDE))
    total = np.zeros(M)
    for weight, row in zip(WEIGHTS, table.rows(ASKED), strict=True):
        total += weight * row
    np.testing.assert_array_equal(table.weighted_sum(ASKED, WEIGHTS), total)


def sent(thing):
    """The thing as it arrives on another machine."""
    return pickle.loads(pickle.dumps(thing))


class Elsewhere:
    """Things that nobody here can touch: questions, and their answers, are copies."""

    items = None

    def __init__(self, made):
        self.made = made

    def ask(self, question, asked, common, *, run=1):
        return [sent(sent(question)(self.made[n], sent(common), sent(args))) for n, args in asked]


class Remote(Serial):
    """An engine as on another machine."""

    def hold(self, sources, make):
        return Elsewhere([sent(make)(sent(source)) for source in sources])


@every_measure
def test_an_engine_needs_no_shared_memory(monkeypatch, measure):
    columns, expected = columns_of(WIDE), expected_of(measure)
    monkeypatch.setattr(encoding, "block_width", lambda n_samples, n_levels: 13)
    monkeypatch.setattr(table_module, "SMALL", 0)
    same(answers(measure.table(columns, Remote())), expected)


def lists(doc):
    """The lines of a docstring that list the measures."""
    return [line for line in (doc or "").splitlines() if line.strip().startswith("measure : {")]


@cache
def help_of(command):
    return command_run(command, "--help").stdout


@pytest.mark.parametrize("name", information.MEASURES.ours)
def test_whoever_lists_the_measures_lists_all(name):
    assert f"({name})" in help_of("select").partition(" --measure ")[2].partition(" --")[0]
    found = [line for one in qpfs.__all__ for line in lists(getattr(qpfs, one).__doc__)]
    assert len(found) > 4
    assert all(f'"{name}"' in line for line in found)
