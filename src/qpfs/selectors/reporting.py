"""How a fitted selector is shown: as a page, a data frame, numbers, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils import estimator_html_repr
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from qpfs.arrays import BoolArray, FloatArray, IndexArray
    from qpfs.report import Report
    from qpfs.selectors.fitted import Fitted


class ReportMixin:
    """Gives a fitted selector a page and tables about its selection, and shows it in notebooks."""

    # What the report reads of every fitted selector; what only some have (`labels_`) is looked up by name.
    n_features_in_: int
    order_: IndexArray
    scores_: FloatArray
    support_: BoolArray
    fitted_: Fitted
    get_params: Callable[..., dict[str, object]]

    def report(self, X: Any = None, y: Any = None, **facts: Any) -> Report:
        """One self-contained HTML page about the selection.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or None, default=None
            The features as in `fit`; adds the distribution of each selected feature in each class. Without it
            the page shows how many samples of each class have each level.
        y : array-like or None, default=None
            The target as in `fit`; not needed, since the selector keeps it.
        **facts
            Further arguments of :func:`qpfs.report.selection_record`: `names`, `data`, `command`,
            `stability`, `frequency`, `comparison`, `cohorts`, `seconds`.

        Returns
        -------
        report : Report
            With `html`, `record` and `save`; a notebook shows the page.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFS
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> report = QPFS(4).fit(X, y).report(X)
        >>> report.record["n_selected"], report.html[:15]
        (4, '<!doctype html>')
        """
        from qpfs.report import Report, selection_record

        check_is_fitted(self, "support_")
        return Report(selection_record(self, X=X, y=y, **facts))

    def to_frame(self, X: Any = None) -> Any:
        """A data frame with a row for every feature: the selected ones by rank, then the others.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or None, default=None
            The features as in `fit`, for the effect of each on the target. Without it the effects are those
            of the ranks or levels that the fit keeps. Effects are never adjusted: after a fit by ranks or
            correlation with covariates, they are known only if X is given.

        Returns
        -------
        frame : pandas.DataFrame or polars.DataFrame
            Of the library that `set_output` names, else of pandas, or of polars if pandas is not installed.
            The columns are those of `selection.csv`: `feature`, `index`, `selected`, `rank` (the place in
            `order_`), `weight` (`score` where a method has scores), `relevance`, `pvalue`, `qvalue`,
            `direction`, `effect`, `effect_measure`, `cluster`, `representative` and `distance` to it,
            `reason`. Columns that do not apply to the selector are left out.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFS
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> frame = QPFS(2).fit(X, y).to_frame()
        >>> frame[["feature", "selected", "rank"]].head(3)
                    feature  selected  rank
        0        worst area      True     1
        1  worst smoothness      True     2
        2     worst texture     False     3
        """
        from qpfs.report import feature_columns, frame_of

        check_is_fitted(self, "support_")
        output = _get_output_config("transform", self)["dense"]
        return frame_of(feature_columns(self, X), None if output == "default" else output)

    def metrics(self) -> dict[str, int | float]:
        """The selection in numbers, for experiment trackers: a flat dict of finite numbers.

        Returns
        -------
        metrics : dict of str to int or float
            Those that apply of `n_samples`, `n_features`, `n_constant`, `n_ranked`, `n_weighted`,
            `n_selected`; `theta`, `theta_standard_error`, `objective`, `gap`, `optimal` (1 if that is proved,
            else 0), `n_columns`, `n_iter`; `relevance_max` (of all features), `relevance_selected_mean`;
            `pvalue_min`, `qvalue_min`; `n_clusters`, `n_discarded` (features), `radius`, `n_distances`;
            `best_score` of a search.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFS
        >>> metrics = QPFS(4).fit(*load_breast_cancer(return_X_y=True)).metrics()
        >>> metrics["n_selected"], metrics["n_weighted"], metrics["optimal"], round(metrics["theta"], 3)
        (4, 12, 1, 0.474)
        """
        from qpfs.report import metrics_of

        check_is_fitted(self, "support_")
        return metrics_of(self)

    def _html_repr(self) -> str:
        """scikit-learn's diagram of the estimator, followed by the selection once it is fitted."""
        from qpfs.report import chosen_table

        shown: str = estimator_html_repr(self)
        return shown + chosen_table(self) if hasattr(self, "support_") else shown

    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._html_repr()
        return bundle
