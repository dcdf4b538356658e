"""Features that must be in, out, or together, as they are typed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from tests.cli.command import qpfs

from qpfs import QPFS


@pytest.fixture(scope="module")
def colours(tmp_path_factory):
    rng = np.random.default_rng(0)
    colour = rng.choice(["blue", "green", "red"], 90)
    y = (rng.random(90) < np.where(colour == "red", 0.9, 0.2)).astype(int)
    frame = pd.get_dummies(pd.DataFrame({"color": colour}), prefix_sep="__", dtype=int)
    frame = frame.assign(age=rng.normal(size=90) + y, noise=rng.normal(size=90), ill=y)
    path = tmp_path_factory.mktemp("colours") / "colours.csv"
    frame.to_csv(path, index=False)
    return path, frame


def test_kept_and_excluded():
    typed = [
        "select",
        "wdbc",
        "--keep",
        "mean radius",
        "--keep",
        "symmetry*",
        "--exclude",
        "worst*",
        "--top",
        5,
    ]
    run = qpfs(*typed)
    assert "mean radius (kept)" in run.stdout
    assert "10 (excluded)" in run.stdout
    record = json.loads(qpfs(*typed, "--json").stdout)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = QPFS(5, keep=["mean radius", "symmetry*"], exclude="worst*").fit(X, y)
    assert [one["feature"] for one in record["features"]] == list(X.columns[fitted.order_[:5]])
    assert [one["kept"] for one in record["features"]] == [True, True, False, False, False]
    assert record["method"]["parameters"]["keep"] == ["mean radius", "symmetry error"]


def test_groups(colours, tmp_path):
    path, frame = colours
    run = qpfs(
        "select", path, "--target", "ill", "--feature-groups", "__", "--top", 2, "--out", tmp_path / "out"
    )
    assert "color (3 columns)" in run.stdout
    applied = qpfs("apply", tmp_path / "out" / "selection.json", path, "--out", "-")
    assert set(applied.stdout.splitlines()[0].split(",")) == {
        "color__blue",
        "color__green",
        "color__red",
        "age",
    }
    typed = ["--feature-groups", "__", "--at-most", 1, "--measure", "mi", "--json"]
    record = json.loads(qpfs("select", path, "--target", "ill", *typed).stdout)
    fitted = QPFS(measure="mi", feature_groups="__", at_most=1).fit(frame.drop(columns="ill"), frame.ill)
    assert [one["index"] for one in record["features"]] == fitted.order_[
        fitted.support_[fitted.order_]
    ].tolist()
    redrawn = qpfs("report", tmp_path / "out" / "selection.json", "--out", tmp_path / "again.html")
    assert redrawn.returncode == 0
    assert "color (3 columns)" in (tmp_path / "again.html").read_text()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--keep", "mean radus"],
            "--keep 'mean radus', but no column seen in fit has that name; did you mean 'mean radius'",
        ),
        (["--keep", "mean*", "--top", 3], "--keep names 10 features, but --top asks for 3"),
        (["--keep", "mean area", "--exclude", "mean*"], "--keep and --exclude both name 'mean area'"),
        (
            ["--at-most", 2],
            "--at-most 2 is the largest number of features of a group, but there are no groups; also give "
            "--feature-groups",
        ),
        (["--feature-groups", "__"], "--feature-groups __, but no column name contains that"),
        (["--method", "gdm", "--keep", "mean area"], "--keep is not for --method gdm"),
        (
            ["--measure", "mi", "--feature-groups", " "],
            "without --at-most means that groups are selected as a whole",
        ),
    ],
)
def test_what_cannot_be_is_said(typed, message):
    run = qpfs("select", "wdbc", *typed)
    assert run.returncode == 2
    assert message in " ".join(run.stderr.split())


def test_what_is_no_feature_is_said_to_be_something_else(colours):
    path, _ = colours
    roles = {
        "ill": "is the target",
        "age": "is adjusted for (--adjust)",
        "noise": "has the groups (--groups)",
    }
    for name, role in roles.items():
        run = qpfs("select", path, "--target", "ill", "--adjust", "age", "--groups", "noise", "--keep", name)
        said = " ".join(run.stderr.split())
        assert f"--keep {name}, but '{name}' {role}" in said
    run = qpfs("compare", path, "--target", "ill", "--method", "ikm:exclude=ill", "--sizes", 2)
    assert "exclude=ill, but 'ill' is the target" in " ".join(run.stderr.split())


def test_methods_are_compared_with_theirs(colours):
    path, _ = colours
    method = "ikm:keep=noise,keep=age,exclude=color__r*"
    quick = ["--sizes", "2,3", "--cv", 3, "--repeats", 1, "--inner-cv", 2, "--no-memory", "--json"]
    run = qpfs("compare", path, "--target", "ill", "--method", method, *quick)
    (found,) = json.loads(run.stdout)["methods"]
    assert "failed" not in found
    wrong = qpfs("compare", path, "--target", "ill", "--method", "ikm:keep=nois", "--sizes", 2)
    assert "did you mean 'noise'" in " ".join(wrong.stderr.split())


def test_a_plan_has_nothing_to_do_with_names(colours):
    path, _ = colours
    run = qpfs("select", path, "--target", "ill", "--keep", "noise", "--feature-groups", "__", "--plan")
    assert "expected:" in run.stdout
