"""The figures of the page drawn by matplotlib, on the caller's axes: for papers and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from qpfs.arrays import FloatArray
from qpfs.checks import checked_count
from qpfs.report.cluster_record import clusters_of
from qpfs.report.comparison import completed
from qpfs.report.figure import draw
from qpfs.report.names import checked_names
from qpfs.report.often import LISTED, most_often
from qpfs.report.pictures.axes import FigureLayout
from qpfs.report.pictures.cluster_bars import cluster_bars
from qpfs.report.pictures.error_curves import error_curves
from qpfs.report.pictures.frequency_bars import frequency_bars
from qpfs.report.pictures.heat_map import heat_map
from qpfs.report.pictures.theta_lines import ThetaLine, theta_lines
from qpfs.report.pictures.weight_fall import last_rank, weight_fall
from qpfs.report.record import MAPPED
from qpfs.report.redundancy import redundancy
from qpfs.report.schema import RedundancyRecord, WeightsRecord, check_comparison
from qpfs.report.verdict import failed_words
from qpfs.selectors.account import given_account
from qpfs.selectors.given_features import indices_of, seen_names
from qpfs.strategies.rounds import Trace
from qpfs.wording import counted, rounded, some_of

if TYPE_CHECKING:
    from qpfs.report.figure import Artist, Axes


FAINT = 50  # features drawn without a name along theta


class Display:
    """The common attributes of drawn figures: the axes, those of each panel, and all artists on them."""

    ax_: Axes
    panels_: list[Axes]
    artists_: list[Artist]

    def _drawn(self, layout: FigureLayout, ax: Axes | None, title: str) -> Self:
        self.ax_, self.panels_, self.artists_ = draw(layout, ax, title)
        self.figure_ = self.ax_.figure
        return self


@dataclass(eq=False, repr=False)
class WeightsDisplay(Display):
    """The figure of a ranking: the weight of each feature by rank, with its relevance beside it.

    Up to 66 features are named, each with a bar for its weight and one for its relevance; more are shown
    by rank, the weights above the relevance, and below them the first 30 with their names. Selected
    features are in colour, and a line marks where the weight reaches zero.

    Parameters
    ----------
    weights : array-like of float
        The weights (or scores) of the ranked features, best first.
    relevance : array-like of float
        The relevance of the same features.
    feature_names : sequence of str or None, default=None
        Their names, in the same order; None for the ranks.
    n_selected : int or None, default=None
        How many of the first features are selected; None for all with positive weight.
    theta, gap : float or None, default=None
        The trade-off theta and the optimality gap of the program, for the title.
    estimator_name : str or None, default=None
        The name of the method, for the title.
    value_name : {"weight", "score"}, default="weight"
        What features are ranked by; a score of zero has no special meaning.

    Attributes
    ----------
    ax_, figure_, panels_, artists_
        The axes given or made, their figure, the axes of both panels, and all artists.

    See Also
    --------
    ClusterTreeDisplay : What a clustered method split, kept and discarded.
    ErrorCurveDisplay : Error against number of features, for each method compared.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, WeightsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = WeightsDisplay.from_estimator(QPFS(4).fit(X, y))
    >>> display.ax_.get_title(loc="left").splitlines()[0]
    'QPFS: 12 of 30 ranked features have weight, 4 selected'
    """

    weights: ArrayLike
    relevance: ArrayLike
    _: KW_ONLY
    feature_names: Sequence[str] | None = None
    n_selected: int | None = None
    theta: float | None = None
    gap: float | None = None
    estimator_name: str | None = None
    value_name: str = "weight"

    @classmethod
    def from_estimator(
        cls, selector: Any, *, n_features: int | None = None, ax: Axes | None = None
    ) -> WeightsDisplay:
        """Draw the ranking of a fitted selector.

        Parameters
        ----------
        selector : fitted selector with `scores_`, `order_` and `relevance_`
            One of this package.
        n_features : int or None, default=None
            How many ranks to show; None for all with weight or selected, and some more.
        ax : matplotlib Axes or None, default=None
            Where to draw, in panels within it; None for a new figure.

        Returns
        -------
        display : WeightsDisplay
            The figure as drawn.
        """
        check_has(selector, ("scores_", "order_", "relevance_"), "QPFS()")
        asked = selector.fitted_.asked
        order, names = asked.units(selector.order_), asked.titles(seen_names(selector))
        display = cls(
            selector.scores_[order],
            selector.relevance_[order],
            feature_names=[names[f] for f in order],
            n_selected=int(selector.support_[order].sum()),
            theta=getattr(selector, "theta_", None),
            gap=getattr(selector, "gap_", None),
            estimator_name=type(selector).__name__,
            value_name="score" if given_account(selector).scored else "weight",
        )
        return display.plot(ax, n_features=n_features)

    def plot(self, ax: Axes | None = None, *, n_features: int | None = None) -> Self:
        """Draw, with the parameters of :meth:`from_estimator`, and return the display itself."""
        weights, relevance = np.asarray(self.weights, float), np.asarray(self.relevance, float)
        n = len(weights)
        if not n == len(relevance) > 0:
            raise ValueError(
                f"{n} weights and {len(relevance)} relevances; expected as many of each, and at least one."
            )
        n_positive = int((weights > 0).sum())
        n_selected = n_positive if self.n_selected is None else self.n_selected
        ranked = zip(range(1, n + 1), weights.tolist(), relevance.tolist(), strict=True)
        record: WeightsRecord = {"ranked": [*ranked], "n_positive": n_positive, "n_ranked": n}
        if self.feature_names is not None:
            record["names"] = checked_names(self.feature_names, n)
        wanted = last_rank(record, n_selected) if n_features is None else n_features
        last = min(checked_count("n_features", wanted, 1), n)
        named = f"{self.estimator_name}: " if self.estimator_name else ""
        what = f"{counted(n, 'feature')} ranked by score"
        if self.value_name == "weight":
            what = f"{some_of(n_positive, n, 'ranked feature', 'has', 'have')} weight"
        facts = [] if self.theta is None else [f"θ = {self.theta:.3g}"]
        facts += [] if self.gap is None else [f"gap = {self.gap:.1g}"]
        facts += [f"ranks 1 to {last:,} shown"] if last < n else []
        title = f"{named}{what}, {n_selected:,} selected\n{', '.join(facts)}".rstrip()
        return self._drawn(
            lambda width, height: weight_fall(record, n_selected, self.value_name, last, width), ax, title
        )


@dataclass(eq=False, repr=False)
class ClusterTreeDisplay(Display):
    """The figure of a clustered selection: what was split, kept and discarded at each level.

    One row per level, from the top. A bar is a cluster, and its width is the number of features; the parts of
    a split cluster are below it: first those split again, then those kept, then those discarded. If there is
    room, a bar names the feature that represents the cluster, with the number of features and the radius r of
    the cluster. Numbers below are the ranks of the first selected features, at their clusters; a list beside
    the bars names them.

    Neighbours too narrow to be drawn separately are merged if they share a fate; levels after `n_levels` are
    left out, and the title summarises them.

    Parameters
    ----------
    rounds : Trace
        The trace: `rounds_` of a fitted selector.
    feature_names : sequence of str or None, default=None
        The names of all features; None for x0, x1, ...
    selected : sequence of int, default=()
        The selected features, best first.
    scores : ndarray of float or None, default=None
        The final weight of every feature, shown beside the names of the selected ones.
    radius : float or None, default=None
        tau, for the title.
    estimator_name : str or None, default=None
        The name of the method, for the title.

    Attributes
    ----------
    ax_, figure_, panels_, artists_
        The axes given or made, whose unit is a feature, their figure, and all artists.

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
    """

    rounds: Trace
    _: KW_ONLY
    feature_names: Sequence[str] | None = None
    selected: Sequence[int] = ()
    scores: FloatArray | None = None
    radius: float | None = None
    estimator_name: str | None = None

    @classmethod
    def from_estimator(
        cls, selector: Any, *, ax: Axes | None = None, n_levels: int = 12, n_names: int = 12
    ) -> ClusterTreeDisplay:
        """Draw the trace of a fitted selector.

        Parameters
        ----------
        selector : fitted selector with `rounds_`
            Such as :class:`~qpfs.IKMQPFS`, :class:`~qpfs.IKMAQPFS` or :class:`~qpfs.TLKMQPFS`.
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure. The list of names is to the right of the axes.
        n_levels : int, default=12
            The maximum number of levels to draw.
        n_names : int, default=12
            The maximum number of selected features to name beside the axes; 0 for none.

        Returns
        -------
        display : ClusterTreeDisplay
            The figure as drawn.
        """
        check_has(selector, ("rounds_",), "IKMQPFS(), IKMAQPFS() or TLKMQPFS()")
        asked = selector.fitted_.asked
        display = cls(
            selector.rounds_,
            feature_names=asked.titles(seen_names(selector)),
            selected=asked.units(selector.order_[selector.support_[selector.order_]]),
            scores=selector.scores_,
            radius=getattr(selector, "radius_", None),
            estimator_name=type(selector).__name__,
        )
        return display.plot(ax, n_levels=n_levels, n_names=n_names)

    def plot(self, ax: Axes | None = None, *, n_levels: int = 12, n_names: int = 12) -> Self:
        """Draw, with the parameters of :meth:`from_estimator`, and return the display itself."""
        n_levels, n_names = checked_count("n_levels", n_levels, 1), checked_count("n_names", n_names, 0)
        chosen = [int(f) for f in self.selected[:n_names]]
        known = self.feature_names
        clusters, note = clusters_of(self.rounds, known, chosen, self.radius, n_levels)
        names = checked_names(known, max(chosen, default=-1) + 1)
        listed = [names[f] if self.scores is None else f"{self.scores[f]:.3f}  {names[f]}" for f in chosen]
        n = clusters["n_features"]
        features = f"{n:,} of {len(known):,} features" if known and len(known) > n else counted(n, "feature")
        tau = "" if self.radius is None else f", τ = {self.radius:.3g}"
        named = f"{self.estimator_name}: " if self.estimator_name else ""
        title = f"{named}{features}, {counted(clusters['n_rounds'], 'round')}{tau}\n{note}".rstrip()
        return self._drawn(lambda width, height: cluster_bars(clusters, listed, width, height), ax, title)


@dataclass(eq=False, repr=False)
class ThetaPathDisplay(Display):
    """The figure of a theta path: the weight of each feature against theta, similar to a lasso path.

    The features with the largest weights have colours, names, and a mark where the weight is largest; up to
    50 others are thin lines. A line marks the theta that was used. At theta = 1 one feature has all the
    weight: the frame ends above the second largest weight, and the name of a feature that leaves the frame is
    followed by its largest weight.

    Parameters
    ----------
    thetas : array-like of shape (n_thetas,)
        The trade-offs.
    weights : array-like of shape (n_thetas, n_features)
        The weights at each of them.
    feature_names : sequence of str or None, default=None
        The names of all features; None for x0, x1, ...
    theta : float or None, default=None
        The theta that was used, to be marked.
    estimator_name : str or None, default=None
        The name of the method, for the title.

    Attributes
    ----------
    ax_, figure_, panels_, artists_
        The axes given or made, whose units are theta and weight, their figure, and all artists.

    See Also
    --------
    QPFS.theta_path : The numbers.
    WeightsDisplay : The weights at the theta of the fit, by rank.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, ThetaPathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = ThetaPathDisplay.from_estimator(QPFS().fit(X, y))
    >>> display.ax_.get_title(loc="left").splitlines()[0]
    'QPFS: 24 of 30 features have weight at some theta'
    """

    thetas: ArrayLike
    weights: ArrayLike
    _: KW_ONLY
    feature_names: Sequence[str] | None = None
    theta: float | None = None
    estimator_name: str | None = None

    @classmethod
    def from_estimator(
        cls, selector: Any, *, thetas: ArrayLike | None = None, n_features: int = 8, ax: Axes | None = None
    ) -> ThetaPathDisplay:
        """Draw the theta path of a fitted selector.

        Parameters
        ----------
        selector : fitted selector with `theta_path`
            Such as :class:`~qpfs.QPFS` or :class:`~qpfs.IKMQPFS`.
        thetas : array-like of shape (n_thetas,) or None, default=None
            As in :meth:`qpfs.QPFS.theta_path`.
        n_features : int, default=8
            The maximum number of features to name: those with the largest weights.
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure. The names are to the right of the axes.

        Returns
        -------
        display : ThetaPathDisplay
            The figure as drawn.
        """
        check_has(selector, ("theta_path",), "QPFS()")
        path = selector.theta_path(thetas)
        display = cls(
            path.thetas,
            path.weights,
            feature_names=seen_names(selector),
            theta=selector.theta_,
            estimator_name=type(selector).__name__,
        )
        return display.plot(ax, n_features=n_features)

    def plot(self, ax: Axes | None = None, *, n_features: int = 8) -> Self:
        """Draw, with the parameters of :meth:`from_estimator`, and return the display itself."""
        thetas, weights = np.asarray(self.thetas, float), np.asarray(self.weights, float)
        n_named = checked_count("n_features", n_features, 1)
        if weights.ndim != 2 or thetas.shape != weights.shape[:1] or len(thetas) == 0:
            raise ValueError(
                f"thetas of shape {thetas.shape} and weights of shape {weights.shape}; expected (n_thetas,) "
                "and (n_thetas, n_features), as theta_path gives them."
            )
        names = checked_names(self.feature_names, weights.shape[1])
        largest = weights.max(axis=0)
        reached = int((largest > 0).sum())
        if reached == 0:
            raise ValueError("At each theta no feature has weight; expected rows that each add up to 1.")
        order = np.argsort(thetas, kind="stable")
        lines = [
            ThetaLine(names[f], [*zip(thetas[order].tolist(), weights[order, f].tolist(), strict=True)])
            for f in np.argsort(-largest, kind="stable")[: min(n_named + FAINT, reached)]
        ]
        named, others = lines[:n_named], lines[n_named:]
        method = f"{self.estimator_name}: " if self.estimator_name else ""
        title = f"{method}{some_of(reached, len(names), 'feature', 'has', 'have')} weight at some theta"
        note = f"the {len(lines)} with the largest weights are drawn" if len(lines) < reached else ""
        return self._drawn(
            lambda width, height: theta_lines(named, others, self.theta, width, height),
            ax,
            f"{title}\n{note}".rstrip(),
        )


@dataclass(eq=False, repr=False)
class RedundancyDisplay(Display):
    """The heat map of a selection: how much the selected features share with one another.

    One cell for each pair, darker the more they share, from 0 (nothing) to 1 (each determines the other):
    what two features share, divided by the larger of what each shares with itself. The darkest shade is the
    largest value of a pair, or 0.1 if all are less; a key gives the number and lists the most similar pairs.
    Up to 20 features the cells hold their numbers. Axes narrower than 388 pixels (at 96 an inch) have ranks
    in place of names.

    Parameters
    ----------
    values : array-like of shape (n, n)
        What each pair shares, from 0 to 1.
    feature_names : sequence of str or None, default=None
        Their names, in the same order; None for x0, x1, ...
    title : str or None, default=None
        The title of the figure.

    Attributes
    ----------
    ax_, figure_, panels_, artists_
        The axes given or made, whose units are pixels, their figure, and all artists.

    See Also
    --------
    QPFS.redundancy : The matrix itself, in the units of the measure.
    WeightsDisplay : The weights by rank, with the relevance beside them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, RedundancyDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = RedundancyDisplay.from_estimator(QPFS(5).fit(X, y))
    >>> display.ax_.get_title(loc="left").splitlines()[0]
    'QPFS: what 5 features share'
    """

    values: ArrayLike
    _: KW_ONLY
    feature_names: Sequence[str] | None = None
    title: str | None = None

    @classmethod
    def from_estimator(
        cls, selector: Any, *, features: Any = None, X: Any = None, ax: Axes | None = None
    ) -> RedundancyDisplay:
        """Draw what features share in a fitted selector.

        Parameters
        ----------
        selector : fitted selector
            One of this package.
        features : sequence of str or int, mask, or None, default=None
            Columns by name, by index, or by a mask of all; None for the first 30 selected ones.
        X : array-like, data frame or None, default=None
            The features as in `fit`; needed only for :class:`~qpfs.FGM` and :class:`~qpfs.GDM`, which keep no
            features: what they share is then the absolute correlation.
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        display : RedundancyDisplay
            The figure as drawn.
        """
        check_has(selector, ("order_", "support_", "fitted_"), "QPFS()")
        asked = np.array([*dict.fromkeys(indices_of(selector, features).tolist())], np.intp)  # each once
        shown = asked[:MAPPED] if features is None else asked
        name = type(selector).__name__
        found = redundancy(selector, seen_names(selector), shown, X)
        if found is None:
            raise ValueError(f"{name} keeps no features, so X is needed: give X as in fit.")
        what = f"the first {len(shown)} of {len(asked):,} selected features"
        what = what if len(shown) < len(asked) else counted(len(asked), "feature")
        title = f"{name}: what {what} share\n{found['shared']}"
        return cls(found["values"], feature_names=found["names"], title=title).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, with the parameters of :meth:`from_estimator`, and return the display itself."""
        values = np.asarray(self.values, float)
        if values.ndim != 2 or not values.shape[0] == values.shape[1] > 0:
            raise ValueError(
                f"values has the shape {values.shape}; expected a row and a column for each feature."
            )
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError("values must be from 0 to 1: 0 if two features share nothing, 1 if all.")
        record: RedundancyRecord = {
            "indices": [*range(len(values))],
            "names": checked_names(self.feature_names, len(values)),
            "values": values.tolist(),
            "measure": "",
            "shared": "",
        }
        return self._drawn(lambda width, height: heat_map(record, width), ax, self.title or "")


