"""What a store holds, spread out: the levels of slow twins, scores in the order of the numbers, labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata
from tests.naive import codes as naive

from qpfs import open_store, write_store
from qpfs.codes.decoding import decoded

N = 40


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    gaps = rng.normal(size=N)
    gaps[[3, 7]] = np.nan
    labels = np.array(["low", "high", None], object)[rng.integers(0, 3, N)]
    return pd.DataFrame({"plain": rng.normal(size=N), "gaps": gaps, "text": labels, "same": np.ones(N)})


def test_levels_are_those_of_the_rule(frame, tmp_path):
    table = open_store(write_store(frame, tmp_path / "t.qpfs"))
    plain, gaps, text, same = decoded(table, np.arange(4))
    for column, name in ((plain, "plain"), (gaps, "gaps")):
        numbers = frame[name].to_numpy()
        known = ~np.isnan(numbers)
        edges = naive.equal_frequency(numbers[known].tolist(), 3)
        assert column[known].tolist() == [sum(x > edge for edge in edges) for x in numbers[known]]
        assert np.isnan(column[~known]).all()
    assert text == [one if isinstance(one, str) else None for one in frame["text"]]  # NaN in pandas 3
    assert same.tolist() == [0.0] * N
    assert decoded(table, np.array([2, 0]))[1].tolist() == plain.tolist()


def test_scores_are_normal_scores_of_ranks(frame, tmp_path):
    table = open_store(write_store(frame, tmp_path / "t.qpfs", measure="rank"))
    plain, gaps, text, _ = decoded(table, np.arange(4))
    expected = norm.ppf(rankdata(frame["plain"]) / (N + 1))
    np.testing.assert_allclose(plain, expected / np.sqrt((expected**2).mean()), atol=1e-3)
    assert np.flatnonzero(np.isnan(gaps)).tolist() == [3, 7]
    assert text == [one if isinstance(one, str) else None for one in frame["text"]]  # NaN in pandas 3
