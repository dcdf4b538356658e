"""How often each feature is selected when the samples are drawn anew."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import check_integer, checked_count, unfit
from qpfs.evaluation.agreement import Stability, check_level, stability
from qpfs.evaluation.rankings import Inside
from qpfs.evaluation.records import RecordsIn
from qpfs.evaluation.runs import Tick, run
from qpfs.evaluation.sample import Sample, sample_of
from qpfs.evaluation.trials import Trial


@dataclass(frozen=True, eq=False)
class Resampled:
    """Selections on samples drawn anew.

    Attributes
    ----------
    frequencies : array of shape (n_features,)
        The share of the resamples in which each feature was selected.
    stability : Stability
        How much the selections agree.
    orders : tuple of arrays
        The ranking found on each resample, best first; its first 1,000 features.
    resample : str
        How samples were drawn, in words.
    notes : tuple of str
        Warnings that came up, each once.
    """

    frequencies: FloatArray
    stability: Stability
    orders: tuple[IndexArray, ...]
    resample: str
    notes: tuple[str, ...]


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
    groups: Any = None,
    random_state: int = 0,
    confidence: float = 0.95,
    records: RecordsIn = None,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> Resampled:
    """How often each feature is selected, and how much selections agree, when the samples are drawn anew.

    Parameters
    ----------
    selector : object
        What :func:`error_curve` takes; it has `get_support()` unless `size` is given.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The features, as the selector takes them.
    y : array-like of shape (n_samples,)
        The target.
    n : int, default=50
        How often samples are drawn; at least 2.
    size : int or None, default=None
        The number of top features that count as selected; None is what the selector itself selects.
    fraction : float, default=0.5
        The share of the samples that is drawn.
    bootstrap : bool, default=False
        Whether as many samples as there are, are drawn with replacement instead. Copies of samples make
        features seem to say more about each other than they do, for information is estimated from counts and
        its bias grows as the number of different samples falls; so halves without copies are the default,
        whose selections vary about as much.
    stratified : bool, default=True
        Whether each class (of a quantity: each fifth) is drawn from in its share.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of samples that are drawn whole; each counts to the class it has most of.
    random_state : int, default=0
        Which samples are drawn.
    confidence : float, default=0.95
        How sure the interval of the stability is to be.
    records : Records, path or None, default=None
        Where results are kept, and taken from if they are there: a run that was interrupted continues.
    n_jobs : int or None, default=None
        Threads over resamples; the answer does not depend on it.
    tick : callable or None, default=None
        Called with (resamples done, resamples in all, what was done) after each.

    Returns
    -------
    resampled : Resampled
        Frequencies, stability and rankings.

    Notes
    -----
    Selections on halves vary more than one on all samples would: the stability is, if anything, understated.

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
    checked_count("n", n, 2)
    checked_count("random_state", random_state, 0)
    check_level(confidence, "confidence")
    check_fraction(fraction)
    sample = sample_of(X, y, groups)
    if size is not None:
        check_integer("size", size, 1, sample.n_features)
        size = int(size)  # as records keep it
    draw = Draw(sample, 1.0 if bootstrap else fraction, bootstrap, stratified, random_state)
    ranker = Inside(selector, sample)
    trials = [
        Trial(f"resample {place + 1} of {n}", ranker, draw.rows(place), n_selected=size) for place in range(n)
    ]
    outcomes = run(sample, trials, records, n_jobs, tick)
    rankings = [one["rankings"][0] for one in outcomes]
    masks = np.zeros((n, sample.n_features), bool)
    for mask, ranking in zip(masks, rankings, strict=True):
        mask[ranking["selected"]] = True
    found = stability(masks, confidence=confidence)
    orders = tuple(np.array(one["order"], np.intp) for one in rankings)
    notes = {note for one in outcomes for note in one["notes"]}
    return Resampled(found.frequencies, found, orders, draw.text(n), tuple(sorted(notes)))


@dataclass(frozen=True, eq=False)
class Draw:
    """Which rows are drawn, each time."""

    sample: Sample
    fraction: float
    replace: bool
    stratified: bool
    random_state: int

    def rows(self, place: int) -> IndexArray:
        """The rows of one resample, ascending; the same whoever asks, and when."""
        rng = np.random.default_rng([self.random_state, place])
        units = self._units()
        strata = self._strata(units)
        drawn = [self._some(np.flatnonzero(strata == one), rng) for one in np.unique(strata)]
        times = np.bincount(np.concatenate(drawn), minlength=len(strata))
        return np.repeat(np.arange(self.sample.n_samples), times[units])

    def _some(self, members: IndexArray, rng: np.random.Generator) -> IndexArray:
        n = max(1, math.floor(self.fraction * len(members) + rng.random()))  # on average the very fraction
        return rng.choice(members, size=min(n, len(members)), replace=self.replace)

    def _units(self) -> IndexArray:
        """Which unit each sample is drawn with: its group, or itself."""
        groups = self.sample.groups
        return (
            np.arange(self.sample.n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]
        )

    def _strata(self, units: IndexArray) -> AnyArray:
        """The class of each unit: the one most of its samples have."""
        if not self.stratified:
            return np.zeros(int(units.max()) + 1, np.intp)
        times = np.zeros((int(units.max()) + 1, len(self.sample.target.counts)), np.intp)
        np.add.at(times, (units, self.sample.strata), 1)
        return times.argmax(axis=1)

    def text(self, n: int) -> str:
        """How samples are drawn, in words."""
        what = "samples" if self.sample.groups is None else "groups"
        share = "halves" if self.fraction == 0.5 else f"parts ({100 * self.fraction:g} %)"
        how = f"bootstrap draws of the {what}" if self.replace else f"random {share} of the {what}"
        return f"{n} {'stratified ' * self.stratified}{how}"


def check_fraction(fraction: float) -> None:
    if not 0 < fraction < 1:
        raise unfit("fraction", fraction, "between 0 and 1, such as 0.5.")
