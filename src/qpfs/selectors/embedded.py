"""The base of FGM and GDM: a selector, also a classifier, that is fitted by cutting planes."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection, Iterator
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import LARGEST, SMALLEST, check_limits, choice, flag
from qpfs.codes import Target, columns_of
from qpfs.codes.anndata_columns import is_anndata
from qpfs.codes.target import present_labels
from qpfs.codes.values import tabled
from qpfs.embedded import (
    CuttingPlanes,
    DenseFeatures,
    Features,
    LinearModel,
    Logistic,
    Loss,
    Machine,
    Search,
    SparseFeatures,
    SquaredHinge,
)
from qpfs.engines import one_blas_thread
from qpfs.selectors.account import Account
from qpfs.selectors.alignment import beside
from qpfs.selectors.cautions import leaks, warn_of_leaks
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.parameters import checked_n_features
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks
from qpfs.selectors.ranking import RankingMixin
from qpfs.selectors.reasons import Left, Reason, Said
from qpfs.selectors.reporting import ReportMixin
from qpfs.sparse import sound_sparse
from qpfs.wording import all_of, short

LOSSES: dict[str, type[SquaredHinge] | type[Logistic]] = {"squared_hinge": SquaredHinge, "logistic": Logistic}
ROUNDING = 1e-6  # the least relative slack that a model is solved to, however small tol is


class EmbeddedSelector(
    ReportMixin, RankingMixin, CallbackSupportMixin, SelectorMixin, ClassifierMixin, BaseEstimator
):
    """Fits one linear model, or one for each class against the rest, and ranks features by its weights."""

    n_features_to_select: int | float | None
    n_per_step: int
    C: float
    loss: str
    max_iter: int
    tol: float
    fit_intercept: bool

    @abstractmethod
    def _search(self) -> Search:
        """The rule that finds the next group; raises ValueError for invalid parameters."""

    @abstractmethod
    def account(self, chosen: Collection[str] = ()) -> Account:
        """What the fit did, and how certain its result is, in words."""

    def _certainty(self) -> tuple[str, ...]:
        if not self.gap_ or not self.objective_:
            return ("The linear model is at the minimum over all groups of features.",)
        share = 100 * self.gap_ / self.objective_
        return (
            f"The objective of the linear model is within {share:.2g} % of a lower bound over all groups of "
            "features.",
        )

    def _left_out(self, left: Left) -> Iterator[Said]:
        """Why features were left out, the weakest reason first."""
        yield left.below()
        yield left.ranked & (left.weight == 0), Reason.plain("no weight in the linear model")

    def _model_text(self) -> str:
        return f"C = {short(self.C)}, {self.loss.replace('_', ' ')} loss"

    def _pairs(self, m: int, n_samples: float) -> None:
        """None: the time of a fit does not depend on pairs of features."""

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Learn which features to select, and the model on them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            The features: finite numbers. A sparse matrix is never made dense; formats other than CSC are
            converted to it.
        y : array-like of shape (n_samples,)
            Class labels of any type.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._forget()
        planes = self._planes()
        if is_anndata(X):
            raise TypeError(f"{type(self).__name__} takes no AnnData object; pass adata.X, scaled.")
        (y,) = beside(X, y=y)
        X, y = tabled(X), None if y is None else present_labels(y)
        # Read by rows in one order: else sums over equal columns differ, and ties go to no certain index.
        X, y = validate_data(
            self, sound_sparse(X), y, accept_sparse="csc", dtype=np.float64, order="C", ensure_min_samples=2
        )
        n_select = checked_n_features(self.n_features_to_select, self.n_features_in_)
        target, sides = one_against_rest(y, type(self).__name__)
        self.classes_ = target.classes
        features = usable(SparseFeatures(X) if issparse(X) else DenseFeatures(X))
        progress = Progress(self, X, y, n_stages=len(sides))
        machines = []
        with one_blas_thread():
            for side in sides:
                with progress.stage("cutting planes") as tick:
                    machines.append(planes.machine(features, side, tick))
        warn_of_slack(max(machine.slack for machine in machines), max(self.tol, ROUNDING))
        self._keep(machines, features)
        self.support_ = self._chosen(n_select)
        told = leaks(columns_of(X), None, target, self.scores_)
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        warn_of_leaks([f"column {names[one]!r}" for one in told])
        self._fitted = Fitted(target, telling=told)
        progress.end()
        return self

    def check(self) -> None:
        """Raise ValueError for a parameter that is invalid for any data; `fit` does so first."""
        self._planes()

    def _planes(self) -> CuttingPlanes:
        """The cutting planes with these parameters."""
        make_loss = choice("loss", self.loss, LOSSES)
        check_limits(self, "C", "max_iter", "tol")
        loss: Loss = make_loss(float(self.C))
        return CuttingPlanes(
            self._search(),
            loss,
            flag("fit_intercept", self.fit_intercept),
            int(self.max_iter),
            float(self.tol),
        )

    def _keep(self, machines: list[Machine], features: Features) -> None:
        """Sets what was learned."""
        coef = np.stack([machine.coef for machine in machines])
        intercept = np.array([machine.intercept for machine in machines])
        self.estimator_ = LinearModel(coef, intercept, np.asarray(self.classes_))
        self.scores_ = length(coef)
        missed = length(np.stack([machine.strength for machine in machines]))
        self.order_ = ranked(self.scores_, missed, features)
        self.objective_ = sum(machine.objective for machine in machines)
        self.gap_ = sum(max(machine.objective - machine.bound, 0.0) for machine in machines)
        self.rounds_ = [list(machine.rounds) for machine in machines]
        self.n_iter_ = max(len(machine.rounds) for machine in machines)

    def decision_function(self, X: Any) -> FloatArray:
        """The signed score of each sample for a class.

        The model is the one of the last round: it uses every feature with weight, also where
        `n_features_to_select` selects fewer.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Columns as in `fit`.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for the second of two classes; else one score for each class.
        """
        X = self._checked(X)
        return self.estimator_.decision_function(X)

    def predict(self, X: Any) -> AnyArray:
        """The class of each sample, by the model of `decision_function`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Columns as in `fit`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        X = self._checked(X)
        return self.estimator_.predict(X)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "support_")
        return validate_data(
            self, sound_sparse(X), reset=False, accept_sparse=("csr", "csc"), dtype=np.float64
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def one_against_rest(y: AnyArray, name: str) -> tuple[Target, list[FloatArray]]:
    """The classes, and signs: of the second against the first, or of each of several against the rest."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class, {classes[:1].tolist()[0]!r}, but {name} separates classes; "
            "give samples of at least two."
        )
    positive = [1] if len(classes) == 2 else range(len(classes))
    return Target(codes, classes), [np.where(codes == k, 1.0, -1.0) for k in positive]


def usable(features: Features) -> Features:
    """The features; raises ValueError if all are constant, or numbers are out of range."""
    if not features.varying.any():
        those = all_of(features.n_features, "feature", "is", "are")
        raise ValueError(f"{those} constant: none carries information about the classes.")
    if not SMALLEST <= features.largest <= LARGEST:
        raise ValueError(
            f"The largest number in X is {features.largest:.3g}, but it must lie between {SMALLEST:g} and "
            f"{LARGEST:g}; scale X first, with MinMaxScaler((-1, 1)) or MaxAbsScaler()."
        )
    return features


def warn_of_slack(slack: float, allowed: float) -> None:
    if slack > allowed:
        warnings.warn(
            f"The model may be above its minimum by {slack:.1%} of the objective: features too large, or too "
            "different in size, cannot be fitted well. Scale X first, with MinMaxScaler((-1, 1)) or "
            "MaxAbsScaler(), or lower C.",
            ConvergenceWarning,
            stacklevel=4,
        )


def length(rows: FloatArray) -> FloatArray:
    """The Euclidean length of each column; for a single row, its absolute values."""
    lengths: FloatArray = np.hypot.reduce(np.abs(rows), axis=0)
    return lengths


def ranked(scores: FloatArray, missed: FloatArray, features: Features) -> IndexArray:
    """The features that vary, by score, then by absolute gradient, then by index."""
    varying = np.flatnonzero(features.varying)
    return varying[np.lexsort((-missed[varying], -scores[varying]))]
