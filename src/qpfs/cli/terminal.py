"""A record shown on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

Record = dict[str, Any]
ABSENT = 5  # features never selected again that are explained
TOWARDS = ("higher in", "highest in")  # what directions begin with: a heading, if all begin with it
LESS = ("cluster size", "relevance")  # columns that names may displace, in order
MOST = 10_000  # the width of a terminal on which everything fits


def show_selection(record: Record) -> None:
    """Prints a selection."""
    from rich.text import Text

    from qpfs.report.words import value_name

    console = headed(record["data"])
    for sentence in record["data"]["taken"]:
        console.print(Text(printable(sentence)), soft_wrap=True)
    for caution in record["cautions"]:
        console.print(Text(printable(f"Caution: {caution}"), style="bold yellow"), soft_wrap=True)
    if warning := (record.get("chance") or {}).get("warning"):
        console.print(Text(warning, style="bold"), soft_wrap=True)
    if record["features"]:
        across = cohort_columns(record.get("cohorts"))
        table = ranked_table(record["features"], room=console.width, value=value_name(record), more=across)
        console.print(table)
    else:
        console.print(Text("No feature is selected."))
    for line in absence_lines(record):
        console.print(Text(line), soft_wrap=True)
    console.print(Text(summary(record), style="dim"), soft_wrap=True)


def headed(data: Record) -> Console:
    """A console on which the data have been described."""
    from rich.console import Console
    from rich.text import Text

    from qpfs.report.names import source_name
    from qpfs.wording import counted, listed

    console = Console(highlight=False)
    source = source_name(data["source"]) or ""
    names = [repr(printable(one["name"])) for one in data.get("targets", ())]
    target = f"targets {listed(names)}" if names else f"target {printable(data['target'])!r}"
    table = f"{counted(data['n_samples'], 'sample')}, {counted(data['n_features'], 'feature')}"
    facts = f"{table}, {target}"
    console.print(Text(printable(source), style="bold"), soft_wrap=True)
    console.print(Text(facts), soft_wrap=True)
    return console


Column = tuple[str, "Callable[[Record], str | Text]"]


def cohort_columns(cohorts: Record | None) -> list[Column]:
    """Columns: in how many cohorts a feature has its most common direction, and is selected."""
    if cohorts is None:
        return []
    known = {one["index"]: one for one in cohorts["features"]}
    n = len(cohorts["cohorts"])

    def same_direction(row: Record) -> str:
        said = [one and one["direction"] for one in known[row["index"]]["effects"]]
        told = [one for one in said if one]
        return f"{max(map(told.count, told))} of {len(told)}" if told else ""

    def selected(row: Record) -> str:
        return f"{known[row['index']]['n']} of {n}"

    return [("agree", same_direction), ("alone", selected)]


def ranked_table(
    features: list[Record], *, room: int, value: str = "weight", more: Sequence[Column] = ()
) -> Table:
    """The ranked features, with weights or scores and as many further columns as fit."""
    from rich.text import Text

    from qpfs.wording import small

    columns: list[Column] = [
        ("rank", lambda row: str(row["rank"])),
        ("feature", lambda row: Text(printable(row["feature"]) + " (kept)" * row.get("kept", False))),
        (value, lambda row: f"{row['weight']:.4f}" if row["weight"] else "0"),
        ("relevance", lambda row: number(row["relevance"])),
        *effect_columns(features),
    ]
    if any(row.get("qvalue") is not None for row in features):
        columns.append(("q", lambda row: small(row["qvalue"])))
    if any(row.get("frequency") is not None for row in features):
        columns.append(("frequency", lambda row: f"{row['frequency']:.0%}"))
    if room >= 60 and any((row.get("cluster_size") or 1) > 1 for row in features):
        columns.append(("cluster size", lambda row: str(row["cluster_size"])))
    columns += more
    columns = fitting(columns, features, room)
    table = filled(columns, features)
    length = bar_length(table, room)
    largest = max((row["weight"] for row in features), default=0.0)
    bars = ("", lambda row: bar(row["weight"], largest, length))
    return filled([*columns, bars], features) if length else table


def fitting(columns: list[Column], rows: list[Record], room: int) -> list[Column]:
    """All columns; or without those that matter least, if names then need not be wrapped."""
    some = columns
    for less in ("", *LESS) if room >= 60 else ():
        some = [one for one in some if one[0] != less]
        if width(filled(some, rows)) <= room:
            return some
    return columns


def width(table: Table) -> int:
    """The width of a table in which nothing is wrapped."""
    from rich.console import Console

    return Console(width=MOST).measure(table).maximum


def effect_columns(features: list[Record]) -> list[Column]:
    """The direction and size of effects; in one column if they are not all of the same measure."""
    from rich.text import Text

    from qpfs.report.effect_words import size_name

    known = [row["effect"] for row in features if row.get("effect")]
    measures = {effect["measure"] for effect in known}
    if not measures:
        return []
    only = size_name(min(measures)) if len(measures) == 1 else None

    def size(row: Record) -> str:
        effect = row.get("effect")
        if effect is None:
            return ""
        return f"{effect['size']:.2f}" if only else f"{size_name(effect['measure'])} {effect['size']:.2f}"

    directions = [effect["direction"] for effect in known if effect["direction"]]
    alike = (one for one in TOWARDS if all(said.startswith(f"{one} ") for said in directions))
    heading = next(alike, "direction")

    def direction(row: Record) -> Text:
        said = (row.get("effect") or {}).get("direction") or ""
        return Text(printable(said.removeprefix(f"{heading} ")) if said else "")

    signed = measures == {"rho"}  # the sign is the direction
    return [(only or "effect", size), *([(heading, direction)] if directions and not signed else [])]


def filled(columns: list[Column], rows: list[Record]) -> Table:
    """A table of the rows, in which each column makes one cell of each row."""
    table = plain_table([name for name, _ in columns], left={"feature", "direction", *TOWARDS, ""})
    for row in rows:
        table.add_row(*(cell(row) for _, cell in columns))
    return table


def bar_length(table: Table, room: int) -> int:
    """The length of the longest bar beside a table, so that no name is wrapped for it; 0 for no bars."""
    left = room - width(table) - 2
    length = min(left, 20 if room >= 100 else 8)
    return length if room >= 60 and length >= 4 else 0


def plain_table(names: list[str], left: set[str]) -> Table:
    """An empty table: text to the left, numbers to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        if name in left:
            table.add_column(name, overflow="fold", min_width=8 if name else None)
        else:
            table.add_column(name, justify="right", no_wrap=True)
    return table


