"""What a fitted selector shows of itself: a page, and a few lines in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from qpfs.report import Report


class ReportMixin:
    """Gives a fitted selector a page about its selection, and its chosen features a table in notebooks."""

    def report(self, X: Any = None, y: Any = None, **facts: Any) -> Report:
        """One self-contained HTML page about the selection.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or None, default=None
            The features as in `fit`; adds the distribution of each chosen feature in each class. Without it
            the page shows how many samples of each class are at each level.
        y : array-like or None, default=None
            The target as in `fit`, which the selector remembers.
        **facts
            What :func:`qpfs.report.selection_record` takes besides: `names`, `data`, `command`, `stability`,
            `frequency`, `comparison`, `seconds`.

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

    def _html_repr(self) -> str:
        """scikit-learn's picture of the estimator, and once fitted what it chose."""
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
