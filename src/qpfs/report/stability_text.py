"""The stability in a record, in sentences."""

from __future__ import annotations

from qpfs.report.schema import FeatureRecord, NearRecord, SelectionRecord, StabilityRecord
from qpfs.report.words import nothing_words, quoted
from qpfs.wording import counted, fixed, listed, percent, rounded

POOR, EXCELLENT = 0.4, 0.75  # poor below, excellent from here on, after Nogueira, Sechidis and Brown
HIGHER = 0.1  # how much the index over clusters must exceed that over features to be clearly higher
HALF = 0.5  # the share of their samples that two random halves have in common on average
NAMED = 2  # features that a sentence names


def stability_words(record: SelectionRecord) -> list[str]:
    """The index and its usual interpretation, over features and over clusters, and what to do."""
    stability = record["stability"]
    if stability is None:
        return ["Stability was not measured: how much the selection changes with the samples is unknown."]
    if stability["index"] is None:
        why = empty_words(record) or "each selects all features, or none."
        words = f"Stability over {drawn_words(stability)} cannot be computed: {why}"
        return [words, *shortage(stability)]
    if record["n_selected"] == 0:
        if not stability.get("n_often"):
            return [f"Nor is any feature selected in half of {drawn_words(stability)} or more."]
        often = counted(stability["n_often"], "feature is", "features are")
        return [f"{often} selected in half of {drawn_words(stability)} or more."]
    first = [index_words(stability, stability["index"]), *shortage(stability), *no_interval(stability)]
    poor = [advice(record, stability)] if stability["index"] < POOR else []
    empty = [f"I{words[1:]}" for words in [empty_words(record)] if words]
    return [" ".join(first), *empty, *cluster_words(stability, stability["index"]), *poor]


def empty_words(record: SelectionRecord) -> str:
    """In how many of the draws nothing was selected, and what to do; empty if something was in each."""
    stability = record["stability"] or {"index": None}
    n, empty = stability.get("n"), stability.get("n_empty")
    if not n or not empty:
        return ""
    return f"in {empty:,} of {counted(n, 'draw')} {nothing_words(record['method']['parameters'])}"


def index_words(stability: StabilityRecord, index: float) -> str:
    """The index with its interval, and how it is read."""
    means = "poor" if index < POOR else "intermediate to good" if index < EXCELLENT else "excellent"
    levels = " Levels are those of all samples, also in each draw." * at_fixed_levels(stability)
    interval = interval_words(stability, "interval for more such draws")
    return (
        f"Stability over {drawn_words(stability)}: {rounded(index)}{interval}, commonly called {means}."
        f"{levels}"
    )


def reading_words(stability: StabilityRecord) -> str:
    """What the numbers mean, and what they do not."""
    words = [
        "A stability of 1 means that all draws select the same features, 0 that they agree no more than by "
        "chance."
    ]
    if stability.get("clusters"):
        words.append("A cluster counts as selected if any of its features is.")
    if interval_words(stability, "interval"):
        words.append(
            "The draws overlap and come from these samples: the interval does not cover other samples."
        )
    return " ".join(words)


def shortage(stability: StabilityRecord) -> list[str]:
    """A sentence if fewer different resamples exist than were requested."""
    n, asked = stability.get("n"), stability.get("n_asked")
    return [shortage_words(asked, n)] if n is not None and asked is not None and n < asked else []


def shortage_words(n_asked: int, n: int) -> str:
    return f"{n_asked:,} resamples were requested, but only {n:,} different ones exist: each was used once."


def no_interval(stability: StabilityRecord) -> list[str]:
    """Why there is no interval."""
    n = stability.get("n")
    return [f"{n:,} are too few for an interval."] if n and not interval_words(stability, "interval") else []


def cluster_words(stability: StabilityRecord, index: float) -> list[str]:
    """The index over clusters beside that over features."""
    clusters = stability.get("clusters")
    if not clusters or clusters["index"] is None:
        return []
    if not is_higher(clusters["index"], index):
        found = "they agree as well" if index >= EXCELLENT else "the clusters change with the features"
    else:
        less = "stay the same" if clusters["index"] >= POOR else "change less"
        found = f"the features change, the clusters {less}"
    return [
        f"Over clusters of similar features ({clusters['text']}) it is {rounded(clusters['index'])}: {found}."
    ]


def is_higher(over_clusters: float, index: float) -> bool:
    return over_clusters >= index + HIGHER


def advice(record: SelectionRecord, stability: StabilityRecord) -> str:
    """What to do about a poor stability, from what is known of it."""
    clusters, index = stability.get("clusters"), stability["index"] or 0.0
    over = clusters and clusters["index"]
    if over and over >= POOR and is_higher(over, index):
        first = "Report the clusters, and treat the features of a cluster as interchangeable. "
    else:
        first = exchange_words(record["features"])
    more = f"more {stability.get('units', 'samples')}"
    return first + draw_words(stability.get("n_often"), record["n_selected"], more)


