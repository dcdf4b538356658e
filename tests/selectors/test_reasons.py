"""Why features were left out is said in the terms of each method, and true of it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import MinMaxScaler
from tests.conftest import FOLDER
from tests.naive import selectors as naive
from tests.report.selections import SELECTORS, fitted_to_wdbc, named, wdbc

from qpfs import (
    CMIM,
    FGM,
    GDM,
    IKMAQPFS,
    JMI,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    AsCodes,
    FeatureKMeans,
    MaxRel,
    NystromQPFS,
    TwoLevelSelector,
)
from qpfs.information import table as feature_table
from qpfs.report import selection_record
from qpfs.selectors import reasons
from qpfs.selectors.reasons import reasons_of

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X["always one"] = 1.0
NAMES = list(X.columns)


@pytest.fixture(autouse=True)
def chance_is_not_looked_at(monkeypatch):
    """So that the reason of the method itself is said of every feature."""
    monkeypatch.setattr(reasons, "CHANCE", np.inf)


def texts_of(fitted, names=NAMES):
    return reasons_of(fitted).texts(np.arange(fitted.n_features_in_), names)


def matrix_of(fitted):
    """Q, and the share of the larger of two features that they have in common."""
    Q = fitted.fitted_.table.rows(np.arange(fitted.n_features_in_))
    larger = np.maximum.outer(np.diag(Q), np.diag(Q))
    return Q, np.divide(Q, larger, out=np.zeros_like(Q), where=larger > 0)


def shared_words(fitted, i, pull, both=True):
    """With whom a feature shares what lowers its worth: the strongest pull, and one half as strong."""
    Q, share = matrix_of(fitted)
    order = sorted((j for j in range(len(Q)) if pull[j] * Q[i, j] > 0), key=lambda j: -pull[j] * Q[i, j])
    first, *rest = order
    words = f"partly repeats {NAMES[first]} ({100 * share[i, first]:.0f} % shared)"
    if both and rest and pull[rest[0]] * Q[i, rest[0]] >= 0.5 * pull[first] * Q[i, first]:
        words += f" and {NAMES[rest[0]]} ({100 * share[i, rest[0]]:.0f} %)"
    return words


def outweighed(fitted, i, worth, needed, pull, both=True, end=None, last=""):
    """The reason of a feature that was weighed and found too light."""
    s, (_, share) = fitted.relevance_, matrix_of(fitted)
    chosen = np.flatnonzero(fitted.support_)
    nearest = chosen[np.argmax(share[i, chosen])]
    if end is None and s[i] <= needed:
        return f"relevance {s[i]:.3g}; a feature that repeats nothing needs more than {needed:.3g}{last}"
    if share[i, nearest] >= 1 - fitted.fitted_.table.measure.measure.radius:
        return f"repeats {NAMES[nearest]} ({100 * share[i, nearest]:.0f} % shared)"
    said = f"relevance {s[i]:.3g} minus {s[i] - worth[i]:.3g} for redundancy is {worth[i]:.3g}"
    end = end or f"{said}, and more than {needed:.3g} is needed{last}"
    return f"{shared_words(fitted, i, pull, both)}: {end}"


PROGRAMS = [
    QPFS(4),
    QPFS(),
    QPFS(20),
    QPFS(3, theta=0.8),
    QPFS(3, theta=1.0),
    QPFS(5, measure="mi"),
    QPFS(5, measure="correlation"),
    QPFS(5, measure="chi2", order="weight"),
    QPFSCV(param_grid={"theta": [0.3]}, n_features=[4], cv=2),
]


@pytest.mark.parametrize("selector", PROGRAMS, ids=lambda one: f"{named(one)} {one.get_params()}"[:60])
def test_what_the_program_has_against_a_feature(selector):
    table = X.drop(columns="always one") if named(selector) == "QPFSCV" else X
    fitted = selector.fit(table, Y)
    (Q, share), alpha, theta = matrix_of(fitted), fitted.scores_, fitted.theta_
    pull = (1 - theta) / theta * alpha
    worth = fitted.relevance_ - Q @ pull
    needed = worth @ alpha  # all with weight have the same
    np.testing.assert_allclose(worth[alpha > 0], needed, atol=1e-6)
    assert (worth[fitted.order_] <= needed + 1e-6).all()
    chosen, found = np.flatnonzero(fitted.support_), texts_of(fitted)
    last = fitted.order_[len(chosen) - 1]
    filled = alpha[last] == 0  # more were asked for than have weight: the last of them decides
    words = f", the value of {NAMES[last]}, the last selected" if filled else ""
    needed = worth[last] if filled else needed
    for i in range(table.shape[1]):
        if not fitted.support_[i] and alpha[i] == 0 and NAMES[i] != "always one":
            assert worth[i] <= needed + 1e-6
        if fitted.support_[i]:
            expected = (
                "selected" if alpha[i] else f"selected without weight, since {len(chosen)} were asked for"
            )
        elif NAMES[i] == "always one":
            expected = "constant"
        elif alpha[i] > 0:
            expected = f"ranked below the {len(chosen)} selected"
            nearest = chosen[np.argmax(share[i, chosen])]
            if share[i, nearest] >= 1 - fitted.fitted_.table.measure.measure.radius:
                expected += f" ({100 * share[i, nearest]:.0f} % shared with {NAMES[nearest]})"
        else:
            expected = outweighed(fitted, i, worth, needed, pull, last=words)
        assert found[i] == expected


@pytest.mark.parametrize(
    ("measure", "given", "words"),
    [
        ("rank", "given the covariates", "the squared partial correlation of their normal scores"),
        ("correlation", "given the covariates", "the absolute value of their partial correlation"),
        ("mi", "within strata of the covariates", "mutual information"),
    ],
)
def test_what_is_shared_is_said_to_be_given_the_covariates(measure, given, words):
    batch = np.arange(len(Y)) % 2
    fitted = QPFS(4, measure=measure).fit(X, Y, covariates=pd.DataFrame({"batch": batch.astype(str)}))
    shares = [text for text in texts_of(fitted) if "% shared" in text]
    assert shares
    assert all(re.search(rf"% shared {given}", text) for text in shares)
    record = selection_record(fitted)
    assert words in record["redundancy"]["shared"]
    for text in (record["redundancy"]["shared"], record["method"]["account"]["distance"]):
        assert given in text
    assert not any("covariates" in text for text in texts_of(QPFS(4, measure=measure).fit(X, Y)))


def test_without_relevance_what_is_shared_decides():
    fitted = QPFS(3, theta=0.0, measure="correlation").fit(X.iloc[:, :12], Y)
    (Q, _), alpha = matrix_of(fitted), fitted.scores_
    shared = Q @ alpha
    for i, text in enumerate(texts_of(fitted)):
        if "it shares" in text:
            mine, most = map(float, re.search(r"it shares (\S+) on .* less than (\S+) is", text).groups())
            assert mine == pytest.approx(shared[i], rel=0.01)
            assert most == pytest.approx(shared @ alpha, rel=0.01)
    assert any("it shares" in text or text.startswith("repeats") for text in texts_of(fitted))


SCHEMES = {
    "difference": (lambda s, r: s - r, np.mean),
    "quotient": (lambda s, r: s / max(r, 1e-12), np.mean),
    "nearest": (lambda s, r: s - r, max),
}


@pytest.mark.parametrize("n", [1, 2, 6, None])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_mrmr_has_against_a_feature(scheme, n):
    fitted = MRMR(n, scheme=scheme).fit(X, Y)
    (Q, _), s, taken = matrix_of(fitted), fitted.relevance_, fitted.order_.tolist()
    combine, how = SCHEMES[scheme]
    before = taken if n is None else taken[:-1]
    worth = np.array([combine(s[i], how([Q[i, j] for j in before])) if before else s[i] for i in range(31)])
    needed = {"quotient": 1.0}.get(scheme, 0.0) if n is None else fitted.scores_[taken[-1]]
    pull = np.zeros(31)
    pull[before] = 1.0
    for i, text in enumerate(texts_of(fitted)):
        if i in taken or NAMES[i] == "always one":
            assert text == ("selected" if i in taken else "constant")
            continue
        assert worth[i] <= needed
        end = None
        if scheme == "quotient" and before:
            shared = how([Q[i, j] for j in before])
            end = f"relevance {s[i]:.3g} divided by {shared:.3g} for redundancy is {worth[i]:.3g}"
            end = f"{end}, and more than {needed:.3g} is needed"
        assert text == outweighed(fitted, i, worth, needed, pull, scheme != "nearest", end)


@pytest.mark.parametrize("n", [1, 4, None])
@pytest.mark.parametrize("method", [JMI, CMIM])
def test_what_conditional_information_has_against_a_feature(method, n):
    rng = np.random.default_rng(0)
    codes = np.floor(rng.random((80, 7)) * 3)
    y = (codes[:, 0] + codes[:, 1] + rng.random(80) > 2).astype(int)
    fitted = method(n, discretizer=AsCodes()).fit(codes, y)
    columns, taken, names = [list(one) for one in codes.T], fitted.order_.tolist(), list("abcdefg")
    before = taken if n is None else taken[:-1]
    for i, text in enumerate(texts_of(fitted, names)):
        if i in taken:
            assert text == "selected"
            continue
        given = {j: naive.known(columns[i], list(y), columns[j]) for j in before}
        alone = naive.mutual_information(columns[i], list(y))
        known, worth, needed = re.fullmatch(
            r"information about the target (.*): (\S+), and more than (\S+) is needed", text
        ).groups()
        if method is CMIM:
            least = min([alone, *given.values()])
            assert float(worth) == pytest.approx(least, rel=0.01, abs=1e-9)
            if known == "on its own":
                assert least == pytest.approx(alone)
            else:
                other = names.index(re.fullmatch(r"given (.)", known).group(1))
                assert given[other] == pytest.approx(least, abs=1e-9)
        else:
            assert float(worth) == pytest.approx(np.mean([*given.values()] or [alone]), rel=0.01, abs=1e-9)
            assert known == ("given one of the selected features, on average" if before else "on its own")
        if n is None:
            assert float(worth) <= float(needed)
        else:
            assert float(needed) == pytest.approx(fitted.scores_[taken[-1]], rel=0.01)


def test_maxrel_looks_at_relevance_alone():
    fitted = MaxRel(5).fit(X, Y)
    last = fitted.relevance_[fitted.support_].min()
    for i, text in enumerate(texts_of(fitted)):
        if not fitted.support_[i] and NAMES[i] != "always one":
            assert text == f"relevance {fitted.relevance_[i]:.3g}; the last selected has {last:.3g}"


@pytest.mark.parametrize(
    "selector",
    [
        TLKMQPFS(4, n_clusters=12),
        IKMAQPFS(4, radius=0.3),
        TwoLevelSelector(FeatureKMeans(8), MRMR(), n_features_to_select=3),
        TwoLevelSelector(FeatureKMeans(8), f_classif, n_features_to_select=3),
        TwoLevelSelector(FeatureKMeans(8), NystromQPFS(sampling_rate=0.5), n_features_to_select=3),
    ],
    ids=named,
)
def test_members_belong_to_their_cluster(selector):
    fitted = selector.fit(X, Y)
    _, share = matrix_of(fitted)
    for i, text in enumerate(texts_of(fitted)):
        if fitted.labels_[i] < 0 or fitted.support_[i]:
            continue
        other = int(fitted.representatives_[fitted.labels_[i]])
        if other == i:
            assert "cluster" not in text
            continue
        expected = f"belongs to the cluster of {NAMES[other]} ({100 * share[i, other]:.0f} % shared)"
        assert text == expected + ("" if fitted.support_[other] else ", which is not selected")


def test_what_became_of_those_discarded():
    fitted = IKMAQPFS(4, radius=0.3, n_first=6).fit(X, Y)
    (Q, _), s, theta = matrix_of(fitted), fitted.relevance_, fitted.theta_
    pull = (1 - theta) / theta * fitted.scores_
    worth = s - Q @ pull
    needed, found = worth @ fitted.scores_, texts_of(fitted)
    gone = [i for i in range(30) if fitted.labels_[i] < 0]
    assert gone
    with_whom = {
        int(i): int(one.representatives[label])
        for one in fitted.rounds_
        for i, label in zip(one.members, one.labels, strict=True)
        if one.fates[label] == "discarded"
    }
    for i in gone:
        if worth[i] <= needed:
            assert found[i] == outweighed(fitted, i, worth, needed, pull)
        else:
            whose = "" if with_whom[i] == i else f", that of {NAMES[with_whom[i]]},"
            assert found[i] == f"its cluster{whose} was discarded"


def test_linear_machines():
    scaled = MinMaxScaler((-1, 1)).set_output(transform="pandas").fit_transform(X)
    scaled["turned"] = -scaled["worst radius"]
    fitted = GDM(3, max_correlation=0.8).fit(scaled, Y)
    found = texts_of(fitted, list(scaled.columns))
    behind = {
        one.feature: (f, one.correlation) for f, some in fitted.affiliated_features_.items() for one in some
    }
    assert any(correlation < 0 for _, correlation in behind.values())
    for i, (support, correlation) in behind.items():
        size = f"(absolute correlation {abs(correlation):.2f})"
        assert found[i] == f"belongs to the group of {scaled.columns[support]} {size}"
    plain = FGM(3).fit(scaled, Y)
    for i, text in enumerate(texts_of(plain, list(scaled.columns))):
        if plain.scores_[i] == 0 and i in plain.order_ and not plain.support_[i]:
            assert text == "no weight in the linear model"


@pytest.mark.parametrize(
    "selector", [QPFS(4), MRMR(4), JMI(4), MaxRel(4), IKMAQPFS(4, radius=0.3)], ids=named
)
def test_chance_is_named_where_it_is_known(selector, monkeypatch):
    fitted = selector.fit(X, Y)
    before = texts_of(fitted)
    monkeypatch.setattr(reasons, "CHANCE", 0.05)
    fitted.qvalues_ = np.where(fitted.relevance_ < 0.1, 0.3, 0.01)
    for i, (text, plain) in enumerate(zip(texts_of(fitted), before, strict=True)):
        kept = plain.startswith(("selected", "constant", "repeats", "belongs"))
        chance = "no more relevant than chance (q = 0.3)"
        assert text == (plain if kept or fitted.qvalues_[i] < 0.05 else chance)


def test_a_copy_of_a_selected_feature_repeats_it():
    table = X.assign(copy=X["worst area"])
    found = dict(zip(table.columns, texts_of(QPFS(4).fit(table, Y), list(table.columns)), strict=True))
    assert {found["worst area"], found["copy"]} == {"selected", "repeats worst area (100 % shared)"}


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_every_feature_has_a_reason_and_every_reason_is_counted(selector):
    table, _ = wdbc()
    fitted = fitted_to_wdbc(selector)
    found = reasons_of(fitted)
    said = found.texts(np.arange(31), list(table.columns))
    assert all(said)
    assert [text.startswith("selected") for text in said] == fitted.support_.tolist()
    assert said[-1] == "constant"
    left = np.flatnonzero(~fitted.support_)
    counts = found.counts(left)
    assert sum(counts.values()) == len(left)
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    assert not {"not selected", "not ranked"} & set(said)


def test_rows_of_q_are_read_a_few_at_a_time(monkeypatch):
    fitted = QPFS(6).fit(X, Y)
    expected = texts_of(fitted)
    monkeypatch.setattr(feature_table, "ROW_BYTES", 8 * 31 * 2)
    assert texts_of(fitted) == expected


def test_few_are_compared_where_many_are_selected(monkeypatch):
    monkeypatch.setattr(reasons, "COMPARED", 1)
    fitted = QPFS().fit(X, Y)
    heaviest = NAMES[int(np.argmax(fitted.scores_))]
    for text in texts_of(fitted):
        if text.startswith("partly"):
            assert text.startswith(f"partly repeats {heaviest} (")


@pytest.mark.data
def test_a_gene_that_is_not_selected_names_the_gene_it_repeats(benchmark_data):
    table, y = benchmark_data("leukemia")
    with np.load(FOLDER / "leukemia.npz") as arrays:
        names = [str(name) for name in arrays["feature_names"]]
    fitted = QPFS(20).fit(pd.DataFrame(table, columns=names), y)
    found = reasons_of(fitted).texts(np.array([names.index("M11147_at")]), names)
    assert found[0].startswith(
        "partly repeats M27891_at (33 % shared) and X95735_at (37 %): relevance 0.334 minus"
    )
