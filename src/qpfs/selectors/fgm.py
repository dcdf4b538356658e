"""FGM: the Feature Generating Machine."""

from __future__ import annotations

from collections.abc import Collection

from qpfs.checks import check_limits
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

    Selects groups of at most B features, with weights :math:`w_t`, that minimise

    .. math:: \tfrac12 \Big(\sum_t \|w_t\|\Big)^2 + \tfrac12 b^2
              + C \sum_i \ell\big(y_i (b + \sum_t w_t' x_{it})\big),

    by cutting planes: the B features with the largest :math:`|c_j|,\ c_j = \sum_i a_i y_i x_{ij}`, with
    :math:`a_i = -C\,\ell'(z_i)` at the margin :math:`z_i` of sample i, violate optimality most. They are
    added as a group and the model is fitted again, until the objective hardly changes. Features are ranked by
    their weight.

    Parameters
    ----------
    {n_with_weight}
    n_per_step : int, default=5
        B: how many features a group has; each round adds one group.
    {C}
    {loss}
    {max_iter}
    {tol}
    fit_intercept : bool, default=False
        Whether the model has an intercept; as published it has none.

        It is penalised like a weight, as in LinearSVC, and the first round starts from the best b without
        features. Useful where features are not centred and classes are not balanced: without b the first
        groups are those that can replace it.

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, best first: by weight, then by violation (:math:`|c_j|` of the
        final model), then by index.
    {absolute_weights}
    {support_}
    {estimator_}
    {classes_}
    objective_ : float
        The objective at the final weights; with several classes the sum over them.
    gap_ : float
        The certificate: no groups of features that vary, and no weights, have an objective lower by more than
        this. It can be large where `max_iter` ended the rounds.
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
    **Scale the features**: weights, and therefore ranks, depend on their units. `fit` scales nothing. The
    published experiments scale to [-1, 1], as the example does; for sparse data, `MaxAbsScaler` keeps zeros.

    The objective, the rounds and the defaults of `n_per_step`, `max_iter` and `tol` are those of the second
    publication [2]_ and its software (whose C is 10; 1 is that of the first publication's software and of
    LinearSVC, and errors on four real data sets differed little). What differs: the proximal step is exact
    (one public implementation ends its search for the threshold too early, and keeps groups that should
    vanish); accelerated proximal gradient minimises a quadratic model of the loss, which is renewed until a
    duality gap closes, instead of a few steps on the loss itself; the rounds also end where the new group is
    already in use. Constant features are never selected. With several classes, one model is fitted for each
    class against the rest and the weights are merged; the publications have two classes only.

    Each round makes one pass over the data. Beyond the input, memory holds the features in use as dense
    columns, and a few numbers for each feature and each sample.

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
        check_limits(self, "n_per_step")
        return Largest(int(self.n_per_step))

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by the feature generating machine (FGM) [1], a "
            "sparse linear support vector machine trained by cutting planes: in each round the "
            f"{self.n_per_step} features that violate optimality most were added ({self._model_text()})."
        )
        return Account(text, self._references, self._certainty(), repeats_little=False)
