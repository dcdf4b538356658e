"""Links that work in a checkout lead to pages of the site.

Pages link files as they lie in the repository (`../ARCHITECTURE.md`, `recipes/gini.py`). Some of these are
shown on a page of another name: its include is how the page is made, and links to the file become links to
the page.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

PAGES = {  # a file of the repository -> the page that shows it
    "README.md": "docs/index.md",
    "ARCHITECTURE.md": "docs/architecture.md",
    "CHANGELOG.md": "docs/changelog.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "CODE_OF_CONDUCT.md": "docs/code_of_conduct.md",
    "SECURITY.md": "docs/security.md",
    "benchmarks/README.md": "docs/benchmarks.md",
    "reproduction/README.md": "docs/reproduction.md",
    "docs/decisions": "docs/decisions/index.md",
    "docs/gallery": "docs/auto_gallery/index.rst",
    "docs/tutorials": "docs/auto_tutorials/index.rst",
    "docs/api": "docs/api/index.rst",
}
RECIPE = re.compile(r"docs/recipes/(\w+)\.py")
SCRIPT = re.compile(r"docs/(gallery|tutorials)/(\w+)\.py")
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(\))")


def page_of(path: str) -> str:
    """Where the site shows a file of the repository; the file itself, if it is a page or is not shown."""
    if recipe := RECIPE.fullmatch(path):
        return f"docs/extending.md#{recipe[1].replace('_', '-')}"
    if script := SCRIPT.fullmatch(path):
        return f"docs/auto_{script[1]}/{script[2]}.rst"
    return PAGES.get(path.rstrip("/"), path)


def moved(text: str, written_in: str, shown_in: str) -> str:
    """A text with links as they are read on the page that shows it; both are paths in the repository."""

    def link(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(written_in), found[2]))
        page, _, anchor = page_of(path).partition("#")
        there = posixpath.relpath(page, posixpath.dirname(shown_in))
        return f"{found[1]}{there}{found[3] or (anchor and '#' + anchor)}{found[4]}"

    return LINK.sub(link, text)


def on_page(app: Sphinx, docname: str, content: list[str]) -> None:
    if app.env.doc2path(docname).suffix == ".md":
        page = f"docs/{docname}.md"
        content[0] = moved(content[0], page, page)


def on_include(app: Sphinx, path: Path, docname: str, content: list[str]) -> None:
    written_in = (Path(app.srcdir) / path).resolve().relative_to(Path(app.srcdir).parent).as_posix()
    content[0] = moved(content[0], written_in, f"docs/{docname}.md")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", on_page)
    app.connect("include-read", on_include)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
