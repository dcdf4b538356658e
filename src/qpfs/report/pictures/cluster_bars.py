"""The clusters level by level: a bar is a cluster, its width the number of features, its parts below it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qpfs.report.names import fitted
from qpfs.report.pictures.axes import NARROW, WIDE, Axis, Panel, Picture
from qpfs.report.pictures.marks import Box, Lettering, Mark, rule
from qpfs.report.schema import BarRecord, ClustersRecord
from qpfs.wording import counted, short

LEFT, ROW, TOP, BELOW, BESIDE = 58.0, 44.0, 8.0, 30.0, 210.0
BAR = 36 / 44  # of the height of a row
NAMED = 64.0  # a narrower bar has no room for a name
TOLD = 5.0  # a narrower bar cannot be pointed at
FONT, LINE = 11.0, 17.0
COLUMN, KEY_LINE = 310.0, 20.0  # of the key: how wide and how high an entry is


def cluster_bars(
    clusters: ClustersRecord, names: Sequence[str] = (), width: float = WIDE, height: float | None = None
) -> Picture:
    """All levels, from the top; beside them the names of the selected features, if they are given."""
    fates = {
        "kept": clusters["fates"]["kept"],
        "split": clusters["fates"]["split"],
        "discarded": clusters["fates"]["discarded"],
    }
    words = [f"{fate}: {counted(n['clusters'], 'cluster')}" for fate, n in fates.items()]
    n = len(clusters["levels"])
    top = TOP + 20.0 * math.ceil(len(fates) / key_columns(width))
    bottom = height - BELOW if height else top + max(ROW * n, LINE * len(names) - BELOW)
    x = Axis(0, clusters["n_features"], LEFT, width - (BESIDE if names else 0))
    y = Axis(
        0,
        n,
        top,
        bottom,
        ticks=[(i + BAR / 2, f"level {one['level']}") for i, one in enumerate(clusters["levels"])],
    )
    said = [
        (
            [f"fate {fate}", *(["hatched"] if fate == "discarded" else [])],
            f"{fate}: {counted(n['clusters'], 'cluster')}, {counted(n['features'], 'feature')}",
        )
        for fate, n in fates.items()
    ]
    marks = key(said, x, y, width)
    marks += [
        one
        for i, level in enumerate(clusters["levels"])
        for bar in level["bars"]
        for one in drawn(bar, i, x, y)
    ]
    marks += pins(clusters["selected"], x, y)
    for i, name in enumerate(names):
        marks.append(
            Lettering(x.high, 0, fitted(f"{i + 1}  {name}", (BESIDE - 20) / FONT), "label", 16, 11 + LINE * i)
        )
    kind = "narrow hatches" if width <= NARROW else "tree hatches"
    return Picture(
        "The tree of clusters", "; ".join(words), width, bottom + BELOW, [Panel(x, y, marks)], kind
    )


def key(entries: Sequence[tuple[Sequence[str], str]], x: Axis, y: Axis, width: float) -> list[Mark]:
    """The legend of roles: a box and its text for each at the top of the picture, in columns."""
    wide, high, n = x.value(26) - x.value(0), y.value(12) - y.value(0), key_columns(width)
    marks: list[Mark] = []
    for i, (roles, words) in enumerate(entries):
        at = x.value(COLUMN * (i % n)), y.value(KEY_LINE * (i // n))
        marks += [*(Box(*at, wide, high, role) for role in roles), Lettering(*at, words, "label", 34, 11)]
    return marks


def key_columns(width: float) -> int:
    return max(1, int(width // COLUMN))


def drawn(bar: BarRecord, row: int, x: Axis, y: Axis) -> list[Mark]:
    """A bar, hatched if discarded, with its name if there is room."""
    pixel, width = 1 / (x.place(1) - x.place(0)), x.place(bar["width"]) - x.place(0)
    inner = max(width - (1.0 if width > 3 else 0.0), 0.8)
    box = Box(
        bar["left"], row, inner * pixel, BAR, f"fate {bar['fate']}", bar_words(bar) if width >= TOLD else ""
    )
    marks: list[Mark] = [box]
    if bar["fate"] == "discarded":
        marks.append(box._replace(role="hatched", told=""))
    high = y.place(1) - y.place(0)
    name = fitted(bar["representative"] or "", (width - 12) / FONT) if width >= NAMED and high > 18 else ""
    if name and bar["representative"] is not None:
        ink = f"bar-name {bar['fate']}"
        marks.append(Lettering(bar["left"], row, name, ink, 6, 15))
        marks += (
            [Lettering(bar["left"], row, size_words(bar, width), f"{ink} quiet", 6, 29)] if high > 38 else []
        )
    return marks


def size_words(bar: BarRecord, width: float) -> str:
    size = f"{bar['width']:,}"
    return f"{size} · r {short(bar['radius'], 2)}" if width > 90 and bar["radius"] is not None else size


def bar_words(bar: BarRecord) -> str:
    """The full description of a bar."""
    features = counted(bar["width"], "feature")
    if bar["representative"] is None:
        return f"{counted(bar['n_clusters'], 'small cluster')}, {features}, {bar['fate']}"
    weight = "" if bar["weight"] is None else f", weight {short(bar['weight'])}"
    return f"{bar['representative']}: {features}, radius {short(bar['radius'], 3)}{weight}, {bar['fate']}"


def pins(selected: list[int], x: Axis, y: Axis) -> list[Mark]:
    """The ranks of the first selected features at their positions; numbers that would touch are left out."""
    marks: list[Mark] = []
    taken = [-100.0]
    ends = y.value(y.end - 6), y.value(y.end + 6)
    for rank, place in enumerate(selected, start=1):
        at = place + 0.5
        marks.append(rule(at, ends[0], at, ends[1], "pin"))
        if min(abs(x.place(at) - other) for other in taken) > 14:
            marks.append(Lettering(at, y.high, str(rank), "tick middle", 0, 20))
            taken.append(x.place(at))
    return marks
