"""Links between the texts of the repository lead somewhere, headings included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md"), *ROOT.glob("[br]*/README.md")])
MADE = re.compile(r"docs/(api|auto_gallery|auto_tutorials)/")  # when the site is built
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def anchors(path):
    """The headings of a page, as its links name them."""
    text = CODE.sub(
        lambda found: found[0].strip("`") if "\n" not in found[0] else "", path.read_text("utf-8")
    )
    titles = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    named = re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in titles} | set(named)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target, anchor in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        path = (page.parent / target).resolve() if target else page
        if MADE.match(path.relative_to(ROOT).as_posix()):
            continue
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{target}#{anchor}"
