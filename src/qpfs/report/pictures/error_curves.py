"""Error against the number of features, for each method with its uncertainty.

The band is that of the best method; the others show theirs under the pointer and are else known by whiskers.
"""

from __future__ import annotations

import math
from typing import Any

from qpfs.report.names import in_lines, width_in_ems
from qpfs.report.pictures.svg import element, figure, line, nice_ticks, path, rect, text, titled
from qpfs.wording import percent

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 980.0, 420.0, 56.0, 14.0, 48.0
NARROW, LOW = 388.0, 280.0  # the frame on a telephone, with the names below it
FONT, LINE, LEAST, MOST = 12.0, 15.0, 90.0, 220.0  # of names: size, height of a line, room beside the frame
MARK = 24.0  # from the frame, or the edge, to a name
ASIDE = 3.0  # by which whiskers stand beside each other
MARKS = ("circle", "square", "up", "diamond", "down", "cross")


def error_curves(comparison: dict[str, Any], narrow: bool = False) -> str:
    """All curves in one frame; how many features on a scale of ratios."""
    methods = [method for method in comparison["methods"] if method["curve"]]
    if not methods:
        return ""
    room = 10.0 if narrow else name_room(methods)
    scale = Scale(methods, comparison["baselines"], *((NARROW, LOW) if narrow else (WIDTH, HEIGHT)), room)
    parts = [*grid(scale), *baselines(comparison["baselines"], scale)]
    best = best_of(methods)
    for c, method in enumerate(methods):
        if c != best:
            parts.append(drawn(method, c, len(methods), scale, kind="method"))
    parts.append(drawn(methods[best], best, len(methods), scale, kind="method best"))
    height = scale.height
    if narrow:
        names, height = names_below(methods, scale)
    else:
        names = names_beside(methods, scale, room)
    words = ", ".join(method["title"] for method in methods)
    kind = "narrow" if narrow else "wide curves"
    return figure(scale.width, height, "Error against number of features", words, *parts, *names, class_=kind)


def name_room(methods: list[dict[str, Any]]) -> float:
    """What names need beside the frame; longer ones are put on several lines."""
    widest = max(width_in_ems(method["title"]) for method in methods) * FONT
    return MARK + min(max(widest, LEAST), MOST)


def best_of(methods: list[dict[str, Any]]) -> int:
    """The place of the method with the lowest nested error, or else with the lowest point."""
    nested = [(method.get("nested") or {}).get("error") for method in methods]
    errors = [min(point["error"] for point in method["curve"]) for method in methods]
    known = [math.inf if error is None else error for error in nested]
    order = known if min(known) < math.inf else errors
    return order.index(min(order))


class Scale:
    """Where a number of features and an error stand."""

    def __init__(
        self,
        methods: list[dict[str, Any]],
        baselines: list[dict[str, Any]],
        width: float = WIDTH,
        height: float = HEIGHT,
        room: float = MARK + LEAST,
    ) -> None:
        points = [point for method in methods for point in method["curve"]]
        self.width, self.height, self.right = width, height, width - room
        self.left = LEFT if width == WIDTH else 42.0
        self.ks = sorted({point["k"] for point in points})
        highs = [value(point, "high") for point in points] + [one["error"] for one in baselines]
        lows = [value(point, "low") for point in points] + [one["error"] for one in baselines]
        self.high = max(highs) + 0.05 * ((max(highs) - min(lows)) or max(0.1, 0.1 * max(highs)))
        self.low = max(0.0, min(lows) - 0.1 * (self.high - min(lows)))
        self.span = math.log(self.ks[-1] / self.ks[0]) or 1.0

    def x(self, k: float) -> float:
        return self.left + 12 + (self.right - self.left - 24) * math.log(k / self.ks[0]) / self.span

    def y(self, error: float) -> float:
        share = (error - self.low) / (self.high - self.low)
        return self.height - BOTTOM - (self.height - TOP - BOTTOM) * share


def value(point: dict[str, Any], name: str) -> float:
    """A bound of a point, or the point itself where there is none."""
    found = point.get(name)
    return float(point["error"] if found is None else found)


def grid(scale: Scale) -> list[str]:
    parts = []
    ticks = nice_ticks(scale.low, scale.high, 6)
    places = percent_places(ticks)
    for tick in ticks:
        y = scale.y(tick)
        parts.append(line(scale.left, y, scale.right, y, class_="grid"))
        parts.append(text(scale.left - 8, y + 4, percent(tick, places), class_="tick end"))
    last = -100.0
    for k in scale.ks:
        if scale.x(k) - last > 26:
            last = scale.x(k)
            parts.append(text(last, scale.height - BOTTOM + 18, f"{k:,}", class_="tick middle"))
    bottom = scale.height - BOTTOM
    parts.append(line(scale.left, bottom, scale.right, bottom, class_="axis"))
    middle = (scale.left + scale.right) / 2
    return [*parts, text(middle, scale.height - 8, "number of features", class_="label middle")]


def percent_places(ticks: list[float]) -> int:
    """How many places tell the ticks apart as they are: 17.5 % is not 18 %."""
    exact = (p for p in range(4) if all(abs(100 * tick - round(100 * tick, p)) < 1e-9 for tick in ticks))
    return next(exact, 4)


