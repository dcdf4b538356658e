"""No command writes over what it reads, by whatever name and with whatever --force; links are said."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from tests.cli.command import qpfs

from qpfs import MaxRel, open_store, write_store

TABLE = "a,b,c,t\n" + "".join(f"{i % 7},{i % 5},{i % 3},{'xy'[i % 2]}\n" for i in range(40))
QUICK = [
    "--no-memory",
    "--cv",
    2,
    "--repeats",
    1,
    "--inner-cv",
    2,
    "--sizes",
    "1",
    "--method",
    "maxrel",
]


@pytest.fixture
def folder(tmp_path):
    """A table, the result of a selection, and genotypes with their companions."""
    (tmp_path / "d.csv").write_text(TABLE)
    assert qpfs("select", "d.csv", "--target", "t", "--top", 2, "--out", "r", cwd=tmp_path).returncode == 0
    (tmp_path / "g.bed").write_bytes(b"\x6c\x1b\x01" + bytes([0b11100100]) * 3)
    (tmp_path / "g.bim").write_text("".join(f"1\tv{i}\t0\t{i}\tA\tC\n" for i in range(3)))
    (tmp_path / "g.fam").write_text("".join(f"f s{i} 0 0 1 {1 + i % 2}\n" for i in range(4)))
    (tmp_path / "named").mkdir()
    X = np.random.default_rng(0).normal(size=(20, 3))
    np.savez(tmp_path / "named" / "colon.npz", X=X, y=np.arange(20) % 2)
    return tmp_path


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hard(folder, source, name):
    (folder / name).parent.mkdir(exist_ok=True)
    os.link(folder / source, folder / name)


CASES = {
    "select": (["d.csv", "selection.csv"], ["select", "o/selection.csv", "--target", "t", "--out", "o"]),
    "select, page": (["d.csv", "report.html"], ["select", "o/report.html", "--target", "t", "--out", "o"]),
    "select, by another name": (
        ["d.csv", "selection.json"],
        ["select", "d.csv", "--target", "t", "--out", "o"],
    ),
    "select, labels": (
        ["d.csv", "selection.csv"],
        ["select", "d.csv", "--labels", "o/selection.csv", "--target", "t", "--out", "o"],
    ),
    "compare": (
        ["d.csv", "comparison.csv"],
        ["compare", "o/comparison.csv", "--target", "t", "--out", "o", *QUICK],
    ),
    "compare, records": (
        ["d.csv", "records.jsonl"],
        ["compare", "o/records.jsonl", "--target", "t", "--out", "o", *QUICK],
    ),
    "encode": (None, ["encode", "d.csv", "--target", "t", "--out", "d.csv"]),
    "encode, variants": (None, ["encode", "g.bed", "--out", "g.bim"]),
    "encode, variants of what has another name": (
        ["g.bed", "h.dat", "g.bim", "h.bim"],
        ["encode", "o/h.dat", "--out", "o/h.bim"],
    ),
    "encode, samples": (None, ["encode", "g.bed", "--out", "g.fam"]),
    "encode, labels": (None, ["encode", "g.bed", "--labels", "d.csv", "--out", "d.csv"]),
    "apply": (None, ["apply", "r/selection.json", "d.csv", "--out", "d.csv"]),
    "apply, another spelling": (None, ["apply", "r/selection.json", "d.csv", "--out", "r/../d.csv"]),
    "apply, selection": (["r/selection.json", "s.csv"], ["apply", "o/s.csv", "d.csv", "--out", "o/s.csv"]),
    "report": (None, ["report", "r/selection.json", "--out", "r/selection.json"]),
    "report, beside": (["r/selection.json", "report.html"], ["report", "o/report.html"]),
    "report, comparison": (
        None,
        ["report", "r/selection.json", "--comparison", "d.csv", "--out", "d.csv"],
    ),
    "a named set": (
        None,
        ["apply", "r/selection.json", "colon", "--data", "named", "--out", "named/colon.npz"],
    ),
}


@pytest.mark.parametrize(("linked", "arguments"), CASES.values(), ids=CASES)
def test_what_is_read_is_not_written_over(folder, linked, arguments):
    for source, name in batched(linked or (), 2):
        hard(folder, source, f"o/{name}")
    before = contents(folder)
    run = qpfs(*arguments, "--force", cwd=folder, QPFS_DATA="")
    assert run.returncode == 2, run.stderr
    assert "is read, so it cannot be overwritten" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert contents(folder) == before


def batched(names, n):
    return zip(*[iter(names)] * n, strict=True)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("o/selection.csv", ["select", "-", "--target", "t", "--out", "o"]),
        ("d.csv", ["encode", "-", "--target", "t", "--out", "d.csv"]),
        ("d.csv", ["apply", "r/selection.json", "-", "--out", "d.csv"]),
    ],
)
def test_standard_input_is_not_written_over(folder, name, arguments):
    (folder / "o").mkdir()
    (folder / name).write_text(TABLE)
    before, kept = contents(folder), os.dup(0)
    with (folder / name).open("rb") as file:
        os.dup2(file.fileno(), 0)
        try:
            run = qpfs(*arguments, "--force", cwd=folder, stdin=TABLE.encode())
        finally:
            os.dup2(kept, 0)
            os.close(kept)
    assert (run.returncode, contents(folder) == before) == (2, True), run.stderr
    assert "is read, so it cannot be overwritten" in run.stderr


def test_what_is_mapped_or_told_of_is_not_written_over(folder):
    array = np.lib.format.open_memmap(folder / "x.npy", "w+", np.float64, (20, 3))
    array[:] = np.random.default_rng(0).normal(size=(20, 3))
    array.flush()
    mapped = np.load(folder / "x.npy", mmap_mode="r")
    with pytest.raises(FileExistsError, match="is read"):
        write_store(mapped, folder / "x.npy", force=True)
    with pytest.raises(FileExistsError, match="is read"):
        write_store(np.asarray(mapped)[:, 1:], folder / "x.npy", force=True)
    with pytest.raises(FileExistsError, match="is read"):
        write_store(np.array(mapped), folder / "x.npy", mapped[:, 0], force=True)
    report = MaxRel(2).fit(mapped, np.arange(20) % 2).report(data={"source": str(folder / "d.csv")})
    with pytest.raises(FileExistsError, match="is read"):
        report.save(folder / "d.csv", force=True)
    write_store(mapped, folder / "x.qpfs")
    assert open_store(folder / "x.qpfs").shape == (20, 3)


@pytest.mark.parametrize("out", ["", " ", "\t"])
@pytest.mark.parametrize(
    "command",
    [
        ["select", "d.csv", "--target", "t"],
        ["compare", "d.csv", "--target", "t"],
        ["encode", "d.csv"],
        ["apply", "r/selection.json", "d.csv"],
        ["report", "r/selection.json"],
    ],
    ids=lambda command: command[0],
)
def test_an_empty_out_is_refused(folder, command, out):
    before = contents(folder)
    run = qpfs(*command, "--out", out, "--force", cwd=folder)
    assert run.returncode == 2
    assert "it is empty; name a file or a folder" in " ".join(run.stderr.replace("│", " ").split())
    assert contents(folder) == before


def test_the_folder_one_is_in_can_be_named(folder):
    run = qpfs("select", "../d.csv", "--target", "t", "--top", 1, "--out", ".", cwd=folder / "named")
    assert run.returncode == 0, run.stderr
    assert (folder / "named" / "selection.json").exists()


@pytest.mark.parametrize("kind", ["to a file", "to nothing", "to itself"])
@pytest.mark.parametrize(
    "command",
    [
        ["encode", "d.csv", "--target", "t"],
        ["apply", "r/selection.json", "d.csv"],
        ["report", "r/selection.json"],
    ],
    ids=lambda command: command[0],
)
def test_a_link_in_place_of_a_file_is_said_and_stays(folder, command, kind):
    (folder / "other.csv").write_text("mine")
    (folder / "link.csv").symlink_to(
        {"to a file": "other.csv", "to nothing": "gone", "to itself": "link.csv"}[kind]
    )
    run = qpfs(*command, "--out", "link.csv", "--force", cwd=folder)
    assert run.returncode == 2, run.stderr
    assert "link.csv is a link to" in run.stderr
    assert "remove the link, or name the file itself" in run.stderr
    assert (folder / "link.csv").is_symlink()
    assert (folder / "other.csv").read_text() == "mine"


def test_a_link_among_the_files_of_a_result_is_said_and_stays(folder):
    (folder / "mine.csv").write_text("mine")
    (folder / "r" / "selection.csv").unlink()
    (folder / "r" / "selection.csv").symlink_to(folder / "mine.csv")
    run = qpfs("select", "d.csv", "--target", "t", "--out", "r", "--force", cwd=folder)
    assert run.returncode == 2
    assert "r/selection.csv is a link to" in run.stderr
    assert (folder / "mine.csv").read_text() == "mine"


def test_a_link_in_place_of_records_is_said_and_stays(folder):
    (folder / "o").mkdir()
    (folder / "o" / "records.jsonl").symlink_to(folder / "gone.jsonl")
    run = qpfs("compare", "d.csv", "--target", "t", "--out", "o", *QUICK, cwd=folder)
    assert (run.returncode, "records.jsonl is a link to" in run.stderr) == (2, True), run.stderr
    assert not (folder / "gone.jsonl").exists()


def test_a_link_in_place_of_a_set_is_said_and_stays(folder):
    (folder / "to").mkdir()
    (folder / "to" / "wine.npz").symlink_to(folder / "gone.npz")
    run = qpfs("datasets", "fetch", "wine", "--to", "to", cwd=folder)
    assert (run.returncode, "wine.npz is a link to" in run.stderr) == (2, True), run.stderr
    assert (folder / "to" / "wine.npz").is_symlink()


def test_a_link_to_a_folder_is_followed_and_said(folder):
    (folder / "link").symlink_to(folder / "named")
    run = qpfs("select", "d.csv", "--target", "t", "--top", 1, "--out", "link", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert f"link is a link to {folder / 'named'}; the files are written there" in run.stderr
    assert json.loads((folder / "named" / "selection.json").read_text())["n_selected"] == 1
    assert (folder / "link").is_symlink()
