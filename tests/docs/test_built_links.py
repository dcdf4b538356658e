"""The check of the built site sees links that lead nowhere, and those alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

PLACE = Path(__file__).parents[2] / "docs" / "_extensions" / "built_links.py"


def test_broken_links_are_listed(tmp_path):
    spec = importlib.util.spec_from_file_location("built_links", PLACE)
    built_links = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(built_links)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "page.html").write_text('<h1 id="here">x</h1><a href="../index.html#top">up</a>')
    (tmp_path / "index.html").write_text(
        '<p id="top"></p><a href="#top"></a><a href="a/page.html#here"></a><a href="https://example.org/x"></a>'
        '<a href="a/page.html#gone"></a><img src="gone.png"><a href="#nowhere"></a>'
    )
    assert list(built_links.broken(tmp_path)) == [
        "index.html: #nowhere: no such anchor",
        "index.html: a/page.html#gone: no such anchor",
        "index.html: gone.png: no such file",
    ]
