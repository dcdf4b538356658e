"""Fuzzed fits: right by the definitions, and the same to the last bit whatever the table is kept in."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.fuzz import kinds, problems
from tests.naive import codes as naive_codes
from tests.naive import information as naive
from tests.naive import program

from qpfs import FGM, GDM, MRMR, QPFS, MaxRel
from qpfs.selectors.clustered import PresetMixin

LEARNED = (
    "relevance_",
    "pvalues_",
    "scores_",
    "order_",
    "support_",
    "theta_",
    "gap_",
    "objective_",
    "status_",
    "labels_",
    "representatives_",
    "radii_",
    "n_distances_",
)
TWINNED = 14  # features up to which everything is computed again from the definition
NEAR = 1e-9


@dataclass
class Count:
    """How much was tried."""

    cases: int = 0
    fits: int = 0
    seen: Counter[str] = field(default_factory=Counter)


def cases():
    """A problem, a selector, and some kinds of input to compare."""
    others = st.lists(st.sampled_from([*kinds.KINDS, "store", "two threads"]), min_size=2, max_size=4)
    drawn = st.tuples(problems.tables(), problems.selectors(), others.map(set).map(sorted))
    return drawn.map(lambda case: (case[0], suited(case[1], case[0]), case[2]))


def suited(selector, drawn):
    """The selector, by ranks where there are several targets: that is what their slow twin is of."""
    several = drawn.kind == problems.SEVERAL and "measure" in selector.get_params()
    return clone(selector).set_params(measure="rank") if several else selector


def fuzz(number, examples):
    """A batch of cases, the same for the same number; raises AssertionError with the smallest that fails."""
    count = Count()

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(cases())
    def every(case):
        check(*case, count)

    every()
    return count


def check(drawn, selector, others, count):
    """One case: the plain fit against the twins, every other kind of input against the plain fit."""
    count.cases += 1
    plain = fitted(selector, drawn.X, drawn.y, count)
    if not isinstance(plain, str) and drawn.X.shape[1] <= TWINNED:
        check_right(plain, drawn, count)
    for kind in others:
        other = fitted_as(kind, selector, drawn, count)
        if other is not None:
            assert_same(plain, other, kind)


def fitted(selector, X, y, count):
    """The fitted selector, or why it refused; anything but our own errors passes through."""
    count.fits += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return clone(selector).fit(X, y)
        except (ValueError, TypeError) as error:
            refused = str(error).strip()
    assert refused, "an error without a sentence"
    return refused


def fitted_as(kind, selector, drawn, count):
    """The selector fitted on another kind of the same table; None where that is documented not to be."""
    linear = isinstance(selector, (FGM, GDM))
    if kind == "two threads":
        return None if linear else fitted(clone(selector).set_params(n_jobs=2), drawn.X, drawn.y, count)
    if kind == "store":
        return None if linear else fitted_store(selector, drawn, count)
    if kind == "dask" and linear:
        return None
    return fitted(selector, kinds.KINDS[kind](drawn.X), drawn.y, count)


def fitted_store(selector, drawn, count):
    y = drawn.y[:, 0] if drawn.kind == problems.SEVERAL else drawn.y  # that is kept beside the levels
    auto = selector.measure == "auto" and selector.discretizer is None
    measure = "rank" if auto or selector.measure == "rank" else None
    found = fitted(selector, kinds.stored(drawn.X, y, selector.discretizer, measure), drawn.y, count)
    return None if isinstance(found, str) and ", not numbers" in found else found


def assert_same(one, other, kind):
    if isinstance(one, str) or isinstance(other, str):
        assert isinstance(one, str), f"{kind}: {other}"
        assert isinstance(other, str), f"only {kind} is accepted; else {one}"
        return
    if isinstance(one, (FGM, GDM)) and kind in kinds.SPARSE:  # the same model to within its tolerance
        assert abs(one.objective_ - other.objective_) <= 2 * one.tol * one.objective_, kind
        return
    for name in LEARNED:
        if hasattr(one, name):
            a, b = getattr(one, name), getattr(other, name)
            np.testing.assert_array_equal(a, b, err_msg=f"{kind}: {name}", strict=True)


def check_right(model, drawn, count):
    """Scores, order and support against the definitions."""
    check_ranking(model)
    if isinstance(model, (FGM, GDM)) or drawn.kind == "quantity":
        return
    if drawn.kind == problems.SEVERAL and used(model) != "rank" and any(map(is_quantity, targets_of(drawn))):
        return
    features = levels(model, drawn.X)
    varying = np.array([j for j, f in enumerate(features) if len({x for x in f if x == x}) > 1])
    s, Q = relevance(model, features, drawn), redundancy(model, features)
    np.testing.assert_allclose(model.relevance_, s, atol=NEAR)
    count.seen["relevance"] += 1
    count.seen[problems.SEVERAL] += drawn.kind == problems.SEVERAL
    if type(model) is MaxRel:
        check_greedy(model.order_, lambda taken: s, varying)
    elif type(model) is MRMR:
        check_greedy(model.order_, lambda taken: mrmr_values(model, s, Q, taken), varying)
    elif type(model) is QPFS:
        check_theta(model, Q[np.ix_(varying, varying)].mean(), s[varying].mean())
        check_program(model, s, Q, varying)
        count.seen["optimality"] += 1
    elif isinstance(model, PresetMixin):
        check_clusters(model)
        check_program(model, s, Q, model.representatives_)
        count.seen["clusters"] += 1


def check_theta(model, mean_redundancy, mean_relevance):
    if model.theta != "auto":
        assert model.theta_ == model.theta
    elif mean_relevance > NEAR:  # without any the target says nothing, and theta is 0
        assert abs(model.theta_ - mean_redundancy / (mean_redundancy + mean_relevance)) < NEAR


def check_ranking(model):
    m = model.n_features_in_
    assert model.scores_.shape == (m,)
    assert np.isfinite(model.scores_).all()
    assert len(set(model.order_.tolist())) == len(model.order_)
    assert set(model.order_.tolist()) <= set(range(m))
    assert not np.delete(model.scores_, model.order_).any()
    n = int(model.support_.sum())
    assert sorted(model.order_[:n].tolist()) == np.flatnonzero(model.support_).tolist()


def levels(model, X):
    """The features as the measure sees them: numbers, labels, or how many edges each exceeds."""
    if model.discretizer_ is None:
        return [column.tolist() for column in X.T]
    rule = model.discretizer_
    return [
        label_codes(column.tolist(), rule.labels_[j])
        if j in rule.labels_
        else naive_codes.codes(column.tolist(), [e for e in cut.tolist() if e == e], -1)
        for j, (column, cut) in enumerate(zip(X.T, rule.edges_.T, strict=True))
    ]


def label_codes(column, labels):
    """Values with a label by themselves, the rarer ones as one, and missing ones."""
    counts = Counter(value for value in column if value == value)
    rare = [n for value, n in counts.items() if value not in labels]
    assert min(counts[label] for label in labels) >= max(rare, default=0)
    return [None if value != value else value if value in labels else "rare" for value in column]


def used(model):
    """The name of the measure that a fit has used."""
    return model.fitted_.table.measure.measure.name


def relevance(model, features, drawn):
    shared = naive.TWINS[used(model)][1]
    if drawn.kind != problems.SEVERAL:
        return np.array([shared(f, drawn.y.tolist()) for f in features])
    if used(model) == "rank":
        return np.array([naive.rank_of_targets(f, targets_of(drawn)) for f in features])
    return np.mean([[shared(f, target) for f in features] for target in targets_of(drawn)], axis=0)


def targets_of(drawn):
    return [plain_target(column.tolist()) for column in drawn.y.T]


def is_quantity(target):
    return any(isinstance(value, float) for value in target)


def plain_target(values):
    """Values of one of several targets; floats that are classes as integers, for others are a quantity."""
    whole = all(not isinstance(value, str) and value == int(value) for value in values)
    return [int(value) for value in values] if whole else values


def redundancy(model, features):
    return np.array(naive.matrix(naive.TWINS[used(model)][0], features, features))


def check_greedy(order, values, varying):
    """Each feature taken is as good as any that could have been; of exactly equal ones the first."""
    taken = []
    for feature in order.tolist():
        value = values(taken)
        left = [j for j in varying.tolist() if j not in taken]
        assert value[feature] >= max(value[j] for j in left) - NEAR
        taken.append(feature)


def mrmr_values(model, s, Q, taken):
    if not taken:
        return s
    r = Q[:, taken].max(axis=1) if model.scheme == "nearest" else Q[:, taken].mean(axis=1)
    return s / np.maximum(r, 1e-12) if model.scheme == "quotient" else s - r


def check_program(model, s, Q, features):
    """The weights are on the simplex of some features, and no step downhill is left there."""
    a = model.scores_[features]
    assert a.min() >= 0
    assert abs(a.sum() - 1) < NEAR
    some = np.ix_(features, features)
    scale = max(1.0, np.abs(Q[some]).max())
    assert program.gap(Q[some], s[features], model.theta_, a) < 1e-7 * scale
    assert abs(program.objective(Q[some], s[features], model.theta_, a) - model.objective_) < 1e-7 * scale


def check_clusters(model):
    """Whoever stands for a cluster is in it; weight is given to nobody else."""
    labels, chosen = model.labels_, model.representatives_
    assert labels[chosen].tolist() == list(range(len(chosen)))
    assert set(labels.tolist()) <= {-1, *range(len(chosen))}
    assert set(np.flatnonzero(model.scores_).tolist()) <= set(chosen.tolist())
