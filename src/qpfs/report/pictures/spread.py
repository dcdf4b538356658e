"""The distribution of a feature in each class: small for a table, large for a closer look.

Up to three classes overlap, each with its own outline; more are strips one below the other, darker where more
of the class is. A value that many samples have is shown separately at the left: a bar for each class, as long
as its share of the class, which is written beside it. The histogram is of the other values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from qpfs.report.names import fitted, width_in_ems
from qpfs.report.pictures.axes import Axis, Panel, Picture, nice_ticks, plain_panel, tick_text
from qpfs.report.pictures.marks import FONT, Box, Lettering, Mark, Path, ShadedCells, rule
from qpfs.report.schema import ClassRecord, FeatureRecord, TiedRecord
from qpfs.wording import percent

OVERLAID = 3  # classes that can overlap in one picture
SMALL_WIDTH, SMALL_HEIGHT = 168.0, 42.0
LARGE_WIDTH, LABEL = 580.0, 160.0
TIED_SMALL, TIED_LARGE = (20.0, 62.0), (64.0, 90.0)  # a bar for all of a class, and the words beside it
TIED_STRIP, APART, TICK = 16.0, 6.0, 11.0  # a cell in place of a bar; the way to the histogram; size of words
BAR_HEIGHT, MOST_SLOT = 110.0, 130.0  # of bars for levels: how high, and how much room each has at most


@dataclass(frozen=True)
class Bins:
    """The samples of each class in the bins of a histogram, or at levels that have names."""

    counts: list[list[int]]
    edges: list[float]  # none if the levels have names
    names: list[str]
    cuts: list[float]
    integers: bool = False
    tied: TiedRecord | None = None  # a value counted separately

    @cached_property
    def apart(self) -> list[int]:
        """How many of each class have the value counted separately."""
        return self.tied["counts"] if self.tied else [0] * len(self.counts)

    @cached_property
    def shares(self) -> list[list[float]]:
        """Each class's counts as shares of the class."""
        return [
            [n / max(sum(row) + m, 1) for n in row] for row, m in zip(self.counts, self.apart, strict=True)
        ]

    @cached_property
    def tied_shares(self) -> list[float]:
        """The share of each class that has the value counted separately."""
        return [m / max(sum(row) + m, 1) for row, m in zip(self.counts, self.apart, strict=True)]

    @cached_property
    def top(self) -> float:
        return max(max(row) for row in self.shares) or 1.0

    def described(self, classes: list[ClassRecord]) -> str:
        """Where most of each class is, in words."""
        every = zip(classes, self.tied_shares, self.shares, strict=True)
        parts = [f"{c['name']} {self._tied(tied)}{self._most(row)}" for c, tied, row in every]
        return "; ".join(parts[:OVERLAID]) + ("; and so on" if len(parts) > OVERLAID else "")

    def _tied(self, share: float) -> str:
        return f"{percent(share)} at {tick_text(self.tied['value'])}, others " if self.tied else ""

    def _most(self, shares: list[float]) -> str:
        if not any(shares):
            return "none"
        i = shares.index(max(shares))
        if not self.edges:
            return f"mostly at {self.names[i]}"
        return f"mostly from {tick_text(self.edges[i])} to {tick_text(self.edges[i + 1])}"


def bins_of(feature: FeatureRecord) -> Bins | None:
    """The histogram of a feature, or else its levels, also if each value is a level of its own."""
    spread, levels = feature["distribution"], feature["levels"]
    counts = None if levels is None else levels["counts"]
    if spread is not None and not (levels is not None and counts is not None and levels.get("values")):
        cuts = [] if levels is None else [cut for cut in levels.get("edges", []) if cut is not None]
        if spread["integers"]:
            cuts = [math.floor(cut) + 0.5 for cut in cuts]  # between the bins that it separates
        inside = [cut for cut in cuts if spread["edges"][0] < cut < spread["edges"][-1]]
        return Bins(spread["counts"], spread["edges"], [], inside, spread["integers"], spread.get("tied"))
    return None if levels is None or counts is None else Bins(counts, [], levels["names"], [])


def is_outlined(feature: FeatureRecord) -> bool:
    """Whether classes are drawn as outlines; else as bars for levels."""
    bins = bins_of(feature)
    return bins is not None and bool(bins.edges)


