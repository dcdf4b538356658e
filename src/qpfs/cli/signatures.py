"""The parameters of the methods, from the signatures and docstrings of their selectors.

To import a selector takes seconds (scikit-learn, the compiler). A mistyped option is reported before that:
signature and docstring of our own selectors are read from the source if they have not been imported.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import qpfs
from qpfs.documented import with_descriptions
from qpfs.methods import METHODS
from qpfs.registry import registered
from qpfs.rules import DISCRETIZERS, RULES
from qpfs.selector_texts import TEXTS
from qpfs.wording import listed

SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=\n\n\S[^\n]*\n---|\Z)", re.DOTALL | re.MULTILINE)
WORD = re.compile(r'"([\w-]+)"|\b(int|float|None)\b( in \[[^]]*\])?')
READ: dict[str, Callable[[str], object]] = {  # how a text of each kind is parsed
    "None": lambda text: {"none": None}[text.lower()],
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
    "int": int,
    "float": float,
}
PARTS: dict[str, Callable[[], Iterable[str]]] = {  # names that a docstring does not list: of other packages
    "measure": lambda: registered("qpfs.measures").names,
    "clusterer": lambda: registered("qpfs.clusterers").names,
    "discard": lambda: registered("qpfs.discards").names,
    "criterion": lambda: METHODS.names,
}
PLAIN = {"int": "an integer", "float": "a number", "None": "none"}


@dataclass(frozen=True)
class MethodParameter:
    """A parameter of a method."""

    name: str
    takes: str  # its annotation
    default: object
    kind: str  # its type as the docstring has it
    text: str  # the first paragraph of its description

    @property
    def kinds(self) -> set[str]:
        """The types in the annotation, and those of constants in the docstring."""
        said = {kind for _, kind, _ in WORD.findall(self.kind) if kind}
        return {*self.takes.replace(" ", "").split("|")} | said

    @property
    def names(self) -> list[str]:
        """The names that can be typed: those in quotes, and those of parts that other packages register."""
        quoted = [word for word, _, _ in WORD.findall(self.kind) if word]
        return [*quoted, *(PARTS[self.name]() if self.name in PARTS else ())]

    @property
    def is_closed(self) -> bool:
        """Whether only names and numbers can be typed; all other values are Python objects."""
        return self.name in PARTS or self.kinds <= {*READ, *(["str"] if '"' in self.kind else [])}

    @property
    def is_list(self) -> bool:
        """Whether it takes several numbers, which are typed with commas between them."""
        return self.kind.startswith("array-like")

    def words(self) -> list[str]:
        """What can be typed: names, kinds of numbers."""
        plain = [PLAIN[kind] + span for _, kind, span in WORD.findall(self.kind) if kind]
        return [*self.names, *plain] or ["true", "false"]

    def value(self, text: str) -> object:
        """The value of a text; raises ValueError, whose text is what was expected, if it has none."""
        for kind, read in READ.items():
            if kind in self.kinds:
                try:
                    return read(text)
                except (ValueError, KeyError):
                    continue
        if self.is_closed and text not in self.names:
            raise ValueError(listed(self.words(), "or"))
        return numbers_in(text) if self.is_list else text


def numbers_in(text: str) -> list[float]:
    """The numbers in a text such as `2,1`; raises ValueError, whose text is what was expected."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError("numbers separated by commas, such as 2,1") from None


@cache
def parameters_of(method: str) -> dict[str, MethodParameter]:
    """The parameters of a method's selector, by name."""
    row = METHODS[method]
    signature, doc = (
        imported(row.selector) if row.home in sys.modules else in_source(row.home, row.class_name)
    )
    said = described(doc)
    return {name: MethodParameter(name, *fact, *said.get(name, ("", ""))) for name, fact in signature.items()}


def first_parameter(rule: str) -> tuple[str, Any]:
    """The first parameter of a rule that discretises, and its default; "" and None: it has no parameters."""
    found, _ = written(*RULES[rule][0].split(":")) if rule in RULES else imported(DISCRETIZERS[rule])
    name, (_, usual) = next(iter(found.items()), ("", ("", None)))
    return name, usual


Signature = dict[str, tuple[str, object]]  # the annotation and the default of each parameter


def imported(selector: type) -> tuple[Signature, str]:
    """The signature and the docstring of a class."""
    found = inspect.signature(selector).parameters.values()
    return {one.name: (annotation(one.annotation), one.default) for one in found}, inspect.getdoc(
        selector
    ) or ""


def annotation(found: object) -> str:
    return found if isinstance(found, str) else inspect.formatannotation(found)


def in_source(home: str, class_name: str) -> tuple[Signature, str]:
    """The signature and the docstring of a selector of ours, from the text of its module."""
    signature, doc = written(home, class_name)
    return signature, with_descriptions(doc, TEXTS)


def written(home: str, class_name: str) -> tuple[Signature, str]:
    """The signature and the docstring of a class of ours, as they are written in its module."""
    tree = ast.parse(source(home).read_text(encoding="utf-8"))
    node = next(one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == class_name)
    doc = ast.get_docstring(node) or ""
    made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if made:
        return dict(declared(made[0].args)), doc
    base = ast.unparse(node.bases[0])
    homes = {
        one.name: found.module
        for found in tree.body
        if isinstance(found, ast.ImportFrom)
        for one in found.names
    }
    return written(homes.get(base) or home, base)[0], doc


def source(module: str) -> Path:
    """The file of one of our modules."""
    return Path(qpfs.__path__[0], *module.split(".")[1:]).with_suffix(".py")


def declared(given: ast.arguments) -> Iterator[tuple[str, tuple[str, object]]]:
    """The name, the annotation and the default of each parameter but self; each has a default."""
    named = [*given.args[1:], *given.kwonlyargs]
    for one, default in zip(named, [*given.defaults, *given.kw_defaults], strict=True):
        yield (
            one.arg,
            (
                ast.unparse(one.annotation or ast.Constant("")),
                ast.literal_eval(default or ast.Constant(None)),
            ),
        )


def described(doc: str) -> dict[str, tuple[str, str]]:
    """The type and the first paragraph of each parameter in a numpydoc docstring."""
    section = SECTION.search(inspect.cleandoc(doc))
    found: dict[str, tuple[str, str]] = {}
    for entry in re.split(r"\n(?=\S)", section[1] if section else ""):
        head, _, text = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        first = " ".join(text.split("\n\n")[0].split())
        found |= dict.fromkeys(names.split(", "), (kind.partition(", default=")[0], first))
    return found
