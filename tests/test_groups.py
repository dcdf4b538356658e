"""Groups one after another."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qpfs.groups import Groups

plain = settings(deadline=None)  # the first example compiles
labelled = st.lists(st.integers(0, 5), min_size=1, max_size=40).map(np.array)


@plain
@given(labels=labelled, seed=st.integers(0, 99))
def test_groups_by_label(labels, seed):
    members = np.random.default_rng(seed).permutation(100)[: len(labels)]
    groups = Groups.labelled(members, labels, 6)
    assert len(groups) == 6
    for label in range(6):
        assert groups.of(label).tolist() == members[labels == label].tolist()
    assert groups.sizes.tolist() == [int((labels == label).sum()) for label in range(6)]
    assert groups.labels.tolist() == sorted(labels)


@plain
@given(labels=labelled, which=st.lists(st.integers(0, 5), unique=True))
def test_some_of_them_in_any_order(labels, which):
    groups = Groups.labelled(np.arange(len(labels)) + 7, labels, 6)
    some = groups.take(np.array(which, np.intp))
    assert [some.of(i).tolist() for i in range(len(some))] == [groups.of(g).tolist() for g in which]


@plain
@given(labels=labelled, seed=st.integers(0, 99))
def test_the_first_of_the_least(labels, seed):
    labels = np.unique(labels, return_inverse=True)[1]
    groups = Groups.labelled(np.arange(len(labels)), labels, labels.max() + 1)
    values = np.random.default_rng(seed).integers(0, 3, len(labels)).astype(float)
    for group, place in enumerate(groups.best(values)):
        lo, hi = groups.bounds[group], groups.bounds[group + 1]
        assert place == lo + values[lo:hi].argmin()


def test_no_groups_at_all():
    groups = Groups.one(np.arange(3)).take(np.array([], np.intp))
    assert len(groups) == 0
    assert groups.members.tolist() == []
