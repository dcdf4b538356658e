"""The direction and the size of the effect of every feature, from its numbers or from packed features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.codes import Block, Coding, NumberColumns, Store, Target, columns_of
from qpfs.codes.ordering import Sorted, sorted_tile
from qpfs.codes.readable import categories
from qpfs.codes.scores import TILE_CELLS
from qpfs.codes.values import tabled
from qpfs.effects.against import Against, against


@dataclass(frozen=True, eq=False)
class Effects:
    """The association of each feature of a table with a target.

    Attributes
    ----------
    target : Against
        The target.
    size : array of shape (n_features,)
        For two classes the area under the ROC curve, 0.5 to 1; for several eta^2 of the ranks; for a quantity
        Spearman's rho with its sign; for labels Cramer's V, or eta^2 of the ranks of a quantity; weighted, if
        samples have weights. NaN if it is unknown, or the feature is constant.
    towards : array of shape (n_features,)
        The class in which the feature is highest; 1 if it rises with a quantity and 0 if it falls; -1 if
        there is no direction.
    n : array of shape (n_features,)
        The samples that an effect is based on: those where the feature is not missing; 0 where it is unknown.
    labelled : array of bool of shape (n_features,)
        Which features are labels.
    """

    target: Against
    size: FloatArray
    towards: IndexArray
    n: IndexArray
    labelled: BoolArray

    @classmethod
    def unknown(cls, target: Against, n_features: int) -> Effects:
        """The effects of features that are not computed yet."""
        nothing = np.zeros(n_features, bool)
        towards, n = np.full(n_features, -1), np.zeros(n_features, np.intp)
        return cls(target, np.full(n_features, np.nan), towards, n, nothing)

    def measures(self, features: IndexArray) -> list[str | None]:
        """The measure of the size of each of some effects; None if it is unknown."""
        names = (self.target.measure, self.target.label_measure)
        known, labelled = ~np.isnan(self.size[features]), self.labelled[features]
        return [names[one] if there else None for there, one in zip(known, labelled.tolist(), strict=True)]

    def directions(self, features: IndexArray) -> list[str | None]:
        """The direction of each of some effects in words, such as "higher in AML"; None if it has none."""
        words = [*self.target.words(), None]  # -1 is the last
        return [words[towards] for towards in self.towards[features].tolist()]

    def _put_numbers(self, features: IndexArray, some: Sorted) -> None:
        size, self.towards[features], n = self.target.of_numbers(some)
        self.size[features], self.n[features] = size, np.where(np.isnan(size), 0, n)

    def _put_labels(self, feature: int, codes: IndexArray) -> None:
        size, n = self.target.of_labels(codes)
        self.size[feature], self.n[feature] = size, 0 if np.isnan(size) else n
        self.labelled[feature] = True


def known_effects(fitted: Any, n_features: int, X: Any = None, features: IndexArray | None = None) -> Effects:
    """The effects of all features of a fit, or of some, from the best data available.

    Parameters
    ----------
    fitted : Fitted
        The results of a fit: its `target`, and its packed features, if it keeps them.
    n_features : int
        How many features there are.
    X : table or None, default=None
        The table that it was fitted to, whose numbers are used if they are given.
    features : array of int or None, default=None
        The requested features; None for all.

    Returns
    -------
    effects : Effects
        Those of the numbers, otherwise of the packed features. They are never adjusted for covariates: if
        neither is available without adjustment, effects are unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MaxRel
    >>> from qpfs.effects import known_effects
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> effects = known_effects(MaxRel(1).fit(X, y).fitted_, 30, X)
    >>> first = np.array([0])
    >>> effects.directions(first), effects.measures(first), effects.size[first].round(3).tolist()
    (['higher in 0'], ['auc'], [0.938])
    """
    columns = None if X is None else columns_of(tabled(X))
    if columns is not None and columns.has_numbers and not columns.elsewhere:
        return effects_of(columns.with_numbers(), fitted.target, features)
    if fitted.columns is not None and not only_adjusted(fitted.columns):
        return packed_effects(fitted.columns.store.plain, fitted.coding, fitted.target, features)
    return Effects.unknown(against(fitted.target), n_features)


def only_adjusted(table: Any) -> bool:
    """Whether a feature table keeps its features only after adjustment for covariates."""
    form, store = table.measure.measure.form, table.store
    return form.plain is not form and store.plain is store


def effects_of(columns: NumberColumns, target: Target, features: IndexArray | None = None) -> Effects:
    """The effects of the columns of a table, or of some of them, read a tile at a time."""
    asked = np.arange(columns.n_features) if features is None else features
    found = Effects.unknown(against(target), columns.n_features)
    for some, order in columns.in_order(asked[columns.numeric[asked]]):
        found._put_numbers(some, order)
    for feature in asked[~columns.numeric[asked]].tolist():
        found._put_labels(feature, np.asarray(categories(columns, feature)[0]))
    return found


def packed_effects(
    store: Store, coding: Coding | None, target: Target, features: IndexArray | None = None
) -> Effects:
    """The effects of packed features, or of some of them: of levels in their order, or of scores.

    Levels do not show where in a bin a number was, and scores not which of them are missing numbers, which
    are in the middle.
    """
    found = Effects.unknown(against(target), store.n_features)
    labelled = np.zeros(store.n_features, bool)
    labelled[[] if coding is None else list(coding.labels)] = True
    for block in blocks_of(store, store.varying if features is None else features):
        gaps = np.zeros(len(block.features), bool) if coding is None else coding.has_gaps(block.features)
        numbers = np.flatnonzero(~labelled[block.features])
        tile = block.take(numbers).in_order(gaps[numbers])
        if tile is None:
            continue
        found._put_numbers(block.features[numbers], sorted_tile(tile))
        for slot in np.flatnonzero(labelled[block.features]).tolist():
            codes = np.asarray(block.categories(slot, bool(gaps[slot])), np.intp)
            found._put_labels(int(block.features[slot]), codes)
    return found


def blocks_of(store: Store, features: IndexArray) -> Iterator[Block]:
    """Some features as blocks, as many at a time as fit a memory limit once they are unpacked."""
    width = max(1, TILE_CELLS // store.n_samples)
    for start in range(0, len(features), width):
        yield from store.pick(features[start : start + width])
