"""From ranked features to the selected ones, and X reduced to them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from sklearn.utils import check_array, get_tags
from sklearn.utils._set_output import _get_output_config, _wrap_data_with_container
from sklearn.utils.validation import check_is_fitted, validate_data

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.checks import is_integer
from qpfs.codes.anndata_columns import AnnDataColumns, is_anndata, variable_names
from qpfs.codes.frame_columns import is_frame
from qpfs.codes.remote import is_dask_array
from qpfs.codes.values import tabled
from qpfs.messages import Message, Parameter
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.restrictions import ASKED
from qpfs.sparse import sound_sparse
from qpfs.wording import listed

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
        """What the fit keeps for reports: the target, the packed features, how columns were discretised."""
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
        """Deletes what was learned before: a failed fit then leaves nothing, and its memory is free."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_fitted"]:
            delattr(self, name)

    def _for_fewer(self, n: int, n_features: int) -> dict[str, Any]:
        """Parameters that depend on the number of features, for a trial on n of them."""
        wanted = self.n_features_to_select
        gone = [name for name in ASKED if getattr(self, name, None) is not None]  # may name absent columns
        free = dict.fromkeys(gone)
        return free | {"n_features_to_select": min(wanted, n) if isinstance(wanted, int) else wanted}

    def _chosen(
        self, n_select: int | None, keep: IndexArray = NONE, n_choices: int | None = None
    ) -> BoolArray:
        """The mask of the selected features, with a warning if there are fewer than requested.

        `n_choices` is the number of features where each group counts as one.
        """
        weighty = (self.scores_[self.order_] > 0) | np.isin(self.order_, keep)
        wanted = self.order_[weighty] if n_select is None else self.order_[:n_select]
        asked = n_select if n_select is None else max(n_select, self._asked())
        if asked is not None and len(wanted) < asked:
            what = "" if n_choices is None else " features and groups"
            there = f"there are {len(wanted)}{what}; all of them are selected."
            all_taken = len(wanted) == (n_choices or self.n_features_in_)
            warnings.warn(
                Message(
                    Parameter("n_features_to_select"),
                    f" asks for {asked} features, but {there if all_taken else self._shortage(len(wanted))}",
                ),
                UserWarning,
                stacklevel=4,
            )
        mask = np.zeros(self.n_features_in_, bool)
        mask[wanted] = True
        return mask

    def _wanted(self) -> Any:
        """How many features are requested, as the user gave it."""
        return self.n_features_to_select

    def _asked(self) -> int:
        """The number of features that is requested, which may exceed that of all; 0: no number is given."""
        wanted = self._wanted()
        return int(wanted) if is_integer(wanted) else 0

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
        X : array-like, data frame, AnnData, Dask array or (where `fit` takes it) sparse matrix of shape \
                (n_samples, n_features)
            Columns as in `fit`. A data frame may lack columns that are not selected, and its columns may then
            be in any order, if `fit` saw names (`feature_names_in_`) and the frame has no column that `fit`
            did not see. A data frame with all columns must have them in the order of `fit`. The same holds
            for the variables of an AnnData object.

        Returns
        -------
        X_r : array, data frame, AnnData or sparse matrix of shape (n_samples, n_selected_features)
            The selected columns, in their original order; a data frame if `set_output` requests it. For an
            AnnData object it is the view ``adata[:, names]``, unless `set_output` requests a data frame.
        """
        check_is_fitted(self, "support_")
        X = tabled(X)
        output = _get_output_config("transform", self)["dense"]
        if is_anndata(X):
            return self._cells(X, output)
        if is_frame(X) and (part := self._selected_of(X)) is not None:
            return part if kept_as_frame(X, output) else self._contained(part, X)
        if is_dask_array(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(self.support_)]
        if not kept_as_frame(X, output):
            return super().transform(sound_sparse(X))  # type: ignore[misc]
        validate_data(self, X, reset=False, skip_check_array=True)
        indices = [int(index) for index in np.flatnonzero(self.support_)]
        return nw.from_native(X, eager_only=True)[:, indices].to_native()

    def _selected_of(self, frame: Any) -> Any:
        """The selected columns of a frame that lacks others; None: the whole frame has to be checked."""
        names = self._enough(nw.from_native(frame, eager_only=True).columns)
        return None if names is None else nw.from_native(frame, eager_only=True)[:, names].to_native()

    def _enough(self, given: Sequence[str]) -> list[str] | None:
        """The names of the selected columns, if given is a subset of the names seen in `fit`; else None.

        Raises ValueError if selected columns are missing, as scikit-learn does for any missing column.
        """
        seen = getattr(self, "feature_names_in_", None)
        if seen is None or not self.support_.any() or not set(given) < set(seen):
            return None
        chosen: list[str] = seen[self.support_].tolist()
        if absent := [name for name in chosen if name not in set(given)]:
            try:
                self._check_names(given)
            except ValueError as error:
                raise ValueError(
                    f"{error}\nThe selected features would be enough; of these "
                    f"{listed([repr(name) for name in absent[:5]])}{' and others' * (len(absent) > 5)} "
                    f"{'is' if len(absent) == 1 else 'are'} missing."
                ) from error
        return chosen

    def _check_names(self, given: Sequence[str]) -> None:
        """Raises ValueError, as scikit-learn does, if names or their order differ from those in `fit`."""
        validate_data(self, pa.table({name: [0.0] for name in given}), reset=False, skip_check_array=True)

    def _cells(self, table: Any, output: str) -> Any:
        """The selected variables of an AnnData object, as AnnData or in the container of `set_output`."""
        given = variable_names(table)
        names = self._enough(given)
        if names is None:
            self._check_names(given)
            names = [given[i] for i in np.flatnonzero(self.support_)]
        part = table[:, names]
        if output == "default":
            return part
        found = part.to_df() if output == "pandas" else AnnDataColumns.dense(part)
        return _wrap_data_with_container("transform", found, table, self)

    def _contained(self, part: Any, given: Any) -> Any:
        """Selected columns as an array, or in the container of `set_output`."""
        gaps = get_tags(self).input_tags.allow_nan
        array = check_array(part, dtype=None, ensure_all_finite=not gaps)
        return _wrap_data_with_container("transform", array, given, self)

    def inverse_transform(self, X: Any) -> Any:
        """Put the selected features back into their columns, with zeros elsewhere.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_selected_features)
            The output of `transform`.

        Returns
        -------
        X_r : array or sparse matrix of shape (n_samples, n_features)
            X with a column of zeros for each feature that is not selected.
        """
        return super().inverse_transform(sound_sparse(X))  # type: ignore[misc]


def kept_as_frame(X: Any, output: str) -> bool:
    """Whether X is already a data frame of the library that transform is to return."""
    return is_frame(X) and str(nw.from_native(X).implementation).lower().endswith(output)
