"""The study behind the defaults: what is compared with what, and that a stopped run goes on where it was."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.study import page, running
from benchmarks.study.chosen import HEADLINE, QUESTIONS
from benchmarks.study.methods import Method, all_methods
from benchmarks.study.ranks import cliques, compared, error_of, read, wins
from benchmarks.study.sets import Half


def record(error: float, **more: object) -> dict[str, object]:
    both = {"5": error - 0.02, "10": error + 0.02, "20": error, "50": error}
    return {"errors": {"svm": both, "knn": both}, "order": [0, 1], "seconds": 0.5} | more


# Errors of a, b, c in per cent; ranks by hand: (1 2 3), (2.5 2.5 1), (1 2 3), (1 3 2).
TABLE = {"one": (10, 20, 30), "two": (20, 20, 10), "three": (5, 6, 7), "four": (1, 3, 2)}


def records() -> dict[tuple[str, int, str], dict[str, object]]:
    found = {}
    for name, errors in TABLE.items():
        for method, error in zip("abc", errors, strict=True):
            for fold, shift in ((0, -0.01), (1, 0.01)):
                found[name, fold, method] = record(error / 100 + shift)
    return found


def test_mean_ranks_and_the_critical_difference_are_those_by_hand():
    found = compared(records(), ["a", "b", "c"])
    np.testing.assert_allclose(found.errors * 100, list(TABLE.values()))
    np.testing.assert_allclose(found.test.ranks, [5.5 / 4, 9.5 / 4, 9 / 4])
    np.testing.assert_allclose(found.ranks_by(error_of(["svm"], [5])), found.test.ranks)
    q = 2.343  # Demsar's table, three methods, 0.05
    assert found.critical == pytest.approx(q * np.sqrt(3 * 4 / (6 * 4)), abs=1e-3)
    assert wins(found.errors, 0, 1) == (3, 0, 1)
    assert found.seconds("a") == 0.5


def test_only_folds_that_all_methods_have_are_compared():
    some = records() | {("one", 2, "a"): record(0.9)}
    assert compared(some, ["a", "b", "c"]).folds == ((0, 1),) * 4
    np.testing.assert_allclose(compared(some, ["a", "b", "c"]).errors[0], [0.1, 0.2, 0.3])
    some["one", 0, "d"] = record(0.1)
    assert compared(some, ["a", "d", "e"]).methods == ("a",)  # d is not done, e not begun


def test_a_method_without_an_answer_is_last():
    some = records()
    for fold in (0, 1):
        some["one", fold, "a"] = {"too_slow": 300, "tried": True}
    found = compared(some, ["a", "b", "c"])
    np.testing.assert_allclose(found.errors[0], [1.0, 0.2, 0.3])
    assert (found.unanswered("a"), found.unanswered("b")) == (["one"], [])


def test_cliques_are_the_longest_runs_that_do_not_differ():
    assert cliques([1.0, 1.5, 2.4, 4.0, 4.2], 1.0) == [(0, 1), (1, 2), (3, 4)]
    assert cliques([1.0, 3.0], 1.0) == []


def test_the_work_begins_with_some_folds_of_the_headline():
    cheap, dear, variant = Method("a", len, 0, True), Method("b", len, 2, True), Method("c", len)
    tasks = [(name, fold, one.name) for name, fold, one in running.plan(["x", "y"], [variant, dear, cheap])]
    assert len(tasks) == len(set(tasks)) == 2 * 3 * running.N_FOLDS
    assert tasks[:4] == [("x", 0, "a"), ("y", 0, "a"), ("x", 0, "b"), ("y", 0, "b")]
    assert {one[1] for one in tasks[:12]} == {0, 1}


@pytest.fixture
def halves(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(40) // 2 % 2
    X = rng.standard_normal((40, 12)).astype(np.float32)
    X[:, 3] += 3 * y
    monkeypatch.setattr(running, "half", lambda name, fold: Half(X[::2], y[::2], X[1::2], y[1::2]))
    return X


def test_a_run_goes_on_where_it_was_stopped(tmp_path, halves):
    asked = []
    method = Method("good", lambda X, y: asked.append(1) or np.arange(3, 8))
    tasks = list(running.plan(["x"], [method]))
    done = running.run(tasks, tmp_path)
    first = next(done)
    done.close()
    assert first["order"] == [3, 4, 5, 6, 7]
    assert set(first["errors"]["svm"]) == {"5", "10"}
    assert first["errors"]["svm"]["5"] == first["errors"]["svm"]["10"]  # five features are all there are
    rest = list(running.run(tasks, tmp_path))
    assert len(rest) == len(asked) - 1 == running.N_FOLDS - 1
    assert list(running.run(tasks, tmp_path)) == []
    assert len(read(tmp_path)) == running.N_FOLDS


def test_what_is_too_slow_or_fails_is_on_record(tmp_path, halves):
    slow = Method("slow", lambda X, y: [sum(range(100)) for _ in range(10**7)])  # seconds, each interruptible
    found = list(running.run(running.plan(["x"], [slow]), tmp_path, patience=0.02))
    assert [one["tried"] for one in found] == [True] + [False] * (running.N_FOLDS - 1)
    failing = Method("failing", lambda X, y: np.zeros(0)[1])
    assert next(running.run(running.plan(["x"], [failing]), tmp_path))["failed"].startswith("IndexError")


def test_every_name_of_the_page_is_a_method():
    known = {method.name for method in all_methods()}
    assert set(HEADLINE) <= known
    assert {name for names in QUESTIONS.values() for name in names} <= known


def test_the_page_says_how_many_folds_there_are(tmp_path, monkeypatch):
    names = list(HEADLINE)[:3]
    some = {(one, fold, names["abc".index(m)]): found for (one, fold, m), found in records().items()}
    monkeypatch.setattr(page, "shape", lambda name: (40, 12, 2))
    monkeypatch.setattr(page, "planted_table", str)  # which takes seconds
    head = page.write(some, tmp_path)
    text = (tmp_path / "study.md").read_text()
    assert head.methods == tuple(names)
    assert "3 methods on 4 real sets, 2 folds each." in text
    assert "Not run, or not on every set yet: " in text
    assert (tmp_path / "study.svg").read_text().startswith("<svg xmlns=")
