"""A plan of seconds, and outcomes made by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from qpfs.paper.plan import QUICK, PaperPlan, Shape
from qpfs.paper.regenerate import regenerated, shape_of

TINY = replace(
    QUICK,
    sets=("wdbc",),
    steps=dict.fromkeys(QUICK.steps, (3, 10, 20)),
    inner_steps=(3, 10),
    n_tried=1,
    n_splits=2,
    n_outer=1,
    n_inner=2,
)
MADE_UP = Shape(62, 2000, 2, "sha256:none")


def tiny_plan() -> PaperPlan:
    return PaperPlan(TINY, {"wdbc": shape_of("wdbc", None)})


class Outcomes:
    """Outcomes by what tasks say, the first that fits."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def get(self, key):
        for some, outcome in self.pairs:
            if all(key.get(name) == value for name, value in some.items()):
                return outcome(key) if callable(outcome) else outcome
        return None


if __name__ == "__main__":  # a run of its own, that can be killed
    folder = Path(sys.argv[1])
    regenerated(tiny_plan(), folder, folder / "records.jsonl", None)
