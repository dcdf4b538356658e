"""One call that regenerates the publication's tables and figures."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import qpfs
from qpfs.checks import checked_n_jobs
from qpfs.data import UsageError
from qpfs.evaluation import Records
from qpfs.evaluation.runs import Tick
from qpfs.files import check_apart, check_folder_free, write_folder
from qpfs.kinds import TEXT, Fields
from reproduction.documents import documents, paper_record
from reproduction.methods import COMPARED
from reproduction.plan import FULL, QUICK, Extent, PaperPlan, Plain
from reproduction.results import Results
from reproduction.sets import DATA_SETS, DataSet, file_of, folder_of, set_at_hand, table_of
from reproduction.work import SetWork

RUN = Fields(dict.fromkeys(("command", "date", "versions", "machine"), TEXT))
RECORDS = "records.jsonl"
FILES = ("paper.html", "paper.md")


@dataclass(frozen=True)
class Regenerated:
    """The files written, the page first; what could not be read, and why; the main findings.

    `lacks` is what the run lacks of a full one with all sets; empty if nothing.
    """

    paths: list[Path]
    missing: list[str]
    notes: list[str]
    lacks: str


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
    """Regenerate the publication's tables and figures in a folder, with its numbers beside ours.

    What is done is on record there: a run that is interrupted continues when it is started again, and ends
    with the same tables. `data` is the folder with the data sets, None for the one that QPFS_DATA names;
    `sets` are the only ones, None for all at hand; `force` begins anew, and replaces what another run left.
    """
    checked_n_jobs(jobs)
    folder, extent = folder_of(data), QUICK if quick else FULL
    names = readable(wanted(sets, extent), folder)
    out = Path(out)
    records = out / f"{extent.name}-{RECORDS}"
    begin(out, records, force, [file_of(name, folder) for name in names])
    plan = PaperPlan(extent, {name: table_of(name, folder).shape for name in names})
    return regenerated(plan, out, records, folder, jobs, tick)


def regenerated(
    plan: PaperPlan, out: Path, records: Path, folder: Path | None, jobs: int = 1, tick: Tick | None = None
) -> Regenerated:
    """Has everything in a plan on record, and writes what that makes."""
    with Records(records) as known:
        run = run_facts(plan, known)
        record = paper_record(results_of(plan, known, folder, jobs, tick), run)
    paths = write_folder(out, documents(record), last=FILES[0])
    return Regenerated(paths, record["missing"], record["findings"], lacking(plan))


def lacking(plan: PaperPlan) -> str:
    """What a run lacks of a full one with all sets, in words; empty if nothing."""
    if plan.extent is not FULL:
        return f"it is a {plan.extent.name} one"
    n, every = len(plan.sets()), len(plan.extent.sets)
    return "" if n == every else f"it has {n} of {every} data sets"


def results_of(
    plan: PaperPlan, records: Records, folder: Path | None, jobs: int, tick: Tick | None
) -> Results:
    """What comes of every set in turn; costs last, when nothing else runs."""

    def work(one: DataSet) -> SetWork:
        return SetWork(plan, one, table_of(one.name, folder), records, jobs, tick)

    found = {one.name: work(one).results() for one in plan.sets()}
    figures = {
        name: work(DATA_SETS["colon"]).tried(COMPARED["ikm"], grid) for name, grid in plan.figures().items()
    }
    clusters = work(plan.clusters()).clusters()
    for one in plan.sets():
        found[one.name].costs.update(work(one).costs())
    return Results(plan, found, figures, clusters)


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


def run_facts(plan: PaperPlan, records: Records) -> Plain:
    """When and with what a run began: on record, so that it is the same when the run is continued."""
    some = len(plan.shapes) < len(plan.extent.sets)
    only = "".join(f" --only {name}" for name in plan.shapes) if some else ""
    facts = {
        "command": f"python -m reproduction{' --quick' * (plan.extent.name == 'quick')}{only}",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": ", ".join(f"{name} {version(name)}" for name in ("scikit-learn", "numpy", "numba")),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, "
        f"Python {platform.python_version()}",
    }
    key = {"what": "run", "extent": plan.extent.name, "sets": list(plan.shapes), "qpfs": qpfs.__version__}
    found: Plain = records.add(key, facts, RUN)
    return found | {"versions": f"qpfs {qpfs.__version__}, {found['versions']}"}
