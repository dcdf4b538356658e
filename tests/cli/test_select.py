"""The command, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sklearn.datasets import load_breast_cancer
from tests.apart import COMMAND, script
from tests.cli.command import qpfs

from qpfs import IKMAQPFS, MRMR, QPFS
from qpfs.cli.plan import n_workers
from qpfs.cli.terminal import absence_lines, ranked_table, size
from qpfs.data import Reading, open_problem
from qpfs.evaluation import error_curve, resampled


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "patients.csv"
    rows = [["age", 'he said "hi"', "<b>", "city", "ill"]]
    rows += [
        [20 + i, i % 3, "" if i % 5 == 0 else i * 0.5, "ab"[i % 2], ["no", "yes"][i % 2]] for i in range(40)
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_built_in_set_agrees_with_the_estimator():
    run = qpfs("select", "wdbc", "--top", 6, "--json")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = QPFS(6).fit(X, y)
    record = json.loads(run.stdout)
    assert record["schema"] == "qpfs-selection/3"
    assert [row["feature"] for row in record["features"]] == list(X.columns[fitted.order_[:6]])
    assert [row["weight"] for row in record["features"]] == list(fitted.scores_[fitted.order_[:6]])
    assert record["certificate"]["gap"] == fitted.gap_


def test_a_file_agrees_with_the_estimator(table):
    import pandas as pd

    frame = pd.read_csv(table)
    fitted = MRMR(3).fit(frame.drop(columns="ill"), frame["ill"])
    record = json.loads(
        qpfs("select", table, "--target", "ill", "--method", "mrmr", "--top", 3, "--json").stdout
    )
    assert [row["index"] for row in record["features"]] == list(fitted.order_)


@pytest.mark.parametrize("method", ["qpfs", "nystrom", "mrmr", "maxrel"])
def test_the_table_for_a_person(table, method):
    run = qpfs("select", table, "--target", "ill", "--method", method, "--top", 2)
    assert run.returncode == 0, run.stderr
    assert "40 samples, 4 features, target 'ill'" in run.stdout
    assert method == "nystrom" or "city" in run.stdout  # one sampled feature of four guesses the rest
    assert "\x1b[" not in run.stdout


def test_files_are_written_and_not_overwritten(table, tmp_path):
    out = tmp_path / "result"
    first = qpfs("select", table, "--target", "ill", "--out", out)
    assert first.returncode == 0, first.stderr
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "selection.csv", "selection.json"]
    with (out / "selection.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert next(row["feature"] for row in rows if row["rank"] == "1") == "city"
    again = qpfs("select", table, "--target", "ill", "--out", out)
    assert (again.returncode, again.stdout) == (2, "")
    assert "exists" in again.stderr
    assert qpfs("select", table, "--target", "ill", "--out", out, "--force").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["patients.csv"], 2, "--target COLUMN"),
        (["patients.csv", "--target", "nobody"], 2, "no column 'nobody'"),
        (["nowhere.csv"], 2, "There is no file 'nowhere.csv'"),
        (
            ["patients.csv", "--target", "ill", "--top", "0"],
            2,
            "--top 0, but it must be an integer of at least 1",
        ),
        (["patients.csv", "--target", "ill", "--method", "magic"], 2, "magic"),
        (["patients.csv", "--target", "<b>", "--strict"], 1, "missing in 8 of 40 samples"),
        (["broken.csv", "--target", "a"], 1, "cannot be read as CSV"),
        (["twice.csv", "--target", "a"], 2, "several columns named 'a' (--target); choose one"),
        (["empty.csv", "--target", "b"], 1, "empty.csv"),
        (["one_row.csv", "--target", "b"], 1, "1 row and"),
    ],
)
def test_bad_input_is_one_line(table, arguments, code, message):
    folder = table.parent
    (folder / "broken.csv").write_text("a,b\n1,2\n3\n")
    (folder / "twice.csv").write_text("a,a,b\n1,2,3\n4,5,6\n")
    (folder / "empty.csv").write_text("")
    (folder / "one_row.csv").write_text("a,b\n1,2\n")
    run = qpfs("select", *arguments, cwd=folder)
    assert run.returncode == code
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_hostile_names_are_shown_as_text(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text(
        '"[bold red]x[/]","\x1b[31mred","a\nb",t\n'
        + "".join(f"{i},{i % 2},{i % 3},{i % 2}\n" for i in range(12))
    )
    run = qpfs("select", path, "--target", "t", "--top", 3)
    assert run.returncode == 0, run.stderr
    assert "[bold red]x[/]" in run.stdout
    assert "\x1b" not in run.stdout
    assert r"a\nb" in run.stdout


def test_files_are_written_even_if_nobody_reads_the_table(table, tmp_path):
    unread = "import os, sys\nread, written = os.pipe()\nos.close(read)\nsys.stdout = open(written, 'w')\n"
    script(unread + COMMAND, "select", table, "--target", "ill", "--out", tmp_path / "o")
    assert (tmp_path / "o" / "selection.json").exists()


def test_a_terminal_without_the_characters(table):
    plain = (
        "import sys\n"
        "for one in (sys.stdout, sys.stderr): one.reconfigure(encoding='ascii', errors='strict')\n"
    )
    run = script(plain + COMMAND, "select", table, "--target", "ill")
    assert run.returncode == 0, run.stderr
    assert "city" in run.stdout


def test_a_quantity_for_a_target():
    run = qpfs("select", "diabetes", "--top", 3)
    assert run.returncode == 0
    assert "bmi" in run.stdout


@pytest.mark.parametrize("below", ["", "further", "further/down"])
def test_out_that_is_a_file(table, below):
    run = qpfs("select", table, "--target", "ill", "--out", table / below)
    assert (run.returncode, run.stdout) == (2, "")
    assert "name a folder" in run.stderr


def test_a_wide_file(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"a_rather_long_name_of_a_feature_{i}" for i in range(50_000)]
    rows = [",".join(str((i * j) % 7) for i in range(1, 50_001)) for j in range(1, 7)]
    path.write_text("\n".join([",".join([*names, "t"]), *(f"{row},{i % 2}" for i, row in enumerate(rows))]))
    run = qpfs("select", path, "--target", "t", "--method", "maxrel", "--top", 2)
    assert run.returncode == 0, run.stderr
    assert "50,000 features" in run.stdout


def test_text_that_is_not_utf_8(tmp_path):
    (tmp_path / "latin.csv").write_bytes("größe,t\n1,a\n2,b\n3,a\n".encode("latin-1"))
    run = qpfs("select", "latin.csv", "--target", "t", cwd=tmp_path)
    assert run.returncode == 1
    assert "not text in UTF-8" in run.stderr


def test_a_narrow_terminal_still_shows_the_numbers(table):
    run = qpfs("select", table, "--target", "ill", "--measure", "mi", COLUMNS="40")
    assert "0.6931" in run.stdout


def test_bars_give_way_to_names():
    long = "the expression of a gene in a sample of blood"
    rows = [{"rank": 1, "feature": long, "weight": 0.5, "relevance": 0.5}]
    widths = {
        room: Console(width=room).measure(ranked_table(rows, room=room)).maximum for room in (74, 84, 100)
    }
    assert widths[74] == widths[100] - 22
    assert widths[84] == widths[100] - 12
    assert all(width <= room for room, width in widths.items())


@pytest.mark.parametrize("size", [1, 7])
def test_a_name_is_whole_before_less_important_columns_are_shown(size):
    effect = {"measure": "auc", "size": 0.74, "direction": "higher in 1"}
    row = {"rank": 4, "feature": "HG2981-HT3127_s_at", "weight": 0.08, "relevance": 0.28, "qvalue": 0.0053}
    row |= {"effect": effect, "frequency": 0.4, "cluster_size": size}
    shown = Console(width=80, record=True, file=io.StringIO())
    shown.print(ranked_table([row], room=80))
    text = shown.export_text()
    assert "HG2981-HT3127_s_at" in text
    assert "…" not in text
    assert "0.0800" in text


@pytest.mark.parametrize(
    ("megabytes", "words"),
    [
        (0.0, "0 kB"),
        (0.00032, "0 kB"),
        (0.0123, "12 kB"),
        (0.1, "0.1 MB"),
        (9.96, "10.0 MB"),
        (1234.5, "1,234 MB"),
    ],
)
def test_sizes(megabytes, words):
    assert size(megabytes) == words


def test_a_note_is_said_once(tmp_path):
    lines = [f"P{i:03d},{i * 7 % 11},{i % 2}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["patient,x,ill", *lines]))
    run = qpfs("select", tmp_path / "a.csv", "--target", "ill", "--stability", 3)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("drop identifiers") == 1


def test_the_list_of_sets_fits_a_terminal():
    text = qpfs("datasets", "list", COLUMNS="80").stdout
    assert len(text.splitlines()) < 3 * 14
    assert qpfs("datasets", "show", "wdbc").stdout.count("unverified") == 1


def test_version():
    import qpfs as package

    assert qpfs("--version").stdout.strip() == f"qpfs {package.__version__}"


def test_stability(tmp_path):
    from qpfs.data import open_problem
    from qpfs.evaluation import resampled

    arguments = ["--top", 4, "--stability", 6, "--seed", 3, "--jobs", 2]
    run = qpfs("select", "wine", *arguments, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    wine = open_problem("wine")
    direct = resampled(QPFS(4, random_state=3), wine.X, wine.y, 6, random_state=3)
    record = json.loads((tmp_path / "o" / "selection.json").read_text())
    assert record["stability"]["index"] == direct.stability.index
    assert (record["stability"]["low"], record["stability"]["high"]) == (None, None)  # of six
    assert record["stability"]["clusters"]["index"] == direct.cluster_stability.index
    assert [row["frequency"] for row in record["features"]] == [
        direct.frequencies[row["index"]] for row in record["features"]
    ]
    with (tmp_path / "o" / "selection.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["frequency"]) for row in rows] == [
        direct.frequencies[int(row["index"])] for row in rows
    ]
    assert (
        f"Stability over 6 stratified random halves of the samples: {direct.stability.index:.2f},"
        in run.stdout
    )
    assert "6 are too few for an interval." in run.stdout
    assert "do not compare the two figures" in run.stdout


@pytest.mark.parametrize("n", [20, 200])
def test_four_donors_have_six_halves(tmp_path, n):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 8)).round(3)
    rows = [",".join(map(str, [*row, i % 2, f"donor{i // 10}"])) for i, row in enumerate(values)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,c,d,e,f,g,h,ill,donor", *rows]))
    asked = ["--target", "ill", "--groups", "donor", "--top", 3, "--stability", n]
    run = qpfs("select", tmp_path / "a.csv", *asked, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    said = f"{n} resamples were requested, but only 6 different ones exist: each was used once."
    assert said in run.stdout
    assert said in (tmp_path / "o" / "report.html").read_text()
    stable = json.loads((tmp_path / "o" / "selection.json").read_text())["stability"]
    assert (stable["n"], stable["n_asked"], stable["n_different"]) == (6, n, 6)
    assert (stable["low"], stable["high"]) == (None, None)


def test_features_never_selected_again_are_explained_below_the_table():
    features = [{"feature": f"f{i}", "frequency": 0.0 if i < 7 else 0.5} for i in range(9)]
    lines = absence_lines({"features": features, "stability": None})
    assert lines[0] == "“f0”: never selected in other draws of samples."
    assert lines[5:] == ["2 more selected features were never selected again either."]
    assert absence_lines({"features": features[6:], "stability": None}) == [lines[0].replace("f0", "f6")]


def test_a_single_half_is_no_stability(tmp_path):
    rows = [f"{i % 7},{i % 5},{i % 2},{i % 2}" for i in range(20)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,ill,donor", *rows]))
    run = qpfs("select", tmp_path / "a.csv", "--target", "ill", "--groups", "donor", "--stability", 9)
    assert run.returncode != 0
    assert "only 1 different resample" in run.stderr


def test_rows_of_the_csv_are_best_first_and_say_why(tmp_path):
    arguments = ["--method", "ikma", "--radius", 0.6, "--top", 3]
    assert qpfs("select", "wdbc", *arguments, "--out", tmp_path / "o").returncode == 0
    with (tmp_path / "o" / "selection.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30
    ranks = [int(row["rank"]) for row in rows if row["rank"]]
    assert ranks == list(range(1, len(ranks) + 1))
    assert [row["reason"] for row in rows[:3]] == ["selected"] * 3
    members = [row for row in rows if row["cluster"] == rows[0]["cluster"]]
    assert {row["representative"] for row in members} == {rows[0]["feature"]}
    assert all(row["reason"] for row in rows)


def test_direction_and_size_of_effects_on_the_terminal(tmp_path):
    two = qpfs("select", "wdbc", "--top", 3, "--out", tmp_path / "o", COLUMNS="100")
    assert "The target has 2 classes: benign (357) and malignant (212)." in two.stdout
    assert re.search(r"worst area +0\.\d{4} +0\.\d{4} +0\.97 +malignant", two.stdout)
    assert re.search(r"AUC +higher in +q ", two.stdout)
    assert "left out: " in two.stdout
    with (tmp_path / "o" / "selection.csv").open() as file:
        rows = {row["feature"]: row for row in csv.DictReader(file)}
    assert len(rows) == 30
    assert {row["effect_measure"] for row in rows.values()} == {"auc"}
    assert rows["mean radius"]["direction"] == "higher in malignant"
    assert rows["mean radius"]["reason"] == "repeats worst area (95 % shared)"
    several = qpfs("select", "iris", "--top", 2, COLUMNS="100").stdout
    assert re.search(r"eta² +highest in", several)
    assert re.search(r"petal width .* virginica", several)
    quantity = qpfs("select", "diabetes", "--top", 4).stdout
    assert "The target is a quantity, used by the normal scores of its ranks and not discretised." in quantity
    assert re.search(r"s3 +0\.\d{4} +0\.\d{4} +-0\.41", quantity)


def test_effects_in_different_measures_are_named(table):
    shown = qpfs("select", table, "--target", "ill", "--method", "maxrel", "--top", 4, COLUMNS="100").stdout
    assert re.search(r"city .* V 1\.00", shown)
    assert re.search(r"age .* AUC 0\.53 +yes", shown)


def test_a_column_that_tells_the_target_is_said_once_with_the_answer(tmp_path):
    lines = [f"{i * 37 % 101},{i * 53 % 97},{i % 2},{'uv'[i % 2]}" for i in range(120)]
    path = tmp_path / "leak.csv"
    path.write_text("\n".join(["a,b,paid,t", *lines]))
    run = qpfs("select", path, "--target", "t", "--top", 2, "--stability", 3, "--out", tmp_path / "o")
    assert run.stdout.count("Caution: column 'paid' alone nearly determines the target.") == 1
    assert "determines the target" not in run.stderr
    record = json.loads((tmp_path / "o" / "selection.json").read_text())
    assert record["cautions"] == record["data"]["notes"]
    assert "Caution." in (tmp_path / "o" / "report.html").read_text()


def test_only_what_is_new_in_a_resample_gets_a_note(tmp_path):
    """A warning of the fit to all samples was shown with it; one of some resamples only has their number."""
    path = tmp_path / "rare.csv"
    rows = [f"{i * 37 % 101},{int(i == 7)},1,{'uv'[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["a,rare,same,t", *rows]))
    how = ["--target", "t", "--stability", 10, "--out", tmp_path / "o"]
    rare = qpfs("select", path, *how, "--drop", "same", "--top", 2)
    assert re.search(
        r"qpfs: note: in \d of 10 resamples: --top asks for 2 features, but only 1 ", rare.stderr
    )
    both = qpfs("select", path, *how, "--drop", "rare", "--top", 2, "--force")
    assert both.stderr.count("--top asks for 2 features, but only 1 of 2") == 1
    assert "resamples" not in both.stderr


def test_a_plan_does_nothing_but_plan(table, tmp_path):
    arguments = ["select", table, "--target", "ill", "--method", "ikma", "--stability", 10, "--plan"]
    run = qpfs(*arguments, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    assert "IKMA-QPFS" in run.stdout
    assert re.search(r"about \d+ kB in addition to the [1-9]\d* kB of the table", run.stdout)
    assert not (tmp_path / "o").exists()
    plan = json.loads(qpfs(*arguments, "--json").stdout)
    assert plan["seconds"] > 0
    assert plan["megabytes"] >= 0


def test_a_plan_has_the_draws_and_the_check(table):
    how = ["select", table, "--target", "ill", "--top", 2, "--stability", 10, "--check", 4, "--plan"]
    steps = json.loads(qpfs(*how, "--scoring", "roc_auc", "--json").stdout)["steps"]
    assert steps[2:] == [
        "select from 10 random halves of the samples, for the stability",
        "check by 4-fold cross-validation (stratified): select from each of 4 training parts, train "
        "LinearSVC after MinMaxScaler on the selected features, and on all, and score it by roc_auc on the "
        "rest",
    ]
    alone = qpfs("select", table, "--target", "ill", "--groups", "age", "--stability", 10, "--plan").stdout
    assert "select from 10 random halves of the groups, for the stability" in alone
    assert "check" not in alone


def test_a_plan_counts_what_a_check_would_run(monkeypatch):
    """At a second for a fit and half of one for judging it, beside the fit to all samples."""
    monkeypatch.setattr("qpfs.cli.comparison_forecast.seconds", lambda work: 50.0)
    monkeypatch.setattr("qpfs.cli.plan.TrialFit.seconds_for", lambda self, n_features, n_samples: 100.0)
    for jobs in (1, 2):
        how = ["--top", 2, "--check", 5, "--plan", "--json", "--jobs", jobs]
        plan = json.loads(qpfs("select", "wine", *how).stdout)
        parts = 5 * (100 + 50) + 5 * 50  # by the selected features, and by all
        assert plan["seconds"] == pytest.approx(100 + parts / n_workers(jobs), abs=5)  # and reading


def test_a_plan_assumes_a_size_if_it_is_not_known():
    """Nobody knows how many features will have weight."""
    run = qpfs("select", "wine", "--check", 3, "--fdr", 0.1, "--plan")
    assert run.returncode == 0, run.stderr
    assert "check by 3-fold cross-validation" in run.stdout


@pytest.mark.parametrize("method", ["qpfs", "nystrom", "mrmr", "maxrel", "tlkm", "ikm", "ikma", "fgm", "gdm"])
def test_every_method_writes_and_plans(method, tmp_path):
    run = qpfs("select", "wine", "--method", method, "--top", 3, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "o" / "report.html").stat().st_size > 10_000
    assert qpfs("select", "wine", "--method", method, "--top", 3, "--plan").returncode == 0


def test_the_command_is_kept_so_that_it_can_be_repeated(tmp_path):
    arguments = ["--top", 2, "--theta", "0.25", "--levels", "equal-width:4"]
    run = qpfs("select", "wine", *arguments, "--out", tmp_path / "o")
    assert run.returncode == 0, run.stderr
    record = json.loads((tmp_path / "o" / "selection.json").read_text())
    assert record["command"].startswith("qpfs select wine --top 2 --theta 0.25")
    assert record["method"]["parameters"]["theta"] == 0.25
    assert "EqualWidth" in str(record["method"]["parameters"]["discretizer"])


def without_times(record):
    return {key: value for key, value in record.items() if key not in ("created", "seconds")}


def test_a_run_can_be_repeated_from_its_record_alone(tmp_path):
    rows = [f"p{i},{i % 7},{-999 if i % 9 == 0 else i},{i % 3},{i % 4},{'uv'[i % 2]}" for i in range(60)]
    path = tmp_path / "it's a <table>.csv"
    path.write_text("\n".join(["id,a,b,c d,site,t", *rows]))
    options = ["--target", "t", "--index", "id", "--missing", -999, "--categorical", "c*", "--groups", "site"]
    more = ["--method", "ikma", "--radius", 0.6, "--seed", 5, "--stability", 4, "--top", 2]
    first = qpfs("select", path, *options, *more, "--json")
    assert first.returncode == 0, first.stderr
    record = json.loads(first.stdout)
    again = qpfs(*shlex.split(record["command"])[1:])
    assert without_times(json.loads(again.stdout)) == without_times(record)

    problem = open_problem(record["data"]["source"], Reading(**record["data"]["reading"]))
    assert problem.checksum == record["data"]["checksum"]
    selector = IKMAQPFS(**record["method"]["parameters"]).fit(problem.X, problem.y)
    chosen = [row["index"] for row in record["features"]]
    assert selector.order_[selector.support_[selector.order_]].tolist() == chosen
    n, seed = record["stability"]["n"], record["stability"]["seed"]
    drawn = resampled(selector, problem.X, problem.y, n, groups=problem.groups, random_state=seed)
    assert drawn.stability.index == record["stability"]["index"]


def test_a_result_that_came_in_the_meantime_is_not_overwritten(tmp_path, monkeypatch):
    fit = QPFS.fit

    def slow(self, X, y):
        (tmp_path / "o").mkdir(exist_ok=True)
        (tmp_path / "o" / "selection.json").write_text("another's")
        return fit(self, X, y)

    monkeypatch.setattr(QPFS, "fit", slow)
    run = qpfs("select", "iris", "--top", 2, "--out", tmp_path / "o")
    assert (run.returncode, run.stdout) == (2, "")
    assert "exists" in run.stderr
    assert [path.read_text() for path in (tmp_path / "o").iterdir()] == ["another's"]
    assert [path.name for path in tmp_path.iterdir()] == ["o"]


def test_quiet_says_nothing_but_the_answer(table):
    assert qpfs("select", table, "--target", "ill", "--quiet").stderr == ""
    assert "read 40 samples" in qpfs("select", table, "--target", "ill").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--radius", "0.5"], "--radius is not for --method qpfs"),
        (["--theta", "much"], "--theta much; expected auto or a number"),
        (["--levels", "halves"], "--levels halves; expected equal-frequency, equal-width,"),
        (["--features-in", "both"], "--features-in both, but it must be"),
        (["--data", "nowhere"], "no such folder"),
        (["--top", "0"], "--top"),
        (["--stability", "-1"], "--stability"),
        (["--stability", "1"], "give 2 or more"),
        (["--seed", str(2**32)], "--seed"),
    ],
)
def test_bad_options_are_one_message(table, arguments, message):
    run = qpfs("select", table, "--target", "ill", *arguments, COLUMNS="200")
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--theta", "7"],
        ["--measure", "magic"],
        ["--jobs", "0"],
        ["--method", "ikm", "--n-split", "1"],
        ["--method", "gdm", "--max-correlation", "3"],
        ["--levels", "equal-width:1"],
    ],
)
def test_values_that_make_no_sense_are_refused_before_anything_is_read(arguments, tmp_path):
    (tmp_path / "no table.csv").write_bytes(b"\0")
    run = qpfs("select", tmp_path / "no table.csv", "--target", "t", *arguments)
    assert run.returncode == 2
    assert "must be" in run.stderr or "expected auto, rank, mi" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_an_interrupted_run_leaves_nothing(table, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(QPFS, "fit", interrupted)
    run = qpfs("select", table, "--target", "ill", "--out", tmp_path / "o")
    assert run.returncode == 130
    assert run.stderr.endswith("qpfs: interrupted; nothing was written.\n")
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("width", [80, 110])
@pytest.mark.parametrize(
    "command", ["", "select", "compare", "encode", "apply", "report", "bench", "datasets fetch"]
)
def test_help_names_no_types_and_breaks_no_words(command, width):
    text = qpfs(*command.split(), "--help", COLUMNS=str(width)).stdout
    assert "--help" in text
    assert not re.search(r"<\w+( range)?>|\w\|", text)
    if command == "select":
        assert "the most relevant features (relevance), the first" in " ".join(re.sub("│", "", text).split())


def test_help_needs_nothing_heavy():
    heavy = [
        "sklearn",
        "scipy",
        "numpy",
        "pyarrow",
        "numba",
        "jinja2",
        "matplotlib",
        "pandas",
        "qpfs.selectors",
    ]
    code = (
        "import sys\nfrom qpfs.cli import main\nsys.argv = ['qpfs', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"sys.exit([name for name in {heavy!r} if name in sys.modules] or 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "select" in run.stdout


def test_a_selection_imports_neither_other_commands_nor_what_draws_pages():
    unused = ["jinja2", "matplotlib", "qpfs.report.page", "qpfs.embedded", "qpfs.selectors.fgm"]
    unused += ["qpfs.cli.compare", "qpfs.cli.encode", "qpfs.evaluation.comparing"]
    code = (
        "import gc, sys\nfrom qpfs.cli import main\nsys.argv = ['qpfs', 'select', 'iris', '-q']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"sys.exit([name for name in {unused!r} if name in sys.modules] or not gc.isenabled())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_streams_that_are_not_there(table):
    """As Python finds them that begins with neither."""
    without = "import sys\nsys.stdin.close()\nsys.stdout.close()\nsys.stdin = sys.stdout = None\n"
    run = script(without + COMMAND, "select", table, "--target", "ill", "--top", "1")
    assert run.returncode == 0
    assert "Traceback" not in run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&- >&-", "2>&-", "<&-", ">&-"])
def test_streams_that_are_closed(table, closed):
    code = "from qpfs.cli import main; main()"
    command = shlex.join([sys.executable, "-c", code, "select", str(table), "--target", "ill", "--top", "1"])
    run = subprocess.run(f"{command} {closed}", shell=True, capture_output=True, text=True)
    assert run.returncode == 0
    assert "Traceback" not in run.stderr


def test_the_version_where_there_is_no_room():
    code = "from qpfs.cli import main; main()"
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-c", code, "--version"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (run.returncode, run.stderr) == (1, "qpfs: No space left on device\n")


def test_a_place_that_cannot_be_written_to_is_found_before_anything_is_read(tmp_path):
    (tmp_path / "file").write_text("")
    for out, code, message in [
        (tmp_path / "file" / "o", 2, "is a file"),
        ("/proc/o", 1, "nothing can be written there"),
    ]:
        run = qpfs("select", tmp_path / "file", "--target", "t", "--out", out)
        assert run.returncode == code
        assert message in run.stderr


def test_the_linear_machines_take_no_labels(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,t\n" + "1,u,x\n2,v,y\n" * 9)
    run = qpfs("select", tmp_path / "a.csv", "--target", "t", "--method", "fgm")
    assert (run.returncode, "--method fgm needs numbers" in run.stderr) == (2, True)


def test_messages_obey_no_escape_of_a_name(tmp_path):
    path = tmp_path / "a\x1b[31m.csv"
    path.write_text("a,t\n1,x\n2,y\n")
    run = qpfs("select", path, "--target", "t", "--out", tmp_path / "o\x1b[31m")
    assert run.returncode == 0
    assert "\x1b" not in run.stderr + run.stdout


def test_numbers_near_the_end_of_their_range_are_no_matter_for_a_note(tmp_path):
    (tmp_path / "a.csv").write_text("a,t\n" + "1e308,x\n-1e308,y\n" * 9)
    run = qpfs("select", tmp_path / "a.csv", "--target", "t")
    assert run.returncode == 0
    assert "overflow" not in run.stderr


def test_a_result_that_came_meanwhile_is_not_overwritten(table, tmp_path, monkeypatch):
    fit = QPFS.fit

    def slow(self, X, y):
        (tmp_path / "o").mkdir(exist_ok=True)
        (tmp_path / "o" / "selection.json").write_text("of another run")
        return fit(self, X, y)

    monkeypatch.setattr(QPFS, "fit", slow)
    run = qpfs("select", table, "--target", "ill", "--out", tmp_path / "o")
    assert (run.returncode, "exists; choose another, or overwrite it with --force" in run.stderr) == (2, True)
    assert [path.read_text() for path in (tmp_path / "o").iterdir()] == ["of another run"]


class TestCheckedOnNewSamples:
    def test_another_score(self):
        run = qpfs("select", "wdbc", "--top", 2, "--check", 2, "--scoring", "roc_auc")
        assert "On new samples the roc_auc with 2 features is about 0.9" in run.stdout.replace("\n", " ")
        run = qpfs("select", "wdbc", "--check", 2, "--scoring", "roc_aux")
        assert (run.returncode, "did you mean roc_auc" in run.stderr) == (2, True)

    def test_a_score_of_probabilities_is_refused_before_the_fit(self):
        asked = ["select", "wdbc", "--top", 2, "--check", 2, "--scoring", "neg_log_loss"]
        run = qpfs(*asked)
        assert (run.returncode, run.stdout, "fitted" in run.stderr) == (2, "", False)
        assert "--scoring neg_log_loss needs probabilities" in run.stderr
        assert "Give --estimator logistic or --estimator forest" in run.stderr
        run = qpfs(*asked, "--estimator", "logistic")
        assert "On new samples the neg_log_loss with 2 features is about" in run.stdout.replace("\n", " ")

    @pytest.mark.parametrize("quiet", [[], ["-q"]])
    def test_a_check_that_fails_is_reported_in_place_of_the_error(self, tmp_path, quiet):
        path = tmp_path / "t.csv"
        rows = [f"{i},{i * 7 % 13},{'u' if i < 26 else 'v'}" for i in range(28)]
        path.write_text("\n".join(["a,b,t", *rows]))
        asked = ["--target", "t", "--top", 1, "--check", 3, "--scoring", "roc_auc", "--out", tmp_path / "o"]
        run = qpfs("select", path, *asked, *quiet)
        assert run.returncode == 0, run.stderr
        said = " ".join(run.stdout.split())
        assert "On new samples the roc_auc is not known, since a part of the check could not be" in said
        assert "--scoring roc_auc is nan on a test part" in said
        assert "use fewer folds (--check), so that each test part is larger, or another scoring" in said
        assert "ValueError" not in said
        assert "qpfs failed" not in run.stderr
        record = json.loads((tmp_path / "o" / "selection.json").read_text())
        assert "is nan on a test part" in record["comparison"]["methods"][0]["failed"]
        page = (tmp_path / "o" / "report.html").read_text()
        assert page.count("On new samples the roc_auc is not known") == 2
        assert page.count("is nan on a test part") == 2  # and nowhere else, such as in a table of one method
        assert "every method failed" not in page

    def test_an_estimator_is_for_the_check(self):
        run = qpfs("select", "wdbc", "--estimator", "forest")
        assert (run.returncode, "--estimator forest is what --check trains" in run.stderr) == (2, True)

    def test_the_error_is_that_of_the_whole_procedure(self, tmp_path):
        run = qpfs("select", "wdbc", "--top", "4", "--check", "3", "--out", "o", cwd=tmp_path)
        record = json.loads((tmp_path / "o" / "selection.json").read_text())
        X, y = load_breast_cancer(return_X_y=True)
        expected = error_curve(QPFS(4), X, y, cv=3, sizes=[4]).mean[0]
        found = record["comparison"]["methods"][0]["nested"]["score"]
        assert found == pytest.approx(expected, abs=1e-12)
        said = f"On new samples the error with 4 features is about {100 * found:.1f}"
        assert said in run.stdout.replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")
        assert said in (tmp_path / "o" / "report.html").read_text().replace("\N{NO-BREAK SPACE}", " ")

    def test_too_few_groups_are_said_before_the_fit(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["a,b,g,t", *(f"{i},{i % 7},{i % 4},{'uv'[i % 2]}" for i in range(40))]))
        run = qpfs("select", path, "--target", "t", "--groups", "g", "--check", 5)
        assert "--check 5, but there are 4 groups; give a number of folds from 2 to 4." in run.stderr
        assert (run.returncode, "fitted" in run.stderr) == (2, False)

    def test_nothing_selected_is_nothing_to_test(self, tmp_path):
        lines = [f"{i * 37 % 101},{i * 53 % 97},{'uv'[i % 2]}" for i in range(40)]
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["a,b,t", *lines]))
        run = qpfs("select", path, "--target", "t", "--top", 2, "--fdr", 0.01, "--check", 3, "--stability", 3)
        assert "No feature is selected." in run.stdout
        assert "none has a q value of at most 0.01; nothing is selected." in run.stderr
        assert "nothing was selected, so --check has nothing to test." in run.stderr
        assert run.stdout.count("No feature is more relevant than chance") == 1
        assert "relevant than chance" not in run.stderr

    def test_one_part_is_none(self, tmp_path):
        run = qpfs("select", "wdbc", "--check", "1", cwd=tmp_path)
        assert (run.returncode, "--check 1, but one part" in run.stderr) == (2, True)
