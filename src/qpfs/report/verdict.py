"""The answer of a comparison: which method, how many features, and how certain that is."""

from __future__ import annotations

from typing import Any

from qpfs.report.score_text import best_word, is_error, score_noun, score_text, scoring_of, span_text
from qpfs.report.words import confidence_text, guessing_words, unselected_words
from qpfs.wording import counted, listed, rounded

Row = dict[str, Any]
NAMED = 5  # methods at most that the answer names; more are counted


def tested(comparison: Row) -> list[Row]:
    """The methods whose nested error or score is known, the best first."""
    known = [one for one in comparison["methods"] if one["nested"] and one["nested"]["score"] is not None]
    sign = -1 if scoring_of(comparison)["greater_is_better"] else 1
    return sorted(known, key=lambda one: sign * float(one["nested"]["score"]))


def verdict(comparison: Row) -> str:
    """Which method, how many features, in one sentence; not more than the intervals allow."""
    methods = tested(comparison)
    if not methods:
        return failed_words(comparison) or f"{counted(len(comparison['methods']), 'method')} compared"
    best, like = lowest(methods), near(comparison, methods)
    noun, value = score_noun(comparison), score_text(best[0]["nested"]["score"], comparison)
    if len(methods) == 1:
        found = f"{methods[0]['title']} has the {noun} {value}{enough(best, comparison)}"
    elif like:
        some = [*best, *like]
        names = named(some, comparison)
        values = f"{value} to {score_text(some[-1]['nested']['score'], comparison)}"
        found = f"{names} do not differ clearly: {noun} {values}"
    else:
        have = "has" if len(best) == 1 else "have"
        names = named(best, comparison)
        found = f"{names} {have} the {best_word(comparison)} {noun}, {value}{enough(best, comparison)}"
    failed = failed_words(comparison)
    return found + better_without(comparison, best[0]) + f"; {failed}" * bool(failed)


def named(some: list[Row], comparison: Row) -> str:
    """Methods by their titles, or if they are many by their number."""
    if len(some) > NAMED:
        return f"{len(some)} of {counted(len(comparison['methods']), 'method')}"
    return listed([one["title"] for one in some])


def failed_words(comparison: Row) -> str:
    """How many methods failed; if all did, why."""
    failed = [one for one in comparison["methods"] if one["failed"]]
    if not failed or len(failed) < len(comparison["methods"]):
        return f"{len(failed)} of {counted(len(comparison['methods']), 'method')} failed" * bool(failed)
    reasons = [f"{one['title']} ({one['failed'].rstrip('.')})" for one in failed[:NAMED]]
    more = [f"{len(failed) - NAMED} more"] * (len(failed) > NAMED)
    return f"every method failed: {listed([*reasons, *more])}"


def better_without(comparison: Row, best: Row) -> str:
    """A phrase if all features are better than the best selection."""
    for one in comparison["baselines"]:
        text = score_text(one["score"], comparison)
        differ = text != score_text(best["nested"]["score"], comparison)
        if differ and is_better(comparison, one["score"], best["nested"]["score"]):
            return f"; with {one['name']} it is {text}"
    return ""


def is_better(comparison: Row, one: float, other: float) -> bool:
    return one > other if scoring_of(comparison)["greater_is_better"] else one < other


def lowest(methods: list[Row]) -> list[Row]:
    """Of methods in order those that tie for the best error or score."""
    return [one for one in methods if one["nested"]["score"] == methods[0]["nested"]["score"]]


def near(comparison: Row, methods: list[Row]) -> list[Row]:
    """The other methods whose error or score lies inside the interval of the best."""
    best = lowest(methods)
    bound = "low" if scoring_of(comparison)["greater_is_better"] else "high"
    bounds = [one["nested"].get(bound) for one in best]
    if None in bounds:
        return []
    return [
        one
        for one in methods[len(best) :]
        if not any(is_better(comparison, limit, one["nested"]["score"]) for limit in bounds)
    ]


def only_size(comparison: Row) -> int | None:
    """The number of features that was tried, if it is one."""
    sizes = {point["k"] for method in comparison["methods"] for point in method["curve"]}
    return sizes.pop() if len(sizes) == 1 else None


def enough(best: list[Row], comparison: Row) -> str:
    """How many features are enough for each of the best methods; empty if that is not known for all."""
    if not all(one["smallest"] for one in best):
        return ""
    if not any(k for one in best for k in one["nested"].get("k") or [1]):
        return " with no feature"
    if (size := only_size(comparison)) is not None:
        return f" with {counted(size, 'feature')}"
    sizes = list(dict.fromkeys(one["smallest"]["k"] for one in best))
    if len(sizes) == 1:
        return f", and {counted(sizes[0], 'feature is', 'features are')} enough"
    return f", and {listed([f'{k:,}' for k in sizes])} features are enough"


def grounds(comparison: Row) -> list[str]:
    """What the answer is based on: its interval, methods not clearly worse, all features, failures."""
    methods = tested(comparison)
    sentences = [sure(comparison, methods), *rivals(comparison, methods)] if methods else []
    return [*sentences, *without_selection(comparison), *unselected(comparison), *failures(comparison)]


def unselected(comparison: Row) -> list[str]:
    """Which methods selected nothing in some of the training parts."""
    every = [(one["title"], unselected_words(comparison, one)) for one in comparison["methods"]]
    return [f"{title}:{words}" for title, words in every if words]


def sure(comparison: Row, methods: list[Row]) -> str:
    """How the best error or score was computed, and how precise it is."""
    best, noun = lowest(methods), "error" if is_error(comparison) else "score"
    inside = "with features selected again inside each training part"
    if only_size(comparison) is None:
        inside = "with the number of features chosen inside each training part"
    spans = [span_text(one["nested"], comparison) for one in best]
    if not all(spans):
        return f"The {noun} is that of the whole procedure {inside}."
    if len(best) > 1 or len(methods) > 1:
        spans = [f"{text} with {one['title']}" for text, one in zip(spans, best, strict=True)]
    return (
        f"The {confidence_text(comparison)} interval of the {best_word(comparison)} {noun} is "
        f"{listed(spans)}; it is that of the whole procedure {inside}."
    )


def rivals(comparison: Row, methods: list[Row]) -> list[str]:
    """Which other methods lie inside the interval of the best, and which do not."""
    best = lowest(methods)
    others, like = methods[len(best) :], near(comparison, methods)
    if not others or not all(span_text(one["nested"], comparison) for one in best):
        return []
    noun = "error" if is_error(comparison) else "score"
    if not like:
        return [f"All others are worse: their {noun}s lie outside this interval."]
    names = listed([f"{one['title']} ({score_text(one['nested']['score'], comparison)})" for one in like])
    lie = f"is not clearly worse: its {noun} lies" if len(like) == 1 else "are not clearly worse: they lie"
    return [f"{names} {lie} inside this interval."]


def without_selection(comparison: Row) -> list[str]:
    """The error or score without selection."""
    found = []
    for one in comparison["baselines"]:
        span = span_text(one, comparison)
        text = f"{score_text(one['score'], comparison)}{f' ({span})' * bool(span)}"
        found.append(f"With {one['name']} the {score_noun(comparison)} is {text}.")
    if guess := guessing_words(comparison):
        found.append(f"Without any feature, by {guess[0]}, the {score_noun(comparison)} is {guess[1]}.")
    return found


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
    """How many features a method ranked, if that is fewer than requested; else empty."""
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
