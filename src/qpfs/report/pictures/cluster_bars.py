"""The clusters level by level: a bar is a cluster, as wide as it has features, with its parts beneath it."""

from __future__ import annotations

from typing import Any

from qpfs.report.cluster_tree import DRAWN_FATES
from qpfs.report.names import fitted
from qpfs.report.pictures.svg import element, figure, line, rect, text, titled
from qpfs.wording import counted, short

WIDTH, NARROW, LEFT, ROW, BAR, TOP = 980.0, 388.0, 58.0, 44.0, 36.0, 8.0
NAMED = 64.0  # a narrower bar has no room for a name
TOLD = 5.0  # nor a narrower one for a pointer
FONT = 11.0


def cluster_bars(clusters: dict[str, Any], narrow: bool = False) -> str:
    """All levels drawn, from the top."""
    width = NARROW if narrow else WIDTH
    scale = (width - LEFT) / clusters["n_features"]
    parts = [hatch("hatch-narrow" if narrow else "hatch")]
    for i, level in enumerate(clusters["levels"]):
        top = TOP + ROW * i
        parts.append(text(LEFT - 10, top + BAR / 2 + 4, f"level {level['level']}", class_="tick end"))
        parts += [one for bar in level["bars"] for one in drawn(bar, LEFT + bar["left"] * scale, top, scale)]
    bottom = TOP + ROW * len(clusters["levels"])
    parts += pins(clusters["selected"], scale, bottom)
    n_clusters = {fate: clusters["fates"][fate]["clusters"] for fate in DRAWN_FATES}
    bar_words = "; ".join(f"{fate}: {counted(n, 'cluster')}" for fate, n in n_clusters.items())
    kind = "narrow" if narrow else "tree"
    return figure(width, bottom + 30, "The tree of clusters", bar_words, *parts, class_=kind)


def hatch(name: str) -> str:
    """The pattern of what was discarded, under its own name: one in a picture not shown fills nothing."""
    stroke = element("path", d="M0 6 L6 0", class_="hatch")
    return element(
        "defs",
        element("pattern", stroke, id=name, width=6, height=6, patternUnits="userSpaceOnUse"),
    )


def drawn(bar: dict[str, Any], x: float, top: float, scale: float) -> list[str]:
    """A bar, hatched if discarded, with its name where there is room."""
    width = max(bar["width"] * scale, 0.8)
    inner = max(width - (1.0 if width > 3 else 0.0), 0.8)
    told = titled(bar_words(bar)) if width >= TOLD else ""
    parts = [rect(x, top, inner, BAR, *([told] if told else []), class_=f"fate {bar['fate']}")]
    if bar["fate"] == "discarded":
        parts.append(rect(x, top, inner, BAR, class_="hatched"))
    name = fitted(bar["representative"] or "", (width - 12) / FONT) if width >= NAMED else ""
    if name and bar["representative"] is not None:
        ink = f"bar-name {bar['fate']}"
        parts.append(text(x + 6, top + 15, name, class_=ink))
        parts.append(text(x + 6, top + 29, size_words(bar, width), class_=f"{ink} quiet"))
    return parts


def size_words(bar: dict[str, Any], width: float) -> str:
    size = f"{bar['width']:,}"
    return f"{size} · r {short(bar['radius'], 2)}" if width > 90 and bar["radius"] is not None else size


def bar_words(bar: dict[str, Any]) -> str:
    """All that is known of a bar."""
    features = counted(bar["width"], "feature")
    if bar["representative"] is None:
        return f"{counted(bar['n_clusters'], 'small cluster')}, {features}, {bar['fate']}"
    weight = "" if bar["weight"] is None else f", weight {short(bar['weight'])}"
    return f"{bar['representative']}: {features}, radius {short(bar['radius'], 3)}{weight}, {bar['fate']}"


def pins(selected: list[int], scale: float, bottom: float) -> list[str]:
    """Where the first selected features stand; numbers that would touch are left out."""
    parts, taken = [], [-100.0]
    for rank, place in enumerate(selected, start=1):
        x = LEFT + (place + 0.5) * scale
        parts.append(line(x, bottom - 6, x, bottom + 6, class_="pin"))
        if min(abs(x - other) for other in taken) > 14:
            parts.append(text(x, bottom + 20, str(rank), class_="tick middle"))
            taken.append(x)
    return parts
