"""A picture as SVG, with the roles of the page's style as classes. All text is escaped, numbers are short."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from qpfs.report.names import shown
from qpfs.report.pictures.axes import Axis, Panel, Picture
from qpfs.report.pictures.marks import Box, Dot, Lettering, Mark, MarkGroup, Path, ShadedCells, rule

SHAPES: dict[str, list[tuple[float, float]]] = {
    "square": [(-3, -3), (3, -3), (3, 3), (-3, 3)],
    "up": [(0, -4), (4, 3), (-4, 3)],
    "down": [(0, 4), (4, -3), (-4, -3)],
    "diamond": [(0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0)],
    "cross": [(-4, -2), (4, -2), (4, 2), (-4, 2)],
}


def svg(picture: Picture | None) -> str:
    """The picture, with a name and a description for readers who cannot see it; empty if there is none."""
    if picture is None:
        return ""
    return element(
        "svg",
        titled(picture.title),
        element("desc", escape(shown(picture.told))),
        *([hatch(picture.role)] if "hatches" in picture.role else []),
        *(one for panel in picture.panels for one in drawn_panel(panel)),
        viewBox=f"0 0 {value_text(picture.width)} {value_text(picture.height)}",
        width=picture.width,
        height=picture.height,
        role="img",
        aria_label=shown(f"{picture.title}. {picture.told}"),
        class_=picture.role or None,
    )


def hatch(role: str) -> str:
    """The hatch pattern, with an id of its own, since a pattern in a hidden picture is not drawn."""
    name, stroke = (
        "hatch-narrow" if "narrow" in role else "hatch",
        element("path", d="M0 6 L6 0", class_="hatch"),
    )
    return element(
        "defs", element("pattern", stroke, id=name, width=6, height=6, patternUnits="userSpaceOnUse")
    )


def drawn_panel(panel: Panel) -> list[str]:
    """The axes, their labels, and the marks."""
    left, top, right, bottom = panel.box
    marks: list[Mark] = []
    for value, words in panel.y.ticks:
        if panel.y.has_grid:
            marks.append(rule(panel.x.low, value, panel.x.high, value, "grid"))
        marks.append(Lettering(panel.x.value(left), value, words, "tick end", -8, 4))
    for value, words in panel.x.ticks:
        if panel.x.has_grid:
            marks.append(rule(value, panel.y.low, value, panel.y.high, "grid"))
        mark = panel.y.value(bottom), panel.y.value(bottom + 4)
        marks.append(rule(value, mark[0], value, mark[1], "axis"))
        marks.append(Lettering(value, mark[0], words, "tick middle", 0, 17))
    if panel.x.label:
        middle = panel.x.value((left + right) / 2)
        marks.append(Lettering(middle, panel.y.value(bottom), panel.x.label, "label middle", 0, 36))
    if panel.y.label:
        marks.append(
            Lettering(panel.x.value(left), panel.y.value(top), panel.y.label, "label strong", 0, -10)
        )
    return [drawn(mark, panel.x, panel.y) for mark in (*marks, *panel.marks)]


def drawn(mark: Mark, x: Axis, y: Axis) -> str:
    """A mark in pixels."""
    match mark:
        case MarkGroup():
            return element("g", *(drawn(one, x, y) for one in mark.marks), class_=mark.role)
        case Lettering():
            at = {"x": x.place(mark.x) + mark.dx, "y": y.place(mark.y) + mark.dy}
            return element("text", escape(shown(mark.text)), **at, class_=mark.role)
        case Path():
            points = [(x.place(a), y.place(b)) for a, b in mark.points]
            return element("path", d=steps(points, closed=mark.closed), class_=mark.role)
        case Dot(shape="circle"):
            at = {"cx": x.place(mark.x), "cy": y.place(mark.y)}
            return element("circle", titled(mark.told), **at, r=3.4, class_=mark.role)
        case Dot():
            points = [(x.place(mark.x) + dx, y.place(mark.y) + dy) for dx, dy in SHAPES[mark.shape]]
            return element("path", titled(mark.told), d=steps(points, closed=True), class_=mark.role)
        case ShadedCells():
            wide, high = (
                abs(axis.place(size) - axis.place(0)) for axis, size in ((x, mark.width), (y, mark.height))
            )
            cell = f"h{value_text(wide)}v{value_text(high)}h-{value_text(wide)}z"
            corners = [f"M{value_text(x.place(a))} {value_text(y.place(b))}{cell}" for a, b in mark.corners]
            return element("path", d="".join(corners), class_=mark.role, fill_opacity=f"{mark.opacity:.2f}")
        case Box():
            return box(mark, x, y)


def box(mark: Box, x: Axis, y: Axis) -> str:
    (left, right), (top, bottom) = (
        sorted((axis.place(low), axis.place(low + size)))
        for axis, low, size in ((x, mark.x, mark.width), (y, mark.y, mark.height))
    )
    return element(
        "rect",
        *([titled(mark.told)] if mark.told else []),
        x=left,
        y=top,
        width=right - left,
        height=bottom - top,
        class_=mark.role,
        fill_opacity=None if mark.opacity is None else f"{mark.opacity:.2f}",
    )


def steps(points: Iterable[tuple[float, float]], *, closed: bool) -> str:
    """A line through points."""
    return f"M{' L'.join(f'{value_text(a)} {value_text(b)}' for a, b in points)}{' Z' if closed else ''}"


def titled(words: str) -> str:
    """The title of an element, shown when the pointer rests on it."""
    return element("title", escape(shown(words)))


def element(name: str, *children: str, **attributes: float | str | None) -> str:
    """An element; `class_` means class, `fill_opacity` means fill-opacity."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def value_text(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0") if math.isfinite(value) else "0"
