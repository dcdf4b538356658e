"""`qpfs select STORE --dask`: the same answer, by the workers of a cluster."""

import json

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
    return [one["feature"] for one in json.loads(result.stdout)["selected"]]


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


def test_an_address_that_is_none(store, monkeypatch):
    monkeypatch.setattr("qpfs.cli.clusters.PATIENCE", 1)
    result = qpfs("select", store, "--dask", "nonsense://")
    assert result.returncode == 2
    assert "no Dask scheduler answers there" in result.stderr
