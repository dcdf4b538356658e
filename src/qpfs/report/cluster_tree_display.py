"""The figure of a clustered selection: what was split, kept and discarded at each level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from qpfs.arrays import FloatArray
from qpfs.checks import checked_count
from qpfs.report.cluster_tree import DRAWN_FATES, Bar, ClusterTree, cluster_tree, without_slivers
from qpfs.report.figure import axes_for, box_in, extent_in_points, size_in_points
from qpfs.report.names import LITERAL, checked_names, feature_names, fitted, in_lines, width_in_ems
from qpfs.strategies.rounds import Round

# Dark, middle and light: told apart by any eye, and in grey.
COLOURS = {"split": "#d3d7dc", "kept": "#1f5a8f", "discarded": "#df9226"}
INK = {"split": "#333333", "kept": "white", "discarded": "#333333"}
BAR = 0.88  # of the height of a row
FONT = 7.0
LINE = 12.0  # points: from one line of the list beside the axes to the next
LEAST = 3.0  # points: a narrower bar has no room for an edge
SEEN = 1.2  # points: no bar is drawn narrower
HATCHED = 6.0  # points: a narrower one shows no hatching
ENTRY = 130.0  # points: the width of an entry of the legend
HATCH: dict[str, Any] = {"hatch": 10 * "|", "hatch_linewidth": 0.4, "edgecolor": "white", "linewidth": 0}
EDGES: dict[str, dict[str, Any]] = {
    "wide": {"edgecolor": "white", "linewidth": 0.5},
    "pool": HATCH,
    "narrow": {"linewidth": 0},
}
PIN = {"color": "#222222", "clip_on": False}
TEXT = {"ha": "center", "va": "center", "fontsize": FONT, "linespacing": 1.15, "clip_on": True, **LITERAL}


class ClusterTreeDisplay:
    """The figure of a clustered selection: what was split, kept and discarded at each level.

    One row a level, from the top. A bar is a cluster and as wide as it has features; the parts of a split
    cluster lie beneath it: first those split again, then those kept, then those discarded. Where there is
    room a bar names the feature that stands for the cluster, with the cluster's radius r and, if it was
    asked for, that feature's weight alpha among those of its round. Lines lead from the selected features
    with the largest weights in the end to their numbers, and a list beside the axes names them.

    Neighbours too narrow to tell apart are drawn together, hatched, each fate with the space it takes; levels
    beyond `n_levels` are left out, and the figure says what they hold.

    Parameters
    ----------
    rounds : sequence of Round
        The trace: `rounds_` of a fitted selector.
    feature_names : sequence of str or None, default=None
        The names of all features; None for x0, x1, ...
    selected : sequence of int, default=()
        The selected features, best first.
    scores : ndarray of float or None, default=None
        The weight of every feature in the end, shown beside the names of the selected ones.
    radius : float or None, default=None
        tau, for the title.
    estimator_name : str or None, default=None
        The name of the method, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on.
    figure_ : matplotlib Figure
        Their figure.
    tree_ : ClusterTree
        The layout: a bar for every cluster.
    bars_ : list of matplotlib PolyCollection
        The bars.
    texts_ : list of matplotlib Text
        What is written into bars.
    pins_ : list of matplotlib Artist
        The lines to the selected features, and their numbers.
    ranking_ : list of matplotlib Annotation
        The list of the selected features beside the axes.
    legend_ : matplotlib Legend
        The fates, with the number of clusters and of features that met each. A feature is counted once for a
        fate, however often it was split.
    note_ : str
        What the levels left out hold, as said under the axes; empty if all are drawn.

    See Also
    --------
    WeightsDisplay : The weights by rank, with the relevance beside them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMQPFS, ClusterTreeDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = ClusterTreeDisplay.from_estimator(IKMQPFS(4, n_first=5).fit(X, y))
    >>> display.ax_.get_title(loc="left")
    'IKMQPFS: 30 features, 5 rounds, τ = 0.4'
    >>> display.legend_.get_texts()[1].get_text().splitlines()
    ['kept', '18 clusters, 18 features']
    """

    def __init__(
        self,
        rounds: Sequence[Round],
        *,
        feature_names: Sequence[str] | None = None,
        selected: Sequence[int] = (),
        scores: FloatArray | None = None,
        radius: float | None = None,
        estimator_name: str | None = None,
    ) -> None:
        self.rounds = rounds
        self.feature_names = feature_names
        self.selected = selected
        self.scores = scores
        self.radius = radius
        self.estimator_name = estimator_name

    @classmethod
    def from_estimator(cls, selector: Any, *, ax: Any = None, n_levels: int = 12, n_names: int = 12) -> Self:
        """Draw the trace of a fitted selector.

        Parameters
        ----------
        selector : fitted selector with `rounds_`
            Such as :class:`~qpfs.IKMQPFS`, :class:`~qpfs.IKMAQPFS` or :class:`~qpfs.TLKMQPFS`.
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure. Legend, title and list stand outside of the axes, so a
            figure with ``layout="constrained"`` suits best.
        n_levels : int, default=12
            The most levels to draw.
        n_names : int, default=12
            The most selected features to name beside the axes; 0 for none.

        Returns
        -------
        display : ClusterTreeDisplay
            The figure as drawn.
        """
        check_is_fitted(selector)
        if not hasattr(selector, "rounds_"):
            raise TypeError(
                f"{type(selector).__name__} has no rounds_; expected a fitted selector that clusters "
                "features, such as IKMQPFS, IKMAQPFS or TLKMQPFS."
            )
        display = cls(
            selector.rounds_,
            feature_names=feature_names(selector),
            selected=selector.order_[selector.support_[selector.order_]],
            scores=selector.scores_,
            radius=getattr(selector, "radius_", None),
            estimator_name=type(selector).__name__,
        )
        return display.plot(ax, n_levels=n_levels, n_names=n_names)

    def plot(self, ax: Any = None, *, n_levels: int = 12, n_names: int = 12) -> Self:
        """Draw.

        Parameters
        ----------
        ax, n_levels, n_names
            As for :meth:`from_estimator`.

        Returns
        -------
        self : object
            With the artists drawn.
        """
        self.tree_ = tree = cluster_tree(self.rounds)
        names = checked_names(self.feature_names, int(tree.features.max()) + 1)
        levels = tree.levels[: checked_count("n_levels", n_levels, 1)]
        ranked = [int(f) for f in self.selected[: checked_count("n_names", n_names, 0)]]
        floor = len(levels)  # the numbers of the selected are beneath it
        bottom = floor + bool(ranked)
        self.ax_ = axes_for(ax, 10.5, 1.5 + max(0.45 * bottom, 1.35, LINE * len(ranked) / 72 - 0.7))
        self.figure_ = self.ax_.figure
        self.note_ = left_out(tree, levels)
        set_up(self.ax_, tree, levels, bottom, self.note_)
        self.ranking_ = ranking(self.ax_, names, ranked, len(self.selected), self.scores)
        self._head(0)
        width, height = size_in_points(self.ax_)
        point = len(tree.features) / width
        rows = [without_slivers(tree.row(level), LEAST * point) for level in levels]
        inset = 0.25 * bottom / height
        self.bars_ = [
            drawn for y, row in enumerate(rows) for drawn in draw_row(self.ax_, y, row, point, inset)
        ]
        n_lines = min(3, int(BAR * height / bottom / (1.3 * FONT)))
        self.texts_ = [
            write(self.ax_, y, bar, text)
            for y, row in enumerate(rows)
            for bar in row
            if (text := inside(bar, names, bar.width / point, n_lines))
        ]
        self.pins_ = pins(self.ax_, tree, ranked, levels, floor, 12 * point)
        self._head(sum(bar.n_clusters for row in rows for bar in row if bar.n_clusters > 1))
        return self

    def _head(self, n_pooled: int) -> None:
        """Legend and, above it, title."""
        self.legend_ = legend(self.ax_, self.tree_, n_pooled)
        above = extent_in_points(self.legend_)[1]
        self.ax_.set_title(self._title(), loc="left", pad=above + 10)

    def _title(self) -> str:
        n, known = len(self.tree_.features), self.feature_names
        features = f"{n:,} of {len(known):,} features" if known and len(known) > n else counted(n, "feature")
        parts = [features, counted(len(self.rounds), "round")]
        if self.radius is not None:
            parts.append(f"τ = {self.radius:.3g}")
        return (f"{self.estimator_name}: " if self.estimator_name else "") + ", ".join(parts)


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def set_up(ax: Any, tree: ClusterTree, levels: list[int], bottom: int, note: str) -> None:
    """Limits, ticks and labels."""
    ax.set_xlim(0, len(tree.features))
    ax.set_ylim(bottom, -0.04)
    ticks = {y + BAR / 2: f"level {l}\n{counted(len(tree.row(l)), 'cluster')}" for y, l in enumerate(levels)}
    if bottom > len(levels):
        ticks[len(levels) + 0.7] = "selected"
    ax.set_yticks(list(ticks), list(ticks.values()), fontsize=FONT + 1)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=FONT + 1)
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.set_xlabel(f"number of features\n{note}".rstrip(), fontsize=FONT + 2)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.xaxis.set_major_formatter("{x:,.0f}")


def ranking(
    ax: Any, names: list[str], ranked: list[int], n_selected: int, scores: FloatArray | None
) -> list[Any]:
    """The selected features with their numbers and weights, beside the axes."""
    some = f"{len(ranked)} of {n_selected:,} " if len(ranked) < n_selected else ""
    drawn = [beside(ax, 0, 10, "left", f"{some}selected features")] if ranked else []
    for line, f in enumerate(ranked, start=1):
        drawn.append(beside(ax, line, 21, "right", f"{line}"))
        if scores is not None:
            drawn.append(beside(ax, line, 49, "right", f"{scores[f]:.3f}"))
        drawn.append(beside(ax, line, 26 if scores is None else 54, "left", fitted(names[f], 16)))
    return drawn


def beside(ax: Any, line: int, x: float, ha: str, text: str) -> Any:
    """A text on a line right of the axes, x points from them."""
    place = {"xycoords": "axes fraction", "textcoords": "offset points", "xytext": (x, -LINE * line)}
    return ax.annotate(text, (1, 1), **place, ha=ha, va="top", fontsize=FONT + 1, **LITERAL)


def legend(ax: Any, tree: ClusterTree, n_pooled: int) -> Any:
    """The fates with what met them, above the axes."""
    entries = {}
    for fate in DRAWN_FATES:
        n, m = counted(tree.n_clusters(fate), "cluster"), counted(tree.n_features(fate), "feature")
        entries[f"{fate}\n{n}, {m}"] = ax.broken_barh([], (0, 0), facecolor=COLOURS[fate])
    if n_pooled:
        pool = ax.broken_barh([], (0, 0), facecolor="#707880", **HATCH)
        entries[f"drawn together\n{n_pooled:,} narrow clusters"] = pool
    style = {"frameon": False, "borderaxespad": 0.5, "borderpad": 0, "handlelength": 1.4, "handleheight": 1.6}
    where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "columnspacing": 1.8}
    n_columns = max(1, int(extent_in_points(ax)[0] / ENTRY))
    drawn = ax.legend(entries.values(), entries.keys(), ncols=n_columns, fontsize=FONT + 1, **where, **style)
    drawn.set_in_layout(False)  # the title above it keeps its place; its width is not to shrink the axes
    drawn.legend_handles[-1].set_hatch_linewidth(HATCH["hatch_linewidth"])  # not copied from the pool
    return drawn


def draw_row(ax: Any, y: int, row: list[Bar], point: float, inset: float) -> list[Any]:
    """A level's bars: wide ones with an edge, pools hatched, narrow ones last so that they are seen."""
    kinds: dict[str, list[Bar]] = {"wide": [], "pool": [], "narrow": []}
    for bar in row:
        pool = bar.n_clusters > 1
        wide = bar.width >= (HATCHED if pool else LEAST) * point
        kinds["narrow" if not wide else "pool" if pool else "wide"].append(bar)
    drawn = []
    for kind, bars in kinds.items():
        spans = [span(bar, SEEN * point) for bar in bars]
        rows = (y, BAR) if kind == "wide" else (y + inset, BAR - 2 * inset)  # as high as within an edge
        colours = [COLOURS[bar.fate] for bar in bars]
        drawn += [ax.broken_barh(spans, rows, facecolor=colours, **EDGES[kind])] if bars else []
    return drawn


