"""What a notebook or a terminal shows of a result: a line, and a table."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.evaluation.costly import Failing

from qpfs import QPFS, MaxRel
from qpfs.evaluation import across_cohorts, compare, error_curve, resampled
from qpfs.wording import rounded


@pytest.fixture(scope="module")
def problem():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(("scoring", "begin"), [(None, "lowest error "), ("roc_auc", "highest roc_auc 0.9")])
def test_a_curve(problem, scoring, begin):
    curve = error_curve(MaxRel(), *problem, cv=3, sizes=[1, 4], scoring=scoring)
    assert re.fullmatch(
        f"<ErrorCurve: {begin}.* with 4 features; 2 numbers of features in 3 splits>", repr(curve)
    )
    frame = curve.to_frame()
    assert frame["k"].tolist() == [1, 4]
    for name, values in (("score", curve.mean), ("low", curve.low), ("standard_error", curve.standard_error)):
        assert frame[name].tolist() == values.tolist()


def test_selections_on_resamples(problem):
    X, y = problem
    found = resampled(QPFS(3), X, y, n=10)
    index = rounded(found.stability.index)
    assert repr(found).startswith(f"<Resampled: stability {index} (")
    assert "over 10 stratified random halves of the samples; 3 features selected on all samples" in repr(
        found
    )
    frame = found.to_frame()
    assert set(frame["index"]) == set(np.flatnonzero(found.frequencies)) | set(found.selected)
    assert frame["feature"].tolist() == X.columns[frame["index"]].tolist()
    assert frame["frequency"].tolist() == sorted(found.frequencies[frame["index"]], reverse=True)
    ranked = frame.dropna(subset="rank").sort_values("rank")
    assert ranked["index"].tolist() == found.selected.tolist()
    assert "cluster" in frame
    assert len(repr(found)) < 200


def test_cohorts(problem):
    X, y = problem
    found = across_cohorts(MaxRel(3), X, y, np.arange(len(y)) % 2)
    assert re.fullmatch(
        r"<AcrossCohorts: 3 features selected in 2 cohorts together; error .* on each after the others; "
        r"stability .* between them>",
        repr(found),
    )


def test_a_comparison_is_a_table_of_html(problem):
    with pytest.warns(RuntimeWarning, match="failed"):
        found = compare({"<b>q</b>": QPFS(), "f": Failing()}, *problem, cv=3, inner_cv=2, sizes=[1, 2])
    shown = found._repr_html_()
    assert "&lt;b&gt;q" in shown
    assert "<b>" not in shown
    assert "failed: ValueError: no such luck" in shown
    assert "1 of 2 methods failed" in shown
    assert re.findall(r"<bdi>(.*?)</bdi>", shown)[-1] == "all features"
    assert shown.count("<tr>") == 4
