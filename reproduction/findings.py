"""What came out, in sentences made from the numbers."""

from __future__ import annotations

from dataclasses import dataclass

from qpfs.wording import listed
from reproduction import published
from reproduction.methods import COMPARED
from reproduction.plan import Extent
from reproduction.results import JUDGED, Results, mean
from reproduction.sets import ALL_ROWS, RAC, DataSet
from reproduction.sheets import Worksheet
from reproduction.tables import Compared, both_ways, compared_methods
from reproduction.verdicts import BETTER, REPRODUCED, SAME, WORSE, error_cell, verdict_counts

NYSTROM = "What the publication has there under QPFS is QPFS+Nyström."
NOISE = (
    "Noise: leave-one-out and the fixed split test n samples once, and a number of the publication is within "
    "the noise if it lies in Wilson's 95 % interval for our share of n. That is wide: 13 % of 62 samples go "
    "with anything from 7 to 23 %. Over random splits both numbers are means over splits drawn by chance: "
    "1.96 standard errors of the difference of two such means, theirs taken to spread as ours. To be within "
    "the noise does not say that two programs agree."
)


def protocols(extent: Extent) -> list[str]:
    """What the two protocols are, and what a difference is measured by."""
    return [
        "As published: features are scaled to [-1, 1] by all rows. On the small sets they are selected once, "
        "on all rows, and the classifier is then tested by leaving out one row at a time; WDBC and USPS are "
        f"split 60/40 at random {extent.n_splits} times, MNIST has its fixed split. Parameters and the "
        "number of features are those with the lowest test error, on random splits the parameters by the "
        f"first {extent.n_tried}. The publication does not say whether features were selected once or in "
        "each fold; both are shown. Rows that are tested have taken part in every choice, on the small sets "
        "in the selection too, so that the error is lower than what new samples would show.",
        f"Nested: scaling, selection, parameters ({extent.n_inner}-fold cross-validation over the "
        "publication's grids, thinned) and number of features are all settled inside the training part, and "
        f"the rest is tested once. The small sets are divided into {extent.n_folds} stratified folds"
        f"{f', {extent.repeats} times' * (extent.repeats > 1)}, since leaving out one row at a time would "
        "take several times as long; to learn from fewer rows is part of what the error rises by. WDBC and "
        f"USPS are split {extent.n_outer} times.",
        NOISE,
    ]


def findings(results: Results, sheets: dict[str, Worksheet]) -> list[str]:
    """The main findings, a sentence or a few each."""
    return [*at_or_below(results), verdict_text(sheets), *optimism(results), *winner(results)]


def at_or_below(results: Results) -> list[str]:
    """For which sets and methods the lowest error is at most the publication's."""
    reached: list[str] = []
    above: list[str] = []
    for one in results.plan.sets():
        for method in JUDGED:
            paper = published.value(published.LOWEST, one.name, method)
            ours = results.number("lowest", one.name, method)
            if paper is None or ours is None:
                continue
            told = f"{ours:.2f} against {paper:.2f}: {how_far(results, one, method, paper)}"
            label = f"{one.title} {COMPARED[method].title} ({told})"
            (reached if ours < paper + 0.01 else above).append(label)
    if not reached and not above:
        return []
    n = len(reached) + len(above)
    rest = (
        f" Not on {'; '.join(above)}. It does not state the C of its classifier; ours is 1, and another C "
        "was tried only where there is a split, on the tests by which parameters were chosen."
        if above
        else ""
    )
    return [
        "As published, the lowest error of QPFS, TLKM-, IKM- and IKMA-QPFS is at or below the publication's "
        f"in {len(reached)} of {n} cases.{rest}"
    ]


def how_far(results: Results, one: DataSet, method: str, paper: float) -> str:
    """Whether the lowest error is within the noise of the publication's."""
    curve = results.curve(one, COMPARED[method])
    found = error_cell(paper, curve, None if curve is None else curve.lowest_at, method)
    noise = "beyond the noise" if found.verdict == WORSE else "within the noise"
    return noise + priced(results, one, method)


