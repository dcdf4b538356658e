"""Tables from outcomes made by hand."""

from __future__ import annotations

import csv
import io

import pytest
from reproduction.figures import all_figures, curves_sheet
from reproduction.findings import findings, missing, optimism, winner
from reproduction.plan import FULL, QUICK, PaperPlan
from reproduction.results import Results, SetResults, curve_from, lowest_of
from reproduction.sets import Shape
from reproduction.sheets import Worksheet, markdown, shown
from reproduction.tables import ROWS, all_sheets
from reproduction.verdicts import BETTER, NO_NUMBER, NOT_COMPARABLE, OURS_ONLY, SAME, Cell
from tests.reproduction.small import MADE_UP, curve, nested, set_results

PLAN = PaperPlan(QUICK, {"colon": MADE_UP})
FOUND = set_results(
    {
        "qpfs": [curve(20, 12, 8, 9, 10, 10, 9, 9, 11, 12, 13, parameters={"theta": 0.5})] * 2,
        "ikma": [curve(14, 11, 5)],
    },
    inside={"qpfs": curve(25, 12, 10, 11)},
    nested={"qpfs": nested(3, 4, 5, parameters={"theta": 0.5}, at={10: 0.2, 20: 0.25})},
    costs={
        "qpfs": {"seconds": 0.5, "megabytes": 4.0, "why": ""},
        "ikma": {"seconds": 1.0, "megabytes": 8.0, "why": ""},
    },
    baselines={"all": 0.17, "representatives": 0.24},
)
HAND = Results(PLAN, {"colon": FOUND})


def sheets_of(results):
    return {sheet.name: sheet for some in all_sheets(results).values() for sheet in some}


def row(sheet, *names):
    (found,) = [row for row in sheet.rows if row[: len(names)] == list(names)]
    return dict(zip(sheet.header, found, strict=True))


def test_lowest_errors_beside_the_publications():
    found = row(sheets_of(HAND)["lowest_error"], "Colon")
    assert found["QPFS"] == Cell(12.9, pytest.approx(800 / 62), SAME)
    assert found["IKMA-QPFS"].ours == pytest.approx(500 / 62)
    assert found["IKMA-QPFS"].verdict == SAME  # 8.06
    assert found["mRMR"] == Cell(None, None, NO_NUMBER)
    assert row(sheets_of(HAND)["lowest_error"], "RAC")["QPFS"] == Cell(
        0.0, None, NOT_COMPARABLE, "the data of RAC are not public"
    )
    assert row(sheets_of(HAND)["lowest_error"], "USPS")["QPFS"].reason == "some sets were not at hand"


def test_errors_at_a_number_of_features():
    found = row(sheets_of(HAND)["error_at_top"], "Colon", "QPFS")
    assert found["10"].ours == pytest.approx(1000 / 62)  # sizes 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100
    assert found["100"].ours == pytest.approx(1300 / 62)
    few = row(sheets_of(HAND)["error_at_top"], "Colon", "IKMA-QPFS")["10"]  # three were found
    assert few == Cell(16.13, None, NOT_COMPARABLE, "so many features were not found here")


def test_both_protocols():
    found = row(sheets_of(HAND)["both_protocols"], "Colon", "QPFS")
    assert found["as published"] == pytest.approx(800 / 62)
    assert found["nested"] == pytest.approx(100 * (3 + 4 + 5) / 60)
    assert found["difference"] == pytest.approx(20 - 800 / 62)
    assert found["choices tried"] == 2 * 11
    assert found["selection inside the loop"] == pytest.approx(1000 / 62)
    assert found["nested, low"] < 20 < found["nested, high"]


def test_times_are_ratios_to_qpfs():
    found = row(sheets_of(HAND)["time"], "Colon")
    assert found["QPFS"] == Cell(None, 1.0, OURS_ONLY)  # its ratio to itself says nothing
    assert found["IKMA-QPFS"] == Cell(pytest.approx(0.76 / 104.90), 2.0, "worse")
    assert str(shown(found["IKMA-QPFS"], sheets_of(HAND)["time"].number)) == "0.0072 → 2 (+2) ▲"


def test_a_memory_that_cannot_be_measured_is_not_compared():
    cost = {"seconds": 0.01, "megabytes": 0.004, "why": ""}
    little = Results(PLAN, {"colon": SetResults(costs={"qpfs": cost, "ikma": cost | {"seconds": 0.02}})})
    assert row(sheets_of(little)["memory"], "Colon")["IKMA-QPFS"].verdict == NOT_COMPARABLE
    assert row(sheets_of(HAND)["memory"], "Colon")["IKMA-QPFS"].verdict == "worse"  # 4 and 8 MB
    assert row(sheets_of(little)["time"], "Colon")["IKMA-QPFS"].verdict == "worse"


