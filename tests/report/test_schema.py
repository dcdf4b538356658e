"""What a record is checked for: all that we write passes, and what does not agree is named with its place."""

from __future__ import annotations

import copy
import json
import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import LeaveOneOut, ShuffleSplit
from tests.evaluation.costly import Failing
from tests.pairs import in_turn
from tests.report.crafting import NAMES, bases
from tests.report.selections import SELECTORS, hostile, named, record_of_wdbc

from qpfs import MRMR, QPFS, MaxRel, open_store, write_store
from qpfs.evaluation import compare
from qpfs.report import (
    RecordError,
    as_json,
    check_comparison,
    check_selection,
    comparison_page,
    selection_page,
    selection_record,
)
from qpfs.report.names import MOST
from qpfs.report.pictures.axes import nice_ticks


def written(selector, X, y, with_data=True):
    """A record as it is read again from where it was written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(selector).fit(X, y)
    return read_again(fitted, X if with_data else None)


def read_again(fitted, X):
    return json.loads(as_json(selection_record(fitted, X=X)))


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
@pytest.mark.parametrize("with_data", [True, False])
def test_what_every_selector_writes_passes(selector, with_data):
    check_selection(json.loads(as_json(record_of_wdbc(selector, with_data))))


def test_what_odd_tables_write_passes(tmp_path):
    X, y = hostile()
    check_selection(written(QPFS(), X, y))
    X, y = load_diabetes(return_X_y=True)
    check_selection(written(QPFS(), X, y))
    X, y = load_digits(return_X_y=True)
    check_selection(written(MRMR(4), X, y))
    many = np.repeat(np.arange(30), 5)
    check_selection(written(MaxRel(2), np.random.default_rng(0).normal(size=(150, 4)), many))
    tiny = np.outer([0, 5e-324, 5e-324, 0, 0, 5e-324], [1, 1, 1])
    assert selection_page(written(MaxRel(2), tiny, [0, 1, 1, 0, 0, 1]))
    write_store(X, tmp_path / "a.qpfs", y)
    table = open_store(tmp_path / "a.qpfs")
    check_selection(written(QPFS(3), table, table.y))


OUTER = [2, LeaveOneOut(), ShuffleSplit(3, random_state=0), [(np.arange(8, 24), np.arange(8))]]


@in_turn(outer={type(one).__name__: one for one in OUTER}, quantity={"classes": False, "quantity": True})
def test_what_every_comparison_writes_passes(outer, quantity):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 5)), np.arange(24) % 2
    target = y + rng.normal(size=24) if quantity else y
    methods = {"m": MaxRel(), "bad": Failing()}
    with pytest.warns(RuntimeWarning, match="bad failed"):
        found = compare(methods, X, target, cv=outer, inner_cv=2, sizes=[1, 3]).record
    check_comparison(json.loads(json.dumps(found)))
    assert comparison_page(found)


def base(name):
    return copy.deepcopy(dict(bases())[name])


def put(record, place, value):
    """Puts a value at a place such as `features[3].weight`."""
    *way, last = [int(part) if part.isdigit() else part for part in re.findall(r"\w+", place)]
    for part in way:
        record = record[part]
    record[last] = value


MISSED = "features[0].distribution.counts[0]: expected counts that sum to 5, the samples of the class, got 8"
SHORT = "features[0].distribution.tied.counts: expected a list of 3, the number of classes, got"
UNKNOWN = "features[0].distribution.tied.counts: expected, but it is missing"
RISING = "features[0].distribution: expected edges in rising order"
WIDE = "clusters.levels[0].bars[0]: expected at most 8, the number of features there are, got 100"


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("classes", "features[3].weight", "x", 'expected a finite number, got "x"'),
        (
            "classes",
            "features[1].weight",
            7,
            "features[1]: expected the weight and relevance that weights.ranked has",
        ),
        ("classes", "features[0].levels.counts[0][0]", -5, "expected a whole number from 0 on, got -5"),
        ("classes", "n_selected", 10**18, "expected a whole number from 0 on, got a whole number of 60 bits"),
        ("classes", "n_selected", 5, "expected 4, the number of features listed, got 5"),
        ("classes", "n_weighted", 9, "expected at most 8, the number of features there are, got 9"),
        ("classes", "data.n_samples", 25, "expected 24, the sum of the classes, got 25"),
        ("classes", "data.n_classes", 2, "expected 3, the number of classes listed, got 2"),
        ("classes", "data.target", 3, "expected text, got 3"),
        ("classes", "data.notes", "one", 'expected a list, got "one"'),
        ("classes", "features[0].distribution.counts[0]", [8], "expected a list of 24, the number of bins"),
        ("classes", "features[0].distribution.missing[0]", 3, MISSED),
        ("classes", "features[0].distribution.edges[1]", 99.0, RISING),
        ("classes", "features[0].distribution.tied", {"value": 0.0, "counts": [3, 0, 0]}, MISSED),
        ("classes", "features[0].distribution.tied", {"value": 0.0, "counts": [3]}, SHORT),
        ("classes", "features[0].distribution.tied", {"value": 0.0}, UNKNOWN),
        ("classes", "features[2].index", 8, "expected less than 8, the number of features there are, got 8"),
        ("classes", "certificate.theta", float("nan"), "expected a number from 0 to 1, got nan"),
        ("classes", "seconds.fit", float("inf"), "expected a number from 0 on, got inf"),
        ("classes", "method.account.text", 3, "expected text, got 3"),
        ("classes", "method.account.certainty", "sure", 'expected a list, got "sure"'),
        ("classes", "redundancy.values[0]", [0.5], "expected a list of 4, the number of names"),
        ("classes", "redundancy.names[1]", "z", "expected feature 2 of those listed"),
        ("classes", "weights.ranked", [], "expected ranks from 1 to 8"),
        ("clusters", "clusters.levels[0].bars[0].width", 100, WIDE),
        ("classes", "features[0].effect.size", 1.5, "expected a number from -1 to 1, got 1.5"),
        ("classes", "features[0].effect.direction", 1, "expected text"),
        ("classes", "left_out.reasons[0].n", 99, "left_out.reasons: expected 4, features that were left out"),
        (
            "classes",
            "left_out.features[0].index",
            8,
            "expected less than 8, the number of features there are",
        ),
        ("classes", "left_out.features[0].reason", None, "expected text, got null"),
        ("classes", "cautions", "none", 'expected a list, got "none"'),
        ("classes", "data.taken", [3], "data.taken[0]: expected text, got 3"),
        ("clusters", "clusters.levels[0].bars[0].fate", "<b>", "expected one of split, kept, discarded"),
        ("clusters", "method.account.repeats_little", "no", 'expected true or false, got "no"'),
        ("clusters", "features[0].cluster_size", None, "expected it together with the cluster"),
        ("stability", "stability.index", 1.5, "expected a number from -1 to 1, got 1.5"),
        ("stability", "stability.low", 0.7, "stability: expected it between low and high"),
        ("stability", "stability.n", 21, "expected at most 20, the number of resamples asked for, got 21"),
        ("stability", "stability.n_different", 8, "stability.n: expected at most 8, the number of"),
        ("stability", "stability.units", "mice", "expected "),
        ("stability", "stability.clusters.high", 0.2, "stability.clusters: expected it between low and high"),
        ("stability", "stability.often[0].share", 2, "expected a number from 0 to 1, got 2"),
        (
            "stability",
            "features[0].instead",
            [{}],
            "features[0].instead[0].feature: expected, but it is missing",
        ),
        ("stability", "features[0].frequency", 2, "expected a number from 0 to 1, got 2"),
        ("comparison", "methods[0].curve[0].k", 0, "expected a whole number from 1 on, got 0"),
        ("comparison", "methods[0].best.k", 99, "expected at most 8, the number of features there are"),
        ("comparison", "methods[1].nested.score", 1.5, "methods[1].nested: expected it between low and high"),
        ("comparison", "baselines[0].score", 1e200, "expected a number from -1e+100 to 1e+100, got 1e+200"),
        ("comparison", "methods[0].style", "k", 'expected a whole number from 0 on, got "k"'),
        ("both", "comparison.methods[0].title", ["a"], "expected text, got a list of 1"),
    ],
)
def test_what_was_changed_is_named(name, place, value, words):
    record = base(name)
    put(record, place, value)
    page = comparison_page if name == "comparison" else selection_page
    with pytest.raises(RecordError) as told:
        page(record)
    assert str(told.value).startswith(words if ": " in words else f"{place}: {words}")


def test_weights_beyond_the_simplex_are_refused():
    record = base("classes")
    record["features"][0]["weight"] = record["weights"]["ranked"][0][1] = 7
    with pytest.raises(RecordError, match=r"features\[0\]\.weight: expected a number from 0 to 1, got 7"):
        selection_page(record)
    record["features"][0]["weight"] = record["weights"]["ranked"][0][1] = 1.0
    with pytest.raises(RecordError, match="expected weights that sum to at most 1"):
        selection_page(record)


SHOWN = ("certificate", "parameters", "chosen", "versions", "seconds")  # with all fields they have
TOLD = ("outer", "inner", "estimator")  # in words, as they are


@pytest.mark.parametrize("name", NAMES)
def test_fields_of_ones_own_are_not_looked_at(name):
    record = base(name)
    for one in objects_in(record):
        one["my own"] = {"anything": [float("nan"), ["<b>"]]}
    page = comparison_page if name == "comparison" else selection_page
    assert page(record) == page(base(name))


def objects_in(value):
    """All objects in a record but those whose fields are not known beforehand."""
    if isinstance(value, dict):
        inner = [one for key, one in value.items() if key not in (*SHOWN, *TOLD)]
        yield value
    else:
        inner = value if isinstance(value, list) else []
    for one in inner:
        yield from objects_in(one)


def test_a_long_name_is_cut_on_the_page_and_nowhere_else():
    record = base("both")
    name = "many words " * 100_000
    record["features"][0]["feature"] = record["redundancy"]["names"][0] = name
    record["data"]["classes"][0]["name"] = record["comparison"]["methods"][0]["title"] = name
    page = selection_page(record)
    assert name[:MOST].strip() in page
    assert name[: MOST + 20] not in page
    assert record["features"][0]["feature"] == name


def test_equal_errors_far_out_are_drawn():
    record = base("comparison")
    for method in record["methods"]:
        method |= {"curve": [{"k": 1, "score": 1e20, "low": None, "high": None}], "nested": None}
    record["baselines"], record["data"]["task"] = [], "regression"
    for method in record["methods"]:
        method["best"] = method["smallest"] = None
    assert "nan" not in comparison_page(record)


def test_ranks_without_a_relevance_are_left_out_of_its_picture():
    record = base("classes")
    record["weights"]["ranked"][-1][2] = None
    assert len(selection_page(record)) < len(selection_page(base("classes")))


@pytest.mark.parametrize("ends", [(0.0, 5e-324), (-5e-324, 5e-324), (0.0, 1e-310), (-1e308, 1e308)])
def test_ticks_at_the_ends_of_the_range_of_numbers(ends):
    assert all(ends[0] <= tick <= ends[1] for tick in nice_ticks(*ends))


@pytest.mark.parametrize(
    "said",
    [
        {"class": "sklearn.pipeline.Pipeline", "parameters": {"steps": [[], 3]}},
        {"class": "sklearn.pipeline.Pipeline", "parameters": {"steps": [["a", 3]]}},
        {"class": "sklearn.svm.SVC", "parameters": "C"},
        {"class": "sklearn.no.such", "parameters": {"C": 1}},
        {"class": "sklearn.conftest.pyplot", "parameters": {"a": ["b"]}},
        {"class": "sklearn..", "parameters": {}},
    ],
    ids=str,
)
def test_descriptions_that_we_did_not_write_are_told_as_they_are(said):
    record = base("comparison")
    record["protocol"] |= {"outer": said, "estimator": said}
    assert comparison_page(record)
