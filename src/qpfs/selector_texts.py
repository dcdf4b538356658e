"""The descriptions of parameters that many selectors have, written once (`documented.py`).

It is outside the room of the selectors, since the command reads it before it imports any of them.
"""

from __future__ import annotations

from qpfs.documented import documented_by

DESCRIPTIONS: dict[str, str] = {
    "radius": """
    radius : "auto" or float, default="auto"
        tau: clusters with a radius of at most this are not split, from 0 (identical features only) to 1;
        "auto" is the usual value for the measure.

        That is 0.4 for "rank", 0.5 for "correlation", and 0.8 for discretised features, where even near
        copies have a distance of 0.5 or more.
""",
    "n_first": """
    n_first : "auto" or int, default="auto"
        The number of initial clusters; "auto" is 100, but at most a quarter of the number of features.
""",
    "n_split": """
    n_split : int, default=50
        The number of parts that a cluster is split into, at least 2.
""",
    "max_depth": """
    max_depth : int or None, default=None
        L: the maximum number of levels of clusters, of which the initial clusters are the first; None for no
        limit.
""",
    "init": """
    init : {"leaders", "relevance", "first", "random", "farthest"}, default="relevance"
        The initial centres of clusters: the most relevant features that are farther than `radius` from each
        other ("leaders"), the most relevant features ("relevance"), the first columns ("first"), random
        features ("random"), or the most relevant feature and then each time the one farthest from all
        centres so far ("farthest").

        With "relevance", copies among the initial centres keep clusters of their own. "first" is as
        published; the result then depends on the order of the columns. With "leaders" and "relevance" it
        does not, except for features of exactly equal relevance or distance, where the lower index comes
        first; with few samples such ties are common.
""",
    "representative": """
    representative : {"mean", "medoid"}, default="mean"
        The member that represents a cluster: the one nearest to the mean of the discretised members ("mean"),
        or the one with the smallest sum of distances ("medoid").

        For "mean", members that decrease where the centre increases are reversed first. The cost of "medoid"
        grows with the square of the number of members.
""",
    "n_kept": """
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight. If there are fewer representatives of clusters, all of them are selected, with a warning.

        If there are fewer columns, all of them are selected, with a warning.
""",
    "n_positive": """
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight.

        If there are fewer columns, all of them are selected, with a warning.
""",
    "theta": """
    theta : "auto" or float in [0, 1], default="auto"
        The weight of relevance against redundancy: 1 ranks by relevance alone, 0 ignores the target, "auto"
        balances the two on average.

        "auto" is mean(Q) / (mean(Q) + mean(s)).
""",
    "order": """
    order : {"nearest", "weight"}, default="nearest"
        How the features with weight are ranked, and thus which k of them are selected: one by one, each time
        the one whose relevance most exceeds its redundancy with the nearest feature ranked before it
        ("nearest"), or by weight ("weight").

        With "nearest" the most relevant feature is the first; "weight" is as published. Which features have
        weight does not depend on it.
""",
    "measure": """
    measure : {"auto", "rank", "mi", "correlation", "chi2"}, callable or Measure, default="auto"
        The measure of relevance and redundancy: the squared correlation of the normal scores of ranks
        ("rank"), mutual information of the discretised features ("mi"), absolute Pearson correlation
        ("correlation"), or the chi-square measure of the discretised features ("chi2"); "auto" is "rank", but
        "mi" if a discretiser is given or the table is encoded as levels.

        "rank" needs no discretisation and makes the program convex (:class:`qpfs.information.Rank` with
        degree 2 also detects U-shapes); so does "chi2", which is phi^2. "mi" is as published. A measure of
        your own is a function ``f(x, y) -> float``, not negative, which is called with pairs of columns
        (float64; labels, and classes of the target, as 0, 1, ... in sorted order): slow, and only for dense
        tables without missing values (docs/own.md; :class:`qpfs.information.FunctionMeasure` can declare that
        its matrix is positive semi-definite). A measure of counts is a
        :class:`qpfs.information.CountMeasure`.
""",
    "discretizer": """
    discretizer : discretiser or None, default=None
        How numbers are discretised, if the measure uses levels (bins).

        None is ``EqualFrequency(3)``; ``ThreeSegments()`` is as published. Not used by "rank", "correlation"
        and functions.
""",
    "target_discretizer": """
    target_discretizer : discretiser or None, default=None
        How a target that is a quantity is discretised, if the measure uses levels (bins).

        None is ``EqualFrequency(5)``. Not used by "rank", "correlation" and functions. A numeric target is a
        quantity if not all of it are integers, or if it has more than 32 different values and more than one
        for every four samples. A discretiser given here is applied to any numeric target. If more than half
        of the samples have one value (such as zero losses), equal frequency gives that value a bin of its own
        and divides the other samples among the other bins; "rank" treats such a target as two: whether it has
        that value, and the ranks of the other values.
""",
    "target_weights": """
    target_weights : array-like of shape (n_targets,) or None, default=None
        The weight of each of several targets: relevance is the weighted mean over them; None weights them
        equally, but "rank" then takes them jointly.

        Weights are 0 or more; a target of weight 0 is ignored. Jointly means that relevance is what a feature
        shares with all targets together, and what two targets have in common counts once. Where relevance is
        a mean, p values are those of the target with the smallest one, corrected for the number of targets
        (weighted Bonferroni).
""",
    "class_weight": """
    class_weight : "balanced", dict or None, default=None
        The weight of the samples of each class: equal totals for all classes ("balanced"), or a weight for
        each class; None gives all samples the weight 1.

        Multiplied with `sample_weight`. Classes that a dictionary does not name have the weight 1. With
        "balanced" the weights add up to the number of samples. A target that is a quantity has no classes.
""",
    "fdr": """
    fdr : float or None, default=None
        The largest false discovery rate that is allowed: features with a q value above it are not selected.
        None sets no limit.

        Such features are left out before the others are weighed, so that others take their place; they have
        no rank. It is possible that no feature remains.
""",
    "n_permutations": """
    n_permutations : int, default=0
        How often the target is shuffled for family-wise p values: the probability that any of all features is
        this relevant by chance.

        1,000 is usual. No such p value is below 1 / (`n_permutations` + 1).
""",
    "keep": """
    keep : str, int, list of them, mask or None, default=None
        Features that are always selected, by name or by a pattern such as "age*". They come first, and the
        others are weighed given them.

        Also by index, by a mask of all columns, and for an AnnData object by the name of a boolean column of
        `var`; a list may mix these. `n_features_to_select` counts them, and `fdr` removes none of them. In a
        quadratic program each has at least the average weight that features have if none is kept; methods
        that take features one by one take these before all others, the most relevant first; they are centres
        of clusters that are never discarded. Names are looked up at each fit; a kept feature that is constant
        is an error.
""",
    "exclude": """
    exclude : str, int, list of them, mask or None, default=None
        Features that are never selected, by name or by a pattern such as "AFFX*". The selection is that of a
        table without them, but unlike dropped columns they are still reported, with a relevance and a reason.

        Given as for `keep`. An automatic theta ignores them. p and q values are computed over all features,
        these included; to leave columns out completely, drop them from X.
""",
    "feature_groups": """
    feature_groups : dict, list, str or None, default=None
        Features that belong together, such as the columns of a category or the genes of a pathway: the text
        that follows the group's name in the names of its columns, such as "__" in color__red and color__blue.

        With "rank" a group is selected, or not, as a whole, and `n_features_to_select` counts it as one: all
        its columns are selected, and each has the weight, the relevance and the p value of the whole group. A
        group is represented by the directions along which its columns vary most: at most 32, and at most one
        for every four samples. Other measures need `at_most`. Groups are given as a text, as a dict from
        names to features (as for `keep`), or as a label for each column (None: in no group); columns in no
        group stand alone, and excluded ones are in none. `feature_groups_` lists the groups of a fit.
""",
    "at_most": """
    at_most : int or None, default=None
        The maximum number of features selected from each group; further ones are skipped. Groups are then not
        selected as a whole, and any measure can be used.

        Needs `feature_groups`. Skipped features have no rank.
""",
    "significance_": """
    pvalues_, qvalues_ : ndarray of shape (n_features_in_,)
        The probability of at least this relevance if feature and target are independent, and the smallest
        false discovery rate (Benjamini and Hochberg) at which the feature is a discovery. The test is that of
        the measure: the G test for "mi", Pearson's chi-square test for "chi2", analysis of variance of normal
        scores for "rank", the t test for "correlation"; if counts are small the target is shuffled instead. 1
        for a constant feature; NaN if the measure is a function and nothing is shuffled.
    familywise_pvalues_, chance_ : ndarray of shape (n_features_in_,)
        If `n_permutations` is given: the probability that the most relevant of all features is as relevant as
        this one by chance (Westfall and Young), and the relevance that the most relevant of the features with
        equally many levels exceeds in one of twenty shuffles.
""",
    "feature_groups_": """
    feature_groups_ : list of GroupWeight
        If groups are selected as a whole: the `name`, `features` (its columns), `weight` and `relevance` of
        each, and whether it is `selected`.
""",
    "n_jobs": """
    n_jobs : int or None, default=None
        The number of threads (processes if `measure` is a function); the result does not depend on it.
""",
    "seed": """
    random_state : int, RandomState instance or None, default=0
        The seed of `init="random"` and of the sample of features from which an automatic theta is estimated.
""",
    "n_with_weight": r"""
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with weight.

        If there are fewer columns, all of them are selected, with a warning.
""",
    "C": r"""
    C : float, default=1.0
        The weight of the loss against the size of the weights.
""",
    "loss": r"""
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        The loss of a sample on the wrong side of the margin.

        :math:`\ell(z) = \max(0, 1 - z)^2` or :math:`\log(1 + e^{-z})`.
""",
    "max_iter": r"""
    max_iter : int, default=20
        The maximum number of rounds, each of which adds a group of features.

        At most `n_per_step` times as many features get weight, for each class if there are several.
""",
    "tol": r"""
    tol : float, default=1e-3
        The rounds end when the objective decreases by at most this fraction of itself, or is proved to be
        that close to the minimum.

        The model of each round is solved to a tenth of it.
""",
    "absolute_weights": r"""
    scores_ : ndarray of shape (n_features_in_,)
        The absolute weight, summed over groups; with several classes its Euclidean norm over them. Exactly 0
        for features without weight.
""",
    "estimator_": r"""
    estimator_ : LinearModel
        The model after the last round: `coef_`, `intercept_`, `classes_`, `decision_function`, `predict`.
""",
    "classes_": r"""
    classes_ : ndarray
        The class labels, sorted.
""",
    "n_iter_": r"""
    n_iter_ : int
        The number of rounds; with several classes the largest over the classes.
""",
    "machine_rounds": r"""
    rounds_ : list of list of Round
        The rounds of each binary model (one for two classes, else one for each class): `group`, `objective`
        and `bound`, a lower bound on the objective over all groups.
""",
    "support_": """
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
    ranking_ : ndarray of int of shape (n_features_in_,)
        Ranks as in RFE: 1 for every selected feature, then 2, 3, ... in the order of `order_`; features that
        are not ranked share the last rank.
""",
    "relevance_": """
    relevance_ : ndarray of shape (n_features_in_,)
        The relevance of each feature: what it shares with the target.
""",
    "labels_": """
    labels_ : ndarray of int of shape (n_features_in_,)
        The final cluster of every feature; -1 if it was discarded, or the feature is constant.
""",
    "representatives_": """
    representatives_ : ndarray of int
        The feature that represents each final cluster.
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
        The number of distances computed.
""",
    "rounds_": """
    rounds_ : sequence of Round
        The rounds in order, each with level, parent, members, labels, representatives, radii, weights, fates.
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
        Names of the features seen in fit, if X had names.
""",
    "ranked_representatives": """
    order_ : ndarray of int
        The representatives kept, best first: those with weight in the `order` of the program, then by reduced
        gradient, then by index.
""",
    "final_weights": """
    scores_ : ndarray of shape (n_features_in_,)
        The weights alpha of the final program; 0 for features that are not in it.
""",
    "theta_": """
    theta_, theta_standard_error_ : float
        theta as used, and its standard error if it was estimated.
""",
    "gap_": """
    gap_, objective_ : float
        The optimality gap (the certificate) and the objective of the final program.
""",
}

USUAL_PARAMETERS = (
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
)
USUAL_ATTRIBUTES = ("significance_", "feature_groups_", "discretizer_", "n_features_in_", "feature_names_in_")
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
    *USUAL_ATTRIBUTES,
)
GROUPS = {
    "usual_parameters": USUAL_PARAMETERS,
    "usual_attributes": USUAL_ATTRIBUTES,
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
        *USUAL_PARAMETERS,
        "seed",
        "n_jobs",
    ),
}

TEXTS = DESCRIPTIONS | {
    name: "\n".join(DESCRIPTIONS[one].strip("\n") for one in group) for name, group in GROUPS.items()
}
documented = documented_by(TEXTS)
