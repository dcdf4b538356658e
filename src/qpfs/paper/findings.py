"""What came out, in sentences made from the numbers."""

from __future__ import annotations

from qpfs.evaluation import friedman
from qpfs.paper import published
from qpfs.paper.methods import METHODS
from qpfs.paper.results import JUDGED, Results, mean
from qpfs.paper.sets import ALL_ROWS, RAC, DataSet
from qpfs.paper.sheets import Sheet
from qpfs.paper.tables import LEVEL, compared_methods
from qpfs.paper.verdicts import BETTER, REPRODUCED, SAME, WORSE, counted, error_cell

PROTOCOLS = (
    "As published: on the small sets features are selected once, on all rows, and the classifier is then "
    "tested by leaving out one row at a time; WDBC and USPS are split 60/40 at random, MNIST has its fixed "
    "split. Parameters and the number of features are those with the lowest test error. The publication "
    "does not say whether features were selected once or in each fold; both are shown, and its numbers lie "
    "between the two on some sets. Rows that are tested have taken part in the selection and in every "
    "choice, so that the error is lower than what new samples would show.",
    "Nested: selection, parameters (five-fold cross-validation over the publication's grids, thinned) and "
    "number of features are all settled inside the training part, and the rest is tested once. The small "
    "sets are divided by repeated stratified folds, since leaving out one row at a time would take several "
    "times as long.",
)


def findings(results: Results, sheets: dict[str, Sheet]) -> list[str]:
    """The main findings, a sentence or a few each."""
    return [*at_or_below(results), verdict_counts(sheets), *optimism(results), *winner(results)]


def at_or_below(results: Results) -> list[str]:
    """For which sets and methods the lowest error is at most the publication's."""
    reached: list[str] = []
    above: list[str] = []
    for one in results.plan.sets():
        for method in JUDGED:
            paper = published.value(published.LOWEST, one.name, method)
            ours = results.lowest(one.name, method)
            if paper is None or ours is None:
                continue
            told = f"{ours:.2f} against {paper:.2f}: {how_far(results, one, method, paper)}"
            label = f"{one.title} {METHODS[method].title} ({told})"
            (reached if ours < paper + 0.01 else above).append(label)
    if not reached and not above:
        return []
    n = len(reached) + len(above)
    rest = (
        f" Not on {'; '.join(above)}. It does not state the C of its classifier; ours is 1." if above else ""
    )
    return [
        "As published, the lowest error of QPFS, TLKM-, IKM- and IKMA-QPFS is at or below the publication's "
        f"in {len(reached)} of {n} cases.{rest}"
    ]


def how_far(results: Results, one: DataSet, method: str, paper: float) -> str:
    """Whether the lowest error is within the noise of the publication's."""
    curve = results.curve(one, METHODS[method])
    found = error_cell(paper, curve, None if curve is None else curve.lowest_at, method)
    noise = "beyond the noise" if found.verdict == WORSE else "within the noise"
    prices = [] if one.division == ALL_ROWS else list(results.plan.extent.prices)
    curves = {C: curve for C in prices if (curve := results.priced(one, METHODS[method], C))}
    others = [f"{100 * curve.lowest:.2f} with C = {C:g}" for C, curve in curves.items()]
    return ", ".join([noise, *others])


def verdict_counts(sheets: dict[str, Sheet]) -> str:
    """How the errors of the publication's tables compare."""
    cells = [cell for name in ("lowest_error", "error_at_top") for cell in sheets[name].cells()]
    found = counted(cells)
    return (
        f"Of the publication's errors that can be compared {found[SAME]} are the same, {found[REPRODUCED]} "
        f"within the noise of the protocol, {found[BETTER]} lower here and {found[WORSE]} higher."
    )


def optimism(results: Results) -> list[str]:
    """How much the protocol as published promises too much."""
    gaps: list[tuple[float, str]] = []
    loops: list[float] = []
    for one in results.plan.nested_sets():
        for method in results.plan.methods(one):
            curve, found = results.curve(one, method), results.nested(one, method)
            if curve and found:
                gaps.append((100 * (found.error - curve.lowest), f"{method.title} on {one.title}"))
            within = results.inside(one, method)
            if curve and within and one.division == ALL_ROWS:
                loops.append(100 * (within.lowest - curve.lowest))
    if not gaps:
        return []
    most, where = max(gaps)
    inside = (
        f" On the small sets {mean(loops):.1f} points come from the selection alone, once tested samples "
        "take no part in it."
        if loops
        else ""
    )
    return [
        "The nested protocol shows errors that are on average "
        f"{mean([gap for gap, _ in gaps]):.1f} percentage points higher than the protocol as published, at "
        f"most {most:.1f} ({where}).{inside}"
    ]


def winner(results: Results) -> list[str]:
    """Who wins in the nested protocol, and whether that can be told from chance."""
    titles, sets, errors = compared_methods(results)
    if len(sets) < 2:
        return []
    found = friedman(errors, titles)
    order = sorted(zip(found.ranks, titles, strict=True))
    sure = "is significant" if found.f_p < LEVEL else "is not significant"
    best = ", ".join(f"{title} ({rank:.2f})" for rank, title in order)
    return [
        f"Nested, over {len(sets)} data sets, the mean ranks are {best}; the difference between the methods "
        f"{sure} (Friedman p = {found.p:.2f}, Iman and Davenport p = {found.f_p:.2f})."
    ]


def missing(results: Results) -> list[str]:
    """What is not there, and why."""
    at_hand = {one.name for one in results.plan.sets()}
    absent = [title for name, title in published.SETS.items() if name not in at_hand and name != "rac"]
    told = (
        f"Not at hand: {', '.join(absent)}. Name the folder that holds them with --data, or by QPFS_DATA."
        if absent
        else ""
    )
    return [note for note in (told, RAC) if note]
