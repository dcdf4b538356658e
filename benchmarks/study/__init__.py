"""Which defaults serve users best: our methods in many variants and their rivals, on twenty real sets.

`methods.py` lists what is compared, `sets.py` the data and their folds, `running.py` does the work and keeps
a record of each piece, `ranks.py` compares, `chosen.py` names what the page is about, `page.py` writes it.
`python -m benchmarks study` does all of it, hours of one core at first, and resumes where it was stopped;
`python -m benchmarks.study --report` only writes the page from the records there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.rows import Row
from benchmarks.study import page, planted
from benchmarks.study.chosen import AS_PUBLISHED, HEADLINE, OURS, RIVALS
from benchmarks.study.methods import Method, all_methods
from benchmarks.study.ranks import Comparison, read
from benchmarks.study.running import FOLDER, plan, run
from benchmarks.study.sets import SETS, table


def main() -> Iterator[Row]:
    """What is not on record is run, the page is written; yields the rows of both."""
    for record in run(plan(sets_at_hand(), methods_at_hand())):
        print(told(record), flush=True)
    yield from report()


def report() -> Iterator[Row]:
    """Writes the page from what is on record."""
    records = read(FOLDER)
    if not records:
        print("skipped: there are no records to report")
        return
    yield from results(page.write(records))
    yield from planted.rows()


def sets_at_hand() -> list[str]:
    found = [name for name in SETS if table(name) is not None]
    if missing := set(SETS) - set(found):
        print(f"skipped: {', '.join(sorted(missing))} not in the data folder (set QPFS_DATA)")
    return found


def methods_at_hand() -> list[Method]:
    listed = all_methods()
    for method in listed:
        if method.missing is not None:
            print(f"skipped: {method.name}, the package {method.missing} is not installed")
    return [method for method in listed if method.missing is None]


def told(record: dict[str, Any]) -> str:
    """A record in a line."""
    what = f"{record['set']}, fold {record['fold']}, {record['method']}: "
    if "errors" not in record:
        return what + record.get("failed", "too slow")
    errors = ", ".join(
        f"{one} {100 * sum(by.values()) / len(by):.1f} %" for one, by in record["errors"].items()
    )
    return f"{what}{errors}, {record['seconds']:.2f} s"


def results(head: Comparison) -> Iterator[Row]:
    """Mean ranks; bounded: the best of ours beside the best rival, each of ours beside its published form."""
    ranks = dict(zip(head.methods, head.test.ranks, strict=True))
    for name in sorted(ranks, key=ranks.__getitem__):
        yield Row(f"mean rank of {HEADLINE[name][0]} ({name})", f"{ranks[name]:.2f}")
    ours = [name for name in OURS.values() if name in ranks]
    rivals = [name for name in RIVALS.values() if name in ranks]
    if ours and rivals:
        yield beside(
            "the best of ours; reference: the best rival",
            min(map(ranks.get, ours)),
            min(map(ranks.get, rivals)),
        )
    for label, name in OURS.items():
        old = AS_PUBLISHED.get(label)
        if name in ranks and old in ranks:
            yield beside(f"{label} at the defaults; reference: as published", ranks[name], ranks[old])


def beside(what: str, ours: Any, reference: Any) -> Row:
    """Mean ranks, of which ours is to be the lower."""
    return Row(f"mean rank of {what}", f"{ours:.2f}", f"{reference:.2f}", reference / ours, 1.0)
