"""All of it as files: CSV tables, one page, one Markdown document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import qpfs
from qpfs.report.page import drawn
from qpfs.wording import counted
from reproduction import published
from reproduction.figures import Figure, all_figures, curves_sheet
from reproduction.findings import findings, missing, protocols
from reproduction.methods import COMPARED
from reproduction.plan import Plain
from reproduction.results import Results
from reproduction.sheets import Worksheet, markdown
from reproduction.tables import all_sheets

TITLE = "The publication's tables and figures, regenerated"


def paper_record(results: Results, run: Plain) -> dict[str, Any]:
    """Everything the page and the document say, as plain data."""
    chapters = all_sheets(results)
    sheets = {sheet.name: sheet for some in chapters.values() for sheet in some}
    return {
        "qpfs": qpfs.__version__,
        "created": run["date"],
        "title": TITLE,
        "citation": published.CITATION,
        "extent": results.plan.extent.name,
        "run": run,
        "lead": lead(results),
        "findings": findings(results, sheets),
        "missing": missing(results),
        "protocols": protocols(results.plan.extent),
        "chapters": chapters,
        "figures": all_figures(results),
        "clusters": results.clusters,
        "clusters_set": results.plan.clusters().title,
    }


def lead(results: Results) -> str:
    """What was compared, in a sentence."""
    sets, extent = results.plan.sets(), results.plan.extent.name
    theirs, others = sum(one.published for one in sets), sum(not one.published for one in sets)
    more = f" and {counted(others, 'stand-in')}" if others else ""
    return (
        f"{len(COMPARED)} methods on {theirs} of the publication's {len(published.SETS)} data sets{more}, in "
        f"two protocols; a {extent} run."
    )


def documents(record: dict[str, Any]) -> dict[str, str]:
    """The text of every file by its name."""
    sheets = [sheet for some in record["chapters"].values() for sheet in some]
    tables = {f"{sheet.name}.csv": sheet.csv() for sheet in [*sheets, curves_sheet(record["figures"])]}
    return {"paper.html": page(record), "paper.md": document(record), **tables}


def page(record: dict[str, Any]) -> str:
    """One page that needs no other file and no network."""
    chapters = [
        {"title": title, "id": title.lower().replace(" ", "-"), "tables": [plain(sheet) for sheet in sheets]}
        for title, sheets in record["chapters"].items()
    ]
    more = {
        "chapters": chapters,
        "sections": [(one["id"], one["title"]) for one in chapters],
        "figures": [picture(figure) for figure in record["figures"]],
    }
    return drawn(Path(__file__).with_name("paper.html"), record=record | more)


def plain(sheet: Worksheet) -> dict[str, Any]:
    facts = {"title": sheet.title, "text": sheet.told(), "header": sheet.header, "rows": sheet.shown()}
    return facts | {"numeric": sheet.numeric()}


def picture(figure: Figure) -> dict[str, Any]:
    return {"title": figure.title, "text": figure.text, "comparison": figure.comparison()}


def document(record: dict[str, Any]) -> str:
    """Markdown, without the figures: their points are in curves.csv, and the page draws them."""
    run = record["run"]
    parts = [
        f"# {record['title']}",
        record["citation"],
        record["lead"],
        f"Made by `{run['command']}` on {run['date']} with {run['versions']}, on {run['machine']}. "
        "The page that the same command writes has the figures as well.",
        "## What came out",
        *(f"- {line}" for line in record["findings"]),
        "## What is missing",
        *(f"- {line}" for line in record["missing"]),
        "## Two protocols",
        *record["protocols"],
    ]
    for title, sheets in record["chapters"].items():
        parts.append(f"## {title}")
        for sheet in sheets:
            parts += [f"### {sheet.title}", sheet.told(), markdown(sheet).rstrip()]
    return "\n\n".join(part for part in joined(parts) if part) + "\n"


def joined(parts: list[str]) -> list[str]:
    """Items of a list kept together."""
    out: list[str] = []
    for part in parts:
        if part.startswith("- ") and out and out[-1].startswith("- "):
            out[-1] += f"\n{part}"
        else:
            out.append(part)
    return out
