"""Methods of scikit-learn and of other packages, to be compared with ours: by name, or by a line of Python.

A rival takes the same tables as our selectors: missing numbers are filled with the median, labels become
indicators, and columns are standardised if the method needs that. Features are ranked by their best
indicator.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFE, SelectKBest, SelectorMixin, f_classif, f_regression
from sklearn.linear_model import LassoCV, Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from qpfs.arrays import BoolArray
from qpfs.checks import check_options, native, unfit
from qpfs.evaluation.design import design
from qpfs.evaluation.rankings import order_of, support_of
from qpfs.evaluation.sample import reject_several, sample_of
from qpfs.messages import Message, Parameter, UsageError
from qpfs.methods import RIVALS
from qpfs.report.references import BREIMAN, GUYON, KURSA, ROBNIK, TIBSHIRANI
from qpfs.selectors.parameters import checked_n_features

__all__ = ["Rival", "boruta", "f_test", "forest", "l1", "relief", "rfe"]


def __dir__() -> list[str]:
    """What completion shows: the methods, without what they are made of."""
    return [*__all__]


FEW = 100  # number of features from which on RFE removes one at a time


@dataclass(frozen=True)
class Setting:
    """The problem that a rival is made for."""

    quantity: bool
    n_features: int
    random_state: int


def f_test_model(setting: Setting) -> Any:
    return SelectKBest(f_regression if setting.quantity else f_classif, k="all")


def l1_model(setting: Setting, C: float) -> Any:
    if setting.quantity:
        if RIVALS["l1"].options["C"] != C:
            raise UsageError(
                f"{C=:g}, but the target is a quantity, for which l1 is the LASSO: it chooses its penalty by "
                "cross-validation. Leave C out."
            )
        return make_pipeline(StandardScaler(), LassoCV(random_state=setting.random_state))
    svm = LinearSVC(penalty="l1", dual=False, C=C, max_iter=10_000, random_state=setting.random_state)
    return make_pipeline(StandardScaler(), svm)


def rfe_model(setting: Setting, C: float) -> Any:
    """RFE that removes a tenth of all features at a time down to 100, then one; C is 1 / alpha of Ridge."""
    linear = Ridge(1 / C) if setting.quantity else LinearSVC(dual=False, C=C, max_iter=10_000)
    first = [RFE(linear, n_features_to_select=FEW, step=0.1)] if setting.n_features > FEW else []
    return make_pipeline(StandardScaler(), *first, RFE(linear, n_features_to_select=1))


def forest_model(setting: Setting, n_estimators: int) -> Any:
    kind = RandomForestRegressor if setting.quantity else RandomForestClassifier
    return kind(n_estimators, random_state=setting.random_state)


def relief_model(setting: Setting, n_neighbors: int) -> Any:
    relief = imported("skrebate", "relief").ReliefF
    return relief(n_features_to_select=setting.n_features, n_neighbors=n_neighbors)


def boruta_model(setting: Setting, max_iter: int) -> Any:
    """Boruta: confirmed features first, then tentative ones, each by mean importance."""
    boruta = imported("boruta", "boruta").BorutaPy
    kind = RandomForestRegressor if setting.quantity else RandomForestClassifier
    how = {"n_estimators": "auto", "max_iter": max_iter, "random_state": setting.random_state}
    return boruta(kind(max_depth=5), **how)


MODELS: dict[str, Callable[..., Any]] = {
    "f-test": f_test_model,
    "l1": l1_model,
    "rfe": rfe_model,
    "forest": forest_model,
    "relief": relief_model,
    "boruta": boruta_model,
}
REFERENCES = {
    "f-test": (),
    "l1": (TIBSHIRANI,),
    "rfe": (GUYON,),
    "forest": (BREIMAN,),
    "relief": (ROBNIK,),
    "boruta": (KURSA,),
}
WEIGHTED = ("l1", "rfe", "forest")  # those whose models use weights of samples
PACKAGES = {"relief": "skrebate", "boruta": "boruta"}  # packages that are not installed with this one


def imported(package: str, name: str) -> Any:
    """A package; raises ImportError with the command to install it if it is missing."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(
            f"the method {name!r} needs the package {package}: pip install 'qpfs[rivals]'"
        ) from error


