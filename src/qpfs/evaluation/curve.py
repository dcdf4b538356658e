"""Test error, or any score, against the number of top features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.evaluation.agreement import check_level
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.design import prepared_text
from qpfs.evaluation.intervals import Estimate, Tested, estimate
from qpfs.evaluation.judging import Judge, Scoring, judge_of
from qpfs.evaluation.named_methods import checked_selector
from qpfs.evaluation.parameter_texts import documented
from qpfs.evaluation.rankings import Inside, masks_of
from qpfs.evaluation.records import RecordsIn
from qpfs.evaluation.runs import Tick, run
from qpfs.evaluation.sample import Sample, check_adjusts, check_weighed, sample_of, takes
from qpfs.evaluation.sizes import sizes_within
from qpfs.evaluation.splits import Splits, fixed_seed, splits_of
from qpfs.evaluation.trials import Trial
from qpfs.messages import Message
from qpfs.wording import counted, finite, listed

if TYPE_CHECKING:
    from qpfs.report import ErrorCurveDisplay


@dataclass(frozen=True, eq=False, repr=False)
class ErrorCurve:
    """Test error against the number of top features.

    Attributes
    ----------
    sizes : tuple of int
        The numbers of top features.
    mean, standard_error, low, high : arrays of shape (n_sizes,)
        The error or score at each, its standard error, and its interval; see :func:`error_curve`.
    scoring : str
        Its name: "error rate", "relative squared error", or the name of a scorer.
    greater_is_better : bool
        Whether a larger value is better: true for scores, false for errors.
    losses : array of shape (n_splits, n_sizes)
        The number of test samples classified wrongly, for a quantity the sum of squared errors; or the score.
    references : array of shape (n_splits,)
        The number of test samples, for a quantity the loss of predicting the mean of the training part; or 1.
    ranked : array of shape (n_splits,)
        How many features were ranked in each split; for larger numbers the error stays constant.
    orders : tuple of arrays
        The top features in each split, best first.
    n_samples, n_features : int
        The number of all samples and of all features.
    seconds : array of shape (n_splits,)
        How long the selector's fit took in each split.
    notes : tuple of str
        The warnings, each once, with the number of splits in which it occurred.
    protocol : dict
        What was done, as plain data.
    ends : tuple
        Where choices end in each order, if groups of features are selected as a whole; else None.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MaxRel
    >>> from qpfs.evaluation import error_curve
    >>> curve = error_curve(MaxRel(), *load_breast_cancer(return_X_y=True), cv=3, sizes=[2, 5])
    >>> curve.to_frame()["k"].tolist(), curve.best()[0] in curve.sizes
    ([2, 5], True)
    """

    sizes: tuple[int, ...]
    mean: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    scoring: str
    greater_is_better: bool
    losses: FloatArray
    references: FloatArray
    ranked: IndexArray
    orders: tuple[IndexArray, ...]
    n_samples: int
    n_features: int
    seconds: FloatArray
    notes: tuple[str, ...]
    protocol: dict[str, Any]
    ends: tuple[Any, ...] = ()

    @property
    def values(self) -> FloatArray:
        """The error or score of each split at each number of features: (n_splits, n_sizes)."""
        return self.losses / self.references[:, None]

    def best(self) -> tuple[int, float]:
        """The smallest number of features with the best error or score, and that error or score."""
        return self._at(best_place(self.mean, self.greater_is_better))

    def smallest(self) -> tuple[int, float]:
        """The smallest number of features within one standard error of the best, and its error or score."""
        return self._at(within_one_standard_error(self.mean, self.standard_error, self.greater_is_better))

    def masks(self, size: int) -> BoolArray:
        """The top `size` features of each split, as :func:`stability` takes them."""
        return masks_of(self.orders, size, self.n_features, self.ends)

    def reached(self) -> ErrorCurve:
        """The curve up to the largest number of features that any split has ranked, at least one point."""
        most = int(self.ranked.max()) or self.sizes[0]
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
                "score": finite(mean),
                "low": finite(low),
                "high": finite(high),
                "n": len(self.losses),
            }
            for k, mean, low, high in rows
        ]

    def to_frame(self) -> Any:
        """A data frame with a row for each number of features.

        Returns
        -------
        frame : pandas.DataFrame, or polars.DataFrame where pandas is not installed
            The number `k` of top features, the error or `score`, its `standard_error`, the bounds `low` and
            `high` of its interval.
        """
        from qpfs.report import frame_of

        columns = {
            "score": self.mean,
            "standard_error": self.standard_error,
            "low": self.low,
            "high": self.high,
        }
        return frame_of({"k": list(self.sizes)} | {name: one.tolist() for name, one in columns.items()})

    def __repr__(self) -> str:
        from qpfs.report.score_text import best_word, score_noun, score_text

        scoring = {"name": self.scoring, "greater_is_better": self.greater_is_better}
        record = {"protocol": {"scoring": scoring}}
        k, score = self.best()
        value = f"{score_text(score, record)} with {counted(k, 'feature')}"
        best = f"{best_word(record)} {score_noun(record)} {value}"
        tried = f"{counted(len(self.sizes), 'number')} of features in {counted(len(self.losses), 'split')}"
        return f"<ErrorCurve: {best}; {tried}>"

    def plot(self, ax: Any = None) -> ErrorCurveDisplay:
        """Draw the error or score against the number of features, with intervals.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : ErrorCurveDisplay
            With `ax_` and `figure_`; its `from_curve` draws several curves together.
        """
        from qpfs.report import ErrorCurveDisplay

        return ErrorCurveDisplay.from_curve(self, ax=ax)

    def _at(self, place: int) -> tuple[int, float]:
        return self.sizes[place], float(self.mean[place])


def best_place(mean: FloatArray, greater_is_better: bool) -> int:
    """The first index of the best error or score."""
    return int(np.argmax(mean) if greater_is_better else np.argmin(mean))


def within_one_standard_error(mean: FloatArray, standard_error: FloatArray, greater_is_better: bool) -> int:
    """The first index that is not worse than the best by more than its standard error."""
    best = best_place(mean, greater_is_better)
    margin = 0.0 if np.isnan(standard_error[best]) else float(standard_error[best])
    return int(np.flatnonzero(np.abs(mean - mean[best]) <= margin + 1e-12)[0])


@documented
def error_curve(
    selector: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    cv: Any = 5,
    scoring: Any = None,
    sizes: int | Sequence[int] | None = None,
    covariates: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    confidence: float = 0.95,
    records: RecordsIn = None,
    n_jobs: int | None = None,
    tick: Tick | None = None,
) -> ErrorCurve:
    """Test error, or any score, against the number of top features, selected inside each training part.

    In each split the selector is fitted once, to the training part; its ranking is used for all numbers of
    features. The estimator is trained on the top features and tested on the test part. A selector that ranks
    fewer features than requested is tested with all that it ranks: from there on the curve is constant. If it
    ranks none, the largest class of the training part, or the mean, is predicted.

    Parameters
    ----------
    {selector}
    {X}
    {y}
    {estimator}
    {cv}
    {scoring}
    sizes : int, sequence of int or None, default=None
        The numbers of features (a group selected as a whole counts as one); None for about a dozen from 1 to
        100. Numbers larger than that of the columns mean all columns, with a warning.
    {covariates}
    {sample_weight}
    {groups}
    {random_state}
    {confidence}
    {records}
    {n_jobs}
    {tick}

    Returns
    -------
    curve : ErrorCurve
        The error or score at each number of features, with its uncertainty and the results of each split.

    See Also
    --------
    compare : Several methods, with the number of features chosen inside each training part.
    SelectionCV : Parameters and the number of features chosen by cross-validation.

    Notes
    -----
    The error is the share of test samples classified wrongly. For a quantity it is the relative squared
    error: the sum of squared errors divided by that of predicting the mean of the training part (1 - R^2,
    except that the mean is that of the training part). If every sample is tested equally often, the error is
    that of all samples together, with the interval of Wilson [1]_; for random splits, and for scores, it is
    the mean over splits, with the variance corrected for the overlap of training parts [2]_. For a quantity,
    or with groups, the interval is based on the differences between the parts. A note is given if the
    estimator does not converge.

    References
    ----------
    .. [1] E. B. Wilson. Probable inference, the law of succession, and statistical inference. Journal of the
           American Statistical Association 22(158):209-212, 1927.
    .. [2] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52:239-281, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import error_curve
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = error_curve(QPFS(), X, y, cv=5, sizes=[1, 5, 10])
    >>> curve.mean.shape, bool((curve.low < curve.mean).all())
    ((3,), True)
    >>> error_curve(QPFS(), X, y, scoring="roc_auc", sizes=[5]).best()[1] > 0.9
    True
    """
    selector = checked_selector(selector, X)
    check_weighed(selector, sample_weight)
    sample = sample_of(X, y, groups, covariates, sample_weight).weighing(cv)
    check_adjusts(selector, sample)
    check_level(confidence, "confidence")
    sizes = sizes_within("sizes", sizes, sample.n_features, stacklevel=3)
    judge = judge_of(estimator, scoring, sample)
    splits = splits_of(cv, sample, random_state=fixed_seed(random_state))
    trials = curve_trials(Inside(selector, sample), judge, splits, sizes, type(selector).__name__)
    protocol = {
        "text": protocol_text(splits, judge, sample),
        "cv": splits.description(),
        "selector": description(selector),
        "estimator": judge.description(),
        "scoring": judge.scoring.name,
        "groups": groups is not None,
        "confidence": confidence,
    }
    outcomes = run(sample, trials, records, n_jobs, tick)
    return curve_of(sample, splits, judge.scoring, sizes, outcomes, confidence, protocol)


def curve_trials(ranker: Any, judge: Judge, splits: Splits, sizes: Sequence[int], name: str) -> list[Trial]:
    """A trial for each split."""
    n = len(splits.parts)
    return [
        Trial(f"{name}, split {place} of {n}", ranker, train, test, sizes, judge)
        for place, (train, test) in enumerate(splits.parts, start=1)
    ]


def curve_of(
    sample: Sample,
    splits: Splits,
    scoring: Scoring,
    sizes: Sequence[int],
    outcomes: list[dict[str, Any]],
    confidence: float,
    protocol: dict[str, Any],
) -> ErrorCurve:
    """The curve of the outcomes of all splits."""
    tested = tested_of(outcomes)
    found = estimated(sample, splits, scoring, tested, confidence)
    rankings = [one["rankings"][0] for one in outcomes]
    return ErrorCurve(
        tuple(sizes),
        found.mean,
        found.standard_error,
        found.low,
        found.high,
        scoring.name,
        scoring.greater_is_better,
        tested.losses,
        tested.references,
        np.array([one["n_ranked"] for one in rankings]),
        tuple(np.array(one["order"], np.intp) for one in rankings),
        sample.n_samples,
        sample.n_features,
        np.array([one["seconds"] for one in rankings]),
        notes_of(outcomes),
        protocol,
        tuple(one.get("ends") for one in rankings),
    )


def tested_of(outcomes: list[dict[str, Any]]) -> Tested:
    """The losses of some outcomes."""
    return Tested(
        np.array([one["rankings"][0]["loss"] for one in outcomes], np.float64),
        *(
            np.array([one[name] for one in outcomes], np.float64)
            for name in ("reference", "n_train", "n_test")
        ),
    )


def estimated(
    sample: Sample, splits: Splits, scoring: Scoring, tested: Tested, confidence: float
) -> Estimate:
    """The error or score of what was tested."""
    counted = not sample.is_quantity and not splits.grouped and getattr(scoring, "whole", True)
    return estimate(tested, splits, scoring, counted, confidence)


def notes_of(outcomes: list[dict[str, Any]]) -> tuple[str, ...]:
    """Each note once, with the number of outcomes in which it occurred."""
    all_notes = [note for one in outcomes for note in one["notes"]]
    return tuple(
        Message(note, f" (in {all_notes.count(note)} of {len(outcomes)} splits)")
        for note in sorted(set(all_notes))
    )


def protocol_text(splits: Splits, judge: Judge, sample: Sample) -> str:
    """What is done, in words."""
    adjusted = f", adjusted for {sample.covariates.words}" if sample.covariates else ""
    return (
        f"Tested by {splits.text}. Features were selected inside each training part{adjusted}. "
        f"{judge.estimator_name} was trained on the top features. {prepared_text(sample.X)} "
        f"{scoring_text(judge.scoring)}{weights_text(judge)}{targets_text(sample)}"
    )


def weights_text(judge: Judge) -> str:
    """A sentence on where the weights of samples are used; empty if there are none."""
    if not judge.weighted:
        return ""
    trained = takes(judge.named_estimator, "sample_weight")
    where = (
        "in the selection, in training and in the results"
        if trained
        else (
            "in the selection and in the results, but not in training, since the estimator takes no weights"
        )
    )
    return f" Samples are weighted {where}."


def targets_text(sample: Sample) -> str:
    """A sentence on what is reported for several targets; empty if there is one."""
    names = [str(one.name) for one in sample.target.targets]
    return f" Reported is the mean over the targets {listed(names)}." if len(names) > 1 else ""


def scoring_text(scoring: Scoring) -> str:
    """What is reported, in words."""
    texts = {
        "error rate": "The error is the share of samples classified wrongly.",
        "relative squared error": "The error is the sum of squared errors, relative to that of the mean.",
    }
    return texts.get(
        scoring.name, f"The score is {scoring.name} (the higher the better), a mean over test parts."
    )
