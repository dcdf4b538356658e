"""How the values of a feature are spread in each class: small for a table, large for a closer look.

Up to three classes lie over one another, each outlined in its own way; more are strips one below the other,
darker where more of the class is.
"""

from __future__ import annotations

import math
from typing import Any

from qpfs.report.names import fitted
from qpfs.report.pictures.svg import (
    element,
    figure,
    line,
    nice_ticks,
    path,
    rect,
    text,
    tick_text,
    value_text,
)

OVERLAID = 3  # classes that can be told apart in one picture
SMALL_WIDTH, SMALL_HEIGHT = 168, 42
LARGE_WIDTH, LABEL, FONT = 580, 160, 12
BAR_HEIGHT, MOST_SLOT = 110, 130  # of bars for levels: how high, and how much room each has at most


def small_spread(feature: dict[str, Any], classes: list[dict[str, Any]]) -> str:
    """The picture of a row of the table; empty where nothing is known."""
    bins = bins_of(feature)
    if bins is None:
        return ""
    shares = shares_of(bins["counts"])
    if len(shares) > OVERLAID:
        height = max(SMALL_HEIGHT, 6 * len(shares))
        parts = strips(bins, shares, 0, SMALL_WIDTH, height / len(shares))
    elif "edges" in bins:
        height, parts = SMALL_HEIGHT, outlines(bins, shares)
    else:
        height = SMALL_HEIGHT
        parts = columns(shares, 0, SMALL_WIDTH, SMALL_HEIGHT - 1)
    words = described(feature, classes, bins, shares)
    return figure(SMALL_WIDTH, height, f"{feature['feature']} by class", words, *parts, class_="spread")


def bins_of(feature: dict[str, Any]) -> dict[str, Any] | None:
    """The histogram of a feature, or else its levels, also where each value is a level of its own."""
    spread, levels = feature["distribution"], feature["levels"]
    has_values = levels is not None and levels.get("values") and levels["counts"] is not None
    if spread is not None and not has_values:
        cuts = [] if levels is None else [cut for cut in levels.get("edges", []) if cut is not None]
        if spread["integers"]:
            cuts = [math.floor(cut) + 0.5 for cut in cuts]  # between the bins that it parts
        return {**spread, "cuts": cuts}
    if levels is None or levels["counts"] is None:
        return None
    return {"names": levels["names"], "counts": levels["counts"], "cuts": []}


def is_outlined(feature: dict[str, Any]) -> bool:
    """Whether classes are drawn as outlines; else bars stand for levels."""
    return "edges" in (bins_of(feature) or {})


def shares_of(counts: list[list[int]]) -> list[list[float]]:
    """Each class's counts as shares of the class."""
    return [[n / max(sum(row), 1) for n in row] for row in counts]


def described(
    feature: dict[str, Any], classes: list[dict[str, Any]], bins: dict[str, Any], shares: list[list[float]]
) -> str:
    """Where most of each class is, in words."""
    where = [most_at(bins, row) for row in shares]
    parts = [f"{one['name']} mostly {place}" for one, place in zip(classes, where, strict=True)]
    return "; ".join(parts[:OVERLAID]) + ("; and so on" if len(parts) > OVERLAID else "")


def most_at(bins: dict[str, Any], shares: list[float]) -> str:
    i = max(range(len(shares)), key=shares.__getitem__)
    if "names" in bins:
        return f"at {bins['names'][i]}"
    return f"from {tick_text(bins['edges'][i])} to {tick_text(bins['edges'][i + 1])}"


def outlines(bins: dict[str, Any], shares: list[list[float]]) -> list[str]:
    """Stepped outlines over one another on a common scale, with the cuts."""
    base, top = SMALL_HEIGHT - 1, max(max(row) for row in shares) or 1.0
    place = placed(bins["edges"], 0, SMALL_WIDTH)
    parts = cut_lines(bins, place, 0, base)
    for c, row in enumerate(shares):
        points = stepped(row, bins["edges"], place, base, (base - 3) / top)
        parts.append(path(points, class_=f"area k{c}"))
    return [*parts, line(0, base, SMALL_WIDTH, base, class_="axis")]


def placed(edges: list[float], left: float, width: float) -> Any:
    """Where a value stands between the first and the last edge."""
    span = edges[-1] - edges[0] or 1.0
    return lambda value: left + width * min(max((value - edges[0]) / span, 0.0), 1.0)


def stepped(
    shares: list[float], edges: list[float], place: Any, base: float, scale: float
) -> list[tuple[float, float]]:
    """The outline of a histogram, from the base and back to it."""
    points = [(place(edges[0]), base)]
    for share, a, b in zip(shares, edges, edges[1:], strict=False):
        height = base - share * scale
        points += [(place(a), height), (place(b), height)]
    return [*points, (place(edges[-1]), base)]


def cut_lines(bins: dict[str, Any], place: Any, top: float, bottom: float) -> list[str]:
    """Where the column was cut into levels."""
    inside = [cut for cut in bins["cuts"] if bins["edges"][0] < cut < bins["edges"][-1]]
    return [line(place(cut), top, place(cut), bottom, class_="cut") for cut in inside]


