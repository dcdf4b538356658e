"""Clusters of data points in two passes, and in two levels of two passes each.

k-means repeats until no point changes its cluster; MacQueen's form reads the points twice. The first pass
moves the centres: each point in turn is added to the mean of its nearest centre. The second pass only assigns
each point to the nearest centre. The two-level form first makes a few clusters and then splits those that are
too wide, so that most points are never compared with most centres.

Letters: N points in n dimensions, k clusters, r the radius of a cluster (the largest distance of a member
from the centre), R the radius of all points around their mean, tau the radius above which a cluster is
split. Balls of radius tau fill a ball of radius R when there are k = (R / tau)^n of them, which gives
tau = R k^(-1/n), and (r / tau)^n parts for a cluster of radius r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import checked_count, is_real, native
from qpfs.compiled import inner_part, kernel

ROUNDING = 1e-9  # relative rounding error of (r / tau)^n before it is rounded up


@inner_part
def fill_squares(point: AnyArray, centres: FloatArray, squares: FloatArray) -> None:
    """Squared distances of a point from centres (n, k)."""
    squares[:] = 0.0
    for j in range(len(point)):
        # Along the centres, this loop is vectorised without changing the order of any sum.
        for c in range(len(squares)):
            gap = point[j] - centres[j, c]
            squares[c] += gap * gap


@kernel
def pull(centres: FloatArray, c: int, point: AnyArray, count: int) -> None:
    """Makes centre c the mean of `count` points, the given one being the last."""
    for j in range(len(point)):
        # In this form the mean of equal points is exactly their value.
        centres[j, c] += (point[j] - centres[j, c]) / count


@kernel
def move_centres(X: AnyArray, centres: FloatArray, counts: IndexArray, squares: FloatArray) -> None:
    """Pass 1: every point after the first k pulls its nearest centre."""
    for i in range(len(squares), len(X)):
        fill_squares(X[i], centres, squares)
        c = int(squares.argmin())
        counts[c] += 1
        pull(centres, c, X[i], counts[c])


@kernel
def fill_mean(X: AnyArray, mean: FloatArray) -> None:
    """The mean (n, 1) of all points, with the arithmetic of the centres."""
    for i in range(len(X)):
        pull(mean, 0, X[i], i + 1)


@kernel
def fill_nearest(
    X: AnyArray, centres: FloatArray, squares: FloatArray, labels: IndexArray, least: FloatArray
) -> None:
    """Pass 2: the nearest centre of every point, the lowest index among equals, and the squared distance."""
    for i in range(len(X)):
        fill_squares(X[i], centres, squares)
        labels[i] = squares.argmin()
        least[i] = squares[labels[i]]


@dataclass(frozen=True)
class Partition:
    """The assignment of points to centres, and the number of distances computed."""

    centres: AnyArray  # (k, n), in the precision of the points
    labels: IndexArray
    distances: FloatArray  # of each point from its centre
    n_distances: int

    @property
    def radii(self) -> FloatArray:
        """The largest distance in each cluster, 0 in an empty one."""
        radii = np.zeros(len(self.centres))
        np.maximum.at(radii, self.labels, self.distances)
        return radii


def macqueen(X: AnyArray, k: int) -> Partition:
    """MacQueen's two passes; the first k points are the first centres."""
    columns = np.array(X[:k].T, dtype=np.float64, order="C")
    move_centres(X, columns, np.ones(k, np.intp), np.empty(k))
    # Rounded before pass 2, so that `predict`, which has only the rounded centres, repeats it.
    centres = np.ascontiguousarray(columns.T, dtype=X.dtype)
    labels, distances = nearest(X, centres)
    return Partition(centres, labels, distances, (2 * len(X) - k) * k)


def nearest(X: AnyArray, centres: AnyArray) -> tuple[IndexArray, FloatArray]:
    """The nearest centre of every point and its distance."""
    labels, least = np.empty(len(X), np.intp), np.empty(len(X))
    columns = np.ascontiguousarray(centres.T, dtype=np.float64)
    fill_nearest(X, columns, np.empty(len(centres)), labels, least)
    if not np.isfinite(least).all():
        raise ValueError("X holds numbers whose squared distances overflow; divide X by its largest number.")
    return labels, np.sqrt(least)


def radius_of(X: AnyArray) -> float:
    """R, the largest distance of a point from the mean of all."""
    mean = np.zeros((X.shape[1], 1))
    fill_mean(X, mean)
    return float(nearest(X, mean.T.astype(X.dtype))[1].max())


def n_parts(r: float, tau: float, n: int, most: int) -> int:
    """(r / tau)^n, rounded up and at most `most`; 1 for a cluster that is not too wide."""
    if r <= tau or most < 2:
        return 1
    # In logarithms, since (r / tau)^n overflows in a few hundred dimensions.
    log_parts = n * (math.log(r) - math.log(tau)) if tau > 0 else math.inf
    if log_parts >= math.log(most):
        return most
    return math.ceil(math.exp(log_parts) * (1 - ROUNDING))


