"""Figures: what they say is what was fitted, whatever the names, sizes and axes."""

from __future__ import annotations

import builtins
import re
from itertools import combinations, pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from tests.conftest import latent_factors
from tests.published import IKMAQPFS, IKMQPFS, MRMR, QPFS, TLKMQPFS, MaxRel, NystromQPFS
from tests.report.test_page import three_methods
from tests.report.traces import made, random_trace, traced

from qpfs import (
    FGM,
    ClusterTreeDisplay,
    ErrorCurveDisplay,
    RedundancyDisplay,
    StabilityDisplay,
    ThetaPathDisplay,
    WeightsDisplay,
)
from qpfs.evaluation import error_curve, resampled
from qpfs.report import RecordError
from qpfs.report.cluster_record import DRAWN_FATES, cluster_tree
from qpfs.report.figure import palette
from qpfs.report.names import width_in_ems
from qpfs.report.pictures import heat_map, theta_lines, weight_fall
from qpfs.report.pictures.axes import NARROW, WIDE
from qpfs.report.pictures.marks import Box, Lettering
from qpfs.report.pictures.svg import svg
from qpfs.report.pictures.theta_lines import ThetaLine

HOSTILE = [
    "$x$",
    "a\nb",
    "very long " * 40,
    "שלום عربي",
    "<script>",
    "$\\frac{",
    "\\$ _^{}",
    "",
    "\u202eevil",
    "%s {0}",
]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def drawn(display):
    """Draws for real, and counts the artists."""
    display.figure_.canvas.draw()
    return len(display.figure_.findobj())


def texts(display):
    return [one.get_text() for one in display.artists_ if isinstance(one, Text)]


def bars(display, panel=0, colour=None):
    """The bars of a panel, those of a colour of the page."""
    found = [one for one in display.panels_[panel].patches if isinstance(one, Rectangle)]
    return [one for one in found if colour is None or to_hex(one.get_facecolor()) == palette()[colour]]


@pytest.mark.parametrize("selector", [IKMQPFS, IKMAQPFS, TLKMQPFS])
def test_a_tree_says_what_was_fitted(microarray, selector):
    fitted = selector(theta=0.4, n_first=4, radius=0.9).fit(*microarray)
    display = ClusterTreeDisplay.from_estimator(fitted)
    drawn(display)
    tree = cluster_tree(fitted.rounds_)
    for fate in DRAWN_FATES:
        said = next(text for text in texts(display) if text.startswith(f"{fate}: "))
        assert [int(n) for n in re.findall(r"\d+", said)] == [tree.n_clusters(fate), tree.n_features(fate)]
    title = display.ax_.get_title(loc="left")
    assert title.startswith(f"{selector.__name__}: 300 features")
    assert title.endswith("τ = 0.9")
    assert display.ax_.get_xlim() == (0, 300)
    best = fitted.order_[0]
    assert f"1 {fitted.scores_[best]:.3f} x{best}" in texts(display)


def test_a_tree_of_many_clusters_stays_small():
    rounds = random_trace(5000, 15)
    assert sum(len(one.fates) for one in rounds) > 2000
    display = ClusterTreeDisplay(traced(rounds)).plot()
    assert drawn(display) < 3000


def test_every_fate_is_seen_however_narrow():
    clusters = [list(range(5000)), [5000], [5001]]
    display = ClusterTreeDisplay(traced([made(0, 1, None, clusters, ["split", "kept", "discarded"])])).plot()
    drawn(display)
    for colour in ("split", "kept", "gone"):
        *key, bar = bars(display, colour=colour)
        assert len(key) == 1
        assert bar.get_window_extent().width * 72 / display.figure_.dpi > 0.5


