"""The page of the study, `docs/study.md`, and its picture: written from the records alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from reproduction.significance import signed_rank_p

from benchmarks.study import planted
from benchmarks.study.chosen import AS_PUBLISHED, BY_WEIGHT, HEADLINE, OURS, QUESTIONS
from benchmarks.study.figure import Line, drawn, seconds_text
from benchmarks.study.methods import all_methods
from benchmarks.study.ranks import Comparison, Error, Records, compared, error_of, wins
from benchmarks.study.running import LENGTHS, PATIENCE
from benchmarks.study.sets import MOST_TEST, MOST_TRAIN, N_FOLDS, table
from qpfs.files import write_whole

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = "RFE"
BEGIN, END = "<!-- written by the study -->", "<!-- end -->"

K = f"{', '.join(map(str, LENGTHS[:-1]))} and {LENGTHS[-1]}"

METHOD = f"""\
Everything happens inside the training part. Each set is divided into two halves five times, stratified by
class (seeds 0 to 4); features are selected and a classifier is trained on one half, errors are counted on
the other, and the halves then change places: up to {N_FOLDS} folds. The classifiers are a linear support
vector machine (C = 0.1) and the five nearest neighbours, both on standardised columns, on the first {K}
features (a method that ranks fewer is judged by all it ranks). The error of a method on a set is the mean
over folds, classifiers and numbers of features. Halves of more than {MOST_TRAIN:,} rows to train on, or
{MOST_TEST:,} to test on, are reduced to that many, stratified (only `mnist38` has more). Halves are hard
for the small sets: many have 20 to 40 training samples here, and errors are higher than those of ten
folds.

A method that takes more than {PATIENCE} s of the processor for a selection, or fails, is last on that
set, and named. Seconds are processor time of one core for one selection; the table gives the median over
sets. Among the other methods, RFE eliminates a tenth of the remaining features at a time, beginning with the
3,000 that have the highest F, and one by one from the last hundred; L1 is a linear support vector machine
at the first C of a path that leaves 50 features; the forest has 500 trees; fastcan, HSIC Lasso
(`pyHSICLasso`, blocks of 20) and ReliefF (`fast-select`, 10 neighbours) are at the parameters named or
their own defaults.

Our defaults were chosen from the variants below on these same sets, while the other methods were not
tuned; the results of ours are somewhat optimistic for that reason. The choice was made by tables as a
whole, not by sets; among values that were not significantly different, the simpler one was taken, or the
one that recovers planted groups.
"""

LEGEND = """\
Names of variants: method, measure, and what was moved. `rank` is the rank measure (`rank2`: degree 2),
`mi2` to `mi5` mutual information of so many equal-frequency bins, `mi-width3` of three bins of equal
width, `mi-pub` of the published bins at mean plus and minus one standard deviation. `relevance`,
`leaders`: the first centres (`init`); `r` the radius, `f` `n_first`, `s` `n_split`, `c` `n_clusters`. At
the end the order of the features with weight: none for by weight, `nearest`, `mean` for mRMR's rule, or
`path` for the order of entry as theta falls. Ranks are within each table, over sets; errors are in per
cent, averaged over sets.
"""


def write(records: Records, folder: Path = DOCS) -> Comparison:
    """Writes the page and the picture; what they are about is returned."""
    head = compared(records, list(HEADLINE))
    write_whole(folder / "study.svg", picture(head))
    write_whole(folder / "study.md", page(records, head))
    if (folder / "choosing.md").exists():
        renew(folder / "choosing.md", short_table(head))
    return head


def renew(path: Path, text: str) -> None:
    """Puts text between the two marks of a page that is otherwise written by hand."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    write_whole(path, f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def picture(head: Comparison) -> str:
    lines = [
        Line(*HEADLINE[method], float(rank), head.seconds(method))
        for method, rank in zip(head.methods, head.test.ranks, strict=True)
    ]
    return drawn(lines, head.critical, len(head.sets))


