"""The schema of results on record: anything else was changed later, and is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from qpfs.evaluation.sample import Sample
from qpfs.evaluation.trials import KEPT_FEATURES, Trial
from qpfs.kinds import (
    AMOUNT,
    NUMBER,
    TEXT,
    Also,
    Each,
    Fields,
    Kind,
    Maybe,
    Row,
    Value,
    is_number,
    require,
    same_as,
    whole,
)

COST = Fields(
    {"memory_mb": AMOUNT, "seconds": Fields({"median": AMOUNT, "low": Maybe(AMOUNT), "high": Maybe(AMOUNT)})}
)


def outcome_kind(trial: Trial, sample: Sample) -> Kind:
    """The schema of the outcome of a trial on a sample."""
    notes = {"notes": Each(TEXT)}
    if not trial.sizes or trial.judge is None:
        selected = Each(whole(0, sample.n_features - 1), sample.n_features)
        ranking = ranking_kind(sample, KEPT_FEATURES, {"selected": selected})
        return Fields({"rankings": Each(ranking), **notes})
    n_test, scoring = len(trial.test), trial.judge.scoring
    loss, reference = LOSSES.get(scoring.name, any_score)(n_test)
    if not getattr(scoring, "whole", True):  # shares of targets, or weights
        loss = reference = AMOUNT
    losses = {"loss": Row((loss,) * len(trial.sizes))}
    return Fields(
        {
            "rankings": Each(ranking_kind(sample, min(max(trial.sizes), KEPT_FEATURES), losses)),
            "reference": reference,
            "n_train": same_as(len(trial.train)),
            "n_test": same_as(n_test),
            **notes,
        }
    )


def ranking_kind(sample: Sample, most: int, more: Mapping[str, Kind]) -> Kind:
    """The schema of a ranking."""
    fields: dict[str, Kind] = {
        "n_ranked": whole(0, sample.n_features),
        "order": Each(whole(0, sample.n_features - 1), sample.n_features),
        "ends?": Each(whole(1, sample.n_features), most),
        "seconds": AMOUNT,
    }
    return Also(Fields({**fields, **more}), lambda ranking: check_ranking(ranking, most))


def check_ranking(ranking: Mapping[str, Any], most: int) -> None:
    """Raises MismatchError unless the top features agree with the ends of choices, if there are any."""
    n, ends = min(ranking["n_ranked"], most), ranking.get("ends")
    if ends is not None:
        require(len(ends) == n, "ends", f"expected {n:,} ends, as many as were ranked, got {len(ends):,}")
        rising = all(one < other for one, other in pairwise(ends))
        require(rising, "ends", "expected increasing numbers, got others")
        n = ends[-1] if ends else 0
    check_order(ranking["order"], n)


def number_of_errors(n_test: int) -> Value:
    """The number of test samples classified wrongly, written as a float."""
    return Value(
        f"a whole number from 0 to {n_test:,}, the number of samples tested",
        lambda value: is_number(value) and 0 <= value <= n_test and value == int(value),
    )


def check_order(order: Sequence[int], n: int) -> None:
    """Raises MismatchError unless there are so many top features, each of them once."""
    require(len(order) == n, "order", f"expected {n:,} features, as many as were ranked, got {len(order):,}")
    require(len(set(order)) == n, "order", "expected each feature once, got one twice")


def any_score(n_test: int) -> tuple[Kind, Kind]:
    return NUMBER, same_as(1.0)


LOSSES: dict[str, Callable[[int], tuple[Kind, Kind]]] = {  # and their references, for so many tested
    "error rate": lambda n_test: (number_of_errors(n_test), same_as(float(n_test))),
    "relative squared error": lambda n_test: (AMOUNT, AMOUNT),
}
