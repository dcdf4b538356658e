"""The names of scikit-learn's scores, read from its source: to import it takes seconds."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from qpfs.messages import Message, Parameter, UsageError

NEAR = 0.6  # the similarity from which a score is suggested for a mistyped one

NAMED = re.compile(r"^    (\w+)=\w+_scorer,$", re.MULTILINE)
AVERAGED = ("precision", "recall", "f1", "jaccard")
AVERAGES = ("", "_macro", "_micro", "_samples", "_weighted")


def check_score_name(name: Any) -> None:
    """Raises UsageError for an unknown name of a score."""
    if not isinstance(name, str):
        return
    known = names_in_source()
    if not is_surely_none(name):
        from sklearn.metrics import get_scorer_names

        known = get_scorer_names()
    if name not in known:
        near = get_close_matches(name, known, 3, NEAR)
        meant = (
            f"; did you mean {', '.join(near)}?"
            if near
            else "; sklearn.metrics.get_scorer_names() lists them, such as balanced_accuracy, roc_auc, r2."
        )
        raise UsageError(Message(Parameter("scoring", name), f" is not a score of scikit-learn{meant}"))


@cache
def source() -> str:
    """The module that names the scores; empty if it is elsewhere."""
    spec = find_spec("sklearn")
    places = (spec and spec.submodule_search_locations) or ()
    found = [path for place in places if (path := Path(place, "metrics", "_scorer.py")).is_file()]
    return found[0].read_text(encoding="utf-8") if found else ""


def names_in_source() -> list[str]:
    """The names of all scores, sorted."""
    return sorted([*NAMED.findall(source()), *(f"{one}{how}" for one in AVERAGED for how in AVERAGES)])


def is_surely_none(name: str) -> bool:
    """Whether there cannot be a score of a name: names are in the source, and it is not, averages apart."""
    end = next((how for how in AVERAGES[1:] if name.endswith(how)), "")
    return (
        "accuracy" in names_in_source()
        and re.search(rf"\b{re.escape(name.removesuffix(end))}\b", source()) is None
    )
