"""The publication's tables with our numbers in them, and those it does not have: what is in their rows.

Their titles, texts and headers are in tables.toml.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from qpfs.evaluation.intervals import proportion
from reproduction import published
from reproduction.claims import CLAIMS, finding
from reproduction.methods import CLUSTERED, COMPARED, TYPICAL, ComparedMethod, parameter_words
from reproduction.plan import Plain
from reproduction.results import JUDGED, Curve, Nested, Results
from reproduction.sets import ALL_ROWS, RAC, DataSet
from reproduction.sheets import KEY, RATIO_KEY, SheetEntry, Worksheet, decimal_places, digits
from reproduction.significance import friedman, holm, ranks_p, signed_rank_p
from reproduction.verdicts import (
    NO_NUMBER,
    NOT_COMPARABLE,
    TOO_LITTLE,
    Cell,
    error_cell,
    ratio_cell,
    size_cell,
)

Rows = list[list[SheetEntry]]
TOLD: dict[str, dict[str, Plain]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
THETAS: tuple[Any, ...] = (*published.THETAS, "auto")
LEVEL = 0.05  # of a test, as usual
LEAST_MEMORY = 1.0  # megabytes: less than that comes and goes with the pages that a process holds anyway


def all_sheets(results: Results) -> dict[str, list[Worksheet]]:
    """Every table by chapter, in the order in which they are shown."""
    known = facts(results)
    words: dict[str, Sequence[str]] = {
        "*methods": [method.title for method in COMPARED.values()],
        "*tops": [str(k) for k in published.TOPS],
        "*thetas": [str(one) for one in THETAS],
        "*prices": [f"C = {C:g}" for C in prices_shown(results)],
    }

    def sheet(name: str, told: Plain) -> Worksheet:
        header = tuple(word for one in told["header"] for word in words.get(one, (one,)))
        number = digits(told["digits"]) if "digits" in told else decimal_places(told.get("places", 2))
        return Worksheet(
            name, told["title"], told["text"].format(**known), header, ROWS[name](results), number
        )

    return {title: [sheet(name, told) for name, told in some.items()] for title, some in TOLD.items()}


def facts(results: Results) -> dict[str, str]:
    """What the texts of tables say of our numbers."""
    found = theory_rows(results)
    within = [one["distances"] <= one["published_bound"] for *_, one in found]
    more = [one["levels"] > one["levels_expected"] for _, method, one in found if method.name != "tlkm"]
    return {
        "key": KEY,
        "ratio_key": RATIO_KEY,
        "machine": published.MACHINE,
        "within": f"{sum(within)} of {len(within)}",
        "more": f"{sum(more)} of {len(more)}",
        "ranked": ranked_text(compared_methods(results), compared_methods(results, 2)),
    }


def each_method(results: Results) -> list[tuple[DataSet, ComparedMethod]]:
    """Every method on every set."""
    return [(one, method) for one in results.plan.sets() for method in COMPARED.values()]


def rows_of(results: Results) -> list[tuple[str, str, DataSet | None]]:
    """The publication's sets, name and title, with what is at hand of them, then those that are ours only."""
    at_hand = {one.name: one for one in results.plan.sets()}
    ours = {one.name: one.title for one in results.plan.sets() if not one.published}
    return [(name, title, at_hand.get(name)) for name, title in (published.SETS | ours).items()]


def not_at_hand(name: str, paper: float | None) -> Cell:
    """The cell of a set that was not run."""
    reason = "the data of RAC are not public" if name == "rac" else "some sets were not at hand"
    return Cell(paper, None, NOT_COMPARABLE, reason)


def by_method(
    results: Results,
    paper: Callable[[str, str], float | None],
    judged: Callable[[float | None, DataSet, ComparedMethod], Cell],
) -> Rows:
    """A row for each set, a cell for each method: the publication's number, and what is made of it."""
    rows: Rows = []
    for name, title, one in rows_of(results):
        papers = {method: paper(name, method) for method in COMPARED}
        if one is None:
            rows.append([title, *(not_at_hand(name, number) for number in papers.values())])
        else:
            rows.append([title, *(judged(papers[name], one, method) for name, method in COMPARED.items())])
    return rows


def lowest(results: Results) -> Rows:
    def judged(paper: float | None, one: DataSet, method: ComparedMethod) -> Cell:
        curve = results.curve(one, method)
        return error_cell(paper, curve, None if curve is None else curve.lowest_at, method.name)

    return by_method(results, partial(published.value, published.LOWEST), judged)


def lowest_at(results: Results) -> Rows:
    def judged(paper: float | None, one: DataSet, method: ComparedMethod) -> Cell:
        return size_cell(paper, results.curve(one, method), method.name)

    return by_method(results, partial(published.value, published.LOWEST_AT), judged)


