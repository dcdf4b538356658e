"""A table with its target, ready for a selector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qpfs.arrays import AnyArray, BoolArray


@dataclass(frozen=True, eq=False)
class Table:
    """Features with their names, their source, and notes for the user.

    Attributes
    ----------
    name : str
        The source as it was given.
    X : array, sparse matrix or pyarrow.Table
        The input for the ``fit`` of a selector: an array if every feature is numeric, a sparse matrix if the
        file is sparse, an Arrow table if some features are labels.
    names : list of str
        The names of the features; unique and not empty.
    samples : list of str or None
        The names of the samples.
    groups : array or None
        Which samples belong together.
    checksum : str
        SHA-256 of the bytes of the file, or of the values of a built-in set.
    format : str
        The format of the source.
    notes : tuple of str
        Notes for the user: names made unique, columns read as labels, and the like.
    split : array of bool or None
        True for the samples that are meant for training, if the data define a split.
    weights : array or None
        The weight of each sample, if a column of weights was named.
    covariates : dict of str to array
        The covariates to adjust for, by name; empty if none was named.
    named : bool
        Whether the source names its features; else `names` were made up.

    Examples
    --------
    >>> from qpfs.data import open_table
    >>> open_table("iris").n_features
    4
    """

    name: str
    X: Any
    names: list[str]
    samples: list[str] | None
    groups: AnyArray | None
    checksum: str
    format: str
    notes: tuple[str, ...]
    split: BoolArray | None = None
    weights: AnyArray | None = None
    covariates: Mapping[str, AnyArray] = field(default_factory=dict)
    named: bool = True
    kept: tuple[int, ...] = ()

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])


@dataclass(frozen=True)
class CohortSource:
    """Where the samples of a cohort came from."""

    name: str  # of the cohort
    source: str
    checksum: str
    format: str
    n_features: int  # in its table, of which the common ones are used


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(Table):
    """Features and the target to predict.

    Attributes
    ----------
    name, X, names, samples, groups, checksum, format, notes, split, weights, covariates, named, kept
        As of a :class:`Table`.
    y : array or pyarrow.Table
        The target: labels as text, or numbers unchanged; a column for each of several targets.
    target_name : str
        The name of the target; the names of several.
    cohorts : array of str or None
        The name of the cohort of each sample, if several tables were combined.
    cohort_sources : tuple of CohortSource
        Where the cohorts came from, in the order they were given.

    Examples
    --------
    >>> from qpfs.data import open_problem
    >>> problem = open_problem("wine")
    >>> problem.n_samples, problem.n_features, problem.target_name
    (178, 13, 'target')
    """

    y: Any
    target_name: str
    cohorts: AnyArray | None = None
    cohort_sources: tuple[CohortSource, ...] = ()
