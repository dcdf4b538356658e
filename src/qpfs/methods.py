"""The methods: the one table that command, report, evaluation and tests read.

A row holds what is needed before anything heavy is imported, so that `qpfs --help` is quick. Everything else
about a method (its sentence for a paper, its references, how certain its results are, what it costs) is in
its class, which the row names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from qpfs.registry import Registry


@dataclass(frozen=True)
class Method:
    """A method by its names."""

    name: str  # in the command
    title: str  # in texts
    home: str  # the module of its class
    class_name: str
    says: str  # what it does, in a line
    scaled: bool = False  # whether it uses the values themselves, which are then scaled first
    adjusts: bool = True  # whether its fit takes covariates

    @property
    def selector(self) -> Any:
        """The class."""
        return getattr(import_module(self.home), self.class_name)


OURS = (
    Method(
        "qpfs", "QPFS", "qpfs.selectors.qpfs", "QPFS", "the quadratic program on all features, solved exactly"
    ),
    Method(
        "ikma",
        "IKMA-QPFS",
        "qpfs.selectors.ikm",
        "IKMAQPFS",
        "clustering and the program alternate; a cluster without weight is discarded immediately",
    ),
    Method(
        "ikm",
        "IKM-QPFS",
        "qpfs.selectors.ikm",
        "IKMQPFS",
        "as ikma, but a cluster is discarded only once it is narrow: slower, more cautious",
    ),
    Method(
        "tlkm",
        "TLKM-QPFS",
        "qpfs.selectors.tlkm",
        "TLKMQPFS",
        "the program on one feature of each cluster; no cluster is discarded",
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
        "features one by one, by relevance minus mean redundancy with those selected before",
    ),
    Method(
        "jmi",
        "JMI",
        "qpfs.selectors.jmi",
        "JMI",
        "features one by one, by the joint information about the target with those selected before",
    ),
    Method(
        "cmim",
        "CMIM",
        "qpfs.selectors.cmim",
        "CMIM",
        "features one by one, by the least new information beside any one selected before",
    ),
    Method("maxrel", "MaxRel", "qpfs.selectors.maxrel", "MaxRel", "relevance alone; redundancy is ignored"),
    Method(
        "fgm",
        "FGM",
        "qpfs.selectors.fgm",
        "FGM",
        "a linear support vector machine that adds features group by group",
        scaled=True,
        adjusts=False,
    ),
    Method(
        "gdm",
        "GDM",
        "qpfs.selectors.gdm",
        "GDM",
        "as fgm, with no two correlated features in a group",
        scaled=True,
        adjusts=False,
    ),
    Method(
        "two-level",
        "Two-level selection",
        "qpfs.selectors.two_level",
        "TwoLevelSelector",
        "any clusterer, then any criterion on one feature of each cluster",
    ),
    Method(
        "interleaved",
        "Interleaved selection",
        "qpfs.selectors.interleaved",
        "InterleavedSelector",
        "any clusterer and any criterion, alternating",
    ),
)
METHODS: Registry[Method] = Registry("qpfs.methods", {method.name: method for method in OURS})


@dataclass(frozen=True)
class Other:
    """A method of another package, for comparisons."""

    title: str
    says: str  # what it does, in a line
    options: Mapping[str, float] = field(default_factory=dict)  # its parameters and their defaults


RIVALS = {  # `evaluation/rivals.py` makes them
    "f-test": Other("F test", "each feature alone, by analysis of variance or the F test of its correlation"),
    "l1": Other("L1 linear model", "the weights of a linear model with an L1 penalty", {"C": 1.0}),
    "rfe": Other("RFE", "recursive feature elimination with a linear model", {"C": 1.0}),
    "forest": Other(
        "Forest importance", "the importance of features in a random forest", {"n_estimators": 500}
    ),
    "relief": Other(
        "ReliefF", "differences between near samples of other classes (package skrebate)", {"n_neighbors": 10}
    ),
    "boruta": Other(
        "Boruta", "importance in forests beyond that of shuffled features (package boruta)", {"max_iter": 50}
    ),
}
USUAL = ("qpfs", "ikma", "mrmr", "maxrel")  # compared if no method is named


def names_of(cls: type) -> tuple[str, str]:
    """The name and the title of the method of a class; a class that tunes parameters has -cv after it."""
    plain = cls.__name__.removesuffix("CV")
    found = next((method for method in METHODS.values() if method.class_name == plain), None)
    if found is None:
        return cls.__name__.lower(), cls.__name__
    return (found.name, found.title) if plain == cls.__name__ else (f"{found.name}-cv", f"{found.title} (CV)")
