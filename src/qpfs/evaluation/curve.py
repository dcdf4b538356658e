"""Test error against the number of top features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.checks import native
from qpfs.evaluation.agreement import check_level
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.design import PREPARED_TEXT
from qpfs.evaluation.identities import exact_key
from qpfs.evaluation.intervals import Estimate, Tested, estimate
from qpfs.evaluation.records import Records, opened_records
from qpfs.evaluation.runs import Job, Tick, run
from qpfs.evaluation.sample import Sample, sample_of
from qpfs.evaluation.splits import Splits, splits_of
from qpfs.evaluation.trials import Inside, OnAllRows, Trial, judge_of
from qpfs.selectors.selection_cv import checked_lengths

SELECTIONS = {"inside": Inside, "all rows": OnAllRows}


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """Test error against the number of top features.

    Attributes
    ----------
    sizes : tuple of int
        The numbers of top features.
    mean, standard_error, low, high : arrays of shape (n_sizes,)
        The error at each, how sure it is, and its interval; see :func:`error_curve`.
    losses : array of shape (n_splits, n_sizes)
        The number of test samples classified wrongly, or for a quantity the sum of squared errors.
    references : array of shape (n_splits,)
        The number of test samples, or for a quantity what predicting the mean of the training part loses.
    ranked : array of shape (n_splits,)
        How many features were ranked in each split; beyond that number the error stays what it is there.
    orders : tuple of arrays
        The top features in each split, best first.
    n_features : int
        The number of all features.
    seconds : array of shape (n_splits,)
        How long the selector's fit took in each split.
    notes : tuple of str
        Warnings that came up, each once, with the number of splits in which it did.
    protocol : dict
        What was done, as plain data.
    """

    sizes: tuple[int, ...]
    mean: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    losses: FloatArray
    references: FloatArray
    ranked: IndexArray
    orders: tuple[IndexArray, ...]
    n_features: int
    seconds: FloatArray
    notes: tuple[str, ...]
    protocol: dict[str, Any]

    @property
    def errors(self) -> FloatArray:
        """The error of each split at each number of features: (n_splits, n_sizes)."""
        return self.losses / self.references[:, None]

    def best(self) -> tuple[int, float]:
        """The smallest number of features with the lowest error, and that error."""
        return self._at(int(np.argmin(self.mean)))

    def smallest(self) -> tuple[int, float]:
        """The smallest number of features within one standard error of the lowest error, and its error."""
        return self._at(within_one_standard_error(self.mean, self.standard_error))

    def masks(self, size: int) -> BoolArray:
        """The top `size` features of each split, as :func:`stability` takes them."""
        found = np.zeros((len(self.orders), self.n_features), bool)
        for mask, order in zip(found, self.orders, strict=True):
            mask[order[:size]] = True
        return found

    def reached(self) -> ErrorCurve:
        """The curve as far as features were ranked: it ends at the most that any split has."""
        most = int(self.ranked.max())
        n = 1 + sum(size < most for size in self.sizes[:-1])
        return replace(
            self,
            sizes=(*self.sizes[: n - 1], min(self.sizes[n - 1], most)),
            mean=self.mean[:n],
            standard_error=self.standard_error[:n],
            low=self.low[:n],
            high=self.high[:n],
            losses=self.losses[:, :n],
        )

    def table(self) -> list[dict[str, Any]]:
        """A row of plain data for each number of features."""
        rows = zip(self.sizes, self.mean, self.low, self.high, strict=True)
        return [
            {
                "k": k,
                "error": json_number(mean),
                "low": json_number(low),
                "high": json_number(high),
                "n": len(self.losses),
            }
            for k, mean, low, high in rows
        ]

    def _at(self, place: int) -> tuple[int, float]:
        return self.sizes[place], float(self.mean[place])


def within_one_standard_error(mean: FloatArray, standard_error: FloatArray) -> int:
    """The first place whose error is at most the lowest one plus its standard error."""
    lowest = int(np.argmin(mean))
    margin = 0.0 if np.isnan(standard_error[lowest]) else float(standard_error[lowest])
    return int(np.flatnonzero(mean <= mean[lowest] + margin + 1e-12)[0])


def json_number(value: Any) -> float | None:
    """A float that JSON has; None for NaN."""
    return None if np.isnan(value) else float(value)


def error_curve(
    selector: Any,
    X: Any,
    y: Any,
    *,
    splits: Splits | int = 5,
    sizes: int | Sequence[int] | None = None,
    classifier: Any = None,
    scale: str | None = "auto",
    groups: Any = None,
    selection: str = "inside",
    level: float = 0.95,
    records: Records | str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> ErrorCurve:
    """Test error against the number of top features, the selection made inside each training part.

    In each split the selector is fitted once, to the training part; its ranking serves all numbers of
    features. The top features, scaled by what the training part says, teach the classifier, which is tested
    on the rest. A selector that ranks fewer features than asked for is tested with all that it ranks: the
    curve then goes on level.

    Parameters
    ----------
    selector : object
        What has `fit(X, y)` and then `order_` (features, best first) or `scores_` (of each feature).
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The features, as the selector takes them.
    y : array-like of shape (n_samples,)
        The target: class labels, or numbers.
    splits : Splits or int, default=5
        How samples are divided: :class:`LeaveOneOut`, :class:`Folds`, :class:`RandomSplits`,
        :class:`GivenSplit`, or a number of stratified folds.
    sizes : int, sequence of int or None, default=None
        The numbers of features; None for about a dozen from 1 to 100.
    classifier : estimator or None, default=None
        Who is taught and tested; None is the publication's L2-regularised L2-loss linear support vector
        machine, ``LinearSVC(dual=False)``, or for a quantity ``Ridge()``.
    scale : {"auto", "minmax", "standard", None}, default="auto"
        How columns are scaled for it: to [-1, 1], to mean 0 and standard deviation 1, or not; "auto" is
        "minmax" for classes and "standard" for a quantity. Learned on the training part.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one group stay in one part.
    selection : {"inside", "all rows"}, default="inside"
        "all rows" selects once, by all samples, those among them that are tested later. That is how many
        published numbers came about, and is biased: the error comes out too low, on wide data by a lot.
    level : float, default=0.95
        How sure the intervals are to be.
    records : Records, path or None, default=None
        Where results are kept, and taken from if they are there: a run that was interrupted continues.
    n_jobs : int or None, default=None
        Threads over splits; the answer does not depend on it.
    tick : callable or None, default=None
        Called with (splits done, splits in all, what was done) after each.

    Returns
    -------
    curve : ErrorCurve
        The error at each number of features, with its uncertainty, and what led to it.

    Notes
    -----
    The error is the share of test samples classified wrongly. For a quantity it is the relative squared
    error: the sum of squared errors divided by that of predicting the mean of the training part (1 - R^2, but
    for whose mean it is). Where every sample is tested once the error is that of all together, with the
    interval of Wilson [1]_; over random splits it is the mean, with the variance corrected for what the
    splits share [2]_. For a quantity, or with groups, the interval is made of what differs between the parts.
    Where the classifier does not converge a note says so.

    References
    ----------
    .. [1] E. B. Wilson. Probable inference, the law of succession, and statistical inference. Journal of the
           American Statistical Association 22(158):209-212, 1927.
    .. [2] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52:239-281, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import Folds, error_curve
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = error_curve(QPFS(), X, y, splits=Folds(5), sizes=[1, 5, 10])
    >>> curve.mean.shape, bool((curve.low < curve.mean).all())
    ((3,), True)
    """
    sample = sample_of(X, y, groups)
    check_level(level)
    check_selection(selection)
    splits = splits_of(splits)
    sizes = checked_lengths("sizes", sizes, sample.n_features)
    judge = judge_of(classifier, scale, sample)
    ranker = SELECTIONS[selection](selector, sample)
    about = exact_key(selector, judge.classifier, "selector", kept=records is not None)
    jobs = jobs_of(sample, splits, ranker, sizes, about | {"selection": selection}, type(selector).__name__)
    with opened_records(records) as store:
        outcomes = run(sample, judge, jobs, store, n_jobs, tick)
    protocol = {
        "text": protocol_text(sample, splits, judge.classifier, judge.scale, selection),
        "splits": splits.description(),
        "selection": selection,
        "selector": description(selector),
        **judge.description(),
        "groups": groups is not None,
        "level": level,
    }
    return curve_of(sample, splits, sizes, outcomes, level, protocol)


def jobs_of(
    sample: Sample, splits: Splits, ranker: Any, sizes: Sequence[int], about: dict[str, Any], name: str
) -> list[Job]:
    """A trial for each split."""
    about = about | {"what": "trial", "splits": splits.description()}
    parts = list(splits.parts(sample.strata, sample.groups))
    return [
        Job(
            Trial(ranker, train, test, sizes),
            about | {"split": place},
            f"{name}, split {place + 1} of {len(parts)}",
        )
        for place, (train, test) in enumerate(parts)
    ]


def curve_of(
    sample: Sample,
    splits: Splits,
    sizes: Sequence[int],
    outcomes: list[dict[str, Any]],
    level: float,
    protocol: dict[str, Any],
) -> ErrorCurve:
    """The curve that the outcomes of all splits make."""
    tested = tested_of(outcomes)
    found = estimated(sample, splits, tested, level)
    return ErrorCurve(
        tuple(sizes),
        found.mean,
        found.standard_error,
        found.low,
        found.high,
        tested.losses,
        tested.references,
        np.array([one["n_ranked"] for one in outcomes]),
        tuple(np.array(one["order"], np.intp) for one in outcomes),
        sample.n_features,
        np.array([one["seconds"] for one in outcomes]),
        notes_of(outcomes),
        protocol,
    )


def tested_of(outcomes: list[dict[str, Any]]) -> Tested:
    """The losses of some outcomes."""
    return Tested(
        np.array([one["loss"] for one in outcomes], np.float64),
        *(
            np.array([one[name] for one in outcomes], np.float64)
            for name in ("reference", "n_train", "n_test")
        ),
    )


def estimated(sample: Sample, splits: Splits, tested: Tested, level: float) -> Estimate:
    """The error of what was tested."""
    return estimate(tested, splits, not sample.is_quantity and sample.groups is None, level)


def notes_of(outcomes: list[dict[str, Any]]) -> tuple[str, ...]:
    """Each note once, with the number of outcomes it came up in."""
    all_notes = [note for one in outcomes for note in one["notes"]]
    return tuple(
        f"{note} (in {all_notes.count(note)} of {len(outcomes)} splits)" for note in sorted(set(all_notes))
    )


def protocol_text(sample: Sample, splits: Splits, classifier: Any, scale: str | None, selection: str) -> str:
    """What is done, in words."""
    scaled = {
        "minmax": "scaled to [−1, 1] by the training part",
        "standard": "standardised by the training part",
        None: "not scaled",
    }[scale]
    where = {
        "inside": "Features were selected inside each training part",
        "all rows": "Features were selected once on all rows, tested ones included (biased)",
    }[selection]
    measured = "relative squared error" if sample.is_quantity else "share classified wrongly"
    return (
        f"Tested by {splits.text(sample.groups is not None)}. {where}. {type(classifier).__name__} learned "
        f"from the top features, {scaled}. {PREPARED_TEXT} The error is the {measured}."
    )


def check_selection(selection: str) -> None:
    if selection not in SELECTIONS:
        raise ValueError(f"selection={native(selection)!r}, but it must be 'inside' or 'all rows'.")
