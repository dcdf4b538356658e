"""The estimator that is trained on the top features, and how its predictions are scored.

Letters. The loss of a test part is a sum over its samples: how many are classified wrongly, or the sum of
squared errors. Its reference is the number of samples, or the loss of predicting the mean of the training
part. An error is a loss divided by its reference. A scorer of scikit-learn gives one number for a test part;
that is its loss, and its reference is 1, so that errors and scores are treated alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils import get_tags

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import unfit
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.estimators import default_estimator
from qpfs.evaluation.identities import identity
from qpfs.evaluation.sample import Sample, given_to, last_step
from qpfs.evaluation.score_checks import check_score, check_score_name, check_scorer
from qpfs.messages import Parameter, UsageError, invalid

Weighed: TypeAlias = FloatArray | None  # the weight of each sample; None: all are 1


class Scoring(Protocol):
    """The scoring of a test part."""

    @property
    def name(self) -> str: ...

    greater_is_better: bool
    adds_up: bool  # whether losses and references add up over test parts

    @property
    def least(self) -> float: ...

    @property
    def most(self) -> float: ...

    def loss(self, model: Any, X: Any, y: AnyArray, weights: Weighed = None) -> float:
        """The loss of a trained model on a test part, whose samples may have weights."""
        ...

    def reference(
        self, y_train: AnyArray, y: AnyArray, trained: Weighed = None, weights: Weighed = None
    ) -> float:
        """The number that the loss is divided by."""
        ...


@dataclass(frozen=True)
class ErrorRate:
    """The weighted share of samples that is classified wrongly; the mean over several targets."""

    whole: bool = True  # whether a loss is a number of samples: no weights, one target

    name, greater_is_better, adds_up, least, most = "error rate", False, True, 0.0, 1.0

    def loss(self, model: Any, X: Any, y: AnyArray, weights: Weighed = None) -> float:
        wrong = predicted(model, X, y) != y
        return added_up(wrong if y.ndim == 1 else wrong.mean(axis=1), weights)

    def reference(
        self, y_train: AnyArray, y: AnyArray, trained: Weighed = None, weights: Weighed = None
    ) -> float:
        return float(len(y)) if weights is None else float(weights.sum())


@dataclass(frozen=True, eq=False)
class RelativeSquaredError:
    """The sum of squared errors, divided by that of predicting the mean of the training part."""

    units: AnyArray | None = None  # the divisors of the squared errors of each of several targets

    name, greater_is_better, adds_up, least, most = "relative squared error", False, True, 0.0, np.inf

    def loss(self, model: Any, X: Any, y: AnyArray, weights: Weighed = None) -> float:
        return added_up(self._squares(predicted(model, X, y) - y), weights)

    def reference(
        self, y_train: AnyArray, y: AnyArray, trained: Weighed = None, weights: Weighed = None
    ) -> float:
        return added_up(self._squares(y - np.average(y_train, axis=0, weights=trained)), weights)

    def _squares(self, errors: AnyArray) -> AnyArray:
        """The squared error of each sample; several targets count equally, whatever their units."""
        return errors**2 if self.units is None else (errors**2 / self.units).sum(axis=1)


def added_up(losses: AnyArray, weights: Weighed) -> float:
    """The weighted sum of the losses of samples."""
    return float(losses.sum() if weights is None else losses @ weights)


def predicted(model: Any, X: Any, y: AnyArray) -> AnyArray:
    """A prediction for each sample and each target; some models return a column for one target."""
    found = np.asarray(model.predict(X))
    if found.shape != y.shape and found.shape != (len(y), *y.shape[1:], 1):
        raise ValueError(
            f"predict(X) of {type(model).__name__} gives an array of shape {found.shape} for {len(y)} "
            f"samples; expected one prediction for each{' and each target' * (y.ndim == 2)}."
        )
    return found.reshape(y.shape)


SHARES = ("accuracy", "balanced", "roc_auc", "average", "f1", "precision", "recall", "jaccard", "top_k")
OTHER_RANGES = {"adjusted", "normalize"}  # parameters with which a share has another range
UNBOUNDED = ("positive_likelihood_ratio", "mutual_info_score")


@dataclass(frozen=True)
class Scorer:
    """A scorer of scikit-learn, where larger is better."""

    name: str
    scorer: Any
    known: bool = False  # whether it is scikit-learn's of this name, not a user's
    greater_is_better, adds_up = True, False

    @property
    def least(self) -> float:
        """The smallest possible score, if samples are right or wrong; unknown for other scores."""
        return 0.0 if (self.known and self.name.startswith(SHARES)) or is_share(self.scorer) else -np.inf

    @property
    def most(self) -> float:
        """The largest possible score of scikit-learn's scorers by name, or of shares; unknown for others."""
        if is_share(self.scorer):
            return 1.0
        if not self.known or self.name in UNBOUNDED:
            return np.inf
        return 0.0 if self.name.startswith("neg_") else 1.0

    @property
    def takes_weights(self) -> bool:
        """Whether samples may have weights."""
        told = getattr(self.scorer, "_score_func", self.scorer)
        return "sample_weight" in signature(told).parameters

    def loss(self, model: Any, X: Any, y: AnyArray, weights: Weighed = None) -> float:
        given = {} if weights is None else {"sample_weight": weights}
        return float(self.scorer(model, X, y, **given))

    def reference(
        self, y_train: AnyArray, y: AnyArray, trained: Weighed = None, weights: Weighed = None
    ) -> float:
        return 1.0


