"""Sentences: true of the record, and English."""

from __future__ import annotations

import sys

import pytest

from qpfs.evaluation import default_estimator
from qpfs.evaluation.descriptions import description
from qpfs.report.comparison import estimator_words
from qpfs.report.verdict import grounds, verdict
from qpfs.report.words import chance_words, headline, lone_words, note_words, store_words

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
    assert lone_words(features((0.5, 1.0), (0.1, 0.01))).startswith("“f1” has weight, but almost no")
    many = lone_words(features((0.5, 1.0), *[(0.1, 0.001)] * 5))
    assert many.startswith("“f1”, “f2”, “f3” and 2 more have weight, but almost no")


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
    assert said.startswith(
        "a.qpfs is a store that “qpfs encode” made from a.parquet (parquet); levels: three"
    )
    assert "a table in Python" in store_words({"source": "a.qpfs", "store": {**store, "source": None}})
    assert store_words({"source": "a.csv"}) == ""


@pytest.mark.parametrize(
    ("n", "warning", "said"),
    [
        (2, None, "2 of 9 features selected"),
        (2, "Nothing", "2 of 9 features selected, none of them above chance"),
        (0, None, "None of 9 features selected"),
        (0, "Nothing", "None of 9 features selected: none is above chance"),
    ],
)
def test_the_headline_of_nothing(n, warning, said):
    assert headline({"n_selected": n, "data": {"n_features": 9}, "chance": {"warning": warning}}) == said


@pytest.mark.parametrize(
    ("n_shuffled", "said"),
    [
        (0, "by the G test."),
        (4, "by the G test, for 4 of them by shuffles"),
        (9, "by shuffles of the target."),
    ],
)
def test_where_p_values_come_from(n_shuffled, said):
    chance = {"n_significant": 3, "n_tested": 9, "level": 0.05, "test": "the G test", "n_familywise": None}
    assert said in chance_words({**chance, "n_shuffled": n_shuffled})


@pytest.mark.parametrize(
    ("n_doubtful", "said"),
    [
        (0, "by the G test."),
        (1, "by the G test. 1 of the selected features is not."),
        (7, "by the G test. 7 of the selected features are not."),
    ],
)
def test_selected_features_that_do_not_beat_chance_are_counted(n_doubtful, said):
    chance = {"n_significant": 3, "n_tested": 9, "level": 0.05, "test": "the G test", "n_familywise": None}
    assert chance_words({**chance, "n_shuffled": 0, "n_doubtful": n_doubtful}).endswith(said)


def test_one_number_of_features_is_not_said_to_be_enough():
    def compared(*sizes):
        curve = [{"k": k, "score": 0.1} for k in sizes]
        nested = {"score": 0.1, "low": 0.0, "high": 0.2}
        one = {"title": "QPFS", "nested": nested, "smallest": curve[0], "curve": curve, "failed": None}
        return {"methods": [one], "baselines": [], "protocol": {}}

    assert verdict(compared(20)) == "QPFS has the error 10.0\N{NO-BREAK SPACE}% with 20 features"
    assert verdict(compared(5, 20)).endswith(", and 5 features are enough")
    assert "number of features chosen" not in grounds(compared(20))[0]
