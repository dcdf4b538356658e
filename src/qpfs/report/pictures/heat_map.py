"""How much the chosen features repeat each other: one cell for each pair, darker the more they share.

A name stands on the diagonal: at the right end of its row, and at the top of its column.
"""

from __future__ import annotations

from typing import Any

from qpfs.report.names import fitted
from qpfs.report.pictures.svg import figure, rect, text, titled

WRITTEN, WRITTEN_NARROW = 16, 11  # features up to which the cells hold their numbers
LABEL, NARROW = 210.0, 388.0
FONT = 12.0


def heat_map(redundancy: dict[str, Any], narrow: bool = False) -> str:
    """The lower triangle of what each pair shares, 0 to 1; a narrow one has ranks in place of names."""
    names, values = redundancy["names"], redundancy["values"]
    label = 24.0 if narrow else LABEL
    size = min(38.0, (NARROW - label) / len(names) if narrow else 640.0 / len(names))
    written = len(names) <= (WRITTEN_NARROW if narrow else WRITTEN)
    parts = []
    for i, name in enumerate(names):
        parts += [cell(names, values[i][j], i, j, size, written) for j in range(i)]
        words = f"{i + 1}" if narrow else f"{i + 1}  {fitted(name, (LABEL - 30) / FONT) or name[:8]}"
        kind = "label small" if size < 14 else "label"
        parts.append(text(size * i + (3 if narrow else 6), size * (i + 0.5) + 4, words, class_=kind))
    title = "What the chosen features share with each other"
    told = f"{len(names)} features; the darkest cells are the pairs that repeat each other most."
    kind = "map natural narrow" if narrow else "map natural"
    return figure(size * len(names) + label, size * len(names) + 4, title, told, *parts, class_=kind)


def cell(names: list[str], value: float, i: int, j: int, size: float, written: bool) -> str:
    x, y = size * j, size * i
    told = titled(f"{names[i]} and {names[j]}: {value:.2f}")
    box = rect(x, y, size - 1, size - 1, told, class_="shade", fill_opacity=f"{0.05 + 0.95 * value:.2f}")
    if not written:
        return box
    ink = "value high" if value > 0.55 else "value"
    number = f"{value:.2f}".removeprefix("0")
    return box + text(x + (size - 1) / 2, y + size / 2 + 4, number, class_=ink)
