"""The record says what the estimator says, number for number, and is strict JSON."""

from __future__ import annotations

import csv
import io
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import mannwhitneyu
from sklearn.datasets import load_diabetes
from sklearn.metrics import mutual_info_score
from tests.published import IKMAQPFS, IKMQPFS, MRMR, QPFS, MaxRel
from tests.report.selections import SELECTORS, fitted_to_wdbc, hostile, named, record_of_wdbc, wdbc
from tests.spreadsheets import cells_of, run_cells

from qpfs import GDM, EqualFrequency
from qpfs.formulas import restored
from qpfs.report import as_json, check_selection, csv_lines, feature_rows, selection_record
from qpfs.selectors.reasons import reasons_of

every_selector = pytest.mark.parametrize("selector", SELECTORS, ids=named)


@pytest.fixture(scope="module", params=SELECTORS, ids=named)
def fitted(request):
    return fitted_to_wdbc(request.param)


@every_selector
def test_a_record_says_what_the_estimator_says(selector):
    X, _ = wdbc()
    fitted, record = fitted_to_wdbc(selector), record_of_wdbc(selector)
    chosen = [int(f) for f in fitted.order_ if fitted.get_support()[f]]
    assert [row["index"] for row in record["features"]] == chosen
    assert [row["feature"] for row in record["features"]] == list(X.columns[chosen])
    assert [row["weight"] for row in record["features"]] == list(fitted.scores_[chosen])
    assert [row["rank"] for row in record["features"]] == list(range(1, len(chosen) + 1))
    if hasattr(fitted, "relevance_"):
        assert [row["relevance"] for row in record["features"]] == list(fitted.relevance_[chosen])
    assert record["n_selected"] == fitted.get_support().sum()
    assert record["n_weighted"] == (fitted.scores_ > 0).sum()
    assert record["certificate"].get("gap") == getattr(fitted, "gap_", None)
    assert record["certificate"].get("theta") == getattr(fitted, "theta_", None)
    assert record["method"]["class"] == type(fitted).__name__
    data = record["data"]
    assert (data["n_samples"], data["n_features"], data["n_constant"]) == (569, 31, 1)
    assert data["classes"] == [{"name": "benign", "n": 357}, {"name": "malignant", "n": 212}]


@every_selector
def test_a_record_is_strict_json(selector):
    record = record_of_wdbc(selector)
    assert json.loads(as_json(record)) == record
    assert record["schema"] == "qpfs-selection/3"


def test_every_feature_has_a_row_and_a_reason(fitted):
    X, _ = wdbc()
    rows = feature_rows(fitted)
    assert [row["feature"] for row in rows] == list(X.columns)
    for i, row in enumerate(rows):
        assert row["reason"] == reasons_of(fitted).texts(np.array([i]), list(X.columns))[0]
        assert row["selected"] == fitted.support_[i]
        assert row[value(fitted)] == fitted.scores_[i]
        place = np.flatnonzero(fitted.order_ == i)
        assert row["rank"] == (place[0] + 1 if len(place) else None)


SCORED = {"MRMR", "JMI", "CMIM", "MaxRel", "TwoLevelSelector", "InterleavedSelector"}


def value(fitted):
    """Rules have scores; programs and models weights."""
    return "score" if named(fitted) in SCORED else "weight"


@cache
def areas():
    """The area of each column of WDBC under the curve, malignant over benign, some of one column missing."""
    X, y = wdbc()
    X.iloc[::7, 3] = np.nan
    of = {kind: X[y == kind] for kind in ("malignant", "benign")}
    both = {name: [of[kind][name].dropna() for kind in of] for name in X.columns[:-1]}
    return {
        name: mannwhitneyu(one, other).statistic / (len(one) * len(other))
        for name, (one, other) in both.items()
    }


def test_the_effects_of_rows_are_those_of_the_numbers(fitted):
    X, _ = wdbc()
    X.iloc[::7, 3] = np.nan
    rows = feature_rows(fitted, X=X)
    known = ~np.isnan(X.iloc[:, 3])
    for row, name in zip(rows, X.columns, strict=True):
        if name == "always one":
            assert (row["effect"], row["direction"], row["effect_measure"]) == (None, None, None)
            continue
        area = areas()[name]
        assert row["effect"] == pytest.approx(max(area, 1 - area))
        assert row["direction"] == f"higher in {'malignant' if area > 0.5 else 'benign'}"
        assert row["effect_measure"] == "auc"
        assert row["effect_samples"] == (known.sum() if name == X.columns[3] else None)
    assert "effect_samples" in csv_of(rows).splitlines()[0]
    assert "effect_samples" not in csv_of(feature_rows(fitted, X=wdbc()[0])).splitlines()[0]


