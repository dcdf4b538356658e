"""Docstrings as the reference shows them: our own members, and signs that would be markup."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

BARS = re.compile(r"(?<![`\\|])\|([^|`\\]+)\|(?![`|])")  # |c| is a substitution there
SHAPE = re.compile(r"(?<=\()(\w+)_(?=,)")  # `shape (n_features_in_,)` is a link to reStructuredText


def is_foreign(app: Sphinx, what: str, name: str, part: Any, skip: bool, options: Any) -> bool | None:
    """Members that come from scikit-learn or Python are documented there."""
    owner = getattr(getattr(part, "fget", part), "__module__", None)
    if isinstance(owner, str) and owner.split(".")[0] not in {"qpfs", "docs"} and not skip:
        return True
    return None


def escaped(app: Sphinx, what: str, name: str, part: Any, options: Any, lines: list[str]) -> None:
    for at, line in enumerate(lines):
        if ">>>" not in line and "math:" not in line:
            lines[at] = BARS.sub(r"\|\1\|", SHAPE.sub(r"\1\_", line) if " : " in line else line)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("autodoc-process-docstring", escaped, priority=400)  # before numpydoc reads it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
