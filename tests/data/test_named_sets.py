"""Data by name: what the catalogue says is true, and what is fetched is what was meant, or nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
import socket
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import datasets
from sklearn.datasets import _openml

from qpfs.data import (
    Reading,
    UnreadableError,
    UsageError,
    downloads,
    entries,
    entry,
    fetch,
    named_sets,
    open_problem,
)

CSV = b"a,b,y\n1,2,u\n3,4,v\n5,6,u\n"
SHA = hashlib.sha256(CSV).hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("QPFS_CACHE", str(folder))
    monkeypatch.delenv("QPFS_DATA", raising=False)
    monkeypatch.setattr(downloads, "RETRIES", 0)
    return folder


@pytest.fixture
def server():
    """A server that answers with what is put into `answers`.

    That is a body, a body and the length to claim, or the address to send to.
    """
    answers: dict[str, bytes | str | tuple[bytes, int]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer = answers.get(self.path)
            if isinstance(answer, str):
                self.send_response(302)
                self.send_header("Location", answer)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            body, length = answer if isinstance(answer, tuple) else (answer, len(answer or b""))
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(length))
            if self.path.startswith("/openml"):
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield SimpleNamespace(answers=answers, address=f"http://127.0.0.1:{running.server_port}")
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.mark.parametrize("name", [one.name for one in entries()])
def test_built_in_sets_are_as_the_catalogue_says(name):
    found, problem = entry(name), open_problem(name.upper())
    bunch = getattr(datasets, found.loader)()
    np.testing.assert_array_equal(problem.X, bunch.data)
    assert (problem.n_samples, problem.n_features) == (found.n_samples, found.n_features)
    if found.classes:
        assert Counter(problem.y.tolist()) == dict(found.classes)
    else:
        np.testing.assert_array_equal(problem.y, bunch.target)
    assert problem.checksum == open_problem(name).checksum
    assert problem.format == "built-in"


def test_a_folder_and_what_is_not_in_it(tmp_path, monkeypatch):
    with pytest.raises(
        UsageError, match=r"'colon' is neither a file .* nor is colon.npz in the folder that QPFS_DATA names"
    ):
        open_problem("colon")
    monkeypatch.setenv("QPFS_DATA", str(tmp_path))
    np.savez(tmp_path / "colon.npz", X=np.eye(4), y=np.arange(4) % 2)
    problem = open_problem("Colon")
    assert (problem.name, problem.format) == ("Colon", "npz")
    np.testing.assert_array_equal(problem.X, np.eye(4))
    assert fetch("colon") == tmp_path / "colon.npz"
    assert fetch("colon", tmp_path / "kept").read_bytes() == (tmp_path / "colon.npz").read_bytes()
    with pytest.raises(FileExistsError, match=r"kept.*colon\.npz"):
        fetch("colon", tmp_path / "kept")
    with pytest.raises(UsageError, match="Did you mean 'colon'"):
        open_problem("colonn")


def test_a_name_is_looked_for_in_the_folder_alone(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("QPFS_DATA", str(tmp_path / "folder"))
    np.savez(tmp_path / "outside.npz", X=np.eye(4), y=np.arange(4) % 2)
    with pytest.raises(UsageError, match="neither a file"):
        open_problem("../outside")


def test_a_built_in_set_is_the_same_everywhere(tmp_path, monkeypatch):
    monkeypatch.setenv("QPFS_DATA", str(tmp_path))
    np.savez(tmp_path / "wdbc.npz", X=np.eye(4), y=np.arange(4) % 2)
    assert open_problem("wdbc").n_samples == 569


def test_an_existing_file_wins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris").write_bytes(CSV)
    assert open_problem("iris", Reading(target="y")).n_samples == 3


def test_names_that_are_not_there():
    with pytest.raises(UsageError, match="did you mean 'diabetes'"):
        entry("diabetis")
    with pytest.raises(UsageError, match="there are wdbc"):
        entry("nothing")


def test_fetching_a_built_in_set(tmp_path, cache):
    assert fetch("wine").parent == cache
    problem = open_problem(str(fetch("wine", tmp_path)))
    expected = open_problem("wine")
    np.testing.assert_array_equal(problem.X, expected.X)
    assert problem.y.tolist() == expected.y.tolist()
    assert problem.names == expected.names
    assert [path.name for path in cache.iterdir()] == ["wine.npz"]


def test_a_file_from_a_server(server, cache):
    server.answers["/sets/people.csv"] = CSV
    address = f"{server.address}/sets/people.csv#sha256={SHA}"
    problem = open_problem(address, Reading(target="y"))
    assert (problem.name, problem.checksum) == (address, f"sha256:{SHA}")
    np.testing.assert_array_equal(problem.X, [[1, 2], [3, 4], [5, 6]])
    server.answers.clear()  # it was kept
    assert open_problem(address, Reading(target="y")).n_samples == 3


def test_how_much_of_a_file_has_come_is_told(server, cache):
    large = CSV + b"7,8,v\n" * 20_000
    server.answers["/a.csv"] = large
    told = []
    address = f"{server.address}/a.csv#sha256={hashlib.sha256(large).hexdigest()}"
    fetch(address, tick=lambda *progress: told.append(progress))
    assert len(told) > 10
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[-1][:2] == (len(large), len(large))


def test_a_file_by_its_address(tmp_path):
    (tmp_path / "my data.csv").write_bytes(CSV)
    address = f"{(tmp_path / 'my data.csv').as_uri()}#sha256={SHA}"
    assert fetch(address, tmp_path / "kept").read_bytes() == CSV
    with pytest.raises(UnreadableError, match="could not be fetched"):
        fetch(address.replace("my", "no"), tmp_path / "other")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (CSV + b"7,8,v\n", "another checksum than the one given, and was not kept"),
        ((CSV[:10], 1000), "the transfer broke off, and nothing was kept"),
        (None, "404"),
    ],
)
def test_nothing_is_kept_of_what_went_wrong(server, cache, answer, message):
    if answer is not None:
        server.answers["/a.csv"] = answer
    with pytest.raises(UnreadableError, match=message):
        fetch(f"{server.address}/a.csv#sha256={SHA}")
    assert not cache.exists() or list(cache.iterdir()) == []


def test_a_file_without_end_leaves_room_on_the_disk(server, cache, monkeypatch):
    large = b"1," * 100_000
    server.answers["/a.csv"] = large
    checked = []
    monkeypatch.setattr(downloads, "no_room", lambda path: checked.append(path) or len(checked) > 20)
    with pytest.raises(UnreadableError, match="free space, or name another folder"):
        fetch(f"{server.address}/a.csv#sha256={hashlib.sha256(large).hexdigest()}")
    assert len(checked) == 21
    assert {path.parent for path in checked} == {cache}
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1/a.csv"])
def test_a_server_does_not_send_to_other_schemes(server, cache, place):
    server.answers["/a.csv"] = place
    with pytest.raises(UnreadableError, match="could not be fetched"):
        fetch(f"{server.address}/a.csv#sha256={SHA}")
    assert list(cache.iterdir()) == []


def test_a_server_may_send_on(server):
    server.answers |= {"/a.csv": f"{server.address}/b.csv", "/b.csv": CSV}
    assert fetch(f"{server.address}/a.csv#sha256={SHA}").read_bytes() == CSV


@pytest.mark.parametrize(
    "end",
    ["", "/", "/..", "/../../up.csv", "/%2e%2e%2fup.csv", "/a/%2e%2e", "//etc/passwd", "/%2fetc%2fpasswd"],
)
def test_what_is_kept_lies_in_the_cache(tmp_path, end):
    kept = tmp_path / downloads.kept_name(f"http://x{end}#sha256={SHA}")
    assert kept.resolve().parent == tmp_path.resolve()
    assert kept.name.startswith(SHA[:12])


def test_a_second_try_may_succeed(server, monkeypatch):
    monkeypatch.setattr(downloads, "RETRIES", 1)
    monkeypatch.setattr("time.sleep", lambda _: server.answers.update({"/a.csv": CSV}))
    server.answers["/a.csv"] = (CSV[:10], 1000)
    assert fetch(f"{server.address}/a.csv#sha256={SHA}").read_bytes() == CSV


def test_no_network():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UnreadableError, match="no connection; check the network"):
        fetch(f"http://127.0.0.1:{port}/a.csv#sha256={SHA}")


@pytest.mark.parametrize("end", ["", "#sha256=12", "#md5=aa"])
def test_a_checksum_is_needed(end):
    with pytest.raises(UsageError, match=r"has no checksum; write http://x/a.csv#sha256="):
        open_problem(f"http://x/a.csv{end}")


def test_without_pooch(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(UsageError, match=r"pip install 'qpfs\[download\]'"):
        fetch(f"http://x/a.csv#sha256={SHA}")


ARFF = b"""@relation people
@attribute age numeric
@attribute city {Rome,Oslo}
@attribute state {ill,well}
@data
1.5,Oslo,ill
2.5,?,well
?,Rome,ill
"""


@pytest.fixture
def openml(server, monkeypatch, tmp_path):
    """OpenML with one set, number 7."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit-learn"))
    kinds = {"age": "numeric", "city": "nominal", "state": "nominal"}
    features = [
        {
            "index": str(j),
            "name": name,
            "data_type": kind,
            "is_target": str(name == "state").lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0" if name == "state" else "1",
        }
        for j, (name, kind) in enumerate(kinds.items())
    ]
    about = {
        "id": "7",
        "name": "people",
        "version": "1",
        "description": "made up",
        "format": "ARFF",
        "status": "active",
        "file_id": "70",
        "url": f"{server.address}/openml/file/70",
        "default_target_attribute": "state",
        "md5_checksum": hashlib.md5(ARFF).hexdigest(),
    }
    answers = {
        "/openml/data/7": {"data_set_description": about},
        "/openml/features/7": {"data_features": {"feature": features}},
        "/openml/qualities/7": {
            "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "3.0"}]}
        },
    }
    server.answers.update({path: gzip.compress(json.dumps(what).encode()) for path, what in answers.items()})
    server.answers["/openml/file/70"] = gzip.compress(ARFF)
    monkeypatch.setattr(_openml, "_DATA_INFO", f"{server.address}/openml/data/{{}}")
    monkeypatch.setattr(_openml, "_DATA_FEATURES", f"{server.address}/openml/features/{{}}")
    monkeypatch.setattr(_openml, "_DATA_QUALITIES", f"{server.address}/openml/qualities/{{}}")
    monkeypatch.setattr(
        _openml, "_OPENML_PREFIX", "", raising=False
    )  # of older scikit-learn alone, as is the next
    monkeypatch.setattr(_openml, "_DATA_FILE", f"{server.address}/openml/file/{{}}", raising=False)
    monkeypatch.setattr(named_sets, "RETRIES", 1)
    monkeypatch.setattr("time.sleep", lambda _: None)
    return server


