"""A record in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from qpfs.kinds import Unchecked
from qpfs.report.names import shown, source_name
from qpfs.report.schema import ChanceRecord, DataRecord, RedundancyRecord, SelectionRecord, TargetRecord
from qpfs.report.score_text import score_noun, score_text, scoring_of, span_text
from qpfs.wording import counted, gap_text, listed, percent, rounded, short, some_of

LITTLE = 0.02  # share of the largest relevance below which a feature has almost none
TARGETS = 8  # targets that a sentence names
NAMED = 3  # features that a sentence names


def headline(record: SelectionRecord) -> str:
    n_features, chance = record["data"]["n_features"], record.get("chance")
    n_choices = record.get("n_choices")  # groups of columns count as one
    of = counted(n_features, "feature") if n_choices is None else f"{n_choices:,} features and groups"
    by_chance = bool(chance and chance["warning"])
    if record["n_selected"] == 0:
        return f"None of {of} selected" + ": none is above chance" * by_chance
    return f"{record['n_selected']:,} of {of} selected" + ", none of them above chance" * by_chance


def targets_words(targets: Sequence[TargetRecord]) -> str:
    """Several targets by their names and kinds; of many the first."""
    some = [f"{quoted(one['name'])} ({kind_words(one)})" for one in targets[:TARGETS]]
    more = [f"{len(targets) - TARGETS:,} more"] if len(targets) > TARGETS else []
    how = "on average" if "weight" in targets[0] else "jointly"
    return f"{counted(len(targets), 'target')} {how}: {listed(some + more)}"


def kind_words(target: TargetRecord) -> str:
    """What a target is, and its weight where that is not 1."""
    weight = target.get("weight", 1.0)
    weighted = "" if weight == 1 else f", weight {short(weight)}"
    kind = "a quantity"
    if target["task"] == "classification":
        kind = counted(target["n_classes"], "class", "classes")
    return kind + weighted


def value_name(record: Unchecked) -> str:
    """The name of what features are ranked by: weights of a program or a model, or scores of a rule."""
    return "score" if record["method"]["account"].get("scored") else "weight"


def key_figures(record: SelectionRecord) -> list[tuple[str, str, str | None]]:
    """The few numbers that a reader looks for first: a name, a number, and a word beside it."""
    clusters, stability, chance = record["clusters"], record["stability"], record.get("chance")
    found: list[tuple[str, str, str | None]] = [("selected", f"{record['n_selected']:,}", None)]
    if tested := method_tested(record):
        comparison: Unchecked = record["comparison"] or {}
        where = "on a cohort left out" if record.get("cohorts") else "on new samples"
        score = score_text(tested["nested"]["score"], comparison)
        found.append((f"{score_noun(comparison)} {where}", score, None))
    if chance:
        found.append(("above chance", f"{chance['n_significant']:,}", f"of {chance['n_tested']:,}"))
    if stability and stability["index"] is not None and record["n_selected"]:
        found.append(("stability", rounded(stability["index"]), None))
    if clusters:
        found.append(("kept clusters", f"{clusters['fates']['kept']['clusters']:,}", None))
    if record["data"]["n_constant"]:
        found.append(("constant", f"{record['data']['n_constant']:,}", None))
    if n := record["data"].get("n_reflecting"):
        found.append(("explained by covariates", f"{n:,}", None))
    return found


def solution_figures(record: SelectionRecord) -> list[tuple[str, str, str | None]]:
    """The numbers of the program: how many features have weight, theta, the gap."""
    certificate = record["certificate"]
    found: list[tuple[str, str, str | None]] = []
    if value_name(record) == "weight":
        found.append(("with weight", f"{record['n_weighted']:,}", None))
    if "theta" in certificate:
        found.append(("theta", f"{certificate['theta']:.3f}", None))
        found.append(("gap", below(certificate["gap"]), certificate.get("status")))
    return found


def method_tested(record: Unchecked) -> dict[str, Any] | None:
    """The method that selected, with its nested error or score, if it was tested."""
    methods = (record.get("comparison") or {}).get("methods", [])
    found = [one for one in methods if one["name"] == record["method"]["name"] and one.get("nested")]
    return found[0] if found and found[0]["nested"]["score"] is not None else None


def test_words(chance: ChanceRecord) -> str:
    """The test behind the p values of most features."""
    return "shuffles of the target" if chance["n_shuffled"] == chance["n_tested"] else chance["test"]


def chance_words(chance: ChanceRecord) -> str:
    """How many features are more relevant than chance, and by which test."""
    n, of, level = chance["n_significant"], chance["n_tested"], chance["level"]
    few = chance["n_shuffled"]
    found = (
        f"{some_of(n, of, 'feature', 'is', 'are')} more relevant than chance (q at most "
        f"{level:g}), by {test_words(chance)}"
    )
    if 0 < few < of:
        found += f", for {few:,} of them by shuffles of the target"
    if chance["n_familywise"] is not None:
        found += f"; {chance['n_familywise']:,} family-wise, by {chance['n_permutations']:,} permutations"
        if chance["line"] is not None:
            found += f" (in one of twenty, chance alone exceeds a relevance of {chance['line']:.2g})"
    if doubtful := chance.get("n_doubtful"):
        found += f". {counted(doubtful, 'of the selected features is', 'of the selected features are')} not"
    return f"{found}."


def unseen_words(record: Unchecked) -> str:
    """The error or score of the method on samples not used for selection; empty if not tested."""
    comparison, method = record.get("comparison"), method_tested(record)
    if not comparison or method is None:
        return unchecked_words(record)
    nested = method["nested"]
    features = f"with {sizes_words(nested.get('k', []))}"
    new = "samples of a cohort left out" if record.get("cohorts") else "new samples"
    found = f"On {new} the {score_noun(comparison)} {features} is about {with_span(nested, comparison)}"
    others = [
        f"with {one['name']} {with_span(one, comparison)}"
        for one in comparison.get("baselines") or []
        if one.get("score") is not None
    ]
    others += [" ".join(guess)] if (guess := guessing_words(comparison)) else []
    empty = unselected_words(comparison, method)
    return f"{'; '.join([found, *others])}. The selection was repeated inside each training part.{empty}"


def unchecked_words(record: Unchecked) -> str:
    """Why the error on new samples is not known although it was to be estimated; empty if it was not."""
    comparison = record.get("comparison") or {}
    failed = [one["failed"] for one in comparison.get("methods", []) if one.get("failed")]
    if not failed or record.get("cohorts"):  # those have a text of their own
        return ""
    why = failed[0] if failed[0].endswith((".", "!", "?")) else f"{failed[0]}."
    noun = score_noun(comparison)
    return f"On new samples the {noun} is not known, since a part of the check could not be completed: {why}"


def guessing_words(comparison: Unchecked) -> tuple[str, str] | None:
    """How to predict without any feature, and the error of that; None if it is not known."""
    if scoring_of(comparison)["name"] == "relative squared error":
        return "predicting the mean", percent(1.0)
    one = comparison.get("guessing") or {}
    return (one["name"], with_span(one, comparison)) if one.get("score") is not None else None


def sizes_words(sizes: list[int]) -> str:
    """How many features were used in the training parts."""
    if not sizes:
        return "the best number of features"
    fewest, most = min(sizes), max(sizes)
    return f"{fewest:,} to {counted(most, 'feature')}" if fewest < most else counted(most, "feature")


def unselected_words(comparison: Unchecked, method: Unchecked, *, advise: bool = True) -> str:
    """In how many training parts a method selected nothing, as a sentence after others; empty if in none."""
    sizes = (method.get("nested") or {}).get("k") or []
    if not (empty := sizes.count(0)):
        return ""
    guess = "the mean" if comparison["data"].get("task") == "regression" else "the largest class"
    said = nothing_words(method.get("parameters"), f"; there {guess} was predicted", advise=advise)
    return f" In {empty:,} of {counted(len(sizes), 'training part')} {said}"


def nothing_words(parameters: Any, so: str = "", *, advise: bool = True) -> str:
    """The end of a sentence: that nothing was selected, what follows, and what to do."""
    fdr = parameters.get("fdr") if isinstance(parameters, Mapping) else None
    if not isinstance(fdr, float):
        return f"no feature was selected{so}."
    advice = " Repeat without a false discovery rate, or with a larger one." if advise else ""
    return f"no feature had a q value of at most {fdr:g}{so}.{advice}"


def confidence_text(comparison: Unchecked) -> str:
    """How sure intervals are."""
    share = comparison["protocol"].get("confidence") or 0.95
    return f"{100 * share:g}\N{NO-BREAK SPACE}%"


def with_span(one: Unchecked, comparison: Unchecked) -> str:
    """An error or score, and its interval if there is one."""
    span = span_text(one, comparison)
    return score_text(one["score"], comparison) + f" ({span})" * bool(span)


def below(gap: float) -> str:
    return f"< {gap_text(gap)}" if gap < 1e-12 else gap_text(gap)


def store_words(data: DataRecord) -> str:
    """What the store of a selection was made from; empty if it was made from a table."""
    store = data.get("store")
    if not store:
        return ""
    name, source = shown(str(data["source"])), source_name(store["source"])
    held = "; ".join(f"{what}: {store[what]}" for what in ("levels", "scores") if what in store)
    if source is None:
        return f"{name} is a store that was written from a table in Python; {held}."
    form = f" ({store['format']})" if store["format"] else ""
    return (
        f"{name} is a store that “qpfs encode” made from {shown(source)}{form}; {held}. The checksum is that "
        "of the table; a store does not record how the table was read."
    )


QUOTED = re.compile(r"""(?<!\w)(['"])((?:(?!\1).)*)\1(?!\w)""")
FIRST_WORD = re.compile(r"[a-z]{2,}(?=[\s,:])")


def note_words(note: str) -> str:
    """A note as a sentence, with names in the quotes of a text."""
    text = QUOTED.sub(r"“\2”", note.strip())
    text = text[0].upper() + text[1:] if FIRST_WORD.match(text) else text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def redundancy_words(redundancy: RedundancyRecord) -> str:
    """The most similar pair, and the average."""
    values, names = redundancy["values"], redundancy["names"]
    pairs = [(values[i][j], j, i) for i in range(len(names)) for j in range(i)]
    most, a, b = max(pairs)
    mean = sum(pair[0] for pair in pairs) / len(pairs)
    return (
        f"The most similar pair, {quoted(names[a])} and {quoted(names[b])}, shares {most:.2f}; "
        f"the average pair {mean:.2f}."
    )


def quoted(name: str) -> str:
    return f"“{' '.join(shown(name).split())}”"


def lone_words(record: SelectionRecord) -> str:
    """Which features have weight although alone they have almost no relevance; empty if none."""
    known = [(one, said) for one in record["features"] if (said := one["relevance"]) is not None]
    least = LITTLE * max((said for _, said in known), default=0.0)
    alone = [
        quoted(one["feature"])
        for one, said in known
        if one["weight"] > 0 and said < least and not one.get("kept")
    ]
    if not alone:
        return ""
    more = [f"{len(alone) - NAMED:,} more"] if len(alone) > NAMED else []
    have = "has weight, but almost no" if len(alone) == 1 else "have weight, but almost no"
    such = (
        "it was selected because it repeats" if len(alone) == 1 else "they were selected because they repeat"
    )
    return f"{listed(alone[:NAMED] + more)} {have} relevance alone: {such} no other feature."
