"""The whole of it: on what is built in, killed and continued, and what the page says."""

from __future__ import annotations

import json
import random
import re
import signal
import sys
from pathlib import Path

import pytest
from reproduction import work
from reproduction.methods import COMPARED
from reproduction.plan import FULL, QUICK
from reproduction.regenerate import paper, regenerated, wanted
from reproduction.sets import table_of
from tests.apart import Begun, script
from tests.reproduction.small import tiny_plan

from qpfs.data import UsageError
from qpfs.evaluation import Records, RecordsError
from qpfs.evaluation.measuring import Cost

pytestmark = pytest.mark.first
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A tiny run that nothing interrupts; what things cost is made up."""
    folder = tmp_path_factory.mktemp("paper")
    ticks = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "measured", lambda *what, **how: Cost(0.25, 3.0))
        outcome = regenerated(
            tiny_plan(), folder, folder / "records.jsonl", None, tick=lambda *told: ticks.append(told)
        )
    return folder, outcome, ticks


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "records.jsonl"}


def test_files_and_what_is_missing(run):
    folder, outcome, ticks = run
    assert {path.name for path in outcome.paths} == set(written(folder))
    assert "Colon" in outcome.missing[0]
    assert "RAC is not public" in outcome.missing[1]
    assert ticks[-1][0] == ticks[-1][1]
    assert all(done <= of and name.startswith("WDBC, ") for done, of, name in ticks)


def test_the_page_stands_alone_and_says_what_it_must(run):
    page = (run[0] / "paper.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 2  # the curves of WDBC, the clusters
    assert 'http-equiv="Content-Security-Policy"' in page
    assert "src=" not in page
    assert "<link" not in page
    for words in (
        "Two protocols",
        "Wilson&#39;s 95 % interval",
        "RAC is not public",
        "What the text of the publication claims",
        "Figure 2: WDBC",
    ):
        assert words in page


def test_the_document_has_every_table(run):
    text = (run[0] / "paper.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert text.count("\n### ") == 18
    assert str(ROOT) not in text


def test_started_again_it_does_nothing_and_writes_the_same(run):
    folder, _, _ = run
    before, records = written(folder), (folder / "records.jsonl").read_bytes()
    regenerated(tiny_plan(), folder, folder / "records.jsonl", None)
    assert written(folder) == before
    assert (folder / "records.jsonl").read_bytes() == records


def seeded(run, folder):
    """A run that has the measured records of another: what is measured is measured once, and kept."""
    lines = (run[0] / "records.jsonl").read_text().splitlines()
    kept = [line for line in lines[1:] if json.loads(line)["key"]["what"] in ("cost", "run")]
    folder.mkdir()
    (folder / "records.jsonl").write_text("\n".join([lines[0], *kept]) + "\n")
    return len(kept) + 1, len(lines)


RUN = """
import sys, warnings
from tests.reproduction.small import run_in
warnings.simplefilter("ignore")
run_in(sys.argv[1])
"""


def n_lines(path):
    return path.read_bytes().count(b"\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_killed_and_started_again_it_ends_with_the_same_bytes(run, tmp_path, times):
    folder = tmp_path / "killed"
    first, last = seeded(run, folder)
    for target in sorted(random.Random(times).sample(range(first + 1, last - 1), times)):
        process = Begun(RUN, folder)
        process.wait_for(lambda: n_lines(folder / "records.jsonl") >= target)  # noqa: B023
        process.send(signal.SIGKILL)
        assert not (folder / "paper.html").exists()
    if times == 1:  # whether it goes on in this process or in others, which take seconds to begin
        regenerated(tiny_plan(), folder, folder / "records.jsonl", None, jobs=2)
    else:
        assert script(RUN, folder).returncode == 0
    assert written(folder) == written(run[0])


def test_a_line_cut_in_the_middle_is_done_again(run, tmp_path):
    folder = tmp_path / "cut"
    seeded(run, folder)
    lines = (run[0] / "records.jsonl").read_text().splitlines()
    others = [line for line in lines[1:] if json.loads(line)["key"]["what"] not in ("cost", "run")]
    with (folder / "records.jsonl").open("a") as file:
        file.write("\n".join(others)[:-40])
    regenerated(tiny_plan(), folder, folder / "records.jsonl", None)
    assert written(folder) == written(run[0])


@pytest.mark.slow
def test_tables_do_not_depend_on_the_number_of_processes(run, tmp_path):
    folder = tmp_path / "two"
    seeded(run, folder)
    regenerated(tiny_plan(), folder, folder / "records.jsonl", None, jobs=2)
    assert written(folder) == written(run[0])


def test_a_page_of_somebody_else_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.delenv("QPFS_DATA", raising=False)
    (tmp_path / "paper.html").write_text("mine")
    with pytest.raises(FileExistsError, match="force=True"):
        paper(tmp_path, quick=True)
    assert (tmp_path / "paper.html").read_text() == "mine"


def test_sets_are_named_as_they_are():
    assert wanted(None, FULL)[0] == "wdbc"
    assert wanted(["colon"], QUICK) == ["colon"]
    with pytest.raises(UsageError, match="no set 'colonn'"):
        wanted(["colonn"], QUICK)
    with pytest.raises(UsageError, match="quick run leaves out rac_standin_hsmm"):
        wanted(["rac_standin_hsmm"], QUICK)


def test_without_any_set_at_hand_nothing_begins(tmp_path, monkeypatch):
    monkeypatch.delenv("QPFS_DATA", raising=False)
    with pytest.raises(UsageError, match=r"Not at hand: rac_standin_hsmm\..*QPFS_DATA"):
        paper(tmp_path / "out", data=str(tmp_path), sets=["rac_standin_hsmm"])
    with pytest.raises(ValueError, match="n_jobs=0"):
        paper(tmp_path / "out", quick=True, jobs=0)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_cost_is_measured_in_a_process_of_its_own(tmp_path):
    plan = tiny_plan()
    with Records(tmp_path / "r.jsonl") as records:
        some = work.SetWork(plan, plan.sets()[0], table_of("wdbc", None), records)
        found = some.cost(COMPARED["maxrel"])
    assert found["seconds"] > 0
    assert found["megabytes"] >= 0


def test_what_was_changed_on_record_is_refused(run, tmp_path):
    text = (run[0] / "records.jsonl").read_text()
    for one, other, words in (
        (r'"seconds":0\.25', '"seconds":"x"', 'seconds: expected a number from 0 on, got "x"'),
        ('"n_test":228', '"n_test":0', "n_test: expected"),
    ):
        (tmp_path / "records.jsonl").write_text(re.sub(rf"{one}\b", other, text))  # no longer number
        with pytest.raises(RecordsError, match=words):
            regenerated(tiny_plan(), tmp_path, tmp_path / "records.jsonl", None)
    assert not (tmp_path / "paper.html").exists()
