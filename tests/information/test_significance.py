"""p values against the tests of SciPy, all arrangements of small tables, and chance itself."""

from __future__ import annotations

import pickle
from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy import sparse, stats
from tests.pairs import in_turn

from qpfs import QPFS, ChanceWarning, EqualFrequency, FeatureKMeans, MaxRel, TwoLevelSelector
from qpfs.codes.target import Target, target_of
from qpfs.information import CountMeasure, FeatureTable, Shuffles
from qpfs.information.significance import count_reached, discovery_rates

MEASURES = ("rank", "mi", "chi2", "correlation")
RULE = EqualFrequency(5)


@pytest.fixture(scope="module", autouse=True)
def fewer_shuffles():
    """Not here, where shuffles are what is tested."""


def normal_scores(x):
    return stats.norm.ppf(stats.rankdata(x) / (len(x) + 1))


def bins(x):
    return np.searchsorted(np.quantile(x, [1 / 3, 2 / 3]), x)


def table(n_samples, n_features, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % n_classes)
    return rng.normal(size=(n_samples, n_features)) + 0.2 * y[:, None] * (np.arange(n_features) < 3), y


@pytest.mark.parametrize("n_classes", [2, 4])
def test_rank_is_the_analysis_of_variance_of_normal_scores(n_classes):
    X, y = table(200, 12, n_classes)
    found = MaxRel(measure="rank").fit(X, y).pvalues_
    groups = [[normal_scores(x)[y == c] for c in range(n_classes)] for x in X.T]
    np.testing.assert_allclose(found, [stats.f_oneway(*one).pvalue for one in groups], rtol=0.01)


def test_rank_of_a_quantity_is_the_correlation_test_of_normal_scores():
    X, _ = table(150, 10, 2)
    y = X[:, 0] + np.random.default_rng(5).normal(size=150)
    found = MaxRel(measure="rank").fit(X, y).pvalues_
    expected = [stats.pearsonr(normal_scores(x), normal_scores(y)).pvalue for x in X.T]
    np.testing.assert_allclose(found, expected, rtol=0.01)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_chi_square_is_that_of_a_contingency_table(n_classes):
    X, y = table(300, 12, n_classes)
    found = MaxRel(measure="chi2").fit(X, y).pvalues_
    tables = [stats.contingency.crosstab(bins(x), y).count for x in X.T]
    each = [stats.chi2_contingency(one, correction=False) for one in tables]
    expected = [stats.chi2.sf(one.statistic * 299 / 300, one.dof) for one in each]  # the mean of permutations
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mutual_information_is_the_g_test(n_classes):
    X, y = table(300, 12, n_classes)
    found = MaxRel(measure="mi").fit(X, y).pvalues_
    for p, x in zip(found, X.T, strict=True):
        counts = stats.contingency.crosstab(bins(x), y).count
        g = stats.chi2_contingency(counts, correction=False, lambda_="log-likelihood")
        rows, columns = (300 * (1 / counts.sum(axis=axis)).sum() - 1 for axis in (0, 1))
        williams = 1 + rows * columns / (6 * 300 * g.dof)
        assert p == pytest.approx(stats.chi2.sf(g.statistic / williams, g.dof), rel=1e-9)


def test_correlation_is_the_t_test():
    X, y = table(120, 12, 2)
    found = MaxRel(measure="correlation").fit(X, y).pvalues_
    expected = [stats.ttest_ind(x[y == 0], x[y == 1]).pvalue for x in X.T]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@in_turn(
    measure={one: one for one in MEASURES},
    values={one: one for one in ("numbers", "ties", "two values")},
)
def test_small_tables_are_counted_over_all_arrangements(measure, values):
    rng = np.random.default_rng(3)
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    X = rng.normal(size=(8, 6)) + y[:, None] * [0, 0, 0, 1, 2, 3]
    X = {"numbers": X, "ties": np.round(X), "two values": (X > 0.7) * 1.0}[values]
    selector = MaxRel(measure=measure)
    relevance = selector.fit(X, y).relevance_
    arrangements = sorted(set(permutations(y.tolist())))
    every = np.array([selector.fit(X, np.array(one)).relevance_ for one in arrangements])
    exact = (every >= relevance * (1 - 1e-12)).mean(axis=0)
    found = selector.fit(X, y).pvalues_
    assert len(arrangements) == round(1 / selector.fitted_.significance.shuffles.least)
    assert selector.fitted_.significance.n_shuffled == len(selector.fitted_.table.varying)
    error = 4 * np.sqrt(exact * (1 - exact) / 9999) + 2 / 9999
    np.testing.assert_array_less(np.abs(found - exact), error + 1e-12)


