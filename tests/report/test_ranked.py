"""Where features are not ranked by weight, the page and the terminal say how."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs import IKMQPFS, QPFS
from qpfs.cli.terminal import summary
from qpfs.report import check_selection, selection_page, selection_record

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 12))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("selector", [QPFS, IKMQPFS])
def test_one_by_one_is_said(selector):
    record = selection_record(selector(3).fit(X, Y), X=X)
    check_selection(record)
    assert "ranked one by one" in selection_page(record)
    assert "ranked one by one" in summary(record)
    assert "ranked one by one" in record["method"]["account"]["text"]


def test_by_weight_needs_no_word():
    record = selection_record(QPFS(3, order="weight").fit(X, Y), X=X)
    assert "one by one" not in selection_page(record) + summary(record)
    assert "ranked by weight" in record["method"]["account"]["text"]