@dataclass(eq=False, repr=False)
class ErrorCurveDisplay(Display):
    """The figure of a comparison: error or score against the number of features, for each method.

    The band is the interval of the best method, thin lines are those of the others.

    Parameters
    ----------
    record : mapping
        A record under the schema "qpfs-comparison/2".

    Attributes
    ----------
    ax_, figure_, panels_, artists_
        The axes given or made, whose units are features (by ratio) and errors or scores, their figure,
        and all artists.

    See Also
    --------
    WeightsDisplay : The weights by rank, with the relevance beside them.

    Examples
    --------
    >>> from qpfs import ErrorCurveDisplay
    >>> curve = [{"k": k, "score": 0.2 / k} for k in (1, 2, 4)]
    >>> display = ErrorCurveDisplay.from_record({
    ...     "qpfs": "1.0",
    ...     "created": "2030-01-01",
    ...     "data": {"source": "a.csv", "n_samples": 9, "n_features": 4},
    ...     "protocol": {"text": "Ten folds."},
    ...     "methods": [{"name": "qpfs", "title": "QPFS", "curve": curve}],
    ... })
    >>> display.ax_.get_xlabel()
    'number of features'
    """

    record: Mapping[str, Any]

    @classmethod
    def from_record(cls, record: Mapping[str, Any], *, ax: Axes | None = None) -> ErrorCurveDisplay:
        """Draw the curves of a comparison record, or of one that was read from a comparison.json.

        Parameters
        ----------
        record : mapping
            A record under the schema "qpfs-comparison/2".
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure. The names of the methods are to the right of the axes.

        Returns
        -------
        display : ErrorCurveDisplay
            The figure as drawn.
        """
        return cls(record).plot(ax)

    @classmethod
    def from_curve(cls, curve: Any, *, name: str | None = None, ax: Axes | None = None) -> ErrorCurveDisplay:
        """Draw what :func:`qpfs.evaluation.error_curve` returns, one curve or several.

        Parameters
        ----------
        curve : ErrorCurve or dict of str to ErrorCurve
            A curve; or several of the same data and the same scoring by the names of their methods.
        name : str or None, default=None
            The name of a single curve; None for the class of its selector.
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure. The names of the methods are to the right of the axes.

        Returns
        -------
        display : ErrorCurveDisplay
            The figure as drawn.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import MRMR, QPFS, ErrorCurveDisplay
        >>> from qpfs.evaluation import error_curve
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> curves = {one.__name__: error_curve(one(), X, y, cv=3, sizes=[1, 5]) for one in (QPFS, MRMR)}
        >>> display = ErrorCurveDisplay.from_curve(curves)
        >>> display.ax_.get_title(loc="left")
        '569 samples, 30 features'
        """
        if not isinstance(curve, Mapping):
            kind = str(curve.protocol["selector"]["class"]).rpartition(".")[2]
            curve = {name or kind: curve}
        return cls.from_record(curves_record(curve), ax=ax)

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Axes | None = None) -> ErrorCurveDisplay:
        """Draw the curves of what :func:`qpfs.evaluation.compare` returns, as :meth:`from_record` does."""
        return cls.from_record(comparison.record, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, with the parameters of :meth:`from_record`, and return the display itself."""
        record = check_comparison(self.record)
        first = error_curves(record)
        if first is None:
            why = failed_words(completed(record))
            said = "No method of the comparison has a curve; there is nothing to draw."
            raise ValueError(f"{said} {why[:1].upper()}{why[1:]}." if why else said)
        source = record["data"].get("source")
        n, m = record["data"]["n_samples"], record["data"]["n_features"]
        title = f"{source}: " * bool(source) + f"{counted(n, 'sample')}, {counted(m, 'feature')}"
        return self._drawn(lambda width, height: error_curves(record, width, height) or first, ax, title)


def curves_record(curves: Mapping[str, Any]) -> dict[str, Any]:
    """Curves by the names of their methods as a comparison record."""
    ways = {(one.scoring, one.n_samples, one.n_features): one for one in curves.values()}
    if len(ways) != 1:
        raise ValueError(
            f"{counted(len(curves), 'curve')} of {[*ways]} (scoring, samples, features); expected one or "
            "more of the same data and the same scoring."
        )
    first = next(iter(ways.values()))
    return {
        "qpfs": None,
        "created": "",
        "data": {"n_samples": first.n_samples, "n_features": first.n_features},
        "protocol": {
            "text": first.protocol["text"],
            "scoring": {"name": first.scoring, "greater_is_better": first.greater_is_better},
        },
        "methods": [
            {"name": name, "title": name, "curve": [p for p in one.table() if p["score"] is not None]}
            for name, one in curves.items()
        ],
    }


@dataclass(eq=False, repr=False)
class StabilityDisplay(Display):
    """The figure of stability: how often each feature is selected in random draws of the samples.

    One row per feature, most often selected first, with its share beside the bar. Features that are selected
    on all samples are in colour and have their rank beside the share; others are in grey. The first of the
    selected features have a row even if draws rarely select them.

    Parameters
    ----------
    frequencies : array-like of float of shape (n_features,)
        The share of the resamples in which each feature is selected.
    selected : sequence of int, default=()
        The features that are selected on all samples, best first.
    feature_names : sequence of str or None, default=None
        The names of all features; None for x0, x1, ...
    stability, cluster_stability : Stability or None, default=None
        How much the selections agree, over features and over clusters, for the title.
    resample : str, default=""
        How samples were drawn, for the title.

    Attributes
    ----------
    ax_, figure_, panels_, artists_
        The axes given or made, whose units are shares and rows, their figure, and all artists.

    See Also
    --------
    WeightsDisplay : The weights by rank, with the relevance beside them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, StabilityDisplay
    >>> from qpfs.evaluation import resampled
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = StabilityDisplay.from_resampled(resampled(QPFS(4), X, y, n=10))
    >>> display.ax_.get_title(loc="left").splitlines()[0]
    '10 stratified random halves of the samples'
    """

    frequencies: ArrayLike
    _: KW_ONLY
    selected: Sequence[int] = ()
    feature_names: Sequence[str] | None = None
    stability: Any = None
    cluster_stability: Any = None
    resample: str = ""

    @classmethod
    def from_resampled(
        cls,
        resampled: Any,
        *,
        feature_names: Sequence[str] | None = None,
        n_features: int = LISTED,
        ax: Axes | None = None,
    ) -> StabilityDisplay:
        """Draw what :func:`qpfs.evaluation.resampled` returns.

        Parameters
        ----------
        resampled : Resampled
            Selections on random draws of the samples.
        feature_names : sequence of str or None, default=None
            The names of all features; None for those of the table that was resampled.
        n_features : int, default=30
            The maximum number of features to draw.
        ax : matplotlib Axes or None, default=None
            Where to draw; None for a new figure. The names are to the left of the axes.

        Returns
        -------
        display : StabilityDisplay
            The figure as drawn.
        """
        display = cls(
            resampled.frequencies,
            selected=resampled.selected,
            feature_names=resampled.feature_names if feature_names is None else feature_names,
            stability=resampled.stability,
            cluster_stability=resampled.cluster_stability,
            resample=resampled.resample,
        )
        return display.plot(ax, n_features=n_features)

    def plot(self, ax: Axes | None = None, *, n_features: int = LISTED) -> Self:
        """Draw, with the parameters of :meth:`from_resampled`, and return the display itself."""
        shares, chosen = np.asarray(self.frequencies, float), np.asarray(self.selected, np.intp)
        names = checked_names(self.feature_names, len(shares))
        often = most_often(shares, chosen, names, checked_count("n_features", n_features, 1))
        first = frequency_bars(often)
        if first is None:
            raise ValueError("No feature was ever selected; there is nothing to draw.")
        indices = {"stability": self.stability, "over clusters": self.cluster_stability}
        facts = [f"{name} {index_text(found)}" for name, found in indices.items() if found is not None]
        title = "\n".join(line for line in (self.resample, ", ".join(facts)) if line)
        return self._drawn(lambda width, height: frequency_bars(often, width, height) or first, ax, title)


def index_text(found: Any) -> str:
    """The index of a stability, with its interval if it has one."""
    interval = "" if np.isnan(found.low) else f" ({rounded(found.low)} to {rounded(found.high)})"
    return f"{rounded(found.index)}{interval}"


def check_has(selector: Any, needed: tuple[str, ...], such: str) -> None:
    """Raises NotFittedError, or TypeError if a selector of this kind lacks what is drawn."""
    check_is_fitted(selector)
    missing = [name for name in needed if not hasattr(selector, name)]
    if missing:
        raise TypeError(
            f"{type(selector).__name__} has no {', '.join(missing)}; expected a fitted selector with "
            f"{', '.join(needed)}, such as {such}."
        )
