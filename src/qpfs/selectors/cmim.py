"""Conditional mutual information maximisation."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from qpfs.arrays import IndexArray
from qpfs.selector_texts import documented
from qpfs.selectors.account import Account, candidates
from qpfs.selectors.jmi import ALONE, JMI
from qpfs.selectors.reasons import Left, Names

REFERENCE = (
    "Fleuret F. Fast binary feature selection with conditional mutual information. Journal of Machine "
    "Learning Research 5:1531–1555, 2004."
)


@documented
class CMIM(JMI):
    """Conditional mutual information maximisation (CMIM): the least that a feature adds to any selected one.

    The first feature is the most relevant. Each next one maximises the minimum, over the features j already
    selected, of I(X; Y | X_j) and of I(X; Y): the information about the target that it adds to any single one
    of them. A copy of a selected feature adds nothing.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None to stop when no remaining feature
        adds more than expected by chance, (b - 1)(c - 1) b' / 2N for b and b' levels and c classes.
    {usual_parameters}
    {n_jobs}

    Attributes
    ----------
    order_ : ndarray of int
        The selected features, in the order of selection. Ties go to the lowest index.
    scores_ : ndarray of shape (n_features_in_,)
        For each selected feature the least that it added to one of those selected before (for the first its
        relevance); 0 for the others.
    {support_}
    {relevance_}
    {usual_attributes}

    See Also
    --------
    JMI : Features selected one by one, by joint information with those selected.
    MRMR : Features selected one by one, by relevance minus redundancy.

    Notes
    -----
    What differs from [1]_: features and target may have any number of levels and classes, where the
    publication has two of each.

    References
    ----------
    .. [1] F. Fleuret. Fast binary feature selection with conditional mutual information. Journal of Machine
           Learning Research 5:1531-1555, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import CMIM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> list(CMIM(3).fit(X, y).get_feature_names_out())
    ['worst texture', 'worst perimeter', 'worst concave points']
    """

    _least = True
    _references = (REFERENCE,)

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by conditional mutual information maximisation "
            "(CMIM) [1]: one after another, each with the highest minimum, over those already selected, of "
            "its mutual information with the target given one of them."
        )
        return Account(text, self._references, self._certainty(self), scored=self._scored)

    def _known(self, left: Left, some: IndexArray, names: Names) -> list[str]:
        nearest: Any = left.standing.nearest
        return [ALONE if i < 0 else f"given {names[i]}" for i in nearest[some].tolist()]
