"""The error or score that methods are compared by, as text: errors in per cent, other scores as numbers."""

from __future__ import annotations

from typing import Any

from qpfs.kinds import Unchecked
from qpfs.wording import percent

ERRORS = ("error rate", "relative squared error")


def scoring_of(comparison: Unchecked) -> dict[str, Any]:
    """The name of the error or score, and whether larger is better; errors by default."""
    found = (comparison.get("protocol") or {}).get("scoring")
    return dict(found) if found else {"name": ERRORS[0], "greater_is_better": False}


def is_error(comparison: Unchecked) -> bool:
    """Whether methods are compared by an error, which is a share."""
    return scoring_of(comparison)["name"] in ERRORS


def score_noun(comparison: Unchecked) -> str:
    """The name of the error or score in texts."""
    return "error" if is_error(comparison) else str(scoring_of(comparison)["name"])


def curve_title(comparison: Unchecked) -> str:
    """The title of a figure or section of curves."""
    what = "Error" if is_error(comparison) else f"Score ({score_noun(comparison)})"
    return f"{what} against number of features"


def best_word(comparison: Unchecked) -> str:
    return "highest" if scoring_of(comparison)["greater_is_better"] else "lowest"


def score_text(value: float | None, comparison: Unchecked, places: int | None = None) -> str:
    """An error in per cent, another score with three decimal places, or as many as given."""
    if value is None:
        return "–"
    if is_error(comparison):
        return percent(value, 1 if places is None else places)
    return f"{value:.{3 if places is None else places}f}".replace("-", "−")


def span_text(one: Unchecked, comparison: Unchecked) -> str:
    """From the lower to the upper bound; empty if they are not known."""
    if one.get("low") is None or one.get("high") is None:
        return ""
    return f"{score_text(one['low'], comparison)} to {score_text(one['high'], comparison)}"
