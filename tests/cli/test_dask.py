"""`qpfs select STORE --dask`: the same answer, by the workers of a cluster."""

import json
import socket
from contextlib import suppress
from threading import Thread

import pytest
from sklearn.datasets import load_wine
from tests.cli.command import qpfs, qpfs_apart

from qpfs import write_store


@pytest.fixture
def store(tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    return str(write_store(X, tmp_path / "wine.qpfs", y))


def answer(result):
    assert result.returncode == 0, result.stderr
    return [one["feature"] for one in json.loads(result.stdout)["features"]]


def test_a_cluster_of_this_machine_answers_as_ever(store):
    alone = qpfs("select", store, "--top", "4", "--json", "--quiet")
    together = qpfs_apart("select", store, "--top", "4", "--json", "--dask", "local")
    assert answer(together) == answer(alone)
    assert "Dask workers at tcp://" in together.stderr


def test_only_a_store_can_be_read_by_workers():
    result = qpfs("select", "wdbc", "--dask", "local")
    assert result.returncode == 2
    assert "--dask is for a store, and wdbc is none" in result.stderr


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
