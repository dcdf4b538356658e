"""What the outcome of each task can be; what records hold else was changed, and makes no table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qpfs.evaluation import Records
from qpfs.kinds import (
    AMOUNT,
    COUNT,
    NUMBER,
    RANK,
    SHARE,
    TEXT,
    Also,
    Each,
    Fields,
    Kind,
    Maybe,
    MismatchError,
    Row,
    Value,
    require,
    whole,
)
from qpfs.paper import published
from qpfs.paper.plan import Plain, Shape
from qpfs.report.schema import CLUSTERS

COST = Fields({"seconds": Maybe(AMOUNT), "megabytes": Maybe(AMOUNT), "why": TEXT})
RUN = Fields(dict.fromkeys(("command", "date", "versions", "machine"), TEXT))
BASELINES = Fields({"all": SHARE, "representatives": SHARE, "found": AMOUNT})
THEORY = Fields(
    {
        **dict.fromkeys(
            ("n_features", "n_samples", "k", "levels", "published_bound", "bound", "pairs"), RANK
        ),
        **dict.fromkeys(("distances", "n_final"), COUNT),
        **dict.fromkeys(("R", "tau", "widest"), NUMBER),
        "levels_expected": AMOUNT,
        "without_weight": Maybe(SHARE),
    }
)


@dataclass(frozen=True, eq=False)
class Checked:
    """The outcomes on record, each of the kind that its task has."""

    records: Records
    shapes: Mapping[str, Shape]

    def get(self, task: Plain) -> Any:
        """The outcome of a task, or None; raises RecordsError if it was changed."""
        return self.records.get(task, KINDS[task["task"]](task, self.shapes[task["set"]]))


def tested(task: Plain, shape: Shape) -> Kind:
    """The wrong samples at each number of features; of several splits a list of each."""
    sizes, n, found = len(task["sizes"]), whole(1, shape.n_samples), whole(0, shape.n_features)
    wrong = Each(whole(0, shape.n_samples), sizes)
    if "splits" not in task:
        return Also(Fields({"wrong": wrong, "n": n, "found": found}), wrong_agree)
    first, last = task["splits"]
    lists = {"wrong": wrong, "n": n, "found": found}
    return Also(Fields({name: Row((kind,) * (last - first)) for name, kind in lists.items()}), splits_agree)


def wrong_agree(outcome: Mapping[str, Any]) -> None:
    """There is an error at some number of features, and no more samples are wrong than were tested."""
    require(len(outcome["wrong"]) > 0, "wrong", "expected at least one number, got none")
    most, n = max(outcome["wrong"]), outcome["n"]
    require(most <= n, "wrong", f"expected at most {n:,}, the number of samples tested, got {most:,}")


def splits_agree(outcome: Mapping[str, Any]) -> None:
    for place, wrong in enumerate(outcome["wrong"]):
        try:
            wrong_agree({"wrong": wrong, "n": outcome["n"][place]})
        except MismatchError as error:
            raise MismatchError(error.words, f"wrong[{place}]") from None


def nested(task: Plain, shape: Shape) -> Kind:
    """What was chosen inside an outer part, and its wrong samples there."""
    n = whole(0, shape.n_samples)
    tops = [str(k) for k in task["sizes"] if k in published.TOPS]
    return Also(
        Fields(
            {
                "k": Value("one of the sizes of the task", lambda k: k in task["sizes"]),
                "parameters": Value(
                    "one of the candidates of the task", lambda one: one in task["candidates"]
                ),
                "wrong": n,
                "n": whole(1, shape.n_samples),
                "at": Fields(dict.fromkeys(tops, n)),
            }
        ),
        lambda outcome: wrong_agree(
            {"wrong": [outcome["wrong"], *outcome["at"].values()], "n": outcome["n"]}
        ),
    )


def always(kind: Kind) -> Callable[[Plain, Shape], Kind]:
    """A kind that does not depend on the task."""
    return lambda task, shape: kind


KINDS: dict[str, Callable[[Plain, Shape], Kind]] = {
    "as published": tested,
    "inside": tested,
    "nested": nested,
    "baselines": always(BASELINES),
    "theory": always(THEORY),
    "clusters": always(CLUSTERS),
    "cost": always(COST),
}
