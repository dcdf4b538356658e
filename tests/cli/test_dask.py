"""`qpfs select STORE --dask`: the same answer, by the workers of a cluster."""

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from threading import Thread

import psutil
import pytest
from sklearn.datasets import load_wine
from tests.cli.command import qpfs
from tests.clusters import begin_quickly

from qpfs import write_store
from qpfs.cli.clusters import client_of


@pytest.fixture
def store(tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    return str(write_store(X, tmp_path / "wine.qpfs", y))


def answer(result):
    assert result.returncode == 0, result.stderr
    return [one["feature"] for one in json.loads(result.stdout)["features"]]


def test_a_cluster_of_this_machine_answers_as_ever(store):
    begin_quickly()
    alone = qpfs("select", store, "--top", "4", "--json", "--quiet")
    together = qpfs("select", store, "--top", "4", "--json", "--dask", "local")
    assert answer(together) == answer(alone)
    assert "Dask workers at tcp://" in together.stderr


@pytest.mark.slow
def test_workers_run_nothing_of_the_current_folder(store, tmp_path):
    """Which the command, as it is installed, does not look into either."""
    script, here = tmp_path / "bin" / "qpfs", tmp_path / "data"
    for folder in (script.parent, here):
        folder.mkdir()
    script.write_text("from qpfs.cli import main\nif __name__ == '__main__':\n    main()\n")
    for name in ("multiprocessing", "numpy", "distributed"):
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(script), "select", store, "--top", "4", "--json", "--dask", "local"]
    assert len(answer(subprocess.run(command, capture_output=True, text=True, cwd=here, env=env))) == 4
    assert not (tmp_path / "run").exists()


def test_a_cluster_of_this_machine_listens_to_this_machine_alone():
    def listening():
        process = psutil.Process()
        found = process.net_connections() if hasattr(process, "net_connections") else process.connections()
        return {one.laddr for one in found if one.status == psutil.CONN_LISTEN}

    begin_quickly()
    before = listening()
    with client_of("local"):
        assert {place.ip for place in listening() - before} == {"127.0.0.1"}


def test_only_a_store_can_be_read_by_workers():
    result = qpfs("select", "wdbc", "--dask", "local")
    assert result.returncode == 2
    assert "--dask is for a store, but wdbc is not one" in result.stderr


def test_an_address_where_nobody_answers(store, monkeypatch):
    monkeypatch.setattr("qpfs.cli.clusters.PATIENCE", 1)
    result = qpfs("select", store, "--dask", "tcp://127.0.0.1:9")
    assert result.returncode == 2
    assert "no Dask scheduler answers there" in result.stderr


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_an_address_where_something_else_answers(store, monkeypatch, says):
    monkeypatch.setattr("qpfs.cli.clusters.PATIENCE", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=answer_all, args=(server, says), daemon=True).start()
        result = qpfs("select", store, "--dask", f"tcp://127.0.0.1:{server.getsockname()[1]}")
    assert result.returncode == 2
    assert "no Dask scheduler answers there" in result.stderr


def answer_all(server, says):
    """Greets everybody, and hangs up on nobody."""
    guests = []
    with suppress(OSError):
        while True:
            guest, _ = server.accept()
            guests.append(guest)
            guest.sendall(says)


def test_an_address_that_is_none(store, monkeypatch):
    monkeypatch.setattr("qpfs.cli.clusters.PATIENCE", 1)
    result = qpfs("select", store, "--dask", "nonsense://")
    assert result.returncode == 2
    assert "no Dask scheduler answers there" in result.stderr


def test_a_plan_says_where_it_would_be_done(store):
    result = qpfs("select", store, "--dask", "local", "--plan")
    assert result.returncode == 0, result.stderr
    assert "select by QPFS, by the Dask workers of this machine" in " ".join(result.stdout.split())
