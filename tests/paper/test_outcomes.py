"""Outcomes of the publication's tasks that someone changed on record."""

from __future__ import annotations

import pytest
from tests.paper.small import MADE_UP, TINY

from qpfs.evaluation import Records, RecordsError
from qpfs.paper.methods import COMPARED
from qpfs.paper.outcomes import KINDS, Checked
from qpfs.paper.plan import PaperPlan
from qpfs.paper.sets import DATA_SETS
from qpfs.paper.work import WORK

WDBC = DATA_SETS["wdbc"]
PLAN = PaperPlan(TINY, {"wdbc": MADE_UP})
SPLITS = PLAN.published(WDBC, COMPARED["qpfs"], {"theta": 0.5}, 0, 2)
TRIED = {name: value for name, value in SPLITS.items() if name != "splits"}
NESTED = PLAN.nested(WDBC, COMPARED["maxrel"])[0]
SOUND = {
    "tried": (TRIED, {"wrong": [5, 3, 3], "n": 62, "found": 30}),
    "splits": (SPLITS, {"wrong": [[5, 3], [4, 3]], "n": [20, 20], "found": [30, 30]}),
    "nested": (
        NESTED,
        {"k": 3, "parameters": NESTED["candidates"][0], "wrong": 3, "n": 20, "at": {"10": 4}},
    ),
    "baselines": (PLAN.baselines(WDBC), {"all": 0.1, "representatives": 0.2, "found": 3.0}),
    "cost": (PLAN.costs()[0], {"seconds": 0.1, "megabytes": None, "why": ""}),
}


def got(tmp_path, task, outcome):
    """What is made of an outcome on record."""
    with Records(tmp_path / "r.jsonl") as records:
        records.add(task, outcome)
        return Checked(records, PLAN.shapes).get(task)


@pytest.mark.parametrize("name", SOUND)
def test_what_was_put_on_record_is_found_there(tmp_path, name):
    task, outcome = SOUND[name]
    assert got(tmp_path, task, outcome) == outcome


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("tried", {"wrong": [-5, 3, 3]}, r"wrong\[0\]: expected a whole number from 0 to 62, got -5"),
        (
            "tried",
            {"wrong": [60, 3], "n": 50},
            "wrong: expected at most 50, the number of samples tested, got 60",
        ),
        ("tried", {"wrong": []}, "wrong: expected at least one number"),
        ("tried", {"n": 0}, "n: expected a whole number from 1 to 62, got 0"),
        ("splits", {"wrong": [[5, 3]]}, "wrong: expected a list of 2, got a list of 1"),
        ("splits", {"n": [20, 3]}, r"wrong\[1\]: expected at most 3"),
        ("nested", {"k": 4}, "k: expected one of the sizes of the task, got 4"),
        ("nested", {"parameters": {"x": 1}}, "parameters: expected one of the candidates"),
        ("nested", {"at": {}}, r"at\.10: expected, but it is missing"),
        ("nested", {"wrong": 21}, "wrong: expected at most 20"),
        ("baselines", {"all": 7}, "all: expected a number from 0 to 1, got 7"),
        ("cost", {"seconds": "x"}, 'seconds: expected a number from 0 on, got "x"'),
    ],
)
def test_what_was_changed_is_refused(tmp_path, name, change, words):
    task, outcome = SOUND[name]
    with pytest.raises(RecordsError, match=words):
        got(tmp_path, task, outcome | change)


def test_every_kind_of_work_has_a_kind_of_outcome():
    assert {*WORK, "cost"} == KINDS.keys()