def page(records: Records, head: Comparison) -> str:
    parts = [
        "# The study behind the defaults",
        "This page is written by `python -m benchmarks study`; do not edit it by hand. What follows from it "
        "is in [choosing.md](choosing.md), for users, and in "
        "[decision 13](decisions/0013-defaults-by-study.md).",
        f"{len(head.methods)} methods on {len(head.sets)} real sets, {folds_text(head)}.",
        "## How it was measured",
        METHOD.strip(),
        "## Result",
        "![mean ranks and their critical difference](study.svg)",
        result_text(head),
        headline_table(head),
        unanswered_text(head),
        "## Against the published forms, and against RFE",
        "Better and worse: on how many sets the error is lower or higher. p: Wilcoxon's signed-rank test "
        "over sets, for each pair alone, not corrected for the number of pairs.",
        pairs_table(head),
        "## The variants that defaults were chosen from",
        LEGEND.strip(),
        *(part for title, methods in QUESTIONS.items() for part in question(records, title, methods)),
        "## Planted groups",
        "200 samples, 8 groups of 6 noisy copies, some reversed in sign, among 2,000 columns of noise, ten "
        "seeds: how many of the 8 groups are among the first 8 features, at the least and on average.",
        planted_table(),
        "## Set by set",
        "The mean error in per cent.",
        sets_table(head),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# --- the headline ------------------------------------------------------------------------------------------


def result_text(head: Comparison) -> str:
    test, order = head.test, np.argsort(head.test.ranks)
    first = order[0]
    level = [
        HEADLINE[head.methods[i]][0] for i in order[1:] if test.ranks[i] - test.ranks[first] <= head.critical
    ]
    apart = [HEADLINE[head.methods[i]][0] for i in order if test.ranks[i] - test.ranks[first] > head.critical]
    best = HEADLINE[head.methods[first]][0]
    return (
        f"Friedman's test: the methods differ (chi-square {test.statistic:.0f}, p = {p_text(test.p)}; Iman "
        f"and Davenport p = {p_text(test.f_p)}). By Nemenyi's test, which considers all pairs, two of them "
        f"differ if their mean ranks are more than {head.critical:.1f} apart: in the picture, if their bars "
        f"do not overlap. The best mean rank is that of {best} ({test.ranks[first]:.2f}). Not "
        f"significantly different from it: {joined(level)}. Significantly different: {joined(apart)}."
    )


def headline_table(head: Comparison) -> str:
    kinds = {"ours": "**ours**", "published": "as published", "rival": "other"}
    svm, knn = error_of(["svm"]), error_of(["knn"])
    columns = [
        head.test.ranks,
        head.ranks_by(svm),
        head.ranks_by(knn),
        *(head.ranks_by(error_of(lengths=[k])) for k in LENGTHS),
    ]
    errors = [100 * answered_mean(head, one) for one in (svm, knn)]
    rows = []
    for i in np.argsort(head.test.ranks):
        label, kind = HEADLINE[head.methods[i]]
        ranks = [f"{column[i]:.2f}" for column in columns]
        means = [f"{column[i]:.1f}" for column in errors]
        cost = seconds_text(head.seconds(head.methods[i]))
        rows.append([label, kinds[kind], f"`{head.methods[i]}`", f"**{ranks[0]}**", *ranks[1:], *means, cost])
    heads = ["method", "", "variant", "mean rank", "SVM", "5-NN", *(f"k = {k}" for k in LENGTHS)]
    return markdown([*heads, "SVM, %", "5-NN, %", "seconds"], rows)


def short_table(head: Comparison) -> str:
    """Mean rank, error and cost of each method, for a page that is not about the study."""
    errors = 100 * answered_mean(head, error_of())
    rows = []
    for i in np.argsort(head.test.ranks):
        label, kind = HEADLINE[head.methods[i]]
        shown = f"**{label}**" if kind == "ours" else label
        cost = seconds_text(head.seconds(head.methods[i]))
        rows.append([shown, f"{head.test.ranks[i]:.1f}", f"{errors[i]:.1f}", cost])
    words = (
        f"{len(head.sets)} sets, {folds_text(head)}; in bold ours at the defaults. Mean ranks less "
        f"than {head.critical:.1f} apart are not significantly different."
    )
    return f"{words}\n\n{markdown(['method', 'mean rank', 'mean error, %', 'seconds'], rows)}"


def answered_mean(head: Comparison, error: Error) -> NDArray[np.float64]:
    """The mean error over the sets that every method has an answer for."""
    lost = {name for method in head.methods for name in head.unanswered(method)}
    kept = [name not in lost for name in head.sets]
    return head.errors_by(error)[kept].mean(axis=0)


def unanswered_text(head: Comparison) -> str:
    found = {method: head.unanswered(method) for method in head.methods}
    lost = [f"{HEADLINE[method][0]} ({', '.join(sets)})" for method, sets in found.items() if sets]
    absent = [label for name, (label, _) in HEADLINE.items() if name not in head.methods]
    words = "Every method gave an answer on every set in time."
    if lost:
        words = f"No answer, so last on the set, and mean errors without it: {'; '.join(lost)}."
    return words + (f" Not run, or not on every set yet: {', '.join(absent)}." if absent else "")


def pairs_table(head: Comparison) -> str:
    rows = []
    for label, name in OURS.items():
        if name not in head.methods:
            continue
        row = [label]
        for other in (AS_PUBLISHED.get(label), REFERENCE):
            row += pair(head, name, other) if other in head.methods else ["", ""]
        rows.append(row)
    return markdown(["ours", "published: better, worse", "p", "RFE: better, worse", "p"], rows)


def pair(head: Comparison, name: str, other: str) -> list[str]:
    one, two = head.methods.index(name), head.methods.index(other)
    better, worse, _ = wins(head.errors, one, two)
    return [f"{better}, {worse}", p_text(signed_rank_p(head.errors[:, one] - head.errors[:, two]))]


def sets_table(head: Comparison) -> str:
    shown = [name for name in head.methods if HEADLINE[name][1] != "published"]
    places = [head.methods.index(name) for name in shown]
    rows = []
    for i, (name, folds) in enumerate(head.each):
        n, m, c = shape(name)
        cells = [100 * head.errors[i, place] for place in places]
        least = min(cells)
        rows.append(
            [name, f"{n} x {m:,}, {c}", str(len(folds))]
            + [f"**{one:.1f}**" if one == least else f"{one:.1f}" for one in cells]
        )
    return markdown(
        ["set", "samples x features, classes", "folds", *(HEADLINE[name][0] for name in shown)], rows
    )


def planted_table() -> str:
    """What our methods find of planted groups, as they are ranked now and by weight, and as published."""
    wanted = dict.fromkeys([*OURS.values(), *BY_WEIGHT, *AS_PUBLISHED.values()])
    found = {one.name: planted.groups_found(one.order) for one in all_methods() if one.name in wanted}
    rows = [[f"`{name}`", str(min(found[name])), f"{np.mean(found[name]):.1f}"] for name in wanted]
    return markdown(["variant", "least", "mean"], rows)


def shape(name: str) -> tuple[int, int, int]:
    data = table(name)
    return (*data[0].shape, len(np.unique(data[1]))) if data is not None else (0, 0, 0)


# --- the variants ------------------------------------------------------------------------------------------


def question(records: Records, title: str, methods: Sequence[str]) -> Iterable[str]:
    """A heading and a table, if there is anything to compare."""
    found = compared(records, methods)
    if len(found.methods) < 2 or len(found.sets) < 2:
        return []
    svm, knn = (100 * found.errors_by(error_of([one])).mean(axis=0) for one in ("svm", "knn"))
    rows = [
        [
            f"`{found.methods[i]}`",
            f"{found.test.ranks[i]:.2f}",
            f"{100 * found.errors[:, i].mean():.2f}",
            f"{svm[i]:.1f}",
            f"{knn[i]:.1f}",
            f"{ranked(found, found.methods[i]):.0f}",
            seconds_text(found.seconds(found.methods[i])),
        ]
        for i in np.argsort(found.test.ranks, kind="stable")
    ]
    words = (
        f"{len(found.sets)} sets, {folds_text(found)}; Friedman p = {p_text(found.test.p)}, "
        f"critical difference {found.critical:.1f}."
    )
    heads = ["variant", "mean rank", "error, %", "SVM", "5-NN", "features ranked", "seconds"]
    return [f"### {title}", words, markdown(heads, rows)]


def ranked(found: Comparison, method: str) -> float:
    """The median number of features that a method ranks, 50 at most."""
    records = [found.records[name, fold, method] for name, folds in found.each for fold in folds]
    return float(np.median([len(one.get("order", [])) for one in records]))


# --- words -------------------------------------------------------------------------------------------------


def folds_text(found: Comparison) -> str:
    counts = sorted({len(folds) for folds in found.folds})
    return f"{counts[0]} folds each" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} folds each"


def p_text(p: float) -> str:
    return f"{p:.0e}".replace("e-0", "e-") if p < 0.001 else f"{p:.3f}"


def joined(words: Sequence[str]) -> str:
    if not words:
        return "none"
    return words[0] if len(words) == 1 else f"{'; '.join(words[:-1])} and {words[-1]}"


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
