"""What the methods are called, by their class."""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """A method as the command and as a text call it."""

    name: str
    title: str


METHODS = {
    "QPFS": Method("qpfs", "QPFS"),
    "NystromQPFS": Method("nystrom", "QPFS with Nyström approximation"),
    "MRMR": Method("mrmr", "mRMR"),
    "MaxRel": Method("maxrel", "MaxRel"),
    "TLKMQPFS": Method("tlkm", "TLKM-QPFS"),
    "IKMQPFS": Method("ikm", "IKM-QPFS"),
    "IKMAQPFS": Method("ikma", "IKMA-QPFS"),
    "TwoLevelSelector": Method("two-level", "Two-level selection"),
    "InterleavedSelector": Method("interleaved", "Interleaved selection"),
    "FGM": Method("fgm", "FGM"),
    "GDM": Method("gdm", "GDM"),
}


def method_of(selector_class: str) -> Method:
    """The names of the method of a class; one that searches its parameters has -cv after it."""
    plain = selector_class.removesuffix("CV")
    if plain not in METHODS:
        return Method(selector_class.lower(), selector_class)
    name, title = METHODS[plain]
    return Method(name, title) if plain == selector_class else Method(f"{name}-cv", f"{title} (CV)")
