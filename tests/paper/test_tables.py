"""Tables from outcomes made by hand."""

from __future__ import annotations

import csv
import io

import pytest
from tests.paper.small import MADE_UP, Outcomes

from qpfs.paper.figures import all_figures, curves_sheet
from qpfs.paper.findings import findings, missing, optimism, winner
from qpfs.paper.methods import COMPARED
from qpfs.paper.plan import FULL, QUICK, PaperPlan, Shape
from qpfs.paper.results import Results
from qpfs.paper.sets import DATA_SETS
from qpfs.paper.sheets import Worksheet, markdown, shown
from qpfs.paper.tables import all_sheets, both_protocols, errors_at, lowest, memory, pairs, ranks, seconds
from qpfs.paper.verdicts import BETTER, NO_NUMBER, NOT_COMPARABLE, OURS_ONLY, SAME, Cell

COLON = DATA_SETS["colon"]
PLAN = PaperPlan(QUICK, {"colon": MADE_UP})
WRONG = {"qpfs": [20, 12, 8, 9, 10, 10, 9, 9, 11, 12, 13], "ikma": [14, 11, 5]}
HAND = Results(
    PLAN,
    Outcomes(
        *[
            ({"task": "as published", "method": name}, {"wrong": wrong, "n": 62, "found": len(wrong)})
            for name, wrong in WRONG.items()
        ],
        ({"task": "inside", "method": "qpfs"}, {"wrong": [25, 12, 10, 11], "n": 62, "found": 4}),
        (
            {"task": "nested", "method": "qpfs"},
            lambda task: {
                "k": 10,
                "parameters": {"theta": 0.5},
                "wrong": task["part"] + 3,
                "n": 20,
                "at": {"10": 4, "20": 5, "30": 5, "50": 5, "100": 6},
            },
        ),
        ({"task": "cost", "method": "qpfs"}, {"seconds": 0.5, "megabytes": 4.0, "why": ""}),
        ({"task": "cost", "method": "ikma"}, {"seconds": 1.0, "megabytes": 8.0, "why": ""}),
        ({"task": "baselines"}, {"all": 0.17, "representatives": 0.24, "found": 100.0}),
    ),
)


def row(sheet, *names):
    (found,) = [row for row in sheet.rows if row[: len(names)] == list(names)]
    return dict(zip(sheet.header, found, strict=True))


def test_lowest_errors_beside_the_publications():
    found = row(lowest(HAND), "Colon")
    assert found["QPFS"] == Cell(12.9, pytest.approx(800 / 62), SAME)
    assert found["IKMA-QPFS"].ours == pytest.approx(500 / 62)
    assert found["IKMA-QPFS"].verdict == SAME  # 8.06
    assert found["mRMR"] == Cell(None, None, NO_NUMBER)
    assert row(lowest(HAND), "RAC")["QPFS"] == Cell(
        0.0, None, NOT_COMPARABLE, "the data of RAC are not public"
    )
    assert row(lowest(HAND), "USPS")["QPFS"].reason == "some sets were not at hand"


def test_errors_at_a_number_of_features():
    found = row(errors_at(HAND), "Colon", "QPFS")
    assert found["10"].ours == pytest.approx(1000 / 62)  # sizes 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100
    assert found["100"].ours == pytest.approx(1300 / 62)
    few = row(errors_at(HAND), "Colon", "IKMA-QPFS")["10"]  # three were found
    assert few == Cell(16.13, None, NOT_COMPARABLE, "so many features were not found here")


def test_both_protocols():
    found = row(both_protocols(HAND), "Colon", "QPFS")
    assert found["as published"] == pytest.approx(800 / 62)
    assert found["nested"] == pytest.approx(100 * (3 + 4 + 5) / 60)
    assert found["difference"] == pytest.approx(20 - 800 / 62)
    assert found["choices tried"] == 2 * 11
    assert found["selection inside the loop"] == pytest.approx(1000 / 62)
    assert found["nested, low"] < 20 < found["nested, high"]


