"""How the target was taken, in sentences: classes, or a quantity; and what it means if most is one value."""

from __future__ import annotations

import numpy as np

from qpfs.codes import Target
from qpfs.report.classes import ClassGroups
from qpfs.report.names import shown
from qpfs.wording import counted, listed, short

MOST = 0.8  # share of the samples in one class, or at one value, from which on it is said what that means
QUANTITY = {  # what the measure reads of a quantity, by its form
    "scores": "by the normal scores of its ranks; it is not cut",
    "numbers": "as it is; it is not cut",
    "raw": "as it is; it is not cut",
}


def target_words(target: Target, groups: ClassGroups, form: str) -> list[str]:
    """Sentences about the target."""
    if target.others:
        return several_words(target, form)
    if target.classes is not None:
        return [classes_words(groups), *majority_words(groups)]
    return [quantity_words(groups, form), *point_words(target, form)]


def several_words(target: Target, form: str) -> list[str]:
    """How several targets were taken, each with what it is."""
    n = len(target.targets)
    if form == "scores" and target.importance is None:
        taken = "taken together: relevance is what a feature says of any of them"
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


def classes_words(groups: ClassGroups) -> str:
    return f"The target has {counted(groups.n_classes, 'class', 'classes')}: {sizes_words(groups)}."


def sizes_words(groups: ClassGroups) -> str:
    """The classes or groups, each with its number of samples."""
    pairs = zip(groups.names, groups.sizes, strict=True)
    return listed([f"{' '.join(shown(name).split())} ({n:,})" for name, n in pairs])


def majority_words(groups: ClassGroups) -> list[str]:
    """What it means that most samples are of one class; nothing if they are not."""
    largest, n = int(np.argmax(groups.sizes)), sum(groups.sizes)
    share = groups.sizes[largest] / n
    if share < MOST:
        return []
    rest = counted(n - groups.sizes[largest], "other")
    return [
        f"{100 * share:.0f} % of the samples are in class {shown(groups.names[largest])}: what features say "
        f"rests on the {rest}, and always guessing that class would be right as often."
    ]


def quantity_words(groups: ClassGroups, form: str) -> str:
    if form in QUANTITY:
        return f"The target is a quantity, taken {QUANTITY[form]}."
    return f"The target is a quantity, cut into {counted(groups.n_classes, 'group')}: {sizes_words(groups)}."


def point_words(target: Target, form: str) -> list[str]:
    """What became of a value that most samples have; nothing if there is none."""
    if target.point is None:
        return []
    others = int(np.count_nonzero(target.numbers != target.point))
    share, value = 1 - others / len(target.codes), short(target.point)
    head = f"{100 * share:.0f} % of the samples have the value {value}"
    if form == "scores":
        return [
            f"{head}: features are judged by how well they tell whether it is that, and by ranks how much it "
            f"is in the {counted(others, 'other')}."
        ]
    if form == "levels" and len(target.counts) > 2:
        return [f"{head}, which is a group of its own; the {counted(others, 'other')} are cut into the rest."]
    if share < MOST:
        return []
    lost = form == "levels"
    return [
        f"{head}: features are judged by how well they tell it from the {counted(others, 'other')}; how "
        f"large those are counts for {'nothing' if lost else 'little'}."
    ]
