"""A store appears whole or not at all, and a run that broke off goes on."""

from __future__ import annotations

import json
import os
import shutil
import signal

import numpy as np
import pytest
from tests.apart import Begun, script
from tests.pairs import in_turn

from qpfs import ThreeSegments, open_store, write_store
from qpfs.codes import columns_of, disk_draft
from qpfs.codes.disk_layout import IN_PLANES, layout_for
from qpfs.codes.disk_table import About
from qpfs.codes.disk_writing import write_columns
from qpfs.codes.forms import Scores

X = np.random.default_rng(0).normal(size=(40, 500))
X[:, 100] = np.arange(40) % 2
ABOUT = About(checksum="sha256:1")


STRIP_WIDTH = disk_draft.strip_width


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 60)


class Broken:
    """Columns that cannot be read from some place on."""

    row_wise = True

    def __init__(self, X, end, error):
        inner = columns_of(X)
        self.__dict__.update(vars(inner))
        self.inner, self.end, self.error = inner, end, error
        self.asked = []

    def numbers(self, features):
        self.asked.append(int(features[0]))
        if features[-1] >= self.end:
            raise self.error
        return self.inner.numbers(features)

    def part(self, features, rows):
        return self.numbers(features)[rows]

    def labels(self, feature):
        return self.inner.labels(feature)

    def name(self, feature):
        return self.inner.name(feature)


@pytest.fixture
def whole(tmp_path):
    path = tmp_path / "whole.qpfs"
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    return path.read_bytes()


ERRORS = [ValueError("bad"), KeyboardInterrupt(), OSError(28, "No space left on device")]


@in_turn(
    end={str(end): end for end in (61, 180, 200, 499)}, error={type(one).__name__: one for one in ERRORS}
)
def test_what_broke_off_goes_on_to_the_same_bytes(tmp_path, whole, end, error):
    path = tmp_path / "a.qpfs"
    with pytest.raises(type(error)):
        write_columns(Broken(X, end, error), ThreeSegments(), path, ABOUT)
    assert not path.exists()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.qpfs.partial", "whole.qpfs"]
    rest = Broken(X, 10**9, None)
    write_columns(rest, ThreeSegments(), path, ABOUT)
    assert min(rest.asked) == end // 60 * 60
    assert path.read_bytes() == whole
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.qpfs", "whole.qpfs"]


def test_scores_that_broke_off_go_on_to_the_same_bytes(tmp_path):
    path, layout = tmp_path / "a.qpfs", layout_for(Scores(2))
    write_columns(columns_of(X), ThreeSegments(), tmp_path / "whole.qpfs", ABOUT, layout=layout)
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT, layout=layout)
    for other in (IN_PLANES, layout_for(Scores(1))):
        with pytest.raises(FileExistsError, match="another run"):
            write_columns(columns_of(X), ThreeSegments(), path, ABOUT, layout=other)
    rest = Broken(X, 10**9, None)
    write_columns(rest, ThreeSegments(), path, ABOUT, layout=layout)
    assert min(rest.asked) == 180
    assert path.read_bytes() == (tmp_path / "whole.qpfs").read_bytes()


def test_a_changed_strip_of_scores_is_made_again(tmp_path):
    path, layout = tmp_path / "a.qpfs", layout_for(Scores(1))
    write_columns(columns_of(X), ThreeSegments(), tmp_path / "whole.qpfs", ABOUT, layout=layout)
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT, layout=layout)
    strip = tmp_path / "a.qpfs.partial" / "strip-000001.npz"
    known = dict(np.load(strip))
    known["columns"][5] = 0
    np.savez(strip, **known)
    rest = Broken(X, 10**9, None)
    write_columns(rest, ThreeSegments(), path, ABOUT, layout=layout)
    assert min(rest.asked) == 60
    assert path.read_bytes() == (tmp_path / "whole.qpfs").read_bytes()


def test_what_broke_off_at_once_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write_columns(Broken(X, 10, KeyboardInterrupt()), ThreeSegments(), tmp_path / "a.qpfs", ABOUT)
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_checksum_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 400, ValueError("bad")), ThreeSegments(), tmp_path / "a.qpfs", About())
    assert list(tmp_path.iterdir()) == []


