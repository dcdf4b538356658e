"""Positions in a figure: axes, the panels they make, and a picture of several panels.

Positions are in pixels from the top left corner of the picture; marks are in the units of the axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qpfs.report.pictures.marks import Mark
from qpfs.wording import short

WIDE, NARROW = 980.0, 388.0  # pictures on a screen and on a telephone
LEAST = 1e-300  # the smallest span whose parts are still normal numbers


@dataclass(frozen=True)
class Axis:
    """A scale: `low` is at the position `start`, `high` at `end`, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    ratios: bool = False
    ticks: Sequence[tuple[float, str]] = ()
    label: str = ""
    has_grid: bool = False

    def place(self, value: float) -> float:
        a, b, v = map(math.log, (self.low, self.high, value)) if self.ratios else (self.low, self.high, value)
        return self.start + (self.end - self.start) * (v - a) / ((b - a) or 1.0)

    def value(self, place: float) -> float:
        """The value at a position."""
        share = (place - self.start) / ((self.end - self.start) or 1.0)
        if self.ratios:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + (self.high - self.low) * share


@dataclass(frozen=True)
class Panel:
    x: Axis
    y: Axis
    marks: Sequence[Mark]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        (left, right), (top, bottom) = (sorted((axis.start, axis.end)) for axis in (self.x, self.y))
        return left, top, right, bottom


@dataclass(frozen=True)
class Picture:
    """A figure with a name, and a description for readers who cannot see it."""

    title: str
    told: str
    width: float
    height: float
    panels: Sequence[Panel]
    role: str = ""


FigureLayout = Callable[[float, float | None], Picture]  # of a width, and a height where one is given


def plain_panel(width: float, height: float, marks: Sequence[Mark]) -> Panel:
    """A panel whose units are pixels."""
    return Panel(Axis(0.0, width, 0.0, width), Axis(0.0, height, 0.0, height), marks)


def nice_ticks(low: float, high: float, n: int = 5) -> list[float]:
    """About n round numbers from low to high."""
    span = high - low
    if not span > LEAST or not math.isfinite(span):
        return [low]
    rough = span / max(n, 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)] if last - first < 50 else [low, high]


def tick_text(value: float) -> str:
    return short(value, 4)