def ratios(results: Results, table: published.Table, what: str, least: float = 0.0) -> Rows:
    """Numbers of a table divided by that of QPFS, theirs and ours; QPFS itself is not judged."""

    def paper(name: str, method: str) -> float | None:
        theirs = None if method == "qpfs" else published.value(table, name, method)
        return divided(theirs, published.value(table, name, "qpfs"))

    def judged(paper: float | None, one: DataSet, method: ComparedMethod) -> Cell:
        base = results.number(what, one.name, "qpfs")
        ours = divided(results.number(what, one.name, method.name), base)
        if paper is not None and (base or 0.0) < least:
            return Cell(paper, ours, NOT_COMPARABLE, TOO_LITTLE)
        return ratio_cell(paper, ours, method.name)

    return by_method(results, paper, judged)


def divided(number: float | None, by: float | None) -> float | None:
    return None if number is None or not by else number / by


def errors_at(results: Results) -> Rows:
    def cell(name: str, one: DataSet | None, method: ComparedMethod, k: int) -> Cell:
        paper = published.error_at(name, method.name, k)
        if one is None:
            return not_at_hand(name, paper)
        return error_cell(paper, results.curve(one, method), k, method.name)

    rows: Rows = []
    for name, title, one in rows_of(results):
        for method in COMPARED.values():
            cells = [cell(name, one, method, k) for k in published.TOPS]
            known = any(each.verdict != NO_NUMBER for each in cells)
            if known and (one is not None or method.published):
                rows.append([title, method.title, *cells])
    return rows


def prices_shown(results: Results) -> list[float]:
    return sorted({1.0, *results.plan.extent.prices})


def prices(results: Results) -> Rows:
    rows: Rows = []
    for one, method in each_method(results):
        curves = [results.found[one.name].priced(method.name, C) for C in prices_shown(results)]
        if one.division != ALL_ROWS and method.name in JUDGED and any(curves):
            paper = published.value(published.LOWEST, one.name, method.name)
            rows.append([one.title, method.title, paper, *map(lowest_percent, curves)])
    return rows


def lowest_percent(curve: Curve | None) -> float | None:
    return None if curve is None else 100 * curve.lowest


def percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def both_ways(results: Results) -> list[tuple[DataSet, ComparedMethod, Curve, Nested]]:
    """Every method on every set where there is something in both protocols."""
    return [
        (one, method, curve, found)
        for one, method in each_method(results)
        if (curve := results.curve(one, method)) and (found := results.nested(one, method))
    ]


def both_protocols(results: Results) -> Rows:
    rows: Rows = []
    for one, method, curve, found in both_ways(results):
        here, wilson = results.found[one.name], proportion(found.error, found.n, 0.95)
        within = lowest_percent(here.inside.get(method.name))
        errors = [
            100 * curve.lowest,
            within,
            100 * found.error,
            100 * float(wilson.low),
            100 * float(wilson.high),
        ]
        optimism = 100 * (found.error - curve.lowest)
        rows.append([one.title, method.title, here.n_tried(method.name), *errors, optimism])
    return rows


def nested(results: Results) -> Rows:
    def error(one: DataSet, method: ComparedMethod) -> float | None:
        found = results.nested(one, method)
        return None if found is None else 100 * found.error

    return [
        [one.title, *(error(one, method) for method in COMPARED.values())]
        for one in results.plan.nested_sets()
    ]


def nested_at(results: Results) -> Rows:
    return [
        [
            one.title,
            method.title,
            *(percent(found.at.get(k)) for k in published.TOPS),
            float(median(found.sizes)),
        ]
        for one, method in each_method(results)
        if (found := results.nested(one, method))
    ]


@dataclass(frozen=True, eq=False)
class Compared:
    """Methods, sets, and the error of each method on each set."""

    titles: list[str]
    sets: list[str]
    errors: list[list[float]]

    def ranks(self) -> list[tuple[str, float]]:
        """Methods with their mean ranks, the best first; none of fewer than two sets."""
        if len(self.sets) < 2:
            return []
        ordered = sorted(zip(friedman(self.errors).ranks, self.titles, strict=True))
        return [(title, float(rank)) for rank, title in ordered]

    def tested(self) -> str:
        """What the test says of the differences."""
        found = friedman(self.errors)
        sure = "differ" if found.f_p < LEVEL else "are not shown to differ"
        return (
            f"{found.n} sets the methods {sure} (Friedman p = {found.p:.3f}, Iman and Davenport p = "
            f"{found.f_p:.3f})"
        )


def compared_methods(results: Results, most_classes: float = math.inf) -> Compared:
    """The methods that ran on every set of at most so many classes in the nested protocol."""
    sets = [
        one
        for one in results.plan.nested_sets()
        if results.plan.shapes[one.name].n_classes <= most_classes and results.found[one.name].nested
    ]
    methods = [m for m in COMPARED.values() if all(results.nested(one, m) for one in sets)]
    errors = [[found.error for m in methods if (found := results.nested(one, m))] for one in sets]
    return Compared([m.title for m in methods], [one.title for one in sets], errors)


def ranked_text(all_sets: Compared, two: Compared) -> str:
    """Who wins, and whether that can be told from chance."""
    if len(all_sets.sets) < 2:
        return "Needs at least two data sets."
    text = f"Mean ranks, 1 if always the lowest error. Over all {all_sets.tested()}."
    if len(two.sets) > 1:
        text += f" Over those of two classes, the only ones that FGM and GDM take, {two.tested()}."
    return text