OTHERS = {
    "another source": (X, ThreeSegments(), About(checksum="sha256:2")),
    "another rule": (X, ThreeSegments(0.5), ABOUT),
    "other names": (X, ThreeSegments(), About(checksum="sha256:1", names=[f"g{j}" for j in range(500)])),
    "another target": (X, ThreeSegments(), About(checksum="sha256:1", targets={"t": np.arange(40)})),
    "read otherwise": (X, ThreeSegments(), About(checksum="sha256:1", reading={"missing": ["-1"]})),
    "another shape": (X[:, :300], ThreeSegments(), ABOUT),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_run_is_not_gone_on_with(tmp_path, other):
    path = tmp_path / "a.qpfs"
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), path, ABOUT)
    data, rule, about = other
    with pytest.raises(FileExistsError, match="another run"):
        write_columns(columns_of(data), rule, path, about)
    write_columns(columns_of(data), rule, path, about, force=True)
    assert open_store(path, verify=True).shape == data.shape
    assert [one.name for one in tmp_path.iterdir()] == ["a.qpfs"]


def test_blocks_of_nobody_knows_what_are_not_gone_on_with(tmp_path, whole):
    path, partial = tmp_path / "a.qpfs", tmp_path / "a.qpfs.partial"
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X[::-1], 200, ValueError("bad")), ThreeSegments(), path, ABOUT)
    (partial / "key.json").unlink()
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 300, ValueError("bad")), ThreeSegments(), path, ABOUT)
    assert json.loads((partial / "key.json").read_text())["checksum"] == "sha256:1"
    with pytest.raises(FileExistsError, match="another run"):
        write_columns(columns_of(X), ThreeSegments(0.5), path, ABOUT)
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    assert path.read_bytes() == whole
    assert not partial.exists()


@pytest.mark.parametrize("left", ["nothing", "strips and a key", "a file of someone else"])
def test_a_folder_without_blocks_is_begun_anew(tmp_path, whole, left):
    path, partial = tmp_path / "a.qpfs", tmp_path / "a.qpfs.partial"
    partial.mkdir()
    if left == "strips and a key":  # as of a run that was killed between its last two steps
        with pytest.raises(KeyboardInterrupt):
            write_columns(Broken(X[::-1], 499, KeyboardInterrupt()), ThreeSegments(), path, ABOUT)
        (partial / "blocks").unlink()
    elif left == "a file of someone else":
        (partial / "notes.txt").write_text("mine")
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    assert path.read_bytes() == whole
    kept = [one.name for one in partial.iterdir()] if partial.exists() else []
    assert kept == ["notes.txt"] * (left == "a file of someone else")


def test_a_file_that_took_its_place_is_not_written_to(tmp_path, monkeypatch, whole):
    """Another run ends between the opening of its blocks and the lock."""
    path = tmp_path / "a.qpfs"
    locked, blocks = disk_draft.locked, tmp_path / "a.qpfs.partial" / "blocks"

    def ended(file):
        if not path.exists():
            blocks.write_bytes(b"the store of another run")
            blocks.replace(path)
        return locked(file)

    with monkeypatch.context() as patch:
        patch.setattr(disk_draft, "locked", ended)
        with pytest.raises(FileExistsError, match="exists; choose another"):
            write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    assert path.read_bytes() == b"the store of another run"
    assert not blocks.parent.exists()
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT, force=True)
    assert path.read_bytes() == whole


