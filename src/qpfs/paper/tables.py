"""The publication's tables with our numbers in them, and those it does not have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qpfs.evaluation import friedman, holm, wilcoxon
from qpfs.evaluation.intervals import proportion
from qpfs.paper import published
from qpfs.paper.claims import CLAIMS, Published, finding
from qpfs.paper.methods import CLUSTERED, COMPARED, TYPICAL, ComparedMethod, parameter_words
from qpfs.paper.plan import Plain
from qpfs.paper.results import JUDGED, Curve, Results
from qpfs.paper.sets import ALL_ROWS, RAC, DataSet
from qpfs.paper.sheets import KEY, RATIO_KEY, SheetEntry, Worksheet, decimal_places, digits
from qpfs.paper.verdicts import (
    NO_NUMBER,
    NOT_COMPARABLE,
    TOO_LITTLE,
    Cell,
    error_cell,
    ratio_cell,
    size_cell,
)

TITLES = tuple(method.title for method in COMPARED.values())
LEVEL = 0.05  # of a test, as usual
LEAST_MEMORY = 1.0  # megabytes: less than that comes and goes with the pages that a process holds anyway


def all_sheets(results: Results) -> list[Worksheet]:
    """Every table, in the order in which they are shown."""
    return [
        lowest(results),
        lowest_at(results),
        prices(results),
        errors_at(results),
        both_protocols(results),
        nested(results),
        nested_at(results),
        ranks(results),
        pairs(results),
        seconds(results),
        memory(results),
        costs(results),
        claims(results),
        theta(results),
        distances(results),
        levels(results),
        data_sets(results),
        parameters(results),
    ]


def rows_of(results: Results) -> list[tuple[str, DataSet | None]]:
    """The names of the publication's sets with what is at hand of them, then those that are ours only."""
    at_hand = {one.name: one for one in results.plan.sets()}
    theirs: list[tuple[str, DataSet | None]] = [(name, at_hand.get(name)) for name in published.SETS]
    return theirs + [(one.name, one) for one in results.plan.sets() if not one.published]


def title_of(name: str, one: DataSet | None) -> str:
    return published.SETS[name] if one is None else one.title


def not_at_hand(name: str, paper: float | None) -> Cell:
    """The cell of a set that was not run."""
    reason = "the data of RAC are not public" if name == "rac" else "some sets were not at hand"
    return Cell(paper, None, NOT_COMPARABLE, reason)


Judged = Callable[[str, DataSet, ComparedMethod, Curve | None], Cell]


def by_method(results: Results, table: dict[str, published.Row], judged: Judged) -> list[list[SheetEntry]]:
    """A row for each set, a cell for each method."""
    rows: list[list[SheetEntry]] = []
    for name, one in rows_of(results):
        row: list[SheetEntry] = [title_of(name, one)]
        for method in COMPARED.values():
            if one is None:
                row.append(not_at_hand(name, published.value(table, name, method.name)))
            else:
                row.append(judged(name, one, method, results.curve(one, method)))
        rows.append(row)
    return rows


def lowest(results: Results) -> Worksheet:
    def judged(name: str, one: DataSet, method: ComparedMethod, curve: Curve | None) -> Cell:
        paper = published.value(published.LOWEST, name, method.name)
        return error_cell(paper, curve, None if curve is None else curve.lowest_at, method.name)

    return Worksheet(
        "lowest_error",
        "Lowest error (%), protocol as published",
        f"The publication's number → ours. {KEY}.",
        ("data set", *TITLES),
        by_method(results, published.LOWEST, judged),
    )


def lowest_at(results: Results) -> Worksheet:
    def judged(name: str, one: DataSet, method: ComparedMethod, curve: Curve | None) -> Cell:
        return size_cell(published.value(published.LOWEST_AT, name, method.name), curve, method.name)

    return Worksheet(
        "lowest_error_features",
        "Number of features at the lowest error, protocol as published",
        "The place of the lowest point of a noisy curve: ≈ where our error at the publication's number is "
        f"within the noise of our lowest. {KEY}.",
        ("data set", *TITLES),
        by_method(results, published.LOWEST_AT, judged),
        number=decimal_places(0),
    )


