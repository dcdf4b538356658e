"""Weights along theta: a line for each feature, those with the largest weights in colour and with a name.

A mark shows where a named feature has its largest weight, and its name is beside the frame at that height. At
theta = 1 a single feature has all the weight, so the frame ends somewhat above the second highest mark, and
the name of a feature that leaves the frame is followed by its largest weight.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from qpfs.report.names import width_in_ems
from qpfs.report.pictures.axes import WIDE, Axis, Panel, Picture, nice_ticks, tick_text
from qpfs.report.pictures.error_curves import BOTTOM, HEIGHT, LEFT, LINE, MARKS, TOP, name_lines
from qpfs.report.pictures.marks import FONT, Dot, Lettering, Mark, Path, moved_apart, rule
from qpfs.wording import rounded

ROOM, BESIDE = 220.0, 24.0  # pixels for names at most, and from the frame to a name
ABOVE = 1.12  # the frame ends at so many times the second highest mark
ASIDE = 0.05  # half the range of theta shown around a single one

Points = list[tuple[float, float]]


class ThetaLine(NamedTuple):
    """The weights of a feature along theta."""

    name: str
    points: Points  # by theta, rising

    @property
    def peak(self) -> tuple[float, float]:
        """Where the weight is largest, the first such theta, and that weight."""
        return max(self.points, key=lambda point: point[1])


def theta_lines(
    named: list[ThetaLine],
    others: list[ThetaLine],
    used: float | None = None,
    width: float = WIDE,
    height: float | None = None,
) -> Picture:
    """The lines of named features and of others, with the theta that was used."""
    height = height or HEIGHT
    words = [name_of(line, top_of(named)) for line in named]
    right = width - BESIDE - min(max(width_in_ems(one) for one in words) * FONT, ROOM)
    x, y = theta_axis(named[0], right), weight_axis(top_of(named), height)
    marks: list[Mark] = [
        *(Path(part, "faint") for line in others for part in shown_parts(line.points, y.high)),
        rule(x.low, 0.0, x.high, 0.0, "axis"),
        Lettering(x.low, y.high, "weight", "tick haloed", 4, 8),
        *used_mark(used, x, y),
        *(mark for c, line in enumerate(named) for mark in line_marks(line, c, y.high)),
        *names_beside_frame(named, words, x, y, width - right - BESIDE),
    ]
    told = "The largest weights: " + ", ".join(f"{one.name} {one.peak[1]:.3f}" for one in named)
    return Picture("Weights along theta", told, width, height, [Panel(x, y, marks)], "wide curves")


def top_of(named: list[ThetaLine]) -> float:
    """The weight that the frame ends at."""
    peaks = sorted((line.peak[1] for line in named), reverse=True)
    return min(peaks[0] * 1.05, ABOVE * peaks[min(1, len(peaks) - 1)])


def name_of(line: ThetaLine, top: float) -> str:
    """The name of a line, with its largest weight if that is outside the frame."""
    largest = line.peak[1]
    return line.name if largest <= top else f"{line.name} (to {rounded(largest)})"


def theta_axis(line: ThetaLine, right: float) -> Axis:
    low, high = line.points[0][0], line.points[-1][0]
    if low == high:
        low, high = low - ASIDE, high + ASIDE
    ticks = [(tick, tick_text(tick)) for tick in nice_ticks(low, high, 10)]
    return Axis(low, high, LEFT, right, ticks=ticks, label="theta: the weight of relevance")


def weight_axis(top: float, height: float) -> Axis:
    ticks = [(tick, tick_text(tick)) for tick in nice_ticks(0.0, top, 6)]
    return Axis(0.0, top, height - BOTTOM, TOP, ticks=ticks, has_grid=True)


def used_mark(used: float | None, x: Axis, y: Axis) -> list[Mark]:
    """A line at the theta that was used."""
    if used is None or not x.low <= used <= x.high:
        return []
    words = f"θ = {used:.3g} was used"
    role, aside = (
        ("label haloed end", -6.0) if x.place(used) > (x.start + x.end) / 2 else ("label haloed", 6.0)
    )
    return [rule(used, y.low, used, y.high, "cut strong"), Lettering(used, y.high, words, role, aside, 10)]


def line_marks(line: ThetaLine, c: int, top: float) -> list[Mark]:
    """A line as far as the frame shows it, with its mark: where it is highest, or leaves the frame."""
    parts = shown_parts(line.points, top)
    leaves = next((point for part in parts for point in part if point[1] == top), (line.peak[0], top))
    at = line.peak if line.peak[1] <= top else leaves
    return [*(Path(part, f"curve k{c % 8}") for part in parts), dot_of(line, c, *at)]


def dot_of(line: ThetaLine, c: int, x: float, y: float) -> Dot:
    theta, weight = line.peak
    words = f"{line.name}: {weight:.3f} at theta {theta:.3g}"
    return Dot(x, y, MARKS[c % len(MARKS)], f"mark k{c % 8}", words)


def shown_parts(points: Points, top: float) -> list[Points]:
    """The parts of a line that are drawn: in the frame, and with weight, since lines at 0 hide each other."""
    return [part for carried in parts_with_weight(points) for part in parts_below(carried, top)]


def parts_with_weight(points: Points) -> list[Points]:
    """The parts of a line above 0, each with the points at 0 where it begins and ends."""
    parts: list[Points] = [[points[0]]]
    for last, point in pairwise(points):
        if last[1] == point[1] == 0.0:
            parts.append([point])
        else:
            parts[-1].append(point)
    return [part for part in parts if any(weight > 0.0 for _, weight in part)]


def parts_below(points: Points, top: float) -> list[Points]:
    """The parts of a line that are not above a height; each ends where the line crosses it."""
    parts: list[Points] = [[points[0]] if points[0][1] <= top else []]
    for (x0, y0), (x1, y1) in pairwise(points):
        if (y0 > top) != (y1 > top):
            parts[-1].append((x0 + (x1 - x0) * (top - y0) / (y1 - y0), top))
        if y1 <= top:
            parts[-1].append((x1, y1))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def names_beside_frame(named: list[ThetaLine], words: list[str], x: Axis, y: Axis, room: float) -> list[Mark]:
    """The name of each line right of the frame, at the height of its mark, moved apart where they touch."""
    lines = [name_lines(one, room + 0.1) for one in words]
    heights = sorted((y.place(min(line.peak[1], y.high)), c) for c, line in enumerate(named))
    sizes = [LINE * len(lines[c]) + 2 for _, c in heights]
    marks: list[Mark] = []
    for place, (_, c) in zip(moved_apart([at for at, _ in heights], sizes, y.start), heights, strict=True):
        at = x.value(x.end + BESIDE - 10), y.value(place)
        marks.append(dot_of(named[c], c, *at))
        marks += [Lettering(*at, one, "label", 10, 4 + LINE * i) for i, one in enumerate(lines[c])]
    return marks