def test_text_stays_in_its_bar(microarray):
    display = ClusterTreeDisplay.from_estimator(IKMQPFS(theta=0.4, radius=0.97).fit(*microarray))
    drawn(display)
    rooms = [one.get_window_extent() for one in bars(display)]
    names = [one for one in display.artists_ if isinstance(one, Text) and re.match(r"x\d", one.get_text())]
    assert names
    for one in names:
        box = one.get_window_extent()
        assert any(room.x0 <= box.x0 < box.x1 <= room.x1 and room.y0 <= box.y0 for room in rooms)


def test_deep_trees_say_what_is_left_out():
    n = 200
    rounds = [
        made(i, i + 1, (i - 1, 0) if i else None, [list(range(i + 1, n)), [i]], ["split", "kept"])
        for i in range(n - 2)
    ]
    rounds.append(made(n - 2, n - 1, (n - 3, 0), [[n - 2], [n - 1]], ["kept", "kept"]))
    display = ClusterTreeDisplay(traced(rounds), selected=[0, n - 1]).plot()
    drawn(display)
    note = "levels 13 to 199 are not drawn: 374 clusters of 188 features"
    assert display.ax_.get_title(loc="left").splitlines()[1:] == [note]
    assert len(display.ax_.get_yticks()) == 12
    assert "not drawn" not in ClusterTreeDisplay(traced(rounds)).plot(n_levels=199).ax_.get_title(loc="left")


@pytest.mark.parametrize("fates", [["kept"], ["discarded"] * 9 + ["kept"]])
def test_small_traces(fates):
    clusters = [[i] for i in range(len(fates))]
    display = ClusterTreeDisplay(
        traced([made(0, 1, None, clusters, fates)]), selected=[len(fates) - 1]
    ).plot()
    drawn(display)
    assert (
        display.ax_.get_title(loc="left") == f"{len(fates)} feature{'s' if len(fates) > 1 else ''}, 1 round"
    )


def test_constant_features_are_not_in_the_tree(microarray):
    X, y = microarray
    fitted = IKMQPFS(theta=0.4).fit(np.c_[X, np.ones(len(X))], y)
    assert "300 of 301 features" in ClusterTreeDisplay.from_estimator(fitted).ax_.get_title(loc="left")


def test_many_names_find_room(microarray):
    fitted = TLKMQPFS(70, theta=0.4, n_clusters=150, init="relevance").fit(*microarray)
    display = ClusterTreeDisplay.from_estimator(fitted, n_names=60)
    drawn(display)
    listed = [one for one in display.artists_ if isinstance(one, Text) and " x" in one.get_text()]
    assert len(listed) == 60
    assert min(one.get_window_extent().y0 for one in listed) > 0


def test_hostile_names(microarray):
    import pandas as pd

    X, y = microarray
    frame = pd.DataFrame(X[:, :30], columns=[f"{HOSTILE[i % 10]}{i}" for i in range(30)])
    fitted = IKMQPFS(theta=0.4, n_first=4).fit(frame, y)
    tree, weights = ClusterTreeDisplay.from_estimator(fitted), WeightsDisplay.from_estimator(fitted)
    drawn(tree)
    drawn(weights)
    names = [label.get_text() for label in weights.panels_[0].get_yticklabels()]
    assert all(name.isprintable() and len(name) < 60 for name in names)


def test_given_axes_are_drawn_on(microarray):
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 4), layout="constrained")
    fitted = IKMQPFS(theta=0.4).fit(*microarray)
    tree = ClusterTreeDisplay.from_estimator(fitted, ax=left, n_names=0)
    weights = WeightsDisplay.from_estimator(fitted, ax=right)
    assert (tree.ax_, weights.ax_, tree.figure_, weights.figure_) == (left, right, figure, figure)
    assert not any(" x" in text for text in texts(tree))
    assert plt.get_fignums() == [figure.number]
    drawn(tree)


def test_axes_of_a_subfigure():
    subfigure = plt.figure(layout="constrained").subfigures(1, 2)[0]
    display = ClusterTreeDisplay(traced(random_trace(50, 4))).plot(subfigure.subplots())
    assert display.figure_ is subfigure