def span(bar: Bar, least: float) -> tuple[float, float]:
    """Left and width of a bar as drawn: wide enough to be seen."""
    width = max(bar.width, least)
    return bar.left + (bar.width - width) / 2, width


def write(ax: Any, y: int, bar: Bar, text: str) -> Any:
    """A text in a bar, cut off at its ends should the axes become smaller later."""
    drawn = ax.text(bar.left + bar.width / 2, y + BAR / 2, text, color=INK[bar.fate], **TEXT)
    drawn.set_clip_box(box_in(ax, bar.left, y, bar.right, y + BAR))
    return drawn


def inside(bar: Bar, names: list[str], points: float, n_lines: int) -> str:
    """What is written into a bar: as much as there is room for."""
    if bar.representative is None or n_lines == 0:
        return ""
    ems = points / FONT - 0.6
    radius = f"r {bar.radius:.2f}"
    weight = [] if bar.weight is None else [f"{radius}  α {bar.weight:.2f}"]
    numbers = longest([*weight, radius], ems)
    name = in_lines(names[bar.representative], ems, max(1, n_lines - bool(numbers)))
    return "\n".join([*name, numbers][:n_lines]) if numbers else "\n".join(name)


def longest(texts: list[str], ems: float) -> str:
    """The first of the texts that fits, or nothing."""
    return next((text for text in texts if width_in_ems(text) <= ems), "")