@pytest.mark.parametrize("n_samples", [20, 60, 500])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    "kind", ["numbers", "ties", "two values", "many classes", "a quantity", "few of a class"]
)
def test_chance_is_told_as_chance(measure, kind, n_samples):
    """Uniform where values hardly tie; nowhere more often small than it may be."""
    rng = np.random.default_rng([n_samples, len(kind)])
    X = rng.normal(size=(n_samples, 400))
    y = rng.permutation(np.arange(n_samples) % {"many classes": 5}.get(kind, 2))
    if kind == "a quantity":
        y = rng.normal(size=n_samples)
    elif kind == "few of a class":
        y = rng.permutation(np.arange(n_samples) < 5) * 1
    elif kind == "ties":
        X = np.round(np.maximum(X, 0))
    elif kind == "two values":
        X = (X > 0.8) * 1.0
    fitted = MaxRel(measure=measure).fit(X, y)
    p = fitted.pvalues_[fitted.fitted_.table.varying]
    for level in (0.01, 0.05, 0.2, 0.5):
        allowed = level + 4 * np.sqrt(level * (1 - level) / len(p))
        assert (p <= level).mean() <= allowed, level
    if kind in ("numbers", "a quantity", "many classes") and measure in ("rank", "correlation"):
        assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_q_values_are_those_of_benjamini_and_hochberg():
    p = np.random.default_rng(0).beta(0.4, 1, size=300)
    varying = np.arange(10, 300)
    found = discovery_rates(p, varying)
    np.testing.assert_allclose(found[varying], stats.false_discovery_control(p[varying]), rtol=1e-12)
    np.testing.assert_array_equal(found[:10], p[:10])


def test_shuffles_that_reach_as_much_are_counted():
    """Columns of many ties, compared with one number and with many, some of them beyond all of a column."""
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 30, (5, 200)) / 7.0
    bounds = np.cumsum([0, 1, 2, 3, 40, 300])
    least = rng.integers(-2, 33, 346) / 7.0
    for first, last in pairwise(bounds):
        least[first:last].sort()
    reached, edges, at_edge = np.zeros(346, np.intp), np.empty(5), np.empty(5, np.intp)
    count_reached(columns, least, bounds, 20, reached, edges, at_edge)
    owner = np.repeat(np.arange(5), np.diff(bounds))
    np.testing.assert_array_equal(reached, (columns[owner] >= least[:, None]).sum(axis=1))
    np.testing.assert_array_equal(edges, np.sort(columns, axis=1)[:, -20])
    np.testing.assert_array_equal(at_edge, (columns >= edges[:, None]).sum(axis=1))


@pytest.mark.parametrize("fdr", [0.05, 0.2])
@pytest.mark.parametrize("measure", ["rank", "mi"])
def test_the_false_discovery_rate_is_held(measure, fdr):
    wrong = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(60) % 2)
        X = rng.normal(size=(60, 200)) + 1.2 * y[:, None] * (np.arange(200) < 20)
        chosen = np.flatnonzero(MaxRel(measure=measure, fdr=fdr).fit(X, y).support_)
        wrong.append((chosen >= 20).mean() if len(chosen) else 0.0)
    assert np.mean(wrong) <= fdr * 0.9 + 2 * np.std(wrong) / np.sqrt(len(wrong))


def test_familywise_values_are_those_of_the_largest_of_all_features():
    X, y = table(60, 50, 2, seed=1)
    X[:, 0] += 2 * y
    fitted = MaxRel(n_permutations=299, measure="rank").fit(X, y)
    target = fitted.fitted_.target
    orders = np.concatenate(list(Shuffles(target).orders(299)))
    every = np.array([fitted.fitted_.table.relevance(target.reordered(one)) for one in orders])
    most = every.max(axis=1)
    expected = (1 + (most[:, None] >= fitted.relevance_).sum(axis=0)) / 300
    np.testing.assert_array_equal(fitted.familywise_pvalues_, expected)
    np.testing.assert_array_equal(fitted.chance_, np.sort(most)[int(np.ceil(0.95 * 299)) - 1])
    assert fitted.relevance_[0] > fitted.chance_[0]


