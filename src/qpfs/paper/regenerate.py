"""One call that regenerates the publication's tables and figures."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

import qpfs
from qpfs.data import UsageError
from qpfs.evaluation import Records
from qpfs.files import check_apart, check_folder_free, write_folder
from qpfs.paper.documents import documents, paper_record
from qpfs.paper.outcomes import RUN, Checked
from qpfs.paper.plan import FULL, QUICK, Extent, PaperPlan, Plain, Shape
from qpfs.paper.results import Results
from qpfs.paper.running import Tick, carry_out, measure_costs
from qpfs.paper.sets import DATA_SETS, file_of, folder_of, set_at_hand, table_of
from qpfs.selectors.parameters import checked_n_jobs

RECORDS = "records.jsonl"
FILES = ("paper.html", "paper.md")


@dataclass(frozen=True)
class Regenerated:
    """What was written, and what a person should know.

    Attributes
    ----------
    paths : list of Path
        The files written: the page first, then the document, then the tables.
    missing : list of str
        Sets of the publication that could not be read, and why.
    notes : list of str
        The main findings.
    """

    paths: list[Path]
    missing: list[str]
    notes: list[str]


def paper(
    out: str | Path,
    *,
    quick: bool = False,
    data: str | None = None,
    sets: Sequence[str] | None = None,
    jobs: int = 1,
    force: bool = False,
    tick: Tick | None = None,
) -> Regenerated:
    """Regenerate the publication's tables and figures, with its numbers beside ours.

    What is done is on record in the folder: a run that is interrupted continues when it is started again, and
    ends with the same tables.

    Parameters
    ----------
    out : path
        The folder for the page, the tables and the records.
    quick : bool, default=False
        A first look in minutes: few parameters, few splits.
    data : str or None, default=None
        The folder with the data sets; None for the one that QPFS_DATA names. WDBC needs none.
    sets : sequence of str or None, default=None
        Only these sets, by name; None for all at hand.
    jobs : int, default=1
        Processes side by side; the tables do not depend on it. Time and memory are measured one by one.
    force : bool, default=False
        Whether to begin anew, and to replace what another run left in the folder.
    tick : callable or None, default=None
        Called after each task with (done, in all, seconds left, name).

    Returns
    -------
    outcome : Outcome
        The files, what is missing, and the main findings.

    Examples
    --------
    >>> from qpfs.paper import paper
    >>> outcome = paper("results", quick=True)                                      # doctest: +SKIP
    """
    checked_n_jobs(jobs)
    folder, extent = folder_of(data), QUICK if quick else FULL
    names = readable(wanted(sets, extent), folder)
    out = Path(out)
    records = out / f"{extent.name}-{RECORDS}"
    begin(out, records, force, [file_of(name, folder) for name in names])
    plan = PaperPlan(extent, {name: shape_of(name, folder) for name in names})
    return regenerated(plan, out, records, folder, jobs, tick)


def regenerated(
    plan: PaperPlan, out: Path, records: Path, folder: Path | None, jobs: int = 1, tick: Tick | None = None
) -> Regenerated:
    """Has everything in a plan on record, and writes what that makes."""
    run = run_facts(plan, records)
    carry_out(plan.first(), records, folder, jobs, tick)
    with Records(records) as known:
        rest = Results(plan, Checked(known, plan.shapes)).remaining()
    carry_out(rest, records, folder, jobs, tick)
    measure_costs(plan.costs(), records, folder, tick)
    with Records(records) as known:
        record = paper_record(Results(plan, Checked(known, plan.shapes)), run)
    paths = write_folder(out, documents(record), last=FILES[0])
    return Regenerated(paths, record["missing"], record["findings"])


def wanted(sets: Sequence[str] | None, extent: Extent) -> list[str]:
    """The names of the sets that were asked for; raises UsageError for one that is not known."""
    unknown = [name for name in sets or () if name not in DATA_SETS]
    if unknown:
        raise UsageError(f"There is no set {unknown[0]!r} in the plan; it has {', '.join(DATA_SETS)}.")
    names = [name for name in extent.sets if sets is None or name in sets]
    if not names:
        raise UsageError(f"A {extent.name} run leaves out {', '.join(sets or ())}; ask for a full one.")
    return names


def readable(names: list[str], folder: Path | None) -> list[str]:
    """Those of the sets that are at hand; raises UsageError if none is."""
    found = [name for name in names if set_at_hand(name, folder)]
    if not found:
        raise UsageError(
            f"Not at hand: {', '.join(names)}. Name the folder that holds NAME.npz with --data, or by "
            "QPFS_DATA."
        )
    return found


def begin(out: Path, records: Path, force: bool, read: Sequence[Path | None]) -> None:
    """Sees to it that no page but that of the same run is replaced unasked; force begins the run anew."""
    check_apart([records, *(out / name for name in FILES)], read)
    if force:
        records.unlink(missing_ok=True)
    elif not records.exists():
        check_folder_free(out, list(FILES), force=False)


def shape_of(name: str, folder: Path | None) -> Shape:
    table = table_of(name, folder)
    return Shape(table.n_samples, table.n_features, len(np.unique(table.y)), table.checksum)


def run_facts(plan: PaperPlan, records: Path) -> Plain:
    """When and with what a run began: on record, so that it is the same when the run is continued."""
    only = (
        ""
        if len(plan.shapes) == len(plan.extent.sets)
        else "".join(f" --only {name}" for name in plan.shapes)
    )
    key = {"task": "run", "extent": plan.extent.name, "sets": list(plan.shapes), "qpfs": qpfs.__version__}
    facts = {
        "command": f"qpfs paper{' --quick' * (plan.extent.name == 'quick')}{only}",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": ", ".join(
            f"{name} {version_of(name)}" for name in ("qpfs", "scikit-learn", "numpy", "numba")
        ),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, "
        f"Python {platform.python_version()}",
    }
    with Records(records) as known:
        found: Plain = known.add(key, facts, RUN)
    n_tasks = len(plan.first()) + len(plan.costs())
    return found | {"took": f"{n_tasks:,} tasks, and what follows from their outcomes"}


def version_of(name: str) -> str:
    return qpfs.__version__ if name == "qpfs" else version(name)