def test_what_is_left_out_is_counted_and_the_most_relevant_named(fitted):
    X, _ = wdbc()
    rows = feature_rows(fitted, X=X)
    record = selection_record(fitted, X=X, rows=rows)
    left, others = record["left_out"], [row for row in rows if not row["selected"]]
    assert sum(one["n"] for one in left["reasons"]) == len(others)
    by_relevance = hasattr(fitted, "relevance_")
    others.sort(key=lambda row: -row["relevance"] if by_relevance else row["rank"] or len(rows))
    assert [one["feature"] for one in left["features"]][:5] == [row["feature"] for row in others][:5]
    for one in left["features"]:
        row = rows[one["index"]]
        assert (one["reason"], one["rank"], one["relevance"]) == (
            row["reason"],
            row["rank"],
            row["relevance"],
        )
        assert (one["effect"] or {"size": None})["size"] == row["effect"]
    for one in record["features"]:
        assert one["effect"]["size"] == rows[one["index"]]["effect"]


def test_selected_features_that_may_be_chance_are_counted():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([y + rng.normal(size=60) / 2, rng.normal(size=(60, 4))])
    fitted = MaxRel(3).fit(X, y)
    chance = selection_record(fitted)["chance"]
    assert chance["n_significant"] == 1
    assert chance["n_doubtful"] == 2
    assert (fitted.qvalues_[fitted.order_[1:3]] > 0.05).all()


def test_nothing_is_left_out_where_all_are_selected():
    X, y = load_diabetes(return_X_y=True)
    assert selection_record(MaxRel(10).fit(X, y))["left_out"] is None


def test_what_a_machine_stands_for_is_at_a_distance_from_0_to_1():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 5)), np.arange(80) % 2
    X[:, 0] += y
    X = np.c_[X, -X[:, 0] + 0.01 * rng.normal(size=80)]
    fitted = GDM(2).fit(X, y)
    assert any(one.correlation < 0 for some in fitted.affiliated_features_.values() for one in some)
    record = check_selection(selection_record(fitted))
    (near,) = [near for one in record["features"] for near in one["alternatives"]]
    assert near["distance"] < 0.01


def test_few_integers_are_named_by_their_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"yes": rng.random(60) < 0.5, "n": rng.integers(3, 6, 60), "wide": rng.integers(0, 9, 60)}
    )
    record = selection_record(MaxRel(3).fit(X, X["yes"] ^ (X["n"] > 4)), X=X)
    found = {one["feature"]: one["levels"] for one in record["features"]}
    assert found["yes"]["names"] == ["0", "1"]
    assert found["n"]["values"] == [3, 4, 5]
    assert found["n"]["names"] == ["3", "4", "5"]
    assert np.sum(found["n"]["counts"], axis=0).tolist() == X["n"].value_counts().sort_index().tolist()
    assert "values" not in found["wide"]


def test_labels_come_in_their_own_order():
    stages = ["stage 10"] * 9 + ["stage 2"] * 6 + ["stage 1"] * 3 + [None] * 2
    X = pd.DataFrame({"stage": stages, "x": np.arange(20.0)})
    record = selection_record(MaxRel(2).fit(X, np.arange(20) > 8))
    levels = next(one["levels"] for one in record["features"] if one["feature"] == "stage")
    assert levels["names"] == ["stage 1", "stage 2", "stage 10", "missing"]
    assert np.sum(levels["counts"], axis=0).tolist() == [3, 6, 9, 2]


def test_rows_are_made_when_they_are_asked_for(fitted):
    rows = feature_rows(fitted)
    every = list(rows)
    assert len(rows) == len(every)
    assert rows[-1] == every[-1]
    assert rows[3:9:2] == every[3:9:2]
    with pytest.raises(IndexError):
        rows[len(rows)]
    ranked = sorted((row for row in every if row["rank"]), key=lambda row: row["rank"])
    rest = [row for row in every if not row["rank"]]
    rest.sort(key=lambda row: -(row["relevance"] or 0.0))
    assert list(rows.of(rows.best_first())) == ranked + rest