def errors_at(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for name, one in rows_of(results):
        for method in COMPARED.values():
            if one is None and not method.published:
                continue
            curve = None if one is None else results.curve(one, method)
            papers = [published.error_at(name, method.name, k) for k in published.TOPS]
            cells: list[SheetEntry] = [
                not_at_hand(name, paper) if one is None else error_cell(paper, curve, k, method.name)
                for paper, k in zip(papers, published.TOPS, strict=True)
            ]
            if any(isinstance(cell, Cell) and cell.verdict != NO_NUMBER for cell in cells):
                rows.append([title_of(name, one), method.title, *cells])
    return Worksheet(
        "error_at_top",
        "Error (%) at 10 to 100 features, protocol as published",
        "The publication's number → ours, of the parameters that reach the lowest error. A dash: so many "
        f"features were not found. Over random splits one that finds fewer counts with all it finds. {KEY}.",
        ("data set", "method", *map(str, published.TOPS)),
        rows,
    )


def prices(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    shown = sorted({1.0, *results.plan.extent.prices})
    for one in results.plan.sets():
        for method in (COMPARED[name] for name in JUDGED):
            curves = [results.priced(one, method, C) for C in shown]
            if one.division != ALL_ROWS and any(curves):
                errors: list[SheetEntry] = [None if curve is None else 100 * curve.lowest for curve in curves]
                rows.append(
                    [
                        one.title,
                        method.title,
                        published.value(published.LOWEST, one.name, method.name),
                        *errors,
                    ]
                )
    return Worksheet(
        "price_of_errors",
        "Lowest error (%) with another C of the classifier, protocol as published",
        "The publication does not state C; all other tables are made with 1. The parameters chosen with "
        "that, on the random splits on which they were chosen, or on the fixed split at fewer numbers of "
        "features.",
        ("data set", "method", "publication", *(f"C = {C:g}" for C in shown)),
        rows,
    )


def both_protocols(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for one in results.plan.nested_sets():
        for method in COMPARED.values():
            curve, found = results.curve(one, method), results.nested(one, method)
            within = results.inside(one, method)
            if curve and found:
                low, high = interval(found.error, found.n)
                tried = results.n_tried(one, method)
                loop = None if within is None else 100 * within.lowest
                optimism = 100 * (found.error - curve.lowest)
                errors = [100 * curve.lowest, loop, 100 * found.error, low, high, optimism]
                rows.append([one.title, method.title, tried, *errors])
    return Worksheet(
        "both_protocols",
        "Both protocols side by side (error in %)",
        "As published: the lowest of all choices tried, read off the test error. Selection inside the loop: "
        "the same parameters, but tested samples take no part in the selection; the number of features is "
        "still read off; on random splits and the fixed split that is so in the first. Nested: everything "
        "chosen inside the training part, with Wilson's 95 % interval. What the first promises too much is "
        "the difference. Choices tried: parameters times numbers of features.",
        (
            "data set",
            "method",
            "choices tried",
            "as published",
            "selection inside the loop",
            "nested",
            "nested, low",
            "nested, high",
            "difference",
        ),
        rows,
    )


def interval(error: float, n: int) -> tuple[float, float]:
    """Wilson's interval in percent."""
    found = proportion(error, n, 0.95)
    return 100 * float(found.low), 100 * float(found.high)


def nested(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for one in results.plan.nested_sets():
        found = [results.nested(one, method) for method in COMPARED.values()]
        rows.append([one.title, *(None if each is None else 100 * each.error for each in found)])
    return Worksheet(
        "nested_error",
        "Error (%), nested protocol",
        "Parameters and number of features chosen by cross-validation inside each training part.",
        ("data set", *TITLES),
        rows,
    )


def nested_at(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for one in results.plan.nested_sets():
        for method in COMPARED.values():
            found = results.nested(one, method)
            if found:
                at: list[SheetEntry] = [percent(found.at.get(k)) for k in published.TOPS]
                rows.append([one.title, method.title, *at, float(median(found.sizes))])
    return Worksheet(
        "nested_error_at_top",
        "Error (%) at 10 to 100 features, nested protocol",
        "Parameters chosen inside for each number of features; a method that finds fewer is tested with all "
        "that it finds.",
        ("data set", "method", *map(str, published.TOPS), "features chosen (median)"),
        rows,
        number=decimal_places(1),
    )


def percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def median(values: list[int]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def compared_methods(results: Results, most_classes: float = math.inf) -> Compared:
    """The methods that ran on every set of at most so many classes in the nested protocol."""
    sets = [
        one
        for one in results.plan.nested_sets()
        if results.plan.shapes[one.name].n_classes <= most_classes
        and any(results.nested(one, m) for m in COMPARED.values())
    ]
    methods = [m for m in COMPARED.values() if all(results.nested(one, m) for one in sets)]
    errors = [[found.error for m in methods if (found := results.nested(one, m))] for one in sets]
    return Compared([m.title for m in methods], [one.title for one in sets], errors)


def ranks(results: Results) -> Worksheet:
    all_sets, two = compared_methods(results), compared_methods(results, 2)
    rows: list[list[SheetEntry]] = []
    text = "Needs at least two data sets."
    if len(all_sets.sets) > 1:
        over_all, over_two = dict(all_sets.ranks()), dict(two.ranks())
        order = [*over_all, *(title for title in over_two if title not in over_all)]
        rows = [[title, over_all.get(title), over_two.get(title)] for title in order]
        text = f"Mean ranks, 1 if always the lowest error. Over all {all_sets.tested()}."
        if len(two.sets) > 1:
            text += f" Over those of two classes, the only ones that FGM and GDM take, {two.tested()}."
    header = ("method", "over all sets", "over those of two classes")
    return Worksheet("nested_ranks", "Who wins in the nested protocol", text, header, rows)


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
        found = friedman(self.errors, self.titles)
        ordered = sorted(zip(found.ranks, self.titles, strict=True))
        return [(title, float(rank)) for rank, title in ordered]

    def tested(self) -> str:
        """What the test says of the differences."""
        found = friedman(self.errors, self.titles)
        sure = "differ" if found.f_p < LEVEL else "are not shown to differ"
        return (
            f"{found.n} sets the methods {sure} (Friedman p = {found.p:.3f}, Iman and Davenport p = "
            f"{found.f_p:.3f})"
        )


def pairs(results: Results) -> Worksheet:
    found = compared_methods(results)
    rows: list[list[SheetEntry]] = []
    if len(found.sets) > 1 and "QPFS" in found.titles:
        by_rank = {one.second: one for one in holm(found.errors, found.titles, reference="QPFS")}
        for one in wilcoxon(found.errors, found.titles, reference="QPFS"):
            other = by_rank[one.second]
            said = "QPFS" if one.difference < 0 else one.second if one.difference > 0 else "neither"
            sure = "yes" if min(one.adjusted, other.adjusted) < LEVEL else "no"
            rows.append([one.second, said, one.p, one.adjusted, other.adjusted, sure])
    return Worksheet(
        "nested_pairs",
        "Each method against QPFS in the nested protocol",
        "Wilcoxon's signed-rank test over the data sets, and mean ranks after Friedman's test, both with "
        "Holm's correction.",
        (
            "method",
            "lower by the median difference",
            "p (Wilcoxon)",
            "p, corrected",
            "p by ranks, corrected",
            "significant",
        ),
        rows,
        number=decimal_places(3),
    )


class Ours:
    """Our numbers, as claims ask for them."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.sets = {one.name: one for one in results.plan.sets()}

    def lowest(self, name: str, method: str) -> float | None:
        return self.results.lowest(name, method)

    def lowest_at(self, name: str, method: str) -> float | None:
        return self.results.lowest_at(name, method)

    def error_at(self, name: str, method: str, k: int) -> float | None:
        return self.results.error_at(name, method, k)

    def seconds(self, name: str, method: str) -> float | None:
        return self._cost(name, method, "seconds")

    def memory(self, name: str, method: str) -> float | None:
        return self._cost(name, method, "megabytes")

    def _cost(self, name: str, method: str, what: str) -> float | None:
        if name not in self.sets:
            return None
        found = self.results.cost(self.sets[name], COMPARED[method])
        return None if found is None else found[what]


def seconds(results: Results) -> Worksheet:
    ours = Ours(results)
    return Worksheet(
        "time",
        "Time of one selection, as a multiple of QPFS's",
        "QPFS here asks only for the columns of the matrix that matter, where the publication's built all of "
        f"it and ran out of memory on RAC; so ratios to it say how cheap QPFS has become, too. {RATIO_KEY}.",
        ("data set", *TITLES),
        ratios(results, published.SECONDS, ours.seconds),
        number=digits(2),
    )


def memory(results: Results) -> Worksheet:
    ours = Ours(results)
    return Worksheet(
        "memory",
        "Peak memory of one selection, as a multiple of QPFS's",
        "Ours above what is held with the data read; the publication does not say how it measured. "
        f"{RATIO_KEY}.",
        ("data set", *TITLES),
        ratios(results, published.KILOBYTES, ours.memory, LEAST_MEMORY),
        number=digits(2),
    )


Lookup = Callable[[str, str], float | None]


def ratios(
    results: Results, table: dict[str, published.Row], ours: Lookup, least: float = 0.0
) -> list[list[SheetEntry]]:
    """Numbers of a table divided by that of QPFS, theirs and ours; QPFS itself is not judged."""
    rows: list[list[SheetEntry]] = []
    for name, one in rows_of(results):
        row: list[SheetEntry] = [title_of(name, one)]
        for method in COMPARED:
            theirs = None if method == "qpfs" else published.value(table, name, method)
            paper = divided(theirs, published.value(table, name, "qpfs"))
            mine = divided(ours(name, method), ours(name, "qpfs"))
            if one is None:
                row.append(not_at_hand(name, paper))
            elif paper is not None and (ours(name, "qpfs") or 0.0) < least:
                row.append(Cell(paper, mine, NOT_COMPARABLE, TOO_LITTLE))
            else:
                row.append(ratio_cell(paper, mine, method))
        rows.append(row)
    return rows


def divided(number: float | None, by: float | None) -> float | None:
    return None if number is None or not by else number / by


def costs(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for one in results.plan.sets():
        for method in results.plan.methods(one):
            found = results.cost(one, method)
            if found:
                paper = published.value(published.SECONDS, one.name, method.name)
                chosen = parameter_words(TYPICAL[method.name])
                rows.append([one.title, method.title, chosen, found["seconds"], paper, found["megabytes"]])
    return Worksheet(
        "costs",
        "Time and memory measured",
        "Median of three selections in a process of its own, with the parameters named; the publication's "
        f"seconds are from an {published.MACHINE}.",
        ("data set", "method", "parameters", "seconds", "publication's seconds", "megabytes"),
        rows,
        number=decimal_places(3),
    )


def claims(results: Results) -> Worksheet:
    theirs, ours = Published(), Ours(results)
    return Worksheet(
        "claims",
        "What the text of the publication claims",
        "Held against its own tables, and against ours in the protocol as published. Equal numbers count as "
        "holding, and of a range of factors only its lower end is asked for; where a number is missing "
        "nothing is counted.",
        ("claim", "by its own tables", "by ours"),
        [[claim.text, finding(claim, theirs), finding(claim, ours)] for claim in CLAIMS],
    )


def theta(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    shown: tuple[Any, ...] = (*published.THETAS, "auto")
    for one in results.plan.sets():
        tried = results.tried(one, COMPARED["qpfs"])
        by_theta = {curve.parameters["theta"]: 100 * curve.lowest for curve in tried}
        rows.append([one.title, *(by_theta.get(value) for value in shown)])
    return Worksheet(
        "theta",
        "Lowest error (%) of QPFS by theta, protocol as published",
        "The publication finds errors with the automatic theta very similar to those with the best of its "
        "grid. Errors are those by which theta was chosen: over the first of the random splits, and on the "
        "fixed split at fewer numbers of features than in the table of lowest errors.",
        ("data set", *map(str, shown)),
        rows,
    )


def theory_rows(results: Results) -> list[tuple[DataSet, str, Plain]]:
    return [
        (one, method, found)
        for one in results.plan.sets()
        for method in CLUSTERED
        if (found := results.known.get(results.plan.theory(one, method)))
    ]


def distances(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = [
        [
            one.title,
            COMPARED[method].title,
            found["n_features"],
            found["k"],
            found["levels"],
            found["distances"],
            found["published_bound"],
            found["distances"] / found["published_bound"],
            found["distances"] / found["pairs"],
            "yes" if found["distances"] <= found["published_bound"] else "no",
        ]
        for one, method, found in theory_rows(results)
    ]
    within = sum(row[-1] == "yes" for row in rows)
    return Worksheet(
        "distances",
        "Distances computed, against the publication's bound",
        "L(2Mk - k² + 2M) for L levels of at most k parts each, of M features that vary. What it takes to "
        "choose first centres counts, which the publication leaves out by taking the first columns: with few "
        f"features that is much. Within the bound in {within} of {len(rows)} cases.",
        (
            "data set",
            "method",
            "features M",
            "parts k",
            "levels L",
            "distances",
            "bound",
            "share of the bound",
            "share of all pairs",
            "within",
        ),
        rows,
        number=decimal_places(3),
    )


def levels(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = [
        [
            one.title,
            COMPARED[method].title,
            found["n_samples"],
            found["R"],
            found["tau"],
            found["levels"],
            found["levels_expected"],
            found["widest"],
            found["n_final"],
            found["without_weight"],
        ]
        for one, method, found in theory_rows(results)
    ]
    split = [found for _, method, found in theory_rows(results) if method != "tlkm"]
    more = sum(found["levels"] > found["levels_expected"] for found in split)
    return Worksheet(
        "levels",
        "Levels needed, against N log_k(R / tau)",
        "The publication expects so many levels until every cluster is within the radius tau, by an argument "
        "about volumes in N dimensions; R is the radius of all features, k the parts of the table above. "
        "TLKM-QPFS stops after two levels whatever the radii; IKMA-QPFS discards what would be split. IKM- "
        f"and IKMA-QPFS took more levels than expected in {more} of {len(split)} cases. The last column "
        "tests another sentence, that few first representatives are without weight; a dash where not all "
        "weights were asked for.",
        (
            "data set",
            "method",
            "samples N",
            "R",
            "tau",
            "levels",
            "levels expected",
            "widest cluster",
            "clusters kept",
            "share without weight at level 1",
        ),
        rows,
        number=decimal_places(3),
    )


def data_sets(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for name, one in rows_of(results):
        paper = published.SHAPES.get(name)
        mine = results.plan.shapes[name] if one else None
        note = "" if one is None else one.note
        if one is None:
            note = RAC if name == "rac" else "not at hand"
        rows.append([title_of(name, one), shape(paper), shape(mine), same(paper, mine), note])
    return Worksheet(
        "data_sets",
        "Data sets",
        "Samples x features, classes.",
        ("data set", "publication", "ours", "same", "note"),
        rows,
    )


def shape(one: Any) -> str | None:
    return None if one is None else f"{one.n_samples:,} x {one.n_features:,}, {one.n_classes}"


def same(paper: Any, mine: Any) -> str | None:
    return None if paper is None or mine is None else "yes" if shape(paper) == shape(mine) else "no"


def parameters(results: Results) -> Worksheet:
    rows: list[list[SheetEntry]] = []
    for one in results.plan.sets():
        for method in COMPARED.values():
            curve, found = results.curve(one, method), results.nested(one, method)
            inside = "" if found is None else often([parameter_words(each) for each in found.parameters])
            if curve:
                tried = len(results.plan.grid(one, method))
                rows.append([one.title, method.title, tried, parameter_words(curve.parameters), inside])
    return Worksheet(
        "parameters",
        "Parameters",
        "Those that the protocol as published reads off the test error, of how many tried; and the one that "
        "the nested protocol chose most often.",
        ("data set", "method", "tried", "as published", "nested, most often"),
        rows,
    )


def often(names: list[str]) -> str:
    """The most frequent, with how often it came."""
    most = max(sorted(set(names)), key=names.count)
    return f"{most} ({names.count(most)} of {len(names)})"
