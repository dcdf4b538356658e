"""`python -m reproduction`: what it refuses before any work, in one line; and where `qpfs paper` went."""

from __future__ import annotations

import pytest
from reproduction.__main__ import main
from tests.cli.command import qpfs


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (("--only", "rac_standin_hsmm"), 2, "a full one"),
        (("--only", "colonn"), 2, "no set 'colonn'"),
        (("--jobs", "0"), 1, "n_jobs=0"),
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


def test_the_command_says_where_it_went():
    found = qpfs("paper", "--quick", "--out", "anywhere")
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "make paper-quick" in found.stderr
