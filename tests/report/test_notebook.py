"""What a notebook shows of a selector, and the page as an object."""

from __future__ import annotations

import html
import re

import pytest
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.report.selections import HOSTILE, PROBE, SELECTORS, hostile, named, wdbc

from qpfs import MRMR, QPFS, MaxRel
from qpfs.report import chosen_table


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_a_selector_shows_what_it_is_before_it_is_fitted(selector):
    shown = selector._repr_html_()
    assert named(selector) in shown
    assert "<caption" not in shown


def test_a_fitted_selector_shows_what_it_chose():
    X, y = wdbc()
    fitted = QPFS(3).fit(X, y)
    for shown in (fitted._repr_html_(), fitted._repr_mimebundle_()["text/html"]):
        table = shown[shown.index("<caption") :]
        assert "3 features of 31 selected" in table
        assert re.findall(r"<bdi>(.*?)</bdi>", table) == list(X.columns[fitted.order_[:3]])


def test_names_in_a_notebook_are_text():
    X, y = hostile()
    shown = MaxRel().fit(X, y)._repr_html_()
    table = shown[shown.index("<caption") :]
    assert PROBE in html.unescape(table)
    assert not re.search(r"<(script|img|svg)\b", table)


def test_the_setting_of_scikit_learn_is_respected():
    X, y = wdbc()
    fitted = MRMR(2).fit(X, y)
    with config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert "text/html" not in fitted._repr_mimebundle_()
    assert "<caption" not in make_pipeline(StandardScaler(), fitted)._repr_html_()


def test_many_chosen_are_not_all_shown():
    X, y = wdbc()
    table = MaxRel(25).fit(X, y)._repr_html_()
    assert "25 features of 31 selected; the first 20 are shown" in table
    assert table.count("<bdi>") == 20


def test_a_report_needs_a_fit():
    with pytest.raises(NotFittedError):
        QPFS().report()


def test_a_report_is_saved_whole_and_not_over_another(tmp_path):
    X, y = wdbc()
    report = QPFS(3).fit(X, y).report(X, y)
    path = report.save(tmp_path / "r.html")
    assert path.read_text(encoding="utf-8") == report.html
    with pytest.raises(FileExistsError, match="force=True"):
        report.save(path)
    path.write_text("old")
    report.save(path, force=True)
    assert path.read_text(encoding="utf-8") == report.html
    assert [one.name for one in tmp_path.iterdir()] == ["r.html"]


def test_a_report_in_a_notebook_is_a_frame_that_can_do_nothing_to_it(opened):
    X, y = hostile()
    report = QPFS(5).fit(X, y).report(X)
    page = opened(f"<!doctype html><title>notebook</title>{report._repr_html_()}")
    frame = page.frame_locator("iframe")
    assert frame.locator("h1").inner_text() == "5 of 15 features selected"
    frame.locator("#theme").click()
    frame.locator(".expand").first.click()
    assert frame.locator(".panel").first.is_visible()
    assert page.locator("iframe").get_attribute("sandbox") == "allow-scripts allow-downloads"


def test_a_selector_in_a_notebook_runs_nothing_of_a_name(opened):
    X, y = hostile()
    page = opened(f"<!doctype html><title>notebook</title>{chosen_table(MaxRel().fit(X, y))}")
    assert page.locator("bdi").first.is_visible()
    assert any(HOSTILE[0] in text for text in page.locator("bdi").all_text_contents())


def test_a_report_says_what_it_is():
    X, y = wdbc()
    assert repr(MRMR(1).fit(X, y).report()) == "<Report: 1 of 31 features selected, mRMR>"
