"""FGM."""

from __future__ import annotations

from collections.abc import Collection

from qpfs.checks import checked_count
from qpfs.embedded import Largest
from qpfs.selector_texts import documented
from qpfs.selectors.account import Account, candidates
from qpfs.selectors.embedded import EmbeddedSelector

REFERENCE = (
    "Tan M, Wang L, Tsang IW. Learning sparse SVM for feature selection on very high dimensional datasets. "
    "Proceedings of the 27th International Conference on Machine Learning, 2010."
)


@documented
class FGM(EmbeddedSelector):
    r"""The Feature Generating Machine: a linear SVM that adds groups of features while it is fitted.

    Finds groups of at most B features and weights :math:`w_t` on them that minimise

    .. math:: \tfrac12 \Big(\sum_t \|w_t\|\Big)^2 + \tfrac12 b^2
              + C \sum_i \ell\big(y_i (b + \sum_t w_t' x_{it})\big),

    by cutting planes: the B features with the largest :math:`|c_j|,\ c_j = \sum_i a_i y_i x_{ij}`, with
    :math:`a_i` how hard sample i pulls, are the group that the model misses most; it is added and the model
    fitted again, until the objective hardly changes. Features are ranked by their weight.

    Parameters
    ----------
    {n_with_weight}
    n_per_step : int, default=5
        B: how many features are in a group, one group being added in each round.
    {C}
    {loss}
    {max_iter}
    {tol}
    fit_intercept : bool, default=False
        Whether the model has an intercept; as published it has none.

        It counts as one more weight, as in LinearSVC, and the first round starts from the b that is best
        without any feature. Worth it where features are not centred and classes are not balanced: without b
        the first groups are those that could stand in for it.

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, best first: by weight, then by how much the model misses them
        (:math:`|c_j|` at the end), then by index.
    {absolute_weights}
    {support_}
    {estimator_}
    {classes_}
    objective_ : float
        The objective at the weights found; with several classes the sum over them.
    gap_ : float
        The certificate: no groups of features that vary, and no weights, have an objective lower by more than
        this. Rounds that `max_iter` ends may leave much of it.
    {n_iter_}
    {machine_rounds}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    GDM : A linear model that adds groups of uncorrelated features.
    sklearn.feature_selection.RFE : Recursive feature elimination.

    Notes
    -----
    **Scale the features**: weights, and so ranks, depend on their units. Nothing is scaled here; the
    experiments this is compared with scale to [-1, 1], see the example, and for sparse data `MaxAbsScaler`
    keeps zeros.

    The objective, the rounds and the defaults of `n_per_step`, `max_iter` and `tol` are those of the second
    publication [2]_ and the program that comes with it (whose C is 10; 1 is that of the first program and
    of LinearSVC, and errors on four real sets differed little). What differs: the proximal step is the
    exact one (a public program stops its search for the threshold too early, so that groups survive which
    should vanish); accelerated proximal gradient runs on a quadratic model of the loss, renewed until a
    duality gap closes, instead of on the loss for a few steps; the rounds also end where the group found is
    in use already. Constant features are never taken. With several classes each is told from the rest by a
    machine of its own and the weights are merged; the publications have two classes only.

    One pass over the data is made in each round; memory above the input is that of the features in use,
    dense, and a few numbers for each feature and each sample.

    References
    ----------
    .. [1] M. Tan, L. Wang, I. W. Tsang. Learning Sparse SVM for Feature Selection on Very High Dimensional
           Datasets. ICML 2010.
    .. [2] M. Tan, I. W. Tsang, L. Wang. Towards Ultrahigh Dimensional Feature Selection for Big Data. Journal
           of Machine Learning Research 15:1371-1429, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from qpfs import FGM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(MinMaxScaler((-1, 1)), FGM(3)).fit(X, y)
    >>> list(model.get_feature_names_out())
    ['mean concavity', 'concavity error', 'worst radius']
    >>> model.transform(X).shape
    (569, 3)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    _references = (REFERENCE,)

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_per_step: int = 5,
        C: float = 1.0,
        loss: str = "squared_hinge",
        max_iter: int = 20,
        tol: float = 1e-3,
        fit_intercept: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_per_step = n_per_step
        self.C = C
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _search(self) -> Largest:
        return Largest(checked_count("n_per_step", self.n_per_step, 1))

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by the feature generating machine (FGM) [1], a "
            "sparse linear support vector machine trained by cutting planes: in each round the "
            f"{self.n_per_step} features that violate most were added ({self._model_text()})."
        )
        return Account(text, self._references, self._certainty(), repeats_little=False)
