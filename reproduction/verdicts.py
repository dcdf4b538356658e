"""The publication's number beside ours, and what that says.

The noise of an error. Leave-one-out and a fixed split test n samples once: the 95 % interval of Wilson for
our share of n. It is wide: 13 % of 62 samples go with anything from 7 to 23 %. Over random splits both
numbers are means over splits drawn by chance: 1.96 standard errors of the difference of two such means,
theirs taken to spread as ours. A difference within the noise is called reproduced; it does not say that the
methods agree.

Times and memories are compared as ratios to QPFS in the same table, machines and programs being others.
Within a factor of 2 they are called reproduced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from qpfs.evaluation.intervals import proportion
from reproduction.results import Curve

SAME = "the same"
REPRODUCED = "reproduced"
BETTER, WORSE = "better", "worse"
NOT_COMPARABLE = "not comparable"
OURS_ONLY, NO_NUMBER = "ours only", "no number"

Z = 1.96  # of a normal interval of 95 %
FACTOR = 2.0  # times and memories within it count as alike: machines differ by as much
GDM_REASON = "the search of GDM is a reconstruction, no program or full text of it being public"
TOO_FEW = "so many features were not found here"
TOO_LITTLE = "what QPFS takes is too little to be measured"


@dataclass(frozen=True)
class Cell:
    """The publication's number, ours, and the verdict; a number is None where there is none."""

    paper: float | None
    ours: float | None
    verdict: str
    reason: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.paper is None or self.ours is None else self.ours - self.paper


def unsettled(paper: float | None, ours: float | None, method: str) -> Cell | None:
    """The cell where there is nothing to judge; None where there is."""
    if paper is None and ours is None:
        return Cell(None, None, NO_NUMBER)
    if paper is None:
        return Cell(None, ours, OURS_ONLY)
    if ours is None:
        return Cell(paper, None, NOT_COMPARABLE, "no number of ours")
    if method == "gdm":
        return Cell(paper, ours, NOT_COMPARABLE, GDM_REASON)
    return None


def error_cell(paper: float | None, curve: Curve | None, k: int | None, method: str) -> Cell:
    """An error in percent at k features against the publication's; k is None where there is no curve."""
    error = None if curve is None or k is None else curve.at(k)
    ours = None if error is None else 100 * error
    if paper is not None and curve is not None and error is None:
        return Cell(paper, None, NOT_COMPARABLE, TOO_FEW)
    nothing = unsettled(paper, ours, method)
    if nothing or paper is None or ours is None or curve is None or k is None:
        return nothing or Cell(paper, ours, NOT_COMPARABLE)
    if abs(ours - paper) < 0.01:  # both are rounded to 0.01
        return Cell(paper, ours, SAME)
    low, high = noise(curve, k)
    if low <= paper <= high:
        return Cell(paper, ours, REPRODUCED)
    return Cell(paper, ours, BETTER if ours < paper else WORSE)


def noise(curve: Curve, k: int) -> tuple[float, float]:
    """What a publication's error in percent may be without contradicting ours at k features."""
    error = curve.errors[curve.sizes.index(k)]
    if any(curve.spread):
        reach = Z * math.sqrt(2) * curve.spread_at(k)
        return 100 * max(error - reach, 0.0), 100 * (error + reach)
    found = proportion(error, curve.n, 0.95)
    return 100 * float(found.low), 100 * float(found.high)


def size_cell(paper: float | None, curve: Curve | None, method: str) -> Cell:
    """The number of features at the lowest error; reproduced if there our error is within its noise."""
    ours = None if curve is None else float(curve.lowest_at)
    nothing = unsettled(paper, ours, method)
    if nothing or paper is None or ours is None or curve is None:
        return nothing or Cell(paper, ours, NOT_COMPARABLE)
    if paper == ours:
        return Cell(paper, ours, SAME)
    nearest = min(curve.sizes, key=lambda k: abs(k - paper))
    if 100 * curve.errors[curve.sizes.index(nearest)] <= noise(curve, curve.lowest_at)[1]:
        return Cell(paper, ours, REPRODUCED, "our error there is within the noise of our lowest")
    return Cell(paper, ours, BETTER if ours < paper else WORSE, "fewer features are better")


def ratio_cell(paper: float | None, ours: float | None, method: str) -> Cell:
    """A ratio of two times, or of two memories."""
    nothing = unsettled(paper, ours, method)
    if nothing or paper is None or ours is None:
        return nothing or Cell(paper, ours, NOT_COMPARABLE)
    if max(paper, ours) <= FACTOR * min(paper, ours):
        return Cell(paper, ours, REPRODUCED)
    return Cell(paper, ours, BETTER if ours < paper else WORSE)


def verdict_counts(cells: list[Cell]) -> dict[str, int]:
    """How often each verdict was given."""
    kinds = (SAME, REPRODUCED, BETTER, WORSE, NOT_COMPARABLE, OURS_ONLY, NO_NUMBER)
    return {kind: sum(cell.verdict == kind for cell in cells) for kind in kinds}
