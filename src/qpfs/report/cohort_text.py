"""The results across cohorts in a record, in sentences."""

from __future__ import annotations

from qpfs.kinds import Unchecked
from qpfs.report.names import shown
from qpfs.report.schema import CohortsRecord, SelectionRecord
from qpfs.report.score_text import score_noun, score_text
from qpfs.report.stability_text import EXCELLENT, POOR
from qpfs.report.words import quoted
from qpfs.wording import counted, listed, rounded

LISTED = 60  # features with a row on the page
NAMED = 3  # features that a sentence names
UNEQUAL = 3  # times as many samples, from which on the larger cohort dominates


def cohort_words(record: SelectionRecord) -> list[str]:
    """How the selection performs across cohorts, and the limits of that."""
    cohorts = record.get("cohorts")
    return [*found_words(record), *limit_words(cohorts)] if cohorts else []


def found_words(record: SelectionRecord) -> list[str]:
    """How the selection performs across cohorts."""
    cohorts = record.get("cohorts")
    if not cohorts:
        return []
    said = [error_words(record, cohorts), agreement_words(cohorts), direction_words(cohorts)]
    return [*filter(None, said)]


def error_words(record: Unchecked, cohorts: CohortsRecord) -> str:
    """The error on each cohort of what was selected and trained on the others."""
    comparison = record.get("comparison") or {}
    failed = [one["failed"] for one in comparison.get("methods", []) if one.get("failed")]
    why = failed[0] if failed else "the others have one class only"
    known = [(shown(one["name"]), one["score"]) for one in cohorts["cohorts"] if one["score"] is not None]
    if not comparison or not known:
        return f"No cohort could be tested: {why}."
    each = ", ".join(f"{name} {score_text(score, comparison)}" for name, score in known)
    found = f"Selected and trained on the other cohorts, the {score_noun(comparison)} on each is: {each}."
    rest = [shown(one["name"]) for one in cohorts["cohorts"] if one["score"] is None]
    return f"{found} {listed(rest)} could not be tested: {why}." if rest else found


def agreement_words(cohorts: CohortsRecord) -> str:
    """How much the selections of single cohorts agree."""
    k, index = cohorts["size"], cohorts["index"]
    n = sum(one["n_common"] is not None for one in cohorts["cohorts"])
    if n < 2:
        return "Fewer than two cohorts can select on their own, so agreement cannot be measured."
    of = "both" if n == 2 else f"all {n}"
    found = f"Each cohort alone selects {counted(k, 'feature')}; {cohorts['n_in_all']:,} of them are in {of}"
    if index is None:
        return f"{found}."
    means = "poor" if index < POOR else "intermediate to good" if index < EXCELLENT else "excellent"
    return f"{found} (stability {rounded(index)}, commonly called {means})."


def direction_words(cohorts: CohortsRecord) -> str:
    """Selected features whose direction is not the same in all cohorts."""
    panel = [one for one in cohorts["features"] if one["rank"] is not None and one["agree"] is not None]
    if not panel:
        return ""
    apart = [quoted(one["feature"]) for one in panel if not one["agree"]]
    if not apart:
        return "Every selected feature has the same direction in all cohorts."
    more = [f"{len(apart) - NAMED:,} more"] if len(apart) > NAMED else []
    return f"The direction of {listed(apart[:NAMED] + more)} is not the same in all cohorts."


def within_words(cohorts: CohortsRecord) -> str:
    """Whether differences between cohorts count."""
    if cohorts["within"]:
        return "Relevance was computed within cohorts: differences between cohorts do not count."
    return (
        "This method does not compute relevance within cohorts: a feature that differs between cohorts may "
        "seem relevant."
    )


def limit_words(cohorts: CohortsRecord) -> list[str]:
    """The limits of so many cohorts of such sizes, and of data on different scales."""
    sizes = {one["name"]: one["n"] for one in cohorts["cohorts"]}
    found = [within_words(cohorts)]
    if len(sizes) == 2:
        found.append("Two cohorts are only one pair: their agreement is weak evidence for a third.")
    largest, smallest = max(sizes, key=lambda one: sizes[one]), min(sizes, key=lambda one: sizes[one])
    if sizes[largest] >= UNEQUAL * sizes[smallest]:
        found.append(
            f"{shown(largest)} has {sizes[largest]:,} of {sum(sizes.values()):,} samples, {shown(smallest)} "
            f"{sizes[smallest]:,}: the selection on all together depends mostly on the larger one."
        )
    found.append(
        "Effects within a cohort are based on ranks, so scales do not matter; the error on a cohort is based "
        "on the values themselves, and is larger if cohorts were measured on different scales."
    )
    return found


def listed_words(cohorts: CohortsRecord) -> str:
    """Which features the table of effects lists."""
    n, chosen = len(cohorts["features"]), sum(one["rank"] is not None for one in cohorts["features"])
    rest = f" {counted(n - LISTED, 'more is', 'more are')} in selection.json." if n > LISTED else ""
    others = n > chosen
    return f"The selected features{', and those that a cohort selects alone' * others}.{rest}"