def csv_of(rows):
    return "".join(csv_lines(rows))


def test_rows_as_csv(fitted):
    rows = feature_rows(fitted)
    read = list(csv.DictReader(io.StringIO(csv_of(rows))))
    assert [row["feature"] for row in read] == [row["feature"] for row in rows]
    assert [float(row[value(fitted)]) for row in read] == fitted.scores_.tolist()
    assert [row["selected"] == "yes" for row in read] == list(fitted.support_)
    assert "frequency" not in read[0]
    asked = csv_of(feature_rows(fitted, frequency=np.linspace(0, 1, 31)))
    assert [float(row["frequency"]) for row in csv.DictReader(io.StringIO(asked))][-1] == 1.0


def test_names_as_csv_are_neither_run_nor_torn(fitted):
    names = ["=1+1", "x\r=2", "-5", *(f"+x{i}" for i in range(28))]
    text = csv_of(feature_rows(fitted, names))
    assert run_cells(text) == []
    assert [restored(row[0]) for row in cells_of(text)[1:]] == names


def test_distances_to_representatives():
    X, y = wdbc()
    fitted = IKMAQPFS(radius=0.9, n_first=4).fit(X, y)
    record, rows = selection_record(fitted), feature_rows(fitted)
    for row in rows:
        if row["cluster"] is not None:
            i, r = row["index"], int(fitted.representatives_[row["cluster"]])
            assert row["representative"] == X.columns[r]
            np.testing.assert_allclose(row["distance"], fitted.fitted_.table.distances(np.array([r]))[0, i])
    for one in record["features"]:
        mine = np.flatnonzero(fitted.labels_ == fitted.labels_[one["index"]])
        assert one["cluster_size"] == len(mine)
        assert {other["index"] for other in one["members"]} <= set(mine.tolist()) - {one["index"]}
        assert len(one["members"]) == min(len(mine) - 1, 8)
        apart = [other["distance"] for other in one["members"]]
        assert apart == sorted(apart)


def test_alternatives_are_those_of_the_estimator():
    X, y = wdbc()
    fitted = QPFS(4).fit(X, y)
    for one in selection_record(fitted)["features"]:
        asked = fitted.alternatives(one["index"])
        assert [(a.feature, a.name, a.distance) for a in asked] == [
            (a["index"], a["feature"], a["distance"]) for a in one["alternatives"]
        ]


def test_identifiers_are_no_alternatives():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 9))).rename(columns="x{}".format)
    X["patient"] = [f"P{i:04d}" for i in range(len(X))]
    with pytest.warns(UserWarning, match="identifiers"):
        fitted = QPFS(4).fit(X, np.arange(80) % 2)
    for one in selection_record(fitted)["features"]:
        near = [other["feature"] for other in one["alternatives"]]
        asked = [other.name for other in fitted.alternatives(one["index"], n=6)]
        assert near == [name for name in asked if name != "patient"][:5]
        assert one["feature"] == "patient" or "patient" in asked


def test_levels_are_counted_as_the_data_say():
    X, y = hostile()
    fitted = IKMQPFS(radius=0.5).fit(X, y)
    record = selection_record(fitted)
    names = [one["name"] for one in record["data"]["classes"]]
    for one in record["features"]:
        column = X.iloc[:, one["index"]]
        levels = one["levels"]
        counted = np.array(levels["counts"])
        for c, name in enumerate(names):
            expected = level_sizes(column[y == name], levels)
            assert counted[c].tolist() == expected


def level_sizes(values, levels):
    """How many values are at each level, by its name."""
    sizes = []
    for name in levels["names"]:
        if name == "missing":
            sizes.append(int(values.isna().sum()))
        elif "labels" in levels:
            sizes.append(int((values == name).sum()))
        else:
            place = interval_place(levels, name)
            edges = [-np.inf, *levels["edges"], np.inf]
            sizes.append(int(((values > edges[place]) & (values <= edges[place + 1])).sum()))
    return sizes