KEPT = {
    "dense": {},
    "weights": {"sample_weight": np.arange(80) % 3 + 1},
    "strata": {"covariates": {"site": np.array(list("ab") * 40)}},
    "groups": {"groups": np.arange(80) // 2},
    "sparse": {"X": sparse.random(80, 300, 0.2, format="csc", random_state=0)},
}


@pytest.mark.parametrize("given", KEPT.values(), ids=KEPT)
@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_of_shuffles_is_kept_with_the_table(measure, given):
    """Features as pivots have another layout, which would be a second copy of all planes."""
    X, y = table(80, 300, 2)

    def sizes(n_permutations, **given):
        fitted = MaxRel(measure=measure, n_permutations=n_permutations).fit(y=y, **{"X": X, **given})
        arrays = [one for block in fitted.fitted_.table.store.blocks for one in vars(block).values()]
        held = sum(one.nbytes for one in arrays if isinstance(one, np.ndarray))
        return np.array([held, len(pickle.dumps(fitted.fitted_.table))])

    plain = {
        name: value for name, value in given.items() if name != "groups"
    }  # by them p values are shuffled
    assert (sizes(50, **given) <= sizes(0, **plain)).all()


def test_features_with_more_levels_do_not_hide_those_with_fewer():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(90) % 2)
    few = (rng.random((90, 20)) < 0.5) * 1.0
    few[:, 0] = np.where(rng.random(90) < 0.85, y, 1 - y)
    many = rng.integers(0, 9, size=(90, 20)).astype(float)
    from qpfs import AsCodes

    fitted = MaxRel(measure="mi", discretizer=AsCodes(9), n_permutations=199).fit(np.hstack([few, many]), y)
    assert fitted.familywise_pvalues_[0] == 1 / 200
    assert (fitted.familywise_pvalues_[20:] > 0.05).all()
    assert fitted.chance_[20] > fitted.chance_[0]


class Agreement(CountMeasure):
    """A measure made of counts of which no test is known."""

    name = "agreement"
    convex = True
    words = MaxRel().fit([[0, 1], [1, 0], [0, 0], [1, 1]], [0, 1, 0, 1]).fitted_.table.measure.measure.words

    def tables(self, n_samples):
        from qpfs.information import ChiSquare

        return ChiSquare().tables(n_samples)


def test_a_measure_that_is_no_test_is_shuffled():
    X, y = table(80, 30, 2)
    X[:, 0] += 3 * y
    found = MaxRel(measure=Agreement()).fit(X, y)
    same = MaxRel(measure="chi2").fit(X, y)
    assert found.fitted_.significance.n_shuffled == 30
    np.testing.assert_array_equal(found.pvalues_[1:], same.pvalues_[1:])
    assert found.pvalues_[0] == 1 / 10_000


def test_shuffled_features_that_tie_alike_share_their_shuffles(monkeypatch):
    asked = []
    shuffled = FeatureTable.shuffled
    monkeypatch.setattr(
        FeatureTable, "shuffled", lambda self, *rest: asked.append(self.n_features) or shuffled(self, *rest)
    )
    X, y = table(20, 500, 2)
    MaxRel(measure="rank").fit(X, y)
    assert asked == [1]


class TestShuffles:
    def arrangements(self, shuffles, n=2000):
        orders = np.concatenate(list(shuffles.orders(n)))
        return {tuple(shuffles.target.values[one].tolist()) for one in orders}

    def test_every_arrangement_comes_up(self):
        y = target_of([0, 0, 1, 1, 2], RULE)
        found = self.arrangements(Shuffles(y))
        assert found == set(permutations([0, 0, 1, 1, 2]))
        assert Shuffles(y).least == pytest.approx(1 / len(found))

    def test_groups_exchange_their_values_as_a_whole(self):
        groups = np.array([0, 0, 1, 2, 2, 2, 3])
        y = target_of([0, 0, 1, 0, 0, 0, 1], RULE)
        shuffles = Shuffles(y, groups)
        found = self.arrangements(shuffles)
        assert shuffles.whole
        assert all(len({row[i] for i in np.flatnonzero(groups == g)}) == 1 for row in found for g in range(4))
        assert len(found) == 6 == round(1 / shuffles.least)

    def test_a_target_that_differs_within_groups_is_exchanged_there(self):
        groups = np.array([0, 0, 0, 1, 1, 1])
        y = target_of([0, 1, 1, 0, 0, 1], RULE)
        found = self.arrangements(Shuffles(y, groups))
        assert len(found) == 9 == round(1 / Shuffles(y, groups).least)
        assert all((sum(row[:3]), sum(row[3:])) == (2, 1) for row in found)

    def test_strata_are_kept_apart(self):
        y = target_of([0, 1, 1, 1], RULE)
        found = self.arrangements(Shuffles(y, strata=np.array([0, 0, 1, 1])))
        assert found == {(0, 1, 1, 1), (1, 0, 1, 1)}

    def test_the_same_each_time(self):
        shuffles = Shuffles(Target(np.arange(2).repeat(5), np.arange(2)))
        first, again = (np.concatenate(list(shuffles.orders(7))) for _ in range(2))
        np.testing.assert_array_equal(first, again)


