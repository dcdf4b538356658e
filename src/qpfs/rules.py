"""Rules that discretise, by name: the one table that selectors, stores, the command and tests read.

Each is imported on first use, so that `qpfs --help` is quick.
"""

from __future__ import annotations

from typing import Any

from qpfs.registry import Places, Registry

HOME = "qpfs.codes.discretizers"
RULES = {  # the place of each, and what it does with numbers
    "equal-frequency": (f"{HOME}.equal_frequency:EqualFrequency", "bins of equally many samples"),
    "equal-width": (f"{HOME}.equal_width:EqualWidth", "bins of equal width"),
    "three-segments": (f"{HOME}.three_segments:ThreeSegments", "at mean ± 1 standard deviation"),
    "codes": (f"{HOME}.as_codes:AsCodes", "integers unchanged"),
}
UNDISCRETISED = {
    "rank": "scores",
    "correlation": "numbers",
}  # the measures of ours without levels, and what they use
DISCRETIZERS: Registry[Any] = Registry(
    "qpfs.discretizers", Places({name: place for name, (place, _) in RULES.items()})
)


def rule_list() -> str:
    """All rules, with what each does with numbers."""
    ours = [f"{name} ({says})" for name, (_, says) in RULES.items()]
    return ", ".join([*ours, *DISCRETIZERS.names[len(ours) :]])
