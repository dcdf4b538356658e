"""The redundancy of the selected features: one cell for each pair, darker the more they share.

A name is on the diagonal: at the right end of its row, and at the top of its column. The half above the
diagonal has no cells: it has the key, with the most similar pairs.
"""

from __future__ import annotations

from collections.abc import Callable

from qpfs.report.names import fitted
from qpfs.report.pictures.axes import NARROW, WIDE, Picture, plain_panel
from qpfs.report.pictures.marks import FONT, Box, Lettering, Mark
from qpfs.report.schema import RedundancyRecord

WRITTEN, WRITTEN_NARROW = 20, 11  # features up to which the cells hold their numbers
LABEL, RANK = 210.0, 24.0  # room for a name, or for a rank on a telephone
SIDE = 640.0  # of all cells together
PALE = 0.05  # the shade of a pair that shares nothing
FAINT = 0.1  # the least value of the darkest shade, so that chance does not look like a pattern
STEPS = 6  # shades in the key
ALIKE, LINE = 5, 18.0  # pairs that are listed; how high a line of the key is
KEY_WIDTH, KEY_NARROW = 300.0, 150.0

Pair = tuple[float, int, int]  # what two features share, and their indices


def heat_map(redundancy: RedundancyRecord, width: float = WIDE) -> Picture:
    """The lower triangle of what each pair shares, 0 to 1; a narrow one has ranks in place of names."""
    names, values, narrow = redundancy["names"], redundancy["values"], width <= NARROW
    n, label = len(names), RANK if narrow else LABEL
    size = min(38.0, (NARROW - label) / n if narrow else SIDE / n)
    pairs = [(values[i][j], i, j) for i in range(n) for j in range(i)]
    darkest = max(FAINT, *(value for value, _, _ in pairs)) if pairs else FAINT
    written = n <= (WRITTEN_NARROW if narrow else WRITTEN)
    marks: list[Mark] = []
    for value, i, j in pairs:
        told = f"{names[i]} and {names[j]}: {value:.2f}"
        marks += cell(value, value / darkest, size * j, size * i, size, told, written)
    for i, name in enumerate(names):
        words = f"{i + 1}" if narrow else f"{i + 1}  {fitted(name, (LABEL - 30) / FONT) or name[:8]}"
        role = "label small" if size < 14 else "label"
        marks.append(Lettering(size * i, size * (i + 0.5), words, role, 3 if narrow else 6, 4))
    alike = sorted((pair for pair in pairs if pair[0] >= 0.005), key=lambda pair: (-pair[0], pair[1:]))
    listed = alike[: ALIKE if n > 2 else 0]
    key_high, key_wide = key_height(len(listed)), KEY_NARROW if narrow else KEY_WIDTH
    # Labels start on the diagonal, so to the right of this place none reaches the rows beside the key.
    wide = max(size * n + label, min(key_high, size * n) + label + key_wide)
    high = max(size * n, key_high) + 4
    marks += key(darkest, listed, wide - key_wide, pair_words(names, narrow))
    told = f"{n} features; the more a pair shares, the darker its cell, up to {darkest:.2f}."
    kind = "map natural narrow" if narrow else "map natural"
    title = "Redundancy of the selected features"
    return Picture(title, told, wide, high, [plain_panel(wide, high, marks)], kind)


def cell(value: float, shade: float, x: float, y: float, size: float, told: str, written: bool) -> list[Mark]:
    """A box as dark as its shade, from 0 to 1, and the number in it if it is written."""
    box = Box(x, y, size - 1, size - 1, "shade", told, opacity(shade))
    if not written:
        return [box]
    role, number = "value high" if shade > 0.55 else "value", f"{value:.2f}".removeprefix("0")
    return [box, Lettering(x + (size - 1) / 2, y + size / 2, number, role, 0, 4)]


def opacity(shade: float) -> float:
    return PALE + (1 - PALE) * shade


def key_height(n_listed: int) -> float:
    """The height of the shades with their numbers, and of the pairs listed below them."""
    return 46.0 + (LINE * (n_listed + 1) + 10 if n_listed else 0.0)


def key(darkest: float, listed: list[Pair], left: float, words: Callable[[Pair], str]) -> list[Mark]:
    """What the palest and the darkest shade mean, and the most similar pairs."""
    wide = 20.0
    marks: list[Mark] = [Lettering(left, 0, "shared by a pair", "label", 0, 11)]
    for step in range(STEPS):
        marks.append(Box(left + wide * step, 17, wide - 1, 11, "shade", opacity=opacity(step / (STEPS - 1))))
    ends = (("0", "tick", 0.0), (f"{darkest:.2f}", "tick end", wide * STEPS - 1))
    marks += [Lettering(left + at, 28, number, role, 0, 13) for number, role, at in ends]
    for line, text in enumerate(["most similar", *map(words, listed)] if listed else []):
        marks.append(Lettering(left, 46, text, "tick" if line else "label", 0, 16 + LINE * line))
    return marks


def pair_words(names: list[str], narrow: bool) -> Callable[[Pair], str]:
    """How a pair is listed: what it shares, and its names, or ranks on a telephone."""
    room = (KEY_WIDTH - 70) / 2 / FONT

    def words(pair: Pair) -> str:
        value, i, j = pair
        called = (str(f + 1) if narrow else fitted(names[f], room) or names[f][:8] for f in (j, i))
        return f"{value:.2f}  {' and '.join(called)}"

    return words
