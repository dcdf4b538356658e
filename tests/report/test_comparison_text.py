"""The methods paragraph of a comparison: who was compared, how, and what to cite."""

from __future__ import annotations

import re

import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import Perceptron
from sklearn.svm import LinearSVC
from tests.report.selections import SELECTORS, fitted_to_wdbc, named, wdbc

from qpfs import FGM, IKMAQPFS, MRMR, QPFS, QPFSCV, MaxRel
from qpfs.evaluation import compare
from qpfs.evaluation.rivals import MODELS, REFERENCES, f_test, rfe
from qpfs.report import references
from qpfs.report.comparison import latex
from qpfs.report.page import comparison_text

QUICK = {"cv": 2, "inner_cv": 2, "sizes": [1, 2]}


class Broken(FGM):
    """A method with references whose fit fails."""

    def fit(self, X, y):
        raise ValueError("no such luck")


@pytest.fixture(scope="module")
def record():
    X, y = wdbc()
    X = X.fillna(0.0) if hasattr(X, "fillna") else X
    methods = {
        "qpfs": QPFS(),
        "ikma": IKMAQPFS(),
        "mrmr": MRMR(),
        "rfe": rfe(),
        "f-test": f_test(),
        "bad": Broken(),
    }
    with pytest.warns(RuntimeWarning, match="bad failed"):
        return compare(methods, X, y, titles={"ikma": "IKMA-QPFS"}, **QUICK).record


def test_methods_are_cited_in_order(record):
    found = comparison_text(record)
    cited = [int(n) for n in re.findall(r"\[(\d+)\]", found["text"])]
    assert sorted(set(cited)) == list(range(1, len(found["references"]) + 1))
    first = [cited.index(n) for n in sorted(set(cited))]
    assert first == sorted(first)
    assert found["text"].startswith(
        "qpfs [1], IKMA-QPFS [2] [1], mrmr [3], rfe [4] and f-test were evaluated by nested cross-validation "
        "[5] on 569 samples of 31 features. "
    )
    assert [one.split()[0] for one in found["references"]] == [
        "Rodriguez-Lujan", "Prasad", "Peng", "Guyon", "Varma", "Ambroise", "Fan", "Nogueira", "Pedregosa",
    ]  # fmt: skip


def test_it_says_how(record):
    text = comparison_text(record)["text"]
    assert record["protocol"]["text"] in text
    assert "The estimator was MinMaxScaler (feature_range -1, 1), then linear support vector machine" in text
    assert "  " not in text
    assert "None" not in text


def test_the_estimator_is_cited():
    X, y = load_diabetes(return_X_y=True)
    ridge = comparison_text(compare([MaxRel()], X, y, **QUICK).record)
    assert references.HOERL in ridge["references"]
    assert references.FAN not in ridge["references"]
    X, y = wdbc()
    forest = compare([MaxRel()], X, y, estimator=RandomForestClassifier(5, random_state=0), **QUICK).record
    assert references.BREIMAN in comparison_text(forest)["references"]


def test_what_nobody_cites_is_named_all_the_same():
    X, y = wdbc()
    found = comparison_text(
        compare([RFE(LinearSVC())], X.fillna(0.0), y, estimator=Perceptron(), **QUICK).record
    )
    assert found["text"].startswith("RFE was evaluated by nested cross-validation [1]")
    assert "The estimator was Perceptron." in found["text"]


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_a_comparison_cites_what_an_account_does(selector):
    """A method says what to cite without being fitted."""
    assert tuple(fitted_to_wdbc(selector).account().references) == tuple(clone(selector)._references)


def test_rivals_are_cited():
    assert REFERENCES.keys() == MODELS.keys()
    assert QPFSCV()._references == QPFS._references


def test_a_record_from_elsewhere_is_told():
    """As little as a record may say."""
    curve = [{"k": 1, "score": 0.2}]
    found = comparison_text(
        {
            "qpfs": "1.0",
            "created": "2030-01-01",
            "data": {"n_samples": 9, "n_features": 4},
            "protocol": {"text": "Ten folds."},
            "methods": [{"name": "a", "title": "<b>A</b>", "curve": curve}],
        }
    )
    assert found == {
        "text": "<b>A</b> was evaluated on 9 samples of 4 features. Ten folds. Computations used qpfs 1.0.",
        "references": [],
    }


def test_special_characters_are_escaped_in_latex():
    assert latex("a<b> & 5 %") == r"a\textless{}b\textgreater{} \& 5 \%"
