"""Methods of other packages: for classes and quantities, with gaps, labels, constant and sparse columns."""

from __future__ import annotations

import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.conftest import latent_factors

from qpfs import QPFS, QPFSCV, MaxRel
from qpfs.evaluation import compare, error_curve, resampled, rivals
from qpfs.evaluation.rivals import MODELS, PACKAGES, Rival
from qpfs.methods import METHODS, RIVALS

QUICK = {"forest": {"n_estimators": 20}, "boruta": {"max_iter": 3}, "relief": {"n_neighbors": 5}}


def quick(name):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"{name} is made by the package {PACKAGES[name]}")
    return Rival(name, QUICK.get(name))


def test_completion_shows_the_methods_only():
    assert dir(rivals) == sorted(rivals.__all__)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_record_has_the_version_of_its_package(name):
    X, y = latent_factors(40, 6)
    record = compare({"it": quick(name), "other": MaxRel()}, X, y, cv=2, sizes=[2]).record
    assert record["versions"][PACKAGES[name]] == version(PACKAGES[name])
    assert PACKAGES[name] not in compare([MaxRel()], X, y, cv=2, sizes=[2]).record["versions"]


def planted(n=60):
    """The target is told by column 3, and by the colours; one column is constant, and a number missing."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = pd.DataFrame(rng.normal(size=(n, 8)), columns=list("abcdefgh"))
    X["d"] += 3 * y
    X["colour"] = np.where((y + (rng.random(n) < 0.1)) % 2, "red", "blue")
    X["constant"] = 1.0
    X.iloc[4, 2] = np.nan
    return X, y


@pytest.mark.parametrize("name", MODELS)
def test_tables_of_all_kinds(name):
    X, y = planted()
    order = quick(name).fit(X, y).order_
    assert set(order[:2].tolist()) == {3, 8}
    assert 9 not in order
    assert len(set(order.tolist())) == len(order)
    words = np.where(y == 1, "yes", "no")
    assert quick(name).fit(X, words).order_.tolist() == order.tolist()
    counts = sparse.csr_array(np.abs(np.round(X.iloc[:, [0, 1, 3]].to_numpy())))
    assert quick(name).fit(counts, y).order_[0] == 2
    quantity = X["d"] ** 3 + 0.1 * X["a"]
    assert quick(name).fit(X.drop(columns="colour"), quantity).order_[0] == 3
    assert resampled(quick(name), X, y, n=2, size=2).frequencies[3] == 1


def test_the_f_test_is_that_of_scikit_learn():
    X, y = latent_factors(50, 20)
    assert rivals.f_test().fit(X, y).order_.tolist() == np.argsort(-f_classif(X, y)[0]).tolist()
    y = X[:, 0] + X[:, 1] ** 2
    assert rivals.f_test().fit(X, y).order_.tolist() == np.argsort(-f_regression(X, y)[0]).tolist()


def test_rfe_takes_one_feature_at_a_time_once_there_are_few():
    X, y = latent_factors(40, 150)
    order = rivals.rfe().fit(X, y).order_
    assert len(order) == 100
    assert rivals.rfe().fit(X[:, :30], y).model_[-1].ranking_.max() == 30


def test_they_are_compared_with_ours():
    X, y = planted()
    found = compare({"f": rivals.f_test(), "l1": rivals.l1()}, X, y, cv=3, inner_cv=2, sizes=[1, 2])
    assert all(one["nested"]["score"] < 0.2 for one in found.record["methods"])
    quantity = np.round(20 * X["d"]).to_numpy()  # a part of the samples has few different values
    assert error_curve(rivals.f_test(), X, quantity, cv=2, sizes=[1]).mean[0] < 0.1


def test_the_command_knows_the_same():
    assert list(RIVALS) == list(MODELS)
    made = {
        one().name
        for one in (rivals.f_test, rivals.l1, rivals.rfe, rivals.forest, rivals.relief, rivals.boruta)
    }
    assert made == set(MODELS)


def test_a_package_that_is_missing_is_said_in_words(monkeypatch):
    monkeypatch.setitem(sys.modules, "boruta", None)
    with pytest.raises(ImportError, match=r"'boruta' needs the package boruta: pip install 'qpfs\[rivals\]'"):
        rivals.boruta().fit(*planted())


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (Rival("magic"), "must be one of f-test"),
        (Rival("rfe", {"k": 1}), "'k' is not a parameter of rfe; it has C"),
    ],
)
def test_what_there_is_not(made, words):
    with pytest.raises(ValueError, match=words):
        made.fit(*planted())


def test_rivals_in_a_list_have_their_own_names():
    X, y = planted()
    found = compare([rivals.f_test(), rivals.l1()], X, y, cv=2, sizes=[1])
    assert found.to_frame()["method"].tolist() == ["f-test", "l1", "all features"]
    assert [one["title"] for one in found.record["methods"]] == ["F test", "L1 linear model"]
    (one,) = compare(rivals.f_test(), X, y, cv=2, sizes=[1]).record["methods"]
    assert (one["name"], one["title"]) == ("f-test", "F test")
    found = compare([rivals.l1(), rivals.l1(2), ("mine", rivals.l1(3))], X, y, cv=2, sizes=[1]).record
    assert [one["name"] for one in found["methods"]] == ["l1-1", "l1-2", "mine"]
    assert [one["parameters"]["options"]["C"] for one in found["methods"]] == [1.0, 2, 3]


def test_several_of_one_class_are_numbered_and_pairs_are_named():
    X, y = planted()
    numbers = X[["a", "b", "d", "e"]]
    pipelines = [make_pipeline(StandardScaler(), SelectKBest(k=k)) for k in (1, 2)]
    found = compare([*pipelines, MaxRel()], numbers, y, cv=2, sizes=[1])
    assert found.to_frame()["method"].tolist()[:3] == ["Pipeline-1", "Pipeline-2", "MaxRel"]
    found = compare([("a", pipelines[0]), ("b", MaxRel()), ("c", "f-test")], numbers, y, cv=2, sizes=[1])
    assert found.to_frame()["method"].tolist()[:3] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (QPFS(theta=3), r"method='wrong': theta=3, but it must be"),
        (make_pipeline(StandardScaler(), QPFS(theta=3)), r"method='wrong': theta=3, but it must be"),
        (QPFSCV(param_grid={"theta": [0.5, 3]}), r"method='wrong': theta=3, but it must be"),
        (Rival("l1", {"c": 1}), r"method='wrong': 'c' is not a parameter of l1"),
    ],
)
def test_wrong_parameters_are_reported_before_any_fit(method, words):
    done = []
    with pytest.raises(ValueError, match=words):
        compare(
            {"right": MaxRel(), "wrong": method},
            *planted(),
            cv=2,
            sizes=[1],
            tick=lambda *one: done.append(one),
        )
    assert not done


def test_a_penalty_is_used_or_refused_for_a_quantity():
    X, _ = planted()
    numbers, y = X[["a", "b", "d", "e"]], np.random.default_rng(0).normal(size=len(X))
    said = "C=0.01, but the target is a quantity, for which l1 is the LASSO: it chooses its penalty"
    with pytest.raises(ValueError, match=said):
        rivals.l1(C=0.01).fit(numbers, y)
    done = []
    with pytest.raises(ValueError, match=f"method='l1': {said}"):
        compare([MaxRel(), rivals.l1(C=0.01)], numbers, y, tick=lambda *one: done.append(one))
    assert not done
    for C in (1.0, 0.01):
        fitted = rivals.rfe(C=C).fit(numbers, y).model_[-1]
        assert fitted.estimator.alpha == 1 / C
    assert rivals.l1(C=0.01).fit(numbers, y > 0).model_[-1].C == 0.01


def test_a_missing_package_is_reported_before_any_fit(monkeypatch):
    monkeypatch.setitem(sys.modules, "boruta", None)
    done = []
    with pytest.raises(ImportError, match="the method 'boruta' needs the package boruta"):
        compare([rivals.boruta(), MaxRel()], *planted(), cv=2, sizes=[1], tick=lambda *one: done.append(one))
    assert not done


def test_the_names_of_the_command_are_methods_in_python():
    X, y = planted()
    numbers = X[["a", "b", "d", "e"]]
    found = compare(["qpfs", "f-test", "fgm"], numbers, y, cv=2, sizes=[1])
    assert [one["name"] for one in found.record["methods"]] == ["qpfs", "f-test", "fgm"]
    assert [one["title"] for one in found.record["methods"]] == ["QPFS", "F test", "FGM"]
    same = compare({"a": QPFS(), "b": "f-test"}, numbers, y, cv=2, sizes=[1])
    pairs = zip(found.record["methods"], same.record["methods"], strict=False)
    assert all(one["curve"] == other["curve"] for one, other in pairs)
    with pytest.raises(ValueError, match="'f_test' is not a method; did you mean 'f-test'"):
        compare(["f_test"], numbers, y)


@pytest.mark.parametrize("name", [*METHODS, *RIVALS])
def test_every_name_is_a_method(name):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"{name} is made by the package {PACKAGES[name]}")
    X, y = latent_factors(30, 6)
    assert error_curve(name, X, y, cv=2, sizes=[1]).mean.shape == (1,)


@pytest.mark.parametrize("named", [MaxRel(), "maxrel"], ids=["object", "name"])
def test_one_method_need_not_be_in_a_list(named):
    X, y = planted()
    (one,) = compare(named, X[["a", "d"]], y, cv=2, sizes=[1]).record["methods"]
    assert one["class"].endswith("MaxRel")


def test_a_rival_is_a_selector_of_a_pipeline():
    X, y = planted()
    numbers = X[["a", "b", "d", "e"]]
    model = make_pipeline(rivals.f_test(n_features_to_select=1), LogisticRegression()).fit(numbers, y)
    assert model.score(numbers, y) > 0.8  # one feature, 3 standard deviations apart
    assert model[:-1].get_feature_names_out().tolist() == ["d"]
    assert clone(model[0]).n_features_to_select == 1
    selected = rivals.l1().fit(numbers, y)
    assert selected.get_support().tolist() == selected.support_.tolist()
    framed = rivals.f_test(0.5).set_output(transform="pandas").fit_transform(numbers, y)
    assert framed.shape == (60, 2)
    assert "d" in framed
    with pytest.warns(UserWarning, match="n_features_to_select=4, but l1 ranks"):
        rivals.l1(C=0.01, n_features_to_select=4).fit(numbers, y)
    with pytest.raises(ValueError, match="n_features_to_select=0"):
        rivals.f_test(0).fit(numbers, y)
