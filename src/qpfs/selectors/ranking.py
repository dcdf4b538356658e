"""What is selected once the features are ranked, and X reduced to it."""

from __future__ import annotations

import warnings
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.codes.frame_columns import is_frame
from qpfs.codes.remote import is_dask_array
from qpfs.codes.values import tabled
from qpfs.messages import Message, Parameter
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.restrictions import ASKED
from qpfs.sparse import sound_sparse

NONE = np.empty(0, np.intp)


class RankingMixin:
    """Selects from the top of `order_`, or every feature with a positive score."""

    n_features_to_select: int | float | None
    n_features_in_: int
    scores_: FloatArray
    order_: IndexArray
    support_: BoolArray

    _fitted: Fitted

    @property
    def fitted_(self) -> Fitted:
        """What the fit leaves for reports: the target, the packed features, how columns were cut."""
        check_is_fitted(self, "support_")
        return self._fitted

    @property
    def ranking_(self) -> IndexArray:
        """The rank of every feature as in RFE: 1 if selected, then 2, 3, ... by `order_`.

        Features that are not ranked (constant, discarded, never taken) share the last rank.
        """
        check_is_fitted(self, "support_")
        others = self.order_[~self.support_[self.order_]]
        ranking = np.full(self.n_features_in_, len(others) + 2, np.intp)
        ranking[others] = np.arange(2, len(others) + 2)
        ranking[self.support_] = 1
        return ranking

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def _forget(self) -> None:
        """Nothing learned before: a fit that fails leaves nothing, and one that does not has its memory."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_fitted"]:
            delattr(self, name)

    def _for_fewer(self, n: int, n_features: int) -> dict[str, Any]:
        """Parameters that go with the number of features, for a trial on n of them."""
        wanted = self.n_features_to_select
        gone = [name for name in ASKED if getattr(self, name, None) is not None]  # columns may be, too
        free = dict.fromkeys(gone)
        return free | {"n_features_to_select": min(wanted, n) if isinstance(wanted, int) else wanted}

    def _chosen(self, n_select: int | None, keep: IndexArray = NONE) -> BoolArray:
        """The mask of what is selected, with a warning if there is less than was asked for."""
        weighty = (self.scores_[self.order_] > 0) | np.isin(self.order_, keep)
        wanted = self.order_[weighty] if n_select is None else self.order_[:n_select]
        if n_select is not None and len(wanted) < n_select:
            warnings.warn(
                Message(
                    Parameter("n_features_to_select"),
                    f" asks for {n_select} features, but {self._shortage(len(wanted))}",
                ),
                UserWarning,
                stacklevel=4,
            )
        mask = np.zeros(self.n_features_in_, bool)
        mask[wanted] = True
        return mask

    def _shortage(self, n: int) -> str:
        """Why there are only n features, and what to do about it."""
        return f"only {n} of {self.n_features_in_} are not constant; those are selected."

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like, data frame, Dask array or (where `fit` takes it) sparse matrix of shape \
                (n_samples, n_features)
            Columns as in `fit`.

        Returns
        -------
        X_r : array, data frame or sparse matrix of shape (n_samples, n_selected_features)
            The selected columns, in their original order. `set_output` makes it a data frame.
        """
        check_is_fitted(self, "support_")
        X = tabled(X)
        if is_dask_array(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(self.support_)]
        if not kept_as_frame(X, _get_output_config("transform", self)["dense"]):
            return super().transform(sound_sparse(X))  # type: ignore[misc]
        validate_data(self, X, reset=False, skip_check_array=True)
        indices = [int(index) for index in np.flatnonzero(self.support_)]
        return nw.from_native(X, eager_only=True)[:, indices].to_native()

    def inverse_transform(self, X: Any) -> Any:
        """Put the selected features back into their places, zeros elsewhere.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_selected_features)
            What `transform` gave.

        Returns
        -------
        X_r : array or sparse matrix of shape (n_samples, n_features)
            The same with a column of zeros for each feature that is not selected.
        """
        return super().inverse_transform(sound_sparse(X))  # type: ignore[misc]


def kept_as_frame(X: Any, output: str) -> bool:
    """Whether X is a data frame of the very kind that transform is to return."""
    return is_frame(X) and str(nw.from_native(X).implementation).lower().endswith(output)