def test_times_are_ratios_to_qpfs():
    found = row(seconds(HAND), "Colon")
    assert found["QPFS"] == Cell(None, 1.0, OURS_ONLY)  # its ratio to itself says nothing
    assert found["IKMA-QPFS"] == Cell(pytest.approx(0.76 / 104.90), 2.0, "worse")
    assert str(shown(found["IKMA-QPFS"], seconds(HAND).number)) == "0.0072 → 2 (+2) ▲"


def test_a_memory_that_cannot_be_measured_is_not_compared():
    cost = {"seconds": 0.01, "megabytes": 0.004, "why": ""}
    little = Results(PLAN, Outcomes(({"task": "cost"}, cost)))
    assert row(memory(little), "Colon")["IKMA-QPFS"].verdict == NOT_COMPARABLE
    assert row(memory(HAND), "Colon")["IKMA-QPFS"].verdict == "worse"  # 4 and 8 MB
    assert row(seconds(little), "Colon")["IKMA-QPFS"].verdict == "worse"


def test_choices_are_counted_as_they_were_tried():
    plan = PaperPlan(FULL, {"mnist38": Shape(13966, 784, 2, "")})
    few, many = {"wrong": [50] * 21, "n": 1984, "found": 100}, {"wrong": [40] * 100, "n": 1984, "found": 100}
    known = Outcomes(({"sizes": list(range(1, 101))}, many), ({"task": "as published"}, few))
    found = Results(plan, known).n_tried(DATA_SETS["mnist38"], COMPARED["qpfs"])
    assert found == 7 * 21 + 79  # seven theta at 21 numbers of features, then the best at all others


def over_sets(errors):
    """Nested errors by set and method, in percent of 100 samples, all else missing."""
    names = ("colon", "lymphoma", "leukemia")
    plan = PaperPlan(QUICK, dict.fromkeys(names, MADE_UP))
    pairs_ = [
        ({"task": "nested", "set": name, "method": method}, nested_outcome(wrong))
        for name, some in zip(names, errors, strict=True)
        for method, wrong in some.items()
    ]
    return Results(plan, Outcomes(*pairs_))


def nested_outcome(wrong):
    return {"k": 10, "parameters": {}, "wrong": wrong, "n": 100, "at": {}}


def test_ranks_over_sets():
    found = ranks(over_sets([{"qpfs": 3, "mrmr": 1}, {"qpfs": 4, "mrmr": 2}, {"qpfs": 5, "mrmr": 6}]))
    by_hand = [["mRMR", *[pytest.approx(4 / 3)] * 2], ["QPFS", *[pytest.approx(5 / 3)] * 2]]
    assert found.rows == by_hand
    assert "not shown to differ" in found.text
    (pair,) = pairs(over_sets([{"qpfs": 3, "mrmr": 1}, {"qpfs": 4, "mrmr": 2}, {"qpfs": 5, "mrmr": 6}])).rows
    assert pair[0] == "mRMR"
    assert pair[1] == "mRMR"
    assert pair[-1] == "no"


def test_methods_of_two_classes_are_ranked_over_the_sets_they_take():
    names = ("colon", "lymphoma", "srbct")
    shapes = {name: Shape(60, 2000, 4 if name == "srbct" else 2, "") for name in names}
    errors = {"qpfs": (3, 4, 5), "mrmr": (2, 5, 4), "fgm": (1, 3, None)}
    known = Outcomes(
        *[
            ({"task": "nested", "set": name, "method": method}, nested_outcome(wrong))
            for method, some in errors.items()
            for name, wrong in zip(names, some, strict=True)
            if wrong is not None
        ]
    )
    results = Results(PaperPlan(QUICK, shapes), known)
    # all three sets: mRMR 1 + 2 + 1, QPFS 2 + 1 + 2; two of them: FGM 1 + 1, mRMR 2 + 3, QPFS 3 + 2
    assert ranks(results).rows == [
        ["mRMR", pytest.approx(4 / 3), 2.5],
        ["QPFS", pytest.approx(5 / 3), 2.5],
        ["FGM", None, 1.0],
    ]
    (told,) = winner(results)
    assert "mRMR (1.33), QPFS (1.67): over all 3 sets" in told
    assert "FGM (1.00), QPFS (2.50), mRMR (2.50): over 2 sets" in told


