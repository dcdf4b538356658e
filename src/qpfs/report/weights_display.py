"""The figure of a ranking: the weight of each feature by rank, with its relevance beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from qpfs.arrays import BoolArray, FloatArray
from qpfs.checks import checked_count
from qpfs.report.figure import axes_for
from qpfs.report.names import LITERAL, checked_names, feature_names, fitted

FEW = 30  # so many features are named; more are shown by rank
MOST = 200  # ranks that are shown unless more are asked for
SELECTED, OTHERS, RELEVANCE = "#1f5a8f", "#b9c6d3", "#5c8f86"
NEEDED = ("scores_", "order_", "relevance_")
FONT = 8.0


class WeightsDisplay:
    """The figure of a ranking: the weight of each feature by rank, with its relevance beside it.

    Up to 30 features are named, each with a bar for its weight and one for its relevance; more are shown
    by rank, the weights above the relevance. Dark weights are those of selected features, and a line marks
    where the weight reaches zero.

    Parameters
    ----------
    weights : array-like of float
        The weights of the ranked features, best first.
    relevance : array-like of float
        The relevance of the same features.
    feature_names : sequence of str or None, default=None
        Their names, in the same order; None for the ranks.
    selected : array-like of bool or None, default=None
        Which of them are selected; None for all with positive weight.
    theta, gap : float or None, default=None
        The trade-off and the certificate of the program, for the title.
    estimator_name : str or None, default=None
        The name of the method, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes given or made; it holds both panels and the title.
    figure_ : matplotlib Figure
        Their figure.
    weights_ax_, relevance_ax_ : matplotlib Axes
        The two panels.
    weights_, relevance_ : list of matplotlib Artist
        What is drawn in each: a container of bars, or an area.
    legend_ : matplotlib Legend
        What is selected and what is not.
    zero_ : matplotlib Line2D or None
        Where the weight reaches zero; None if that is not within what is shown.

    See Also
    --------
    ClusterTreeDisplay : What a clustered method split, kept and discarded.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, WeightsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = WeightsDisplay.from_estimator(QPFS(4).fit(X, y))
    >>> display.ax_.get_title(loc="left").splitlines()[0]
    'QPFS: 12 of 30 ranked features have weight, 4 selected'
    """

    def __init__(
        self,
        weights: Any,
        relevance: Any,
        *,
        feature_names: Sequence[str] | None = None,
        selected: Any = None,
        theta: float | None = None,
        gap: float | None = None,
        estimator_name: str | None = None,
    ) -> None:
        self.weights = weights
        self.relevance = relevance
        self.feature_names = feature_names
        self.selected = selected
        self.theta = theta
        self.gap = gap
        self.estimator_name = estimator_name

    @classmethod
    def from_estimator(cls, selector: Any, *, n_features: int | None = None, ax: Any = None) -> Self:
        """Draw the ranking of a fitted selector.

        Parameters
        ----------
        selector : fitted selector with `scores_`, `order_` and `relevance_`
            Any of this package.
        n_features : int or None, default=None
            How many ranks to show; None for all with weight or selected, and some more.
        ax : matplotlib Axes or None, default=None
            Where to draw, in two panels within it; None for a new figure.

        Returns
        -------
        display : WeightsDisplay
            The figure as drawn.
        """
        check_is_fitted(selector)
        missing = [name for name in NEEDED if not hasattr(selector, name)]
        if missing:
            raise TypeError(
                f"{type(selector).__name__} has no {', '.join(missing)}; expected a fitted selector with "
                f"{', '.join(NEEDED)}, such as QPFS()."
            )
        order, names = selector.order_, feature_names(selector)
        display = cls(
            selector.scores_[order],
            selector.relevance_[order],
            feature_names=[names[f] for f in order],
            selected=selector.get_support()[order],
            theta=getattr(selector, "theta_", None),
            gap=getattr(selector, "gap_", None),
            estimator_name=type(selector).__name__,
        )
        return display.plot(ax, n_features=n_features)

    def plot(self, ax: Any = None, *, n_features: int | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax, n_features
            As for :meth:`from_estimator`.

        Returns
        -------
        self : object
            With the artists drawn.
        """
        weights, relevance = np.asarray(self.weights, float), np.asarray(self.relevance, float)
        selected = weights > 0 if self.selected is None else np.asarray(self.selected, bool)
        if not len(weights) == len(relevance) == len(selected) > 0:
            raise ValueError(
                f"{len(weights)} weights, {len(relevance)} relevances and {len(selected)} marks of what is "
                "selected; expected as many of each, and at least one."
            )
        n_weighted = int(np.flatnonzero(weights > 0).max(initial=-1)) + 1
        wanted = n_shown(n_weighted, int(selected.sum())) if n_features is None else n_features
        n = min(checked_count("n_features", wanted, 1), len(weights))
        names = None if self.feature_names is None else checked_names(self.feature_names, len(weights))[:n]
        self.ax_ = axes_for(ax, 9.0, 1.3 + 0.19 * max(n, 6) if n <= FEW else 5.0)
        self.figure_ = self.ax_.figure
        self.ax_.set_axis_off()
        self.ax_.set_title(self._title(weights, selected, n), loc="left", fontsize=FONT + 2, linespacing=1.4)
        draw = named_bars if n <= FEW else areas
        panels = draw(self.ax_, weights[:n], relevance[:n], selected[:n], names)
        (self.weights_ax_, self.weights_), (self.relevance_ax_, self.relevance_) = panels
        self.legend_ = self.weights_ax_.legend(loc="best", fontsize=FONT, edgecolor="none")
        self.zero_ = zero_mark(self.weights_ax_, n_weighted, down=n <= FEW) if n_weighted < n else None
        return self

    def _title(self, weights: FloatArray, selected: BoolArray, n: int) -> str:
        name = f"{self.estimator_name}: " if self.estimator_name else ""
        ranked = f"{(weights > 0).sum():,} of {len(weights):,} ranked features have weight"
        facts = [] if self.theta is None else [f"θ = {self.theta:.3g}"]
        facts += [] if self.gap is None else [f"gap = {self.gap:.1g}"]
        facts += [f"ranks 1 to {n:,} shown"] if n < len(weights) else []
        return f"{name}{ranked}, {selected.sum():,} selected\n{', '.join(facts)}".rstrip()


