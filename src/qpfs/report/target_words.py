"""How the target was used, in sentences: classes, or a quantity; and what it means if most is one value."""

from __future__ import annotations

import numpy as np

from qpfs.codes import Target
from qpfs.report.classes import ClassGroups
from qpfs.report.names import shown
from qpfs.wording import counted, listed, short

MOST = 0.8  # share of the samples in one class, or at one value, from which on a sentence explains it
QUANTITY = {  # what the measure uses of a quantity, by its form
    "scores": "used by the normal scores of its ranks and not discretised",
    "numbers": "used unchanged and not discretised",
    "raw": "used unchanged and not discretised",
}


def target_words(target: Target, groups: ClassGroups, form: str) -> list[str]:
    """Sentences about the target."""
    if target.others:
        return several_words(target, form)
    if target.classes is not None:
        n = counted(groups.n_classes, "class", "classes")
        return [f"The target has {n}: {sizes_words(groups)}.", *majority_words(groups)]
    return [quantity_words(groups, form), *point_words(target, form)]


def several_words(target: Target, form: str) -> list[str]:
    """How several targets were used."""
    n = len(target.targets)
    if form == "scores" and target.importance is None:
        taken = "used jointly: relevance is what a feature shares with all of them together"
    elif target.importance is None:
        taken = "and relevance is the mean over them"
    else:
        named = [f"{one.name} {short(w)}" for one, w in zip(target.targets, target.importance, strict=True)]
        taken = f"and relevance is the mean over them, weighted: {listed(named)}"
    with_points = [one for one in target.targets if one.point is not None]
    return [
        f"There are {n} targets, {taken}. Classes, pictures and effects are those of the first, "
        f"{target.name}.",
        *(f"{one.name}: {sentence}" for one in with_points for sentence in point_words(one, form)),
    ]


def sizes_words(groups: ClassGroups) -> str:
    """The classes or groups, each with its number of samples."""
    pairs = zip(groups.names, groups.sizes, strict=True)
    return listed([f"{' '.join(shown(name).split())} ({n:,})" for name, n in pairs])


def majority_words(groups: ClassGroups) -> list[str]:
    """A sentence on what it means that most samples are of one class; none if they are not."""
    merged = groups.n_classes > len(groups.names)  # the last group has many classes
    largest, n = int(np.argmax(groups.sizes[: -1 if merged else None])), sum(groups.sizes)
    share = groups.sizes[largest] / n
    if share < MOST:
        return []
    rest = counted(n - groups.sizes[largest], "other")
    return [
        f"{100 * share:.0f} % of the samples are in class {shown(groups.names[largest])}: the results depend "
        f"on the {rest}, and always predicting that class would be right as often."
    ]


def quantity_words(groups: ClassGroups, form: str) -> str:
    if form in QUANTITY:
        return f"The target is a quantity, {QUANTITY[form]}."
    n = counted(groups.n_classes, "group")
    return f"The target is a quantity, discretised into {n}: {sizes_words(groups)}."


def point_words(target: Target, form: str) -> list[str]:
    """A sentence on how a value that most samples have was treated; none if there is no such value."""
    if target.point is None:
        return []
    others = int(np.count_nonzero(target.numbers != target.point))
    share, value = 1 - others / len(target.codes), short(target.point)
    head = f"{100 * share:.0f} % of the samples have the value {value}"
    if form == "scores":
        return [
            f"{head}: relevance is to whether a sample has it, and to the ranks of the "
            f"{counted(others, 'other')}."
        ]
    if form == "levels" and len(target.counts) > 2:
        rest = f"the {counted(others, 'other')} are divided among the remaining groups"
        return [f"{head}, which is a group of its own; {rest}."]
    if share < MOST:
        return []
    lost = form == "levels"
    return [
        f"{head}: features are judged by how well they separate it from the {counted(others, 'other')}; how "
        f"large those are counts for {'nothing' if lost else 'little'}."
    ]
