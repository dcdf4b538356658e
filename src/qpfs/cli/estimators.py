"""The models that predict from the features, as options name them."""

from __future__ import annotations

from typing import Any

from qpfs.evaluation.estimators import ESTIMATORS, named_estimator

ESTIMATOR_LIST = "; ".join(f"{name}: {words}" for name, words in ESTIMATORS.items())


def estimator_for(name: str, y: Any) -> Any:
    """The model that predicts, in the form that the target needs; None is the default."""
    from qpfs.codes import EqualFrequency, target_of

    targets = target_of(y, EqualFrequency(5)).targets
    return named_estimator(name, all(one.classes is None for one in targets))
