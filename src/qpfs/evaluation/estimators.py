"""The models that predict from the features: the default, and those that the command knows by name.

Nothing slow is imported before an estimator is made, so that `qpfs compare --help` is quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qpfs.messages import Parameter, UsageError


def default_estimator(quantity: bool = False, is_sparse: bool = False, several: bool = False) -> Any:
    """The estimator that is used if none is given, everywhere in this package.

    For classes, the publication's linear support vector machine with squared hinge loss and L2 penalty,
    C = 1, on features scaled to [-1, 1]. For a quantity, ridge regression with alpha = 1 on standardised
    features. If there are so many features that they must stay sparse, they are divided by their largest
    absolute value. With `several` targets each has a separate model.
    """
    from sklearn.linear_model import Ridge
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
    from sklearn.svm import LinearSVC

    if quantity:
        return make_pipeline(StandardScaler(with_mean=not is_sparse), Ridge())
    scaler = MaxAbsScaler() if is_sparse else MinMaxScaler((-1, 1))
    machine = LinearSVC(dual=False, max_iter=10_000)
    return make_pipeline(scaler, MultiOutputClassifier(machine) if several else machine)


ESTIMATORS = {  # by the name that the command knows, in words
    "linear": "a support vector machine, for a quantity ridge regression",
    "logistic": "logistic regression, for classes only",
    "forest": "a random forest",
    "neighbors": "the five nearest neighbours",
}


@dataclass(frozen=True)
class Advised:
    """An estimator in a message: a call in Python, a name in the command."""

    call: str
    name: str

    def __repr__(self) -> str:
        return self.call

    def __str__(self) -> str:
        return self.name


LOGISTIC = Advised("LogisticRegression()", "logistic")
FOREST = Advised("RandomForestClassifier()", "forest")


def check_name(name: str) -> None:
    """Raises UsageError if there is no estimator of that name."""
    if name not in ESTIMATORS:
        raise UsageError(Parameter("estimator", name), f"; expected {', '.join(ESTIMATORS)}.")


def named_estimator(name: str, quantity: bool) -> Any:
    """The estimator of a name, in its form for classes or a quantity; None is the default one."""
    check_name(name)
    if name == "linear":
        return None
    if name == "logistic" and quantity:
        what = " is for classes, but the target is a quantity; give another."
        raise UsageError(Parameter("estimator", name), what)
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == "forest":
        return (RandomForestRegressor if quantity else RandomForestClassifier)(random_state=0)
    neighbors = KNeighborsRegressor if quantity else KNeighborsClassifier
    model = LogisticRegression(max_iter=10_000) if name == "logistic" else neighbors()
    return make_pipeline(StandardScaler(), model)
