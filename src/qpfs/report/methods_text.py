"""A methods paragraph ready for a paper, with its references, from a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qpfs.report.words import at_fixed_levels, drawn_words, interval_words, targets_words, value_name
from qpfs.wording import counted, listed, rounded, short

STABILITY = (
    "Nogueira S, Sechidis K, Brown G. On the stability of feature selection algorithms. Journal of Machine "
    "Learning Research 18(174):1–54, 2018."
)
SKLEARN = (
    "Pedregosa F, Varoquaux G, Gramfort A, et al. Scikit-learn: machine learning in Python. Journal of "
    "Machine Learning Research 12:2825–2830, 2011."
)


class Cited:
    """Numbers references in the order in which they are cited, after those of the method."""

    def __init__(self, references: list[str]) -> None:
        self.references = list(references)

    def __call__(self, reference: str) -> str:
        if reference not in self.references:
            self.references.append(reference)
        return f"[{self.references.index(reference) + 1}]"


def methods_text(record: dict[str, Any]) -> dict[str, Any]:
    """The paragraph and the references it cites; it begins with what the method says of itself."""
    account = record["method"]["account"]
    cite = Cited(account["references"])
    sentences = [
        account["text"],
        several(record),
        cut(record),
        searched(record),
        outcome(record),
        stable(record, cite),
        software(record, cite),
    ]
    return {"text": " ".join(one for one in sentences if one), "references": cite.references}


def value_of(record: Mapping[str, Any], name: str) -> Any:
    method = record["method"]
    return method.get("chosen", {}).get(name, method["parameters"].get(name))


def several(record: dict[str, Any]) -> str:
    """What relevance is told of, if that is several targets."""
    targets = record["data"].get("targets")
    return f"Relevance is that to {targets_words(targets)}." if targets else ""


def cut(record: dict[str, Any]) -> str:
    """How numbers became levels."""
    text = str(record["levels"]["text"])
    return text if record["levels"]["rule"] != "none" else ""


def searched(record: dict[str, Any]) -> str:
    """What cross-validation has chosen."""
    chosen = record["method"].get("chosen")
    if not chosen:
        return ""
    parts = [
        f"{key} = {short(value) if isinstance(value, float) else value}" for key, value in chosen.items()
    ]
    return f"Parameters were chosen by cross-validation: {listed(parts)}."


def outcome(record: dict[str, Any]) -> str:
    n, weighted = record["n_selected"], record["n_weighted"]
    asked = value_of(record, "n_features_to_select")
    have = "has" if n == 1 else "have"
    if asked is None and n == weighted and value_name(record) == "weight":
        return f"{counted(n, 'feature')} {have} positive weight and {'was' if n == 1 else 'were'} selected."
    best = "The best " if asked is not None or value_name(record) == "weight" else ""
    return f"{best}{counted(n, 'feature')} {'was' if n == 1 else 'were'} selected."


def stable(record: dict[str, Any], cite: Cited) -> str:
    stability = record["stability"]
    if not stability or stability["index"] is None:
        return ""
    interval = interval_words(stability, "confidence interval")
    fixed = ", at the levels of all samples," if at_fixed_levels(stability) else ""
    return (
        f"Over {drawn_words(stability)}{fixed} the stability of the selection {cite(STABILITY)} was "
        f"{rounded(stability['index'])}{interval}."
    )


def software(record: dict[str, Any], cite: Cited) -> str:
    versions = record["versions"]
    learn = (
        f" and scikit-learn {versions['scikit-learn']} {cite(SKLEARN)}" if "scikit-learn" in versions else ""
    )
    return f"Computations used qpfs {record['qpfs']}{learn}."