SELECTORS = [QPFS(5), QPFS(), MRMR(20), MaxRel(3), NystromQPFS(), IKMAQPFS(), TLKMQPFS()]
NUMBERS = [1, 12, 50, 1000]


def shown(place, n):
    """A selector and a number to show; by default each selector with none or one of them, in turn."""
    by_default = n == (None, *NUMBERS)[place % (len(NUMBERS) + 1)]
    name = f"{type(SELECTORS[place]).__name__}-{n}"
    return pytest.param(place, n, id=name, marks=() if by_default else pytest.mark.slow)


SHOWN = [shown(place, n) for place in range(len(SELECTORS)) for n in (None, *NUMBERS)]


@pytest.fixture(scope="module")
def fitted_selectors():
    return [selector.fit(*latent_factors(60, 300)) for selector in SELECTORS]


@pytest.mark.parametrize(("place", "n_features"), SHOWN)
def test_weights_by_rank(fitted_selectors, place, n_features):
    fitted = fitted_selectors[place]
    display = WeightsDisplay.from_estimator(fitted, n_features=n_features)
    display.figure_.canvas.draw()
    title = display.ax_.get_title(loc="left")
    if fitted.account().scored:
        assert f"{len(fitted.order_)} features ranked by score" in title
    else:
        assert f"{(fitted.scores_[fitted.order_] > 0).sum()} of {len(fitted.order_)} ranked" in title
    assert f"{fitted.support_.sum()} selected" in title
    assert ("gap" in title) == hasattr(fitted, "gap_")


def test_few_features_are_named_with_their_weight_and_relevance(microarray):
    fitted = QPFS(5, theta=0.4).fit(*microarray)
    display = WeightsDisplay.from_estimator(fitted, n_features=8)
    names = [text.get_text() for text in display.panels_[0].get_yticklabels()]
    assert names == [f"{rank} x{f}" for rank, f in enumerate(fitted.order_[:8], start=1)]
    widths = [bar.get_width() for bar in bars(display)]
    np.testing.assert_array_equal(widths, fitted.scores_[fitted.order_[:8]])
    assert [len(bars(display, colour=colour)) for colour in ("accent", "strong")] == [5, 3]
    beside = [bar.get_width() for bar in bars(display, 1)]
    np.testing.assert_array_equal(beside, fitted.relevance_[fitted.order_[:8]])


def test_scores_are_not_called_weights(microarray):
    display = WeightsDisplay.from_estimator(MRMR(5).fit(*microarray), n_features=8)
    assert [panel.get_title(loc="left") for panel in display.panels_] == ["score", "relevance"]
    assert not any("zero from" in text for text in texts(display))


@pytest.mark.parametrize("n", [6, 60])
def test_where_the_weight_reaches_zero(n):
    weights = np.r_[np.linspace(1, 0.1, n), np.zeros(n)]
    display = WeightsDisplay(weights, np.ones(2 * n)).plot()
    assert f"zero from rank {n + 1}" in texts(display)
    lines = [one for one in display.panels_[0].lines if one.get_linestyle() == "--"]
    (line,) = lines
    assert (line.get_ydata() if n == 6 else line.get_xdata())[0] == n + 0.5
    assert not any(
        "zero from" in text for text in texts(WeightsDisplay(weights, np.ones(2 * n)).plot(n_features=n))
    )


@pytest.mark.parametrize(
    ("display", "needed"), [(ClusterTreeDisplay, "rounds_"), (WeightsDisplay, "scores_")]
)
def test_what_cannot_be_drawn_is_said(microarray, display, needed):
    X, y = microarray
    with pytest.raises(NotFittedError):
        display.from_estimator(IKMQPFS())
    with pytest.raises(TypeError, match=f"LogisticRegression has no {needed}.*; expected a fitted selector"):
        display.from_estimator(LogisticRegression().fit(X[:, :3], y))


