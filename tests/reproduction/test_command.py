"""`python -m reproduction`: what it refuses before any work, in one line; and where `qpfs paper` went."""

from __future__ import annotations

import pytest
from reproduction.__main__ import main
from reproduction.plan import FULL, QUICK, PaperPlan
from reproduction.regenerate import Regenerated, lacking
from reproduction.sets import DATA_SETS, Shape
from tests.cli.command import qpfs


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (("--only", "rac_standin_hsmm"), 2, "a full one"),
        (("--only", "colonn"), 2, "no set 'colonn'"),
        (("--jobs", "0"), 1, "--jobs 0, but it must be"),
        (("--data", "nowhere"), 2, "no such folder"),
    ],
)
def test_refusals(tmp_path, monkeypatch, capsys, asked, code, said):
    monkeypatch.delenv("QPFS_DATA", raising=False)
    assert main(["--quick", "--out", str(tmp_path / "out"), *asked]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_earlier_result_is_overwritten_by_an_option(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("QPFS_DATA", raising=False)
    (tmp_path / "paper.html").write_text("of another run")
    assert main(["--quick", "--out", str(tmp_path)]) == 2
    assert "choose another, or overwrite it with --force." in capsys.readouterr().err


@pytest.mark.parametrize("lacks", ["", "it has 1 of 9 data sets"])
def test_a_page_is_replaced_by_a_whole_run_only(tmp_path, monkeypatch, capsys, lacks):
    (tmp_path / "paper.md").write_text("# new")
    page = tmp_path / "docs.md"
    page.write_text("# old")
    outcome = Regenerated([tmp_path / "paper.html", tmp_path / "paper.md"], [], [], lacks)
    monkeypatch.setattr("reproduction.__main__.paper", lambda *_, **__: outcome)
    assert main(["--out", str(tmp_path), "--page", str(page)]) == 0
    assert page.read_text() == ("# old" if lacks else "# new")
    said = capsys.readouterr().err
    expected = f"{page} is unchanged, for this run is not the whole: {lacks}" if lacks else f"wrote {page}"
    assert expected in said


def test_what_a_run_lacks():
    shapes = dict.fromkeys(DATA_SETS, Shape(60, 30, 2))
    assert lacking(PaperPlan(FULL, shapes)) == ""
    assert lacking(PaperPlan(FULL, {"wdbc": shapes["wdbc"]})) == f"it has 1 of {len(DATA_SETS)} data sets"
    assert lacking(PaperPlan(QUICK, shapes)) == "it is a quick one"


def test_the_command_says_where_it_went():
    found = qpfs("paper", "--quick", "--out", "anywhere")
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "make paper-quick" in found.stderr
