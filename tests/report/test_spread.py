"""Pictures of how values are spread: what is drawn is what was counted."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs.report.pictures import large_spread, small_spread
from qpfs.report.pictures.marks import Box, Lettering, Path

COUNTS = [[2, 8, 0], [0, 4, 1], [0, 0, 0], [5, 5, 5]]
TIED = [30, 5, 20, 0]


def feature(n_classes, value=0.0):
    spread = {
        "edges": [1.0, 2.0, 3.0, 4.0],
        "integers": False,
        "counts": COUNTS[:n_classes],
        "beyond": (0, 0),
        "missing": [0] * n_classes,
        "tied": {"value": value, "counts": TIED[:n_classes]},
    }
    return {"feature": "f", "distribution": spread, "levels": None}


def classes(n):
    return [{"name": f"c{i}", "n": sum(COUNTS[i]) + TIED[i]} for i in range(n)]


def shares(n):
    """Of each class: the tied value's share, and those of the bins."""
    sizes = [one["n"] for one in classes(n)]
    return np.array(TIED[:n]) / sizes, np.array(COUNTS[:n]) / np.array(sizes)[:, None]


def words(panel):
    return [one.text.replace("\N{NO-BREAK SPACE}", " ") for one in panel.marks if isinstance(one, Lettering)]


def lengths(panel):
    """How long the bars of classes are, as shares of the longest there could be."""
    areas = [one.points for one in panel.marks if isinstance(one, Path) and "area" in one.role]
    ends = {one.x for one in panel.marks if isinstance(one, Lettering)}  # words begin where a whole bar ends
    return [(area[1][0] - area[0][0]) / (max(ends) - area[0][0]) for area in areas]


def heights(panel):
    """The steps of each outline above its base, in pixels."""
    outlines = [one.points for one in panel.marks if isinstance(one, Path) and "area" in one.role]
    return np.array([[panel.y.place(o[0][1]) - panel.y.place(y) for _, y in o[1:-1:2]] for o in outlines])


@pytest.mark.parametrize(
    ("n", "picture"), [(2, small_spread), (3, small_spread), (3, large_spread), (4, large_spread)]
)
def test_a_frequent_value_has_a_bar_with_its_share(n, picture):
    drawn = picture(feature(n), classes(n))
    apart, rest = drawn.panels
    tied, others = shares(n)
    assert words(apart) == [f"0: {share:.0%}".replace("%", " %") for share in tied]
    np.testing.assert_allclose(lengths(apart), tied[tied > 0])
    found = heights(rest)
    np.testing.assert_allclose(found / found.max(), others / others.max(), atol=1e-12)
    assert found.max() > 0.7 * (rest.box[3] - rest.box[1]) / (1 if picture is small_spread else n)
    assert apart.box[2] <= rest.box[0]


def test_many_classes_have_cells_as_dark_as_their_shares():
    apart, rest = small_spread(feature(4), classes(4)).panels
    cells = [one for one in apart.marks if isinstance(one, Box) and one.role == "shade"]
    tied, _ = shares(4)
    assert [one.y for one in cells] == sorted(one.y for one in cells)
    assert np.argsort([one.opacity for one in cells]).tolist() == np.argsort(tied[tied > 0]).tolist()
    assert max(one.x + one.width for one in cells) < rest.marks[0].x


def test_a_long_value_is_named_where_there_is_room():
    assert words(small_spread(feature(2, -999.25), classes(2)).panels[0]) == ["75 %", "50 %"]
    assert words(large_spread(feature(2, -999.25), classes(2)).panels[0])[0].endswith("75 %")
    assert "999" in words(large_spread(feature(2, -999.25), classes(2)).panels[0])[0]


def test_words_for_who_cannot_see():
    told = small_spread(feature(3), classes(3)).told.replace("\N{NO-BREAK SPACE}", " ")
    assert told == (
        "c0 75 % at 0, others mostly from 2 to 3; c1 50 % at 0, others mostly from 2 to 3; "
        "c2 100 % at 0, others none"
    )
