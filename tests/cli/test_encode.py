"""`qpfs encode`, and `qpfs select` from what it wrote: the answer of the table itself, in every format."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import time

import numpy as np
import pandas as pd
import pytest
from tests.apart import Begun
from tests.cli.command import qpfs
from tests.data.stored_tables import CALLS, TABLES, Y, bed, npy

from qpfs import open_store
from qpfs.codes import disk_draft
from qpfs.codes.disk_table import CALLS as CALLED
from qpfs.data.formats import scratch
from qpfs.report.levels import only_values

OF_RESULT = (
    "features",
    "redundancy",
    "weights",
    "certificate",
    "levels",
    "n_weighted",
    "n_selected",
    "clusters",
)


@pytest.fixture
def narrow(monkeypatch):
    """Strips, slabs and pieces so small that the tables have several."""
    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 50)
    monkeypatch.setattr(scratch, "PIECE", 1000)
    for name in ("hdf5", "svmlight"):
        monkeypatch.setattr(f"qpfs.data.formats.{name}.PIECE", 1000)
    monkeypatch.setattr("qpfs.data.formats.svmlight.CHUNK", 5000)
    monkeypatch.setattr("qpfs.data.formats.cells.CHUNK", 20_000)
    for name in ("hdf5", "arrow", "plink"):
        monkeypatch.setattr(f"qpfs.data.formats.{name}.SLAB", 372_000_000 // (8 * 60 * 37))


def result(run):
    """What was selected, without what only numbers can tell."""
    assert run.returncode == 0, run.stderr
    record = json.loads(run.stdout)
    features = [
        {key: value for key, value in one.items() if key not in ("distribution", "levels", "effect")}
        | {"counts": one["levels"]["counts"]}
        for one in record["features"]
    ]
    facts = ("target", "task", "classes", "n_samples", "n_features", "n_constant")
    return {key: record[key] for key in OF_RESULT} | {
        "features": features,
        "data": {key: record["data"][key] for key in facts},
    }


ALIKE = ("a.csv.gz", "target in rows.csv", "plain.arrow", "f.npy", "with target.npy", "zero.svm", "a.h5ad")


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow if one in ALIKE else ()) for one in TABLES]
)
def test_every_format_gives_the_answer_of_the_table_itself(tmp_path, narrow, name):
    source, store = tmp_path / name, tmp_path / "a.qpfs"
    reading = TABLES[name](source)
    before = sorted(tmp_path.iterdir())
    encoded = qpfs("encode", source, *reading, "--out", store)
    assert encoded.returncode == 0, encoded.stderr
    assert "next: `qpfs select" in encoded.stderr
    assert sorted(tmp_path.iterdir()) == sorted([*before, store])
    found = result(qpfs("select", store, "--top", 8, "--json", "-q"))
    assert found == result(qpfs("select", source, *reading, "--measure", "mi", "--top", 8, "--json", "-q"))


def encode(tmp_path, *more, **environment):
    reading = npy(tmp_path / "a.npy")
    return qpfs("encode", tmp_path / "a.npy", *reading, "--out", tmp_path / "a.qpfs", *more, **environment)


def test_a_store_keeps_several_targets(tmp_path):
    TABLES["a.csv"](tmp_path / "a.csv")
    store = tmp_path / "a.qpfs"
    run = qpfs("encode", tmp_path / "a.csv", "--target", "state", "--keep", "ill since", "--out", store, "-q")
    assert (run.returncode, run.stderr) == (0, "")
    assert list(open_store(store).targets) == ["state", "ill since"]
    table = [
        "select",
        tmp_path / "a.csv",
        "--target",
        "ill since",
        "--drop",
        "state",
        "--json",
        "-q",
        "--top",
        5,
        "--measure",
        "mi",
    ]
    other = qpfs("select", store, "--target", "ill since", "--json", "-q", "--top", 5)
    assert result(other) == result(qpfs(*table))
    wrong = qpfs("select", store, "--target", "g3")
    assert wrong.returncode == 2
    assert "holds the targets 'state', 'ill since', but not 'g3'" in wrong.stderr


def test_a_store_without_a_target_takes_labels(tmp_path):
    reading = npy(tmp_path / "a.npy")
    store = tmp_path / "a.qpfs"
    run = qpfs("encode", tmp_path / "a.npy", "--out", store)
    assert f"qpfs select {store} --labels FILE" in run.stderr
    assert qpfs("select", store).returncode == 2
    found = qpfs("select", store, *reading, "--json", "-q", "--method", "ikma")
    assert result(found) == result(
        qpfs("select", tmp_path / "a.npy", *reading, "--json", "-q", "--method", "ikma", "--measure", "mi")
    )


def test_labels_by_name_of_sample(tmp_path):
    reading = TABLES["rows.csv"](tmp_path / "rows.csv")
    store = tmp_path / "a.qpfs"
    qpfs("encode", tmp_path / "rows.csv", "--features-in", "rows", "--out", store)
    found = qpfs("select", store, "--labels", reading[-1], "--json", "-q", "--top", 5)
    assert result(found) == result(
        qpfs("select", tmp_path / "rows.csv", *reading, "--json", "-q", "--top", 5, "--measure", "mi")
    )


def test_a_named_set(tmp_path):
    store = tmp_path / "wdbc.qpfs"
    assert qpfs("encode", "wdbc", "--out", store, "--levels", "equal-frequency:4").returncode == 0
    found = qpfs("select", store, "--json", "-q", "--top", 5)
    assert result(found) == result(
        qpfs("select", "wdbc", "--levels", "equal-frequency:4", "--json", "-q", "--top", 5)
    ) | {"levels": result(found)["levels"]}


def test_select_writes_its_files_and_says_that_numbers_are_not_at_hand(tmp_path):
    encode(tmp_path)
    run = qpfs(
        "select", tmp_path / "a.qpfs", "--out", tmp_path / "out", "--stability", 3, "--memory", "300MB"
    )
    assert run.returncode == 0, run.stderr
    record = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert record["data"]["format"] == "store"
    assert record["data"]["checksum"].startswith("sha256:")
    assert any("the numbers are not available" in note for note in record["data"]["notes"])
    assert record["stability"]["n"] == 3
    assert record["stability"]["fixed_levels"]
    assert record["data"]["store"] == {
        "source": str(tmp_path / "a.npy"),
        "format": "npy",
        "levels": "3 intervals with about equally many samples",
    }
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "Levels are those of all samples" in page
    assert "halves of the samples, at the levels of all samples, the stability" in page
    assert "EqualFrequency" not in page


def ranked(run):
    """What was selected by ranks, without what only numbers can tell."""
    assert run.returncode == 0, run.stderr
    record = json.loads(run.stdout)
    features = [
        {key: value for key, value in one.items() if key not in ("distribution", "normal_scores", "effect")}
        for one in record["features"]
    ]
    return {key: record[key] for key in OF_RESULT} | {"features": features}


@pytest.mark.parametrize("name", ["a.csv", "missing.npy", "missing.svm", "groups.parquet"])
def test_scores_give_the_answer_of_the_table_itself(tmp_path, narrow, name):
    source, store = tmp_path / name, tmp_path / "a.qpfs"
    reading = TABLES[name](source)
    encoded = qpfs("encode", source, *reading, "--out", store, "--measure", "rank")
    assert encoded.returncode == 0, encoded.stderr
    more = ["--measure", "rank", "--top", 8, "--json", "-q"]
    assert ranked(qpfs("select", store, *more)) == ranked(qpfs("select", source, *reading, *more))


def test_scores_are_called_scores(tmp_path):
    said = encode(tmp_path, "--measure", "rank", "--plan").stdout
    assert "replace numbers by the normal scores of their ranks\n" in said
    assert "a.qpfs`" in encode(tmp_path, "--measure", "rank").stderr
    store, out = tmp_path / "a.qpfs", tmp_path / "out"
    plan = json.loads(qpfs("select", store, "--measure", "rank", "--plan", "--json").stdout)
    assert plan["steps"][1] == "take the scores as they were encoded: normal scores of ranks"
    assert plan["table_megabytes"] == pytest.approx(2e-6 * np.prod(open_store(store).shape), rel=0.05)
    run = qpfs("select", store, "--measure", "rank", "--out", out, "--stability", 3)
    assert run.returncode == 0, run.stderr
    assert "the scores are those of" in run.stderr
    assert "level" not in run.stdout + run.stderr
    record = json.loads((out / "selection.json").read_text())
    assert record["data"]["store"]["scores"] == "normal scores of ranks"
    assert "fixed_levels" not in record["stability"]
    page = (out / "report.html").read_text()
    assert "scores: normal scores of ranks" in page
    assert "levels:" not in page
    usual = json.loads(qpfs("select", store, "--json", "-q").stdout)
    assert [(one["feature"], one["weight"]) for one in usual["features"]] == [
        (one["feature"], one["weight"]) for one in record["features"]
    ]
    refused = qpfs("select", store, "--measure", "mi")
    assert (refused.returncode, "needs levels" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "rank", "--levels", "codes"], "--levels is not for --measure rank"),
        (["--measure", "correlation"], "A store keeps levels or scores of ranks"),
        (["--measure", "much"], "--measure much"),
    ],
)
def test_measures_that_a_table_is_not_encoded_for(tmp_path, arguments, message):
    run = encode(tmp_path, *arguments)
    assert run.returncode == 2
    assert message in run.stderr
    assert not (tmp_path / "a.qpfs").exists()


def test_plans_write_nothing(tmp_path):
    said = encode(tmp_path, "--plan").stdout
    assert "Nothing has been written" in said
    assert "discretise numbers: 3 intervals with about equally many samples\n" in said
    assert re.search(r"a file of about [1-9]\d* kB", said)
    assert 0 < json.loads(encode(tmp_path, "--plan", "--json").stdout)["store_megabytes"] < 0.1
    assert not (tmp_path / "a.qpfs").exists()
    encode(tmp_path)
    size = (tmp_path / "a.qpfs").stat().st_size
    plan = json.loads(qpfs("select", tmp_path / "a.qpfs", "--plan", "--json").stdout)
    levels = "3 intervals with about equally many samples"
    assert plan["steps"][1] == f"take the levels as they were encoded: {levels}"
    assert 0 < plan["table_megabytes"] < size / 1e6
    assert plan["megabytes"] > 0


def test_a_folder_called_like_scratch_files_stays(tmp_path):
    TABLES["a.csv"](tmp_path / "a.csv")
    mine = tmp_path / "a.qpfs.scratch" / "mine"
    mine.parent.mkdir()
    mine.write_text("mine")
    for more in (["--plan"], []):
        command = ["encode", tmp_path / "a.csv", "--target", "state", "--out", tmp_path / "a.qpfs", *more]
        assert qpfs(*command).returncode == 0
        assert mine.read_text() == "mine"
    assert {one.name for one in tmp_path.iterdir()} == {"a.csv", "a.qpfs", "a.qpfs.scratch"}


def test_the_least_memory_is_enough_for_a_small_table(tmp_path):
    for name in ("a.csv", "a.npz"):
        reading = TABLES[name](tmp_path / name)
        out = tmp_path / f"{name}.qpfs"
        run = qpfs("encode", tmp_path / name, *reading, "--out", out, "--memory", "256MB")
        assert run.returncode == 0, run.stderr
    less = qpfs("encode", tmp_path / "a.csv", "--out", tmp_path / "b.qpfs", "--memory", "255MB")
    assert "at least 256MB" in less.stderr


USAGE = {
    "--drop": (["--drop", "x1"], "is for `qpfs encode`"),
    "--method": (["--method", "gdm"], "needs the values, but a store holds none"),
    "--memory": (["--memory", "12"], "at least 256MB"),
    "--memory text": (["--memory", "much"], "a size such as 512MB"),
}


@pytest.mark.parametrize(("arguments", "message"), USAGE.values(), ids=USAGE)
def test_what_makes_no_sense_for_a_store(tmp_path, arguments, message):
    encode(tmp_path)
    run = qpfs("select", tmp_path / "a.qpfs", *arguments)
    assert run.returncode == 2
    assert message in run.stderr


def test_a_store_is_no_table(tmp_path):
    encode(tmp_path)
    store = tmp_path / "a.qpfs"
    assert "is already encoded" in qpfs("encode", store, "--out", tmp_path / "b.qpfs").stderr
    for method in ("l1", "gdm"):
        run = qpfs("compare", store, "--method", method, "--labels", tmp_path / "labels.npy")
        assert (run.returncode, "needs the values, but a store holds none" in run.stderr) == (2, True)
    assert (
        qpfs("select", tmp_path / "a.npy", "--memory", "1GB", "--labels", tmp_path / "labels.npy").returncode
        == 2
    )


def test_what_is_there_is_replaced_only_by_force(tmp_path):
    encode(tmp_path)
    again = encode(tmp_path)
    assert (again.returncode, "exists" in again.stderr) == (2, True)
    assert "overwrite it with --force." in again.stderr
    assert encode(tmp_path, "--force").returncode == 0


def test_a_damaged_store_is_one_line(tmp_path):
    encode(tmp_path)
    data = bytearray((tmp_path / "a.qpfs").read_bytes())
    data[2000] ^= 1
    (tmp_path / "a.qpfs").write_bytes(data)
    run = qpfs("select", tmp_path / "a.qpfs")
    assert run.returncode == 1
    assert "is damaged: block 0" in run.stderr
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is truncated after 0 bytes"),
        (b"\x93QPFS", "is truncated after 5 bytes"),
        (bytes(5), "is not a store, or is damaged"),
        (b"\xff" * 500, "is not a store, or is damaged"),
    ],
)
@pytest.mark.parametrize("command", ["select", "compare", "encode"])
def test_a_store_without_its_head_is_not_taken_for_a_table(tmp_path, command, content, message):
    (tmp_path / "a.qpfs").write_bytes(content)
    more = ["--out", tmp_path / "b.qpfs"] if command == "encode" else []
    run = qpfs(command, tmp_path / "a.qpfs", *more)
    assert run.returncode == 1
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_table_that_must_be_read_whole_and_is_too_large_is_refused(tmp_path):
    with (tmp_path / "a.npz").open("wb") as file:
        np.savez_compressed(file, X=np.zeros((2000, 5000)), y=np.arange(2000))
    run = qpfs("encode", tmp_path / "a.npz", "--out", tmp_path / "a.qpfs", "--memory", "300MB")
    assert run.returncode == 1
    assert "read whole" in run.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["a.npz"]


INTERRUPTED = """
import time
import qpfs.codes.disk_draft as writing
from qpfs.cli import main
writing.strip_width = lambda n_samples: 50
add = writing.Draft.add
def slow(self, number, engine):
    add(self, number, engine)
    print(number, flush=True)
    time.sleep(60 if number == 2 else 0)
