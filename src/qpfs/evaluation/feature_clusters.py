"""The clusters of features over which the stability of a selection is computed.

A method that clusters features has its own. For any other method that compares features, each selected
feature is the centre of a cluster: of the features for which it is the nearest selected one, at a distance of
at most the radius of the measure. All other features are single.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from qpfs.arrays import IndexArray
from qpfs.evaluation.rankings import origins
from qpfs.report.redundancy import standing_in
from qpfs.selectors.members import Members
from qpfs.selectors.ranking import RankingMixin

CENTRES = 1000  # the largest number of selected features that others are compared with; else all are single


@dataclass(frozen=True, eq=False)
class FeatureClusters:
    """The cluster of each feature, -1 for a single one, and what a cluster is, in words."""

    labels: IndexArray
    text: str


def feature_clusters(fitted: Any, selected: IndexArray) -> FeatureClusters | None:
    """The clusters of a method fitted to all samples; None if it does not compare features."""
    if isinstance(fitted, Pipeline):
        return of_columns(fitted, selected)
    if hasattr(fitted, "best_estimator_"):  # of a search
        return feature_clusters(fitted.best_estimator_, selected)
    if not isinstance(fitted, RankingMixin):
        return None
    own = Members(fitted).cluster
    if (own >= 0).any():
        return FeatureClusters(own, "those that the method forms on all samples")
    return None if fitted.fitted_.table is None else around_selected(fitted, selected)


def of_columns(pipeline: Pipeline, selected: IndexArray) -> FeatureClusters | None:
    """The clusters of the last step of a pipeline, whose columns are some of the features."""
    columns = origins(pipeline)
    order = np.argsort(columns)
    if (np.diff(columns[order]) == 0).any():  # a feature that became several columns may be in several
        return None
    found = feature_clusters(pipeline[-1], order[np.searchsorted(columns, selected, sorter=order)])
    if found is None:
        return None
    labels = np.full(pipeline.n_features_in_, -1, np.intp)
    labels[columns] = found.labels
    return FeatureClusters(labels, found.text)


def around_selected(fitted: Any, selected: IndexArray) -> FeatureClusters:
    """Each feature with the nearest selected one, if that is near; without identifiers."""
    table, features = fitted.fitted_.table, standing_in(fitted)
    radius = float(table.measure.measure.radius)
    labels = np.full(fitted.n_features_in_, -1, np.intp)
    centres = selected[np.isin(selected, features)][:CENTRES]
    if len(centres):
        every = np.full(len(features), len(centres))
        nearest, distance = table.nearest(features, np.zeros_like(every), every, centres)
        labels[features] = np.where(distance <= radius, nearest, -1)
    text = f"each selected feature with its nearest features, at a distance of at most {radius:g}"
    return FeatureClusters(labels[fitted.fitted_.asked.leads(np.arange(len(labels)))], text)
