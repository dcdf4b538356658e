"""A page that can be shown in a notebook and saved, and the few lines a notebook shows of a selector."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from qpfs.files import check_free, write_whole
from qpfs.report.names import feature_names, one_line
from qpfs.report.page import selection_page
from qpfs.wording import counted, fixed

ROWS = 20  # that a page of a notebook shows without scrolling


class Report:
    """The page about a selection.

    Parameters
    ----------
    record : mapping
        What :func:`qpfs.report.selection_record` returns.

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

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record

    @cached_property
    def html(self) -> str:
        return selection_page(self.record)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the page, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Where to.
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
        n, m = self.record["n_selected"], self.record["data"]["n_features"]
        return f"<Report: {n:,} of {counted(m, 'feature')} selected, {self.record['method']['title']}>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which can do nothing to the notebook."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" title="Selection report" '
            'style="width:100%;height:46rem;border:1px solid #c5cad2;border-radius:6px"></iframe>'
        )


def chosen_table(selector: Any) -> str:
    """The selected features of a fitted selector as a small table of HTML."""
    names = feature_names(selector)
    chosen = selector.order_[selector.support_[selector.order_]]
    relevance = getattr(selector, "relevance_", None)
    value = "score" if selector.account().scored else "weight"
    heads = ["rank", "feature", value, *([] if relevance is None else ["relevance"])]
    rows = []
    for rank, i in enumerate(chosen[:ROWS].tolist(), start=1):
        numbers = [selector.scores_[i], *([] if relevance is None else [relevance[i]])]
        rows.append(row_html(str(rank), one_line(names[i]), [fixed(float(number)) for number in numbers]))
    more = f"; the first {ROWS} are shown" if len(chosen) > ROWS else ""
    head = "".join(cell_html("th", word, right=word != "feature") for word in heads)
    return (
        '<div style="margin-top:.8em">'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        '<caption style="text-align:left;white-space:nowrap;padding:.2em .6em">'
        f"{counted(len(chosen), 'feature')} of {len(names):,} selected{more}; "
        "<code>report()</code> shows more"
        f"</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row_html(rank: str, name: str, numbers: list[str]) -> str:
    numbers_html = "".join(cell_html("td", escape(number)) for number in numbers)
    name_html = cell_html("td", f"<bdi>{escape(name)}</bdi>", right=False)
    return f"<tr>{cell_html('td', rank)}{name_html}{numbers_html}</tr>"


def cell_html(tag: str, inner: str, *, right: bool = True) -> str:
    """A cell of markup, with room at its sides."""
    return f'<{tag} style="text-align:{"right" if right else "left"};padding:.15em .6em">{inner}</{tag}>'