def priced(results: Results, one: DataSet, method: str) -> str:
    """The lowest errors with every C that was tried, all on the same tests."""
    if one.division == ALL_ROWS:
        return ""
    prices = sorted({1.0, *results.plan.extent.prices})
    found = results.found[one.name]
    curves = {C: curve for C in prices if (curve := found.priced(method, C))}
    if len(curves) < 2:
        return ""
    errors = [f"{100 * curve.lowest:.2f}" for curve in curves.values()]
    return f"; {listed(errors)} with C = {listed([f'{C:g}' for C in curves])}"


def verdict_text(sheets: dict[str, Worksheet]) -> str:
    """How the errors of the publication's tables compare."""
    cells = [cell for name in ("lowest_error", "error_at_top") for cell in sheets[name].cells()]
    found = verdict_counts(cells)
    return (
        f"Of the publication's errors that can be compared {found[SAME]} are the same, {found[REPRODUCED]} "
        f"within the noise of the protocol, {found[BETTER]} lower here and {found[WORSE]} higher."
    )


def optimism(results: Results) -> list[str]:
    """How much the protocol as published promises too much."""
    gaps: list[Gap] = []
    for one, method, curve, found in both_ways(results):
        within = results.found[one.name].inside.get(method.name)
        loop = None if within is None else 100 * (within.lowest - curve.lowest)
        label = f"{method.title} on {one.title}"
        gaps.append(Gap(label, one.division == ALL_ROWS, 100 * (found.error - curve.lowest), loop))
    if not gaps:
        return []
    most = max(gap.points for gap in gaps)
    where = listed([gap.label for gap in gaps if gap.points > most - 1e-9])
    return [
        "The nested protocol shows errors that are on average "
        f"{mean([gap.points for gap in gaps]):.1f} percentage points higher than the protocol as published, "
        f"at most {most:.1f} ({where}).{small_sets(gaps)}"
    ]


@dataclass(frozen=True)
class Gap:
    """By how many points an error is higher nested, and with only the selection inside the loop."""

    label: str
    small: bool
    points: float
    loop: float | None


def small_sets(gaps: list[Gap]) -> str:
    """What comes of the selection alone, where that can be told apart."""
    small = [gap for gap in gaps if gap.small]
    large = [gap.points for gap in gaps if not gap.small]
    loops = [gap.loop for gap in small if gap.loop is not None]
    if not loops:
        return ""
    others = f"; on the others it is {mean(large):.1f}" if large else ""
    return (
        f" On the small sets it is {mean([gap.points for gap in small]):.1f} points, {mean(loops):.1f} of "
        f"them from the selection alone, once tested samples take no part in it{others}."
    )


def winner(results: Results) -> list[str]:
    """Who wins in the nested protocol, and whether that can be told from chance."""
    all_sets, two = compared_methods(results), compared_methods(results, 2)
    if len(all_sets.sets) < 2:
        return []
    told = f"Nested, by mean rank {in_order(all_sets)}: over all {all_sets.tested()}."
    if 1 < len(two.sets) < len(all_sets.sets):
        told += f" With FGM and GDM, which take two classes only, {in_order(two)}: over {two.tested()}."
    return [told]


def in_order(found: Compared) -> str:
    """Methods with their mean ranks, the best first."""
    return ", ".join(f"{title} ({rank:.2f})" for title, rank in found.ranks())


def missing(results: Results) -> list[str]:
    """What is not there, and why."""
    at_hand = {one.name for one in results.plan.sets()}
    absent = [title for name, title in published.SETS.items() if name not in at_hand and name != "rac"]
    told = (
        f"Not at hand: {', '.join(absent)}. Name the folder that holds them with --data, or by QPFS_DATA."
        if absent
        else ""
    )
    stand_ins = (
        "The stand-ins run in the protocol as published only, and without QPFS+Nyström, whose time grows "
        "with the cube of the number of features."
        if any(one.stand_in for one in results.plan.sets())
        else ""
    )
    return [note for note in (told, f"{RAC} {NYSTROM}", stand_ins) if note]
