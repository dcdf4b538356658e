"""What a result on record can be: anything else was changed by someone, and is not reported on."""

from __future__ import annotations

from collections.abc import Sequence

from qpfs.evaluation.sample import Sample
from qpfs.evaluation.trials import KEPT_FEATURES, Trial
from qpfs.kinds import (
    AMOUNT,
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
    {
        "memory_mb": AMOUNT,
        "seconds": Fields({"median": AMOUNT, "low": Maybe(AMOUNT), "high": Maybe(AMOUNT)}),
    }
)


def outcome_kind(trial: Trial, sample: Sample) -> Kind:
    """What the outcome of a trial on a sample can be."""
    n_test, n_features, most = len(trial.test), sample.n_features, min(max(trial.sizes), KEPT_FEATURES)
    loss = AMOUNT if sample.is_quantity else number_of_errors(n_test)
    return Also(
        Fields(
            {
                "loss": Row((loss,) * len(trial.sizes)),
                "reference": AMOUNT if sample.is_quantity else same_as(float(n_test)),
                "n_train": same_as(len(trial.train)),
                "n_test": same_as(n_test),
                "n_ranked": whole(0, n_features),
                "order": Each(whole(0, n_features - 1), most),
                "seconds": AMOUNT,
                "notes": Each(TEXT),
            }
        ),
        lambda outcome: check_order(outcome["order"], min(outcome["n_ranked"], most)),
    )


def number_of_errors(n_test: int) -> Value:
    """How many of the samples tested were classified wrongly, which is written as a float."""
    return Value(
        f"a whole number from 0 to {n_test:,}, the number of samples tested",
        lambda value: is_number(value) and 0 <= value <= n_test and value == int(value),
    )


def check_order(order: Sequence[int], n: int) -> None:
    """Raises MismatchError unless there are so many top features, each of them once."""
    require(len(order) == n, "order", f"expected {n:,} features, as many as were ranked, got {len(order):,}")
    require(len(set(order)) == n, "order", "expected each feature once, got one twice")
