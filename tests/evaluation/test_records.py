"""Records: whole lines, torn ends, foreign files, several processes."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from qpfs.evaluation import Records, RecordsError

WRITER = """
import sys
from qpfs.evaluation.records import Records
with Records(sys.argv[1]) as records:
    print("ready", flush=True)
    for i in range(int(sys.argv[3])):
        records.add({"i": i}, {"by": sys.argv[2], "text": "x" * (i % 700)})
"""


def lines(path):
    return path.read_bytes().splitlines(keepends=True)


def test_keys_do_not_depend_on_their_order_and_the_first_value_counts(tmp_path):
    with Records(tmp_path / "folder" / "r.jsonl") as records:
        assert records.get({"a": 1, "b": [1, 2]}) is None
        assert records.add({"a": 1, "b": [1, 2]}, {"x": 1.5}) == {"x": 1.5}
        assert records.add({"b": [1, 2], "a": 1}, {"x": 2.5}) == {"x": 1.5}
        assert {"b": [1, 2], "a": 1} in records
        assert len(records) == 1


def test_floats_come_back_to_the_last_bit(tmp_path):
    values = [0.1 + 0.2, 1e-310, 2 / 3, 1e22]
    with Records(tmp_path / "r.jsonl") as records:
        records.add({}, {"values": values})
    with Records(tmp_path / "r.jsonl") as records:
        assert records.get({})["values"] == values


def test_a_torn_line_is_cut_off_wherever_it_tore(tmp_path):
    path = tmp_path / "r.jsonl"
    with Records(path) as records:
        for i in range(3):
            records.add({"i": i}, {"name": "é" * i})
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with Records(path) as records:
            n = len(records)
            assert n == max(whole[:end].count(b"\n") - 1, 0)
            for i in range(3):
                records.add({"i": i}, {"name": "é" * i})
        assert path.read_bytes() == whole


def test_a_line_torn_by_another_process_meanwhile(tmp_path):
    path = tmp_path / "r.jsonl"
    with Records(path) as records:
        records.add({"i": 0}, {})
        with path.open("ab") as other:
            other.write(b'{"key":{"i"')
        records.add({"i": 1}, {})
    with Records(path) as records:
        assert [key for key, _ in records.rows()] == [{"i": 0}, {"i": 1}]


@pytest.mark.parametrize("text", ["hello\n", "a,b\n1,2\n", '{"schema":"other"}\n', "[1]\n", "no end of line"])
def test_a_foreign_file_is_left_alone(tmp_path, text):
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(RecordsError, match=r"not a file of records.*another file"):
        Records(path)
    assert path.read_text() == text


def test_a_newer_version_is_left_alone(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"schema":"qpfs-records","version":2}\n')
    with pytest.raises(RecordsError, match=r"version 2.*reads version 1"):
        Records(path)


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "r.jsonl"
    with Records(path) as records:
        records.add({"i": 0}, {})
    path.write_bytes(path.read_bytes() + b"damage\n")
    with pytest.raises(RecordsError, match="damage"):
        Records(path)


def test_a_value_that_json_lacks_leaves_nothing(tmp_path):
    path = tmp_path / "r.jsonl"
    with Records(path) as records:
        before = path.read_bytes()
        with pytest.raises(ValueError, match="JSON"):
            records.add({"i": 0}, {"x": float("nan")})
    assert path.read_bytes() == before


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "r.jsonl"
    write = os.write
    with Records(path) as records:
        before = path.read_bytes()
        full = iter([False, False, True])

        def a_few_bytes(file, line):
            if next(full):
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(file, line[:5])

        monkeypatch.setattr(os, "write", a_few_bytes)
        with pytest.raises(OSError, match=r"cannot be written \(No space left on device\): .*r\.jsonl"):
            records.add({"i": 0}, {"x": 1})
        assert path.read_bytes() == before
        monkeypatch.setattr(os, "write", write)
        records.add({"i": 0}, {"x": 1})
    assert len(lines(path)) == 2


def test_two_processes_write_one_file(tmp_path):
    path = tmp_path / "r.jsonl"
    both = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, "300"], stdout=subprocess.PIPE)
        for name in "ab"
    ]
    for one in both:
        one.communicate()
        assert one.returncode == 0
    keys = [json.loads(line)["key"]["i"] for line in lines(path)[1:]]
    assert sorted(keys) == list(range(300))


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05])
def test_killed_while_it_writes(tmp_path, delay):
    path = tmp_path / "r.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "a", "1000000"], stdout=subprocess.PIPE
    )
    child.stdout.readline()
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with Records(path) as records:
        n = len(records)
        assert sorted(key["i"] for key, _ in records.rows()) == list(range(n))
        assert records.add({"i": n}, {"by": "b"}) == {"by": "b"}
    assert len(lines(path)) == n + 2


def test_a_line_too_deep_to_be_read(tmp_path):
    Records(tmp_path / "r").close()
    with (tmp_path / "r").open("a") as file:
        file.write('{"key":' + "[" * 100_000 + "\n")
    with pytest.raises(RecordsError, match="line 2, is not a record"):
        Records(tmp_path / "r")