def interval_place(levels, name):
    """Which interval a name means."""
    if name.startswith("≤"):
        return 0
    return (
        len(levels["edges"])
        if name.startswith(">")
        else levels["names"].index(name) + (0 if levels["names"][0].startswith("≤") else 1)
    )


def test_a_level_that_does_not_occur_is_not_named():
    X = np.array([[0.0], [0.0], [0.0], [0.0], [9.0], [np.nan]] * 4)
    y = np.array([0, 0, 0, 1, 1, 1] * 4)
    levels = selection_record(QPFS().fit(X, y))["features"][0]["levels"]
    assert levels["counts"] == [[12, 0, 0], [4, 4, 4]]
    assert levels["names"][1].startswith(">")
    assert levels["names"][2] == "missing"


def test_histograms_count_every_known_value_once():
    X, y = hostile()
    X.iloc[0, 0] = 1e9
    record = selection_record(QPFS().fit(X, y), X=X)
    for one in record["features"]:
        column = X.iloc[:, one["index"]]
        if one["feature"] == "kind <b>":
            assert one["distribution"] is None
            continue
        spread = one["distribution"]
        edges = np.array(spread["edges"])
        for c, group in enumerate(record["data"]["classes"]):
            values = column[(y == group["name"]) & column.notna()]
            expected = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
            assert spread["counts"][c] == expected.tolist()
            assert spread["missing"][c] == group["n"] - len(values)
        assert spread["beyond"][1] == (column > edges[-1]).sum()
    outlier = next(one for one in record["features"] if one["index"] == 0)["distribution"]
    assert outlier["edges"][-1] < 100


def test_integers_have_bins_of_their_own():
    X = np.array([[0, 1, 2, 3, 3, 5, 5, 5]] * 5, float).reshape(-1, 1)
    spread = selection_record(QPFS().fit(X, X[:, 0] > 2), X=X)["features"][0]["distribution"]
    assert np.sum(spread["counts"], axis=0).tolist() == [5, 5, 5, 10, 0, 15]
    assert spread["edges"] == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5]


@pytest.mark.parametrize("tied", [0.0, -999.0, 4.5, 1e6])
def test_a_value_of_many_samples_is_counted_by_itself(tied):
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b"], 100)
    x = np.where(rng.random(200) < np.repeat([0.9, 0.5], 100), tied, rng.normal(5, 1, 200))
    x[[0, 100]] = np.nan, 1e9
    spread = selection_record(MaxRel(1, measure="rank").fit(x[:, None], y), X=x[:, None])["features"][0][
        "distribution"
    ]
    assert spread["tied"]["value"] == tied
    edges, others = np.array(spread["edges"]), np.isfinite(x) & (x != tied)
    assert x[others].min() == edges[0]
    assert edges[-1] < 100  # the tied value does not stretch the bins, nor hides that another is far out
    for c, name in enumerate("ab"):
        assert spread["tied"]["counts"][c] == ((y == name) & (x == tied)).sum()
        within = np.clip(x[(y == name) & others], edges[0], edges[-1])
        assert spread["counts"][c] == np.histogram(within, edges)[0].tolist()
    assert (spread["missing"], spread["beyond"]) == ([1, 0], [0, 1])


@pytest.mark.parametrize(
    ("values", "is_tied"),
    [
        (np.r_[np.zeros(80), np.arange(1, 21)], True),
        (np.r_[np.zeros(80), np.ones(20)], False),  # two values are two bars
        (np.r_[np.zeros(80), np.arange(5).repeat(4)], False),
        (np.r_[np.zeros(10), np.linspace(1, 2, 90)], False),  # seen well among the others
        (np.r_[np.zeros(40), np.full(30, 1), np.arange(2, 32)], False),  # not alone
    ],
)
def test_only_a_value_that_flattens_the_others_is_counted_by_itself(values, is_tied):
    X = values[:, None]
    record = selection_record(MaxRel(1, measure="rank").fit(X, np.arange(100) % 2), X=X)
    check_selection(json.loads(as_json(record)))
    assert ("tied" in record["features"][0]["distribution"]) == is_tied


def test_levels_of_integers_have_the_value_counted_by_itself():
    X = np.r_[np.zeros(80), np.arange(1, 11).repeat(2)][:, None]
    fitted = MaxRel(1, measure="mi", discretizer=EqualFrequency(50)).fit(X, np.arange(100) % 2)
    (one,) = selection_record(fitted, X=X)["features"]
    assert one["distribution"]["tied"] == {"value": 0.0, "counts": [40, 40]}
    assert one["levels"]["values"] == [*range(11)]