writing.Draft.add = slow
main()
"""


def interrupted(tmp_path, name, reading, number):
    child = Begun(INTERRUPTED, "encode", name, *reading, "--out", "a.qpfs", cwd=tmp_path)
    child.wait_for(lambda: "2\n" in child.said())
    time.sleep(0.2)
    end = child.send(number)
    return end.code, end.stderr


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGKILL))],
)
def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, number):
    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 50)
    TABLES["a.csv"](tmp_path / "a.csv")
    reading = ["--target", "state"]
    code, errors = interrupted(tmp_path, "a.csv", reading, number)
    there = {one.name for one in tmp_path.iterdir()}
    if number == signal.SIGINT:
        assert code == 130
        assert "run the same command to continue" in errors
        assert there == {"a.csv", "a.qpfs.partial"}
    assert "a.qpfs" not in there
    assert qpfs("encode", "a.csv", *reading, "--out", "a.qpfs", cwd=tmp_path).returncode == 0
    assert qpfs("encode", "a.csv", *reading, "--out", "b.qpfs", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.qpfs").read_bytes() == (tmp_path / "b.qpfs").read_bytes()
    assert {one.name for one in tmp_path.iterdir()} == {"a.csv", "a.qpfs", "b.qpfs"}


def broken_off(monkeypatch, *arguments):
    """A run that ends after two strips."""
    add = disk_draft.Draft.add

    def stopped(self, number, engine):
        if number == 2:
            raise KeyboardInterrupt
        add(self, number, engine)

    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 50)
    with monkeypatch.context() as patch:
        patch.setattr(disk_draft.Draft, "add", stopped)
        assert qpfs("encode", *arguments).returncode == 130


READ_OTHERWISE = {
    "target": ("a.csv", ["--target", "state"], ["--target", "ill since"]),
    "keep": ("a.csv", ["--target", "state"], ["--target", "state", "--keep", "ill since"]),
    "drop": ("a.csv", ["--target", "state", "--drop", "g1"], ["--target", "state", "--drop", "g2"]),
    "categorical": ("a.csv", ["--target", "state"], ["--target", "state", "--categorical", "ill since"]),
    "missing": ("a.npy", ["--missing", "-999"], []),
    "layer": ("layer.h5ad", ["--layer", "raw"], []),
}


@pytest.mark.parametrize(("name", "first", "second"), READ_OTHERWISE.values(), ids=READ_OTHERWISE)
def test_a_table_read_otherwise_is_not_gone_on_with(tmp_path, monkeypatch, name, first, second):
    source, out = tmp_path / name, tmp_path / "a.qpfs"
    TABLES[name](source)
    broken_off(monkeypatch, source, *first, "--out", out)
    other = qpfs("encode", source, *second, "--out", out)
    assert other.returncode == 2
    assert "partial results of another run" in other.stderr
    assert qpfs("encode", source, *second, "--out", out, "--force").returncode == 0
    assert qpfs("encode", source, *second, "--out", tmp_path / "b.qpfs").returncode == 0
    assert out.read_bytes() == (tmp_path / "b.qpfs").read_bytes()


@pytest.mark.parametrize("name", ["a.h5ad", "groups.parquet"])
def test_a_source_that_breaks_off_is_named(tmp_path, monkeypatch, name):
    source = tmp_path / name
    reading = TABLES[name](source)
    read = scratch.Slabs._from_slab

    def failing(self, columns):
        if columns.max() > 120:
            raise OSError(5, "Input/output error")
        return read(self, columns)

    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 50)
    monkeypatch.setattr(scratch.Slabs, "_from_slab", failing)
    run = qpfs("encode", source, *reading, "--out", tmp_path / "a.qpfs")
    assert run.returncode == 1
    assert f"{str(source)!r} cannot be read as " in run.stderr
    assert ": Input/output error. It may be cut short or damaged" in run.stderr


def test_genotypes_are_three_levels_and_missing_calls_a_fourth(tmp_path):
    bed(tmp_path / "a.bed")
    assert qpfs("encode", tmp_path / "a.bed", "--out", tmp_path / "a.qpfs").returncode == 0
    table = open_store(tmp_path / "a.qpfs")
    assert table.names[:2] == ["rs0", "rs1"]
    assert list(table.targets) == ["phenotype"]
    assert table.y.tolist() == np.where(Y == "ill", 2, 1).tolist()
    assert table.coding.n_levels.tolist() == [len(set(column)) for column in CALLS.T]
    missing = [int((column == -127).sum()) for column in CALLS.T]
    for block in table.blocks:
        for slot, feature in enumerate(block.features):
            if missing[feature]:
                assert block.counts[-1, slot] == missing[feature]


@pytest.mark.parametrize("out", ["a.csv", "y.csv"])
def test_what_is_read_is_not_written_over(tmp_path, out):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,5\n4,1\n")
    (tmp_path / "y.csv").write_text("y\n0\n1\n0\n")
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    reading = [tmp_path / "a.csv", "--labels", tmp_path / "y.csv"]
    run = qpfs("encode", *reading, "--out", tmp_path / out, "--force")
    assert run.returncode == 2
    assert "is read, so it cannot be overwritten" in run.stderr
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


@pytest.mark.parametrize("ending", ["parquet", "feather", "npy", "csv"])
def test_long_floats_are_numbers(tmp_path, ending):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(1e18, 1e17, 60), "b": rng.normal(size=60), "y": np.arange(60) % 2})
    path = tmp_path / f"a.{ending}"
    if ending == "npy":
        np.save(path, table.to_numpy())
    else:
        getattr(table, f"to_{ending}")(path, **({"index": False} if ending == "csv" else {}))
    target = "2" if ending == "npy" else "y"
    run = qpfs("encode", path, "--target", target, "--missing", "-999", "--out", tmp_path / "a.qpfs")
    assert run.returncode == 0, run.stderr
    assert open_store(tmp_path / "a.qpfs").coding.n_levels.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("line", "said"), [("1 -1:2 3:4", "index"), ("1,2 1:2 3:4", "float"), ("1 1:nan 2:4", None)]
)
def test_variants_of_svmlight_are_not_text(tmp_path, line, said):
    (tmp_path / "a").write_text("\n".join([line, "0 1:1 2:7", "1 1:3 2:1", "0 1:2 2:3"]) + "\n")
    run = qpfs("encode", tmp_path / "a", "--out", tmp_path / "a.qpfs")
    assert run.returncode == (0 if said is None else 1), run.stderr
    assert said is None or ("cannot be read as svmlight" in run.stderr and said in run.stderr.lower())


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--levels", "equal-width:0"], "'equal-width:0' is not a discretisation rule"),
        (["--levels", "equal-width:1000"], "'equal-width:1000' is not a discretisation rule"),
        (["--memory", "9" * 400 + "GB"], "more than any computer has"),
        (["--jobs", "0"], "--jobs 0"),
    ],
)
def test_senseless_options(tmp_path, option, said):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,5\n4,1\n")
    run = qpfs("encode", tmp_path / "a.csv", "--out", tmp_path / "a.qpfs", *option)
    assert run.returncode in (1, 2)
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


def test_python_objects_are_refused_as_such(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1, "a"], [2, "b"]], object), allow_pickle=True)
    run = qpfs("encode", tmp_path / "a.npy", "--out", tmp_path / "a.qpfs")
    assert run.returncode == 1
    assert "it holds Python objects" in run.stderr


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENAMETOOLONG])
def test_no_room_on_the_way_is_not_the_fault_of_the_source(tmp_path, monkeypatch, number):
    def full(self):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(scratch.Scratch, "_made", full)
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,5\n4,1\n")
    run = qpfs("encode", tmp_path / "a.csv", "--out", tmp_path / "a.qpfs")
    assert run.returncode == 1
    assert f"temporary files cannot be written ({os.strerror(number)})" in run.stderr


def test_genotypes_are_called_by_their_number(tmp_path):
    bed(tmp_path / "a.bed")
    assert qpfs("encode", tmp_path / "a.bed", "--out", tmp_path / "a.qpfs").returncode == 0
    run = qpfs("select", tmp_path / "a.qpfs", "--top", 5, "--json")
    for one in json.loads(run.stdout)["features"]:
        calls = [n for n in range(3) if n in CALLS[:, one["index"]]]
        assert calls == [0, 1, 2]
        missing = ["missing"] if -127 in CALLS[:, one["index"]] else []
        assert one["levels"]["names"] == ["0", "1", "2", *missing]


@pytest.mark.parametrize(
    ("edges", "codes", "found"),
    [
        ([0.0, 1.0], [0, 1, 2], [0, 1, 2]),
        ([0.0, 1.0], [0, 2], [0, 2]),
        ([1.0], [0, 1], []),
        ([0.0], [0, 1], []),
    ],
)
def test_a_level_is_called_by_a_number_only_if_it_can_hold_no_other(edges, codes, found):
    assert only_values(edges, np.array(codes), CALLED) == found


def test_what_was_written_is_told_as_json(tmp_path):
    run = qpfs("encode", "wine", "--out", tmp_path / "a.qpfs", "--json", "-q")
    found = json.loads(run.stdout)
    assert found.pop("seconds") > 0
    assert found == {
        "store": str(tmp_path / "a.qpfs"),
        "n_samples": 178,
        "n_features": 13,
        "targets": ["target"],
        "bytes": (tmp_path / "a.qpfs").stat().st_size,
    }


def test_a_store_has_no_numbers_whatever_it_was_made_of(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,y\nx,2,0\nz,5,1\nx,1,0\nz,7,1\n")
    assert qpfs("encode", tmp_path / "a.csv", "--target", "y", "--out", tmp_path / "a.qpfs").returncode == 0
    run = qpfs("select", tmp_path / "a.qpfs", "--measure", "correlation")
    assert run.returncode == 1
    assert "holds levels, not numbers" in run.stderr
