"""The layout of a trace accounts for every feature, and what is drawn of it for every width."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from tests.report.traces import made, random_trace, traced

from qpfs import IKMAQPFS, IKMQPFS, TLKMQPFS
from qpfs.report import cluster_record as layout
from qpfs.report.cluster_record import DRAWN_FATES, without_slivers


def cluster_tree(rounds):
    """The layout of rounds, of a fitted selector or made up."""
    return layout.cluster_tree(traced(rounds) if isinstance(rounds, list) else rounds)


TRACES = {seed: random_trace(300, 6, seed) for seed in range(4)}


@pytest.fixture(params=[*TRACES, IKMQPFS, IKMAQPFS, TLKMQPFS], ids=lambda p: getattr(p, "__name__", str(p)))
def rounds(request, microarray):
    if request.param in TRACES:
        return TRACES[request.param]
    return request.param(theta=0.4).fit(*microarray).rounds_


def members_of(rounds):
    """Level and members of every cluster, from the definition; one that was final before only once."""
    final, found = set(), []
    for one in sorted(rounds, key=lambda one: one.level):
        for c, fate in enumerate(one.fates):
            members = frozenset(one.members[one.labels == c].tolist())
            if not members & final:
                found.append((one.level, members, fate))
                final |= members if fate != "split" else set()
    return found


def test_every_cluster_is_a_bar_over_its_own_features(rounds):
    tree = cluster_tree(rounds)
    bars = [(b.level, frozenset(tree.features[b.left : b.right].tolist()), b.fate) for b in tree.bars]
    assert Counter(bars) == Counter(members_of(rounds))


def test_a_level_holds_each_feature_that_still_lives_once(rounds):
    tree = cluster_tree(rounds)
    assert sorted(tree.features) == sorted(rounds[0].members)
    alive = len(tree.features)
    for level in tree.levels:
        row = tree.row(level)
        assert all(a.right <= b.left for a, b in pairwise(row))
        assert sum(bar.width for bar in row) == alive
        alive = sum(bar.width for bar in row if bar.fate == "split")
    assert alive == 0


def test_parts_lie_within_their_parent(rounds):
    tree = cluster_tree(rounds)
    for bar in tree.bars:
        if bar.parent is not None:
            parent = tree.bars[bar.parent]
            assert parent.fate == "split"
            assert parent.level < bar.level
            assert parent.left <= bar.left
            assert bar.right <= parent.right


def test_counts_are_those_of_the_trace(rounds):
    tree = cluster_tree(rounds)
    for fate in DRAWN_FATES:
        clusters = [members for _, members, f in members_of(rounds) if f == fate]
        assert tree.n_clusters(fate) == len(clusters)
        assert tree.n_features(fate) == len(frozenset().union(*clusters))


def test_the_last_cluster_of_a_feature(rounds):
    tree = cluster_tree(rounds)
    last = {f: (level, fate) for level, members, fate in members_of(rounds) for f in members}
    for f in tree.features[::17].tolist():
        assert (tree.final(f).level, tree.final(f).fate) == last[f]


@pytest.mark.parametrize("least", [0.5, 2, 7.5, 50, 1000])
def test_slivers_are_put_together_and_none_is_lost(rounds, least):
    tree = cluster_tree(rounds)
    for level in tree.levels:
        row = tree.row(level)
        drawn = without_slivers(row, least)
        assert all(a.right <= b.left for a, b in pairwise(drawn))
        assert sum(bar.n_clusters for bar in drawn) == len(row)
        for fate in DRAWN_FATES:
            assert sum(b.width for b in drawn if b.fate == fate) == sum(
                b.width for b in row if b.fate == fate
            )
        wide = [bar for bar in row if bar.width >= least]
        assert [bar for bar in drawn if bar.n_clusters == 1 and bar.width >= least] == wide


def test_alternating_slivers_stay_few():
    """Thousands of narrow neighbours of alternating fates: no more than some for each least width."""
    pairs = [[2 * i, 2 * i + 1] for i in range(3000)]
    rounds = [made(0, 1, None, pairs, ["split"] * 3000)]
    rounds += [made(i + 1, 2, (0, i), [[a], [b]], ["kept", "discarded"]) for i, (a, b) in enumerate(pairs)]
    drawn = without_slivers(cluster_tree(rounds).row(2), 30)
    assert {bar.fate for bar in drawn} == {"kept", "discarded"}
    assert len(drawn) <= 6000 / 30
    assert len(without_slivers(cluster_tree(rounds).row(1), 30)) == 1


def test_a_single_round():
    tree = cluster_tree(
        [made(0, 1, None, [[3, 1, 2], [0], [4, 5]], ["kept", "discarded", "kept"], [0.6, 0, 0.4])]
    )
    assert [(b.left, b.width, b.fate) for b in tree.row(1)] == [
        (0, 3, "kept"),
        (3, 2, "kept"),
        (5, 1, "discarded"),
    ]
    assert [b.weight for b in tree.row(1)] == [0.6, 0.4, 0.0]


def test_all_discarded_but_one():
    fates = ["discarded"] * 9 + ["kept"]
    tree = cluster_tree([made(0, 1, None, [[i] for i in range(10)], fates)])
    assert tree.features[0] == 9
    assert (tree.n_features("kept"), tree.n_features("discarded")) == (1, 9)


def test_parents_may_be_missing_from_later_rounds():
    """What was final appears again in a second round of all features, as one of its clusters."""
    first = made(0, 1, None, [[0, 1], [2, 3, 4]], ["kept", "split"])
    second = made(1, 2, None, [[0, 1], [2], [3, 4]], ["kept"] * 3)
    tree = cluster_tree([first, second])
    assert [(b.level, b.width, b.parent) for b in tree.bars] == [
        (1, 2, None),
        (1, 3, None),
        (2, 1, 1),
        (2, 2, 1),
    ]


def test_an_order_of_rounds_does_not_matter():
    rounds = TRACES[0]
    shuffled = [rounds[i] for i in np.random.default_rng(0).permutation(len(rounds))]
    assert cluster_tree(rounds).bars == cluster_tree(shuffled).bars


def test_what_is_not_there_is_said():
    with pytest.raises(ValueError, match="no rounds"):
        cluster_tree([])
    with pytest.raises(ValueError, match="Feature 7 is in no cluster"):
        cluster_tree([made(0, 1, None, [[0, 1]], ["kept"])]).final(7)
