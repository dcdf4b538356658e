"""Comparisons by nested cross-validation against a plain loop; interrupted ones; what is plain data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import (
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from tests.conftest import latent_factors
from tests.evaluation.costly import Failing
from tests.evaluation.test_curve import parts_of
from tests.naive import evaluation as naive

from qpfs import MRMR, QPFS, TLKMQPFS, MaxRel, open_store, write_store
from qpfs.evaluation import Records, compare, comparing, error_curve, stability
from qpfs.evaluation.measuring import Cost

SIZES = [1, 3, 8]


def timeless(record):
    """A comparison without what depends on the hour and the machine."""
    record = json.loads(json.dumps(getattr(record, "record", record), allow_nan=False))
    for name in ("created", "seconds"):
        record.pop(name)
    for method in record["methods"]:
        method.pop("seconds", None)
    return json.dumps(record)


@pytest.fixture(scope="module")
def problem():
    return latent_factors(45, 50)


def test_curves_and_nested_errors_are_those_of_a_plain_loop(problem):
    X, y = problem
    found = compare({"q": QPFS(), "m": MaxRel()}, X, y, cv=4, inner_cv=3, sizes=SIZES).record
    for entry, method in zip(found["methods"], (QPFS, MaxRel), strict=True):
        parts = parts_of(4, y)
        wrong = naive.wrong(method, X, y, parts, SIZES)
        assert [row["score"] for row in entry["curve"]] == pytest.approx(wrong.sum(axis=0) / 45)
        total = 0
        for place, (train, _) in enumerate(parts):
            inner = parts_of(3, y[train])
            counts = naive.wrong(method, X[train], y[train], inner, SIZES).sum(axis=0)
            chosen = int(np.argmin(counts))
            assert entry["nested"]["k"][place] == SIZES[chosen]
            total += wrong[place, chosen]
        assert entry["nested"]["score"] == pytest.approx(total / 45)


def test_what_else_is_told_is_that_of_the_curve(problem):
    X, y = problem
    found = compare({"q": QPFS()}, X, y, cv=4, sizes=SIZES, stability_size=3, data={"source": "made"}).record
    curve = error_curve(QPFS(), X, y, cv=4, sizes=SIZES)
    (entry,) = found["methods"]
    assert entry["curve"] == curve.table()
    assert (entry["best"]["k"], entry["best"]["score"]) == curve.best()
    assert (entry["smallest"]["k"], entry["smallest"]["score"]) == curve.smallest()
    agreement = stability(curve.masks(3))
    assert entry["stability"] == {
        "index": agreement.index,
        "low": None,
        "high": None,
        "size": 3,
    }  # of 4 parts
    shares = {one["index"]: one["share"] for one in entry["often"]}
    for index, share in shares.items():
        assert share == agreement.frequencies[index]
    assert found["data"]["source"] == "made"
    assert found["data"]["n_samples"] == 45
    assert found["schema"] == "qpfs-comparison/2"


def test_equal_training_parts_count_once_for_the_stability():
    X, y = latent_factors(48, 12)
    groups = np.arange(48) % 4
    facts = {"cv": 4, "inner_cv": 2, "sizes": [2], "groups": groups}
    once, again = (compare({"q": QPFS()}, X, y, repeats=n, **facts).record for n in (1, 3))
    assert again["methods"][0]["stability"] == once["methods"][0]["stability"]
    assert again["methods"][0]["stability"]["low"] is None
    for record in (once, again):
        assert "two of which share 67\xa0% of their samples" in record["protocol"]["stability"]


def test_one_number_of_features_is_not_chosen_inside():
    X, y = latent_factors(30, 8)
    found = compare({"q": QPFS()}, X, y, cv=3, sizes=[2], groups=np.arange(30) % 3).record
    assert found["protocol"]["inner"] is None
    assert "The number of features is" not in found["protocol"]["text"]
    assert found["methods"][0]["nested"]["score"] == found["methods"][0]["curve"][0]["score"]


class Witness(BaseEstimator):
    """Remembers the rows it was fitted to."""

    seen: ClassVar[list[list[int]]] = []

    def fit(self, X, y):
        Witness.seen.append(sorted(X[:, -1].astype(int).tolist()))
        self.order_ = np.arange(X.shape[1])
        return self


def test_nothing_of_the_outer_test_part_is_seen():
    rng = np.random.default_rng(0)
    y, groups = np.arange(36) % 2, np.arange(36) // 3
    X = np.column_stack([rng.normal(size=(36, 3)), np.arange(36)])
    Witness.seen = []
    compare({"w": Witness()}, X, y, cv=3, inner_cv=2, sizes=[1, 2], groups=groups)
    parts = parts_of(3, y, groups)
    assert len(Witness.seen) == 3 * (1 + 2)
    assert Witness.seen[:3] == [train.tolist() for train, _ in parts]  # the outer ones come first
    for place, seen in enumerate(Witness.seen[3:]):
        train = parts[place // 2][0]
        assert set(seen) < set(train.tolist())
        rest = sorted(set(train.tolist()) - set(seen))
        assert not set(groups[seen]) & set(groups[rest])


@pytest.mark.parametrize(
    "outer",
    [LeaveOneOut(), ShuffleSplit(3, random_state=0), RepeatedStratifiedKFold(n_splits=3, n_repeats=2)],
    ids=lambda cv: type(cv).__name__,
)
def test_other_ways_to_divide(outer):
    X, y = latent_factors(20, 10)
    found = compare({"m": MaxRel()}, X, y, cv=outer, inner_cv=2, sizes=[1, 2]).record
    assert len(found["methods"][0]["nested"]["k"]) == outer.get_n_splits(X, y)
    json.dumps(found, allow_nan=False)


def test_quantities_and_tables():
    X, _ = latent_factors(45, 6)
    table = pa.table({f"f{i}": X[:, i] for i in range(6)} | {"letter": list("abc") * 15})
    found = compare(
        {"t": TLKMQPFS(n_clusters=3), "q": QPFS()}, table, X[:, 0] + X[:, 1], cv=3, sizes=[1, 2]
    ).record
    assert found["data"]["task"] == "regression"
    assert found["protocol"]["scoring"]["name"] == "relative squared error"
    assert {one["feature"] for one in found["methods"][1]["often"]} <= {*table.column_names}
    json.dumps(found, allow_nan=False)


def test_a_method_that_fails_leaves_the_others():
    X, _ = latent_factors(45, 10)
    y = np.arange(45) % 3
    with pytest.warns(RuntimeWarning, match="f failed: ValueError: no such luck"):
        found = compare({"f": Failing(), "q": QPFS()}, X, y, cv=3, sizes=[1, 2])
    failed, fine = found.record["methods"]
    assert failed["failed"] == "ValueError: no such luck"
    assert "curve" in fine
    why = found.to_frame()["failed"]
    assert why[0] == "ValueError: no such luck"
    assert why.isna().tolist() == [False, True, True]
    assert "f: failed: ValueError: no such luck" in repr(found)
    assert "; 1 of 2 methods failed>" in repr(found)
    assert "failed: ValueError: no such luck" in found.report().html
    assert r"f & \multicolumn{7}{l}{failed}" in found.to_latex()


def test_a_comparison_in_which_every_method_fails_begins_with_that(problem):
    with pytest.warns(RuntimeWarning, match="f failed"):
        found = compare({"f": Failing()}, *problem, cv=3, sizes=[1, 2])
    assert repr(found).startswith("<Comparison: every method failed: f (ValueError: no such luck)>")
    with pytest.raises(
        ValueError, match=r"nothing to draw\. Every method failed: f \(ValueError: no such luck\)\."
    ):
        found.plot()
    assert "every method failed: f" in found.report().html


def test_one_standard_error_takes_fewer(problem):
    X, y = problem
    y = np.where(np.arange(45) % 4 == 0, 1 - y, y)  # a quarter of the labels is wrong: errors are far from 0
    lowest, within = (
        compare({"q": QPFS()}, X, y, cv=3, one_standard_error=rule).record["methods"][0]["nested"]["k"]
        for rule in (False, True)
    )
    assert all(few <= many for few, many in zip(within, lowest, strict=True))
    assert sum(within) < sum(lowest)


def test_the_answer_does_not_depend_on_n_jobs(problem):
    X, y = problem
    methods = {"q": QPFS(), "r": MRMR(8)}
    one, three = (timeless(compare(methods, X, y, cv=3, sizes=SIZES, n_jobs=n)) for n in (1, 3))
    assert one == three


def test_a_run_continues_from_its_records(problem, tmp_path):
    X, y = problem
    path, how = tmp_path / "r.jsonl", {"cv": 3, "inner_cv": 2, "sizes": SIZES}
    methods = {"q": QPFS(), "m": MaxRel()}
    whole = timeless(compare(methods, X, y, records=path, **how))
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 3 * 3 + 3
    path.write_bytes(b"".join([lines[0], *reversed(lines[5:14])]) + lines[3][:50])
    ticks = []
    again = compare(methods, X, y, records=path, tick=lambda *done: ticks.append(done), **how)
    assert timeless(again) == whole
    assert [done for done, _, _ in ticks] == list(range(1, 22))
    assert {total for _, total, _ in ticks} == {21}
    with Records(path) as records:
        assert len(records) == 21


@pytest.mark.slow
def test_memory_is_measured(problem):
    X, y = problem
    found = compare({"q": QPFS()}, X, y, cv=3, inner_cv=2, sizes=[1], measure_memory=True).record
    assert found["methods"][0]["memory_mb"] >= 0


def test_memory_is_measured_once(problem, tmp_path, monkeypatch):
    X, y = problem
    costs = iter([Cost(0.25, 3.0)])  # in a process of its own, which takes seconds to begin
    monkeypatch.setattr(comparing, "measured", lambda *what, **how: next(costs))
    path, how = tmp_path / "r.jsonl", {"cv": 3, "inner_cv": 2, "sizes": [1], "measure_memory": True}
    first, again = (compare({"q": QPFS()}, X, y, records=path, **how).record["methods"][0] for _ in range(2))
    assert first["memory_mb"] == again["memory_mb"] == 3.0


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"methods": {}}, "methods is empty"),
        ({"methods": {"q": QPFS}}, r"methods\['q'\] is the class QPFS; give an object: QPFS\(\)\."),
        ({"methods": [QPFS]}, r"methods\['QPFS'\] is the class QPFS; give an object: QPFS\(\)\."),
        ({"methods": {"q": 3}}, "expected an object with fit"),
        ({"methods": np.zeros((3, 3))}, "methods is a ndarray; expected a dict or a list of methods, then X"),
        ({"methods": [("a", QPFS()), ("a", MaxRel())]}, "methods names 'a' twice; give each a name"),
        ({"inner_cv": [([0], [1])]}, "inner_cv=.* must be a number of folds or a splitter of scikit-learn"),
        ({"names": ["a"]}, "1 names for 50"),
        ({"cv": 1}, "cv=1"),
        ({"stability_size": 0}, "stability_size=0"),
        ({"stability_size": 2}, "from 1 to 1"),
    ],
)
def test_what_makes_no_sense(problem, how, message):
    X, y = problem
    with pytest.raises(ValueError, match=message):
        compare(**{"X": X, "y": y, "methods": {"q": QPFS()}, "sizes": [1]} | how)


def test_records_of_another_kind_are_refused(problem, tmp_path):
    X, y = problem
    path = Path(tmp_path, "table.csv")
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="not a file of records"):
        compare({"q": QPFS()}, X, y, records=path)


class Brief(BaseEstimator):
    """Ranks three features."""

    def fit(self, X, y):
        self.order_ = np.arange(3)
        return self


def test_a_method_that_ranks_few_features_ends_there(problem):
    X, y = problem
    found = compare({"brief": Brief()}, X, y, cv=3, inner_cv=2, sizes=[1, 2, 5, 8]).record
    (entry,) = found["methods"]
    assert [point["k"] for point in entry["curve"]] == [1, 2, 3]
    assert entry["best"]["k"] <= 3
    assert max(entry["nested"]["k"]) <= 3
    assert entry["stability"]["size"] == entry["smallest"]["k"]
    whole = error_curve(Brief(), X, y, cv=3, sizes=[1, 2, 3])
    assert entry["curve"] == whole.table()


def test_a_comparison_can_be_turned_into_a_table_a_page_and_a_figure(problem, tmp_path):
    X, y = problem
    found = compare(
        [QPFS(), MaxRel()],
        X,
        y,
        cv=TimeSeriesSplit(3),
        inner_cv=StratifiedKFold(2),
        sizes=[1, 3],
        scoring="roc_auc",
    )
    frame = found.to_frame()
    assert frame["method"].tolist() == ["QPFS", "MaxRel", "all features"]
    nested = [one["nested"] for one in found.record["methods"]]
    assert frame["score"].tolist()[:2] == [one["score"] for one in nested]
    page = found.report().save(tmp_path / "page.html").read_text()
    assert "Score (roc_auc) against number of features" in page
    assert "lowest" not in page
    drawn = [line.get_xydata().tolist() for line in found.plot().ax_.lines]
    curve = [[one["k"], one["score"]] for one in found.record["methods"][0]["curve"]]
    assert any(np.allclose(one, curve) for one in drawn if len(one) == 2)
    assert found.to_latex().count(r"\\") == 4
    assert f"roc_auc {max(one['score'] for one in nested):.3f}" in repr(found)


def test_the_number_of_features_is_chosen_by_the_highest_score(problem):
    X, y = problem
    found = compare({"q": QPFS()}, X, y, cv=3, inner_cv=2, sizes=SIZES, scoring="balanced_accuracy").record
    for place, (train, _) in enumerate(parts_of(3, y)):
        inner = error_curve(QPFS(), X[train], y[train], cv=2, sizes=SIZES, scoring="balanced_accuracy")
        assert found["methods"][0]["nested"]["k"][place] == inner.best()[0]


class Choosy(BaseEstimator):
    """Ranks the first feature if the training part holds sample 0, else none."""

    def __init__(self, always=False):
        self.always = always

    def fit(self, X, y):
        self.order_ = np.arange(1 if self.always or (X[:, 1] == 0).any() else 0)
        return self


@pytest.mark.parametrize("n", [1, 5])
def test_a_training_part_in_which_nothing_is_ranked_is_predicted_without_features(n):
    y = np.repeat(["a", "b"], [10, 5])
    X = np.column_stack([y == "a", np.arange(15) if n == 1 else np.ones(15)]).astype(float)
    found = compare({"choosy": Choosy(), "one": Choosy(always=True)}, X, y, cv=5, sizes=[1])
    choosy, one = found.record["methods"]
    assert one["nested"]["score"] == 0
    assert choosy["nested"]["k"].count(0) == n
    assert choosy["nested"]["score"] == pytest.approx(n / 15)  # of each test part the one of the small class
    said = f"choosy: In {n} of 5 training parts no feature was selected; there the largest class was"
    assert said in found.report().html.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    "table", [np.asarray, pd.DataFrame, pl.DataFrame, pa.RecordBatch.from_pandas, sparse.csr_array, "store"]
)
def test_nothing_is_ranked_in_tables_of_every_kind(table, problem, tmp_path):
    X, y = problem[0][:, :6], problem[1]
    frame = pd.DataFrame(X).add_prefix("g")
    if table == "store":
        X = open_store(write_store(frame, tmp_path / "some.qpfs", y))
    else:
        X = table(X if table is sparse.csr_array else frame)
    often = np.bincount(np.unique(y, return_inverse=True)[1])
    methods = {"nothing": QPFS(fdr=1e-30), "maxrel": MaxRel()}
    found = compare(methods, X, y, cv=3, inner_cv=2, sizes=[1, 2]).record["methods"]
    assert found[0]["nested"]["score"] == pytest.approx(1 - often.max() / len(y))
    assert found[0]["nested"]["k"] == [0, 0, 0]
    assert found[1]["nested"]["k"] != [0, 0, 0]
    assert error_curve(QPFS(fdr=1e-30), X, y, cv=3).mean[0] == pytest.approx(1 - often.max() / len(y))


def test_a_quantity_without_features_is_predicted_by_its_mean():
    y = np.linspace(0, 1, 30) ** 2
    found = compare({"choosy": Choosy()}, np.ones((30, 2)), y, cv=3, sizes=[1])
    assert found.record["methods"][0]["nested"]["score"] == pytest.approx(1)
    assert "with no feature" in repr(found)
    html = found.report().html.replace("\N{NO-BREAK SPACE}", " ")
    assert "Without any feature, by predicting the mean, the error is 100 %." in html


@pytest.mark.parametrize("weights", [None, [2] * 10 + [6] * 5])
def test_errors_are_compared_with_guessing_the_largest_class(weights):
    y = np.repeat(["a", "b"], [10, 5])
    X = np.column_stack([y == "a", np.arange(15)]).astype(float)
    found = compare({"one": Choosy(always=True)}, X, y, cv=5, sizes=[1], sample_weight=weights)
    guess = found.record["guessing"]
    assert guess["score"] == pytest.approx(1 / 3 if weights is None else 20 / 50)
    assert "Without any feature, by guessing the largest class, the error is" in found.report().html
    other = compare({"one": Choosy(always=True)}, X, y, cv=5, sizes=[1], scoring="balanced_accuracy")
    assert other.record["guessing"] is None
    assert "Without any feature" not in other.report().html


@pytest.mark.parametrize(("inner_cv", "n"), [(2, 2), (None, 5)])
def test_after_a_division_by_time_the_number_of_features_is_chosen_by_time(problem, inner_cv, n):
    X, y = np.tile(problem[0], (4, 1)), np.tile(problem[1], 4)
    outer = TimeSeriesSplit(2, gap=3, max_train_size=100)
    found = compare({"m": MaxRel()}, X, y, cv=outer, inner_cv=inner_cv, sizes=SIZES).record
    inner = TimeSeriesSplit(n, gap=3, max_train_size=100)
    for place, (train, _) in enumerate(outer.split(X)):
        curve = error_curve(MaxRel(), X[train], y[train], cv=inner, sizes=SIZES)
        assert found["methods"][0]["nested"]["k"][place] == curve.best()[0]
    said = (
        f"by {n} splits in the order of the samples (each tested after those trained on) of the training part"
    )
    assert said in found["protocol"]["text"]
    given = compare({"m": MaxRel()}, X, y, cv=outer, inner_cv=ShuffleSplit(2, random_state=0), sizes=SIZES)
    assert given.record["protocol"]["inner_cv"]["class"] == "ShuffleSplit"


def test_numbers_beyond_that_of_all_features_mean_all(problem):
    X, y = problem[0][:, :6], problem[1]
    with pytest.warns(
        UserWarning, match="sizes asks for 50 features, but there are 6; all of them are tried"
    ):
        found = compare([MaxRel()], X, y, cv=3, sizes=[1, 50]).record
    assert found["protocol"]["sizes"] == [1, 6]
    with pytest.warns(UserWarning, match="sizes asks for 50 features, but there are 6") as heard:
        assert error_curve(MaxRel(), X, y, cv=3, sizes=[1, 50]).sizes == (1, 6)
    assert heard[0].filename == __file__