def test_bad_parameters():
    rounds = random_trace(20, 3)
    with pytest.raises(ValueError, match="n_levels=0, but it must be an integer of at least 1"):
        ClusterTreeDisplay(traced(rounds)).plot(n_levels=0)
    with pytest.raises(ValueError, match="feature_names holds 2 names, but there are 20 features"):
        ClusterTreeDisplay(traced(rounds), feature_names=["a", "b"]).plot()
    with pytest.raises(ValueError, match="3 weights and 2 relevances"):
        WeightsDisplay([1, 2, 3], [1, 2]).plot()
    with pytest.raises(ValueError, match="n_features=0"):
        WeightsDisplay([1.0], [1.0]).plot(n_features=0)
    with pytest.raises(ValueError, match="No method of the comparison has a curve"):
        ErrorCurveDisplay.from_record({**three_methods(), "methods": []})
    with pytest.raises(RecordError, match="protocol: expected, but it is missing"):
        ErrorCurveDisplay.from_record({"qpfs": "1", "created": "", "data": three_methods()["data"]})


def test_error_curves_are_those_of_the_record():
    record = three_methods()
    display = ErrorCurveDisplay.from_comparison(SimpleNamespace(record=record))
    drawn(display)
    curves = [one for one in display.ax_.lines if len(one.get_xdata()) == 5]
    known = [[(p["k"], p["score"]) for p in method.get("curve", ())] for method in record["methods"]]
    assert sorted(one.get_xydata().tolist() for one in curves) == sorted(
        [list(map(list, one)) for one in known if one]
    )
    assert {"QPFS", "mRMR", "MaxRel"} <= set(texts(display))
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_title(loc="left") == "a.csv: 9 samples, 50 features"
    assert display.ax_.get_ylabel() == "error rate"
    record["baselines"].append({"name": "nothing", "failed": "no"})
    assert "nothing" not in texts(ErrorCurveDisplay.from_record(record))
    (axes,) = plt.figure(figsize=(4, 3)).subplots(1, 1, squeeze=False)[0]
    assert ErrorCurveDisplay.from_record(record, ax=axes).ax_ is axes


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'qpfs\[plot\]'"):
        WeightsDisplay([1.0], [1.0]).plot()
    with pytest.raises(ImportError, match=r"pip install 'qpfs\[plot\]'"):
        ClusterTreeDisplay(traced(random_trace(20, 3))).plot()


def curves_of(display):
    """The lines that are drawn in colour, as arrays of points."""
    lines = [one for one in display.ax_.lines if one.get_marker() == "None" and one.get_linewidth() == 1.5]
    return [np.array(one.get_xydata()) for one in lines]


@pytest.mark.parametrize("selector", [QPFS(5), IKMQPFS(n_first=15), QPFS(theta=0.7, measure="rank")])
def test_weights_along_theta_are_those_of_the_path(microarray, selector):
    fitted = selector.fit(*microarray)
    display = ThetaPathDisplay.from_estimator(fitted, n_features=3)
    drawn(display)
    path = fitted.theta_path()
    largest = path.weights.max(axis=0)
    best = np.argsort(-largest, kind="stable")[:3]
    top = display.ax_.get_ylim()[1]
    known = {(t, w) for f in best for t, w in zip(path.thetas, path.weights[:, f], strict=True)}
    for curve in curves_of(display):
        assert curve[:, 1].max() <= top
        inside = [tuple(point) for point in curve if point[1] < top]  # it ends where the frame does
        assert known.issuperset(inside)
    shown = {(t, w) for t, w in known if 0 < w <= top}
    assert shown <= {tuple(point) for curve in curves_of(display) for point in curve}
    names = [text for text in texts(display) if re.match(r"x\d", text)]
    assert sorted(names) == sorted(
        f"x{f}" if largest[f] <= top else f"x{f} (to {largest[f]:.2f})" for f in best
    )
    reached = np.count_nonzero(largest)
    title = display.ax_.get_title(loc="left").splitlines()
    assert title[0] == f"{type(fitted).__name__}: {reached} of 300 features have weight at some theta"
    assert (title[1:] == []) == (reached <= 53)
    assert f"θ = {fitted.theta_:.3g} was used" in texts(display)
    assert display.ax_.get_xlim() == (0.0, 1.0)