CHILD = """
import time
from pathlib import Path
import numpy as np
from qpfs import ThreeSegments
from qpfs.codes import columns_of, disk_draft
from qpfs.codes.disk_table import About
from qpfs.codes.disk_writing import write_columns
disk_draft.strip_width = lambda n_samples: 60
X = np.load({data!r})
def tick(done, of, what):
    print(done, flush=True)
    if done >= 240:
        time.sleep(60)
about = About(checksum="sha256:1")
write_columns(columns_of(X), ThreeSegments(), Path({path!r}), about, tick=tick)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a run that was killed."""
    folder = tmp_path_factory.mktemp("killed")
    path = folder / "a.qpfs"
    np.save(folder / "X.npy", X)
    code = CHILD.format(data=str(folder / "X.npy"), path=str(path))
    child = Begun(code)
    child.wait_for(lambda: any(int(line) >= 240 for line in child.said().splitlines()))
    assert child.send(signal.SIGKILL).code == -signal.SIGKILL
    assert not path.exists()
    assert (folder / "a.qpfs.partial" / "strip-000003.npz").exists()
    return folder


@pytest.mark.parametrize("torn", [False, True])
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path, killed, whole, torn):
    path, partial = tmp_path / "a.qpfs", tmp_path / "a.qpfs.partial"
    shutil.copytree(killed / partial.name, partial)
    if torn:  # bytes that were written but not put on record
        with (partial / "blocks").open("ab") as file:
            file.write(b"torn" * 1000)
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT)
    assert path.read_bytes() == whole
    assert not partial.exists()


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path):
    """A limit on the size of files stands for the disk."""
    code = (
        "import resource, signal, sys, numpy as np, qpfs\n"
        "X = np.random.default_rng(0).normal(size=(500, 3000))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n    qpfs.write_store(X, sys.argv[1])\nexcept OSError as error:\n    print(error)\n"
    )
    run = script(code, tmp_path / "a.qpfs")
    assert run.returncode == 0, run.stderr
    assert "cannot be written (File too large)" in run.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_is_not_said_to_be_unwritable(tmp_path):
    error = OSError(5, "Input/output error", "X.npy")
    with pytest.raises(OSError, match="Input/output error") as caught:
        write_columns(Broken(X, 200, error), ThreeSegments(), tmp_path / "a.qpfs", ABOUT)
    assert caught.value is error


def test_what_is_there_is_not_replaced_unasked(tmp_path):
    path = write_store(X, tmp_path / "a.qpfs")
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="exists"):
        write_store(X[:, :10], path)
    assert path.read_bytes() == before
    assert open_store(write_store(X[:, :10], path, force=True)).n_features == 10


def test_a_reader_of_the_old_file_is_not_disturbed(tmp_path):
    table = open_store(write_store(X, tmp_path / "a.qpfs"))
    planes = table.blocks[0].planes.copy()
    write_store(X[::-1], tmp_path / "a.qpfs", force=True)
    np.testing.assert_array_equal(table.blocks[0].planes, planes)


@pytest.mark.parametrize("y", [np.arange(39), np.zeros((40, 2)), "text"])
def test_a_target_of_another_length_is_refused(tmp_path, y):
    with pytest.raises(ValueError, match="for each of 40 samples"):
        write_store(X, tmp_path / "a.qpfs", y)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_would_come_back_as_others_are_refused(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"a": pd.Categorical([(1, 2), (3, 4)] * 20), "b": X[:, 0]})
    with pytest.raises(ValueError, match=r"column 'a' has the label \(\d, \d\), a tuple"):
        write_store(frame, tmp_path / "a.qpfs")


