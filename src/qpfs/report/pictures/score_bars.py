"""The normal scores of a feature as bars: large ties in colour, so that steps and two values are seen."""

from __future__ import annotations

from typing import Any

from qpfs.report.pictures.svg import figure, line, rect, text, tick_text
from qpfs.wording import counted

WIDTH, HEIGHT, BASE = 238, 56, 40
TICKS = (-3, -2, -1, 0, 1, 2, 3)


def score_bars(feature: dict[str, Any]) -> str:
    """How many samples have each score, those of large ties in colour."""
    found = feature["normal_scores"]
    edges, slot = found["edges"], (WIDTH - 10) / (len(found["edges"]) - 1)
    scale = (BASE - 3) / (max(found["counts"], default=0) or 1)
    parts = []
    for place, (n, tied) in enumerate(zip(found["counts"], found["tied"], strict=True)):
        x = 5 + slot * place
        for size, above, kind in ((tied, 0, "bar"), (n - tied, tied, "bar rest")):
            if size:
                parts.append(rect(x, BASE - (above + size) * scale, slot - 1, size * scale, class_=kind))
    parts.append(line(5, BASE, WIDTH - 5, BASE, class_="axis"))
    for tick in TICKS:
        if edges[0] <= tick <= edges[-1]:
            at = 5 + (WIDTH - 10) * (tick - edges[0]) / (edges[-1] - edges[0])
            parts.append(line(at, BASE, at, BASE + 3, class_="axis"))
            parts.append(text(at, BASE + 14, tick_text(tick).replace("-", "−"), class_="tick middle"))
    return figure(WIDTH, HEIGHT, f"Normal scores of {feature['feature']}", described(found), *parts)


def described(found: dict[str, Any]) -> str:
    """How many values there are, and the largest tie."""
    n = sum(found["counts"]) or 1
    share = f"{found['largest'] / n:.0%} of the samples"
    return f"{counted(found['n_values'], 'value')}; the most frequent in {share}"
