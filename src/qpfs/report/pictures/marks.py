"""The elements of a figure as plain data: marks in the units of the axes of their panel.

A figure is laid out once; `svg` draws it on the page and `qpfs.report.figure` with matplotlib. The role of a
mark is its class in the style of the page.
"""

from __future__ import annotations

from typing import NamedTuple

FONT = 12.0


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    role: str
    told: str = ""  # shown when the pointer rests on it
    opacity: float | None = None


class ShadedCells(NamedTuple):
    """Boxes of one size that are equally dark."""

    corners: list[tuple[float, float]]
    width: float
    height: float
    role: str
    opacity: float


class Path(NamedTuple):
    points: list[tuple[float, float]]
    role: str
    closed: bool = False


class Dot(NamedTuple):
    x: float
    y: float
    shape: str
    role: str
    told: str = ""


class Lettering(NamedTuple):
    """A text at a point, so many pixels beside it."""

    x: float
    y: float
    text: str
    role: str
    dx: float = 0.0
    dy: float = 0.0


class MarkGroup(NamedTuple):
    """Marks that are highlighted together under the pointer."""

    marks: list[Mark]
    role: str


Mark = Box | ShadedCells | Path | Dot | Lettering | MarkGroup


def rule(x0: float, y0: float, x1: float, y1: float, role: str) -> Path:
    return Path([(x0, y0), (x1, y1)], role)


def moved_apart(places: list[float], sizes: list[float], most: float) -> list[float]:
    """Increasing positions, moved so that neighbours do not overlap and the last ends before the maximum."""
    down: list[float] = []
    for i, place in enumerate(places):
        down.append(max(place, down[-1] + sizes[i - 1]) if down else place)
    up: list[float] = []
    for place, size in zip(reversed(down), reversed(sizes), strict=True):
        up.append(min(place, (up[-1] if up else most) - size))
    return up[::-1]
