"""Figures: what they say is what was fitted, whatever the names, sizes and axes."""

from __future__ import annotations

import builtins
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from tests.conftest import latent_factors
from tests.published import IKMAQPFS, IKMQPFS, MRMR, QPFS, TLKMQPFS, MaxRel, NystromQPFS
from tests.report.traces import made, random_trace

from qpfs import ClusterTreeDisplay, WeightsDisplay
from qpfs.report.cluster_tree import DRAWN_FATES, cluster_tree

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
    """Draws for real, and counts the artists with their parts."""
    display.figure_.canvas.draw()
    return sum(len(getattr(a, "get_paths", lambda: [0])()) for a in display.figure_.findobj())


@pytest.mark.parametrize("selector", [IKMQPFS, IKMAQPFS, TLKMQPFS])
def test_a_tree_says_what_was_fitted(microarray, selector):
    fitted = selector(theta=0.4, n_first=4, radius=0.9).fit(*microarray)
    display = ClusterTreeDisplay.from_estimator(fitted)
    drawn(display)
    tree = cluster_tree(fitted.rounds_)
    for text, fate in zip(display.legend_.get_texts(), DRAWN_FATES, strict=False):
        numbers = [int(n) for n in re.findall(r"\d+", text.get_text())]
        assert text.get_text().startswith(fate)
        assert numbers == [tree.n_clusters(fate), tree.n_features(fate)]
    title = display.ax_.get_title(loc="left")
    assert title.startswith(f"{selector.__name__}: 300 features")
    assert title.endswith("τ = 0.9")
    assert display.ax_.get_xlim() == (0, 300)
    first = next(a.get_text() for a in display.ranking_ if a.get_text().startswith("x"))
    assert first == f"x{fitted.order_[0]}"


def test_a_tree_of_many_clusters_stays_small():
    rounds = random_trace(5000, 15)
    assert sum(len(one.fates) for one in rounds) > 2000
    display = ClusterTreeDisplay(rounds).plot()
    assert drawn(display) < 3000
    assert "drawn together" in display.legend_.get_texts()[-1].get_text()


def test_every_fate_is_seen_however_narrow():
    clusters = [list(range(5000)), [5000], [5001]]
    display = ClusterTreeDisplay([made(0, 1, None, clusters, ["split", "kept", "discarded"])]).plot()
    width = display.ax_.get_window_extent().width * 72 / display.figure_.dpi
    spans = [p.get_extents().width for c in display.bars_ for p in c.get_paths()]
    assert len(spans) == 3
    assert min(spans) > 5002 / width


def test_text_stays_in_its_bar(microarray):
    display = ClusterTreeDisplay.from_estimator(IKMQPFS(theta=0.4, radius=0.97).fit(*microarray))
    drawn(display)
    assert display.texts_
    for text in display.texts_:
        box, room = text.get_window_extent(), text.get_clip_box()
        assert room.x0 <= box.x0 < box.x1 <= room.x1


def test_deep_trees_say_what_is_left_out():
    n = 200
    rounds = [
        made(i, i + 1, (i - 1, 0) if i else None, [list(range(i + 1, n)), [i]], ["split", "kept"])
        for i in range(n - 2)
    ]
    rounds.append(made(n - 2, n - 1, (n - 3, 0), [[n - 2], [n - 1]], ["kept", "kept"]))
    display = ClusterTreeDisplay(rounds, selected=[0, n - 1]).plot()
    drawn(display)
    assert display.note_ == "levels 13 to 199 are not drawn: 374 clusters of 188 features"
    assert display.note_ in display.ax_.get_xlabel()
    assert len(display.ax_.get_yticks()) == 13
    assert ClusterTreeDisplay(rounds).plot(n_levels=199).note_ == ""


@pytest.mark.parametrize("fates", [["kept"], ["discarded"] * 9 + ["kept"]])
def test_small_traces(fates):
    clusters = [[i] for i in range(len(fates))]
    display = ClusterTreeDisplay([made(0, 1, None, clusters, fates)], selected=[len(fates) - 1]).plot()
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
    lowest = min(text.get_window_extent().y0 for text in display.ranking_)
    assert lowest > 0


