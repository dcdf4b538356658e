"""The texts of the package are plain scientific English: none of the phrases below, each with what to write.

Read are all string literals and docstrings of `src/qpfs`, by the syntax tree (but for
single words, which may be names), the templates of the pages, and the documentation without its code.
The project once had a vocabulary of its own; whoever meets a phrase of it that is missing here adds it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import qpfs

SOURCE = Path(qpfs.__file__).parent
TEMPLATES = ("*.html", "*.txt")
ROOT = Path(__file__).parents[1]
DOCUMENTS = ("*.md", "docs/*.md", "docs/decisions/*.md", "benchmarks/*.md")
SCRIPTS = ("docs/gallery/*", "docs/tutorials/*", "docs/recipes/*.py", "docs/_extensions/*.py")
LISTING = {
    "CONTRIBUTING.md",
    "paper.md",
}  # the first lists the phrases; the other is written by a run of hours
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)

INSTEAD = {  # a regular expression, in any text, and what to write
    r"\b(told|tells?|telling)\b": "determine, distinguish, recognise by, report, describe",
    r"\bsay(s|ing)? (different|the most|nothing|something|little|much)\b": "carry information about",
    r"\b(is|are|was|were|be) said\b": "is known, is reported, is written",
    r"\bwhat (they|it|features?|columns?) says?\b": "the information that they share, that it carries",
    r"(?<!vector )\bmachines? that\b|\b(the|a linear|each|every|whose) machine\b": "model; computer",
    r"\b(to be|is|are|was|were|be) cut\b(?! off| short)": "discretised, truncated, divided",
    r"\bcut (once|into (levels|bins)|at|by)\b": "discretised",
    r"\bin turns\b": "alternately",
    r"\bwith (more |some |great )?care\b": "what is done, such as: discarded only once it is final",
    r"\bwhat comes out\b": "the result",
    r"\bwhat is left\b": "the rest, the remaining ...",
    r"\b(used|given|asked|taken|read|written) so(?=[.,;:)]|$)": "in this way",
    r"\bat once\b": "immediately, or: together, in one step",
    r"\bgoes? with\b": "is associated with, belongs to, can be combined with",
    r"\bby (itself|themselves)\b": "alone, on its own, separately",
    r"\bas (it is|they are)(?=[.,;:)]|$)": "unchanged",
    r"\bwhom\b": "which, the name of the part",
    r"\bturned (writing|table|matrix|round)\b|\b(is|are) turned\b": "transposed, reversed",
}
OPENINGS = {  # a regular expression that a docstring does not begin with, and what to write
    r"The same\b": "what is returned, in full: a docstring can be understood from help() alone",
    r"Who\b": "the noun: the features that, the process that",
}


def in_source(path: Path) -> list[str]:
    """Where in a module the phrases stand."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            found += [f"{path}:{node.lineno}: {one}" for one in complaints(node.value)]
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            line = getattr(node, "lineno", 1)
            found += [f"{path}:{line}: {one}" for one in opening_complaints(ast.get_docstring(node) or "")]
    return found


def complaints(text: str) -> list[str]:
    """A line for each phrase in a text."""
    text = " ".join(text.split())
    found = [(re.search(phrase, text, re.IGNORECASE), instead) for phrase, instead in INSTEAD.items()]
    return [
        f"{match[0]!r} in {text[max(match.start() - 40, 0) : match.end() + 40]!r}; write: {instead}"
        for match, instead in found
        if match
    ]


def opening_complaints(docstring: str) -> list[str]:
    return [
        f"{docstring[:50]!r}; write: {instead}"
        for phrase, instead in OPENINGS.items()
        if re.match(phrase, docstring)
    ]


def test_sources() -> None:
    found = [one for path in sorted(SOURCE.rglob("*.py")) for one in in_source(path)]
    assert not found, "\n".join(found)


def test_templates() -> None:
    paths = [path for pattern in TEMPLATES for path in sorted((SOURCE / "report").rglob(pattern))]
    found = [f"{path}: {one}" for path in paths for one in complaints(path.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


def test_documents() -> None:
    paths = [path for pattern in DOCUMENTS + SCRIPTS for path in sorted(ROOT.glob(pattern))]
    read = [path for path in paths if path.name not in LISTING and path.is_file()]
    found = [
        f"{path.relative_to(ROOT)}: {one}"
        for path in read
        for one in complaints(CODE.sub("CODE", path.read_text(encoding="utf-8")))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["the column to be told about", "a table cannot be used so: give another"])
def test_a_phrase_is_found(text: str) -> None:
    assert len(complaints(text)) == 1


def test_the_rest_is_left_alone() -> None:
    assert not complaints("so far, a support vector machine takes 2 seconds on this machine, used so often")
    assert not opening_complaints("Columns with the same name.")
    assert opening_complaints("The same, by rows.")