def members(labels: IndexArray, k: int) -> list[IndexArray]:
    """The points of each of k clusters, in the order of the points."""
    ends = np.cumsum(np.bincount(labels, minlength=k))
    return np.split(np.argsort(labels, kind="stable"), ends[:-1])


def part_counts(first: Partition, tau: float, k: int, cap: int) -> IndexArray:
    """The parts of each cluster, at most `cap` and together at most k: the widest come first."""
    radii, sizes = first.radii, np.bincount(first.labels, minlength=len(first.centres))
    counts = np.ones(len(sizes), np.intp)
    left = k - len(sizes)
    for c in np.argsort(-radii, kind="stable"):
        most = min(int(sizes[c]), cap, 1 + left)
        counts[c] = n_parts(float(radii[c]), tau, first.centres.shape[1], most)
        left -= int(counts[c]) - 1
    return counts


def split(X: AnyArray, first: Partition, counts: IndexArray) -> Partition:
    """Level 2: each cluster in its number of parts, which are consecutive."""
    labels, distances = np.empty_like(first.labels), first.distances.copy()
    centres: list[AnyArray] = []
    n_distances = first.n_distances
    starts = np.cumsum(counts) - counts
    for c, rows in enumerate(members(first.labels, len(counts))):
        labels[rows] = starts[c]
        if counts[c] == 1:
            centres.append(first.centres[c : c + 1])
        else:
            second = macqueen(X[rows], int(counts[c]))
            labels[rows] += second.labels
            distances[rows] = second.distances
            centres.append(second.centres)
            n_distances += second.n_distances
    return Partition(np.concatenate(centres), labels, distances, n_distances)


def checked_points(estimator: Any, X: Any, *, reset: bool) -> AnyArray:
    """X as float32 or float64 in C order."""
    return validate_data(estimator, X, reset=reset, dtype=[np.float64, np.float32], order="C")


def checked_n_clusters(value: object, n_samples: int) -> int:
    """A number of clusters, of which there cannot be more than points."""
    k = checked_count("n_clusters", value, 1)
    if k > n_samples:
        raise ValueError(f"n_clusters={k}, but X has {n_samples} sample(s); ask for 1 to {n_samples}.")
    return k


class MacQueenKMeans(ClusterMixin, BaseEstimator):
    """MacQueen's k-means: two passes over the points, Euclidean distance.

    In pass 1 the first `n_clusters` points are the centres; each other point, one after another, is assigned
    to the nearest centre, which then becomes the mean of its points so far. In pass 2 every point is assigned
    to the nearest of these centres. Ties go to the lowest index.

    The result depends on the order of the points: shuffle them first if the order is arbitrary.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters, at most the number of points.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres after pass 1. Pass 2 and `predict` measure from them, so they are in general not the
        means of the clusters in `labels_`.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each point, by pass 2. A cluster may be empty, for example if points repeat; it keeps
        its centre.
    inertia_ : float
        The sum of squared distances of the points from their centres.
    n_distances_ : int
        The number of distances computed, 2 N k - k^2.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    TwoLevelKMeans : Fewer distances for many clusters.

    Notes
    -----
    The algorithm of [1]_ as [2]_ describes it, with one difference: there the centres are updated in the
    second pass too; here they are not, so that `predict` on the same points gives `labels_`.

    References
    ----------
    .. [1] J. MacQueen. Some Methods for Classification and Analysis of Multivariate Observations. Fifth
           Berkeley Symposium on Mathematical Statistics and Probability 1:281-297, 1967.
    .. [2] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from qpfs import MacQueenKMeans
    >>> clusters = MacQueenKMeans(2).fit([[0.0], [10.0], [1.0], [12.0]])
    >>> clusters.labels_
    array([0, 1, 0, 1])
    >>> clusters.cluster_centers_.ravel()
    array([ 0.5, 11. ])
    >>> clusters.n_distances_
    12
    """

    def __init__(self, n_clusters: int = 8) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points, in the order in which they are read.
        y : ignored

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        self.__dict__.pop("cluster_centers_", None)  # so that a failed fit leaves no fitted attributes
        X = checked_points(self, X, reset=True)
        partition = macqueen(X, checked_n_clusters(self.n_clusters, len(X)))
        self.cluster_centers_ = partition.centres
        self.labels_ = partition.labels
        self.inertia_ = float(np.square(partition.distances).sum())
        self.n_distances_ = partition.n_distances
        return self

    def predict(self, X: Any) -> IndexArray:
        """Assign each point to the nearest centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points with the features of `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The index of the nearest row of `cluster_centers_`, the lowest among equals.
        """
        check_is_fitted(self, "cluster_centers_")
        return nearest(checked_points(self, X, reset=False), self.cluster_centers_)[0]