def test_choices_are_counted_as_they_were_tried():
    few = [curve(50, 50, 40), curve(60, 50, 50)]
    found = set_results({"qpfs": few})
    assert found.n_tried("qpfs") == 6
    found.curves["qpfs"] = curve(50, 50, 40, 40, 40)  # on the given split the best at further numbers
    assert found.n_tried("qpfs") == 6 + 2


def over_sets(errors, shapes=None):
    """Results with the nested errors of some methods on each set, in percent of 100 samples."""
    plan = PaperPlan(QUICK, shapes or dict.fromkeys(errors, MADE_UP))
    found = {
        name: SetResults(nested={method: nested(wrong, n=100) for method, wrong in some.items()})
        for name, some in errors.items()
    }
    return Results(plan, found)


def test_ranks_over_sets():
    errors = {"colon": (3, 1), "lymphoma": (4, 2), "leukemia": (5, 6)}
    results = over_sets({name: {"qpfs": one, "mrmr": two} for name, (one, two) in errors.items()})
    found = sheets_of(results)["nested_ranks"]
    by_hand = [["mRMR", *[pytest.approx(4 / 3)] * 2], ["QPFS", *[pytest.approx(5 / 3)] * 2]]
    assert found.rows == by_hand
    assert "not shown to differ" in found.text
    (pair,) = sheets_of(results)["nested_pairs"].rows
    assert pair[:2] == ["mRMR", "mRMR"]
    assert pair[-1] == "no"


def test_methods_of_two_classes_are_ranked_over_the_sets_they_take():
    errors = {
        "colon": {"qpfs": 3, "mrmr": 2, "fgm": 1},
        "lymphoma": {"qpfs": 4, "mrmr": 5, "fgm": 3},
        "srbct": {"qpfs": 5, "mrmr": 4},
    }
    results = over_sets(errors, {name: Shape(60, 2000, 4 if name == "srbct" else 2) for name in errors})
    # all three sets: mRMR 1 + 2 + 1, QPFS 2 + 1 + 2; two of them: FGM 1 + 1, mRMR 2 + 3, QPFS 3 + 2
    assert sheets_of(results)["nested_ranks"].rows == [
        ["mRMR", pytest.approx(4 / 3), 2.5],
        ["QPFS", pytest.approx(5 / 3), 2.5],
        ["FGM", None, 1.0],
    ]
    (told,) = winner(results)
    assert "mRMR (1.33), QPFS (1.67): over all 3 sets" in told
    assert "FGM (1.00), QPFS (2.50), mRMR (2.50): over 2 sets" in told


def test_how_much_is_promised_names_all_that_are_worst():
    names = ("qpfs", "mrmr", "maxrel")
    found = set_results(
        {name: [curve(6, n=60)] for name in names},
        inside={name: curve(9, n=60) for name in names},
        nested={name: nested(wrong, n=100) for name, wrong in zip(names, (30, 30, 15), strict=True)},
    )
    # 20, 20 and 5 points more than 10 %; 5 with the selection inside
    (told,) = optimism(Results(PLAN, {"colon": found}))
    assert "15.0 percentage points higher" in told
    assert "at most 20.0 (QPFS on Colon and mRMR on Colon)" in told
    assert "On the small sets it is 15.0 points, 5.0 of them from the selection alone" in told


def test_a_table_as_csv_has_a_line_for_each_verdict():
    sheet = Worksheet(
        "x", "X", "", ("set", "a"), [["s", Cell(1.0, 0.25, BETTER, "why")], ["t", Cell(None, 2.0, OURS_ONLY)]]
    )
    lines = list(csv.DictReader(io.StringIO(sheet.csv())))
    assert lines[0] == {
        "set": "s",
        "column": "a",
        "paper": "1",
        "ours": "0.25",
        "difference": "-0.75",
        "verdict": "better",
        "reason": "why",
    }
    assert lines[1]["paper"] == ""
    assert markdown(sheet) == "| set | a |\n| --- | --- |\n| s | 1.00 → 0.25 (−0.75) ▼ |\n| t | 2.00 |\n"


