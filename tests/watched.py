"""Reads planted files in this process, and prints what Python itself tells of it: code run, files opened.

To be run in a process of its own, for what watches (`sys.addaudithook`) cannot be taken off again.
"""

from __future__ import annotations

import ast
import ctypes
import json
import os
import struct
import sys
import sysconfig
import warnings
from contextlib import contextmanager
from pathlib import Path

NEVER = (
    "code.",
    "compile",
    "ctypes.",
    "exec",
    "ftplib.",
    "function.",
    "http.",
    "import",
    "marshal.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pickle.",
    "pty.",
    "shelve.",
    "shutil.unpack_archive",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "urllib.",
    "webbrowser.",
)


OPENED = 0x20  # as inotify has it


class Openings:
    """The files of a folder that were opened, also by libraries that do not tell Python; on Linux alone."""

    def __init__(self, folder):
        self.queue = None
        if sys.platform.startswith("linux"):
            system = ctypes.CDLL(None)
            self.queue = system.inotify_init1(os.O_NONBLOCK)
            assert system.inotify_add_watch(self.queue, os.fsencode(folder), OPENED) >= 0

    def since(self):
        """Their names, of those that were opened since this was last asked."""
        found, place = [], 0
        try:
            data = b"" if self.queue is None else os.read(self.queue, 1 << 16)
        except BlockingIOError:
            return []
        while place < len(data):
            (size,) = struct.unpack_from("12xI", data, place)
            found.append(data[place + 16 : place + 16 + size].rstrip(b"\0").decode())
            place += 16 + size
        return found


class Watch:
    """What happens while `on`, that a reader of data has no reason for."""

    def __init__(self, folder, elsewhere):
        self.on = False
        self.openings = Openings(elsewhere)
        self.seen = []
        libraries = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), Path(__file__).parents[1]]
        self.known = [Path(one).resolve() for one in (folder, *libraries)]
        sys.addaudithook(self.hook)

    def hook(self, event, arguments):
        if not self.on:
            return
        self.on = False  # for what is done here
        try:
            if event == "open" and self.is_strange(arguments[0]):
                self.seen.append(f"open {arguments[0]}")
            elif event.startswith(NEVER) and not self.is_parsing(event):
                self.seen.append(f"{event} {str(arguments)[:200]}")
        finally:
            self.on = True

    def is_strange(self, path):
        if isinstance(path, int):
            return False
        where = Path(os.fsdecode(path)).resolve()
        memory = where.is_relative_to("/sys/fs/cgroup") or where.is_relative_to(f"/proc/{os.getpid()}")
        return not (memory or any(where.is_relative_to(one) for one in self.known))

    def is_parsing(self, event):
        """Whether text is only taken apart, as `ast.literal_eval` does: nothing of it is run."""
        return event == "compile" and sys._getframe(2).f_code is ast.parse.__code__

    @contextmanager
    def ing(self):
        self.seen.clear()
        self.openings.since()
        self.on = True
        try:
            yield self.seen
        finally:
            self.on = False
            self.seen += [f"opened elsewhere: {name}" for name in self.openings.since()]


def told(watch, name, read):
    """Prints what reading came to, and what was seen meanwhile."""
    from qpfs.codes import StoreError
    from qpfs.data import UnreadableError, UsageError
    from qpfs.evaluation.records import RecordsError
    from qpfs.report import RecordError

    with watch.ing() as seen:
        try:
            read()
            said = "read"
        except (UnreadableError, UsageError, StoreError, RecordsError, RecordError) as error:
            said = f"refused: {error}"
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps({"name": name, "said": said, "seen": list(seen)}) + "\n")
    sys.stdout.flush()


def whole(path, reading):
    from qpfs.data import open_problem

    open_problem(str(path), reading)


def by_columns(path, reading):
    import numpy as np

    from qpfs.data import open_stream

    with open_stream(str(path), reading, scratch=path.with_name("scratch"), memory=10**9) as streamed:
        streamed.columns.numbers(np.flatnonzero(streamed.columns.numeric))
        for feature in np.flatnonzero(~streamed.columns.numeric):
            streamed.columns.labels(int(feature))


def as_columns(path, reading):
    from qpfs.data import open_columns

    open_columns(str(path), reading)


WAYS = {"whole": whole, "by columns": by_columns, "as columns": as_columns}


def stored(path):
    from qpfs import QPFS, open_store

    table = open_store(path)
    QPFS(2).fit(table, table.y)


def gone_on(path):
    """A store made from its beginning."""
    from tests.codes.test_disk_writing import ABOUT, X

    from qpfs import ThreeSegments
    from qpfs.codes import columns_of
    from qpfs.codes.disk_writing import write_columns

    write_columns(columns_of(X), ThreeSegments(), path, ABOUT)


def recorded(path):
    from qpfs.evaluation import Records

    with Records(path) as found:
        list(found.rows())


def drawn(path):
    """The page of a record; the names that `apply` would take from it."""
    from qpfs.cli.apply import selected_in
    from qpfs.cli.redraw import is_comparison, read_record
    from qpfs.report import comparison_page, selection_page

    record = read_record(path)
    if is_comparison(record):
        comparison_page(record)
    else:
        selection_page(record)
        selected_in(record, path)


