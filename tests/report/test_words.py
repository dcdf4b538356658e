"""Sentences: true of the record, and English."""

from __future__ import annotations

import sys

import pytest

from qpfs.evaluation import default_estimator
from qpfs.evaluation.descriptions import description
from qpfs.report.comparison import estimator_words
from qpfs.report.words import lone_words, note_words, store_words

SVC = {"class": "sklearn.svm._classes.LinearSVC", "parameters": {"C": 1.0, "dual": False}}
TREE = {
    "class": "sklearn.tree._classes.DecisionTreeClassifier",
    "parameters": {"max_depth": 3, "criterion": "gini", "random_state": None},
}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (SVC, "linear support vector machine (LinearSVC, C 1.0)"),
        (TREE, "DecisionTreeClassifier (max_depth 3)"),
        ({"class": "mine.Own", "parameters": {"a": None, "b": False}}, "Own (b no)"),
        ({"class": "mine.LinearSVC", "parameters": {}}, "LinearSVC"),
        (None, None),
    ],
)
def test_estimators(said, words):
    assert estimator_words(said) == words


@pytest.mark.parametrize(
    "place",
    [
        "sklearn.conftest.pytest",
        "sklearn.tests.test_docstrings.X",
        "sklearn.svm.tests.test_svm.X",
        "sklearn..os.x",
    ],
)
def test_a_record_does_not_say_what_is_imported(place):
    """But a part of scikit-learn, of its own list."""
    estimator_words(TREE)
    before = set(sys.modules)
    assert estimator_words({"class": place, "parameters": {"a": 1}}).endswith("(a 1)")
    assert set(sys.modules) == before


def test_pipelines_are_told_step_by_step():
    said = description(default_estimator())
    assert estimator_words(said) == (
        "MinMaxScaler (feature_range -1, 1), then linear support vector machine (LinearSVC, C 1.0)"
    )


def features(*pairs):
    return {
        "features": [
            {"feature": f"f{i}", "weight": weight, "relevance": relevance}
            for i, (weight, relevance) in enumerate(pairs)
        ]
    }


def test_weight_without_relevance_is_explained():
    assert lone_words(features((0.5, 1.0), (0.5, 0.02), (0.0, 0.0))) == ""
    assert lone_words(features((0.5, 1.0), (0.1, 0.01))).startswith("“f1” has weight though it says")
    many = lone_words(features((0.5, 1.0), *[(0.1, 0.001)] * 5))
    assert many.startswith("“f1”, “f2”, “f3” and 2 more have weight though they say")


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("2 of 3 features hold text: 'a', \"b's\"", "2 of 3 features hold text: “a”, “b's”."),
        ("column 'p id': drop identifiers.", "Column “p id”: drop identifiers."),
        ("--top asks for 5 features", "--top asks for 5 features."),
        ("y holds integers", "y holds integers."),
        ("x_1 is the table's first", "x_1 is the table's first."),
        ("", "."),
    ],
)
def test_notes_are_sentences(note, words):
    assert note_words(note) == words


def test_what_a_store_was_made_of_is_told():
    store = {"source": "a.parquet", "format": "parquet", "levels": "three segments"}
    said = store_words({"source": "a.qpfs", "store": store})
    assert said.startswith("a.qpfs is a store that “qpfs encode” made of a.parquet (parquet); levels: three")
    assert "a table in Python" in store_words({"source": "a.qpfs", "store": {**store, "source": None}})
    assert store_words({"source": "a.csv"}) == ""
