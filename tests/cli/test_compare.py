"""`qpfs compare`, run as a user runs it."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.apart import measure_in_forks
from tests.cli.command import qpfs

from qpfs import MRMR, QPFS, MaxRel
from qpfs.data import open_problem
from qpfs.evaluation import compare
from qpfs.methods import METHODS, RIVALS

QUICK = ["--no-memory", "--cv", 3, "--repeats", 1, "--inner-cv", 2, "--sizes", "1,3,5"]


def without_times(record):
    """What does not differ from run to run."""
    kept = {key: value for key, value in record.items() if key not in ("created", "seconds", "command")}
    kept["methods"] = [
        {key: value for key, value in one.items() if key not in ("seconds", "memory_mb")}
        for one in kept["methods"]
    ]
    return kept


def test_it_says_what_the_library_says(tmp_path):
    run = qpfs("compare", "wine", "--method", "qpfs", "--method", "mrmr", *QUICK, "--json")
    assert run.returncode == 0, run.stderr
    wine = open_problem("wine")
    direct = compare({"qpfs": QPFS(), "mrmr": MRMR()}, wine.X, wine.y, cv=3, inner_cv=2, sizes=[1, 3, 5])
    found = {one["name"]: one for one in json.loads(run.stdout)["methods"]}
    for one in direct.record["methods"]:
        assert found[one["name"]]["curve"] == one["curve"]
        assert found[one["name"]]["nested"] == one["nested"]


def test_files_and_table(tmp_path):
    run = qpfs("compare", "wine", "--method", "qpfs", "--method", "fgm:c=2", *QUICK, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        "comparison.csv",
        "comparison.json",
        "records.jsonl",
        "report.html",
    }
    assert "FGM (c=2)" in run.stdout
    assert "all features" in run.stdout
    with (tmp_path / "o" / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    record = json.loads((tmp_path / "o" / "comparison.json").read_text())
    nested = {one["name"]: one["nested"] for one in record["methods"]}
    assert [(row["method"], row["estimate"], row["k"]) for row in rows] == [
        (method, *one)
        for method in ("qpfs", "fgm:c=2")
        for one in (
            *(("curve", k) for k in ("1", "3", "5")),
            ("nested", " ".join(map(str, nested[method]["k"]))),
        )
    ]
    for row in rows[3::4]:
        assert [float(row[name]) for name in ("score", "low", "high")] == [
            nested[row["method"]][name] for name in ("score", "low", "high")
        ]
        assert row["n_splits"] == "3"
    assert {row["failed"] for row in rows} == {""}
    again = qpfs("compare", "wine", *QUICK, "--out", tmp_path / "o")
    assert again.returncode == 2
    assert "exists" in again.stderr


def test_memory_is_measured_if_asked_for(monkeypatch):
    measure_in_forks(monkeypatch)
    run = qpfs("compare", "wine", "--method", "maxrel", "--memory", *QUICK[1:], "--json")
    assert run.returncode == 0, run.stderr
    (found,) = json.loads(run.stdout)["methods"]
    assert found["memory_mb"] >= 0


def test_a_run_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    whole = json.loads(qpfs("compare", "wine", "--method", "maxrel", *QUICK, "--json").stdout)
    n_fits = []
    ordinary = MaxRel.fit

    def interrupted(self, X, y):
        n_fits.append(1)
        if len(n_fits) == 4:
            raise KeyboardInterrupt
        return ordinary(self, X, y)

    monkeypatch.setattr(MaxRel, "fit", interrupted)
    first = qpfs("compare", "wine", "--method", "maxrel", *QUICK, "--out", tmp_path / "o")
    assert first.returncode == 130
    assert "records.jsonl" in first.stderr
    assert [path.name for path in (tmp_path / "o").iterdir()] == ["records.jsonl"]
    second = qpfs("compare", "wine", "--method", "maxrel", *QUICK, "--out", tmp_path / "o", "--json")
    assert second.returncode == 0, second.stderr
    assert without_times(json.loads(second.stdout)) == without_times(whole)
    n_trials = 3 * (1 + 2)
    assert len(n_fits) == n_trials + 1  # what was done is not done again


def test_groups_stay_together(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "visits.csv"
    rows = [f"{rng.normal():.3f},{rng.normal():.3f},p{i // 4},{(i // 4) % 2}" for i in range(48)]
    path.write_text("\n".join(["a,b,patient,ill", *rows]))
    arguments = ["compare", path, "--target", "ill", "--method", "maxrel", *QUICK[:-2], "--sizes", "1,2"]
    record = json.loads(qpfs(*arguments, "--groups", "patient", "--json").stdout)
    assert record["protocol"]["groups"]
    assert record["data"]["n_features"] == 2
    run = qpfs(*arguments[:-1], "1,9", "--groups", "patient")
    assert "qpfs: note: --sizes asks for 9 features, but there are 2; all of them are tried" in run.stderr
    assert not json.loads(qpfs(*arguments, "--json").stdout)["protocol"]["groups"]


def test_a_parameter_without_meaning_for_a_quantity_is_refused_as_it_is_typed(tmp_path):
    path = tmp_path / "numbers.csv"
    rng = np.random.default_rng(0)
    path.write_text(
        "\n".join(["a,b,y", *(",".join(f"{one:.6f}" for one in rng.normal(size=3)) for _ in range(40))])
    )
    run = qpfs("compare", path, "--target", "y", "--method", "maxrel", "--method", "l1:C=0.01", *QUICK)
    assert run.returncode == 2
    assert "qpfs: --method l1:C=0.01: C=0.01, but the target is a quantity" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "magic"], "expected one of qpfs"),
        (["--method", "mrmr:radius=1"], "'radius' is not a parameter of mrmr"),
        (["--method", "mrmr", "--method", "mrmr"], "expected each once"),
        (["--sizes", "1,x"], "expected numbers of features"),
        (["--sizes", "0"], "expected numbers of features"),
        (
            ["--method", "qpfs:levels=3"],
            "--method qpfs:levels=3: levels=3; expected equal-frequency, equal-width,",
        ),
        (["--estimator", "oracle"], "expected linear, logistic"),
        (["--scoring", "rocauc"], "--scoring rocauc is not a score of scikit-learn; did you mean roc_auc"),
        (
            ["--scoring", "roc_auc"],
            "--scoring roc_auc is for two classes, but the target has 3; give one for",
        ),
        (["--scoring", "roc_auc"], "such as --scoring roc_auc_ovr with --estimator logistic, which has"),
        (
            ["--scoring", "roc_auc_ovr"],
            "--scoring roc_auc_ovr needs probabilities (predict_proba), which LinearSVC does not have. "
            "Give --estimator logistic or --estimator forest, which have them, or another score.",
        ),
        (["--scoring", "nope"], "--scoring nope is not a score of scikit-learn; sklearn.metrics"),
        (["--scoring", "r2"], "--scoring r2 scores numbers, but the target holds classes"),
        (["--method", "rfe:k=3"], "'k' is not a parameter of rfe; it has C"),
        (["--method", "l1:C=abc"], "--method l1:C=abc: C=abc; expected a number, True, False, None, or"),
        (["--method", "l1:C='abc'"], "--method l1:C='abc': C=abc, but it must be a number above 0."),
        (["--method", "forest:n_estimators=0"], "n_estimators=0, but it must be an integer of at least 1."),
        (["--method", "l1:C="], "--method l1:C=: C=; expected a number"),
        (["--method", "ikma:n_first=0"], "--method ikma:n_first=0: n_first=0, but it must be"),
        (["--method", "qpfs:theta=x"], "--method qpfs:theta=x: theta=x; expected"),
        (["--cv", "1"], "--cv"),
        (
            ["--cv", "60"],
            "--cv 60, but the largest class has 50 samples; give a number of folds from 2 to 50.",
        ),
        (["--cv", "2", "--inner-cv", "45"], "--inner-cv 45, but the largest class of a training part has 25"),
    ],
)
def test_bad_usage_is_one_message(arguments, message):
    run = qpfs("compare", "iris", *arguments, COLUMNS="200")
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_a_method_that_fails_does_not_stop_the_others(tmp_path):
    path = tmp_path / "gaps.csv"
    rows = [f"{i},{'' if i % 7 == 0 else i % 5},{i % 2}" for i in range(40)]
    path.write_text("\n".join(["a,b,t", *rows]))
    run = qpfs(
        "compare", path, "--target", "t", "--method", "fgm", "--method", "maxrel", *QUICK[:-2], "--sizes", 1,
        "--out", tmp_path / "o",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "FGM failed" in run.stdout
    with (tmp_path / "o" / "comparison.csv").open() as file:
        first, *others = csv.DictReader(file)
    assert (first["method"], first["estimate"], first["score"]) == ("fgm", "", "")
    assert first["failed"].startswith("ValueError: Input X contains NaN")
    assert [(row["method"], row["estimate"]) for row in others] == [("maxrel", "curve"), ("maxrel", "nested")]


def test_if_every_method_fails_the_command_does(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,t\n" + "1,2,x\n2,,y\n" * 20)
    run = qpfs(
        "compare", tmp_path / "a.csv", "--target", "t", "--method", "fgm", *QUICK[:-2], "--sizes", 1,
        "--out", tmp_path / "o",
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (1, "")
    assert "every method failed: FGM (ValueError: Input X contains NaN" in run.stderr
    assert not (tmp_path / "o" / "comparison.json").exists()


def test_why_a_method_failed_is_spelled_as_it_is_typed(tmp_path):
    """An option of the command as one; a parameter of the method as it stands after the colon."""
    (tmp_path / "a.csv").write_text("a,b,t\n" + "1,2,x\n2,1,x\n3,5,x\n" * 4 + "3,3,y\n" * 2)
    quick = ["--target", "t", "--repeats", 1, "--inner-cv", 2, "--sizes", 1, "--no-memory"]
    few = qpfs("compare", tmp_path / "a.csv", *quick, "--method", "maxrel", "--cv", 6, "--scoring", "roc_auc")
    assert "(--scoring roc_auc is nan on a test part of " in few.stderr
    assert "use fewer folds (--cv), so that each test part is larger" in few.stderr
    own = qpfs("compare", tmp_path / "a.csv", *quick, "--cv", 2, "--method", "maxrel:top=0")
    assert "--method maxrel:top=0: top=0, but it must be an integer of at least 1" in own.stderr
    assert "fitted" not in own.stderr


def test_a_plan_does_nothing_but_plan(tmp_path):
    arguments = ["compare", "wine", "--method", "maxrel", "--method", "f-test", "--method", "fgm", "--plan"]
    run = qpfs(*arguments, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    assert (
        "2. divide them by 5-fold cross-validation, 3 times (stratified), and each training part by"
        in run.stdout
    )
    assert "3. rank the features of 60 training parts by MaxRel, F test and FGM\n" in run.stdout
    assert "Nothing has been compared or written." in run.stdout
    assert not (tmp_path / "o").exists()
    plan = json.loads(qpfs(*arguments, "--no-memory", "--json").stdout)
    assert plan.keys() == {"steps", "seconds", "megabytes", "table_megabytes"}
    assert plan["seconds"] > 0
    assert plan["table_megabytes"] > 0
    assert len(plan["steps"]) == 4


def test_a_plan_counts_what_a_comparison_would_run(monkeypatch):
    """At a second for a fit, and for judging it, the forecast is the number of trials that are run."""
    wine, quick = open_problem("wine"), ["--cv", 4, "--repeats", 2, "--inner-cv", 3, "--no-memory"]
    run = []
    compare(
        [MaxRel(), QPFS()],
        wine.X,
        wine.y,
        cv=4,
        repeats=2,
        inner_cv=3,
        sizes=[2],
        tick=lambda *n: run.append(n),
    )
    monkeypatch.setattr("qpfs.cli.comparison_forecast.seconds", lambda work: 0.5)
    monkeypatch.setattr("qpfs.cli.plan.TrialFit.seconds_for", lambda self, n_features, n_samples: 0.5)
    methods = ["--method", "maxrel", "--method", "qpfs", "--sizes", 2]
    plan = json.loads(qpfs("compare", "wine", *methods, *quick, "--plan", "--json").stdout)
    fits, alone = run[0][1] - 8, 8  # those with all features fit nothing
    assert plan["seconds"] == pytest.approx(fits + alone / 2, abs=2)  # and reading


def test_a_plan_says_which_methods_would_fail(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,t\n" + "1,2,x\n2,,y\n3,1,x\n" * 20)
    methods = ["--method", "fgm", "--method", "maxrel", "--sizes", "1"]
    run = qpfs("compare", tmp_path / "a.csv", "--target", "t", *methods, "--plan")
    assert run.returncode == 0, run.stderr
    assert "report that FGM failed (ValueError: Input X contains NaN" in run.stdout


def test_a_plan_refuses_what_a_comparison_would():
    run = qpfs("compare", "iris", "--cv", "60", "--plan")
    assert (run.returncode, run.stdout) == (2, "")
    assert "--cv 60, but the largest class has 50 samples" in run.stderr


def test_an_interrupted_run_says_what_there_is(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("qpfs.data.open_problem", interrupted)
    run = qpfs("compare", "iris", "--out", tmp_path / "o")
    assert (run.returncode, run.stderr) == (130, "qpfs: interrupted; nothing was written.\n")


def test_a_quantity_is_predicted_by_a_regressor():
    """A forest of classes would take each number of the target for a class of its own."""
    quick = [*QUICK[:-1], "3", "--method", "maxrel", "--json"]
    run = qpfs("compare", "diabetes", "--estimator", "neighbors", *quick)
    record = json.loads(run.stdout)
    steps = record["protocol"]["estimator"]["parameters"]["steps"]
    assert steps[-1][1]["class"].endswith("KNeighborsRegressor")
    assert record["methods"][0]["nested"]["score"] < 0.9
    assert "stratified by fifths of the target" in record["protocol"]["text"]
    refused = qpfs("compare", "diabetes", "--estimator", "logistic", *quick)
    assert refused.returncode == 2
    assert "--estimator logistic is for classes, but the target is a quantity" in refused.stderr
    refused = qpfs("compare", "diabetes", "--scoring", "accuracy", *quick)
    assert refused.returncode == 2
    assert "--scoring accuracy scores classes, but the target is a quantity" in refused.stderr


def test_scores_and_rivals_by_name(tmp_path):
    rivals = ["--method", "f-test", "--method", "l1:C=0.5", "--method", "rfe"]
    run = qpfs(
        "compare", "wdbc", *rivals, "--scoring", "roc_auc", *QUICK, "--out", tmp_path / "o", COLUMNS="120"
    )
    assert run.returncode == 0, run.stderr
    assert "roc_auc" in run.stdout
    assert "%" not in run.stdout.split("Tested by")[0]  # what follows says how, shares of samples among it
    assert "L1 linear model (C=0.5)" in run.stdout
    record = json.loads((tmp_path / "o" / "comparison.json").read_text())
    assert record["protocol"]["scoring"] == {"name": "roc_auc", "greater_is_better": True}
    assert all(one["nested"]["score"] > 0.9 for one in record["methods"])
    assert (tmp_path / "o" / "comparison.csv").read_text().startswith("method,k,score,")


def test_the_estimator_that_is_advised_has_probabilities():
    how = ["--scoring", "roc_auc_ovr", "--estimator", "logistic", "--method", "maxrel", "--json"]
    run = qpfs("compare", "iris", *QUICK[:-1], "2", *how)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["methods"][0]["nested"]["score"] > 0.9


def test_the_help_has_a_sentence_for_each_method():
    said = " ".join(qpfs("compare", "--help", COLUMNS="200").stdout.split())
    for name, entry in [*METHODS.items(), *RIVALS.items()]:
        assert f"{name}: {entry.says}." in said
