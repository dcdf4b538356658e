"""The normal scores of a feature as bars: large ties in colour, so that steps and two values are visible."""

from __future__ import annotations

from qpfs.report.pictures.axes import Axis, Panel, Picture, tick_text
from qpfs.report.pictures.marks import Box, Mark, rule
from qpfs.report.schema import FeatureRecord, ScoresRecord
from qpfs.wording import counted

WIDTH, HEIGHT, BASE = 238.0, 62.0, 40.0


def score_bars(feature: FeatureRecord) -> Picture | None:
    """How many samples have each score, those of large ties in colour."""
    found = feature.get("normal_scores")
    if found is None:
        return None
    edges = found["edges"]
    shown = [(float(t), tick_text(t).replace("-", "−")) for t in range(-3, 4) if edges[0] <= t <= edges[-1]]
    x = Axis(edges[0], edges[-1], 5, WIDTH - 5, ticks=shown)
    y = Axis(0, max(found["counts"], default=0) or 1, BASE, 3)
    slot = (edges[-1] - edges[0]) / (len(edges) - 1)
    marks: list[Mark] = []
    for place, (n, tied) in enumerate(zip(found["counts"], found["tied"], strict=True)):
        left, wide = edges[0] + slot * place, slot - (x.value(1) - x.value(0))
        marks += [Box(left, 0, wide, tied, "bar")] if tied else []
        marks += [Box(left, tied, wide, n - tied, "bar rest")] if n > tied else []
    marks.append(rule(x.low, 0, x.high, 0, "axis"))
    title = f"Normal scores of {feature['feature']}"
    return Picture(title, described(found), WIDTH, HEIGHT, [Panel(x, y, marks)])


def described(found: ScoresRecord) -> str:
    """How many values there are, and the largest tie."""
    n = sum(found["counts"]) or 1
    share = f"{found['largest'] / n:.0%} of the samples"
    return f"{counted(found['n_values'], 'value')}; the most frequent in {share}"
