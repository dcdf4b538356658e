"""What the publication's text claims, held against its own tables and against ours.

A claim is a list of comparisons that would all have to hold. The same list is made from either set of
numbers; what cannot be compared for want of a number is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from qpfs.wording import short
from reproduction import published

LISTED = 8  # exceptions that are named with their numbers
OURS = ("tlkm", "ikm", "ikma")  # the publication's own methods


# Numbers by what they are, set and method, None where there is none: the publication's, or ours.
Numbers = Callable[[str | int, str, str], float | None]


@dataclass(frozen=True)
class Requirement:
    """One thing that has to hold."""

    name: str  # of the set
    what: str
    numbers: str
    holds: bool

    @property
    def label(self) -> str:
        return f"{self.name} {self.what} ({self.numbers})"


Comparisons = Iterable[Requirement]


@dataclass(frozen=True)
class Claim:
    """A sentence, and what it would take."""

    text: str
    comparisons: Callable[[Numbers], Comparisons]


def finding(claim: Claim, numbers: Numbers) -> str:
    """How far a claim holds, with the exceptions."""
    found = list(claim.comparisons(numbers))
    broken = [one for one in found if not one.holds]
    if not found:
        return "no numbers"
    if not broken:
        return f"holds in all {len(found)}"
    named = "; ".join(one.label for one in broken) if len(broken) <= LISTED else by_set(broken)
    return f"holds in {len(found) - len(broken)} of {len(found)}; not: {named}"


def by_set(broken: list[Requirement]) -> str:
    """Many exceptions in few words, without their numbers."""
    names = dict.fromkeys(one.name for one in broken)
    return "; ".join(f"{name}: {', '.join(one.what for one in broken if one.name == name)}" for name in names)


def compared(name: str, what: str, low: float | None, high: float | None, factor: float = 1.0) -> Comparisons:
    """Whether one number times a factor is at most another; nothing if either is missing."""
    if low is not None and high is not None:
        yield Requirement(name, what, f"{short(low)} against {short(high)}", low * factor <= high)


def titled(method: str, rival: str) -> str:
    return f"{published.METHODS[method]} against {published.METHODS[rival]}"


def lowest_of_all(numbers: Numbers) -> Comparisons:
    for name, title in published.SETS.items():
        rest = [numbers("lowest", name, other) for other in published.METHODS if other not in ("ikm", "ikma")]
        known = [one for one in rest if one is not None]
        for method in ("ikm", "ikma"):
            low = numbers("lowest", name, method)
            yield from compared(title, published.METHODS[method], low, min(known, default=None))


def lower_than_rivals(numbers: Numbers) -> Comparisons:
    for name, title in published.SETS.items():
        for method in OURS:
            for rival in ("qpfs", "fgm", "gdm"):
                low, high = numbers("lowest", name, method), numbers("lowest", name, rival)
                yield from compared(title, titled(method, rival), low, high)


def better_at_all(method: str, rivals: tuple[str, ...]) -> Callable[[Numbers], Comparisons]:
    """At every number of features on every set an error at most that of the rivals."""

    def comparisons(numbers: Numbers) -> Comparisons:
        for name, title in published.SETS.items():
            for k in published.TOPS:
                for rival in rivals:
                    against = f" against {published.METHODS[rival]}" * (len(rivals) > 1)
                    low, high = numbers(k, name, method), numbers(k, name, rival)
                    yield from compared(title, f"{k}{against}", low, high)

    return comparisons


def earlier(numbers: Numbers) -> Comparisons:
    for name in ("wdbc", "srbct", "lymphoma", "leukemia", "usps"):
        for method in ("ikm", "ikma"):
            low, high = numbers("lowest at", name, method), numbers("lowest at", name, "qpfs")
            yield from compared(published.SETS[name], published.METHODS[method], low, high)


def faster(
    methods: tuple[str, ...], rivals: tuple[str, ...], names: Iterable[str], factor: float
) -> Callable[[Numbers], Comparisons]:
    """So many times faster than each rival on each of some sets."""

    def comparisons(numbers: Numbers) -> Comparisons:
        for name in names:
            for method in methods:
                for rival in rivals:
                    low, high = numbers("seconds", name, method), numbers("seconds", name, rival)
                    yield from compared(published.SETS[name], titled(method, rival), low, high, factor)

    return comparisons


def less_memory(numbers: Numbers) -> Comparisons:
    for name, title in published.SETS.items():
        for method in OURS if name != "mnist38" else ():
            low, high = numbers("megabytes", name, method), numbers("megabytes", name, "qpfs")
            yield from compared(title, published.METHODS[method], low, high, 10.0)


ALL = tuple(published.SETS)
LARGE = ("rac", "mnist38", "usps")
SMALL = ("wdbc", "colon", "lymphoma", "leukemia")
CLAIMS = (
    Claim("IKMA-QPFS and IKM-QPFS achieve the lowest error rates for all data sets.", lowest_of_all),
    Claim(
        "Error rates of TLKM-QPFS, IKM-QPFS and IKMA-QPFS are improved over QPFS, FGM and GDM for each of "
        "the data sets.",
        lower_than_rivals,
    ),
    Claim(
        "TLKM-QPFS performs better than QPFS in all cases (data set and number of features), except on Colon "
        "at 10 (a footnote adds SRBCT at 10 and 30).",
        better_at_all("tlkm", ("qpfs",)),
    ),
    Claim(
        "On all data sets IKMA-QPFS performs significantly better than QPFS, FGM and GDM at all numbers of "
        "top features (here: not worse).",
        better_at_all("ikma", ("qpfs", "fgm", "gdm")),
    ),
    Claim(
        "IKMA-QPFS and IKM-QPFS achieve their lowest error with fewer features than QPFS on WDBC, SRBCT, "
        "Lymphoma, Leukemia and USPS.",
        earlier,
    ),
    Claim(
        "On all data sets TLKM-, IKM- and IKMA-QPFS are orders of magnitude faster than QPFS (here: 10 "
        "times).",
        faster(OURS, ("qpfs",), ALL, 10.0),
    ),
    Claim(
        "IKM-QPFS and IKMA-QPFS are three to five times faster than FGM and GDM on RAC, MNIST and USPS.",
        faster(("ikm", "ikma"), ("fgm", "gdm"), LARGE, 3.0),
    ),
    Claim(
        "TLKM-QPFS is three times faster than GDM on RAC, MNIST and USPS.",
        faster(("tlkm",), ("gdm",), LARGE, 3.0),
    ),
    Claim(
        "TLKM-QPFS is three to ten times slower than GDM on WDBC, Colon, Lymphoma and Leukemia.",
        faster(("gdm",), ("tlkm",), SMALL, 3.0),
    ),
    Claim(
        "IKMA-QPFS is two to fifteen times faster than TLKM-QPFS and two to six times faster than IKM-QPFS.",
        faster(("ikma",), ("tlkm", "ikm"), ALL, 2.0),
    ),
    Claim(
        "TLKM-, IKM- and IKMA-QPFS require more than an order of magnitude less memory than QPFS on all data "
        "sets, except MNIST.",
        less_memory,
    ),
)