def test_a_table_as_csv_has_no_text_that_a_spreadsheet_runs():
    sheet = Worksheet("x", "X", "", ("set", "@a"), [["=s", -0.25], ["-t", None]])
    assert sheet.csv() == "set,'@a\n'=s,-0.25\n'-t,\n"


def test_a_table_says_why_something_cannot_be_compared():
    cells = [Cell(1.0, 2.0, NOT_COMPARABLE, "too old"), Cell(2.0, None, NOT_COMPARABLE, "too old")]
    assert Worksheet("x", "X", "About x.", ("a", "b"), [cells]).told() == "About x. Not comparable: too old."
    assert Worksheet("x", "X", "About x.", ("a",), [[Cell(1.0, 1.0, SAME)]]).told() == "About x."


def test_columns_of_words_are_told_from_figures():
    rows = [["p", 1, None], ["q", 2.0, Cell(1.0, 1.0, SAME)]]
    assert Worksheet("x", "X", "", ("a", "b", "c"), rows).numeric() == [False, True, True]


def test_bars_in_names_do_not_break_a_table():
    assert markdown(Worksheet("x", "X", "", ("a",), [["p|q"]])).splitlines()[-1] == "| p\\|q |"


def test_findings_say_what_was_reached_and_what_not():
    sheets = sheets_of(HAND)
    text = " ".join(findings(HAND, sheets))
    assert "in 2 of 2 cases" in text
    assert "Not at hand: WDBC" in missing(HAND)[0]
    worse = Results(PLAN, {"colon": set_results({"ikma": [curve(30)]})})
    sheets = sheets_of(worse)
    assert "Colon IKMA-QPFS (48.39 against 8.06: beyond the noise)" in " ".join(findings(worse, sheets))


def test_figures_have_both_baselines():
    (figure, *_) = all_figures(HAND)
    assert figure.baselines == {"all features": 0.17, "all representatives of two-level k-means": 0.24}
    assert [point["k"] for point in figure.comparison()["methods"][1]["curve"]] == [1, 2, 3]
    lines = list(csv.DictReader(io.StringIO(curves_sheet([figure]).csv())))
    assert len(lines) == 11 + 3 + 2
    looks = {one["title"]: one["style"] for one in figure.comparison()["methods"]}
    assert looks == {"QPFS": 0, "IKMA-QPFS": 5}  # as where all methods are drawn


def test_of_equal_errors_the_one_with_fewer_features_is_chosen():
    later, first = (
        curve(9, 9, 5, 5, parameters={"theta": 0.5}),
        curve(9, 5, 9, 9, parameters={"theta": "auto"}),
    )
    assert lowest_of([later, first]) is first
    assert first.lowest_at == 2
    assert lowest_of([]) is None


def outcome(*wrong, n_ranked, n=100):
    return {"rankings": [{"loss": list(wrong), "n_ranked": n_ranked}], "n_test": n}


def test_of_random_splits_the_mean_and_its_error():
    outcomes = [
        outcome(10, 20, 20, 20, n_ranked=2),
        outcome(20, 20, 20, 20, n_ranked=2),
        outcome(30, 20, 10, 10, n_ranked=3),
        outcome(40, 20, 20, 20, n_ranked=2),
        outcome(50, 20, 20, 20, n_ranked=2),
    ]
    found = curve_from({}, [1, 2, 3, 5], outcomes, splits=True)
    assert found.sizes == [1, 2, 3]  # a split that finds fewer counts with all that it finds
    assert found.errors == pytest.approx([0.3, 0.2, 0.18])
    assert found.spread[0] == pytest.approx((0.025 / 5) ** 0.5)  # variance of .1 .2 .3 .4 .5: 0.025
    assert found.n == 100


def test_of_parts_of_one_test_the_sum():
    found = curve_from(
        {}, [1, 2], [outcome(0, 1, n_ranked=9, n=1), outcome(1, 1, n_ranked=9, n=1)], splits=False
    )
    assert (found.errors, found.spread, found.n) == ([0.5, 1.0], [0.0, 0.0], 2)


def test_methods_of_two_classes_are_left_out_of_what_they_cannot_do():
    plan = PaperPlan(FULL, {"srbct": Shape(63, 2308, 4)})
    (one,) = plan.sets()
    assert {"fgm", "gdm"}.isdisjoint(method.name for method in plan.methods(one))


def test_every_table_that_is_told_of_has_rows():
    assert list(sheets_of(HAND)) == list(ROWS)
    for sheet in sheets_of(HAND).values():
        assert all(len(row) == len(sheet.header) for row in sheet.rows), sheet.name
        assert "{" not in sheet.text
