"""What a method says of its own answer: the words that a report, and a methods section, are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from qpfs.codes.weights import Weights
from qpfs.information import Measure
from qpfs.selectors.given_features import names_seen
from qpfs.wording import counted, short

PENG = (
    "Peng H, Long F, Ding C. Feature selection based on mutual information: criteria of max-dependency, "
    "max-relevance, and min-redundancy. IEEE Transactions on Pattern Analysis and Machine Intelligence "
    "27(8):1226–1238, 2005."
)

WHEN_TAKEN = "A score is what the rule gave a feature at the moment it was taken, given those before it."
GREEDY = (
    "Features were taken one by one, each the best given those before it. The order is exact for this rule; "
    "the rule itself proves nothing about the set as a whole."
)


@dataclass(frozen=True)
class Account:
    """An answer in words."""

    text: str  # how features were selected, as a paper says it; cites the references as [1], [2]
    references: tuple[str, ...] = ()
    certainty: tuple[str, ...] = ()  # how sure it is, as an answer to what the method asks
    repeats_little: bool = True  # whether features were chosen to say different things
    scored: str | None = None  # what the score of a feature is; None: it has a weight
    ranked: str | None = None  # how features with weight are ranked; None: by weight
    distance: str | None = None  # what the distance of an alternative means; None: what the measure says

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "text": self.text,
            "references": list(self.references),
            "certainty": list(self.certainty),
            "repeats_little": self.repeats_little,
            "scored": self.scored,
            "ranked": self.ranked,
        }


def settled(selector: Any) -> list[str]:
    """What was settled before features were weighed, as a paper says it."""
    asked, names = selector.fitted_.asked, names_seen(selector)
    found = []
    if len(asked.keep):
        kept, were = counted(len(asked.keep), "feature"), "was" if len(asked.keep) == 1 else "were"
        named = f" ({names.some(asked.keep)})" if hasattr(selector, "feature_names_in_") else ""
        found.append(f"{kept}{named} {were} selected beforehand, and the others chosen given that.")
    if len(asked.exclude):
        were = "was" if len(asked.exclude) == 1 else "were"
        found.append(f"{counted(len(asked.exclude), 'feature')} {were} excluded beforehand.")
    if asked.groups is not None:
        n = counted(len(asked.groups.names), "group")
        one = (
            "was chosen or left as one"
            if asked.at_most is None
            else f"gave {asked.at_most} feature(s) at most"
        )
        found.append(f"Features belonged to {n}, each of which {one}.")
    return found


def candidates(fitted: Any) -> str:
    """What features were selected from."""
    samples = counted(len(fitted.fitted_.target.codes), "sample")
    weighted, known = weight_words(fitted.fitted_.target.weights), fitted.fitted_.covariates
    found = f"{counted(fitted.n_features_in_, 'candidate feature')} measured in {samples}"
    found = f"{found}, {weighted}," if weighted else found
    return found if known is None else f"{found} and adjusted for {known.words}"


def weight_words(weights: Weights | None) -> str:
    """How samples were weighted, as part of a sentence; nothing if they were not."""
    if weights is None:
        return ""
    how = f"rounded to {weights.n_digits} binary digits" if weights.unit != 1 else "whole numbers"
    return (
        f"weighted ({how}; the weights add up to {short(weights.size, 6)} and say as much as "
        f"{short(weights.effective, 4)} equal ones)"
    )


def measure_words(fitted: Any) -> str:
    """What relevance and redundancy are measured by."""
    return used_measure(fitted).words.title


def distance_words(fitted: Any) -> str:
    """What features are clustered by."""
    return used_measure(fitted).words.distance


def used_measure(fitted: Any) -> Measure:
    """The measure that a fit has used."""
    measure: Measure = fitted.fitted_.table.measure.measure
    return measure


def targets_words(fitted: Any) -> str:
    """What relevance to several targets is, as a sentence of a paper; nothing of one target."""
    target, table = fitted.fitted_.target, fitted.fitted_.table
    if not target.others or table is None:
        return ""
    several = f" Relevance to the {len(target.targets)} targets was"
    if len(table.measure.measure.apart(target)) == 1:
        return f"{several} what a feature says of any of them, taken together."
    weighted = "" if target.importance is None else " weighted"
    return (
        f"{several} the{weighted} mean over them; p values are those of the target most surely told, "
        "corrected for the number of targets (Bonferroni)."
    )


def given_account(selector: Any) -> Account:
    """What a fitted selector says of its answer; or that it was allowed to weigh nothing."""
    if len(selector.order_):
        found: Account = selector.account()
        return replace(found, text=" ".join([found.text + targets_words(selector), *settled(selector)]))
    return Account(
        f"Of {candidates(selector)}, none was selected: all had q values above the false discovery rate.",
        (),
        ("No feature could be selected at the false discovery rate that was asked for.",),
    )
