"""What a comparison answers: which method, how many features, and how sure that is."""

from __future__ import annotations

from typing import Any

from qpfs.wording import counted, listed, percent, rounded

Row = dict[str, Any]


def tested(comparison: Row) -> list[Row]:
    """The methods whose nested error is known, the lowest first."""
    known = [one for one in comparison["methods"] if one["nested"] and one["nested"]["error"] is not None]
    return sorted(known, key=lambda one: float(one["nested"]["error"]))


def verdict(comparison: Row) -> str:
    """Which method, how many features, in one sentence."""
    methods = tested(comparison)
    if not methods:
        return f"{counted(len(comparison['methods']), 'method')} compared"
    best = lowest(methods)
    have = "has" if len(best) == 1 else "have"
    names = listed([one["title"] for one in best])
    found = f"{names} {have} the lowest error, {percent(best[0]['nested']['error'], 1)}"
    return found + enough(best)


def lowest(methods: list[Row]) -> list[Row]:
    """Of methods in order those that tie for the lowest error."""
    return [one for one in methods if one["nested"]["error"] == methods[0]["nested"]["error"]]


def enough(best: list[Row]) -> str:
    """How many features do for each of the best methods; empty if that is not known of all."""
    if not all(one["smallest"] for one in best):
        return ""
    sizes = list(dict.fromkeys(one["smallest"]["k"] for one in best))
    if len(sizes) == 1:
        return f", and {counted(sizes[0], 'feature is', 'features are')} enough"
    return f", and {listed([f'{k:,}' for k in sizes])} features are enough"


def grounds(comparison: Row) -> list[str]:
    """What the answer rests on: its interval, who is not clearly worse, all features, who failed."""
    methods = tested(comparison)
    sentences = [sure(comparison, methods), *rivals(comparison, methods)] if methods else []
    return [*sentences, *without_selection(comparison), *failures(comparison)]


def sure(comparison: Row, methods: list[Row]) -> str:
    """How the lowest error was found, and how exact it is."""
    best = lowest(methods)
    inside = "the number of features chosen inside each training part"
    if any(one["nested"]["low"] is None or one["nested"]["high"] is None for one in best):
        return f"The error is that of the whole procedure, {inside}."
    spans = [span(one["nested"]) for one in best]
    if len(best) > 1:
        spans = [f"{text} with {one['title']}" for text, one in zip(spans, best, strict=True)]
    return (
        f"The {level_text(comparison)} interval of this error is {listed(spans)}; it is that of the whole "
        f"procedure, {inside}."
    )


def level_text(comparison: Row) -> str:
    share = comparison["protocol"].get("level") or 0.95
    return f"{100 * share:g}\N{NO-BREAK SPACE}%"


def span(one: Row) -> str:
    return f"{percent(one['low'], 1)} to {percent(one['high'], 1)}"


def rivals(comparison: Row, methods: list[Row]) -> list[str]:
    """Which other methods have an error inside the interval of the lowest."""
    best = lowest(methods)
    highs, others = [one["nested"]["high"] for one in best], methods[len(best) :]
    if None in highs or not others:
        return []
    near = [one for one in others if one["nested"]["error"] <= max(highs)]
    if not near:
        return ["All others are worse: their errors lie outside this interval."]
    names = listed([f"{one['title']} ({percent(one['nested']['error'], 1)})" for one in near])
    lie = (
        "is not clearly worse: its error lies"
        if len(near) == 1
        else "are not clearly worse: their errors lie"
    )
    return [f"{names} {lie} inside this interval."]


def without_selection(comparison: Row) -> list[str]:
    """What no selection gives."""
    return [
        f"With {one['name']} the error is {percent(one['error'], 1)}{interval(one)}."
        for one in comparison["baselines"]
    ]


def interval(one: Row) -> str:
    return "" if one.get("low") is None or one.get("high") is None else f" ({span(one)})"


def failures(comparison: Row) -> list[str]:
    """How many methods could be compared, and why the others could not."""
    failed = [one for one in comparison["methods"] if one["failed"]]
    if not failed:
        return []
    n = len(comparison["methods"])
    reasons = "; ".join(f"{one['title']} failed: {one['failed']}" for one in failed)
    ended = reasons if reasons.endswith((".", "!", "?")) else f"{reasons}."
    return [f"{n - len(failed)} of {counted(n, 'method')} compared; {ended}"]


def ranked_words(comparison: Row, method: Row) -> str:
    """How many features a method ranked, where that is fewer than were asked for; else empty."""
    ranked = method["ranked"]
    if not ranked or ranked["most"] >= comparison["most_asked"]:
        return ""
    fewest, most = ranked["fewest"], ranked["most"]
    return f"ranked {most}" if fewest == most else f"ranked {fewest} to {most}"


def stability_text(stability: Row | None) -> str:
    """The index, and the number of features it was measured at."""
    if not stability or stability["index"] is None:
        return "–"
    size = stability.get("size")
    return rounded(stability["index"]) + (f" (at {size})" if size else "")