def exchange_words(features: list[FeatureRecord]) -> str:
    """Which features are selected less often than one near them; empty if none is."""
    taken = [(one, others[0]) for one in features if (others := not_chosen(one.get("instead") or []))]
    if not taken:
        return ""
    one, other = (quoted(found["feature"]) for found in taken[0])
    if len(taken) == 1:
        return f"{one} is selected less often than {other}, which is near it: treat them as interchangeable. "
    return (
        f"{counted(len(taken), 'selected feature')} are selected less often than others near them, such as "
        f"{one} than {other}: treat these as interchangeable. "
    )


def draw_words(n_often: int | None, n_selected: int, more: str) -> str:
    """Whether fewer features would be more stable, or more samples or groups are needed."""
    if n_often is None:
        return f"Fewer features, or {more}, make a selection more stable."
    if n_often == 0:
        return f"No feature is selected in half of the draws or more: {more} are needed to choose."
    if n_often < n_selected:
        only = counted(n_often, "feature is", "features are")
        return f"Only {only} selected in half of the draws or more: select {n_often:,}, or measure {more}."
    return f"Measure {more} before you rely on single features."


def not_chosen(near: list[NearRecord]) -> list[NearRecord]:
    """Those that are near and not selected, which can take a feature's place."""
    return [one for one in near if one.get("near", True) and not one.get("selected")]


def absence_words(feature: FeatureRecord, stability: StabilityRecord | None = None) -> str:
    """Why a selected feature has a frequency of 0 %: what draws selected instead; else empty."""
    if feature["frequency"] != 0 or (stability and stability.get("n_empty", -1) == stability.get("n")):
        return ""
    never, near = "never selected in other draws of samples", feature.get("instead")
    if not near:
        return never
    if others := not_chosen(near):
        return f"{never}; its place was taken by {listed([near_words(one) for one in others[:NAMED]])}"
    first, also = near_words(near[0]), ", also selected" if near[0].get("selected") else ""
    if near[0].get("near", True):
        return f"{never}; near it is {first}{also}"
    return f"{never}, nor was any feature near it; the nearest that was selected is {first}{also}"


def near_words(one: NearRecord) -> str:
    """A feature, how often it was selected and how far away it is."""
    share = percent(one.get("frequency"))
    return f"{quoted(one['feature'])} ({share}, distance {fixed(one['distance'], 2)})"


def absences(record: SelectionRecord) -> list[str]:
    """The selected features with a frequency of 0 %, each with what draws selected instead."""
    every = [(one["feature"], absence_words(one, record["stability"])) for one in record["features"]]
    return [f"{quoted(name)}: {words}." for name, words in every if words]


def bars_caption(record: SelectionRecord) -> str:
    """What the bars of frequencies leave out."""
    often = (record["stability"] and record["stability"].get("often")) or []
    left = record["n_selected"] - sum(one.get("rank") is not None for one in often)
    out = f", and without {counted(left, 'further selected one')}" if left > 0 else ""
    return (
        f"The {counted(len(often), 'feature')} shown are those selected on all samples and the most frequent "
        f"others{out}."
    )


def halves_words(stability: StabilityRecord) -> str:
    """What the stability of a selection is based on, and why that of a comparison differs."""
    share = stability.get("overlap")
    if share is None:
        return ""
    return (
        f"Two of these draws share {percent(share)} of their samples; the training parts of qpfs compare "
        "usually share more, so its stability is higher; do not compare the two figures."
    )


def folds_words(share: float) -> str:
    """What the stability of a comparison is based on, and why that of a selection differs."""
    text = f"Stability is that of selections on the training parts, two of which share {percent(share)} of "
    if percent(share) == percent(HALF):
        return f"{text}their samples."
    more, other = ("less", "lower") if share > HALF else ("more", "higher")
    return (
        f"{text}their samples. The random halves of qpfs select --stability share {more} ({percent(HALF)}), "
        f"so their stability is usually {other}: do not compare the two figures."
    )


def at_fixed_levels(stability: StabilityRecord) -> bool:
    """Whether draws used the levels computed from all samples, as those of a store are."""
    return bool(stability.get("fixed_levels"))


def drawn_words(stability: StabilityRecord) -> str:
    """How samples were drawn, and how often."""
    return str(stability.get("resample") or counted(stability["n"], "resample"))


def interval_words(stability: StabilityRecord, name: str) -> str:
    """The interval of the index in parentheses; empty where there is none."""
    low, high = stability.get("low"), stability.get("high")
    if low is None or high is None:
        return ""
    return f" ({100 * stability.get('confidence', 0.95):g} % {name} {rounded(low)} to {rounded(high)})"
