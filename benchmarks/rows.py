"""The rows of the table: what was measured, against what, and whether it is enough."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results" / "latest.json"
COLOURS = {"ok": "green", "below": "red", "above": "red", "skipped": "yellow"}


@dataclass(frozen=True)
class Row:
    """One measurement. `bound` is on `ratio`; a row without one is for orientation."""

    what: str
    ours: str
    reference: str = ""
    ratio: float | None = None
    bound: float | None = None
    sense: Literal["at least", "at most"] = "at least"

    @property
    def verdict(self) -> str:
        if self.bound is None:
            return ""
        if self.ratio is None:
            return "skipped"
        if self.sense == "at least":
            return "ok" if self.ratio >= self.bound else "below"
        return "ok" if self.ratio <= self.bound else "above"


def faster(what: str, ours: float, reference: float, bound: float | None = None) -> Row:
    """Seconds against seconds."""
    return Row(what, duration(ours), duration(reference), reference / ours, bound)


def denser(what: str, ours: float, reference: float, bound: float | None = None) -> Row:
    """Pairs per second against pairs per second."""
    return Row(what, rate(ours), rate(reference), ours / reference, bound)


def limited(what: str, value: float, bound: float, shown: str, reference: str = "") -> Row:
    """A number that may not exceed its bound."""
    return Row(what, shown, reference, value, bound, "at most")


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 0.1 else f"{seconds:.3f} s"


def rate(pairs: float) -> str:
    return f"{pairs / 1e6:.2f} M pairs/s"


def show(title: str, rows: Iterable[Row], console: Console) -> None:
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("what", "ours", "reference", "ratio", "at least", "verdict"):
        justify = "left" if heading in ("what", "verdict") else "right"
        table.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*cells(row), style=None if row.bound is not None else "dim")
    console.print(table)


def cells(row: Row) -> list[str]:
    ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
    bound = "" if row.bound is None else f"{row.bound:g}"
    if bound and row.sense == "at most":
        bound = f"at most {bound}"
    colour = COLOURS.get(row.verdict, "default")
    return [row.what, row.ours, row.reference, ratio, bound, f"[{colour}]{row.verdict}[/]"]


def save(facts: dict[str, str], parts: dict[str, list[Row]]) -> Path:
    """The results of this run as JSON, in place of those of the one before."""
    RESULTS.parent.mkdir(exist_ok=True)
    rows = {name: [asdict(row) | {"verdict": row.verdict} for row in rows] for name, rows in parts.items()}
    RESULTS.write_text(json.dumps({"machine": facts, "parts": rows}, indent=1) + "\n")
    return RESULTS
