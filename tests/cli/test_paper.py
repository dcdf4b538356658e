"""`qpfs paper`: what it refuses before any work, in one line."""

from __future__ import annotations

import pytest
from tests.cli.command import qpfs


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (("--only", "rac_standin_hsmm"), 2, "a full one"),
        (("--only", "colonn"), 2, "no set 'colonn'"),
        (("--jobs", "0"), 1, "--jobs"),
        (("--data", "nowhere"), 2, "no such folder"),
    ],
)
def test_refusals(tmp_path, asked, code, said):
    found = qpfs("paper", "--quick", "--out", tmp_path / "out", *asked)
    assert found.returncode == code
    assert said in found.stderr
    assert found.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
