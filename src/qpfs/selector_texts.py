"""What is said of a parameter of many selectors, written once (`documented.py`).

It is outside the room of the selectors, since the command reads it before it imports any of them.
"""

from __future__ import annotations

from qpfs.documented import documented_by

DESCRIPTIONS: dict[str, str] = {
    "radius": """
    radius : "auto" or float, default="auto"
        tau: a cluster with a radius of at most this is not split, from 0 (identical features only) to 1;
        "auto" is what suits the measure.

        That is 0.4 by ranks, 0.5 by correlation, and 0.8 by levels, for which even close copies are 0.5 apart
        and more.
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
        Where clusters begin: at the most relevant features that are farther than `radius` from each other
        ("leaders"), at the most relevant ones ("relevance"), at the first columns ("first"), at random
        ("random"), or at the most relevant and then always the farthest ("farthest").

        By "relevance" copies among the first centres keep clusters of their own. "first" is as published; the
        answer then depends on the order of columns. By "leaders" and "relevance" it does not, but for
        features of exactly equal relevance or distance, of which the lower index comes first; with few
        samples there are many such.
""",
    "representative": """
    representative : {"mean", "medoid"}, default="mean"
        Which member stands for a cluster: the one nearest to the mean of the discretised members ("mean"), or
        the one with the least sum of distances ("medoid").

        For "mean" each member is turned to run with the centre. "medoid" takes the square of the members.
""",
    "n_kept": """
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight. If fewer stand for a cluster, those are selected and a warning says so.

        More than there are columns is all of them, with a warning.
""",
    "n_positive": """
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight.

        More than there are columns is all of them, with a warning.
""",
    "theta": """
    theta : "auto" or float in [0, 1], default="auto"
        How much relevance counts against redundancy: 1 ranks by relevance alone, 0 ignores the target, "auto"
        makes both count the same on average.

        "auto" is the mean of Q over its sum with the mean of s.
""",
    "order": """
    order : {"nearest", "weight"}, default="nearest"
        How the features with weight are ranked, and so which k of them are selected: one by one, each the one
        whose relevance most exceeds what it shares with the nearest before it ("nearest"), or by weight
        ("weight").

        By "nearest" the most relevant is the first; "weight" is as published. All features with weight are
        the same ones either way.
""",
    "measure": """
    measure : {"auto", "rank", "mi", "correlation", "chi2"}, callable or Measure, default="auto"
        What relevance and redundancy are measured by: the squared correlation of the normal scores of ranks
        ("rank"), mutual information of the discretised features ("mi"), absolute Pearson correlation
        ("correlation"), or the chi-square measure of the discretised features ("chi2"); "auto" is "rank", but
        "mi" where a discretiser is given or the table is encoded as levels.

        "rank" needs no levels and makes the program convex (:class:`qpfs.information.Rank` with degree 2 sees
        U-shapes, too); so does "chi2", which is phi^2. "mi" is as published. One of your own is a function
        ``f(x, y) -> float``, not negative, which is called with pairs of columns as they are (float64;
        labels, and classes of the target, as 0, 1, ... in sorted order): slow, and only for dense tables
        without missing values (docs/own.md; :class:`qpfs.information.FunctionMeasure` can promise that its
        matrix is positive semi-definite). One made of counts is a :class:`qpfs.information.CountMeasure`.
""",
    "discretizer": """
    discretizer : discretiser or None, default=None
        How numbers are discretised, where the measure reads levels (bins).

        None is ``EqualFrequency(3)``, and ``ThreeSegments()`` is as published. Not used by "rank",
        "correlation" and functions.
""",
    "target_discretizer": """
    target_discretizer : discretiser or None, default=None
        How a target that is a quantity is discretised, where the measure reads levels (bins).

        None is ``EqualFrequency(5)``. Not used by "rank", "correlation" and functions. Numbers are a quantity
        if they are not all integers, or have more than 32 different values and more than one for every four
        samples. A discretiser given here is applied to any numeric target. Where more than half of the
        samples have one value (the zeros of losses, say), equal frequency gives it a bin and cuts the others
        into the rest; "rank" takes such a target for two things: whether it is that value, and by rank how
        much it is where it is not.
""",
    "target_weights": """
    target_weights : array-like of shape (n_targets,) or None, default=None
        How much each of several targets counts: relevance is the mean over them, by these weights; None
        weighs them equally, but "rank" takes them together.

        Weights are 0 or more; a target of weight 0 is left out. Together means that relevance is what a
        feature says of any of them, and what two targets have in common counts once. Where relevance is a
        mean, p values are those of the target that is most surely told, corrected for the number of targets
        (weighted Bonferroni).
""",
    "class_weight": """
    class_weight : "balanced", dict or None, default=None
        How much samples of each class count: all classes the same ("balanced"), or a weight for each class;
        None counts all samples alike.

        Multiplied with `sample_weight`. Classes that a dictionary does not name weigh 1. "balanced" lets the
        weights add up to the number of samples. A quantity has no classes.
""",
    "fdr": """
    fdr : float or None, default=None
        The false discovery rate that is allowed: features with a q value above it are not selected. None
        selects whatever the method prefers.

        Such features are left out before anything is weighed, so that others take their place; they have no
        rank. It may be that nothing is left.
""",
    "n_permutations": """
    n_permutations : int, default=0
        How often the target is shuffled for family-wise p values: how probable it is that any of all
        features is so relevant by chance.

        1,000 are usual. The answer has no p value below 1 / (`n_permutations` + 1).
""",
    "keep": """
    keep : str, int, list of them, mask or None, default=None
        Features that must be in, by name or by a pattern such as "age*". They are always selected and come
        first, and the others are weighed given them.

        Indices and a mask of all columns will do, too, and of an AnnData object the name of a column of `var`
        of true and false; a list may mix them. `n_features_to_select` counts
        them, and `fdr` removes none of them. In a program each has at least as much weight as features have
        on average where none is kept; taken one by one, they are taken before all others, the most relevant
        first; clusters have them as centres and are not discarded. Names are looked up at each fit; one that
        is constant there is an error.
""",
    "exclude": """
    exclude : str, int, list of them, mask or None, default=None
        Features that must be out, by name or by a pattern such as "AFFX*". The choice is that of a table
        without them, but unlike columns that are dropped they are looked at: with a relevance, and a reason
        of their own.

        Given as for `keep`. An automatic theta goes by the others. p and q values are those of all features;
        to have columns count for nothing at all, drop them from X.
""",
    "feature_groups": """
    feature_groups : dict, list, str or None, default=None
        Features that belong together, such as the columns of a category or the genes of a pathway: the text
        that ends a group's name in those of its columns, such as "__" in color__red and color__blue.

        By ranks a group is chosen or left as one, and `n_features_to_select` counts it as one: all its
        columns are selected, and each has the weight, the relevance and the p value of the group, which is
        what its columns say together. At most one direction for every four samples, and 32, stand for a
        group: those along which its columns vary most. Other measures need `at_most`. Groups are given as a
        text, as a dict of a name and features (as for `keep`) for each, or as a label for each column (None:
        in no group); columns in no group stand alone, and excluded ones are in none. A fit lists them in
        `feature_groups_`.
""",
    "at_most": """
    at_most : int or None, default=None
        The most features of each group that are selected; further ones are passed over. Then groups are not
        chosen as one, and any measure will do.

        Needs `feature_groups`. Features that are passed over have no rank.
""",
    "significance_": """
    pvalues_, qvalues_ : ndarray of shape (n_features_in_,)
        How probable so much relevance is where feature and target are independent, and the false discovery
        rate (Benjamini and Hochberg) at which the feature is a discovery. The test is the one that the
        measure is: the G test for "mi", Pearson's for "chi2", analysis of variance of normal scores for
        "rank", the t test for "correlation"; where counts are small the target is shuffled. 1 for a constant
        feature; NaN where the measure is a function and nothing is shuffled.
    familywise_pvalues_, chance_ : ndarray of shape (n_features_in_,)
        Where `n_permutations` is given: how probable it is that the most relevant of all features is as
        relevant as this one by chance (Westfall and Young), and the relevance that the most relevant of the
        features with as many levels exceeds in one of twenty shuffles.
""",
    "feature_groups_": """
    feature_groups_ : list of GroupWeight
        Where groups are chosen as one: `name`, `features` (its columns), `weight`, `relevance` and whether it
        is `selected`, of each.
""",
    "n_jobs": """
    n_jobs : int or None, default=None
        Threads (processes that call a `measure` that is a function); the answer does not depend on it.
""",
    "seed": """
    random_state : int, RandomState instance or None, default=0
        Seeds `init="random"` and the sample of features that an estimated automatic theta is based on.
""",
    "n_with_weight": r"""
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with weight.

        More than there are columns is all of them, with a warning.
""",
    "C": r"""
    C : float, default=1.0
        How much the loss counts against the size of the weights.
""",
    "loss": r"""
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        What a sample on the wrong side costs.

        :math:`\ell(z) = \max(0, 1 - z)^2` or :math:`\log(1 + e^{-z})`.
""",
    "max_iter": r"""
    max_iter : int, default=20
        The most rounds, each of which adds a group of features.

        At most `n_per_step` times as many features get weight, for each class if there are several.
""",
    "tol": r"""
    tol : float, default=1e-3
        The rounds end when the objective falls by no more than this share of itself, or is proved to be that
        near to the least.

        The model of each round is solved to a tenth of it.
""",
    "absolute_weights": r"""
    scores_ : ndarray of shape (n_features_in_,)
        The absolute weight, added up over groups; with several classes its length over them. Exactly 0 where
        there is none.
""",
    "estimator_": r"""
    estimator_ : LinearModel
        The model that the rounds led to: `coef_`, `intercept_`, `classes_`, `decision_function`, `predict`.
""",
    "classes_": r"""
    classes_ : ndarray
        The class labels, sorted.
""",
    "n_iter_": r"""
    n_iter_ : int
        The rounds made; with several classes the most for one of them.
""",
    "machine_rounds": r"""
    rounds_ : list of list of Round
        For each machine (one for two classes, else one for each class) its rounds: `group`, `objective` and
        `bound`, a lower bound on the objective over all groups.
""",
    "support_": """
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
    ranking_ : ndarray of int of shape (n_features_in_,)
        Ranks as in RFE: 1 for every selected feature, then 2, 3, ... in the order of `order_`; features that
        are not ranked share the last.
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
    "significance_",
    "feature_groups_",
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
        "order",
        "measure",
        "discretizer",
        "target_discretizer",
        "class_weight",
        "target_weights",
        "fdr",
        "n_permutations",
        "keep",
        "exclude",
        "feature_groups",
        "at_most",
        "seed",
        "n_jobs",
    ),
}

TEXTS = DESCRIPTIONS | {name: "".join(map(DESCRIPTIONS.__getitem__, group)) for name, group in GROUPS.items()}
documented = documented_by(TEXTS)
