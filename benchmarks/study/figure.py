"""Mean ranks with their critical difference, and what a selection costs, as a picture of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from qpfs.report.pictures.axes import nice_ticks
from qpfs.report.pictures.svg import element, steps, titled

WIDTH, ROW, TOP, BOTTOM = 820.0, 22.0, 64.0, 40.0
LEFT, RIGHT, SECONDS = 190.0, 700.0, 800.0  # the axis of ranks, and where the seconds end
Place = Callable[[float], float]  # where a rank is on the axis
KINDS = {"ours": "ours, at the defaults", "published": "ours, as published", "rival": "others"}
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f } .quiet { fill: #57606a }
.grid { stroke: #d0d7de; stroke-width: 1 } .bar { stroke-width: 5; stroke-linecap: round; opacity: .35 }
.ours { stroke: #0969da; fill: #0969da } .published { stroke: #bc4c00; fill: #bc4c00 }
.rival { stroke: #57606a; fill: #57606a } text.ours { font-weight: 600; stroke: none }
text.published, text.rival { stroke: none; fill: #24292f } .rule { stroke: #24292f; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
text, text.published, text.rival { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
.ours { stroke: #4493f8; fill: #4493f8 } .published { stroke: #db6d28; fill: #db6d28 }
.rival { stroke: #9198a1; fill: #9198a1 } .rule { stroke: #e6edf3 } }
"""


@dataclass(frozen=True)
class Line:
    """One method of the picture."""

    label: str
    kind: str  # of KINDS
    rank: float
    seconds: float


def drawn(lines: Sequence[Line], critical: float, n_sets: int) -> str:
    """The picture: two methods differ if their bars, as long as the critical difference, do not overlap."""
    lines = sorted(lines, key=lambda one: one.rank)
    height = TOP + ROW * len(lines) + BOTTOM
    low, high = 1.0, float(len(lines))

    def x(rank: float) -> float:
        return LEFT + (rank - low) / (high - low) * (RIGHT - LEFT)

    parts = [element("style", STYLE), *axis(x, low, high, height), *legend(x, critical)]
    for i, one in enumerate(lines):
        parts += row(one, TOP + ROW * (i + 0.5), x, critical, (low, high))
    title = "Mean ranks of methods, with the critical difference"
    what = (
        f"{len(lines)} methods on {n_sets} sets, best first: "
        + ", ".join(f"{one.label} {one.rank:.1f}" for one in lines)
        + f". The critical difference is {critical:.1f}."
    )
    drawing = element(
        "svg",
        titled(title),
        element("desc", escape(what)),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label=f"{title}. {what}",
    )
    return drawing + "\n"


def text(x: float, y: float, words: str, **attributes: str) -> str:
    return element("text", escape(words), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def path(points: Iterable[tuple[float, float]], *, closed: bool = False, **attributes: str) -> str:
    return element("path", d=steps(points, closed=closed), **attributes)


def axis(x: Place, low: float, high: float, height: float) -> list[str]:
    parts = []
    for tick in [1.0, *(one for one in nice_ticks(low, high, 8) if one > 1)]:
        parts.append(line(x(tick), TOP, x(tick), height - BOTTOM, class_="grid"))
        parts.append(text(x(tick), height - BOTTOM + 16, f"{tick:g}", text_anchor="middle", class_="quiet"))
    parts.append(text(LEFT, height - 8, "mean rank (1: lowest error on every set)", class_="quiet"))
    parts.append(text(SECONDS, TOP - 8, "median seconds", text_anchor="end", class_="quiet"))
    return parts


def legend(x: Place, critical: float) -> list[str]:
    """What the colours and marks are, and how long the critical difference is."""
    parts, place = [], LEFT
    for kind, words in KINDS.items():
        parts += [marker(kind, place + 6, 16.0), text(place + 18, 20, words, class_=kind)]
        place += 190
    left, right = x(1.0), x(1.0 + critical)
    parts.append(
        path(
            [(left, 36), (left, 44), (left, 40), (right, 40), (right, 36), (right, 44)],
            class_="rule",
            fill="none",
        )
    )
    parts.append(text(right + 8, 44, f"critical difference {critical:.1f}"))
    return parts


def row(one: Line, y: float, x: Place, critical: float, span: tuple[float, float]) -> list[str]:
    low, high = max(one.rank - critical / 2, span[0]), min(one.rank + critical / 2, span[1])
    told = titled(f"{one.label}: mean rank {one.rank:.2f}, {seconds_text(one.seconds)}")
    return [
        text(LEFT - 14, y + 4, one.label, text_anchor="end", class_=one.kind),
        line(x(low), y, x(high), y, class_=f"bar {one.kind}"),
        element("g", told, marker(one.kind, x(one.rank), y)),
        text(SECONDS, y + 4, seconds_text(one.seconds), text_anchor="end", class_="quiet"),
    ]


def marker(kind: str, x: float, y: float) -> str:
    """A disc, a square or a diamond, so that colour is not all that tells them apart."""
    if kind == "ours":
        return element("circle", cx=x, cy=y, r=5.5, class_=kind)
    size = 5.0 if kind == "published" else 6.0
    corners = (
        [(-1, -1), (1, -1), (1, 1), (-1, 1)] if kind == "published" else [(0, -1), (1, 0), (0, 1), (-1, 0)]
    )
    return path([(x + size * a, y + size * b) for a, b in corners], closed=True, class_=kind)


def seconds_text(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds < 0.1 else f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
