"""What other systems lack, or do otherwise: acted out here, for the tests run on Linux most of the time."""

from __future__ import annotations

import ctypes
import errno
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.cli.command import qpfs
from tests.windows import MODULES, pretend, refuse_open, strict_files

from qpfs import files, memory
from qpfs.codes import write_store
from qpfs.evaluation import Records, measuring

linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs a list of open files")


@pytest.fixture
def windows(monkeypatch):
    strict_files(monkeypatch)
    pretend(monkeypatch, *MODULES)
    yield
    monkeypatch.undo()


@linux
def test_the_acted_windows_is_strict(tmp_path, windows):
    path = tmp_path / "a"
    with path.open("wb"), pytest.raises(PermissionError):
        path.unlink()
    with path.open("wb"), pytest.raises(PermissionError):
        path.replace(tmp_path / "b")
    path.write_bytes(b"12345678")
    mapped = np.memmap(path, np.uint8, "r")
    with pytest.raises(PermissionError):
        refuse_open(path)
    del mapped
    path.unlink()


@linux
@pytest.mark.parametrize("force", [True, False])
def test_files_and_folders_are_written(tmp_path, windows, force):
    files.write_whole(tmp_path / "a.txt", "text", force=force)
    files.write_folder(tmp_path / "new", {"a": "1", "z": "2"}, last="a", force=force)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "text"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "new"]
    if force:
        files.write_folder(tmp_path / "new", {"a": "3", "z": "4"}, last="a")
        assert (tmp_path / "new" / "a").read_text(encoding="utf-8") == "3"


@linux
def test_a_folder_that_another_run_has_made_meanwhile_is_filled(tmp_path, windows):
    (tmp_path / "staged").mkdir()
    (tmp_path / "out").mkdir()

    class Late(type(tmp_path)):
        """A folder that is there, but not when it is first looked for."""

        looks = 0

        def exists(self, **known):
            self.looks += 1
            return self.looks > 1

    assert not files.appeared(tmp_path / "staged", Late(tmp_path / "out"))
    with pytest.raises(OSError, match="No such file"):
        files.appeared(tmp_path / "none", tmp_path / "new")


@linux
def test_a_store_is_written_and_written_again(tmp_path, windows):
    X = np.random.default_rng(0).normal(size=(40, 30))
    for _ in range(2):
        write_store(X, tmp_path / "a.qpfs", y=np.arange(40) % 2, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.qpfs"]


@linux
def test_the_commands_write_their_files(tmp_path, windows):
    rows = np.random.default_rng(0).normal(size=(40, 5)).round(3)
    lines = ["a,b,c,d,e,y", *(",".join(map(str, row)) + f",{i % 2}" for i, row in enumerate(rows))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for arguments in (
        ("encode", "t.csv", "--target", "y", "--out", "t.qpfs"),
        ("encode", "t.csv", "--target", "y", "--out", "t.qpfs", "--force"),
        ("select", "t.qpfs", "--top", "2", "--out", "result"),
        ("select", "t.csv", "--target", "y", "--top", "2", "--out", "result", "--force"),
        ("apply", "result/selection.json", "t.csv", "--out", "less.csv"),
    ):
        run = qpfs(*arguments, cwd=tmp_path)
        assert run.returncode == 0, (arguments, run.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["less.csv", "result", "t.csv", "t.qpfs"]


class Locking:
    """`msvcrt`, whose lock is tried for ten seconds and then given up; others have it for some tries."""

    LK_LOCK, LK_UNLCK = 1, 0

    def __init__(self, busy):
        self.busy = busy
        self.calls = []

    def locking(self, file, mode, n_bytes):
        assert n_bytes == 1
        self.calls.append(mode)
        if mode == self.LK_LOCK and self.busy:
            self.busy -= 1
            raise OSError(errno.EDEADLK, "Resource deadlock avoided")


def test_records_wait_for_a_lock_as_long_as_it_takes(tmp_path, monkeypatch):
    locks = Locking(busy=2)
    monkeypatch.setattr(files, "FAR", 2**40)  # farther than that there is nothing on Linux
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    pretend(monkeypatch, "qpfs.files")
    records = Records(tmp_path / "records.jsonl")
    records.add({"a": 1}, {"b": 2})
    records.close()
    assert locks.calls == [1, 1, 1, 0, 1, 0]
    with Records(tmp_path / "records.jsonl") as again:
        assert again.get({"a": 1}) == {"b": 2}


def test_a_lock_that_cannot_be_had_is_an_error(tmp_path, monkeypatch):
    class Broken(Locking):
        def locking(self, *_):
            raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setitem(sys.modules, "msvcrt", Broken(0))
    pretend(monkeypatch, "qpfs.files")
    with pytest.raises(OSError, match="cannot be written"):
        Records(tmp_path / "records.jsonl")


class Kernel32:
    """The two questions about memory that Windows is asked."""

    def __init__(self, works=True):
        self.works = works

    def GlobalMemoryStatusEx(self, found):  # noqa: N802
        found._obj.total = 8 << 30
        assert found._obj.length == ctypes.sizeof(found._obj) == 64
        return self.works

    def GetCurrentProcess(self):  # noqa: N802
        return -1

    def K32GetProcessMemoryInfo(self, process, found, size):  # noqa: N802
        assert process.value == ctypes.c_void_p(-1).value
        assert size == found._obj.size == ctypes.sizeof(found._obj) == 72
        if self.works:
            found._obj.held, found._obj.peak = 3 << 20, 5 << 20
        return self.works


@pytest.mark.parametrize("works", [True, False])
def test_memory_is_asked_of_windows(monkeypatch, works):
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=Kernel32(works)), raising=False)
    monkeypatch.setattr(memory, "GROUPS", ())
    pretend(monkeypatch, "qpfs.memory")
    assert memory.memory_of_machine() == (8 << 30 if works else sys.maxsize)
    monkeypatch.setattr(measuring, "STATUS", Path("no such file"))
    assert (measuring.held(), measuring.peak()) == ((3.0, 5.0) if works else (0.0, 0.0))


def test_memory_is_asked_of_macos(monkeypatch):
    monkeypatch.setattr(measuring, "STATUS", Path("no such file"))
    assert 10 < measuring.held() <= measuring.peak() < 10**6
    usage = SimpleNamespace(ru_maxrss=7 << 20)
    known = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: usage)
    monkeypatch.setitem(sys.modules, "resource", known)
    elsewhere = SimpleNamespace(platform="darwin")
    monkeypatch.setattr(memory, "sys", elsewhere)
    assert memory.peak_of_process() == 7 << 20


def test_signals_without_a_clock_or_a_hang_up(monkeypatch):
    import signal

    from qpfs.cli import signals

    only = {name: getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIG_IGN", "Signals")}
    heeded = {}
    known = SimpleNamespace(  # of a process that was started with no signal ignored
        **only,
        signal=lambda number, answer: heeded.setdefault(number, answer),
        getsignal=lambda number: signal.SIG_DFL,
    )
    monkeypatch.setattr(signals, "signal", known)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    pretend(monkeypatch, "qpfs.cli.signals")
    monkeypatch.setattr(signals.atexit, "register", lambda _: None)
    watch = signals.Watch()
    watch.begin()
    assert set(heeded) == {signal.SIGINT, signal.SIGTERM}
    with pytest.raises(signals.Stopped):
        watch.heed(signal.SIGINT, sys._getframe())