class TwoLevelKMeans(ClusterMixin, BaseEstimator):
    """Two-level k-means: a few clusters by `MacQueenKMeans`, of which the wide ones are split again.

    Level 1 makes `n_first` clusters. Level 2 splits each cluster whose radius r, the largest distance of a
    member from the centre, exceeds tau, into (r / tau)^n parts, rounded up, n being the number of features.
    No cluster has more parts than members, and there are at most `n_clusters` clusters in all; where that is
    too few, the widest are split first.

    Parameters
    ----------
    n_clusters : int, default=8
        The most clusters, k, at most the number of points; the radius is derived from it.
    n_first : int or None, default=None
        The number of clusters of level 1, at most `n_clusters`; None for its square root, rounded.
    radius : float or None, default=None
        tau, the radius above which a cluster is split. None for R k^(-1/n), with R the radius of all points
        around their mean. If a radius is given, `n_clusters` should be as large as is acceptable.
    max_parts : int or None, default=None
        The most parts of one cluster, at least 2; None for as many as `n_clusters` allows.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_found, n_features)
        The centres; the parts of one cluster of level 1 are consecutive. They are centres of
        `MacQueenKMeans`: in general not the means of the clusters in `labels_`.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each point. A cluster may be empty, for example if points repeat.
    radii_ : ndarray of shape (n_found,)
        The radius of each cluster, 0 for an empty one.
    radius_ : float
        The tau that was used.
    first_centers_ : ndarray of shape (n_first, n_features)
        The centres of level 1.
    parents_ : ndarray of shape (n_found,)
        The cluster of level 1 that each cluster is equal to, or is a part of.
    n_distances_ : int
        The number of distances computed: 2 N k' - k'^2 with k' = `n_first`, N more for R where it is needed,
        and 2 m p - p^2 for each cluster of m members split into p parts.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    MacQueenKMeans : One level, an exact number of clusters.

    Notes
    -----
    Radii are not guaranteed to be at most tau, since two passes need not reach it; compare `radii_` with
    `radius_`. This differs from what [2]_ states about the algorithm of [1]_.

    The rule (r / tau)^n is published; with the derived tau it is k (r / R)^n. In many dimensions it gives
    either one part or more parts than points, so two bounds are added here: `n_clusters` for all clusters, as
    everywhere in scikit-learn, and `max_parts`, which prevents the widest cluster from using all of them.

    A point is compared only with the parts of its cluster of level 1. Its centre need not be the nearest of
    all; `predict` proceeds in the same way.

    References
    ----------
    .. [1] R. Chitta, M. N. Murty. Pattern Recognition 43(3), 2010; as cited in [2]_.
    .. [2] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from qpfs import TwoLevelKMeans
    >>> clusters = TwoLevelKMeans(4, radius=1.0).fit([[0.0], [10.0], [1.0], [12.0], [14.0]])
    >>> clusters.labels_
    array([0, 1, 0, 2, 2])
    >>> clusters.parents_
    array([0, 1, 1])
    >>> clusters.radii_
    array([0.5, 0. , 1. ])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_first: int | None = None,
        radius: float | None = None,
        max_parts: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_first = n_first
        self.radius = radius
        self.max_parts = max_parts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points, in the order in which they are read.
        y : ignored

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        self.__dict__.pop("cluster_centers_", None)  # so that a failed fit leaves no fitted attributes
        X = checked_points(self, X, reset=True)
        k = checked_n_clusters(self.n_clusters, len(X))
        k_first, cap = self._checked_n_first(k), self._checked_max_parts(k)
        tau = self._checked_radius(X, k)
        first = macqueen(X, k_first)
        counts = part_counts(first, tau, k, cap)
        partition = split(X, first, counts)
        self.radius_ = tau
        self.first_centers_ = first.centres
        self.parents_ = np.repeat(np.arange(k_first), counts)
        self.cluster_centers_ = partition.centres
        self.labels_ = partition.labels
        self.radii_ = partition.radii
        self.n_distances_ = partition.n_distances + (len(X) if self.radius is None else 0)
        return self

    def predict(self, X: Any) -> IndexArray:
        """Assign each point to the nearest centre of level 1, then to the nearest of its parts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points with the features of `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            An index into `cluster_centers_`; the points of `fit` have their `labels_`.
        """
        check_is_fitted(self, "cluster_centers_")
        X = checked_points(self, X, reset=False)
        k_first = len(self.first_centers_)
        labels, _ = nearest(X, self.first_centers_)
        for rows, parts in zip(members(labels, k_first), members(self.parents_, k_first), strict=True):
            labels[rows] = parts[nearest(X[rows], self.cluster_centers_[parts])[0]]
        return labels

    def _checked_n_first(self, k: int) -> int:
        if self.n_first is None:
            return round(math.sqrt(k))
        k_first = checked_count("n_first", self.n_first, 1)
        if k_first > k:
            raise ValueError(f"n_first={k_first}, but n_clusters={k}; ask for 1 to {k}.")
        return k_first

    def _checked_max_parts(self, k: int) -> int:
        return k if self.max_parts is None else checked_count("max_parts", self.max_parts, 2)

    def _checked_radius(self, X: AnyArray, k: int) -> float:
        if self.radius is None:
            return radius_of(X) * float(k ** (-1 / X.shape[1]))
        if not is_real(self.radius) or not 0 < self.radius < np.inf:
            raise ValueError(f"radius={native(self.radius)!r}, but it must be a positive number, or None.")
        return float(self.radius)
