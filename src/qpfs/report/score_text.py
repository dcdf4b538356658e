"""What methods are compared by, and how it is written: errors in per cent, other scores as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qpfs.wording import percent

ERRORS = ("error rate", "relative squared error")
Row = Mapping[str, Any]


def scoring_of(comparison: Row) -> dict[str, Any]:
    """The name of what methods are compared by, and whether more is better; errors where nothing is said."""
    found = (comparison.get("protocol") or {}).get("scoring")
    return dict(found) if found else {"name": ERRORS[0], "greater_is_better": False}


def is_error(comparison: Row) -> bool:
    """Whether it is an error, which is a share."""
    return scoring_of(comparison)["name"] in ERRORS


def score_noun(comparison: Row) -> str:
    """What it is called before people."""
    return "error" if is_error(comparison) else str(scoring_of(comparison)["name"])


def curve_title(comparison: Row) -> str:
    """What a picture or section of curves is called."""
    what = "Error" if is_error(comparison) else f"Score ({score_noun(comparison)})"
    return f"{what} against number of features"


def best_word(comparison: Row) -> str:
    return "highest" if scoring_of(comparison)["greater_is_better"] else "lowest"


def score_text(value: float | None, comparison: Row, places: int | None = None) -> str:
    """An error in per cent, another score in three places, or in so many."""
    if value is None:
        return "–"
    if is_error(comparison):
        return percent(value, 1 if places is None else places)
    return f"{value:.{3 if places is None else places}f}".replace("-", "−")


def span_text(one: Row, comparison: Row) -> str:
    """From the lower to the upper bound; empty if they are not known."""
    if one.get("low") is None or one.get("high") is None:
        return ""
    return f"{score_text(one['low'], comparison)} to {score_text(one['high'], comparison)}"
