"""A page that can be shown in a notebook and saved, and the few lines a notebook shows of a selector."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path

from qpfs.files import check_free, write_whole
from qpfs.kinds import Unchecked
from qpfs.report.comparison import completed
from qpfs.report.names import one_line
from qpfs.report.page import comparison_page, drawn, selection_page
from qpfs.report.schema import COMPARISON
from qpfs.report.score_text import score_noun, score_text, span_text
from qpfs.report.verdict import stability_text, verdict
from qpfs.selectors.account import given_account
from qpfs.selectors.given_features import seen_names
from qpfs.selectors.reporting import ReportMixin
from qpfs.wording import counted, short

ROWS = 20  # that a page of a notebook shows without scrolling


class Report:
    """The page about a selection, or about a comparison of methods.

    Parameters
    ----------
    record : mapping
        The result of :func:`qpfs.report.selection_record`, or the record of a comparison.

    Attributes
    ----------
    html : str
        The page, one document that needs no other file.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> report = QPFS(4).fit(X, y).report(X)
    >>> report
    <Report: 4 of 30 features selected, QPFS>
    """

    def __init__(self, record: Unchecked) -> None:
        self.record = record

    @cached_property
    def html(self) -> str:
        return comparison_page(self.record) if self._compares else selection_page(self.record)

    @property
    def _compares(self) -> bool:
        return bool(self.record.get("schema") == COMPARISON)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the page, completely or not at all.

        Parameters
        ----------
        path : str or Path
            The file to write.
        force : bool, default=False
            Whether a file that exists is replaced.

        Returns
        -------
        path : Path
            The file written.
        """
        path = Path(path)
        source = self.record["data"].get("source")
        check_free(path, force=force, read=[source] if isinstance(source, str) else [])
        write_whole(path, self.html, force=force)
        return path

    def __repr__(self) -> str:
        if self._compares:
            return f"<Report: {counted(len(self.record['methods']), 'method')} compared>"
        n, m = self.record["n_selected"], self.record["data"]["n_features"]
        return f"<Report: {n:,} of {counted(m, 'feature')} selected, {self.record['method']['title']}>"

    def _repr_html_(self) -> str:
        """The page in a separate frame, which cannot affect the notebook."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            'title="Report" '
            'style="width:100%;height:46rem;border:1px solid #c5cad2;border-radius:6px"></iframe>'
        )


def chosen_table(selector: ReportMixin) -> str:
    """The selected features of a fitted selector as a small table of HTML."""
    asked, relevance = selector.fitted_.asked, getattr(selector, "relevance_", None)
    names = asked.titles(seen_names(selector))
    chosen = asked.units(selector.order_[selector.support_[selector.order_]])
    columns = [selector.scores_, *([] if relevance is None else [relevance])]
    rows = [(one_line(names[i]), [float(column[i]) for column in columns]) for i in chosen[:ROWS].tolist()]
    heads = ["score" if given_account(selector).scored else "weight", "relevance"][: len(columns)]
    counts = {"n_selected": len(chosen), "n_features": len(names), "most": ROWS}
    return drawn("chosen_table.html", rows=rows, heads=heads, **counts)


def method_table(comparison: Unchecked) -> str:
    """The methods of a comparison as a small table of HTML."""
    record = completed(comparison)
    heads = ["method", score_noun(record), "interval", "best with", "enough", "stability", "seconds"]
    rows = [(one_line(one["title"]), table_cells(one, record), one["failed"]) for one in record["methods"]]
    empty = [""] * 4
    for one in record["baselines"]:
        rows.append((one["name"], [score_text(one["score"], record), span_text(one, record), *empty], None))
    return drawn("method_table.html", answer=verdict(record), heads=heads, rows=rows)


def table_cells(method: Unchecked, record: Unchecked) -> list[str]:
    """The numbers of a method in a table of methods; none if it failed."""
    if method["failed"] or not method["nested"]:
        return []
    sizes = [one["k"] if (one := method[name]) else "–" for name in ("best", "smallest")]
    seconds = (method["seconds"] or {}).get("median")
    return [
        score_text(method["nested"]["score"], record),
        span_text(method["nested"], record),
        *map(str, sizes),
        stability_text(method["stability"]),
        short(seconds, 2),
    ]