def columns(shares: list[list[float]], left: float, width: float, base: float) -> list[str]:
    """Bars for each level, one of each class side by side."""
    top = max(max(row) for row in shares) or 1.0
    slot = width / len(shares[0])
    thick = min(slot * 0.8 / len(shares), 18.0)
    parts = []
    for level in range(len(shares[0])):
        first = left + slot * level + (slot - thick * len(shares)) / 2
        for c, row in enumerate(shares):
            height = row[level] / top * (base - 3)
            parts.append(rect(first + c * thick, base - height, thick - 1, height, class_=f"bar k{c}"))
    return [*parts, line(left, base, left + width, base, class_="axis")]


def strips(
    bins: dict[str, Any], shares: list[list[float]], left: float, width: float, height: float
) -> list[str]:
    """A row for each class, darker where more of it is."""
    top = max(max(row) for row in shares) or 1.0
    n = len(shares[0])
    parts = [rect(left, 0, width, height * len(shares), class_="ground")]
    cells: dict[int, list[str]] = {}  # by shade, so that one path draws all of a shade
    for c, row in enumerate(shares):
        for i, share in enumerate(row):
            if share > 0:
                corner = f"M{value_text(left + width * i / n)} {value_text(height * c)}"
                cells.setdefault(shade(share / top), []).append(corner)
    size = f"h{value_text(width / n)}v{value_text(height - 1)}h-{value_text(width / n)}z"
    for dark, corners in sorted(cells.items()):
        steps = "".join(corner + size for corner in corners)
        parts.append(element("path", d=steps, class_="shade", fill_opacity=f"0.{dark:02d}"))
    if "edges" in bins:
        parts += cut_lines(bins, placed(bins["edges"], left, width), 0, height * len(shares))
    return parts


def shade(share: float) -> int:
    """How dark, in hundredths: nine steps by the root, so that little is still seen."""
    return 11 * max(1, round(9 * share**0.6))


def large_spread(feature: dict[str, Any], classes: list[dict[str, Any]]) -> str:
    """A row of its own for each class, on a common axis with the cuts; bars for levels that have names."""
    bins = bins_of(feature)
    if bins is None:
        return ""
    if "edges" not in bins:
        return large_columns(feature, classes, bins)
    shares, row = shares_of(bins["counts"]), 40 if len(classes) <= OVERLAID else 24
    bottom = row * len(classes) + 4
    place = placed(bins["edges"], LABEL, LARGE_WIDTH - LABEL - 8)
    top = max(max(one) for one in shares) or 1.0
    parts = cut_lines(bins, place, 0, bottom)
    for c, (one, values) in enumerate(zip(classes, shares, strict=True)):
        base = row * (c + 1)
        points = stepped(values, bins["edges"], place, base, (row - 6) / top)
        colour = f"k{c}" if len(classes) <= OVERLAID else "k0"
        parts += [
            path(points, class_=f"area {colour}"),
            line(LABEL, base, LARGE_WIDTH - 8, base, class_="axis"),
            class_label(one, base),
        ]
    parts += axis(bins, place, bottom)
    title = f"Distribution of {feature['feature']} in each class"
    words = described(feature, classes, bins, shares)
    return figure(LARGE_WIDTH, bottom + 34, title, words, *parts, class_="large")


def large_columns(feature: dict[str, Any], classes: list[dict[str, Any]], bins: dict[str, Any]) -> str:
    """Bars for each level with its name below; more classes than can stand side by side as rows."""
    shares, names = shares_of(bins["counts"]), bins["names"]
    few = len(classes) <= OVERLAID
    left = 8 if few else LABEL
    width = min(LARGE_WIDTH - left - 8, MOST_SLOT * len(names))
    if few:
        bottom = BAR_HEIGHT
        parts = columns(shares, left, width, bottom)
    else:
        bottom = 24 * len(classes)
        parts = strips(bins, shares, left, width, 24)
        parts += [class_label(one, 24 * (c + 1)) for c, one in enumerate(classes)]
    slot = width / len(names)
    for place, name in enumerate(names):
        below = fitted(name, (slot - 4) / FONT) or (name[:3] if slot > 24 else "")
        x = left + slot * (place + 0.5)
        parts += [text(x, bottom + 17, below, text_anchor="middle", class_="tick")] if below else []
    title = f"Distribution of {feature['feature']} in each class"
    words = described(feature, classes, bins, shares)
    return figure(LARGE_WIDTH, bottom + 26, title, words, *parts, class_="large")


def class_label(one: dict[str, Any], base: float) -> str:
    """The name of a class and its size, beside its row."""
    size = f" ({one['n']:,})"
    name = fitted(one["name"], (LABEL - 10) / FONT - 0.5 * len(size)) or one["name"][:6]

    return text(LABEL - 10, base - 5, f"{name}{size}", text_anchor="end", class_="label")


def axis(bins: dict[str, Any], place: Any, bottom: float) -> list[str]:
    """Round numbers below, and the cuts by their value."""
    edges = bins["edges"]
    parts = []
    ticks = nice_ticks(edges[0], edges[-1], 6)
    for tick in ticks if not bins["integers"] else [tick for tick in ticks if tick == int(tick)]:
        parts += [
            line(place(tick), bottom, place(tick), bottom + 4, class_="axis"),
            text(place(tick), bottom + 17, tick_text(tick), text_anchor="middle", class_="tick"),
        ]
    return parts
