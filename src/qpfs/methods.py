"""The methods: the one table that command, report, evaluation and tests read.

A row is what is needed before anything heavy is imported: `qpfs --help` lists the methods at once. All else
that there is to say of a method (its sentence for a paper, its references, how sure its answers are, what it
costs) is said by its class, which a row names.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from qpfs.registry import Registry


@dataclass(frozen=True)
class Method:
    """A method by its names."""

    name: str  # as the command calls it
    title: str  # as a text calls it
    home: str  # the module of its class
    class_name: str
    says: str  # what it does, in a line
    scaled: bool = False  # whether it takes numbers as they are, which are then scaled first

    @property
    def selector(self) -> Any:
        """The class."""
        return getattr(import_module(self.home), self.class_name)


OURS = (
    Method(
        "qpfs",
        "QPFS",
        "qpfs.selectors.qpfs",
        "QPFS",
        "the quadratic program on all features, exactly",
    ),
    Method(
        "ikma",
        "IKMA-QPFS",
        "qpfs.selectors.ikm",
        "IKMAQPFS",
        "clusters and the program in turns, discarding at once",
    ),
    Method(
        "ikm",
        "IKM-QPFS",
        "qpfs.selectors.ikm",
        "IKMQPFS",
        "clusters and the program in turns, discarding with care",
    ),
    Method(
        "tlkm",
        "TLKM-QPFS",
        "qpfs.selectors.tlkm",
        "TLKMQPFS",
        "the program on one feature of each cluster",
    ),
    Method(
        "nystrom",
        "QPFS+Nyström",
        "qpfs.selectors.nystrom",
        "NystromQPFS",
        "the program on a matrix estimated from some of its columns",
    ),
    Method(
        "mrmr",
        "mRMR",
        "qpfs.selectors.mrmr",
        "MRMR",
        "one feature after another: relevance less redundancy",
    ),
    Method(
        "jmi",
        "JMI",
        "qpfs.selectors.jmi",
        "JMI",
        "one feature after another: what it says together with those taken",
    ),
    Method(
        "cmim",
        "CMIM",
        "qpfs.selectors.cmim",
        "CMIM",
        "one feature after another: the least that it adds to any taken",
    ),
    Method("maxrel", "MaxRel", "qpfs.selectors.maxrel", "MaxRel", "relevance alone"),
    Method(
        "fgm",
        "FGM",
        "qpfs.selectors.fgm",
        "FGM",
        "a linear support vector machine that takes in features group by group",
        scaled=True,
    ),
    Method(
        "gdm",
        "GDM",
        "qpfs.selectors.gdm",
        "GDM",
        "the same, with no two correlated features in a group",
        scaled=True,
    ),
    Method(
        "two-level",
        "Two-level selection",
        "qpfs.selectors.two_level",
        "TwoLevelSelector",
        "any criterion on one feature of each cluster of any clusterer",
    ),
    Method(
        "interleaved",
        "Interleaved selection",
        "qpfs.selectors.interleaved",
        "InterleavedSelector",
        "any clusterer and any criterion in turns",
    ),
)
METHODS: Registry[Method] = Registry("qpfs.methods", {method.name: method for method in OURS})
USUAL = ("qpfs", "ikma", "mrmr", "maxrel")  # what is compared where no method is named


def names_of(cls: type) -> tuple[str, str]:
    """The name and the title of the method of a class; one that searches its parameters has -cv after it."""
    plain = cls.__name__.removesuffix("CV")
    found = next((method for method in METHODS.values() if method.class_name == plain), None)
    if found is None:
        return cls.__name__.lower(), cls.__name__
    return (found.name, found.title) if plain == cls.__name__ else (f"{found.name}-cv", f"{found.title} (CV)")
