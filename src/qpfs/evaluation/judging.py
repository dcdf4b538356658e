"""Who is trained on the top features, and how its predictions are scored.

Letters. The loss of a test part is what adds up over its samples: how many are classified wrongly, or the sum
of squared errors. Its reference is the number of samples, or what predicting the mean of the training part
would lose. An error is a loss divided by its reference. A scorer of scikit-learn gives one number for a test
part; that is its loss, and its reference is 1, so that what is said of errors holds for scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import check_scoring, get_scorer_names

from qpfs.arrays import AnyArray
from qpfs.checks import unfit
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.estimators import default_estimator
from qpfs.evaluation.identities import identity
from qpfs.evaluation.sample import Sample
from qpfs.messages import Message, Parameter, UsageError


class Scoring(Protocol):
    """What a test part is scored by."""

    @property
    def name(self) -> str: ...

    greater_is_better: bool
    adds_up: bool  # whether losses and references add up over test parts

    @property
    def least(self) -> float: ...

    @property
    def most(self) -> float: ...

    def loss(self, model: Any, X: Any, y: AnyArray) -> float:
        """What a trained model loses on a test part."""
        ...

    def reference(self, y_train: AnyArray, y: AnyArray) -> float:
        """What the loss is divided by."""
        ...


class ErrorRate:
    """The share of samples that is classified wrongly."""

    name, greater_is_better, adds_up, least, most = "error rate", False, True, 0.0, 1.0

    def loss(self, model: Any, X: Any, y: AnyArray) -> float:
        return float((predicted(model, X, y) != y).sum())

    def reference(self, y_train: AnyArray, y: AnyArray) -> float:
        return float(len(y))


class RelativeSquaredError:
    """The sum of squared errors, divided by that of predicting the mean of the training part."""

    name, greater_is_better, adds_up, least, most = "relative squared error", False, True, 0.0, np.inf

    def loss(self, model: Any, X: Any, y: AnyArray) -> float:
        return float(((predicted(model, X, y) - y) ** 2).sum())

    def reference(self, y_train: AnyArray, y: AnyArray) -> float:
        return float(((y - y_train.mean()) ** 2).sum())


def predicted(model: Any, X: Any, y: AnyArray) -> AnyArray:
    """A prediction for each sample; some models make a column of them."""
    found = np.asarray(model.predict(X))
    if found.shape not in ((len(y),), (len(y), 1)):
        raise ValueError(
            f"predict(X) of {type(model).__name__} gives an array of shape {found.shape} for {len(y)} "
            "samples; expected one prediction for each."
        )
    return found.ravel()


SHARES = ("accuracy", "balanced", "roc_auc", "average", "f1", "precision", "recall", "jaccard", "top_k")
OF_TWO_CLASSES = {"roc_auc": "roc_auc_ovr"} | {
    one: f"{one}_macro" for one in ("f1", "precision", "recall", "jaccard")
}
OF_CLASSES = (
    *SHARES,
    "neg_log_loss",
    "neg_brier",
    "d2_log",
    "d2_brier",
    "matthews",
    "positive_likelihood",
    "neg_negative_likelihood",
)
OF_NUMBERS = ("r2", "explained", "neg_mean", "neg_root", "neg_median", "neg_max", "d2_absolute")
UNBOUNDED = ("positive_likelihood_ratio", "mutual_info_score")


@dataclass(frozen=True)
class Scorer:
    """A scorer of scikit-learn, of which more is better."""

    name: str
    scorer: Any
    greater_is_better, adds_up = True, False

    @property
    def least(self) -> float:
        """The worst that scores of samples that are right or wrong can be; of others nothing is known."""
        known = self.name in get_scorer_names() and self.name.startswith(SHARES)
        return 0.0 if known else -np.inf

    @property
    def most(self) -> float:
        """The best that scikit-learn's scorers of that name can be; of others nothing is known."""
        if self.name not in get_scorer_names() or self.name in UNBOUNDED:
            return np.inf
        return 0.0 if self.name.startswith("neg_") else 1.0

    def loss(self, model: Any, X: Any, y: AnyArray) -> float:
        return float(self.scorer(model, X, y))

    def reference(self, y_train: AnyArray, y: AnyArray) -> float:
        return 1.0


