"""Error or score against the number of features, for each method with its uncertainty.

The band is that of the best method; the others have whiskers, and show their band under the pointer.
"""

from __future__ import annotations

import math

from qpfs.report.names import in_lines, width_in_ems
from qpfs.report.pictures.axes import NARROW, WIDE, Axis, Panel, Picture, nice_ticks
from qpfs.report.pictures.marks import FONT, Dot, Lettering, Mark, MarkGroup, Path, moved_apart, rule
from qpfs.report.schema import ComparedRecord, ComparisonRecord, PointRecord
from qpfs.report.score_text import curve_title, is_error, score_text, scoring_of
from qpfs.wording import counted

HEIGHT, LEFT, TOP, BOTTOM = 434.0, 56.0, 28.0, 48.0  # above the frame is what the scores are
LOW, LESS = 294.0, 42.0  # height and left edge of the frame on a telephone, with the names below it
GAP = 8.0  # from the words of a tick to the frame
LINE, LEAST, MOST = 15.0, 90.0, 220.0  # of names: height of a line, room beside the frame
MARK = 24.0  # from the frame, or the edge, to a name
ASIDE = 3.0  # horizontal distance of whiskers of different methods
PAD = 12.0  # from the frame to the first and the last number of features
MARKS = ("circle", "square", "up", "diamond", "down", "cross")


def error_curves(
    comparison: ComparisonRecord, width: float = WIDE, height: float | None = None
) -> Picture | None:
    """All curves in one frame; the number of features on a logarithmic scale. None if there is no curve."""
    methods = [method for method in comparison["methods"] if method.get("curve")]
    if not methods:
        return None
    narrow = width <= NARROW
    known = [
        (one["name"], score)
        for one in comparison.get("baselines") or []
        if (score := one.get("score")) is not None
    ]
    right = width - (10.0 if narrow else name_room(methods))
    height = height or (LOW if narrow else HEIGHT)
    y = score_axis(methods, known, height, comparison)
    x = size_axis(methods, max(LESS if narrow else LEFT, tick_room(y)), right)
    best = best_of(methods, scoring_of(comparison)["greater_is_better"])
    order = [*(c for c in range(len(methods)) if c != best), best]
    names, end = (
        names_below(methods, width, height)
        if narrow
        else (names_beside(methods, y, right, width, height), height)
    )
    marks: list[Mark] = [
        rule(x.low, y.low, x.high, y.low, "axis"),
        *baselines(known, x, y),
        *(
            curve(methods[c], c, len(methods), x, "method best" if c == best else "method", comparison)
            for c in order
        ),
        *(mark for named_at in names for mark in named(*named_at, x, y)),
    ]
    words = ", ".join(method["title"] for method in methods)
    kind = "narrow" if narrow else "wide curves"
    return Picture(curve_title(comparison), words, width, end, [Panel(x, y, marks)], kind)


def tick_room(y: Axis) -> float:
    """The space that the words of ticks need on the left of the frame."""
    return GAP + FONT * max((width_in_ems(words) for _, words in y.ticks), default=0.0)


def name_room(methods: list[ComparedRecord]) -> float:
    """The space that names need beside the frame; longer ones are put on several lines."""
    widest = max(width_in_ems(method["title"]) for method in methods) * FONT
    return MARK + min(max(widest, LEAST), MOST)


def best_of(methods: list[ComparedRecord], greater_is_better: bool) -> int:
    """The index of the method with the best nested error or score, or else with the best point."""
    sign = -1.0 if greater_is_better else 1.0
    nested = [found["score"] if (found := method.get("nested")) else None for method in methods]
    known = [math.inf if score is None else sign * score for score in nested]
    points = [min(sign * point["score"] for point in method["curve"]) for method in methods]
    order = known if min(known) < math.inf else points
    return order.index(min(order))


def size_axis(methods: list[ComparedRecord], left: float, right: float) -> Axis:
    """The numbers of features on a logarithmic scale, labelled where there is room."""
    ks = sorted({point["k"] for method in methods for point in method["curve"]})
    pad = (ks[-1] / ks[0]) ** (PAD / (right - left - 2 * PAD)) if len(ks) > 1 else 1.5
    bare, last, ticks = Axis(ks[0] / pad, ks[-1] * pad, left, right, ratios=True), -math.inf, []
    for k in ks:
        if bare.place(k) - last > 26:
            last = bare.place(k)
            ticks.append((float(k), f"{k:,}"))
    return Axis(bare.low, bare.high, left, right, ratios=True, ticks=ticks, label="number of features")


