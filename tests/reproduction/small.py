"""A plan of seconds, and results made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reproduction.plan import QUICK, QUICK_STEPS, PaperPlan
from reproduction.regenerate import regenerated
from reproduction.results import Curve, Nested, SetResults, lowest_of
from reproduction.sets import Shape, table_of

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
MADE_UP = Shape(62, 2000, 2)


def tiny_plan() -> PaperPlan:
    return PaperPlan(TINY, {"wdbc": table_of("wdbc", None).shape})


def curve(*wrong, n=62, parameters=None):
    """A curve of one test at the first numbers of features of a quick run."""
    errors = [one / n for one in wrong]
    return Curve(parameters or {}, list(QUICK_STEPS[: len(wrong)]), errors, [0.0] * len(wrong), n)


def nested(*wrong, n=20, parameters=None, at=None):
    """Wrong samples of each outer part."""
    parts = len(wrong)
    error = sum(wrong) / (n * parts)
    return Nested(
        error, [one / n for one in wrong], [10] * parts, [parameters or {}] * parts, at or {}, n * parts
    )


def set_results(tried, **more):
    """What was found where each method tried some curves, of which the best is the one over all splits."""
    best = {name: lowest_of(curves) for name, curves in tried.items()}
    return SetResults(tried=tried, chosen=best, curves=dict(best), **more)


def run_in(folder) -> None:
    """A run of its own, that can be killed."""
    regenerated(tiny_plan(), Path(folder), Path(folder) / "records.jsonl", None)
