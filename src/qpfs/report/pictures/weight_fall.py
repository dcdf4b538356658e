"""How the weights fall off by rank, and where zero begins; below, how relevant each is by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qpfs.report.pictures.svg import figure, line, nice_ticks, path, rect, text, tick_text, titled
from qpfs.wording import counted, short

WIDTH, NARROW, LEFT, RIGHT = 980.0, 388.0, 56.0, 8.0
TOP, HEIGHT, GAP, LOW = 26.0, 170.0, 40.0, 90.0
BARS = 9.0  # a narrower slot has no bar of its own
FEW = 5  # ranks are not worth leaving out
FEWER = 40  # ranks up to which a narrow picture has bars


@dataclass(frozen=True)
class Frame:
    """How wide the picture is, and the share of a rank in it."""

    width: float
    last: int

    @property
    def slot(self) -> float:
        return (self.width - LEFT - RIGHT) / self.last

    @property
    def end(self) -> float:
        return self.width - RIGHT

    @property
    def has_bars(self) -> bool:
        return self.slot >= BARS or (self.width < WIDTH and self.last <= FEWER)

    def left_of(self, rank: float) -> float:
        return LEFT + (rank - 1) * self.slot


def weight_fall(weights: dict[str, Any], n_selected: int, value: str = "weight", narrow: bool = False) -> str:
    """Weights (or scores) above, relevance below, over the ranks that tell something."""
    last = last_rank(weights, n_selected)
    frame = Frame(NARROW if narrow else WIDTH, last)
    ranked = [row for row in weights["ranked"] if row[0] <= last]
    parts = panel([row[:2] for row in ranked], n_selected, frame, TOP, HEIGHT, value)
    bottom = TOP + HEIGHT
    if ranked[0][2] is not None:
        bottom += GAP + LOW
        parts += panel(
            [[row[0], row[2]] for row in ranked if row[2] is not None],
            n_selected,
            frame,
            bottom - LOW,
            LOW,
            "relevance",
        )
    parts += ranks(frame, bottom)
    words = f"{weights['n_ranked']} features ranked."
    if value == "weight":  # a score says nothing by being zero
        parts += zero_line(weights["n_positive"], frame, bottom)
        words = f"{weights['n_positive']} of {weights['n_ranked']} ranked features have weight."
    kind = "narrow" if narrow else "wide"
    return figure(
        frame.width, bottom + 42, f"{value.title()} and relevance by rank", words, *parts, class_=kind
    )


def last_rank(weights: dict[str, Any], n_selected: int) -> int:
    """The last rank drawn: somewhat beyond the last with weight, or the last selected."""
    told = max(min(weights["n_positive"], 400), min(n_selected, 400))
    last, n = int(told * 1.25) + 4, weights["n_ranked"]
    return max(1, n if n <= 1.1 * last + FEW else last)


def panel(
    rows: list[list[float]], n_selected: int, frame: Frame, top: float, height: float, name: str
) -> list[str]:
    """Bars over a scale from zero, those of selected features filled."""
    high = max(max(row[1] for row in rows), 0.0) or 1.0
    low = min(min(row[1] for row in rows), 0.0)
    scale = height / (high - low)
    base = top + high * scale
    parts = [text(LEFT, top - 10, name, class_="label strong")]
    for tick in nice_ticks(low, high, 4):
        y = base - tick * scale
        parts.append(line(LEFT, y, frame.end, y, class_="grid"))
        parts.append(text(LEFT - 8, y + 4, tick_text(tick), class_="tick end"))
    if not frame.has_bars:
        drawn = areas(rows, n_selected, frame, base, scale)
        return [*parts, *drawn, line(LEFT, base, frame.end, base, class_="axis")]
    width = max(frame.slot - min(2.0, frame.slot / 4), 0.6)
    for rank, value in rows:
        size = max(abs(value) * scale, 0.0)
        y = base - size if value >= 0 else base
        kind = "bar chosen" if rank <= n_selected else "bar rest"
        told = titled(f"rank {rank}: {short(value)}")
        parts.append(rect(frame.left_of(rank), y, width, size, told, class_=kind))
    return [*parts, line(LEFT, base, frame.end, base, class_="axis")]


def areas(rows: list[list[float]], n_selected: int, frame: Frame, base: float, scale: float) -> list[str]:
    """The selected and the rest as two areas, for ranks too many to be bars."""
    chosen = [row for row in rows if row[0] <= n_selected]
    rest = rows[max(len(chosen) - 1, 0) :]
    parts = []
    for some, kind in ((chosen, "bar chosen"), (rest, "bar rest")):
        if len(some) > 1:
            tops = [(frame.left_of(rank + 0.5), base - value * scale) for rank, value in some]
            parts.append(path([(tops[0][0], base), *tops, (tops[-1][0], base)], closed=True, class_=kind))
    return parts


def ranks(frame: Frame, bottom: float) -> list[str]:
    """The ranks below."""
    n = 8 if frame.width == WIDTH else 5
    ticks = sorted(
        {
            1,
            *(int(tick) for tick in nice_ticks(0, frame.last, n) if 1 < tick <= frame.last and tick % 1 == 0),
        }
    )
    parts = [
        text(frame.left_of(tick + 0.5), bottom + 17, f"{tick:,}", class_="tick middle") for tick in ticks
    ]
    return [*parts, text((LEFT + frame.end) / 2, bottom + 36, "rank", class_="label middle")]


def zero_line(n_positive: int, frame: Frame, bottom: float) -> list[str]:
    """Where the weights reach zero."""
    if n_positive >= frame.last:
        return []
    x = frame.left_of(n_positive + 1)
    side = "end" if x > frame.width - 160 else ""
    return [
        path([(x, TOP - 4), (x, bottom)], class_="cut strong"),
        text(
            x + (-6 if side else 6),
            TOP + 8,
            f"zero from rank {n_positive + 1:,}",
            class_=f"label haloed {side}".strip(),
        ),
    ]


def caption(weights: dict[str, Any], n_selected: int) -> str:
    """What is not drawn."""
    last = last_rank(weights, n_selected)
    rest = weights["n_ranked"] - last
    return f"The {counted(rest, 'rank')} after {last:,} are not drawn." if rest else ""
