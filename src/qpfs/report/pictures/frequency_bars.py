"""How often each feature is selected in random draws of samples: a row with a name, a bar and its share."""

from __future__ import annotations

from collections.abc import Sequence

from qpfs.report.names import fitted, width_in_ems
from qpfs.report.pictures.axes import NARROW, WIDE, Axis, Panel, Picture
from qpfs.report.pictures.marks import FONT, Box, Lettering, Mark, rule
from qpfs.report.schema import OftenRecord
from qpfs.wording import counted, percent

TOP, ROW, BOTTOM, ASIDE = 8.0, 19.0, 26.0, 96.0  # ASIDE: what stands beside the longest bar
SCALE = [(share, percent(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]


def frequency_bars(
    often: Sequence[OftenRecord], width: float = WIDE, height: float | None = None
) -> Picture | None:
    """A bar for each feature, most often selected first, selected ones in colour; None for no feature."""
    if not often:
        return None
    narrow, bottom = width <= NARROW, height - BOTTOM if height else TOP + ROW * len(often)
    room = min(max(FONT * width_in_ems(one["feature"]) for one in often), width / 3)
    names = [
        (row, fitted(one["feature"], room / FONT) or f"{row}.") for row, one in enumerate(often, start=1)
    ]
    x = Axis(0.0, 1.0, room + 12, width - ASIDE, ticks=SCALE[:: 2 if narrow else 1], has_grid=True)
    y = Axis(0.5, len(often) + 0.5, TOP, bottom, ticks=names)
    marks: list[Mark] = []
    for row, one in enumerate(often, start=1):
        role = "bar chosen" if one.get("rank") else "bar rest"
        marks.append(Box(0.0, row - 0.4, one["share"], 0.8, role, f"{one['feature']}: {beside(one)}"))
        marks.append(Lettering(one["share"], row, beside(one), "tick haloed", 5, 4))
    marks.append(rule(0.0, y.low, 0.0, y.high, "axis"))
    n = sum(one.get("rank") is not None for one in often)
    words = f"{counted(len(often), 'feature')}, {n:,} of them selected on all samples."
    kind = "narrow" if narrow else "wide"
    return Picture("Selection frequency", words, width, bottom + BOTTOM, [Panel(x, y, marks)], kind)


def beside(one: OftenRecord) -> str:
    """How often a feature is selected, and its rank if it is selected on all samples."""
    rank = one.get("rank")
    return percent(one["share"]) if rank is None else f"{percent(one['share'])}, rank {rank:,}"