def test_how_much_is_promised_names_all_that_are_worst():
    known = Outcomes(
        ({"task": "as published"}, {"wrong": [6], "n": 60, "found": 1}),
        ({"task": "inside"}, {"wrong": [9], "n": 60, "found": 1}),
        ({"task": "nested", "method": "qpfs"}, nested_outcome(30)),
        ({"task": "nested", "method": "mrmr"}, nested_outcome(30)),
        ({"task": "nested", "method": "maxrel"}, nested_outcome(15)),
    )
    (told,) = optimism(
        Results(PLAN, known)
    )  # 20, 20 and 5 points more than 10 %; 5 with the selection inside
    assert "15.0 percentage points higher" in told
    assert "at most 20.0 (QPFS on Colon and mRMR on Colon)" in told
    assert "On the small sets it is 15.0 points, 5.0 of them from the selection alone" in told


def test_methods_of_two_classes_are_left_out_of_what_they_cannot_do():
    plan = PaperPlan(FULL, {"srbct": Shape(63, 2308, 4, "")})
    tasks = [*plan.costs(), *plan.first()]
    assert {task.get("method") for task in tasks} & {"fgm", "gdm"} == set()
    assert Results(plan, Outcomes()).chosen(DATA_SETS["srbct"], COMPARED["fgm"]) is None


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
    sheets = {sheet.name: sheet for sheet in all_sheets(HAND)}
    text = " ".join(findings(HAND, sheets))
    assert "in 2 of 2 cases" in text
    assert "Not at hand: WDBC" in missing(HAND)[0]
    worse = Results(
        PLAN, Outcomes(({"task": "as published", "method": "ikma"}, {"wrong": [30], "n": 62, "found": 1}))
    )
    sheets = {sheet.name: sheet for sheet in all_sheets(worse)}
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
    known = Outcomes(
        ({"parameters": {"theta": 0.5}}, {"wrong": [9, 9, 5, 5], "n": 62, "found": 4}),
        ({"parameters": {"theta": "auto"}}, {"wrong": [9, 5, 9, 9], "n": 62, "found": 4}),
    )
    chosen = Results(PLAN, known).chosen(COLON, COMPARED["qpfs"])
    assert chosen.parameters == {"theta": "auto"}
    assert chosen.lowest_at == 2


def test_of_random_splits_the_mean_and_its_error():
    plan = PaperPlan(QUICK, {"usps": Shape(1500, 241, 2, "")})
    known = Outcomes(
        ({"splits": [0, 2]}, {"wrong": [[10, 20], [20, 20]], "n": [100, 100], "found": [2, 2]}),
        ({"splits": [2, 4]}, {"wrong": [[30, 20, 10], [40, 20]], "n": [100, 100], "found": [3, 1]}),
        ({"splits": [4, 5]}, {"wrong": [[50, 20]], "n": [100], "found": [1]}),
    )
    curve = Results(plan, known).curve(DATA_SETS["usps"], COMPARED["maxrel"])
    assert curve.sizes == [1, 2, 3]  # a split that finds fewer counts with all that it finds
    assert curve.errors == pytest.approx([0.3, 0.2, 0.18])
    assert curve.spread[0] == pytest.approx((0.025 / 5) ** 0.5)  # variance of .1 .2 .3 .4 .5: 0.025


def test_on_the_given_split_what_was_chosen_is_looked_at_at_every_size():
    plan = PaperPlan(FULL, {"mnist38": Shape(13966, 784, 2, "")})
    one, method = DATA_SETS["mnist38"], COMPARED["maxrel"]
    few = {"wrong": [50] * 21, "n": 1984, "found": 100}
    many = {"wrong": [40] * 100, "n": 1984, "found": 100}
    known = Outcomes(({"sizes": list(range(1, 101))}, many), ({"task": "as published"}, few))
    assert plan.whole(one, method, {}) in Results(plan, known).remaining()
    assert Results(plan, known).curve(one, method).sizes == list(range(1, 101))
    assert len(Results(plan, known).chosen(one, method).sizes) == 21