def test_openml(openml):
    problem = open_problem("openml:7")
    table = problem.X.to_pydict()
    np.testing.assert_array_equal(table["age"], [1.5, 2.5, np.nan])
    assert table["city"] == ["Oslo", None, "Rome"]
    assert (problem.y.tolist(), problem.target_name) == (["ill", "well", "ill"], "state")
    assert problem.format == "openml"
    again = open_problem(f"openml:7#{problem.checksum.replace(':', '=')}")
    assert again.checksum == problem.checksum
    with pytest.raises(UnreadableError, match=f"another checksum: {problem.checksum}"):
        open_problem(f"openml:7#sha256={'0' * 64}")


def test_openml_that_fails(openml):
    with pytest.raises(UnreadableError, match="'openml:8' could not be fetched"):
        open_problem("openml:8")
    with pytest.raises(UsageError, match="as in openml:1510"):
        open_problem("openml:people")


def test_openml_with_another_file(openml):
    openml.answers["/openml/file/70"] = gzip.compress(ARFF + b"9,Oslo,ill\n")
    with pytest.raises(UnreadableError, match="md5 checksum"):
        open_problem("openml:7")


def test_a_file_that_is_there_is_looked_at(tmp_path):
    (tmp_path / "wdbc.npz").write_text("junk")
    with pytest.raises(UnreadableError, match="not an archive with an array X; remove it"):
        fetch("wdbc", tmp_path)
    np.savez(tmp_path / "wdbc.npz", X=np.eye(3), y=np.arange(3))
    with pytest.raises(UnreadableError, match="holds 3 x 3 instead of 569 x 30"):
        fetch("wdbc", tmp_path)
    (tmp_path / "wdbc.npz").unlink()
    assert fetch("wdbc", tmp_path) == fetch("wdbc", tmp_path) == tmp_path / "wdbc.npz"


def test_a_format_is_for_files():
    with pytest.raises(UsageError, match="format='csv' is for files; 'wine' is none"):
        open_problem("wine", format="csv")