def test_labels_of_every_plain_kind_come_back(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(
        {
            "text": pd.Categorical(["a", "b"] * 20),
            "whole": pd.Categorical([3, 4] * 20),
            "real": pd.Categorical([0.1, 1e300] * 20),
            "truth": pd.Categorical([True, False] * 20),
        }
    )
    table = open_store(write_store(frame, tmp_path / "a.qpfs"))
    found = [sorted(table.coding.labels[j], key=str) for j in range(4)]
    assert found == [["a", "b"], [3, 4], [0.1, 1e300], [False, True]]
    assert [type(one[0]) for one in found] == [str, int, float, bool]


TALL = np.random.default_rng(1).normal(size=(20_000, 150))  # read in pieces of rows
LARGE = np.random.default_rng(1).normal(size=(3000, 900))  # whose blocks in memory are shared by threads


@pytest.mark.parametrize("values", [X, LARGE, TALL], ids=["small", "large", "tall"])
@pytest.mark.parametrize("measure", [None, "rank"])
def test_the_file_does_not_depend_on_threads(tmp_path, monkeypatch, values, measure):
    monkeypatch.setattr(disk_draft, "strip_width", STRIP_WIDTH)
    one, *others = (
        write_store(values, tmp_path / f"{n}.qpfs", measure=measure, n_jobs=n).read_bytes() for n in (1, 2, 3)
    )
    assert all(other == one for other in others)


def test_the_key_of_a_run_is_plain_text(tmp_path):
    with pytest.raises(ValueError, match="bad"):
        write_columns(Broken(X, 200, ValueError("bad")), ThreeSegments(), tmp_path / "a.qpfs", ABOUT)
    key = json.loads((tmp_path / "a.qpfs.partial" / "key.json").read_text())
    assert key["checksum"] == "sha256:1"


def test_two_runs_do_not_write_one_store(tmp_path):
    class Meanwhile(Broken):
        def numbers(self, features):
            with pytest.raises(FileExistsError, match="another run; wait"):
                write_columns(columns_of(X), ThreeSegments(), tmp_path / "a.qpfs", ABOUT)
            return super().numbers(features)

    write_columns(Meanwhile(X, 10**9, None), ThreeSegments(), tmp_path / "a.qpfs", ABOUT)
    assert open_store(tmp_path / "a.qpfs", verify=True).shape == X.shape


def cut(path):
    path.write_bytes(path.read_bytes()[:200])


def emptied(path):
    path.write_bytes(b"")


def altered(path):
    data = bytearray(path.read_bytes())
    data[300:340] = b"?" * 40
    path.write_bytes(data)


@in_turn(
    times=2,
    name={one: one for one in ("strip-000000.npz", "strip-000002.npz", "blocks", "key.json")},
    harm={one.__name__: one for one in (cut, emptied, altered)},
)
def test_what_was_damaged_meanwhile_is_made_again(tmp_path, whole, name, harm):
    path = tmp_path / "a.qpfs"
    with pytest.raises(KeyboardInterrupt):
        write_columns(Broken(X, 200, KeyboardInterrupt()), ThreeSegments(), path, ABOUT)
    harm(tmp_path / "a.qpfs.partial" / name)
    write_columns(columns_of(X), ThreeSegments(), path, ABOUT, force=name == "key.json")
    assert path.read_bytes() == whole


def test_a_file_where_the_beginning_is_kept(tmp_path):
    (tmp_path / "a.qpfs.partial").write_text("mine")
    with pytest.raises(OSError, match=r"a\.qpfs\.partial is a file"):
        write_columns(columns_of(X), ThreeSegments(), tmp_path / "a.qpfs", ABOUT)


@pytest.mark.parametrize(
    ("two", "said"),
    [
        (["a", "a\0"], "holds values that a store cannot keep"),
        ([1, "1"], "holds values that a store cannot keep"),
        ([b"a", b"b"], "holds values that a store cannot keep"),
        ([1j, 2], "holds values that a store cannot keep"),
        ([0.5, np.nan], "has no value for sample 1"),
    ],
)
def test_a_target_that_would_not_come_back_is_refused(tmp_path, two, said):
    with pytest.raises(ValueError, match=f"y {said}"):
        write_store(X, tmp_path / "a.qpfs", np.array(two * 20, object))
    with pytest.raises(ValueError, match=f"y {said}"):
        write_store(X, tmp_path / "a.qpfs", two * 20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("y", [[0, 1] * 20, ["a", "ß"] * 20, [True, False] * 20, [0.5, 2] * 20])
def test_a_target_comes_back_as_it_is(tmp_path, y):
    assert open_store(write_store(X, tmp_path / "a.qpfs", y)).y.tolist() == y


def test_a_device_is_not_written_over(tmp_path):
    os.mkfifo(tmp_path / "a.qpfs")
    with pytest.raises(FileExistsError, match="is a device, a pipe or the like"):
        write_store(X, tmp_path / "a.qpfs", force=True)
