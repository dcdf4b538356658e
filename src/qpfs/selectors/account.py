"""How a method describes its own result: the sentences of a report and of a paper's methods section."""

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

WHEN_TAKEN = "A score is the value of the rule when the feature was selected, given those selected before it."
GREEDY = (
    "Features were selected one by one, each the best given those before it. The order is exact for this "
    "rule; whether the set as a whole is the best one is not known."
)


@dataclass(frozen=True)
class Account:
    """The description of a result in words."""

    text: str  # how features were selected, in the words of a paper; cites the references as [1], [2]
    references: tuple[str, ...] = ()
    certainty: tuple[str, ...] = ()  # how certain the result is, as a solution of the method's problem
    repeats_little: bool = True  # whether the method avoids redundant features
    scored: str | None = None  # what the score of a feature is; None: it has a weight
    ranked: str | None = None  # how features with weight are ranked; None: by weight
    distance: str | None = None  # what the distance of an alternative means; None: as the measure defines it

    def record(self) -> dict[str, Any]:
        """The account as plain data, for a record."""
        return {
            "text": self.text,
            "references": list(self.references),
            "certainty": list(self.certainty),
            "repeats_little": self.repeats_little,
            "scored": self.scored,
            "ranked": self.ranked,
        }


def settled(selector: Any) -> list[str]:
    """Sentences about features kept, excluded or grouped by the user, in the words of a paper."""
    asked, names = selector.fitted_.asked, names_seen(selector)
    found = []
    if len(asked.keep):
        kept, were = counted(len(asked.keep), "feature"), "was" if len(asked.keep) == 1 else "were"
        named = f" ({names.some(asked.keep)})" if hasattr(selector, "feature_names_in_") else ""
        found.append(f"{kept}{named} {were} selected beforehand, and the others given these.")
    if len(asked.exclude):
        were = "was" if len(asked.exclude) == 1 else "were"
        found.append(f"{counted(len(asked.exclude), 'feature')} {were} excluded beforehand.")
    if asked.groups is not None:
        n = counted(len(asked.groups.names), "group")
        one = (
            "was selected or left out as a whole"
            if asked.at_most is None
            else f"contributed at most {asked.at_most} feature(s)"
        )
        found.append(f"Features belonged to {n}, each of which {one}.")
    return found


def candidates(fitted: Any) -> str:
    """The candidate features and samples, as part of a sentence."""
    samples = counted(len(fitted.fitted_.target.codes), "sample")
    weighted, known = weight_words(fitted.fitted_.target.weights), fitted.fitted_.covariates
    found = f"{counted(fitted.n_features_in_, 'candidate feature')} measured in {samples}"
    found = f"{found}, {weighted}," if weighted else found
    return found if known is None else f"{found} and adjusted for {known.words}"


def weight_words(weights: Weights | None) -> str:
    """How samples were weighted, as part of a sentence; empty if they were not."""
    if weights is None:
        return ""
    how = f"rounded to {weights.n_digits} binary digits" if weights.unit != 1 else "whole numbers"
    return (
        f"weighted ({how}; the weights add up to {short(weights.size, 6)}, an effective sample size of "
        f"{short(weights.effective, 4)})"
    )


def measure_words(fitted: Any) -> str:
    """The name of the measure of relevance and redundancy."""
    return used_measure(fitted).words.title


def distance_words(fitted: Any) -> str:
    """The name of the distance by which features are clustered."""
    return used_measure(fitted).words.distance


def used_measure(fitted: Any) -> Measure:
    """The measure that a fit used."""
    measure: Measure = fitted.fitted_.table.measure.measure
    return measure


def targets_words(fitted: Any) -> str:
    """How relevance to several targets is defined, as a sentence of a paper; empty for one target."""
    target, table = fitted.fitted_.target, fitted.fitted_.table
    if not target.others or table is None:
        return ""
    several = f" Relevance to the {len(target.targets)} targets was"
    if len(table.measure.measure.apart(target)) == 1:
        return f"{several} that to all of them jointly."
    weighted = "" if target.importance is None else " weighted"
    return (
        f"{several} the{weighted} mean over them; p values are those of the target with the smallest p "
        "value, corrected for the number of targets (Bonferroni)."
    )


def given_account(selector: Any) -> Account:
    """The account of a fitted selector; or that no feature passed the false discovery rate."""
    if len(selector.order_):
        found: Account = selector.account()
        return replace(found, text=" ".join([found.text + targets_words(selector), *settled(selector)]))
    return Account(
        f"Of {candidates(selector)}, none was selected: all had q values above the false discovery rate.",
        (),
        ("No feature could be selected at the requested false discovery rate.",),
    )