def score_axis(
    methods: list[ComparedRecord], known: list[tuple[str, float]], height: float, comparison: ComparisonRecord
) -> Axis:
    """From somewhat below the lowest error or score, or bound of one, to somewhat above the highest."""
    points = [point for method in methods for point in method["curve"]]
    others = [score for _, score in known]
    highs, lows = ([bound(point, name) for point in points] + others for name in ("high", "low"))
    high = max(highs) + 0.05 * ((max(highs) - min(lows)) or max(0.1, 0.1 * abs(max(highs))))
    low = max(0.0 if is_error(comparison) else -math.inf, min(lows) - 0.1 * (high - min(lows)))
    ticks = nice_ticks(low, high, 6)
    places = percent_places(ticks if is_error(comparison) else [tick / 100 for tick in ticks])
    named_ticks = [(tick, score_text(tick, comparison, places)) for tick in ticks]
    name = scoring_of(comparison)["name"]
    return Axis(low, high, height - BOTTOM, TOP, ticks=named_ticks, label=name, has_grid=True)


def bound(point: PointRecord, name: str) -> float:
    """A bound of a point, or the point itself if there is none."""
    found = point.get("high") if name == "high" else point.get("low")
    return point["score"] if found is None else found


def percent_places(ticks: list[float]) -> int:
    """How many decimal places the ticks need to be exact: 17.5 % is not 18 %."""
    exact = (p for p in range(4) if all(abs(100 * tick - round(100 * tick, p)) < 1e-9 for tick in ticks))
    return next(exact, 4)


def baselines(known: list[tuple[str, float]], x: Axis, y: Axis) -> list[Mark]:
    """Scores that do not depend on the number of features; those that are equal share a line and its name."""
    names: dict[float, list[str]] = {}
    for name, error in sorted(known, key=lambda one: -one[1]):
        names.setdefault(round(y.place(error), 1), []).append(name)
    marks: list[Mark] = []
    last = -LINE
    for place, same in names.items():
        aside = -5.0 if place - last >= LINE else 12.0  # below its line if there is no room above
        last, error = place, y.value(place)
        marks.append(rule(x.low, error, x.high, error, "cut strong"))
        marks.append(Lettering(x.low, error, "; ".join(same), "tick haloed", 6, aside))
    return marks


def style(method: ComparedRecord, c: int) -> int:
    """The number of colour and mark: a method's own if it has one, to look the same in several figures."""
    return method.get("style", c)


def curve(
    method: ComparedRecord, c: int, n: int, x: Axis, kind: str, comparison: ComparisonRecord
) -> MarkGroup:
    """The band, the whiskers and the line of a method, with a mark of its own kind at each point."""
    points, colour = method["curve"], f"k{style(method, c) % 8}"
    bounded = [
        (float(p["k"]), low, high)
        for p in points
        if (low := p.get("low")) is not None and (high := p.get("high")) is not None
    ]
    marks: list[Mark] = []
    if len(bounded) == len(points):
        there, back = [(k, high) for k, _, high in bounded], [(k, low) for k, low, _ in reversed(bounded)]
        marks.append(Path([*there, *back], f"band {colour}", closed=True))
    for k, low, high in bounded:
        beside = x.value(x.place(k) + ASIDE * (c - (n - 1) / 2))
        marks.append(rule(beside, low, beside, high, f"whisker {colour}"))
    marks.append(Path([(float(p["k"]), p["score"]) for p in points], f"curve {colour}"))
    for p in points:
        words = f"{method['title']}, {counted(p['k'], 'feature')}: {score_text(p['score'], comparison)}"
        marks.append(dot(method, c, p["k"], p["score"], words))
    return MarkGroup(marks, kind)


def dot(method: ComparedRecord, c: int, x: float, y: float, words: str) -> Dot:
    kind = style(method, c)
    return Dot(x, y, MARKS[kind % len(MARKS)], f"mark k{kind % 8}", words)


# A method, its place, its name in lines, and where.
Named = tuple[ComparedRecord, int, list[str], float, float]


def names_beside(
    methods: list[ComparedRecord], y: Axis, right: float, width: float, height: float
) -> list[Named]:
    """The name of each curve at its end, moved apart where they would touch."""
    lines = [name_lines(method["title"], width - right - MARK + 0.1) for method in methods]
    ends = sorted((y.place(method["curve"][-1]["score"]), c) for c, method in enumerate(methods))
    places = moved_apart([at for at, _ in ends], [LINE * len(lines[c]) + 2 for _, c in ends], height - 8)
    return [(methods[c], c, lines[c], right + MARK - 10, at) for at, (_, c) in zip(places, ends, strict=True)]


def names_below(methods: list[ComparedRecord], width: float, height: float) -> tuple[list[Named], float]:
    """The names under the frame, one after the other, and where they end."""
    found, at = [], height + 12
    for c, method in enumerate(methods):
        lines = name_lines(method["title"], width - MARK - 10)
        found.append((method, c, lines, 12.0, at))
        at += LINE * len(lines) + 5
    return found, at


def name_lines(title: str, room: float) -> list[str]:
    return in_lines(title, room / FONT, 3) or [title[:12]]


def named(
    method: ComparedRecord, c: int, lines: list[str], left: float, top: float, x: Axis, y: Axis
) -> list[Mark]:
    """The mark of a method and its name."""
    at = x.value(left), y.value(top)
    words = [Lettering(*at, one, "label", 10, 4 + LINE * i) for i, one in enumerate(lines)]
    return [dot(method, c, *at, method["title"]), *words]