@dataclass(frozen=True, eq=False)
class Judge:
    """Who is trained on the top features, and how its predictions are scored."""

    estimator: Any  # None: the default one
    scoring: Scoring
    quantity: bool = False
    finite: bool = True  # whether a score that is not a number is an error

    def loss(self, model: Any, X: Any, y: AnyArray) -> float:
        """What a trained model loses on a test part; raises ValueError if that cannot be said."""
        found = self.scoring.loss(model, X, y)
        if self.finite and not np.isfinite(found):
            raise ValueError(
                Message(
                    Parameter("scoring", self.scoring.name),
                    f" is {found} on a test part of {len(y)} samples (of one class, maybe); use larger test "
                    "parts, such as ",
                    Parameter("cv", 5),
                    ", or another scoring.",
                )
            )
        return found

    def trained(self, X: Any, y: AnyArray) -> Any:
        """A copy of the estimator, trained."""
        if self.estimator is None:
            return default_estimator(self.quantity, sparse.issparse(X)).fit(X, y)
        return clone(self.estimator).fit(X, y)

    @property
    def named_estimator(self) -> Any:
        return default_estimator(self.quantity) if self.estimator is None else self.estimator

    @property
    def estimator_name(self) -> str:
        """Its class, and those of the steps before it."""
        steps = getattr(self.named_estimator, "steps", [("", self.named_estimator)])
        return " after ".join(type(one).__name__ for _, one in reversed(steps))

    def description(self) -> Any:
        """The estimator as plain data."""
        return description(self.named_estimator)

    @cached_property
    def key(self) -> dict[str, Any]:
        """What a record says of it, exactly."""
        scorer = getattr(self.scoring, "scorer", None)
        return {
            "estimator": self.description(),
            "scoring": self.scoring.name,
            "judged": [identity(self.named_estimator, "estimator"), identity(scorer, "scoring")],
        }


def judge_of(estimator: Any, scoring: Any, sample: Sample) -> Judge:
    """The estimator given, or the default one, and how it is scored; None is by its errors."""
    check_estimator(estimator, scoring, sample)
    if scoring is None:
        errors = RelativeSquaredError() if sample.is_quantity else ErrorRate()
        return Judge(estimator, errors, sample.is_quantity)
    named = default_estimator(sample.is_quantity) if estimator is None else estimator
    return Judge(estimator, scorer_of(named, scoring), sample.is_quantity)


def scorer_of(estimator: Any, scoring: Any) -> Scorer:
    """A scorer by its name, by a function, or the estimator's own."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise unfit("scoring", scoring, "one name, one function, or None.")
    check_score_name(scoring)
    scorer = check_scoring(estimator, scoring=scoring)
    if isinstance(scoring, str):
        return Scorer(scoring, scorer)
    return Scorer(getattr(scoring, "__name__", None) or repr(scoring), scorer)


def check_estimator(estimator: Any, scoring: Any, sample: Sample) -> None:
    """Raises ValueError for one that cannot be trained, or scored, on such a target."""
    check_score(scoring, sample)
    if estimator is None:
        return
    name = type(estimator).__name__
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise unfit("estimator", estimator, "an object with fit(X, y) and predict(X).")
    if sample.is_quantity and is_a(is_classifier, estimator):
        raise UsageError(
            Message(
                Parameter("estimator"),
                f" is {name}(), a classifier, but the target is a quantity (numbers with many different "
                "values). Give a regressor; or if these are classes, turn them into text.",
            )
        )
    if scoring is None and not sample.is_quantity and is_a(is_regressor, estimator):
        raise UsageError(
            Message(
                Parameter("estimator"),
                f" is {name}(), a regressor, but the target holds classes. Give a classifier, or say with ",
                Parameter("scoring"),
                " how numbers that are predicted for classes are scored.",
            )
        )


def check_score_name(name: Any) -> None:
    """Raises UsageError for a name of no score."""
    if isinstance(name, str) and name not in get_scorer_names():
        near = get_close_matches(name, get_scorer_names(), 3) or ["balanced_accuracy", "roc_auc", "r2"]
        meant = f" is no score of scikit-learn; did you mean {', '.join(near)}?"
        raise UsageError(Message(Parameter("scoring", name), meant))


def check_score(scoring: Any, sample: Sample) -> None:
    """Raises UsageError for a score of scikit-learn that such a target has not."""
    if not isinstance(scoring, str) or sample.target.others:
        return
    classes = sample.target.classes
    if classes is None:
        if scoring.startswith(OF_CLASSES):
            raise unscored(
                scoring, "scores classes, but the target is a quantity; give a score of numbers", "r2"
            )
    elif scoring in OF_TWO_CLASSES and len(classes) > 2:
        why = f"is for two classes, but the target has {len(classes)}; give one for several"
        raise unscored(scoring, why, OF_TWO_CLASSES[scoring])
    elif scoring.startswith(OF_NUMBERS) and sample.y.dtype.kind not in "biuf":
        why = "scores numbers, but the target holds classes; give a score of classes"
        raise unscored(scoring, why, "balanced_accuracy")


def unscored(scoring: str, why: str, instead: str) -> UsageError:
    """That a target has no such score, and one that it has."""
    return UsageError(
        Message(Parameter("scoring", scoring), f" {why}, such as ", Parameter("scoring", instead), ".")
    )


def is_a(kind: Any, estimator: Any) -> bool:
    """Whether an estimator says that it is of a kind; one that is none of scikit-learn's says nothing."""
    return hasattr(estimator, "__sklearn_tags__") and bool(kind(estimator))