def bar(weight: float, largest: float, length: int) -> Text:
    from rich.text import Text

    share = weight / largest if largest > 0 else 0.0
    return Text("█" * round(length * max(share, 0.0)), style="cyan")


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def printable(name: str) -> str:
    """A name on one line; control characters and marks of right-to-left writing are shown as codes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name) or "(no name)"


def summary(record: Record) -> str:
    """How the answer was computed and how certain it is."""
    from qpfs.report.words import unseen_words, value_name
    from qpfs.wording import counted

    certificate = record["certificate"]
    n = record["n_weighted"]
    said = f"{n} feature{' has' if n == 1 else 's have'} weight"
    if value_name(record) == "score":
        said = f"{counted(record['n_selected'], 'feature')} selected"
    parts = [f"{record['method']['title']}: {said}"]
    if "theta" in certificate:
        parts.append(f"theta {certificate['theta']:.3f}")
    if "gap" in certificate:
        parts.append(f"gap {certificate['gap']:.1e}")
    if "status" in certificate:
        parts.append(certificate["status"])
    first = [*filter(None, [chance_line(record), unseen_words(record)]), *cohort_lines(record)]
    lines = [*first, ", ".join(parts)]
    if record["method"]["account"].get("ranked"):
        lines.append(
            "ranked one by one, by relevance minus redundancy with the nearest ranked before (--order)"
        )
    if left := record.get("left_out"):
        counts = [f"{one['n']:,} ({one['reason']})" for one in left["reasons"]]
        lines.append(f"left out: {', '.join(counts)}; --out DIR writes a reason for each")
    return "\n".join([*lines, *stability_lines(record)])


def cohort_lines(record: Record) -> list[str]:
    """The lines of the page about cohorts, if there are several."""
    if not record.get("cohorts"):
        return []
    from qpfs.report.cohort_text import cohort_words

    said: Any = record
    columns = "agree: cohorts in which a feature has the same direction; alone: cohorts that alone select it"
    return [columns, *(spoken(line) for line in cohort_words(said))]


def stability_lines(record: Record) -> list[str]:
    """The lines of the page about stability, if it was measured."""
    from qpfs.report.stability_text import halves_words, stability_words

    said: Any = record
    if not (stable := said.get("stability")):
        return []
    compared = record["n_selected"] and stable["index"] is not None
    lines = [*stability_words(said), halves_words(stable) if compared else ""]
    return [spoken(line) for line in lines if line]


def absence_lines(record: Record) -> list[str]:
    """Selected features that no new draw of samples selects: the first, and the number of others."""
    from qpfs.report.stability_text import absences
    from qpfs.wording import counted

    said: Any = record
    lines = [spoken(line) for line in absences(said)]
    if len(lines) <= ABSENT:
        return lines
    more = counted(len(lines) - ABSENT, "more selected feature was", "more selected features were")
    return [*lines[:ABSENT], f"{more} never selected again either."]


def spoken(text: str) -> str:
    """A sentence of the page in the form for a terminal."""
    return printable(text.replace("\N{NO-BREAK SPACE}", " "))


def chance_line(record: Record) -> str:
    """How many features are more relevant than chance; empty if that is not known."""
    from qpfs.report.words import chance_words

    chance = record.get("chance")
    return chance_words(chance) if chance and not chance["warning"] else ""


def show_comparison(record: Record) -> None:
    """Prints a comparison: a line for each method."""
    from rich.text import Text

    from qpfs.report.comparison import completed
    from qpfs.report.verdict import unselected, verdict

    console = headed(record["data"])
    console.print(comparison_table(record, room=console.width))
    for row in (one for one in record["methods"] if "failed" in one):
        console.print(Text(printable(f"{row['title']} failed: {row['failed']}")), soft_wrap=True)
    for line in [verdict(completed(record)), *unselected(completed(record))]:
        console.print(Text(spoken(line)), soft_wrap=True)
    said = [record["protocol"]["text"], record["protocol"].get("stability")]
    console.print(Text(spoken(" ".join(filter(None, said))), style="dim"), soft_wrap=True)


def comparison_table(record: Record, *, room: int) -> Table:
    """Methods by their nested error or score, with stability and cost."""
    from qpfs.report.score_text import is_error, score_noun

    noun, scale = ("error %", 100) if is_error(record) else (score_noun(record), 1)
    names = ["method", noun, "best at", "enough"]
    measured = any(row.get("memory_mb") is not None for row in record["methods"])
    more = ["stability", "seconds", *["memory"] * measured] if room >= 76 else []
    table = plain_table(names + more, left={"method"})
    for row in record["methods"]:
        if "failed" in row:
            table.add_row(row["title"], "failed")
            continue
        cells = [
            row["title"],
            with_interval(row["nested"], scale),
            at(row["best"], scale),
            at(row["smallest"], scale),
        ]
        table.add_row(*cells, *costs(row)[: len(more)])
    for row in (one for one in record["baselines"] if "failed" not in one):
        table.add_row(row["name"], with_interval(row, scale))
    if guess := record.get("guessing"):
        table.add_row("largest class", scored(guess["score"], scale))
    return table


def with_interval(found: Record, scale: int) -> str:
    """An error in per cent or a score, with its interval if there is one."""
    if found["low"] is None:
        return scored(found["score"], scale)
    low, high = scored(found["low"], scale), scored(found["high"], scale)
    return f"{scored(found['score'], scale)} ({low}{' to ' if low.startswith('-') else '-'}{high})"


def scored(value: float, scale: int) -> str:
    return f"{scale * value:.{1 if scale == 100 else 3}f}"


def at(found: Record, scale: int) -> str:
    return f"{found['k']} ({scored(found['score'], scale)})"


def costs(row: Record) -> list[str]:
    stable = row["stability"]
    return [
        "" if stable is None or stable["index"] is None else f"{stable['index']:.2f}",
        f"{row['seconds']['median']:.2g}",
        "" if row["memory_mb"] is None else size(row["memory_mb"]),
    ]


def show_forecast(plan: Record, done: str = "selected") -> None:
    """Prints what a selection or a comparison would do."""
    memory = (
        f"about {size(plan['megabytes'])} in addition to the {size(plan['table_megabytes'])} of the table"
    )
    show_steps(plan, f"{memory}. Nothing has been {done} or written.")


def show_steps(plan: Record, rest: str) -> None:
    """Prints the steps of a plan, and the time and whatever else they take."""
    lines = [f"{i}. {step}" for i, step in enumerate(plan["steps"], start=1)]
    lines.append(f"expected: {duration(plan['seconds'])}, {rest}")
    sys.stdout.write("\n".join(lines) + "\n")


def print_record(record: Record, show: Callable[[Record], None], *, as_json: bool) -> None:
    """Prints the answer of a command: as it is shown to people, or as JSON."""
    from qpfs.report import as_json as json_text

    if as_json:
        sys.stdout.write(json_text(record))
    else:
        show(record)


def print_json(found: Record | list[Record]) -> None:
    """Prints plain data."""
    import json

    sys.stdout.write(json.dumps(found, indent=2) + "\n")


def size(megabytes: float) -> str:
    """A size in a readable unit."""
    if megabytes < 0.1:
        return f"{1000 * megabytes:.0f} kB"
    return f"{megabytes:.1f} MB" if megabytes < 10 else f"{megabytes:,.0f} MB"


def duration(seconds: float) -> str:
    """A time in a readable unit."""
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"about {seconds:.0f} seconds"
    return f"about {seconds / 60:.0f} minutes" if seconds < 5400 else f"about {seconds / 3600:.1f} hours"
