"""What stands in the picture of error curves, and where."""

from __future__ import annotations

import re

import pytest
from matplotlib.textpath import TextPath

from qpfs.report.pictures.axes import NARROW, WIDE
from qpfs.report.pictures.error_curves import error_curves, percent_places
from qpfs.report.pictures.marks import moved_apart
from qpfs.report.pictures.svg import svg


def picture(errors, baselines=(), width=WIDE, **more):
    """Curves at 1, 2, ... features."""
    methods = [
        {"title": title, "curve": [{"k": k + 1, "score": error} for k, error in enumerate(some)], **more}
        for title, some in errors.items()
    ]
    known = [{"name": name, "score": error} for name, error in baselines]
    return svg(error_curves({"methods": methods, "baselines": known}, width))


@pytest.mark.parametrize(
    ("ticks", "places"), [([0.1, 0.2], 0), ([0.1, 0.125, 0.15], 1), ([0.0, 0.0025], 2), ([0.02], 0)]
)
def test_ticks_are_what_they_say(ticks, places):
    assert percent_places(ticks) == places


def test_an_axis_of_halves_says_halves():
    drawn = picture({"a": [0.2, 0.085]}).replace("\N{NO-BREAK SPACE}", " ")
    said = [float(word) for word in re.findall(r">([\d.]+) %</text>", drawn)]
    assert said == [7.5, 10.0, 12.5, 15.0, 17.5, 20.0]


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("errors", [[0.125, 0.02], [1.0, 0.875], [0.01, 0.00995]])
def test_ticks_begin_inside_the_picture(errors, width):
    drawn = picture({"a": errors}, width=width)
    ticks = re.findall(r'<text x="([-\d.]+)"[^>]*class="tick end">([^<]+)<', drawn)
    assert len(ticks) > 2
    for end, words in ticks:
        assert TextPath((0, 0), words, size=12).get_extents().width < float(end)


def test_baselines_that_are_equal_share_a_line_and_its_name():
    drawn = picture({"a": [0.2, 0.1]}, [("all features", 0.05), ("all representatives", 0.05)])
    assert "all features; all representatives" in drawn
    assert drawn.count('class="cut strong"') == 1


def test_names_of_near_baselines_do_not_touch():
    drawn = picture({"a": [0.5, 0.1]}, [("low", 0.100), ("high", 0.105)])
    places = {name: float(y) for y, name in re.findall(r'y="([\d.]+)"[^>]*>(low|high)<', drawn)}
    assert places["low"] - places["high"] > 12


def test_a_method_keeps_its_own_colour():
    assert "curve k5" in picture({"a": [0.2, 0.1]}, style=5)
    assert "curve k0" in picture({"a": [0.2, 0.1]})


def test_names_of_curves_stay_apart_and_in_the_picture():
    assert moved_apart([10.0, 12.0, 50.0], [16.0, 16.0, 16.0], 100.0) == [10.0, 26.0, 50.0]
    assert moved_apart([90.0, 95.0, 99.0], [16.0, 32.0, 16.0], 116.0) == [52.0, 68.0, 100.0]
    assert moved_apart([], [], 100.0) == []


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("name", ["relative squared error", "roc_auc"])
def test_the_scale_of_scores_has_a_name_above_the_frame(name, width):
    scoring = {"name": name, "greater_is_better": name == "roc_auc"}
    methods = [{"title": "a", "curve": [{"k": 1, "score": 0.5}, {"k": 2, "score": 0.75}]}]
    drawn = svg(error_curves({"methods": methods, "baselines": [], "protocol": {"scoring": scoring}}, width))
    (y,) = re.findall(rf'y="([\d.]+)" class="label strong">{name}<', drawn)
    assert 12 < float(y) < min(float(one) for one in re.findall(r'y="([\d.]+)" class="tick end"', drawn))
