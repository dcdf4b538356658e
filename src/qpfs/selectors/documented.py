"""What is said of a parameter of many selectors, written once (`qpfs/documented.py`)."""

from __future__ import annotations

import re
from typing import TypeVar

from qpfs.documented import documented_by

Class = TypeVar("Class", bound=type)
SECTION = re.compile(r"^ *Parameters\n *-+\n.*?(?=\n\n *Examples\n)", re.DOTALL | re.MULTILINE)


def searching(cls: Class) -> Class:
    """The class of a search, with `{search}` filled in by what the class says that it derives from."""
    found = SECTION.search(cls.__bases__[0].__doc__ or "")
    return documented_by({"search": found[0] if found else ""})(cls)


DESCRIPTIONS: dict[str, str] = {
    "radius": """
    radius : "auto" or float, default="auto"
        tau: a cluster with a radius of at most this is not split. From 0 (identical features only) to 1.
        "auto" is what suits the measure: 0.4 by ranks, 0.5 by correlation, and 0.8 by levels, for which even
        close copies are 0.5 apart and more.
""",
    "n_first": """
    n_first : "auto" or int, default="auto"
        How many clusters to begin with; "auto" is 100, and at most a quarter of the features.
""",
    "n_split": """
    n_split : int, default=50
        Into how many parts a cluster is split, at least 2.
""",
    "max_depth": """
    max_depth : int or None, default=None
        L: how often a cluster's parts may be split again, the first clusters counted; None for no limit.
""",
    "init": """
    init : {"leaders", "relevance", "first", "random", "farthest"}, default="relevance"
        How first centres are chosen: the most relevant features that are farther than `radius` from each
        other; the most relevant ones, so that copies among them keep clusters of their own; the first columns
        (as published; the answer then depends on their order); at random; or the most relevant and then
        always the farthest. By the first two the answer does not depend on the order of columns, but for
        features of exactly equal relevance or distance, of which the lower index comes first; with few
        samples there are many such.
""",
    "representative": """
    representative : {"mean", "literal", "medoid"}, default="mean"
        Which member stands for a cluster: the one nearest to the mean of the discretised members, each turned
        to run with the centre; nearest to the mean of the columns scaled to [-1, 1], which needs numbers
        without missing values; or the one with the least sum of distances, which takes the square of the
        members.
""",
    "theta_scope": """
    theta_scope : {"global", "local"}, default="global"
        What an automatic theta is the balance of: all features, one value for the whole fit, computed from a
        sample of columns if there are many features; or, in a literal reading of the publication, those of
        each program by itself.
""",
    "n_kept": """
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight. If fewer stand for a cluster, those are selected and a warning says so.
""",
    "n_positive": """
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight.
""",
    "theta": """
    theta : "auto" or float in [0, 1], default="auto"
        How much relevance counts against redundancy. 1 ranks by relevance alone, 0 ignores the target.
        "auto" makes both count the same on average: the mean of Q over its sum with the mean of s.
""",
    "order": """
    order : {"nearest", "weight"}, default="nearest"
        How the features with weight are ranked, and so which k of them are selected: one by one, the most
        relevant first and then always the one whose relevance most exceeds what it shares with the nearest of
        those before it; or by weight, as published. All features with weight are the same ones either way.
""",
    "measure": """
    measure : {"auto", "rank", "mi", "correlation", "chi2"}, callable or Measure, default="auto"
        What relevance and redundancy are measured by. "rank": the squared correlation of the normal scores of
        ranks, which needs no levels and makes the program convex (:class:`qpfs.information.Rank` with degree
        2 sees U-shapes, too). "mi": mutual information of the discretised features, as published.
        "correlation": absolute Pearson correlation of the numbers. "chi2": the chi-square measure phi^2 of
        the discretised features, for which the program is convex, too. "auto" is "rank", but "mi" where a
        discretiser is given or the table is encoded as levels. One of your own is a function
        ``f(x, y) -> float``, not negative, which is called with pairs of columns as they are (float64;
        labels, and classes of the target, as 0, 1, ... in sorted order): slow, and only for dense tables
        without missing values (docs/own.md; :class:`qpfs.information.FunctionMeasure` can promise that its
        matrix is positive semi-definite). One made of counts is a :class:`qpfs.information.CountMeasure`.
""",
    "discretizer": """
    discretizer : discretiser or None, default=None
        How numbers are discretised, where the measure reads levels; None is ``EqualFrequency(3)``, and
        ``ThreeSegments()`` is as published. Not used by "rank", "correlation" and functions.
""",
    "target_discretizer": """
    target_discretizer : discretiser or None, default=None
        How a target that is a quantity is discretised; None is ``EqualFrequency(5)``. Not used by "rank",
        "correlation" and functions. Numbers are a quantity if they are not all integers, or have more than 32
        different values and more than one for every four samples. A discretiser given here is applied to any
        numeric target.
""",
    "n_jobs": """
    n_jobs : int or None, default=None
        Threads (processes that call a `measure` that is a function); the answer does not depend on it.
""",
    "seed": """
    random_state : int, RandomState instance or None, default=0
        Seeds `init="random"` and the sample of features that an estimated automatic theta is based on.
""",
    "support_": """
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
""",
    "relevance_": """
    relevance_ : ndarray of shape (n_features_in_,)
        What each feature shares with the target.
""",
    "labels_": """
    labels_ : ndarray of int of shape (n_features_in_,)
        The final cluster of every feature; -1 where it was discarded, or the feature is constant.
""",
    "representatives_": """
    representatives_ : ndarray of int
        The feature that stands for each final cluster.
""",
    "radii_": """
    radii_ : ndarray of float
        The radius of each final cluster.
""",
    "radius_": """
    radius_ : float
        tau as used.
""",
    "n_distances_": """
    n_distances_ : int
        Distances really computed.
""",
    "rounds_": """
    rounds_ : sequence of Round
        The trace: level, parent, members, labels, representatives, radii, weights, fates.
""",
    "discretizer_": """
    discretizer_ : discretiser or None
        The fitted discretiser; its `edges_` show the bins.
""",
    "n_features_in_": """
    n_features_in_ : int
        Number of features seen in fit.
""",
    "feature_names_in_": """
    feature_names_in_ : ndarray of str
        Their names, if X had names.
""",
    "ranked_representatives": """
    order_ : ndarray of int
        The representatives kept, best first: those with weight as the program's `order` says, then by reduced
        gradient, then by index.
""",
    "final_weights": """
    scores_ : ndarray of shape (n_features_in_,)
        The weights alpha of the final program; 0 where there is none.
""",
    "theta_": """
    theta_, theta_standard_error_ : float
        theta as used, and the standard error of an estimated one.
""",
    "gap_": """
    gap_, objective_ : float
        The certificate and the objective of the final program.
""",
}

CLUSTERED = (
    "ranked_representatives",
    "final_weights",
    "support_",
    "relevance_",
    "labels_",
    "representatives_",
    "radii_",
    "radius_",
    "n_distances_",
    "rounds_",
    "discretizer_",
    "n_features_in_",
    "feature_names_in_",
)
GROUPS = {
    "clustered_fit": CLUSTERED,
    "clustered_qpfs_fit": (*CLUSTERED, "theta_", "gap_"),
    "interleaved_qpfs": (
        "n_kept",
        "radius",
        "n_first",
        "n_split",
        "max_depth",
        "init",
        "representative",
        "theta",
        "theta_scope",
        "order",
        "measure",
        "discretizer",
        "target_discretizer",
        "seed",
        "n_jobs",
    ),
}

documented = documented_by(
    DESCRIPTIONS | {name: "".join(map(DESCRIPTIONS.__getitem__, group)) for name, group in GROUPS.items()}
)
