"""How columns were discretised into levels, and how many samples of each class are at each level."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.codes.forms import NUMBERS
from qpfs.report.classes import ClassGroups
from qpfs.report.schema import DistributionRecord, LevelsRecord
from qpfs.selectors.reporting import ReportMixin
from qpfs.wording import finite, json_value, short


def levels_of(
    selector: ReportMixin,
    feature: int,
    counts: list[list[int]] | None = None,
    spread: DistributionRecord | None = None,  # the histogram of the feature, if its numbers are available
    possible: Sequence[int] = (),  # the only numbers that it can have, if these are known
) -> LevelsRecord | None:
    """Edges or labels of a feature, the names of its levels, and the samples of each class at each."""
    rule = getattr(selector, "discretizer_", None)
    if rule is None:  # nothing was discretised
        return None
    if feature in rule.labels_:
        return labelled_levels(rule, feature, counts)
    edges = [edge for edge in rule.edges_[:, feature].tolist() if edge == edge]
    occurs = np.flatnonzero(rule.coding_.occurs[:, feature])
    names = [*interval_names(edges), "missing"]
    found: LevelsRecord = {
        "edges": [finite(edge) for edge in edges],
        "names": [names[code] for code in occurs],
        "counts": counts,
    }
    numbers = occurs[occurs <= len(edges)]
    values = kept_values(spread, len(numbers)) or only_values(edges, numbers, possible)
    if values:
        found["values"], found["names"] = values, [*map(short, values), *found["names"][len(values) :]]
    return found


def kept_values(spread: DistributionRecord | None, n_levels: int) -> list[int]:
    """The integers that a feature takes, if each is a level of its own: as many values as levels."""
    if spread is None or not spread["integers"]:
        return []
    first, times = round(spread["edges"][0] + 0.5), np.sum(spread["counts"], axis=0)
    values = [first + int(place) for place in np.flatnonzero(times)]
    if (tied := spread.get("tied")) is not None:
        if tied["value"] % 1:
            return []
        values = sorted([*values, int(tied["value"])])
    return values if len(values) == n_levels else []


def only_values(edges: list[float], codes: IndexArray, possible: Sequence[int]) -> list[int]:
    """The only number that each interval between edges can hold; none if some could hold others."""
    found = [[n for n in possible if np.searchsorted(edges, n) == code] for code in codes]
    return [some[0] for some in found] if all(len(some) == 1 for some in found) else []


def labelled_levels(rule: Any, feature: int, counts: list[list[int]] | None) -> LevelsRecord:
    """The labels in natural order; merged rare ones and missing values come last."""
    given = [str(json_value(label)) for label in rule.labels_[feature]]
    order = sorted(range(len(given)), key=lambda place: in_natural_order(given[place]))
    labels = [given[place] for place in order]
    names = [*labels, f"{rule.merged_[feature]:,} rare labels"] if feature in rule.merged_ else labels
    n_levels = int(rule.n_levels_[feature])
    places = [*order, *range(len(order), n_levels)]
    return {
        "labels": labels,
        "names": [*names, "missing"][:n_levels] if n_levels > len(names) else names,
        "counts": None if counts is None else [[row[place] for place in places] for row in counts],
    }


def in_natural_order(label: str) -> list[tuple[bool, float, str]]:
    """The sort key of a label: text as text, numbers in it as numbers."""
    parts = re.split(r"(\d+)", label)
    return [(bool(i % 2), float(part) if i % 2 else 0.0, part) for i, part in enumerate(parts)]


def interval_names(edges: list[float]) -> list[str]:
    """The names of the intervals between edges, closed on the right."""
    if not edges:
        return ["all values"]
    middle = [f"{short(a)} to {short(b)}" for a, b in pairwise(edges)]
    return [f"≤ {short(edges[0])}", *middle, f"> {short(edges[-1])}"]


def level_counts(
    selector: ReportMixin, classes: ClassGroups, features: IndexArray
) -> dict[int, list[list[int]]]:
    """For each given feature that was discretised and varies, the samples of each class at each level."""
    table = selector.fitted_.table
    if table is None or table.measure.measure.form.name != "levels":
        return {}
    found: dict[int, list[list[int]]] = {}
    for block in table.store.pick(features):
        codes = block.codes()
        for slot, feature in enumerate(block.features.tolist()):
            found[feature] = classes.counts(codes[:, slot], block.n_levels)
    return found


def rule_text(selector: ReportMixin) -> dict[str, str]:
    """The rule of discretisation in words, and the form that the measure uses."""
    rule, table = getattr(selector, "discretizer_", None), selector.fitted_.table
    form = NUMBERS if table is None else table.measure.measure.form
    if rule is None:
        return {"rule": "none", "text": form.account, "form": form.name}
    return {"rule": json_value(rule), "text": rule.account(), "form": form.name}
