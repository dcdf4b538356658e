"""The result of a comparison: a record, and its forms as table, page and figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qpfs.report import ErrorCurveDisplay, Report


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    r"""The result of comparing methods.

    Parameters
    ----------
    record : dict
        The result as plain data: `data`, `protocol`, `methods` (each with `title`, `curve`, `nested` error or
        score, `best`, `smallest` within one standard error of the best, `seconds` of a fit, `memory_mb`,
        `stability`, `often` selected features; or `failed` with the reason), `baselines`, `versions`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import compare
    >>> found = compare([QPFS()], *load_breast_cancer(return_X_y=True), cv=3, inner_cv=2, sizes=[2, 5])
    >>> found.record["protocol"]["scoring"]["name"], "QPFS" in repr(found)
    ('error rate', True)
    >>> found.report().html[:15], found.to_latex().splitlines()[0]
    ('<!doctype html>', '\\begin{tabular}{lrrrrrrr}')
    """

    record: dict[str, Any]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row of plain data for each method, and for all features; a method that failed has `failed`."""
        return [row_of(one) for one in [*self.record["methods"], *self.record["baselines"]]]

    def to_frame(self) -> Any:
        """A data frame with a row for each method, and for all features.

        Returns
        -------
        frame : pandas.DataFrame, or polars.DataFrame where pandas is not installed
            The nested error or score as `score`, its interval, `best_k` and `enough_k` features with their
            scores, `stability`, `seconds`, `memory_mb`, and why a method `failed`.
        """
        from qpfs.report import frame_of

        rows = self.rows
        return frame_of({name: [row[name] for row in rows] for name in rows[0]})

    def report(self) -> Report:
        """One self-contained HTML page about the comparison.

        Returns
        -------
        report : Report
            With `html`, `record` and `save`; a notebook shows the page.
        """
        from qpfs.report import Report

        return Report(self.record)

    def plot(self, ax: Any = None) -> ErrorCurveDisplay:
        """Draw the error or score of each method against the number of features, with intervals.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : ErrorCurveDisplay
            With `ax_` and `figure_`.
        """
        from qpfs.report import ErrorCurveDisplay

        return ErrorCurveDisplay.from_comparison(self, ax=ax)

    def to_latex(self) -> str:
        """The table of the methods in LaTeX.

        Returns
        -------
        table : str
            A `tabular`, which needs no package.
        """
        from qpfs.report.comparison import latex_table

        return latex_table(self.record)

    def _repr_html_(self) -> str:
        from qpfs.report.notebook import method_table

        return method_table(self.record)

    def __repr__(self) -> str:
        from qpfs.report.comparison import completed
        from qpfs.report.score_text import score_text, span_text
        from qpfs.report.verdict import verdict

        record = completed(self.record)
        lines = [f"<Comparison: {verdict(record)}>"]
        for one in self.rows:
            text = f"{score_text(one['score'], record)} ({span_text(one, record) or 'no interval'})"
            lines.append(f"  {one['method']}: " + (f"failed: {one['failed']}" if one["failed"] else text))
        return "\n".join(lines)


def row_of(method: dict[str, Any]) -> dict[str, Any]:
    """The row of a method or of a baseline in a table."""
    nested = method.get("nested") or method
    best, enough, stable = (method.get(name) or {} for name in ("best", "smallest", "stability"))
    return {
        "method": method["name"],
        **{name: nested.get(name) for name in ("score", "low", "high")},
        "best_k": best.get("k"),
        "best_score": best.get("score"),
        "enough_k": enough.get("k"),
        "enough_score": enough.get("score"),
        "stability": stable.get("index"),
        "seconds": (method.get("seconds") or {}).get("median"),
        "memory_mb": method.get("memory_mb"),
        "failed": method.get("failed"),
    }
