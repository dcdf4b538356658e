"""A name means one thing: no name that leaves its file is defined in two rooms."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = [*(ROOT / "src" / "qpfs").rglob("*.py"), *(ROOT / "reproduction").glob("*.py")]
SAME = {  # the one thing that names in several rooms mean
    "Plain": "plain data, as JSON has them",
    "Tick": "what is called after each step of a long run",
    "documented": "fills in what is said of a parameter",
}


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removeprefix("src.").removesuffix(".__init__")


def room_of(module):
    return module.removeprefix("qpfs.").split(".")[0]


def targets(node):
    """The names that an assignment gives."""
    for target in getattr(node, "targets", [getattr(node, "target", None)]):
        yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def names_in_rooms(trees):
    """For each name the modules that define it, if it is a class or is imported from there."""
    imported, defined = set(), defaultdict(set)
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                imported |= {(node.module, one.name) for one in node.names}
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                found = list(targets(node))
            else:
                found = [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else []
            for name in found:
                seen = {(module, name), (f"qpfs.{room_of(module)}", name)} & imported
                if (seen or isinstance(node, ast.ClassDef)) and not name.startswith("__"):
                    defined[name].add(module)
    return defined


def test_a_name_means_one_thing():
    trees = {module_of(path): ast.parse(path.read_text()) for path in FILES}
    several = {
        name: sorted(modules)
        for name, modules in names_in_rooms(trees).items()
        if len({room_of(module) for module in modules}) > 1
    }
    assert {name: where for name, where in several.items() if name not in SAME} == {}
    assert SAME.keys() <= several.keys(), "no longer needed"


def test_a_second_meaning_is_found():
    one, other = ast.parse("class Sheet: ..."), ast.parse("class Sheet: ...\nSheets = 1")
    assert names_in_rooms({"qpfs.data.sheet": one, "qpfs.report.sheets": other})["Sheet"] == {
        "qpfs.data.sheet",
        "qpfs.report.sheets",
    }