def test_hostile_names(microarray):
    import pandas as pd

    X, y = microarray
    frame = pd.DataFrame(X[:, :30], columns=[f"{HOSTILE[i % 10]}{i}" for i in range(30)])
    fitted = IKMQPFS(theta=0.4, n_first=4).fit(frame, y)
    tree, weights = ClusterTreeDisplay.from_estimator(fitted), WeightsDisplay.from_estimator(fitted)
    drawn(tree)
    drawn(weights)
    names = [label.get_text() for label in weights.weights_ax_.get_yticklabels()]
    assert all(name.isprintable() and len(name) < 60 for name in names)


def test_given_axes_are_drawn_on(microarray):
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 4), layout="constrained")
    fitted = IKMQPFS(theta=0.4).fit(*microarray)
    tree = ClusterTreeDisplay.from_estimator(fitted, ax=left, n_names=0)
    weights = WeightsDisplay.from_estimator(fitted, ax=right)
    assert (tree.ax_, weights.ax_, tree.figure_, weights.figure_) == (left, right, figure, figure)
    assert tree.ranking_ == tree.pins_ == []
    assert plt.get_fignums() == [figure.number]
    drawn(tree)


def test_axes_of_a_subfigure():
    subfigure = plt.figure(layout="constrained").subfigures(1, 2)[0]
    display = ClusterTreeDisplay(random_trace(50, 4)).plot(subfigure.subplots())
    assert display.figure_ is subfigure


SELECTORS = [QPFS(5), QPFS(), MRMR(20), MaxRel(3), NystromQPFS(), IKMAQPFS(), TLKMQPFS()]
NUMBERS = [1, 12, 50, 1000]


def shown(place, n):
    """A selector and a number to show; by default each selector with none and with one, in turn."""
    by_default = n is None or n == NUMBERS[place % len(NUMBERS)]
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
    assert f"{(fitted.scores_[fitted.order_] > 0).sum()} of {len(fitted.order_)} ranked" in title
    assert f"{fitted.support_.sum()} selected" in title
    assert ("gap" in title) == hasattr(fitted, "gap_")


def test_few_features_are_named_with_their_weight_and_relevance(microarray):
    fitted = QPFS(5, theta=0.4).fit(*microarray)
    display = WeightsDisplay.from_estimator(fitted, n_features=8)
    ax = display.weights_ax_
    assert [t.get_text() for t in ax.get_yticklabels()] == [f"x{f}" for f in fitted.order_[:8]]
    widths = [bar.get_width() for container in display.weights_ for bar in container]
    np.testing.assert_array_equal(widths, fitted.scores_[fitted.order_[:8]])
    assert [len(container) for container in display.weights_] == [5, 3]
    beside = [bar.get_width() for bar in display.relevance_[0]]
    np.testing.assert_array_equal(beside, fitted.relevance_[fitted.order_[:8]])


@pytest.mark.parametrize("n", [6, 60])
def test_where_the_weight_reaches_zero(n):
    weights = np.r_[np.linspace(1, 0.1, n), np.zeros(n)]
    display = WeightsDisplay(weights, np.ones(2 * n)).plot()
    place = display.zero_.get_ydata() if n == 6 else display.zero_.get_xdata()
    assert place[0] == n + 0.5
    assert WeightsDisplay(weights, np.ones(2 * n)).plot(n_features=n).zero_ is None


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
        ClusterTreeDisplay(rounds).plot(n_levels=0)
    with pytest.raises(ValueError, match="feature_names holds 2 names, but there are 20 features"):
        ClusterTreeDisplay(rounds, feature_names=["a", "b"]).plot()
    with pytest.raises(ValueError, match="3 weights, 2 relevances"):
        WeightsDisplay([1, 2, 3], [1, 2]).plot()
    with pytest.raises(ValueError, match="n_features=0"):
        WeightsDisplay([1.0], [1.0]).plot(n_features=0)


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
        ClusterTreeDisplay(random_trace(20, 3)).plot()
