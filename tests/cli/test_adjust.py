"""`--adjust`: columns that features are adjusted for, of the table, of the labels or of a store."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.validation import has_fit_parameter
from tests.cli.command import qpfs

from qpfs import QPFS
from qpfs.cli.signatures import parameters_of
from qpfs.data import Reading, open_problem
from qpfs.methods import METHODS

rng = np.random.default_rng(2)
N = 60
BATCH, AGE = rng.integers(1, 4, N), rng.normal(50, 9, N).round(1)
ILL = np.where(rng.random(N) < 0.2 + 0.2 * BATCH, "yes", "no")
X = pd.DataFrame(rng.normal(size=(N, 6)), columns=[f"g{i}" for i in range(6)])
X["g1"] += ILL == "yes"
X["g2"] = 2.0 * BATCH
EXPECTED = QPFS(3).fit(X, ILL, covariates={"batch": BATCH, "age": AGE})


@pytest.fixture
def table(tmp_path):
    X.assign(batch=BATCH, age=AGE, ill=ILL).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def first(record):
    return [row["index"] for row in record["features"]]


ADJUST = ("--adjust", "batch", "--adjust", "age", "--target", "ill", "--top", 3, "--json")


def test_columns_of_the_table_are_taken_out_and_adjusted_for(table):
    record = json.loads(qpfs("select", table, *ADJUST).stdout)
    assert record["data"]["n_features"] == 6
    assert first(record) == EXPECTED.order_[:3].tolist()
    assert [row["weight"] for row in record["features"]] == EXPECTED.scores_[EXPECTED.order_[:3]].tolist()
    assert record["data"]["adjusted"] == [
        {"name": "batch", "n_categories": 3},
        {"name": "age", "n_categories": None},
    ]
    assert record["data"]["n_reflecting"] == 1
    assert record["data"]["taken"][-1].startswith("Adjusted for batch (3 categories) and age (a number)")
    assert "adjusted for batch (3 categories)" in record["method"]["account"]["text"]
    assert record["data"]["reading"]["adjust"] == ["batch", "age"]


def test_so_are_those_of_the_labels_and_of_a_store(table, tmp_path):
    names = [f"s{i}" for i in range(N)]
    X.assign(id=names).to_csv(tmp_path / "x.csv", index=False)
    labels = pd.DataFrame({"id": names, "ill": ILL, "batch": BATCH, "age": AGE})
    labels.sample(frac=1, random_state=0).to_csv(tmp_path / "l.csv", index=False)
    beside = qpfs("select", tmp_path / "x.csv", "--labels", tmp_path / "l.csv", "--index", "id", *ADJUST)
    assert first(json.loads(beside.stdout)) == EXPECTED.order_[:3].tolist()
    store, how = tmp_path / "t.qpfs", ("--keep", "batch", "--keep", "age", "--measure", "rank")
    assert qpfs("encode", table, "--target", "ill", *how, "--out", store).returncode == 0
    assert first(json.loads(qpfs("select", store, *ADJUST).stdout)) == EXPECTED.order_[:3].tolist()
    refused = qpfs("select", store, "--adjust", "g1")
    assert refused.returncode == 2
    assert "encode again with --keep g1" in refused.stderr


def test_stability_and_the_check_adjust_too(table):
    run = qpfs("select", table, *ADJUST, "--stability", 3, "--check", 2)
    record = json.loads(run.stdout)
    assert record["stability"]["n"] == 3
    assert "adjusted for batch" in record["comparison"]["protocol"]["text"]


def test_numbers_can_be_said_to_be_categories(table):
    found = open_problem(str(table), Reading(target="ill", adjust=("age",), categorical=("age",)))
    assert found.covariates["age"].dtype == object
    assert found.covariates["age"][0] == f"{AGE[0]:.17g}"
    assert open_problem(str(table), Reading(target="ill", adjust=("age",))).covariates["age"].dtype == float


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--adjust", "sex"), "no column 'sex'"),
        (("--adjust", "batch", "--method", "fgm"), "cannot adjust for covariates"),
    ],
)
def test_what_cannot_be_adjusted_for_is_refused(table, arguments, words):
    run = qpfs("select", table, "--target", "ill", *arguments)
    assert run.returncode == 2
    assert words in run.stderr


@pytest.mark.parametrize("method", METHODS.ours)
def test_what_is_refused_at_first_is_what_selectors_do_not_take(method):
    """The command knows it before scikit-learn is imported."""
    row = METHODS[method]
    assert row.adjusts == has_fit_parameter(row.selector(), "covariates")
    assert ("keep" in parameters_of(method)) == hasattr(row.selector(), "keep")


@pytest.mark.filterwarnings("ignore::qpfs.selectors.selector.CovariateWarning")  # g2 only reflects batch
@pytest.mark.parametrize("method", ["cmim", "jmi"])
def test_a_method_without_a_choice_of_measure_adjusts_as_well(table, method):
    record = json.loads(qpfs("select", table, *ADJUST, "--method", method).stdout)
    expected = METHODS[method].selector(3).fit(X, ILL, covariates={"batch": BATCH, "age": AGE})
    assert first(record) == expected.order_[:3].tolist()
    assert "adjusted for batch (3 categories)" in record["method"]["account"]["text"]


def test_a_plan_and_a_comparison_name_what_is_adjusted_for(table):
    assert "adjust for batch and age" in qpfs("select", table, *ADJUST[:-3], "--plan").stdout
    asked = (
        "--adjust",
        "batch",
        "--method",
        "maxrel",
        "--method",
        "f-test",
        "--cv",
        2,
        "--sizes",
        "2",
        "--no-memory",
    )
    record = json.loads(qpfs("compare", table, "--target", "ill", *asked, "--json").stdout)
    assert "Not adjusted: f-test." in record["protocol"]["text"]
