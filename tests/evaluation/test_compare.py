"""Comparisons by nested cross-validation against a plain loop; interrupted ones; what is plain data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator
from tests.conftest import latent_factors
from tests.evaluation.costly import Failing
from tests.naive import evaluation as naive

from qpfs import MRMR, QPFS, TLKMQPFS, MaxRel
from qpfs.evaluation import (
    Folds,
    LeaveOneOut,
    RandomSplits,
    Records,
    compare,
    comparing,
    error_curve,
    stability,
)
from qpfs.evaluation.measuring import Cost

SIZES = [1, 3, 8]


def timeless(record):
    """A comparison without what depends on the hour and the machine."""
    record = json.loads(json.dumps(record, allow_nan=False))
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
    found = compare(X, y, {"q": QPFS(), "m": MaxRel()}, outer=4, inner=3, sizes=SIZES)
    for entry, method in zip(found["methods"], (QPFS, MaxRel), strict=True):
        parts = list(Folds(4).parts(y))
        wrong = naive.wrong(method, X, y, parts, SIZES)
        assert [row["error"] for row in entry["curve"]] == pytest.approx(wrong.sum(axis=0) / 45)
        total = 0
        for place, (train, _) in enumerate(parts):
            inner = list(Folds(3).parts(y[train]))
            counts = naive.wrong(method, X[train], y[train], inner, SIZES).sum(axis=0)
            chosen = int(np.argmin(counts))
            assert entry["nested"]["k"][place] == SIZES[chosen]
            total += wrong[place, chosen]
        assert entry["nested"]["error"] == pytest.approx(total / 45)


def test_what_else_is_told_is_that_of_the_curve(problem):
    X, y = problem
    found = compare(X, y, {"q": QPFS()}, outer=4, sizes=SIZES, stability_size=3, data={"source": "made"})
    curve = error_curve(QPFS(), X, y, splits=Folds(4), sizes=SIZES)
    (entry,) = found["methods"]
    assert entry["curve"] == curve.table()
    assert (entry["best"]["k"], entry["best"]["error"]) == curve.best()
    assert (entry["smallest"]["k"], entry["smallest"]["error"]) == curve.smallest()
    agreement = stability(curve.masks(3))
    assert entry["stability"] == {
        "index": agreement.index,
        "low": agreement.low,
        "high": agreement.high,
        "size": 3,
    }
    shares = {one["index"]: one["share"] for one in entry["often"]}
    for index, share in shares.items():
        assert share == agreement.frequencies[index]
    assert found["data"]["source"] == "made"
    assert found["data"]["n_samples"] == 45
    assert found["schema"] == "qpfs-comparison/1"


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
    compare(X, y, {"w": Witness()}, outer=3, inner=2, sizes=[1, 2], groups=groups)
    parts = list(Folds(3).parts(y, groups))
    assert len(Witness.seen) == 3 * (1 + 2)
    for place, seen in enumerate(Witness.seen):
        train = parts[place // 3][0]
        if place % 3 == 0:
            assert seen == train.tolist()
        else:
            assert set(seen) < set(train.tolist())
            rest = sorted(set(train.tolist()) - set(seen))
            assert not set(groups[seen]) & set(groups[rest])


@pytest.mark.parametrize("outer", [LeaveOneOut(), RandomSplits(3), Folds(3, repeats=2)], ids=str)
def test_other_ways_to_divide(outer):
    X, y = latent_factors(20, 10)
    found = compare(X, y, {"m": MaxRel()}, outer=outer, inner=2, sizes=[1, 2])
    assert len(found["methods"][0]["nested"]["k"]) == len(list(outer.parts(y)))
    json.dumps(found, allow_nan=False)


def test_quantities_and_tables():
    X, _ = latent_factors(45, 6)
    table = pa.table({f"f{i}": X[:, i] for i in range(6)} | {"letter": list("abc") * 15})
    found = compare(
        table, X[:, 0] + X[:, 1], {"t": TLKMQPFS(n_clusters=3), "q": QPFS()}, outer=3, sizes=[1, 2]
    )
    assert found["data"]["task"] == "regression"
    assert found["protocol"]["scoring"] == "relative squared error"
    assert {one["feature"] for one in found["methods"][1]["often"]} <= {*table.column_names}
    json.dumps(found, allow_nan=False)


def test_a_method_that_fails_leaves_the_others():
    X, _ = latent_factors(45, 10)
    y = np.arange(45) % 3
    found = compare(X, y, {"f": Failing(), "q": QPFS()}, outer=3, sizes=[1, 2])
    failed, fine = found["methods"]
    assert failed["failed"] == "ValueError: no such luck"
    assert "curve" in fine


def test_one_standard_error_takes_fewer(problem):
    X, y = problem
    y = np.where(np.arange(45) % 4 == 0, 1 - y, y)  # a quarter of the labels is wrong: errors are far from 0
    lowest, within = (
        compare(X, y, {"q": QPFS()}, outer=3, one_standard_error=rule)["methods"][0]["nested"]["k"]
        for rule in (False, True)
    )
    assert all(few <= many for few, many in zip(within, lowest, strict=True))
    assert sum(within) < sum(lowest)


def test_the_answer_does_not_depend_on_n_jobs(problem):
    X, y = problem
    methods = {"q": QPFS(), "r": MRMR(8)}
    one, three = (timeless(compare(X, y, methods, outer=3, sizes=SIZES, n_jobs=n)) for n in (1, 3))
    assert one == three


def test_a_run_continues_from_its_records(problem, tmp_path):
    X, y = problem
    path, how = tmp_path / "r.jsonl", {"outer": 3, "inner": 2, "sizes": SIZES}
    methods = {"q": QPFS(), "m": MaxRel()}
    whole = timeless(compare(X, y, methods, records=path, **how))
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 3 * 3 + 3
    path.write_bytes(b"".join([lines[0], *reversed(lines[5:14])]) + lines[3][:50])
    ticks = []
    again = compare(X, y, methods, records=path, tick=lambda *done: ticks.append(done), **how)
    assert timeless(again) == whole
    assert [done for done, _, _ in ticks] == list(range(1, 22))
    assert {total for _, total, _ in ticks} == {21}
    with Records(path) as records:
        assert len(records) == 21


@pytest.mark.slow
def test_memory_is_measured(problem):
    X, y = problem
    found = compare(X, y, {"q": QPFS()}, outer=3, inner=2, sizes=[1], measure_memory=True)
    assert found["methods"][0]["memory_mb"] >= 0


def test_memory_is_measured_once(problem, tmp_path, monkeypatch):
    X, y = problem
    costs = iter([Cost(0.25, 3.0)])  # in a process of its own, which takes seconds to begin
    monkeypatch.setattr(comparing, "measured", lambda *what, **how: next(costs))
    path, how = tmp_path / "r.jsonl", {"outer": 3, "inner": 2, "sizes": [1], "measure_memory": True}
    first, again = (compare(X, y, {"q": QPFS()}, records=path, **how)["methods"][0] for _ in range(2))
    assert first["memory_mb"] == again["memory_mb"] == 3.0


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"methods": {}}, "methods is empty"),
        ({"methods": {"q": QPFS}}, "expected an object with fit"),
        ({"names": ["a"]}, "1 names for 50"),
        ({"outer": 1}, "n_folds=1"),
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
        compare(X, y, {"q": QPFS()}, records=path)


class Brief(BaseEstimator):
    """Ranks three features."""

    def fit(self, X, y):
        self.order_ = np.arange(3)
        return self


def test_a_method_that_ranks_few_features_ends_there(problem):
    X, y = problem
    found = compare(X, y, {"brief": Brief()}, outer=3, inner=2, sizes=[1, 2, 5, 8])
    (entry,) = found["methods"]
    assert [point["k"] for point in entry["curve"]] == [1, 2, 3]
    assert entry["best"]["k"] <= 3
    assert max(entry["nested"]["k"]) <= 3
    assert entry["stability"]["size"] == entry["smallest"]["k"]
    whole = error_curve(Brief(), X, y, splits=Folds(3), sizes=[1, 2, 3])
    assert entry["curve"] == whole.table()
