"""A run that is killed and started again ends with the same table, to the byte."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from unittest.mock import patch

import pytest
from tests.apart import Begun

SCRIPT = """
import json, sys
import numpy as np
from qpfs import IKMAQPFS, QPFS
from sklearn.model_selection import LeaveOneOut, StratifiedShuffleSplit
from qpfs.evaluation import compare, error_curve
rng = np.random.default_rng(0)
y = np.arange(24) % 2
X = rng.normal(size=(24, 200)) + y[:, None] * (np.arange(200) < 8)
sizes = [1, 3, 10, 40]
records, out = sys.argv[1:3]
curve = error_curve(QPFS(), X, y, cv=LeaveOneOut(), sizes=sizes, records=records, n_jobs=2)
methods = {"qpfs": QPFS(), "ikma": IKMAQPFS()}
outer = StratifiedShuffleSplit(4, train_size=0.6, random_state=0)
how = {"cv": outer, "inner_cv": 2, "sizes": sizes, "records": records, "n_jobs": 2}
found = compare(methods, X, y, **how).record
del found["created"], found["seconds"]
for method in found["methods"]:
    del method["seconds"]
with open(out, "w") as file:
    json.dump([curve.table(), curve.notes, found], file)
"""
N_RECORDS = 24 + 2 * 4 * 3 + 4


def start(records, out):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(records), str(out)])


def finished(records, out):
    assert start(records, out).wait() == 0
    return out.read_bytes()


def finished_here(records, out):
    """The same in this process; another takes seconds to begin."""
    with patch.object(sys, "argv", ["script", str(records), str(out)]):
        exec(SCRIPT, {"__name__": "script"})
    return out.read_bytes()


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_after(records, out, n, delay):
    """Starts a run, and kills it some time after it has n records more."""
    there = lines(records)
    child = Begun(SCRIPT, records, out)
    while lines(records) < there + n and not child.end.done():
        time.sleep(0.001)
    time.sleep(delay)
    if not child.end.done():
        child.send(signal.SIGKILL)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The answer of a run that nobody interrupts."""
    folder = tmp_path_factory.mktemp("whole")
    return finished_here(folder / "records.jsonl", folder / "answer.json")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_moments(tmp_path, whole, seed):
    rng = random.Random(seed)
    broken, out = tmp_path / "broken.jsonl", tmp_path / "broken.json"
    for _ in range(3):
        kill_after(broken, out, rng.randrange(1, 10), rng.random() / 50)
    assert finished(broken, out) == whole
    keys = [json.dumps(json.loads(line)["key"]) for line in broken.read_text().splitlines()[1:]]
    assert len(set(keys)) == len(keys) == N_RECORDS


def test_killed_once(tmp_path, whole):
    broken, out = tmp_path / "broken.jsonl", tmp_path / "broken.json"
    kill_after(broken, out, 12, 0.01)
    assert not out.exists()
    assert 12 <= lines(broken) < N_RECORDS
    assert finished_here(broken, out) == whole