def test_every_named_feature_has_a_mark_where_it_is_largest():
    thetas = [0.0, 0.5, 1.0]
    weights = [[0.5, 0.3, 0.2, 0.0], [0.1, 0.6, 0.3, 0.0], [0.0, 0.0, 1.0, 0.0]]
    display = ThetaPathDisplay(thetas, weights, feature_names=list("abcd")).plot()
    drawn(display)
    marks = {tuple(one.get_xydata()[0]) for one in display.ax_.lines if one.get_marker() in "os^"}
    assert {(0.0, 0.5), (0.5, 0.6)} <= marks
    top = display.ax_.get_ylim()[1]
    assert top == pytest.approx(1.12 * 0.6)
    assert (0.5 + 0.5 * (top - 0.3) / 0.7, top) in marks  # where c leaves the frame
    assert {"a", "b", "c (to 1.00)"} <= {*texts(display)}
    assert "d" not in texts(display)
    backwards = ThetaPathDisplay(thetas[::-1], weights[::-1]).plot()
    assert sorted(map(np.ndarray.tolist, curves_of(backwards))) == sorted(
        map(np.ndarray.tolist, curves_of(display))
    )


def test_lines_without_weight_are_not_drawn():
    """A line goes from the theta before it has weight to the one after, and again."""
    weights = np.array([[1, 0], [1, 0], [0.5, 0.5], [1, 0], [1, 0], [1, 0], [0.6, 0.4]])
    display = ThetaPathDisplay(np.arange(7) / 10, weights).plot()
    second = [curve for curve in curves_of(display) if curve[0, 1] == 0]
    assert [curve[:, 0].tolist() for curve in second] == [[0.1, 0.2, 0.3], [0.5, 0.6]]


@pytest.mark.parametrize("weights", [[[1.0, 0.0]], [[0.2, 0.8]], [[1.0, 0.0], [1.0, 0.0]], [[0.9, 0.1]] * 2])
def test_short_and_level_paths(weights):
    display = ThetaPathDisplay(np.linspace(0.4, 0.6, len(weights)), weights, theta=0.5).plot()
    drawn(display)
    assert any(text.startswith("x0") for text in texts(display))


def test_a_path_on_given_axes_and_on_a_page(microarray):
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 4), layout="constrained")
    fitted = QPFS(5, measure="rank").fit(*microarray)
    path = ThetaPathDisplay.from_estimator(fitted, thetas=[0.1, 0.5, 0.9], ax=left)
    shared = RedundancyDisplay.from_estimator(fitted, ax=right)
    assert (path.ax_, shared.ax_, path.figure_) == (left, right, figure)
    drawn(path)
    lines = [ThetaLine("<b>", [(0.0, 0.2), (1.0, 0.7)]), ThetaLine("other", [(0.0, 0.1), (1.0, 0.0)])]
    text = svg(theta_lines(lines[:1], lines[1:], 0.5))
    assert "&lt;b&gt;" in text
    assert text.count('class="faint"') == 1