def left_out(tree: ClusterTree, levels: list[int]) -> str:
    """What the levels that are not drawn hold; empty if there are none."""
    deeper = tree.levels[len(levels) :]
    if not deeper:
        return ""
    n_clusters = sum(len(tree.row(level)) for level in deeper)
    n_features = sum(bar.width for bar in tree.row(deeper[0]))
    which = f"level {deeper[0]} is" if len(deeper) == 1 else f"levels {deeper[0]} to {deeper[-1]} are"
    return f"{which} not drawn: {counted(n_clusters, 'cluster')} of {counted(n_features, 'feature')}"


def pins(
    ax: Any, tree: ClusterTree, ranked: list[int], levels: list[int], floor: int, apart: float
) -> list[Any]:
    """A line from each ranked feature's last cluster down to its number; nothing lies beneath."""
    ends = [(tree.final(f), rank) for rank, f in enumerate(ranked, start=1)]
    at = sorted((bar.left + bar.width / 2, rank, min(bar.level, levels[-1])) for bar, rank in ends)
    goals = spread([x for x, *_ in at], apart, len(tree.features))
    drawn = []
    for (x, rank, level), goal in zip(at, goals, strict=True):
        top = levels.index(level) + BAR
        drawn += ax.plot([x, x, goal], [top, floor, floor + 0.45], linewidth=0.7, **PIN)
        drawn += ax.plot([x], [top], marker="o", markersize=2.6, **PIN)
        drawn.append(ax.text(goal, floor + 0.7, f"{rank}", ha="center", va="center", fontsize=FONT + 1))
    return drawn


def spread(places: list[float], apart: float, end: float) -> list[float]:
    """Ascending places moved as little as they must to be so far apart, and to stay within 0 to end."""
    up, down, n = list(places), list(places), len(places)
    for i in range(1, n):
        up[i] = max(places[i], up[i - 1] + apart)
        down[-i - 1] = min(places[-i - 1], down[-i] - apart)
    between = [(a + b) / 2 for a, b in zip(up, down, strict=True)]
    inner = [max(place, (i + 0.5) * apart) for i, place in enumerate(between)]
    return [min(place, end - (n - i - 0.5) * apart) for i, place in enumerate(inner)]