@dataclass(frozen=True, eq=False)
class Judge:
    """The estimator that is trained on the top features, and the scoring of its predictions."""

    estimator: Any  # None: the default one
    scoring: Scoring
    quantity: bool = False
    finite: bool = True  # whether a score that is not a number is an error
    weighted: bool = False  # whether samples are weighted, in training and in the loss
    several: bool = False  # whether there are several targets

    def weights(self, sample: Sample, rows: IndexArray) -> Weighed:
        """The weights of some samples in training or in the test; None: all are 1."""
        return sample.weights[rows] if self.weighted and sample.weights is not None else None

    def loss(self, model: Any, X: Any, y: AnyArray, weights: Weighed = None) -> float:
        """The loss of a trained model on a test part; raises ValueError if it is not defined."""
        found = self.scoring.loss(model, X, y, weights)
        if self.finite and not np.isfinite(found):
            raise invalid(
                Parameter("scoring", self.scoring.name),
                f" is {found} on a test part of {len(y)} samples (perhaps of one class); use fewer folds (",
                Parameter("cv"),
                "), so that each test part is larger, or another scoring.",
            )
        return found

    def trained(self, X: Any, y: AnyArray, weights: Weighed = None) -> Any:
        """A copy of the estimator, trained; with weights, if it takes them."""
        if self.estimator is None:
            model = default_estimator(self.quantity, sparse.issparse(X), self.several)
        else:
            model = clone(self.estimator)
        return model.fit(X, y, **given_to(model, "sample_weight", weights))

    def guessed(self, y: AnyArray, y_test: AnyArray, weights: Weighed, tested: Weighed) -> float:
        """The loss without any feature: of predicting the largest class of a training part, or its mean."""
        model = DummyRegressor() if self.quantity else DummyClassifier(strategy="prior")
        model.fit(np.zeros((len(y), 1)), y, sample_weight=weights)
        return self.loss(model, np.zeros((len(y_test), 1)), y_test, tested)

    @property
    def named_estimator(self) -> Any:
        if self.estimator is None:
            return default_estimator(self.quantity, several=self.several)
        return self.estimator

    @property
    def estimator_name(self) -> str:
        """The class of the estimator, and those of the steps before it."""
        steps = getattr(self.named_estimator, "steps", [("", self.named_estimator)])
        return " after ".join(type(one).__name__ for _, one in reversed(steps))

    def description(self) -> Any:
        """The estimator as plain data."""
        return description(self.named_estimator)

    @cached_property
    def key(self) -> dict[str, Any]:
        """The exact identity for records."""
        scorer = getattr(self.scoring, "scorer", None)
        return {
            **({"weighted": True} if self.weighted else {}),
            "estimator": self.description(),
            "scoring": self.scoring.name,
            "judged": [identity(self.named_estimator, "estimator"), identity(scorer, "scoring")],
        }


