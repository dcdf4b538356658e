"""The names of effect sizes in texts, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable

from qpfs.kinds import Unchecked
from qpfs.wording import listed

SIZES = {"auc": "AUC", "eta2": "eta²", "rho": "rho", "cramers_v": "V"}
MEANINGS = {
    "auc": "AUC is the probability that a sample of the named class exceeds one of the other: 0.5 is chance",
    "eta2": "eta² is the share of the variance of ranks that lies between groups: 0 to 1",
    "rho": "rho is Spearman’s rank correlation with the target: −1 to 1",
    "cramers_v": "V is Cramér’s V, the association of labels with the classes: 0 to 1",
}


def size_name(measure: str) -> str:
    """The name of an effect size."""
    return SIZES.get(measure, measure)


def size_meanings(effects: Iterable[Unchecked | None]) -> str:
    """What the sizes of some effects mean, in a sentence; empty if there are none."""
    there = {effect["measure"] for effect in effects if effect}
    said = [MEANINGS[one] for one in MEANINGS if one in there]
    return f"{listed(said)}." if said else ""
