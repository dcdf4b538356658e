"""The weights by rank, and where zero begins; beside them, the relevance of each feature alone.

Some dozens of ranks are rows with a name. More are bars side by side or an area, without room for names; the
first of them follow as rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qpfs.report.names import fitted, width_in_ems
from qpfs.report.pictures.axes import NARROW, WIDE, Axis, Panel, Picture, nice_ticks, tick_text
from qpfs.report.pictures.marks import FONT, Box, Lettering, Mark, Path, rule
from qpfs.report.schema import WeightsRecord
from qpfs.wording import counted, fixed, short, some_of

NAMED = 66  # ranks up to which each has a row and a name: those drawn of 50 selected ones
FIRST = 30  # rows with a name where there are more ranks
LEFT, RIGHT, TOP, NUMBER = 56.0, 8.0, 26.0, 48.0
ROW, LOW_ROW, LOOSE = 19.0, 15.0, 30  # height of a row, of up to LOOSE and of more
UNDER, EDGE = 42.0, 12.0  # pixels below panels with a scale of ranks, and below others
HEIGHT, GAP, LOW = 170.0, 40.0, 90.0  # of the panels one above the other
BARS = 9.0  # pixels: a narrower slot has no bar of its own,
FEWER = 40  # but on a telephone so many ranks have
FEW = 5  # so few ranks are not left out

Values = Sequence[tuple[int, float]]  # of ranks


def weight_fall(
    weights: WeightsRecord,
    n_selected: int,
    value: str = "weight",
    last: int | None = None,
    width: float = WIDE,
    height: float | None = None,
) -> Picture:
    """Weights (or scores) and relevance, over the ranks that are worth showing."""
    last = last_rank(weights, n_selected) if last is None else last
    rows = [row for row in weights["ranked"] if row[0] <= last]
    series: dict[str, Values] = {value: [(row[0], row[1]) for row in rows]}
    if rows[0][2] is not None:
        series["relevance"] = [(row[0], row[2]) for row in rows if row[2] is not None]
    zero = weights["n_positive"] if value == "weight" and weights["n_positive"] < last else None
    words = f"{counted(weights['n_ranked'], 'feature')} ranked."
    if value == "weight":  # a score of zero has no special meaning
        words = (
            f"{some_of(weights['n_positive'], weights['n_ranked'], 'ranked feature', 'has', 'have')} weight."
        )
    if last <= NAMED:
        panels = in_rows(series, names_of(weights, last), n_selected, zero, width)
    else:
        panels = by_rank(series, last, n_selected, zero, width)
        if weights.get("names"):
            top = bottom_of(panels) + GAP
            panels += in_rows(first_of(series), names_of(weights, FIRST), n_selected, None, width, top)
    kind = "narrow" if width <= NARROW else "wide"
    return Picture(f"{value.title()} and relevance by rank", words, width, bottom_of(panels), panels, kind)


def first_of(series: dict[str, Values]) -> dict[str, Values]:
    """The headings of rows below a scale of ranks; the first states that not all ranks are shown."""
    said = (f" of the first {FIRST}", "")
    return {
        name + more: [row for row in rows if row[0] <= FIRST]
        for (name, rows), more in zip(series.items(), said, strict=False)
    }


def bottom_of(panels: list[Panel]) -> float:
    """Where panels end, with the scale below them."""
    last = panels[-1]
    return last.box[3] + (UNDER if last.x.label else EDGE)


def last_rank(weights: WeightsRecord, n_selected: int) -> int:
    """The last rank drawn: a few after the last with weight, or the last selected."""
    told = max(min(weights["n_positive"], 400), min(n_selected, 400))
    last, n = int(told * 1.25) + 4, weights["n_ranked"]
    return max(1, n if n <= 1.1 * last + FEW else last)


def caption(weights: WeightsRecord, n_selected: int) -> str:
    """What is not drawn."""
    last = last_rank(weights, n_selected)
    rest = weights["n_ranked"] - last
    return f"The {counted(rest, 'rank')} after {last:,} are not drawn." if rest else ""


def names_of(weights: WeightsRecord, last: int) -> list[str]:
    """Each rank, with its name where that is known."""
    names = [*weights.get("names", []), *[""] * last]
    return [f"{rank}  {name}".rstrip() for rank, name in enumerate(names[:last], start=1)]


def in_rows(
    series: dict[str, Values],
    names: list[str],
    n_selected: int,
    zero: int | None,
    width: float,
    top: float = TOP,
) -> list[Panel]:
    """A row for each rank: its name, and a bar with its number in each panel."""
    room = min(max(FONT * width_in_ems(name) for name in names), width / 3)
    labels = [(rank, fitted(name, room / FONT) or str(rank)) for rank, name in enumerate(names, start=1)]
    row = ROW if len(names) <= LOOSE else LOW_ROW
    y = Axis(0.5, len(names) + 0.5, top, top + row * len(names), ticks=labels)
    left, wide = room + 12, width - room - 12 - RIGHT
    ends = [left + 0.58 * wide, width - RIGHT] if len(series) > 1 else [width - RIGHT]
    panels: list[Panel] = []
    for (name, rows), end in zip(series.items(), ends, strict=True):
        low, high = bounds(rows)
        x = Axis(low, high, left, end - NUMBER)
        marks: list[Mark] = [Box(0, r - 0.4, v, 0.8, role(r, n_selected), told(r, v)) for r, v in rows]
        marks += [Lettering(max(v, 0.0), r, fixed(v, 3), "tick", 5, 4) for r, v in rows]
        marks.append(rule(0, y.low, 0, y.high, "axis"))
        if zero is not None and not panels:
            marks.append(rule(0, zero + 0.5, x.value(end), zero + 0.5, "cut strong"))
            marks.append(Lettering(x.value(end), zero + 0.5, zero_words(zero), "label haloed end", 0, 14))
        panels.append(
            Panel(x, replace(y, label=name) if not panels else replace(y, label=name, ticks=()), marks)
        )
        left = end + 24
    return panels


def by_rank(
    series: dict[str, Values], last: int, n_selected: int, zero: int | None, width: float
) -> list[Panel]:
    """Panels one above the other, of bars or, where they would be too narrow, of areas."""
    steps = nice_ticks(0, last, 8 if width > NARROW else 5)
    shown = sorted({1, *(int(tick) for tick in steps if 1 < tick <= last and tick % 1 == 0)})
    x = Axis(0.5, last + 0.5, LEFT, width - RIGHT)
    has_bars = (x.end - x.start) / last >= BARS or (width <= NARROW and last <= FEWER)
    panels: list[Panel] = []
    top = TOP
    for name, rows in series.items():
        low, high = bounds(rows)
        bottom = top + (LOW if panels else HEIGHT)
        ticks = [(tick, tick_text(tick)) for tick in nice_ticks(low, high, 4)]
        y = Axis(low, high, bottom, top, ticks=ticks, label=name, has_grid=True)
        marks: list[Mark] = areas(rows, n_selected)
        if has_bars:
            marks = [Box(r - 0.4, 0, 0.8, v, role(r, n_selected), told(r, v)) for r, v in rows]
        marks.append(rule(x.low, 0, x.high, 0, "axis"))
        if zero is not None:
            marks.append(rule(zero + 0.5, low, zero + 0.5, high, "cut strong"))
            if not panels:
                late = x.place(zero) > width - 160
                at = "label haloed end" if late else "label haloed"
                marks.append(Lettering(zero + 0.5, high, zero_words(zero), at, -6 if late else 6, 8))
        panels.append(Panel(x, y, marks))
        top = bottom + GAP
    ranks = [(float(tick), f"{tick:,}") for tick in shown]
    return [*panels[:-1], replace(panels[-1], x=replace(x, ticks=ranks, label="rank"))]


def bounds(rows: Values) -> tuple[float, float]:
    """From the least to the largest value, zero among them."""
    return min(min(v for _, v in rows), 0.0), max(max(v for _, v in rows), 0.0) or 1.0


def areas(rows: Values, n_selected: int) -> list[Mark]:
    """The selected and the other features as two areas, if there are too many ranks for bars."""
    chosen = [row for row in rows if row[0] <= n_selected]
    both = ((chosen, "bar chosen"), (rows[max(len(chosen) - 1, 0) :], "bar rest"))
    return [
        Path([(some[0][0], 0), *some, (some[-1][0], 0)], kind, closed=True)
        for some, kind in both
        if len(some) > 1
    ]


def role(rank: int, n_selected: int) -> str:
    return "bar chosen" if rank <= n_selected else "bar rest"


def told(rank: int, value: float) -> str:
    return f"rank {rank}: {short(value)}"


def zero_words(n_positive: int) -> str:
    return f"zero from rank {n_positive + 1:,}"
