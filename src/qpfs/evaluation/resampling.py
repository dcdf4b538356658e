"""How often each feature is selected in random draws of the samples."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import check_integer, checked_count, unfit
from qpfs.engines import one_blas_thread
from qpfs.evaluation.agreement import LEAST_FOR_INTERVAL, Stability, check_level, numbered_clusters, stability
from qpfs.evaluation.draws import Draw, overlap
from qpfs.evaluation.feature_clusters import feature_clusters
from qpfs.evaluation.named_methods import called, checked_selector
from qpfs.evaluation.parameter_texts import documented
from qpfs.evaluation.rankings import Inside, ends_of, masks_of, order_of, support_of, top_of
from qpfs.evaluation.records import RecordsIn
from qpfs.evaluation.runs import Tick, run
from qpfs.evaluation.sample import Sample, check_adjusts, check_weighed, last_step, sample_of
from qpfs.evaluation.splits import fixed_seed
from qpfs.evaluation.trials import Trial
from qpfs.messages import Message, Parameter, invalid
from qpfs.report.often import LISTED
from qpfs.report.stability_text import shortage_words
from qpfs.selectors.chance import rankings_alone
from qpfs.selectors.ranking import RankingMixin
from qpfs.wording import counted, finite, rounded

if TYPE_CHECKING:
    from qpfs.report import StabilityDisplay

NEARLY_ALL, LEAST_FEATURES = 0.9, 10  # share of so many features from which a selection is no choice


@dataclass(frozen=True, eq=False, repr=False)
class Resampled:
    """Selections on random draws of the samples, each resample a different one.

    Attributes
    ----------
    frequencies : array of shape (n_features,)
        The share of the resamples in which each feature was selected.
    stability : Stability
        How much the selections agree.
    cluster_stability : Stability or None
        How much they agree on clusters of features, where a cluster is selected if any of its members is.
        None if the selector does not compare features.
    clusters : array of shape (n_features,) or None
        The cluster of each feature in the fit to all samples, from 0 on: those of a selector with `labels_`;
        for any other, each selected feature with the features to which it is the nearest, within the radius
        of the measure. A feature in none of them has a number of its own.
    cluster_text : str or None
        What a cluster is, in words.
    selected : array of int
        The features selected on all samples, best first.
    orders : tuple of arrays
        The ranking on each resample, best first; its first 1,000 features.
    resample : str
        How samples were drawn, in words.
    n_asked : int
        How many resamples were requested.
    n_different : int or None
        How many different ones there are; None for more than 2^53.
    overlap : float
        The share of their samples that two resamples have in common, on average.
    units : {"samples", "groups"}
        The units that were drawn.
    feature_names : list of str or None
        The names of the columns of X, if it has any.
    n_empty : int
        The number of resamples in which no feature was selected.
    notes : tuple of str
        Notes on the resamples, and the warnings of selections, each once.
    warned : dict of str to int
        The warnings of selections, and in how many resamples each occurred.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import resampled
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = resampled(QPFS(4), X, y, n=10)
    >>> page = QPFS(4).fit(X, y).report(X, stability=found.record(), frequency=found.frequencies)
    >>> "How often each feature is selected" in page.html
    True
    >>> found.to_frame().columns.tolist()
    ['feature', 'index', 'frequency', 'rank', 'cluster']
    """

    frequencies: FloatArray
    stability: Stability
    cluster_stability: Stability | None
    clusters: IndexArray | None
    cluster_text: str | None
    selected: IndexArray
    orders: tuple[IndexArray, ...]
    resample: str
    n_asked: int
    n_different: int | None
    overlap: float
    units: str
    feature_names: list[str] | None
    n_empty: int
    notes: tuple[str, ...]
    warned: dict[str, int]

    def to_frame(self) -> Any:
        """A data frame with a row for each feature that is selected on all samples, or in a resample.

        Returns
        -------
        frame : pandas.DataFrame, or polars.DataFrame where pandas is not installed
            `feature`, `index`, the `frequency` of its selection, by which rows are ordered, its `rank` on all
            samples, and its `cluster` if there are clusters.
        """
        from qpfs.report import frame_of

        ranks = {int(one): rank for rank, one in enumerate(self.selected, start=1)}
        order = np.argsort(-self.frequencies, kind="stable")
        some = [i for i in order.tolist() if self.frequencies[i] > 0 or i in ranks]
        names = self.feature_names or [str(i) for i in range(len(self.frequencies))]
        return frame_of(
            {
                "feature": [names[i] for i in some],
                "index": some,
                "frequency": self.frequencies[some].tolist(),
                "rank": [ranks.get(i) for i in some],
                **({} if self.clusters is None else {"cluster": self.clusters[some].tolist()}),
            }
        )

    def plot(self, ax: Any = None, *, n_features: int = LISTED) -> StabilityDisplay:
        """Draw how often each feature is selected, most often selected first.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Where to draw; None makes a new figure.
        n_features : int, default=30
            The maximum number of features to draw.

        Returns
        -------
        display : StabilityDisplay
            With `ax_` and `figure_`.
        """
        from qpfs.report import StabilityDisplay

        return StabilityDisplay.from_resampled(self, n_features=n_features, ax=ax)

    def __repr__(self) -> str:
        stable, n = self.stability, int((self.frequencies > 0).sum())
        span = "" if np.isnan(stable.low) else f" ({rounded(stable.low)} to {rounded(stable.high)})"
        index = "not defined" if np.isnan(stable.index) else f"{rounded(stable.index)}{span}"
        chosen = f"{counted(len(self.selected), 'feature')} selected on all samples, {n:,} in any resample"
        return f"<Resampled: stability {index} over {self.resample}; {chosen}>"

    def record(self) -> dict[str, Any]:
        """The stability as plain data, as :func:`qpfs.report.selection_record` takes it.

        Returns
        -------
        stability : dict
            `n` resamples of `n_asked` and of the `n_different` there are (`n_empty`: those in which nothing
            was selected, if there are any), how they were drawn (`resample`, `overlap`, `units`), `index`,
            `low`, `high` and `confidence`, and these over `clusters`; None
            where there is no number.
        """
        over = self.cluster_stability
        return {
            "n": self.stability.n,
            "n_asked": self.n_asked,
            "n_different": self.n_different,
            **({"n_empty": self.n_empty} if self.n_empty else {}),
            "resample": self.resample,
            "overlap": self.overlap,
            "units": self.units,
            "confidence": self.stability.confidence,
            **numbers_of(self.stability),
            "clusters": over and {"n": len(over.frequencies), "text": self.cluster_text, **numbers_of(over)},
        }


def numbers_of(found: Stability) -> dict[str, float | None]:
    """The index and its interval, None where there is none."""
    return {name: finite(getattr(found, name)) for name in ("index", "low", "high")}


@documented
def resampled(
    selector: Any,
    X: Any,
    y: Any,
    n: int = 50,
    *,
    size: int | None = None,
    fraction: float = 0.5,
    bootstrap: bool = False,
    stratified: bool = True,
    sample_weight: Any = None,
    covariates: Any = None,
    groups: Any = None,
    cohorts: Any = None,
    random_state: Any = 0,
    confidence: float = 0.95,
    fitted: Any = None,
    records: RecordsIn = None,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> Resampled:
    """How often each feature is selected, and how much selections agree, over random draws of the samples.

    No resample is used twice: if few exist (four groups have six halves), there are no more selections than
    that, with a note. The selector is also fitted to all samples, for its selection there and for clusters of
    similar features: features may change from resample to resample while clusters stay the same.

    Parameters
    ----------
    {selector}
        It needs `get_support()` unless `size` is given.
    {X}
    {one_y}
    n : int, default=50
        The number of resamples, at least 2; fewer if there are not so many different ones.
    size : int or None, default=None
        The number of top features that count as selected; None is what the selector itself selects. Needed
        for methods of other packages that rank nearly all features, such as a random forest.
    fraction : float, default=0.5
        The share of the samples that is drawn.
    bootstrap : bool, default=False
        Whether to draw as many samples as there are with replacement instead. Copies of samples inflate the
        information that features seem to share, since it is estimated from counts and its bias grows as the
        number of different samples decreases; so halves without copies are the default, whose selections vary
        about as much.
    stratified : bool, default=True
        Whether each class (each fifth of a quantity) is sampled in proportion.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights that are passed to the selector's `fit` with the samples drawn; they do not affect the draws.
    covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
        What the selector adjusts for, as in its `fit`, with the samples of each resample.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of samples that are drawn together; the class of a group is its most frequent one. They are
        also given to a selector whose `fit` takes groups.
    cohorts : array-like of shape (n_samples,) or None, default=None
        The cohort of each sample: each is sampled in proportion. A selector whose `fit` takes `covariates`
        gets them, so that relevance is computed within cohorts.
    random_state : int, RandomState instance or None, default=0
        The seed of the draws. From an instance, or for None from that of NumPy, one is drawn once.
    confidence : float, default=0.95
        The confidence of the interval of the stability; there is none for fewer than 10 resamples.
    fitted : object or None, default=None
        The selector fitted to all of X and y, if available; None fits one.
    {records}
    {n_jobs}
    {tick}

    Returns
    -------
    resampled : Resampled
        Frequencies, stability and rankings.

    See Also
    --------
    stability : The index of selections that were made elsewhere.
    across_cohorts : Selections tested on other cohorts instead of drawn samples.

    Notes
    -----
    Selections on halves vary more than selections on all samples would: stability is rather underestimated.
    Two halves share half of their samples, the training parts of five folds three quarters: so the stability
    that :func:`compare` reports is higher, and the two cannot be compared. Resamples overlap, and contain
    only samples of X: an interval covers the index over more resamples, not that of other data.

    References
    ----------
    .. [1] N. Meinshausen, P. Bühlmann. Stability selection. Journal of the Royal Statistical Society B
           72(4):417-473, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import resampled
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = resampled(QPFS(5), X, y, n=10)
    >>> found.frequencies.sum().round(6), found.resample
    (np.float64(5.0), '10 stratified random halves of the samples')
    """
    selector = checked_selector(selector, X)
    checked_count("n", n, 2)
    seed = fixed_seed(random_state)
    check_level(confidence, "confidence")
    check_fraction(fraction)
    check_weighed(selector, sample_weight)
    sample = sample_of(X, y, groups, covariates, sample_weight)
    check_adjusts(selector, sample)
    sample = sample.in_cohorts(cohorts)
    if size is not None:
        check_integer("size", size, 1, sample.n_features)
        size = int(size)  # as records keep it
    draw = Draw(sample, 1.0 if bootstrap else fraction, bootstrap, stratified, seed)
    check_several(draw)
    whole = fitted_to_all(selector, sample) if fitted is None else fitted
    selected = selected_by(whole, sample.n_features, size)
    all_notes = whole_notes(whole, len(selected), sample.n_features) if size is None else []
    parts = draw.different(n)
    ranker = Inside(selector, sample)
    trials = [
        Trial(f"resample {place} of {len(parts)}", ranker, rows, n_selected=size)
        for place, rows in enumerate(parts, start=1)
    ]
    outcomes = run(sample, trials, records, n_jobs, tick)
    rankings = [one["rankings"][0] for one in outcomes]
    chosen = [np.array(one["selected"], np.intp) for one in rankings]
    selections = masks_of(chosen, sample.n_features, sample.n_features)
    found = stability(selections, confidence=confidence)
    alike, clusters, over = feature_clusters(whole, selected), None, None
    if alike is not None:
        clusters = numbered_clusters(alike.labels, sample.n_features)
        over = stability(selections, clusters=clusters, confidence=confidence)
    names = getattr(whole, "feature_names_in_", None)
    warned = Counter(note for one in outcomes for note in one["notes"])
    return Resampled(
        frequencies=found.frequencies,
        stability=found,
        cluster_stability=over,
        clusters=clusters,
        cluster_text=None if alike is None else alike.text,
        selected=selected,
        orders=tuple(np.array(one["order"], np.intp) for one in rankings),
        resample=draw.text(len(parts)),
        n_asked=int(n),
        n_different=draw.n_different,
        overlap=overlap(parts, sample.n_samples),
        units=draw.unit_name,
        feature_names=None if names is None else [str(name) for name in names],
        n_empty=int((~selections.any(axis=1)).sum()),
        notes=(*all_notes, *drawn_notes(n, len(parts)), *selection_notes(warned, len(parts))),
        warned={note: warned[note] for note in sorted(warned)},
    )


def fitted_to_all(selector: Any, sample: Sample) -> Any:
    """The selector fitted to all samples, without warnings, which belong to a fit by the caller."""
    method = sample.prepared(selector)
    with one_blas_thread(), rankings_alone(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sample.fitted(method)


def selected_by(fitted: Any, n_features: int, size: int | None) -> IndexArray:
    """The features that a fitted method selects, or its top ones, best first."""
    n = getattr(fitted, "n_features_in_", n_features)
    if n != n_features:
        raise ValueError(
            f"fitted was fitted to {n} features, but X has {n_features}; give the selector fitted to this X."
        )
    order = order_of(fitted, n_features)
    if size is not None:
        return top_of(order, ends_of(fitted), size)
    return order[support_of(fitted, n_features)[order]]


def whole_notes(fitted: Any, n_selected: int, n_features: int) -> list[str]:
    """A note if nearly all features are selected; raises ValueError for a method that only ranks them."""
    if n_selected < NEARLY_ALL * n_features or n_features < LEAST_FEATURES:
        return []
    name = called(last_step(fitted)[0])
    said = (
        f"{name} selects {n_selected} of {n_features} features, so the agreement of such selections means "
        "little"
    )
    advice = Parameter("size", 10), ", the number of top features that count as selected."
    if isinstance(last_step(fitted)[0], RankingMixin):
        return [Message(f"{said}; give n_features_to_select, or ", *advice)]
    raise invalid(f"{said}. Give ", *advice)


def drawn_notes(n_asked: int, n: int) -> list[str]:
    """Notes on so many resamples."""
    found = [shortage_words(n_asked, n)] if n < n_asked else []
    few = f"{n} resamples are too few for an interval of the stability; expected at least "
    return [*found, f"{few}{LEAST_FOR_INTERVAL}."] if n < LEAST_FOR_INTERVAL else found


def selection_notes(warned: Mapping[str, int], n: int) -> list[str]:
    """The warnings of the selections, each with the number of the n resamples in which it occurred."""
    return [Message(f"in {warned[note]:,} of {n:,} resamples: ", note) for note in sorted(warned)]


def check_several(draw: Draw) -> None:
    """Raises ValueError if there is a single resample, for which agreement is not defined."""
    if draw.n_different == 1:
        units = draw.unit_name
        raise ValueError(
            f"There is only 1 different resample ({draw.text(1).removeprefix('1 ')}: no class has two "
            f"{units} to draw from), but selections on several are compared; expected more {units}."
        )


def check_fraction(fraction: float) -> None:
    if not 0 < fraction < 1:
        raise unfit("fraction", fraction, "between 0 and 1, such as 0.5.")
