"""The API reference: a page for every name in `__all__` of the package and its rooms.

Nothing is listed by hand, so a new public name gets a page automatically. A name that several rooms share
is shown where a user would import it from: in `qpfs`, else in the first room of `ROOMS` that has it.
"""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from pathlib import Path

ROOMS = {  # what a user imports from first, in the order of the reference
    "qpfs": "Selectors and related names",
    "qpfs.evaluation": "Errors on new samples, stability, comparisons",
    "qpfs.evaluation.rivals": "Other methods, to compare with",
    "qpfs.data": "Tables from files, named sets, made by code",
    "qpfs.report": "Records, pages and figures",
    "qpfs.program": "The quadratic program alone",
    "qpfs.information": "Measures, significance, the feature table",
    "qpfs.clustering": "Clusters of features",
    "qpfs.criteria": "Criteria: the weight of each feature",
    "qpfs.strategies": "Strategies: which features are weighed, and when",
    "qpfs.embedded": "Linear models that choose their features",
    "qpfs.effects": "Direction and size of effects",
    "qpfs.codes": "Discretised and packed features",
    "qpfs.engines": "Threads and clusters",
    "qpfs.selectors": "Further names of the selectors",
}
KINDS = {  # the names of `qpfs` itself, by the room they come from
    "qpfs.selectors": "Selectors",
    "qpfs.evaluation": "Selection by cross-validation",
    "qpfs.codes": "Discretisers and stores",
    "qpfs.clustering": "k-means of data points",
    "qpfs.report": "Figures",
}
INDEX = """\
API reference
=============

Every public name. Most users need :doc:`qpfs <qpfs>` and :doc:`qpfs.evaluation <qpfs.evaluation>`; the rooms
after ``qpfs.program`` are for those who add a part of their own (:doc:`/extending`).

.. toctree::
   :maxdepth: 1

{rooms}
"""


def names(room: str) -> list[str]:
    """The public names of a room."""
    return list(importlib.import_module(room).__all__)


def public() -> dict[str, list[str]]:
    """The names of each room that are not shown earlier."""
    shown: set[int] = set()
    found = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        new = [name for name in names(room) if id(getattr(module, name)) not in shown]
        shown |= {id(getattr(module, name)) for name in new}
        found[room] = new
    return found


def file_names() -> dict[str, str]:
    """Files for names that differ in case alone, which some file systems take for one."""
    full = [f"{room}.{name}" for room, new in public().items() for name in new]
    times = Counter(map(str.lower, full))
    return {
        name: f"{name}-function"
        for name in full
        if times[name.lower()] > 1 and name.rsplit(".")[-1].islower()
    }


def listing(title: str, new: list[str]) -> str:
    rows = "\n".join(f"   {name}" for name in new)
    directive = ".. autosummary::\n   :toctree: generated\n   :nosignatures:"
    return f"{title}\n{'-' * len(title)}\n\n{directive}\n\n{rows}\n\n"


def by_kind(new: list[str]) -> dict[str, list[str]]:
    """The names of `qpfs` under the headings of the reference; exceptions and warnings last."""
    kinds: dict[str, list[str]] = {title: [] for title in (*KINDS.values(), "Errors and warnings")}
    qpfs = importlib.import_module("qpfs")
    for name in new:
        part = getattr(qpfs, name)
        room = ".".join(part.__module__.split(".")[:2])
        raised = inspect.isclass(part) and issubclass(part, Exception)
        kinds["Errors and warnings" if raised else KINDS[room]].append(name)
    return {title: found for title, found in kinds.items() if found}


def page(room: str, title: str, new: list[str]) -> str:
    heading = f"{room}: {title[0].lower()}{title[1:]}"
    about = (inspect.getdoc(importlib.import_module(room)) or "").replace("`", "``")
    kinds = by_kind(new) if room == "qpfs" else {"Names": new}
    lists = "".join(listing(kind, found) for kind, found in kinds.items())
    return f"{heading}\n{'=' * len(heading)}\n\n.. module:: {room}\n   :no-index-entry:\n\n{about}\n\n{lists}"


def write(folder: Path) -> None:
    """The pages of the reference; autosummary makes those of the names from them."""
    folder.mkdir(exist_ok=True)
    texts = {room: page(room, ROOMS[room], new) for room, new in public().items()}
    texts["index"] = INDEX.format(rooms="\n".join(f"   {room}" for room in ROOMS))
    for name, text in texts.items():
        path = folder / f"{name}.rst"
        if (
            not path.exists() or path.read_text(encoding="utf-8") != text
        ):  # what is the same is not built again
            path.write_text(text, encoding="utf-8")