def test_copies_of_samples_are_no_evidence_where_groups_say_so():
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(12, 40)), 10, axis=0), np.repeat(np.arange(12) % 2, 10)
    selector = MaxRel(measure="correlation")
    assert (selector.fit(X, y).qvalues_ <= 0.05).sum() > 5
    grouped = selector.fit(X, y, groups=np.repeat(np.arange(12), 10)).pvalues_
    assert selector.qvalues_.min() > 0.05
    alone = selector.fit(X[::10], y[::10]).pvalues_
    np.testing.assert_allclose(grouped, alone, atol=0.05)


@pytest.mark.parametrize("groups", [np.arange(60), np.zeros(60)])
def test_groups_that_keep_nothing_together_change_nothing(groups):
    X, y = table(60, 20, 2)
    found, without = MaxRel().fit(X, y, groups=groups), MaxRel().fit(X, y)
    np.testing.assert_array_equal(found.pvalues_, without.pvalues_)


@pytest.mark.parametrize("measure", MEASURES)
def test_one_sample_of_a_class_is_hardly_evidence(measure):
    """Any of 60 samples could be the one: nothing is less probable, whatever the numbers are."""
    X = np.random.default_rng(0).standard_cauchy(size=(60, 30))
    X[7, 0] = 1e6
    assert MaxRel(measure=measure).fit(X, np.arange(60) == 7).pvalues_.min() >= 1 / 60 - 1e-12


def test_many_classes_are_shuffled_some_orders_at_a_time(monkeypatch):
    X, y = table(60, 5, 12)
    expected = MaxRel().fit(X, y).pvalues_
    monkeypatch.setattr("qpfs.information.measures.rank.CELLS", 7 * 60 * 11)
    np.testing.assert_array_equal(MaxRel().fit(X, y).pvalues_, expected)


def test_groups_of_other_samples_are_refused():
    X, y = table(20, 3, 2)
    with pytest.raises(ValueError, match=r"groups has the shape \(19,\), but there are 20 samples"):
        MaxRel().fit(X, y, groups=np.zeros(19))


@pytest.mark.parametrize("n_permutations", [0, 1])
def test_few_features_beat_chance_among_many_where_samples_are_grouped(n_permutations):
    """A p value that shuffles count is one in 2,000 at best: too coarse for the best 2 of 4,000 features."""
    rng = np.random.default_rng(0)
    groups, y = np.repeat(np.arange(30), 2), np.repeat(np.arange(30) % 2, 2)
    X = rng.normal(size=(30, 4000))[groups] + 0.3 * rng.normal(size=(60, 4000))
    X[:, :2] += 4 * y[:, None]
    fitted = MaxRel(n_permutations=n_permutations).fit(X, y, groups=groups)
    assert fitted.qvalues_[:2].max() <= 0.001
    assert fitted.qvalues_[2:].min() > 0.05
    alone = MaxRel().fit(X[::2] + X[1::2], y[::2]).pvalues_  # one sample of each group
    ratio = np.log(fitted.pvalues_[:2]) / np.log(alone[:2])
    np.testing.assert_allclose(ratio, 1, atol=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["rank", "mi"])
@pytest.mark.parametrize("whole", [True, False])
def test_the_tail_of_grouped_samples_is_that_of_chance(measure, whole):
    """Beyond what the shuffles reach, too: of 40,000 features 4 have a p value below 0.0001."""
    small = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(30), 2)
        y = np.repeat(rng.permutation(np.arange(30) % 2), 2) if whole else np.tile([0, 1], 30)
        X = rng.normal(size=(30, 4000))[groups] + 0.3 * rng.normal(size=(60, 4000))
        p = MaxRel(measure=measure).fit(X, y, groups=groups).pvalues_
        assert (p < 0.05).mean() <= 0.06
        small += int((p < 1e-4).sum())
    assert small <= 4 + 4 * np.sqrt(4)