def ranks(results: Results) -> Rows:
    all_sets, two = dict(compared_methods(results).ranks()), dict(compared_methods(results, 2).ranks())
    order = dict.fromkeys([*all_sets, *two]) if all_sets else {}
    return [[title, all_sets.get(title), two.get(title)] for title in order]


def pairs(results: Results) -> Rows:
    """Every other method against QPFS: who is lower by the median, p-values, and whether one is small."""
    found = compared_methods(results)
    if len(found.sets) < 2 or "QPFS" not in found.titles:
        return []
    errors, place = np.array(found.errors), found.titles.index("QPFS")
    others = [i for i in range(len(found.titles)) if i != place]
    differences = [errors[:, place] - errors[:, i] for i in others]
    p = [signed_rank_p(one) for one in differences]
    by_ranks = holm(ranks_p(errors, place)[others])
    rows: Rows = []
    for i, apart, one, adjusted, ranked in zip(others, differences, p, holm(p), by_ranks, strict=True):
        title, middle = found.titles[i], np.median(apart)
        lower = "QPFS" if middle < 0 else title if middle > 0 else "neither"
        sure = "yes" if min(adjusted, ranked) < LEVEL else "no"
        rows.append([title, lower, one, float(adjusted), float(ranked), sure])
    return rows


def costs(results: Results) -> Rows:
    return [
        [
            one.title,
            method.title,
            parameter_words(TYPICAL[method.name]),
            found["seconds"],
            published.value(published.SECONDS, one.name, method.name),
            found["megabytes"],
        ]
        for one, method in each_method(results)
        if (found := results.found[one.name].costs.get(method.name))
    ]


def claims(results: Results) -> Rows:
    return [
        [claim.text, finding(claim, published.number), finding(claim, results.number)] for claim in CLAIMS
    ]


def theta(results: Results) -> Rows:
    rows: Rows = []
    for one in results.plan.sets():
        tried = results.found[one.name].tried.get("qpfs", [])
        by_theta = {curve.parameters["theta"]: 100 * curve.lowest for curve in tried}
        rows.append([one.title, *(by_theta.get(value) for value in THETAS)])
    return rows


def theory_rows(results: Results) -> list[tuple[str, ComparedMethod, Plain]]:
    return [
        (one.title, method, found)
        for one, method in each_method(results)
        if method.name in CLUSTERED and (found := results.found[one.name].theory.get(method.name))
    ]


def distances(results: Results) -> Rows:
    names = ("n_features", "k", "levels", "distances", "published_bound")
    return [
        [
            title,
            method.title,
            *(found[name] for name in names),
            found["distances"] / found["published_bound"],
            found["distances"] / found["pairs"],
            "yes" if found["distances"] <= found["published_bound"] else "no",
        ]
        for title, method, found in theory_rows(results)
    ]


def levels(results: Results) -> Rows:
    names = ("n_samples", "R", "tau", "levels", "levels_expected", "widest", "n_final", "without_weight")
    return [
        [title, method.title, *(found[name] for name in names)]
        for title, method, found in theory_rows(results)
    ]


def data_sets(results: Results) -> Rows:
    rows: Rows = []
    for name, title, one in rows_of(results):
        paper, mine = shape(published.SHAPES.get(name)), shape(results.plan.shapes.get(name) if one else None)
        same = None if paper is None or mine is None else "yes" if paper == mine else "no"
        absent = RAC if name == "rac" else "not at hand"
        rows.append([title, paper, mine, same, absent if one is None else one.note])
    return rows


def shape(one: Any) -> str | None:
    return None if one is None else f"{one.n_samples:,} x {one.n_features:,}, {one.n_classes}"


def parameters(results: Results) -> Rows:
    rows: Rows = []
    for one, method in each_method(results):
        curve, found = results.curve(one, method), results.nested(one, method)
        inside = "" if found is None else often([parameter_words(each) for each in found.parameters])
        if curve:
            tried = len(results.found[one.name].tried[method.name])
            rows.append([one.title, method.title, tried, parameter_words(curve.parameters), inside])
    return rows


def often(names: list[str]) -> str:
    """The most frequent, with how often it came."""
    most = max(sorted(set(names)), key=names.count)
    return f"{most} ({names.count(most)} of {len(names)})"


ROWS: dict[str, Callable[[Results], Rows]] = {
    "lowest_error": lowest,
    "lowest_error_features": lowest_at,
    "price_of_errors": prices,
    "error_at_top": errors_at,
    "both_protocols": both_protocols,
    "nested_error": nested,
    "nested_error_at_top": nested_at,
    "nested_ranks": ranks,
    "nested_pairs": pairs,
    "time": partial(ratios, table=published.SECONDS, what="seconds"),
    "memory": partial(ratios, table=published.KILOBYTES, what="megabytes", least=LEAST_MEMORY),
    "costs": costs,
    "claims": claims,
    "theta": theta,
    "distances": distances,
    "levels": levels,
    "data_sets": data_sets,
    "parameters": parameters,
}
