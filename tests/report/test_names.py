"""Names are made to fit."""

from __future__ import annotations

import pytest

from qpfs.report.names import fitted, in_lines, one_line, width_in_ems

NAMES = [
    "$x$",
    "a\nb",
    "very long " * 40,
    "שלום",
    "<script>",
    "\u202eevil",
    "漢字" * 30,
    "",
    "x" * 300,
    "\x00\ud800",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("ems", [0, 3, 8, 30])
def test_what_is_shown_fits_on_its_lines(name, ems):
    for text in (fitted(name, ems), *in_lines(name, ems, 3)):
        assert width_in_ems(text) <= ems
        assert text.isprintable()
    assert len(in_lines(name, ems, 3)) <= 3


def test_short_names_are_left_as_they_are():
    assert fitted("mean area", 100) == "mean area"
    assert in_lines("mean area", 100, 2) == ["mean area"]
    assert in_lines("mean perimeter", 7, 2) == ["mean", "perimeter"]


def test_long_names_end_in_an_ellipsis():
    assert fitted("perimeter" * 9, 10).endswith("…")
    assert fitted("perimeter", 2) == ""


def test_one_line():
    assert one_line("a\n b\t\u202ec") == "a b c"
    assert one_line(" \n") == "(blank)"