@pytest.mark.parametrize("n", [2, 5, 20, 40])
def test_redundancy_is_that_of_the_fit(microarray, n):
    fitted = MaxRel(n).fit(*microarray)
    display = RedundancyDisplay.from_estimator(fitted)
    drawn(display)
    m = min(n, 30)
    Q = fitted.redundancy()[:m, :m]
    own = np.diag(Q)
    expected = [Q[i, j] / max(own[i], own[j]) for i in range(m) for j in range(i)]
    darkest = max(0.1, *expected)
    np.testing.assert_allclose(np.array(shades(display)[: len(expected)]) * darkest, expected, atol=1e-4)
    assert f"{darkest:.2f}" in texts(display)
    names = [f"{i + 1} x{f}" for i, f in enumerate(fitted.order_[:m])]
    assert [text for text in texts(display) if " x" in text and " and " not in text] == names
    title = display.ax_.get_title(loc="left").splitlines()
    what = "the first 30 of 40 selected features" if n > 30 else f"{n} features"
    assert title[0] == f"MaxRel: what {what} share"
    assert title[1] == fitted.fitted_.table.measure.measure.words.shared


def test_redundancy_of_given_features_and_of_those_who_keep_none(microarray):
    X, y = microarray
    display = RedundancyDisplay.from_estimator(QPFS(5).fit(X, y), features=["x7", 3, "x7"])
    assert [text for text in texts(display) if " x" in text] == ["1 x7", "2 x3"]
    fitted = FGM(3).fit(X, y)
    with pytest.raises(ValueError, match="FGM keeps no features, so X is needed"):
        RedundancyDisplay.from_estimator(fitted)
    display = RedundancyDisplay.from_estimator(fitted, X=X)
    expected = np.abs(np.corrcoef(X[:, fitted.order_[:3]], rowvar=False))[np.tril_indices(3, -1)]
    np.testing.assert_allclose(np.array(shades(display)[:3]) * max(0.1, *expected), expected, atol=1e-4)


def shades(display):
    """How dark boxes are, from 0 to 1: those of the pairs by row, then those of the key."""
    return [(bar.get_alpha() - 0.05) / 0.95 for bar in bars(display)]


def test_a_heat_map_says_what_its_darkest_shade_means():
    values = np.eye(4)
    for (i, j), value in {(1, 0): 0.25, (2, 0): 0.5, (2, 1): 0.05, (3, 1): 0.4}.items():
        values[i, j] = values[j, i] = value
    display = RedundancyDisplay(values, feature_names=list("abcd")).plot()
    np.testing.assert_allclose(shades(display)[:6], np.array([0.25, 0.5, 0.05, 0, 0.4, 0]) / 0.5, atol=1e-12)
    np.testing.assert_allclose(shades(display)[6:], np.linspace(0, 1, 6), atol=1e-12)
    assert {"0", "0.50"} <= {*texts(display)}
    pairs = ["0.50 a and c", "0.40 b and d", "0.25 a and b", "0.05 b and c"]
    assert [text for text in texts(display) if " and " in text] == pairs


@pytest.mark.parametrize("most", [0.0, 0.02])
def test_pairs_that_share_next_to_nothing_stay_pale(most):
    display = RedundancyDisplay([[1.0, most], [most, 1.0]]).plot()
    assert shades(display)[0] == pytest.approx(most / 0.1)
    assert "0.10" in texts(display)


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 12, 30])
def test_the_key_of_a_heat_map_touches_no_name(n, width):
    values = np.full((n, n), 0.5).tolist()
    names = ["W" * 60] * n
    picture = heat_map(
        {"indices": [*range(n)], "names": names, "values": values, "measure": "", "shared": ""}, width
    )
    assert picture.width <= width
    (panel,) = picture.panels
    words = [one for one in panel.marks if isinstance(one, Lettering) and "value" not in one.role]
    boxes = [text_box(one) for one in words]
    boxes += [
        (one.x, one.y, one.x + one.width, one.y + one.height) for one in panel.marks if isinstance(one, Box)
    ]
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)
    assert max(box[2] for box in boxes) <= picture.width
    assert max(box[3] for box in boxes) <= picture.height


