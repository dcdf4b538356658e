"""The descriptions of parameters that several functions have, written once (`documented.py`)."""

from __future__ import annotations

from qpfs.documented import documented_by

DESCRIPTIONS: dict[str, str] = {
    "X": """
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The features, as the selector takes them.
""",
    "one_y": """
    y : array-like of shape (n_samples,)
        The target: class labels, or numbers.
""",
    "y": """
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The target: class labels, or numbers; several of one kind, if selector and estimator take them.
        The error is then the mean over targets, and folds are stratified by the first.
""",
    "selector": """
    selector : object or str
        An object with `fit(X, y)` and, after it, one of `order_` (features, best first), `scores_`,
        `ranking_` (as RFE), `coef_` or `feature_importances_` (its own or of its `estimator_`); or a
        pipeline that ends in such an object; or a method of the command by its name, with its default
        parameters, such as "mrmr".
""",
    "estimator": """
    estimator : estimator or None, default=None
        The model that is trained and tested; None is :func:`default_estimator`, a linear support vector
        machine, or for a quantity ridge regression, on scaled features. Missing numbers are filled with
        the median and labels become indicators, learned on the training part, also for an estimator of
        yours.
""",
    "cv": """
    cv : int, splitter, iterable or None, default=5
        How samples are divided: a number of stratified folds (a quantity by fifths, groups kept
        together), any splitter of scikit-learn, or an iterable of (train, test). None is 5 folds.
""",
    "scoring": """
    scoring : str, callable or None, default=None
        A scorer of scikit-learn, such as "roc_auc" or "balanced_accuracy"; None is the error rate, or for
        a quantity the relative squared error. A score of probabilities, such as "neg_log_loss", needs an
        `estimator` that has them, such as LogisticRegression().
""",
    "covariates": """
    covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
        What the selector adjusts for, as in its `fit`. The estimator does not get them.
""",
    "sample_weight": """
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weights of samples: for the selector, for the estimator, if its `fit` takes them (in a
        pipeline that of the last step, or, with metadata routing, of the steps that request them), and
        for the test samples in the error or score. A sample of weight 0 is left out.
""",
    "groups": """
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one group stay in one part. They are also given to a selector whose `fit` takes groups,
        for its p values or for the folds of a search.
""",
    "random_state": """
    random_state : int, RandomState instance or None, default=0
        The seed for shuffling samples, if they are divided into a number of folds. From an instance, or
        for None from that of NumPy, one is drawn once; the protocol states it. With `records` give a
        number: the results under another seed are others.
""",
    "confidence": """
    confidence : float, default=0.95
        The confidence of the intervals.
""",
    "records": """
    records : Records, path or None, default=None
        A file that keeps results, from which an interrupted run continues. A method is identified by its
        code and all its contents, functions included; one that cannot be identified in this way is
        refused.
""",
    "n_jobs": """
    n_jobs : int or None, default=None
        The number of threads over splits or draws; apart from times the result does not depend on it.
""",
    "tick": """
    tick : callable or None, default=None
        Called with (steps done, steps in all, what was done) after each.
""",
    "names": """
    names : sequence of str or None, default=None
        The features' names; None for those of the data frame, or their numbers.
""",
    "data": """
    data : dict or None, default=None
        Facts about the source of the data, for the record.
""",
}
documented = documented_by(DESCRIPTIONS)