def small_spread(feature: FeatureRecord, classes: list[ClassRecord]) -> Picture | None:
    """The picture for a row of the table; None if nothing is known."""
    bins = bins_of(feature)
    if bins is None:
        return None
    height, base = SMALL_HEIGHT, SMALL_HEIGHT - 1
    if len(classes) > OVERLAID:
        height = max(SMALL_HEIGHT, 6.0 * len(classes))
        row = height / len(classes)
        left = TIED_STRIP + APART if bins.tied else 0.0
        panels = [*tied_strip(bins, row), strips(bins, left, SMALL_WIDTH - left, row)]
    elif bins.edges:
        left = 1 + sum(TIED_SMALL) if bins.tied else 0.0
        x, y = Axis(bins.edges[0], bins.edges[-1], left, SMALL_WIDTH), Axis(0, bins.top, base, 3)
        marks: list[Mark] = [rule(cut, 0, cut, y.value(0), "cut") for cut in bins.cuts]
        marks += [Path(stepped(row, bins.edges, 0), f"area k{c}") for c, row in enumerate(bins.shares)]
        row = (base - 2) / len(classes)
        panels = tied_bars(bins, 1, TIED_SMALL, row, 3)
        panels.append(Panel(x, y, [*marks, rule(x.low, 0, x.high, 0, "axis")]))
    else:
        panels = [columns(bins, 0, SMALL_WIDTH, base)]
    title = f"{feature['feature']} by class"
    return Picture(title, bins.described(classes), SMALL_WIDTH, height, panels, "spread")


def tied_bars(bins: Bins, left: float, size: tuple[float, float], row: float, gap: float) -> list[Panel]:
    """A bar of each class in a separate row, with the share that has the value counted separately."""
    if bins.tied is None:
        return []
    (length, room), n = size, len(bins.counts)
    marks: list[Mark] = []
    for c, share in enumerate(bins.tied_shares):
        top, bottom, end = row * c + gap, row * (c + 1), left + length * share
        if share:
            role = f"area k{c if n <= OVERLAID else 0}"
            marks.append(Path([(left, top), (end, top), (end, bottom), (left, bottom)], role, closed=True))
        words = tied_words(bins.tied, share, room - 4)
        marks.append(Lettering(left + length, (top + bottom) / 2, words, "tick", 4, 4))
    marks.append(rule(left, gap, left, row * n, "axis"))
    return [plain_panel(left + length + room, row * n, marks)]


def tied_words(tied: TiedRecord, share: float, room: float) -> str:
    """The value counted separately and its share of a class; only the share if there is little room."""
    words = f"{tick_text(tied['value'])}: {percent(share)}"
    return words if TICK * width_in_ems(words) <= room else percent(share)


def tied_strip(bins: Bins, row: float) -> list[Panel]:
    """A cell of each class, darker the more of it has the value counted separately."""
    if bins.tied is None:
        return []
    n = len(bins.tied_shares)
    marks: list[Mark] = [Box(0, 0, TIED_STRIP, row * n, "ground")]
    marks += [
        Box(0, row * c, TIED_STRIP, row - 1, "shade", opacity=shade(share) / 100)
        for c, share in enumerate(bins.tied_shares)
        if share
    ]
    return [plain_panel(TIED_STRIP, row * n, marks)]


def stepped(shares: list[float], edges: list[float], base: float) -> list[tuple[float, float]]:
    """The outline of a histogram, from the base and back to it."""
    steps = [(edge, base + share) for i, share in enumerate(shares) for edge in edges[i : i + 2]]
    return [(edges[0], base), *steps, (edges[-1], base)]


def columns(bins: Bins, left: float, width: float, base: float) -> Panel:
    """Bars for each level, one of each class side by side."""
    n, slot = len(bins.shares), width / len(bins.names)
    thick = min(slot * 0.8 / n, 18.0)
    x, y = Axis(left, left + width, left, left + width), Axis(0, bins.top, base, 3)
    marks: list[Mark] = []
    for level in range(len(bins.names)):
        first = left + slot * level + (slot - thick * n) / 2
        for c, row in enumerate(bins.shares):
            marks.append(Box(first + c * thick, 0, thick - 1, row[level], f"bar k{c}"))
    return Panel(x, y, [*marks, rule(left, 0, left + width, 0, "axis")])