def plain_records(folder):
    """Records of a selection and of a comparison."""
    from sklearn.datasets import load_wine

    from qpfs import IKMAQPFS
    from qpfs.report import selection_record

    X, y = load_wine(return_X_y=True, as_frame=True)
    selection = selection_record(IKMAQPFS(4).fit(X, y), X=X)
    curve = [{"k": k, "score": 0.2 / k, "low": None, "high": None} for k in (1, 2, 4)]
    tree = {"class": "sklearn.tree._classes.DecisionTreeClassifier", "parameters": {"max_depth": 3}}
    comparison = {
        "schema": "qpfs-comparison/2",
        "qpfs": "1.0",
        "created": "2030-01-01",
        "data": {"source": "a.csv", "n_samples": 9, "n_features": 4},
        "protocol": {"text": "Ten folds.", "estimator": tree},
        "methods": [{"name": "qpfs", "title": "QPFS", "curve": curve}],
    }
    for name, record in (("selection", selection), ("comparison", comparison)):
        (folder / f"{name}.json").write_text(json.dumps(record))
    return selection, comparison


def reading_of(said, folder, kind):
    from qpfs.data import Reading

    given = said if isinstance(said, dict) else {"labels": str(folder / "labels.npy")}
    return Reading(**given, format=kind)


CLEAN = ("a.csv", "late.tsv", "groups.parquet", "lz4.feather", "stream.arrows", "a.npy", "a.npz", "a.svm")
CLEAN += ("a.h5ad", "csr.h5ad", "a.bed", "a.arff")


def warm_up(folder):
    """Reads what is as it should be, and what is cut short: all that is imported for that is at hand then."""
    from contextlib import suppress

    from tests import planted_files as planted
    from tests.data.stored_tables import TABLES

    from qpfs.data import Reading

    clean = folder / "clean"
    clean.mkdir()
    tables = [(clean / name, TABLES[name](clean / name)) for name in CLEAN]
    (clean / "quoted.csv").write_text('"a",b,y\n' + '"1",2,0\n' * 9 + '2,"3",1\n' * 9)
    tables.append((clean / "quoted.csv", ["--target", "y"]))
    options = {"--target": "target", "--labels": "labels", "--groups": "groups", "--layer": "layer"}
    readings = [
        (path, {options[one]: str(said[i + 1]) for i, one in enumerate(said) if one in options})
        for path, said in tables
    ]
    planted.modern(lambda file, elsewhere: None)(clean / "modern.mat", None)
    planted.mat_oldest(clean / "oldest.mat", None)
    five = planted.matrix(6, (60, 20), planted.element(9, planted.NUMBERS.tobytes()))
    (clean / "five.mat").write_bytes(planted.mat(five))
    readings += [(path, {"labels": str(folder / "labels.npy")}) for path in clean.glob("*.mat")]
    for path, said in readings:
        for cut in (False, True):
            if cut:
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            for read in WAYS.values():
                with suppress(Exception):
                    read(path, Reading(**said))
    planted.small_store(clean / "a.qpfs")
    stored(clean / "a.qpfs")
    gone_on(clean / "b.qpfs")
    recorded(clean / "records.jsonl")
    for name in ("selection", "comparison"):
        drawn(folder / f"{name}.json")


def main(folder, elsewhere):
    """Writes and reads every planted file."""
    import pickle

    import h5py
    import numpy as np
    from tests import planted_files as planted

    from qpfs.codes import disk_draft
    from qpfs.data import Reading

    warnings.simplefilter("ignore")
    disk_draft.strip_width = lambda n_samples: 60
    watch, folder = Watch(folder, elsewhere), Path(folder)
    there = planted.Elsewhere.made(Path(elsewhere))
    np.save(folder / "labels.npy", planted.Y)
    records = plain_records(folder)
    warm_up(folder)
    marker = folder / "run"
    told(watch, "control: a pickle", lambda: pickle.loads(planted.PICKLE))
    assert marker.exists()
    marker.unlink()
    told(watch, "control: code", lambda: eval("1 + 1"))
    told(watch, "control: a file elsewhere", lambda: there.text.read_bytes())
    told(watch, "control: a library opens it", lambda: h5py.File(there.hdf5).close())
    for kind, cases in planted.FILES.items():
        for number, write in enumerate(cases):
            path = folder / f"{number}.{planted.SUFFIX.get(kind, kind)}"
            reading = reading_of(write(path, there), folder, kind)
            for way, read in WAYS.items():
                told(watch, f"{kind} {number} {way}", lambda p=path, r=reading, read=read: read(p, r))
    for number in range(len(planted.FILES["npy"])):
        reading = Reading(labels=str(folder / f"{number}.npy"))
        told(watch, f"labels {number}", lambda r=reading: whole(folder / "0.csv", r))
    for number, change in enumerate(planted.STORES):
        path = folder / f"{number}.qpfs"
        planted.store(change)(path)
        told(watch, f"store {number}", lambda p=path: stored(p))
    for number, members in enumerate(planted.STRIPS):
        path = folder / f"draft {number}.qpfs"
        planted.draft(path, members)
        told(watch, f"draft {number}", lambda p=path: gone_on(p))
    planted.records(folder / "records.jsonl")
    told(watch, "records", lambda: recorded(folder / "records.jsonl"))
    for number, record in enumerate(one for plain in records for one in planted.planted_records(plain)):
        path = folder / "planted.json"
        path.write_text(json.dumps(record))
        told(watch, f"json {number}", lambda p=path: drawn(p))
    sys.stdout.write(json.dumps({"name": "marker", "said": "", "seen": ["run"] * marker.exists()}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