@pytest.mark.parametrize("value", [1e-320, 1e308, -1e308, 5.0])
def test_histograms_of_strange_numbers(value):
    X = np.array([[0.25, value, value, 2 * value if abs(value) < 1e300 else 0.0]] * 3).reshape(-1, 1)
    record = selection_record(MaxRel(1).fit(np.c_[X, np.arange(12)], np.arange(12) % 2), X=np.c_[X, X])
    assert sum(map(sum, record["features"][0]["distribution"]["counts"])) == 12
    as_json(record)


@pytest.mark.parametrize("kind", ["array", "list", "polars", "pyarrow", "sparse"])
def test_any_table_gives_the_same_histograms(kind):
    X, y = wdbc()
    expected = selection_record(QPFS(4).fit(X, y), X=X)
    tables = {
        "array": lambda: X.to_numpy(),
        "list": lambda: X.to_numpy().tolist(),
        "polars": lambda: __import__("polars").from_pandas(X),
        "pyarrow": lambda: __import__("pyarrow").Table.from_pandas(X),
        "sparse": lambda: scipy.sparse.csr_array(X.to_numpy()),
    }
    found = selection_record(QPFS(4).fit(X, y), X=tables[kind]())
    for a, b in zip(found["features"], expected["features"], strict=True):
        assert a["distribution"] == b["distribution"]


def test_redundancy_is_mutual_information_over_the_larger_entropy():
    X, y = wdbc()
    X = X.to_numpy()
    fitted = QPFS(5, discretizer=EqualFrequency(4)).fit(X, y)
    redundancy = selection_record(fitted)["redundancy"]
    codes = fitted.discretizer_.transform(X)[:, redundancy["indices"]].T
    shared = np.array([[mutual_info_score(a, b) for b in codes] for a in codes])
    own = np.diag(shared)
    expected = shared / np.maximum(own[:, None], own[None, :])
    np.testing.assert_allclose(redundancy["values"], expected, atol=1e-4)


def test_redundancy_of_a_linear_machine_is_correlation():
    X, y = wdbc()
    fitted = GDM(4).fit(X, y)
    assert selection_record(fitted)["redundancy"] is None
    redundancy = selection_record(fitted, X=X)["redundancy"]
    expected = np.abs(np.corrcoef(X.iloc[:, redundancy["indices"]].to_numpy().T))
    np.testing.assert_allclose(redundancy["values"], expected, atol=1e-4)


def test_a_quantity_is_shown_in_groups_of_its_values():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    data = selection_record(QPFS().fit(X, y))["data"]
    assert data["task"] == "regression"
    assert len(data["classes"]) == data["n_classes"] == 5
    assert sum(one["n"] for one in data["classes"]) == len(y)
    low = [float(one["name"].split(" to ")[0]) for one in data["classes"]]
    assert low[0] == y.min()
    assert low == sorted(low)


def test_small_classes_are_put_together():
    rng = np.random.default_rng(0)
    y = np.repeat([f"c{i:03d}" for i in range(150)], np.r_[np.full(140, 3), np.full(10, 9)])
    record = selection_record(MRMR(3).fit(rng.normal(size=(len(y), 6)), y))
    classes = record["data"]["classes"]
    assert record["data"]["n_classes"] == 150
    assert [one["name"] for one in classes] == [
        "c000",
        *[f"c{i}" for i in range(140, 150)],
        "139 smaller classes",
    ]
    assert sum(one["n"] for one in classes) == len(y)
    counts = np.array(record["features"][0]["levels"]["counts"])
    assert counts.sum(axis=1).tolist() == [one["n"] for one in classes]


