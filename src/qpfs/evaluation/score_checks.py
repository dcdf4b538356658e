"""Whether a score suits the estimator and the target, before anything is fitted to the samples.

A scorer of scikit-learn names the methods of the estimator that it calls. Whether it takes the labels is
tried on a model that ignores the features.
"""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer_names

from qpfs.arrays import AnyArray
from qpfs.evaluation.estimators import FOREST, LOGISTIC, default_estimator
from qpfs.evaluation.sample import Sample, last_step
from qpfs.messages import Message, Parameter, UsageError
from qpfs.wording import listed

NEAR = 0.6  # the similarity from which a score is suggested for a mistyped one
OF_TWO_CLASSES = {"roc_auc": "roc_auc_ovr"} | {
    one: f"{one}_macro" for one in ("f1", "precision", "recall", "jaccard")
}
OF_CLASSES = (
    *("accuracy", "balanced", "roc_auc", "average", "f1", "precision", "recall", "jaccard", "top_k"),
    "neg_log_loss",
    "neg_brier",
    "d2_log",
    "d2_brier",
    "matthews",
    "positive_likelihood",
    "neg_negative_likelihood",
)
OF_NUMBERS = ("r2", "explained", "neg_mean", "neg_root", "neg_median", "neg_max", "d2_absolute")
OF_PROBABILITIES = ("roc_auc_ov", "neg_log_loss", "neg_brier", "d2_log", "d2_brier")
PROBABILITIES = "predict_proba"
TRIED = 10  # samples of each class that an estimator is fitted to, to see which methods it has


def check_score_name(name: Any) -> None:
    """Raises UsageError for an unknown name of a score."""
    if isinstance(name, str) and name not in get_scorer_names():
        near = get_close_matches(name, get_scorer_names(), 3, NEAR)
        meant = (
            f"; did you mean {', '.join(near)}?"
            if near
            else "; sklearn.metrics.get_scorer_names() lists them, such as balanced_accuracy, roc_auc, r2."
        )
        raise UsageError(Parameter("scoring", name), f" is not a score of scikit-learn{meant}")


def check_score(scoring: Any, estimator: Any, sample: Sample) -> None:
    """Raises UsageError for a score of scikit-learn that does not suit the target."""
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
        raise unscored(scoring, why, OF_TWO_CLASSES[scoring], named_too(OF_TWO_CLASSES[scoring], estimator))
    elif scoring.startswith(OF_NUMBERS) and sample.y.dtype.kind not in "biuf":
        why = "scores numbers, but the target holds classes; give a score of classes"
        raise unscored(scoring, why, "balanced_accuracy")


def unscored(scoring: str, why: str, instead: str, more: Message | str = "") -> UsageError:
    """The error that a score does not suit the target, with one that does."""
    given = Parameter("scoring", scoring)
    return UsageError(given, f" {why}, such as ", Parameter("scoring", instead), more, ".")


def named_too(scoring: str, estimator: Any) -> Message | str:
    """The end of a sentence: which estimator a score needs, if the one given does not suit it."""
    used = default_estimator() if estimator is None else estimator
    if not scoring.startswith(OF_PROBABILITIES) or hasattr(used, PROBABILITIES):
        return ""
    return Message(" with ", Parameter("estimator", LOGISTIC), ", which has probabilities")


def check_scorer(name: str, scorer: Any, estimator: Any, sample: Sample) -> None:
    """Raises UsageError for a scorer that an estimator, or the labels of the classes, cannot be scored by."""
    check_methods_of(name, scorer, estimator, sample)
    if sample.target.classes is not None and not sample.target.others:
        check_labels(name, scorer, sample.y)


def check_methods_of(name: str, scorer: Any, estimator: Any, sample: Sample) -> None:
    """Raises UsageError if an estimator has none of the methods that a scorer calls, even after a fit."""
    asked = getattr(scorer, "_response_method", "default")
    methods = [asked] if isinstance(asked, str) else list(asked or ())
    if "default" in methods or not methods or has_one(estimator, methods):
        return
    if has_one(briefly_fitted(estimator, sample), methods):
        return
    needed = listed(methods, "or")
    advice: tuple[str | Parameter, ...] = ("Give an estimator that has it",)
    if PROBABILITIES in methods and sample.target.classes is not None:
        needed = f"probabilities ({needed})"
        either = Parameter("estimator", LOGISTIC), " or ", Parameter("estimator", FOREST)
        advice = ("Give ", *either, ", which have them")
    lacking = type(last_step(estimator)[0]).__name__
    why = f" needs {needed}, which {lacking} does not have. "
    raise UsageError(Parameter("scoring", name), why, *advice, ", or another score.")


def has_one(model: Any, methods: list[str]) -> bool:
    return any(hasattr(model, one) for one in methods)


def briefly_fitted(estimator: Any, sample: Sample) -> Any:
    """An estimator fitted to a few samples without meaning: some have certain methods only then."""
    strata = sample.strata
    few = np.sort(np.concatenate([np.flatnonzero(strata == one)[:TRIED] for one in np.unique(strata)]))
    numbers = np.random.default_rng(0).normal(size=(len(few), 2))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return clone(estimator).fit(numbers, sample.y[few])
    except Exception:  # whatever it is, it will be raised by the fits to the samples, or not
        return estimator


def check_labels(name: str, scorer: Any, y: AnyArray) -> None:
    """Raises UsageError for a score of scikit-learn that does not take the labels, as f1 without 0 and 1."""
    score = getattr(scorer, "_score_func", None)
    home = getattr(score, "__module__", "")
    classes = np.unique(y)
    if len(classes) < 2 or not home.startswith("sklearn.metrics.") or "regression" in home:
        return
    labels = np.repeat(classes, 2)
    nothing = np.zeros((len(labels), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scorer(DummyClassifier(strategy="prior").fit(nothing, labels), nothing, labels)
    except AttributeError:  # the dummy has no decision function, which this score needs
        return
    except ValueError as error:
        known = [repr(one) for one in classes[:3].tolist()] + ["..."] * (len(classes) > 3)
        said = shorten(str(error), 160).rstrip(".")
        why = f" cannot score the classes {listed(known)}: {said}. Give "
        instead = Parameter("scoring", OF_TWO_CLASSES.get(name, "balanced_accuracy"))
        own = f", or in Python {with_positive(scorer, classes.tolist()[-1])}" * ("pos_label" in said)
        raise UsageError(Parameter("scoring", name), why, instead, f"{own}.") from error


def with_positive(scorer: Any, label: Any) -> str:
    """The scorer of one class, as Python writes it."""
    asked = getattr(scorer, "_response_method", "predict")
    how = "" if asked == "predict" else f"response_method={asked!r}, "
    how += "greater_is_better=False, " * (getattr(scorer, "_sign", 1) < 0)
    return f"make_scorer({scorer._score_func.__name__}, {how}pos_label={label!r})"