@pytest.mark.filterwarnings("default")
def test_it_is_said_that_nothing_beats_chance():
    X, y = table(40, 200, 2)
    y = np.random.default_rng(1).permutation(y)
    with pytest.warns(ChanceWarning, match="No feature is more relevant than chance: .* best of 200"):
        QPFS(5).fit(X, y)


@pytest.mark.filterwarnings("default")
def test_four_groups_cannot_beat_chance():
    X, _ = table(40, 5, 2)
    groups = np.repeat(np.arange(4), 10)
    X[:, 0] += 9 * (groups % 2)
    with pytest.warns(
        ChanceWarning, match=r"but none could be: with 4 groups the target can be arranged in 6 ways only"
    ):
        MaxRel().fit(X, groups % 2, groups=groups)


@pytest.mark.filterwarnings("default", "ignore:The covariates determine the target")
def test_classes_that_a_covariate_determines_cannot_be_shuffled():
    X, _ = table(40, 5, 2)
    y = np.arange(40) // 20
    with pytest.warns(ChanceWarning, match=r"with 40 samples the target can be arranged in 1 way only"):
        MaxRel(measure="mi").fit(X, y, covariates={"site": np.where(y == 1, "a", "b")})


def test_what_beats_chance_is_not_warned_of(recwarn):
    X, y = table(80, 20, 2)
    X[:, 0] += 3 * y
    MaxRel().fit(X, y)
    assert not [one for one in recwarn if issubclass(one.category, ChanceWarning)]


def test_features_above_the_rate_are_left_out_before_anything_is_weighed():
    X, y = table(60, 40, 2)
    X[:, :4] += 2.0 * y[:, None]
    fitted = QPFS(fdr=0.05).fit(X, y)
    discoveries = np.flatnonzero(fitted.qvalues_ <= 0.05)
    assert set(fitted.order_) == set(discoveries)
    alone = QPFS(theta=fitted.theta_).fit(X[:, discoveries], y)
    np.testing.assert_allclose(fitted.scores_[discoveries], alone.scores_, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "selector", [QPFS(fdr=0.05), MaxRel(fdr=0.05), TwoLevelSelector(FeatureKMeans(2), fdr=0.05)]
)
def test_nothing_may_be_left(selector):
    X, y = table(30, 20, 2)
    fitted = selector.fit(X, np.random.default_rng(1).permutation(y))
    assert len(fitted.order_) == 0 == fitted.support_.sum()
    assert fitted.transform(X).shape == (30, 0)
    record = fitted.report().record
    assert record["n_selected"] == 0
    assert record["left_out"]["reasons"] == [{"reason": "above the false discovery rate", "n": 20}]


@pytest.mark.parametrize(
    ("name", "value"),
    [("fdr", 0), ("fdr", 1.5), ("fdr", "x"), ("n_permutations", -1), ("n_permutations", 2.5)],
)
def test_parameters_that_make_no_sense_are_refused(name, value):
    X, y = table(20, 3, 2)
    with pytest.raises(ValueError, match=name):
        MaxRel(**{name: value}).fit(X, y)


def product(a, b):
    return abs(float(np.corrcoef(a, b)[0, 1]))


def test_a_function_has_no_p_values_unless_the_target_is_shuffled():
    X, y = table(20, 4, 2)
    assert np.isnan(MaxRel(measure=product).fit(X, y).pvalues_).all()
    with pytest.raises(ValueError, match="n_permutations"):
        MaxRel(measure=product, fdr=0.05).fit(X, y)
    with pytest.raises(ValueError, match="at least 19"):
        MaxRel(measure=product, fdr=0.05, n_permutations=1).fit(X, y)
    found = MaxRel(measure=product, n_permutations=99).fit(X, y)
    like = MaxRel(measure="correlation").fit(X, y)
    np.testing.assert_allclose(found.pvalues_, like.pvalues_, atol=0.15)


@pytest.mark.filterwarnings("error::qpfs.ChanceWarning")
def test_few_permutations_of_a_function_do_not_hide_a_feature():
    """Of 20 features the q value of one is 0.4 at best, by 49 permutations; family-wise it is 0.02."""
    X, y = table(20, 20, 2)
    X[:, 0] += 9 * y
    fitted = MaxRel(measure=product, n_permutations=49).fit(X, y)
    assert fitted.familywise_pvalues_[0] == 0.02 < 0.05 < fitted.qvalues_[0]
    MaxRel(measure=product, n_permutations=1).fit(X, y)  # nothing can be known