def text_box(words):
    """Left, top, right and bottom of a text in a panel of pixels; small letters reach below the line."""
    size = 11 if "tick" in words.role else 10 if "small" in words.role else 12
    wide = size * width_in_ems(words.text)
    left, base = words.x + words.dx - (wide if "end" in words.role else 0), words.y + words.dy
    return left, base - 0.75 * size, left + wide, base + 0.2 * size


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize(
    ("n_positive", "n_selected", "named"), [(22, 30, 41), (10, 50, 66), (86, 20, 30), (900, 50, 30)]
)
def test_the_first_bars_have_names(width, n_positive, n_selected, named):
    weights = [max(n_positive - rank, 0) / 1000 for rank in range(1000)]
    ranked = [(rank + 1, weight, 0.5 * weight) for rank, weight in enumerate(weights)]
    record = {
        "ranked": ranked,
        "n_positive": n_positive,
        "n_ranked": 1000,
        "names": [f"f{i}" for i in range(66)],
    }
    picture = weight_fall(record, n_selected, width=width)
    left, right = picture.panels[-2:]
    assert [words for _, words in left.y.ticks] == [f"{i + 1} f{i}" for i in range(named)]
    assert (left.y.end - left.y.start) / named >= 15  # a line of 11 pixels and room
    whole = len(picture.panels) == 2
    assert left.y.label == ("weight" if whole else "weight of the first 30")
    assert [panel.y.label for panel in picture.panels[:-2]] == ([] if whole else ["weight", "relevance"])
    for panel, share in ((left, 1.0), (right, 0.5)):
        drawn = [one.width for one in panel.marks if isinstance(one, Box)]
        assert drawn == [share * weight for weight in weights[:named]]
    assert all(panel.box[3] < picture.height for panel in picture.panels)
    for above, below in pairwise(picture.panels[: len(picture.panels) - 1]):
        assert above.box[3] < below.box[1]


def test_new_figures_take_hostile_names(microarray):
    import pandas as pd

    X, y = microarray
    frame = pd.DataFrame(X[:, :30], columns=[f"{HOSTILE[i % 10]}{i}" for i in range(30)])
    fitted = QPFS(12, measure="rank").fit(frame, y)
    for display in (ThetaPathDisplay.from_estimator(fitted), RedundancyDisplay.from_estimator(fitted)):
        drawn(display)
        assert all(text.isprintable() for text in texts(display))


def test_bad_parameters_of_paths_and_heat_maps(microarray):
    with pytest.raises(TypeError, match="MRMR has no theta_path; expected a fitted selector with theta_path"):
        ThetaPathDisplay.from_estimator(MRMR(5).fit(*microarray))
    for display in (ThetaPathDisplay, RedundancyDisplay):
        with pytest.raises(NotFittedError):
            display.from_estimator(QPFS())
    with pytest.raises(ValueError, match=r"thetas of shape \(2,\) and weights of shape \(1, 3\)"):
        ThetaPathDisplay([0.1, 0.2], [[1, 0, 0]]).plot()
    with pytest.raises(ValueError, match="n_features=0"):
        ThetaPathDisplay([0.1], [[1, 0, 0]]).plot(n_features=0)
    with pytest.raises(ValueError, match="no feature has weight"):
        ThetaPathDisplay([0.1], [[0, 0, 0]]).plot()
    with pytest.raises(ValueError, match="feature_names holds 1 names, but there are 3 features"):
        ThetaPathDisplay([0.1], [[1, 0, 0]], feature_names=["a"]).plot()
    with pytest.raises(ValueError, match=r"values has the shape \(1, 2\)"):
        RedundancyDisplay([[1, 2]]).plot()
    with pytest.raises(ValueError, match="values must be from 0 to 1"):
        RedundancyDisplay([[1, 2], [2, 1]]).plot()


