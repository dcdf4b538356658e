"""The one rule for text that a spreadsheet would run."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.spreadsheets import SIGNS, is_run

from qpfs.data.formats.cells import parsed
from qpfs.data.formats.layout import MISSING
from qpfs.formulas import defused, defused_row, restored

PIECES = [*SIGNS, "'", " ", ".", ",", "0", "7", "e", "E", "inf", "Infinity", "nan", "(ind)", "()", "x"]
odd = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text()


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *((f"{sign}x", f"'{sign}x") for sign in SIGNS),
        *((sign, f"'{sign}") for sign in SIGNS if sign != "\r"),
        ('=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'),
        ("+x", "'+x"),
        ("-1 x", "'-1 x"),
        ("-1-1", "'-1-1"),
        ("@sum", "'@sum"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("'=1", "''=1"),
        ("''=1", "'''=1"),
        ("'-5", "''-5"),
        ("' =1", "'' =1"),
        ("'\rx", "''\rx"),
    ],
)
def test_what_may_be_run_gets_an_apostrophe(text, cell):
    assert defused(text) == cell
    assert restored(cell) == text


@pytest.mark.parametrize("text", ["", "'", "x", "x=1", "'x", "5'-x", "it's", " x", "#N/A", "!x", "–5"])
def test_other_text_stays(text):
    assert defused(text) == text
    assert restored(text) == text


NUMBERS = ["-5", "+5", "-0.5", "-.5", "+5.", "+1e-3", "-1E+5", "-0,5", "-inf", "+Infinity", " -5", "\t-5 "]


@pytest.mark.parametrize("number", [*NUMBERS, "-nan", "-nan(ind)", "-5\r"])
def test_numbers_stay_and_are_not_made_of_text(number):
    assert defused(number) == number
    assert restored(f"'{number}") == f"'{number}"


@given(odd)
@example("-nan()")
def test_each_text_has_one_spelling_that_is_not_run(text):
    cell = defused(text)
    assert restored(cell) == text
    assert not is_run(cell)
    assert restored(defused(defused(text))) == defused(text)


@given(odd)
@example("-nan(ind)")
@settings(deadline=None)
def test_what_is_restored_is_no_number_and_none_is_defused(text):
    """A column is read as numbers before its text is restored."""
    as_number = parsed(f"{text}\n".encode("utf-8", "replace"), MISSING, 1)
    if as_number is not None:
        assert defused(text) == text
    if restored(text) != text:
        assert parsed(f"{restored(text)}\n".encode("utf-8", "replace"), MISSING, 1) is None
        assert restored(text) not in MISSING


def test_only_the_text_of_a_row_is_defused():
    assert defused_row(["=1", -1, -0.5, None, "x"]) == ["'=1", -1, -0.5, None, "x"]