def strips(bins: Bins, left: float, width: float, height: float) -> Panel:
    """A row for each class, darker where more of it is."""
    n, bottom = len(bins.shares[0]), height * len(bins.shares)
    cells: dict[int, list[tuple[float, float]]] = {}  # by shade, so that one path draws all of a shade
    for c, row in enumerate(bins.shares):
        for i, share in enumerate(row):
            if share > 0:
                cells.setdefault(shade(share / bins.top), []).append((left + width * i / n, height * c))
    marks: list[Mark] = [Box(left, 0, width, bottom, "ground")]
    marks += [
        ShadedCells(some, width / n, height - 1, "shade", dark / 100) for dark, some in sorted(cells.items())
    ]
    if bins.edges:
        x = Axis(bins.edges[0], bins.edges[-1], left, left + width)
        marks += [rule(x.place(cut), 0, x.place(cut), bottom, "cut") for cut in bins.cuts]
    return plain_panel(left + width, bottom, marks)


def shade(share: float) -> int:
    """The shade in hundredths: nine steps of the square root, so that small shares are visible."""
    return 11 * max(1, round(9 * share**0.6))


def large_spread(feature: FeatureRecord, classes: list[ClassRecord]) -> Picture | None:
    """A separate row for each class, on a common axis with the bin edges; bars for levels with names."""
    bins = bins_of(feature)
    if bins is None:
        return None
    panels, height = class_rows(bins, classes) if bins.edges else level_columns(bins, classes)
    title = f"Distribution of {feature['feature']} in each class"
    return Picture(title, bins.described(classes), LARGE_WIDTH, height, panels, "large")


def class_rows(bins: Bins, classes: list[ClassRecord]) -> tuple[list[Panel], float]:
    """The histogram of each class above the one of the next, whose bases are a unit apart."""
    few, edges = len(classes) <= OVERLAID, bins.edges
    row = 40.0 if few else 24.0
    bottom = row * len(classes) + 4
    ticks = [
        (t, tick_text(t)) for t in nice_ticks(edges[0], edges[-1], 6) if not bins.integers or t == int(t)
    ]
    left = LABEL + sum(TIED_LARGE) if bins.tied else LABEL
    x = Axis(edges[0], edges[-1], left, LARGE_WIDTH - 8, ticks=ticks)
    y = Axis(-bottom / row, 0, bottom, 0)
    marks: list[Mark] = [rule(cut, y.low, cut, 0, "cut") for cut in bins.cuts]
    for c, (one, shares) in enumerate(zip(classes, bins.shares, strict=True)):
        base, scale = -(c + 1.0), (row - 6) / row / bins.top
        points = stepped([share * scale for share in shares], edges, base)
        marks.append(Path(points, f"area k{c if few else 0}"))
        marks.append(rule(x.low, base, x.high, base, "axis"))
        marks.append(Lettering(x.low, base, class_label(one), "label end", LABEL - left - 10, -5))
    beside = tied_bars(bins, LABEL, TIED_LARGE, row, 6)
    return [*beside, Panel(x, y, marks)], bottom + 34


def level_columns(bins: Bins, classes: list[ClassRecord]) -> tuple[list[Panel], float]:
    """Bars for each level with its name below; classes as rows if there are too many to be side by side."""
    few = len(classes) <= OVERLAID
    left, bottom = (8.0, BAR_HEIGHT) if few else (LABEL, 24.0 * len(classes))
    width = min(LARGE_WIDTH - left - 8, MOST_SLOT * len(bins.names))
    marks: list[Mark] = []
    if not few:
        marks += [
            Lettering(left, 24.0 * (c + 1), class_label(one), "label end", -10, -5)
            for c, one in enumerate(classes)
        ]
    slot = width / len(bins.names)
    for place, name in enumerate(bins.names):
        if below := fitted(name, (slot - 4) / FONT) or (name[:3] if slot > 24 else ""):
            marks.append(Lettering(left + slot * (place + 0.5), bottom, below, "tick middle", 0, 17))
    panel = columns(bins, left, width, bottom) if few else strips(bins, left, width, 24)
    return [panel, plain_panel(LARGE_WIDTH, bottom, marks)], bottom + 26


def class_label(one: ClassRecord) -> str:
    """The name of a class and its size, beside its row."""
    size = f" ({one['n']:,})"
    name = fitted(one["name"], (LABEL - 10) / FONT - 0.5 * len(size)) or one["name"][:6]
    return f"{name}{size}"
