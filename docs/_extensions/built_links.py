"""The links of the built site, followed: pages, files and anchors that they name exist.

`python docs/_extensions/built_links.py build/docs` lists those that do not, and ends with 1 if there
are any. Addresses of other sites are not followed.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and what it links."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        self.links |= {named[name] for name in ("href", "src") if name in named}


def broken(folder: Path) -> Iterator[str]:
    """A line for each link that leads nowhere."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    shown = sorted(file for file in files if file.endswith(".html") and "_static/" not in file)
    pages = {file: Page(folder / file) for file in shown}
    for file, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            place = posixpath.join(posixpath.dirname(file), unquote(parts.path)) if parts.path else file
            place = posixpath.normpath(place)
            if place not in files:
                yield f"{file}: {link}: no such file"
            elif parts.fragment and place in pages and unquote(parts.fragment) not in pages[place].anchors:
                yield f"{file}: {link}: no such anchor"


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    if not (folder / "index.html").exists():
        sys.exit(f"{folder} holds no built site; run make docs.")
    found = list(broken(folder))
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
