"""Records that someone changed: what is no result of a trial is refused, with its line."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from sklearn.datasets import load_diabetes, load_iris
from tests.cli.command import qpfs

from qpfs import MaxRel
from qpfs.evaluation import Records, RecordsError, compare, error_curve

FEW = {"cv": 2, "inner_cv": 2, "sizes": [1, 2]}


def curve(path, load=load_iris):
    X, y = load(return_X_y=True)
    return error_curve(MaxRel(), X[:60], y[:60], cv=2, sizes=[1, 2], records=path)


def rewritten(path, change):
    """Changes what stands in each line but the first."""
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([head, *(change(json.loads(line)) for line in lines)]) + "\n")


def with_value(**fields):
    """Changes fields of the outcome, or of its only ranking."""

    def changed(record):
        value = record["value"]
        ranking = value["rankings"][0]
        for name, one in fields.items():
            (ranking if name in ranking else value)[name] = one
        return json.dumps(record)

    return changed


def test_results_are_used_again_as_they_are(tmp_path):
    for load in (load_iris, load_diabetes):
        path = tmp_path / f"{load.__name__}.jsonl"
        first, again = curve(path, load), curve(path, load)
        assert first.losses.tolist() == again.losses.tolist()
        assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("loss", [1.0], r"loss: expected a list of 2, got a list of 1"),
        ("loss", ["a", 1], r'loss\[0\]: expected a whole number from 0 to 30, .* got "a"'),
        ("loss", [-5.0, 1.0], r"loss\[0\]: expected a whole number from 0 to 30, .* got -5"),
        ("loss", [1.0, 31.0], r"loss\[1\]: expected a whole number from 0 to 30"),
        ("loss", [1.5, 1.0], r"loss\[0\]: expected a whole number"),
        ("loss", [10**400, 1.0], r"loss\[0\]: .* got a whole number of 1,329 bits"),
        ("loss", None, "loss: expected a list, got null"),
        ("order", [99, 1], r"order\[0\]: expected a whole number from 0 to 3, got 99"),
        ("order", [1, 1], "order: expected each feature once"),
        ("order", [1], "order: expected 2 features, as many as were ranked, got 1"),
        ("order", [True, 2], r"order\[0\]: expected a whole number"),
        ("order", None, "order: expected a list, got null"),
        ("n_ranked", 5, "n_ranked: expected a whole number from 0 to 4, got 5"),
        ("n_test", 29, "n_test: expected 30, got 29"),
        ("n_train", "30", 'n_train: expected 30, got "30"'),
        ("reference", 0.0, "reference: expected 30.0, got 0.0"),
        ("seconds", -1.0, "seconds: expected a number from 0 on, got -1.0"),
        ("seconds", float("nan"), "seconds: expected a number from 0 on, got nan"),
        ("notes", [3], r"notes\[0\]: expected text, got 3"),
    ],
)
def test_a_changed_outcome_is_refused_with_its_line(tmp_path, name, value, words):
    path = tmp_path / "r.jsonl"
    curve(path)
    rewritten(path, with_value(**{name: value}))
    with pytest.raises(
        RecordsError, match=rf"r\.jsonl', line 2, is not as it was written .*{words}.* delete that line"
    ):
        curve(path)


def test_a_changed_outcome_for_a_quantity_is_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    curve(path, load_diabetes)
    rewritten(path, with_value(reference=-1.0))
    with pytest.raises(RecordsError, match=r"reference: expected a number from 0 on, got -1\.0"):
        curve(path, load_diabetes)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: json.dumps(record | {"value": None}),
        lambda record: json.dumps(record | {"value": [1]}),
        lambda record: json.dumps(record | {"key": 3}),
        lambda record: json.dumps(record | {"key": {"a": float("nan")}}),
        lambda record: '{"key": {"a": 1e999}, "value": {}}',
        lambda record: "null",
    ],
    ids=["no value", "a list", "no key", "not a number", "beyond all numbers", "nothing"],
)
def test_a_line_that_is_no_record_is_refused_with_its_number(tmp_path, change):
    path = tmp_path / "r.jsonl"
    curve(path)
    rewritten(path, change)
    with pytest.raises(RecordsError, match=r"r\.jsonl', line 2, is not a record: .* delete that line"):
        curve(path)


def test_a_line_that_was_taken_out_is_done_again(tmp_path):
    path = tmp_path / "r.jsonl"
    first = curve(path)
    path.write_text("\n".join(path.read_text().splitlines()[::2]) + "\n")
    assert curve(path).losses.tolist() == first.losses.tolist()


def test_a_changed_cost_is_refused(tmp_path, monkeypatch):
    taken = SimpleNamespace(seconds=0.1, megabytes=3.0)
    monkeypatch.setattr("qpfs.evaluation.comparing.measured", lambda *_, **__: taken)
    X, y = load_iris(return_X_y=True)
    path, how = tmp_path / "r.jsonl", {**FEW, "measure_memory": True}
    compare({"m": MaxRel()}, X, y, records=path, **how)
    rewritten(
        path,
        lambda one: json.dumps(one | {"value": one["value"] | {"memory_mb": -5}} if is_cost(one) else one),
    )
    with pytest.raises(RecordsError, match="memory_mb: expected a number from 0 on, got -5"):
        compare({"m": MaxRel()}, X, y, records=path, **how)


def is_cost(record):
    return record["key"]["what"] == "cost"


def test_the_command_says_so_in_one_line(tmp_path):
    quick = ["--no-memory", "--cv", 2, "--repeats", 1, "--inner-cv", 2, "--sizes", "1,2"]
    arguments = ["compare", "iris", "--method", "maxrel", *quick, "--out", tmp_path / "o"]
    assert qpfs(*arguments).returncode == 0
    for name in ("report.html", "comparison.json", "comparison.csv"):
        (tmp_path / "o" / name).unlink()
    rewritten(tmp_path / "o" / "records.jsonl", with_value(loss=[-5, 0]))
    run = qpfs(*arguments)
    assert run.returncode == 1
    assert "line 2, is not as it was written (rankings[0].loss[0]:" in run.stderr
    assert "Traceback" not in run.stderr
    assert [path.name for path in (tmp_path / "o").iterdir()] == ["records.jsonl"]


def test_only_objects_can_be_put_on_record(tmp_path):
    with Records(tmp_path / "r.jsonl") as records:
        for key, value in (({}, None), ({}, [1]), (3, {})):
            with pytest.raises(TypeError, match="expected a dict"):
                records.add(key, value)
        assert len(records) == 0