def n_shown(n_weighted: int, n_selected: int) -> int:
    """All ranks with weight or selected and a fifth more, so that the end is seen; not too many to see."""
    n = max(n_weighted, n_selected, 1)
    return min(n + max(3, n // 5), MOST)


def named_bars(
    ax: Any, weights: FloatArray, relevance: FloatArray, selected: BoolArray, names: list[str] | None
) -> list[tuple[Any, list[Any]]]:
    """Two panels side by side, with a row for each feature."""
    left, right = ax.inset_axes((0, 0, 0.6, 1)), ax.inset_axes((0.66, 0, 0.34, 1))
    ranks = np.arange(1, len(weights) + 1)
    drawn = []
    for mine, colour, label in groups(selected):
        drawn.append(left.barh(ranks[mine], weights[mine], 0.75, color=colour, label=label))
        left.bar_label(drawn[-1], fmt=shown, padding=2, fontsize=FONT - 1)
    beside = right.barh(ranks, relevance, 0.75, color=RELEVANCE)
    right.bar_label(beside, fmt=shown, padding=2, fontsize=FONT - 1)
    labels = [f"{rank}" for rank in ranks] if names is None else [fitted(name, 24) for name in names]
    left.set_yticks(ranks, labels, **LITERAL)
    right.set_yticks([])
    for panel, text in ((left, "weight"), (right, "relevance")):
        panel.set_ylim(len(weights) + 0.6, 0.4)
        panel.margins(x=0.12)
        panel.locator_params(axis="x", nbins=5)
        panel.set_xlabel(text, fontsize=FONT + 1)
        tidy(panel)
    return [(left, drawn), (right, [beside])]


def areas(
    ax: Any, weights: FloatArray, relevance: FloatArray, selected: BoolArray, names: list[str] | None
) -> list[tuple[Any, list[Any]]]:
    """Two panels one above the other, by rank."""
    above, below = ax.inset_axes((0, 0.42, 1, 0.58)), ax.inset_axes((0, 0, 1, 0.36))
    edges = np.arange(len(weights) + 1) + 0.5
    drawn = [
        above.stairs(np.where(mine, weights, 0), edges, fill=True, color=colour, label=label)
        for mine, colour, label in groups(selected)
    ]
    beneath = below.stairs(relevance, edges, fill=True, color=RELEVANCE)
    above.set_xticks([])
    below.set_xlabel("rank", fontsize=FONT + 1)
    for panel, text in ((above, "weight"), (below, "relevance")):
        panel.set_xlim(edges[0], edges[-1])
        panel.set_ylabel(text, fontsize=FONT + 1)
        tidy(panel)
    return [(above, drawn), (below, [beneath])]


def groups(selected: BoolArray) -> list[tuple[BoolArray, str, str]]:
    """Which features are selected and which are not, with a colour and a name; none that is empty."""
    both = [(selected, SELECTED, "selected"), (~selected, OTHERS, "not selected")]
    return [(mine, colour, label) for mine, colour, label in both if mine.any()]


def shown(value: float) -> str:
    """A number beside its bar; what is not zero does not look like it."""
    return "0" if value == 0 else f"{value:.3f}" if abs(value) >= 5e-4 else f"{value:.0e}"


def tidy(panel: Any) -> None:
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(labelsize=FONT)


def zero_mark(panel: Any, n_weighted: int, *, down: bool) -> Any:
    """A line between the last feature with weight and the first without."""
    at, style = n_weighted + 0.5, {"color": "#444444", "linewidth": 0.8, "linestyle": (0, (4, 3))}
    text = {
        "text": "weight reaches zero",
        "fontsize": FONT,
        "color": "#444444",
        "textcoords": "offset points",
    }
    if down:
        place = {"xy": (1, at), "xytext": (-2, -3), "xycoords": panel.get_yaxis_transform()}
        panel.annotate(**text, **place, ha="right", va="top")
        return panel.axhline(at, **style)
    place = {"xy": (at, 1), "xytext": (3, -2), "xycoords": panel.get_xaxis_transform()}
    panel.annotate(**text, **place, ha="left", va="top")
    return panel.axvline(at, **style)