def judge_of(estimator: Any, scoring: Any, sample: Sample) -> Judge:
    """The estimator given, or the default one, and its scoring; None means by errors."""
    check_estimator(estimator, scoring, sample)
    if scoring is None and estimator is not None and not hasattr(estimator, "predict"):
        raise unfit("estimator", estimator, "an object with fit(X, y) and predict(X).")
    several, weighted = bool(sample.target.others), sample.weights is not None
    if several:
        check_predicts_several(estimator, scoring, sample)
    if scoring is None:
        errors: Scoring = ErrorRate(whole=not (several or weighted))
        if sample.is_quantity:
            # In units of each target's variance, so that another unit of one changes nothing.
            errors = RelativeSquaredError(sample.y.var(axis=0) if several else None)
        return Judge(estimator, errors, sample.is_quantity, weighted=weighted, several=several)
    named = default_estimator(sample.is_quantity, several=several) if estimator is None else estimator
    scorer = scorer_of(named, scoring)
    check_scorer(scorer.name, scorer.scorer, named, sample)
    if weighted and not scorer.takes_weights:
        raise UsageError(
            Parameter("scoring", scorer.name),
            " takes no weights of samples, but weights are given; leave them out, or give another score.",
        )
    return Judge(estimator, scorer, sample.is_quantity, weighted=weighted, several=several)


def check_predicts_several(estimator: Any, scoring: Any, sample: Sample) -> None:
    """Raises UsageError for several targets on which one estimator cannot be trained or scored."""
    kinds = {one.classes is None for one in sample.target.targets}
    if len(kinds) > 1 and (estimator is None or scoring is None):
        raise UsageError(
            f"y has {len(sample.target.targets)} columns, some of classes and some that are quantities, "
            "which have no common error. Evaluate them separately."
        )
    if estimator is not None and not takes_several(estimator):
        raise UsageError(
            Parameter("estimator"),
            f" is {type(last_step(estimator)[0]).__name__}(), which predicts one target, but there are "
            f"{len(sample.target.targets)}. Give one that predicts several, such as a random forest or "
            "MultiOutputClassifier(...) of scikit-learn, or evaluate each target separately.",
        )


def takes_several(estimator: Any) -> bool:
    """Whether an estimator may predict several targets, by its tags."""
    last = last_step(estimator)[0]
    return not hasattr(last, "__sklearn_tags__") or bool(get_tags(last).target_tags.multi_output)


def scorer_of(estimator: Any, scoring: Any) -> Scorer:
    """A scorer by its name, by a function, or the estimator's own."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise unfit("scoring", scoring, "one name, one function, or None.")
    check_score_name(scoring)
    scorer = check_scoring(estimator, scoring=scoring)
    if isinstance(scoring, str):
        return Scorer(scoring, scorer, known=scoring in get_scorer_names())
    return Scorer(name_of_score(scoring), scorer)


def name_of_score(scoring: Any) -> str:
    """The name of a function that scores, or of the one that a scorer of scikit-learn or a partial calls."""
    if scoring is None:
        return "None"
    inner = getattr(scoring, "_score_func", None) or getattr(scoring, "func", None)
    if inner is not None:
        return "neg_" * (getattr(scoring, "_sign", 1) < 0) + name_of_score(inner)
    name = str(getattr(scoring, "__name__", type(scoring).__name__))
    return "score" if name == "<lambda>" else name


def is_share(scorer: Any) -> bool:
    """Whether a scorer made of a function of scikit-learn is a share, from 0 to 1."""
    score, keywords = getattr(scorer, "_score_func", None), getattr(scorer, "_kwargs", {})
    if score is None or not getattr(score, "__module__", "").startswith("sklearn.metrics."):
        return False
    usual = getattr(scorer, "_sign", 1) > 0 and not OTHER_RANGES & keywords.keys()
    return usual and score.__name__.startswith((*SHARES, "fbeta"))


def check_estimator(estimator: Any, scoring: Any, sample: Sample) -> None:
    """Raises ValueError for an estimator that cannot be trained or scored on such a target."""
    check_score(scoring, estimator, sample)
    if estimator is None:
        return
    name = type(estimator).__name__
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise unfit("estimator", estimator, "an object with fit(X, y) and predict(X).")
    if sample.is_quantity and is_a(is_classifier, estimator):
        raise UsageError(
            Parameter("estimator"),
            f" is {name}(), a classifier, but the target is a quantity (numbers with many different "
            "values). Give a regressor; or if these are classes, turn them into text.",
        )
    if scoring is None and not sample.is_quantity and is_a(is_regressor, estimator):
        raise UsageError(
            Parameter("estimator"),
            f" is {name}(), a regressor, but the target holds classes. Give a classifier, or set ",
            Parameter("scoring"),
            ", which decides how numbers predicted for classes are scored.",
        )


def is_a(kind: Any, estimator: Any) -> bool:
    """Whether an estimator is of a kind, by scikit-learn's tags; false for objects without tags."""
    return hasattr(estimator, "__sklearn_tags__") and bool(kind(estimator))
