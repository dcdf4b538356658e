"""Dates in text: each spelling against datetime, and notes on columns that nearly are dates."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from qpfs.cli.running import in_options
from qpfs.data import Reading, open_problem

N = 200  # more than the cells that are tried first
DAYS = pd.to_datetime(pd.Series(np.random.default_rng(0).integers(0, 20_000, N)), unit="D")
GERMAN, AMERICAN, BRITISH = "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y"


def naive(cells, form):
    """The slow twin: days since 1970-01-01, one by one."""
    return [(datetime.strptime(cell.strip(), form) - datetime(1970, 1, 1)).days for cell in cells]


@pytest.fixture
def opened(tmp_path):
    def problem(cells, **roles):
        path = tmp_path / "a.csv"
        y = {"y": np.arange(len(cells)) % 2} if "target" not in roles else {}
        pd.DataFrame({"d": cells, "g": np.arange(len(cells)) % 7, **y}).to_csv(path, index=False)
        return open_problem(path, Reading(**{"target": "y"} | roles))

    return problem


@pytest.mark.parametrize("role", ["feature", "target", "covariate"])
@pytest.mark.parametrize("form", [GERMAN, AMERICAN, BRITISH, "%Y-%m-%d", " %d.%m.%Y "])
def test_dates_in_several_spellings_are_days(opened, form, role):
    cells = DAYS.dt.strftime(form)
    roles = {"feature": {}, "target": {"target": "d"}, "covariate": {"adjust": ("d",)}}[role]
    found = opened(cells, **roles)
    values = {"feature": lambda: found.X[:, 0], "target": lambda: found.y}.get(
        role, lambda: found.covariates["d"]
    )()
    assert values.tolist() == naive(cells, form.strip())
    assert "dates were read as days since 1970-01-01: 'd'" in found.notes


def test_days_and_months_of_one_digit(opened):
    cells = ["1.2.2020", "31.12.1999", "9.10.2001"]
    assert opened(cells).X[:, 0].tolist() == naive(cells, GERMAN)
    cells = ["1/2/2020", "12/31/1999", "9/10/2001"]
    assert opened(cells).X[:, 0].tolist() == naive(cells, AMERICAN)


@pytest.mark.parametrize("form", [AMERICAN, BRITISH])
@pytest.mark.parametrize("role", ["feature", "target"])
def test_one_day_above_twelve_decides_wherever_it_is(opened, form, role):
    early = DAYS[DAYS.dt.day <= 12]
    cells = pd.concat([early, pd.Series(pd.to_datetime(["2020-02-13"]))]).dt.strftime(form)
    found = opened(cells, **({"target": "d"} if role == "target" else {}))
    assert (found.y if role == "target" else found.X[:, 0]).tolist() == naive(cells, form)


def test_day_or_month_first_is_not_guessed(opened):
    cells = DAYS[DAYS.dt.day <= 12].dt.strftime(AMERICAN)
    found = opened(cells)
    assert found.X["d"].to_pylist() == cells.tolist()
    (note,) = (note for note in found.notes if "day or the month" in note)
    assert repr(cells.iloc[0]) in note
    assert "2020-12-31" in note
    assert opened(cells, target="d").y.tolist() == cells.tolist()


@pytest.mark.parametrize(
    "cells",
    [["13/14/2020", "1/2/2020"], ["13/1/2020", "1/13/2020"], ["30.2.2020", "1.2.2020"], ["1.1.20", "1.2.20"]],
)
def test_what_is_no_date_stays_text(opened, cells):
    assert opened(cells).X["d"].to_pylist() == cells


@pytest.mark.parametrize("form", [GERMAN, AMERICAN, "%Y-%m-%d"])
def test_a_few_words_among_dates_are_named(opened, form):
    cells = DAYS.dt.strftime(form).copy()
    cells[3], cells[77], cells[100] = "n.a.", "unknown", "n.a."
    found = opened(cells)
    (note,) = (note for note in found.notes if "dates but for" in note)
    assert "'d' would be dates but for 'n.a.', 'unknown'" in note
    assert "missing=['n.a.', 'unknown']" in note
    assert "--missing n.a. --missing unknown" in in_options(note)
    known = opened(cells, missing=("n.a.", "unknown")).X[:, 0]
    gone = cells.isin(["n.a.", "unknown"]).to_numpy()
    assert known[~gone].tolist() == naive(cells[~gone], form)
    assert np.isnan(known[gone]).all()
    assert not any("dates but for" in note for note in opened(cells, categorical=("d",)).notes)


def test_dates_in_another_spelling_are_not_called_missing(opened):
    cells = DAYS.dt.strftime(GERMAN).copy()
    cells[3] = "2020-02-19"
    (note,) = (note for note in opened(cells).notes if "'d' holds dates" in note)
    assert "others are written as '2020-02-19'; write dates as 2020-12-31" in note


def test_categories_are_not_taken_for_dates(opened):
    cells = ["2020-01-01", "a", "b", "c"] * 20
    assert not any("dates" in note for note in opened(cells).notes)


def test_many_columns_that_nearly_are_dates_are_counted(tmp_path):
    cells = DAYS.dt.strftime("%Y-%m-%d").tolist()
    frame = pd.DataFrame({f"d{j}": ["?", *cells[1:]] for j in range(7)}).assign(y=np.arange(N) % 2)
    frame.to_csv(tmp_path / "a.csv", index=False)
    notes = open_problem(tmp_path / "a.csv", target="y").notes
    assert sum("would be dates but for '?'" in note for note in notes) == 5
    assert "2 more columns are nearly dates" in notes
