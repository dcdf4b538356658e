"""How much the chosen features repeat each other: one cell for each pair, darker the more they share.

A name stands on the diagonal: at the right end of its row, and at the top of its column.
"""

from __future__ import annotations

from qpfs.report.names import fitted
from qpfs.report.pictures.axes import NARROW, WIDE, Picture, plain_panel
from qpfs.report.pictures.marks import FONT, Box, Lettering, Mark
from qpfs.report.schema import RedundancyRecord

WRITTEN, WRITTEN_NARROW = 16, 11  # features up to which the cells hold their numbers
LABEL = 210.0


def heat_map(redundancy: RedundancyRecord, width: float = WIDE) -> Picture:
    """The lower triangle of what each pair shares, 0 to 1; a narrow one has ranks in place of names."""
    names, values, narrow = redundancy["names"], redundancy["values"], width <= NARROW
    label = 24.0 if narrow else LABEL
    size = min(38.0, (NARROW - label) / len(names) if narrow else 640.0 / len(names))
    written = len(names) <= (WRITTEN_NARROW if narrow else WRITTEN)
    marks: list[Mark] = []
    for i, name in enumerate(names):
        for j in range(i):
            marks += cell(f"{name} and {names[j]}", values[i][j], size * j, size * i, size, written)
        words = f"{i + 1}" if narrow else f"{i + 1}  {fitted(name, (LABEL - 30) / FONT) or name[:8]}"
        role = "label small" if size < 14 else "label"
        marks.append(Lettering(size * i, size * (i + 0.5), words, role, 3 if narrow else 6, 4))
    title = "What the chosen features share with each other"
    told = f"{len(names)} features; the darkest cells are the pairs that repeat each other most."
    wide, high = size * len(names) + label, size * len(names) + 4
    kind = "map natural narrow" if narrow else "map natural"
    return Picture(title, told, wide, high, [plain_panel(wide, high, marks)], kind)


def cell(pair: str, value: float, x: float, y: float, size: float, written: bool) -> list[Mark]:
    box = Box(x, y, size - 1, size - 1, "shade", f"{pair}: {value:.2f}", 0.05 + 0.95 * value)
    if not written:
        return [box]
    role, number = "value high" if value > 0.55 else "value", f"{value:.2f}".removeprefix("0")
    return [box, Lettering(x + (size - 1) / 2, y + size / 2, number, role, 0, 4)]
