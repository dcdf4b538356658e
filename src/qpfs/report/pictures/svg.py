"""The few elements that figures are made of. Every text is escaped, every number short."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from qpfs.report.names import shown
from qpfs.wording import short


def element(name: str, *children: str, **attributes: Any) -> str:
    """An element; `class_` stands for class, `stroke_width` for stroke-width."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def value_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0") if math.isfinite(value) else "0"
    return str(value)


def text(x: float, y: float, words: str, **attributes: Any) -> str:
    return element("text", escape(shown(words)), x=float(x), y=float(y), **attributes)


def titled(words: str) -> str:
    """What a pointer that rests on the element is told."""
    return element("title", escape(shown(words)))


def rect(x: float, y: float, width: float, height: float, *children: str, **attributes: Any) -> str:
    return element(
        "rect", *children, x=float(x), y=float(y), width=float(width), height=float(height), **attributes
    )


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> str:
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), **attributes)


def path(points: Iterable[tuple[float, float]], *, closed: bool = False, **attributes: Any) -> str:
    """A line through points."""
    steps = " L".join(f"{value_text(float(x))} {value_text(float(y))}" for x, y in points)
    return element("path", d=f"M{steps}{' Z' if closed else ''}", **attributes)


def figure(width: float, height: float, title: str, description: str, *parts: str, class_: str = "") -> str:
    """A picture with a name and a description for who cannot see it."""
    return element(
        "svg",
        titled(title),
        element("desc", escape(shown(description))),
        *parts,
        viewBox=f"0 0 {value_text(float(width))} {value_text(float(height))}",
        width=float(width),
        height=float(height),
        role="img",
        aria_label=shown(f"{title}. {description}"),
        class_=class_ or None,
    )


LEAST = 1e-300  # of a span, whose parts are still numbers of full precision


def nice_ticks(low: float, high: float, n: int = 5) -> list[float]:
    """About n round numbers from low to high."""
    span = high - low
    if not span > LEAST or not math.isfinite(span):
        return [low]
    rough = span / max(n, 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)] if last - first < 50 else [low, high]


def tick_text(value: float) -> str:
    return short(value, 4)