class Rival(SelectorMixin, BaseEstimator):
    """A method of scikit-learn or of another package, as a selector that ranks features.

    Parameters
    ----------
    name : {"f-test", "l1", "rfe", "forest", "relief", "boruta"}
        The method. F test; weights of a linear model with an L1 penalty; recursive feature elimination with a
        linear support vector machine, for a quantity ridge regression; importance in a random forest; ReliefF
        (package skrebate); Boruta (package boruta).
    options : dict or None, default=None
        Its parameters: `C` of "l1" (for classes only: the LASSO chooses its penalty) and "rfe" (for a
        quantity 1 / C is the penalty of the ridge regression), `n_estimators` of "forest", `n_neighbors` of
        "relief", `max_iter` of "boruta".
    random_state : int, default=0
        The seed of random methods.
    target : {"auto", "classes", "quantity"}, default="auto"
        The kind of y; "auto" decides as the selectors do.
    n_features_to_select : int, float or None, default=None
        How many of the features that it ranks are selected: a number, a fraction of all, or None for those
        that the method itself selects, which can be all.

    Attributes
    ----------
    order_ : array of int
        The features that it ranks, best first.
    support_ : array of bool of shape (n_features,)
        The mask of the selected features.
    model_ : object
        The fitted model, on the columns that vary.

    See Also
    --------
    qpfs.evaluation.compare : Several methods by nested cross-validation.
    qpfs.MRMR : Features selected one by one, by relevance minus redundancy.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs.evaluation.rivals import Rival
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> Rival("f-test").fit(X, y).order_[:3]
    array([27, 22,  7])
    >>> Rival("f-test", n_features_to_select=3).fit_transform(X, y).shape
    (569, 3)
    """

    def __init__(
        self,
        name: str,
        options: dict[str, Any] | None = None,
        *,
        random_state: int = 0,
        target: str = "auto",
        n_features_to_select: int | float | None = None,
    ) -> None:
        self.name = name
        self.options = options
        self.random_state = random_state
        self.target = target
        self.n_features_to_select = n_features_to_select

    @property
    def _called(self) -> str:
        """Its name in a comparison."""
        return self.name

    @property
    def _references(self) -> tuple[str, ...]:
        return REFERENCES[self.name]

    @property
    def _packages(self) -> tuple[str, ...]:
        """The packages it uses beside those that are always installed."""
        return (PACKAGES[self.name],) if self.name in PACKAGES else ()

    def check(self) -> None:
        """Raise ValueError for an unknown method or parameter, ImportError without its package."""
        if self.name not in MODELS:
            raise unfit("name", self.name, f"one of {', '.join(MODELS)}.")
        check_options(self.name, RIVALS[self.name].options, self.options or {})
        if self.name in PACKAGES:
            imported(PACKAGES[self.name], self.name)
        if self.target != "auto":
            self._model(Setting(self.target == "quantity", 1, self.random_state))

    def _model(self, setting: Setting) -> Any:
        """The model; raises ValueError if a parameter has no meaning for the kind of target."""
        return MODELS[self.name](setting, **{**RIVALS[self.name].options, **(self.options or {})})

    def _takes(self, argument: str) -> bool:
        return argument != "sample_weight" or self.name in WEIGHTED

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Rank the features.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The target: class labels, or numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample, for "l1", "rfe" and "forest". The others take none.

        Returns
        -------
        self : object
            With `order_` and `support_`.
        """
        self.check()
        reject_several(y, self.name)
        if sample_weight is not None and self.name not in WEIGHTED:
            raise TypeError(f"{self.name} takes no sample_weight; leave it out.")
        sample = sample_of(X, y, weights=sample_weight)
        quantity = sample.is_quantity if self.target == "auto" else self.target == "quantity"
        rows = np.arange(sample.n_samples)
        shown = design(sample.X, np.arange(sample.n_features), rows, rows[:0])
        origin = np.repeat(shown.features, np.diff(shown.ends, prepend=0))
        low, high = (as_row(shown.train.min(axis=0)), as_row(shown.train.max(axis=0)))
        self.columns_ = origin[low < high]
        validate_data(self, X, reset=True, skip_check_array=True)
        self.model_ = self._model(Setting(quantity, len(self.columns_), self.random_state))
        labels = sample.y if quantity else np.unique(sample.y, return_inverse=True)[1]
        with config_context(enable_metadata_routing=False):  # weights are given to each step by its name
            self.model_.fit(shown.train[:, low < high], labels, **weights_for(self.model_, sample.weights))
        ranked = self.columns_[order_of(self.model_, len(self.columns_))]
        self.order_ = ranked[np.sort(np.unique(ranked, return_index=True)[1])]
        self.support_ = self._chosen(sample.n_features)
        return self

    def _chosen(self, n_features: int) -> BoolArray:
        """The mask of the selected features."""
        n = checked_n_features(self.n_features_to_select, n_features)
        found = np.zeros(n_features, bool)
        if n is None:
            found[self.columns_[support_of(self.model_, len(self.columns_))]] = True
            return found
        if n > len(self.order_):
            asked = Parameter("n_features_to_select", native(self.n_features_to_select))
            ranked = f", but {self.name} ranks {len(self.order_)}; those are selected."
            warnings.warn(Message(asked, ranked), UserWarning, stacklevel=3)
        found[self.order_[:n]] = True
        return found

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


def weights_for(model: Any, weights: Any) -> dict[str, Any]:
    """Weights as arguments of `fit`: for each step of a pipeline."""
    if weights is None:
        return {}
    steps = [f"{name}__" for name, _ in model.steps] if isinstance(model, Pipeline) else [""]
    return {f"{step}sample_weight": weights for step in steps}


def as_row(values: Any) -> Any:
    return values.toarray().ravel() if hasattr(values, "toarray") else np.ravel(values)


def f_test(n_features_to_select: int | float | None = None) -> Rival:
    """Each feature alone: analysis of variance, for a quantity the F test of its correlation."""
    return Rival("f-test", n_features_to_select=n_features_to_select)


def l1(C: float = 1.0, n_features_to_select: int | float | None = None) -> Rival:
    """The weights of a linear support vector machine with an L1 penalty, for a quantity of the LASSO.

    The LASSO chooses its penalty by cross-validation; another `C` is refused there.
    """
    return Rival("l1", {"C": C}, n_features_to_select=n_features_to_select)


def rfe(C: float = 1.0, n_features_to_select: int | float | None = None) -> Rival:
    """Recursive feature elimination with a linear support vector machine, for a quantity ridge regression.

    The penalty of the ridge regression is 1 / C.
    """
    return Rival("rfe", {"C": C}, n_features_to_select=n_features_to_select)


def forest(
    n_estimators: int = 500, random_state: int = 0, n_features_to_select: int | float | None = None
) -> Rival:
    """The importance of features in a random forest."""
    options = {"n_estimators": n_estimators}
    return Rival("forest", options, random_state=random_state, n_features_to_select=n_features_to_select)


def relief(n_neighbors: int = 10, n_features_to_select: int | float | None = None) -> Rival:
    """ReliefF, by the package skrebate."""
    return Rival("relief", {"n_neighbors": n_neighbors}, n_features_to_select=n_features_to_select)


def boruta(
    max_iter: int = 50, random_state: int = 0, n_features_to_select: int | float | None = None
) -> Rival:
    """Boruta, by the package boruta."""
    options = {"max_iter": max_iter}
    return Rival("boruta", options, random_state=random_state, n_features_to_select=n_features_to_select)