def baselines(some: list[dict[str, Any]], scale: Scale) -> list[str]:
    """Errors that do not depend on the number of features; those that are equal share a line and its name."""
    names: dict[float, list[str]] = {}
    for one in sorted(some, key=lambda one: -one["error"]):
        names.setdefault(round(scale.y(one["error"]), 1), []).append(one["name"])
    parts, last = [], -LINE
    for y, same in names.items():
        aside = -5.0 if y - last >= LINE else 12.0  # under its line where there is no room above
        last = y
        parts.append(line(scale.left, y, scale.right, y, class_="cut strong"))
        parts.append(text(scale.left + 6, y + aside, "; ".join(same), class_="tick haloed"))
    return parts


def style(method: dict[str, Any], c: int) -> int:
    """Which colour and mark: its own where it has one, to look the same in several pictures."""
    found: int = method.get("style", c)
    return found


def drawn(method: dict[str, Any], c: int, n: int, scale: Scale, kind: str) -> str:
    """The band, the whiskers and the line of a method."""
    points = method["curve"]
    aside = ASIDE * (c - (n - 1) / 2)
    return element(
        "g",
        *band(points, style(method, c), scale),
        *whiskers(points, style(method, c), aside, scale),
        *curve(method, style(method, c), scale),
        class_=kind,
    )


def bounded(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points that have an interval."""
    return [one for one in points if one.get("low") is not None and one.get("high") is not None]


def band(points: list[dict[str, Any]], c: int, scale: Scale) -> list[str]:
    """From the lower to the upper bound."""
    if len(bounded(points)) < len(points):
        return []
    there = [(scale.x(point["k"]), scale.y(point["high"])) for point in points]
    back = [(scale.x(point["k"]), scale.y(point["low"])) for point in reversed(points)]
    return [path([*there, *back], closed=True, class_=f"band k{c % 8}")]


def whiskers(points: list[dict[str, Any]], c: int, aside: float, scale: Scale) -> list[str]:
    """Thin lines from the lower to the upper bound, a little beside those of other methods."""
    return [
        line(x, scale.y(one["low"]), x, scale.y(one["high"]), class_=f"whisker k{c % 8}")
        for one in bounded(points)
        for x in [scale.x(one["k"]) + aside]
    ]


def curve(method: dict[str, Any], c: int, scale: Scale) -> list[str]:
    """The line, with a mark of its own kind at each number of features."""
    points = [(scale.x(point["k"]), scale.y(point["error"])) for point in method["curve"]]
    marks = [
        mark(
            MARKS[c % len(MARKS)],
            *place,
            f"{method['title']}, {point['k']} features: {percent(point['error'], 1)}",
            c,
        )
        for place, point in zip(points, method["curve"], strict=True)
    ]
    return [path(points, class_=f"curve k{c % 8}"), *marks]


def mark(kind: str, x: float, y: float, words: str, c: int) -> str:
    told, name = titled(words), f"mark k{c % 8}"
    if kind == "circle":
        return element("circle", told, cx=x, cy=y, r=3.4, class_=name)
    if kind == "square":
        return rect(x - 3, y - 3, 6, 6, told, class_=name)
    shapes: dict[str, list[tuple[float, float]]] = {
        "up": [(0, -4), (4, 3), (-4, 3)],
        "down": [(0, 4), (4, -3), (-4, -3)],
        "diamond": [(0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0)],
        "cross": [(-4, -2), (4, -2), (4, 2), (-4, 2)],
    }
    steps = " L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in shapes[kind])
    return element("path", told, d=f"M{steps} Z", class_=name)


def names_beside(methods: list[dict[str, Any]], scale: Scale, room: float) -> list[str]:
    """The name of each curve at its end, moved apart where they would touch."""
    lines = [name_lines(method["title"], room - MARK) for method in methods]
    ends = sorted((scale.y(method["curve"][-1]["error"]), c) for c, method in enumerate(methods))
    sizes = [LINE * len(lines[c]) + 2 for _, c in ends]
    places = apart([y for y, _ in ends], sizes, scale.height - 8)
    parts = []
    for y, (_, c) in zip(places, ends, strict=True):
        parts += named(methods[c], c, lines[c], scale.right + MARK - 10, y)
    return parts


def names_below(methods: list[dict[str, Any]], scale: Scale) -> tuple[list[str], float]:
    """The names under the frame, one after the other, and where they end."""
    parts, y = [], scale.height + 12
    for c, method in enumerate(methods):
        lines = name_lines(method["title"], scale.width - MARK - 10)
        parts += named(method, c, lines, 12.0, y)
        y += LINE * len(lines) + 5
    return parts, y


def name_lines(title: str, room: float) -> list[str]:
    return in_lines(title, room / FONT, 3) or [title[:12]]


def named(method: dict[str, Any], c: int, lines: list[str], x: float, y: float) -> list[str]:
    """The mark of a method and its name."""
    words = [text(x + 10, y + 4 + LINE * i, one, class_="label") for i, one in enumerate(lines)]
    kind = style(method, c)
    return [mark(MARKS[kind % len(MARKS)], x, y, method["title"], kind), *words]


def apart(places: list[float], sizes: list[float], most: float) -> list[float]:
    """Rising places moved so far that each has its size to the next and the last ends before the most."""
    down: list[float] = []
    for i, place in enumerate(places):
        down.append(max(place, down[-1] + sizes[i - 1]) if down else place)
    up: list[float] = []
    for place, size in zip(reversed(down), reversed(sizes), strict=True):
        up.append(min(place, (up[-1] if up else most) - size))
    return up[::-1]
