"""The scripts of the gallery run; those of the tutorials in tests/docs."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = sorted(DOCS.glob("gallery/*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        pyplot.close("all")
    assert capsys.readouterr().out