def test_curves_are_drawn_alone_and_together():
    X, y = latent_factors(60, 40)
    curves = {"one": error_curve(MaxRel(), X, y, cv=3, sizes=[1, 3, 9])}
    alone = curves["one"].plot()
    assert "MaxRel" in texts(alone)
    points = [one.get_xydata().tolist() for one in alone.ax_.lines if len(one.get_xdata()) == 3]
    assert [list(map(list, zip([1, 3, 9], curves["one"].mean.tolist(), strict=True)))] == points
    curves["two"] = error_curve(MRMR(), X, y, cv=3, sizes=[1, 3, 9])
    both = ErrorCurveDisplay.from_curve(curves)
    assert {"one", "two"} <= {*texts(both)}
    assert both.ax_.get_title(loc="left") == "60 samples, 40 features"
    assert "mine" in texts(ErrorCurveDisplay.from_curve(curves["one"], name="mine"))
    curves["other"] = error_curve(MRMR(), X, y, cv=3, sizes=[1, 3], scoring="roc_auc")
    with pytest.raises(ValueError, match=r"3 curves of .*roc_auc.* expected one or more of the same data"):
        ErrorCurveDisplay.from_curve(curves)
    score = curves["other"].plot()
    assert drawn(score)
    assert score.ax_.get_ylabel() == "roc_auc"


def test_a_stability_says_what_was_resampled():
    X, y = latent_factors(60, 40)
    found = resampled(QPFS(5), X, y, n=10)
    display = StabilityDisplay.from_resampled(found)
    drawn(display)
    names = [one.get_text() for one in display.ax_.get_yticklabels()]
    widths = [one.get_width() for one in bars(display)]
    assert len(names) == len(widths) <= 30
    assert widths == sorted(widths, reverse=True)
    for name, width in zip(names, widths, strict=True):
        assert width == found.frequencies[int(name[1:])]
    assert {f"x{f}" for f in found.selected} <= set(names)
    assert len(bars(display, colour="accent")) == 5
    share = found.frequencies[found.selected[0]]
    assert f"{100 * share:.0f} %, rank 1" in [text.replace("\xa0", " ") for text in texts(display)]
    first, second = display.ax_.get_title(loc="left").splitlines()
    assert first == found.resample
    assert second.startswith(f"stability {found.stability.index:.2f} ({found.stability.low:.2f} to")
    assert f"over clusters {found.cluster_stability.index:.2f}" in second


def test_resamples_draw_themselves():
    X, y = latent_factors(60, 8)
    found = resampled(QPFS(3), X, y, n=4)
    _, (left, _) = plt.subplots(1, 2, figsize=(12, 5))
    display = found.plot(left, n_features=3)
    assert isinstance(display, StabilityDisplay)
    assert display.ax_ is left
    assert texts(display) == texts(StabilityDisplay.from_resampled(found, n_features=3))


def test_a_stability_without_an_interval_shows_none():
    X, y = latent_factors(60, 8)
    found = resampled(QPFS(3), X, y, n=4)
    display = StabilityDisplay.from_resampled(
        found, n_features=3, feature_names=[f"gene {i}" for i in range(8)]
    )
    assert len(bars(display)) <= 3
    assert " to " not in display.ax_.get_title(loc="left").splitlines()[1]
    assert all(one.get_text().startswith("gene ") for one in display.ax_.get_yticklabels())


@pytest.mark.parametrize("names", [HOSTILE, None])
def test_a_stability_on_given_axes(names):
    _, (left, _) = plt.subplots(1, 2, figsize=(12, 5))
    display = StabilityDisplay(np.linspace(0, 1, 10), selected=[3, 0], feature_names=names).plot(left)
    drawn(display)
    assert display.ax_ is left
    assert left.get_title(loc="left") == ""


def test_a_stability_of_nothing():
    with pytest.raises(ValueError, match="nothing to draw"):
        StabilityDisplay(np.zeros(4)).plot()
    with pytest.raises(ValueError, match="n_features=0"):
        StabilityDisplay(np.ones(4)).plot(n_features=0)
