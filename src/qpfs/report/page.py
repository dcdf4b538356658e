"""The only module that imports Jinja2: a record becomes one self-contained page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from qpfs.kinds import Unchecked
from qpfs.report import (
    cohort_text,
    effect_words,
    pictures,
    references,
    score_text,
    stability_text,
    verdict,
    words,
)
from qpfs.report.comparison import completed, estimator_references
from qpfs.report.names import shown, source_name
from qpfs.report.normal_scores import TIE
from qpfs.report.pictures.axes import NARROW, Picture
from qpfs.report.pictures.spread import is_outlined
from qpfs.report.pictures.svg import svg
from qpfs.report.pictures.weight_fall import caption
from qpfs.report.record import SHOWN
from qpfs.report.schema import (
    ComparisonRecord,
    NearRecord,
    SelectionRecord,
    check_comparison,
    check_selection,
)
from qpfs.wording import counted, fixed, gap_text, percent, short, small

FAR = 0.95  # distance above which a feature is a weak substitute for another
LISTED = 1000  # selected features with a row on the page


def selection_page(record: Unchecked) -> str:
    """The page about a selection.

    Parameters
    ----------
    record : mapping
        The result of :func:`qpfs.report.selection_record`, or the contents of a selection.json.

    Returns
    -------
    html : str
        One document that needs no other file and no network.

    Raises
    ------
    RecordError
        If something in the record is not as this version writes it; the message gives the place and what was
        expected.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.report import selection_page, selection_record
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> page = selection_page(selection_record(QPFS(4).fit(X, y)))
    >>> "worst concave points" in page
    True
    """
    checked = check_selection(record)
    facts = with_source(checked)
    if facts["comparison"]:
        facts["comparison"] = completed(facts["comparison"])
    return drawn("selection.html", record=facts, methods=methods_text(checked), **limits(facts))


def comparison_page(record: Unchecked) -> str:
    """The page about a comparison of methods.

    Parameters
    ----------
    record : mapping
        A record under the schema "qpfs-comparison/2".

    Returns
    -------
    html : str
        One document that needs no other file and no network.

    Raises
    ------
    RecordError
        If something in the record is not as this version writes it; the message gives the place and what was
        expected.

    Examples
    --------
    >>> from qpfs.report import comparison_page
    >>> curve = [{"k": k, "score": 0.2 / k, "low": None, "high": None} for k in (1, 2, 4)]
    >>> page = comparison_page({
    ...     "qpfs": "1.0",
    ...     "created": "2030-01-01",
    ...     "data": {"source": "a.csv", "n_samples": 9, "n_features": 4},
    ...     "protocol": {"text": "Ten folds."},
    ...     "methods": [{"name": "qpfs", "title": "QPFS", "curve": curve}],
    ... })
    >>> "1 method compared" in page
    True
    """
    checked = check_comparison(record)
    return drawn("comparison.html", record=completed(with_source(checked)), methods=comparison_text(checked))


def with_source(record: Unchecked) -> dict[str, Any]:
    """The record with a readable name of its source."""
    data = record["data"]
    return {**record, "data": {**data, "source": source_name(data.get("source"))}}


def methods_text(record: SelectionRecord) -> dict[str, str | list[str]]:
    """A methods paragraph ready for a paper, and the references that it cites, in their order."""
    return cited("methods_text.txt", record["method"]["account"]["references"], record=record)


def comparison_text(record: ComparisonRecord) -> dict[str, str | list[str]]:
    """A methods paragraph about methods that were compared, and the references that it cites, in order."""
    of_estimator = estimator_references(record["protocol"].get("estimator"))
    return cited("comparison_text.txt", [], record=completed(record), estimator_references=of_estimator)


def cited(template: str, known: Sequence[str], **facts: Any) -> dict[str, str | list[str]]:
    """A paragraph and the references that it cites; those that are known come first."""
    found = list(known)

    def cite(reference: str) -> str:
        found.extend([reference] * (reference not in found))
        return f"[{found.index(reference) + 1}]"

    text = environment().get_template(template).render(cite=cite, **facts)
    return {"text": re.sub("[ \n]+", " ", text).strip(), "references": found}


def limits(record: Unchecked) -> dict[str, Any]:
    """Which features are drawn, which listed, and how many are neither."""
    features = record["features"]
    return {
        "drawn": features[:SHOWN],
        "listed": features[SHOWN:LISTED],
        "n_left_out": max(record["n_selected"] - LISTED, 0),
        "largest": max((abs(one["weight"]) for one in features), default=0.0) or 1.0,
    }


def drawn(template: str | Path, **facts: Any) -> str:
    """A template filled in: one of ours by its name, another by its file."""
    if isinstance(template, str):
        found = environment().get_template(template)
    else:
        found = environment().from_string(template.read_text(encoding="utf-8"))
    page: str = found.render(
        **facts, style=safe(text_of("page.css")), script=safe(text_of("page.js")), policy=policy()
    )
    return page


@cache
def environment() -> Any:
    """A Jinja2 environment that escapes everything and raises for undefined names."""
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(text_of),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.tests["outlined"] = is_outlined
    found.filters.update(short=short, fixed=fixed, percent=percent, small=small, gap=gap_text, shown=shown)
    found.globals.update(
        counted=counted,
        words=words,
        stability_text=stability_text,
        cohort_text=cohort_text,
        effects=effect_words,
        verdict=verdict,
        scores=score_text,
        caption=caption,
        references=references,
        picture={name: drawing(getattr(pictures, name)) for name in pictures.__all__},
        is_near=is_near,
        tie=TIE,
    )
    return found


def is_near(feature: NearRecord) -> bool:
    """Whether a feature can replace another: it is within the radius of the measure."""
    return feature.get("near", True) and feature["distance"] <= FAR


def drawing(layout: Callable[..., Picture | None]) -> Callable[..., str]:
    """A function that draws, with its SVG marked as safe, since it has escaped every text itself."""

    def draw(*arguments: object, narrow: bool = False) -> str:
        return safe(svg(layout(*arguments, **({"width": NARROW} if narrow else {}))))

    return draw


def safe(text: str) -> Any:
    """Text that is markup of our own."""
    from markupsafe import Markup

    return Markup(text)


@cache
def text_of(name: str) -> str:
    """A template, the style or the script."""
    return resources.files("qpfs.report").joinpath("templates", name).read_text(encoding="utf-8")


def policy() -> str:
    """The content security policy: the page may only use its own styles and run its one script."""
    digest = base64.b64encode(hashlib.sha256(text_of("page.js").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