def test_what_is_given_is_kept():
    X, y = wdbc()
    record = selection_record(
        QPFS(2).fit(X.to_numpy(), y),
        names=list(X.columns),
        data={"source": "a.csv", "checksum": "sha256:00", "notes": ["x"], "n_samples": 569},
        command="qpfs select a.csv",
        stability={"n": 20, "index": np.float64(0.5), "low": np.nan, "high": 1},
        frequency=np.linspace(0, 1, 31),
        seconds={"fit": 0.5},
    )
    assert record["data"]["source"] == "a.csv"
    counts = {name: record["stability"].pop(name) for name in ("often", "n_often")}
    assert record["stability"] == {"n": 20, "index": 0.5, "low": None, "high": 1}
    assert counts["n_often"] == 16  # of 31 evenly from 0 to 1
    assert counts["often"][0] == {"feature": X.columns[30], "index": 30, "share": 1.0, "rank": None}
    assert record["features"][0]["feature"] in X.columns
    assert record["features"][0]["frequency"] == np.linspace(0, 1, 31)[record["features"][0]["index"]]
    as_json(record)


def test_names_that_are_too_few_are_refused():
    X, y = wdbc()
    with pytest.raises(ValueError, match="feature_names holds 2 names, but there are 31 features"):
        selection_record(QPFS(2).fit(X, y), names=["a", "b"])


@pytest.mark.parametrize("wrong", [np.ones((569, 2)), np.ones((3, 31)), [[1, 2]], np.ones(31)])
def test_another_table_is_refused(wrong):
    X, y = wdbc()
    with pytest.raises(ValueError, match="fitted to 569 samples of 31 features; give the X of fit"):
        selection_record(MRMR(2).fit(X, y), X=wrong)


def test_weights_are_thinned_but_not_where_they_end(microarray):
    X, y = microarray
    fitted = MaxRel(3).fit(X, y)
    weights = selection_record(fitted)["weights"]
    assert weights["n_ranked"] == len(fitted.order_)
    ranks = [row[0] for row in weights["ranked"]]
    assert ranks == sorted(set(ranks))
    assert {1, 2, 3, 50, weights["n_positive"], len(fitted.order_)} <= set(ranks)
    for rank, weight, relevance in weights["ranked"]:
        assert weight == fitted.scores_[fitted.order_[rank - 1]]
        assert relevance == fitted.relevance_[fitted.order_[rank - 1]]


def test_clusters_account_for_every_feature(microarray):
    X, y = microarray
    fitted = IKMQPFS(theta=0.4, radius=0.95).fit(X, y)
    clusters = selection_record(fitted)["clusters"]
    assert clusters["n_features"] == X.shape[1]
    assert sum(bar["width"] for bar in clusters["levels"][0]["bars"]) == X.shape[1]
    kept, gone = clusters["fates"]["kept"], clusters["fates"]["discarded"]
    assert kept["clusters"] == len(fitted.representatives_)
    assert kept["features"] == (fitted.labels_ >= 0).sum()
    assert kept["features"] + gone["features"] == X.shape[1]


def test_fitting_again_forgets_the_table_before():
    X, y = wdbc()
    fitted = MRMR(2).fit(X, y)
    fitted.fit(X.iloc[:, :3], y)
    assert selection_record(fitted)["data"]["n_features"] == 3


def test_a_pickled_selector_still_reports():
    import pickle

    X, y = wdbc()
    fitted = MRMR(3).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert selection_record(again)["features"] == selection_record(fitted)["features"]


def test_a_frame_of_labels_alone():
    X = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["u", "v", "w", "u"] * 5})
    record = selection_record(QPFS().fit(X, np.arange(20) % 2), X=X)
    assert record["features"][0]["levels"]["labels"] == ["x", "y"]
    assert record["features"][0]["levels"]["counts"] == [[10, 0], [0, 10]]
    assert record["features"][0]["distribution"] is None


@pytest.mark.parametrize("value", [1e17, 2.0**53, -1e308])
def test_large_integers_are_binned_as_the_numbers_they_are(value):
    X = np.array([value, np.nan, value, np.nan] * 5).reshape(-1, 1)
    spread = selection_record(MaxRel(1).fit(X, np.arange(20) % 2), X=X)["features"][0]["distribution"]
    assert (np.sum(spread["counts"]), sum(spread["missing"])) == (10, 10)
    assert (np.diff(spread["edges"]) > 0).all()


def test_frequencies_of_other_features_are_refused():
    X, y = wdbc()
    with pytest.raises(ValueError, match=r"frequency has the shape \(4,\); expected a share for each of 31"):
        selection_record(MaxRel(2).fit(X, y), frequency=np.ones(4))
