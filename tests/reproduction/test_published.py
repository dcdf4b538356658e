"""The publication's numbers, cell by cell against its LaTeX where that is at hand."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from reproduction import published

FOLDER = Path(os.environ.get("QPFS_DATA", Path(__file__).parents[3] / "shared" / "data"))
SHORT = {
    "TLKM": "tlkm",
    "IKM": "ikm",
    "IKMA": "ikma",
    "QPFS+Nys": "qpfs",
    "QPFS": "qpfs",
    "FGM": "fgm",
    "GDM": "gdm",
}
NAMES = {title: name for name, title in published.SETS.items()}


@pytest.fixture(scope="module")
def source():
    path = FOLDER.parent / "paper.tex"
    if not path.exists():
        pytest.skip("no paper.tex beside the folder of benchmark data: set QPFS_DATA to that folder")
    return path.read_text(encoding="utf-8")


def table(source: str, label: str) -> str:
    """The text of the table environment that carries a label."""
    found = [t for t in re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", source, re.S) if label in t]
    assert len(found) == 1
    return found[0]


def cells(line: str) -> list[str]:
    """The entries of a line, without what sets them in bold or marks them."""
    plain = re.sub(r"\\\\.*", "", line).replace(r"\quad", "").replace(r"$^{*}$", "")
    plain = re.sub(r"\{\s*(?:\\bf)?\s*([^{}]*?)\s*\}", r"\1", plain)
    return [cell.strip() for cell in plain.split("&")]


def number(cell: str) -> float | None:
    return None if cell == "-" else float(cell)


def by_set(source: str, label: str) -> dict[str, tuple]:
    rows = {}
    for line in table(source, label).splitlines():
        first, *others = cells(line)
        if first in NAMES and "caption" not in line:
            rows[NAMES[first]] = tuple(number(cell) for cell in others if cell)
    return rows


@pytest.mark.data
@pytest.mark.parametrize(
    ("label", "ours"),
    [
        ("table2-1", published.SECONDS),
        ("table2-2", published.KILOBYTES),
        ("table4-1", published.LOWEST),
        ("table4-2", published.LOWEST_AT),
        ("table1}", published.SHAPES),
    ],
)
def test_tables_by_set_are_the_publications(source, label, ours):
    theirs = by_set(source, label)
    assert theirs == {name: tuple(row) for name, row in ours.items()}


def errors(source: str, label: str) -> dict[str, dict[str, tuple]]:
    """The blocks of a table of errors; the set's name stands in the middle of its block."""
    found: dict[str, dict[str, tuple]] = {}
    for block in table(source, label).split(r"\hline"):
        titles = re.findall(r"\\raisebox\{1.5ex\}\{(\w+)\}", block)
        rows = {}
        for line in block.splitlines():
            parts = [cell for cell in cells(line) if "raisebox" not in cell]
            known = [i for i, cell in enumerate(parts) if cell in SHORT]
            if known:
                rows[SHORT[parts[known[0]]]] = tuple(number(cell) for cell in parts[known[0] + 1 :])
        if rows:
            found[NAMES[titles[0]]] = rows
    return found


@pytest.mark.data
def test_errors_at_a_number_of_features_are_the_publications(source):
    theirs = errors(source, "table3-1") | errors(source, "table3-2")
    assert theirs == published.ERRORS


@pytest.mark.data
def test_parameters_are_the_publications(source):
    text = " ".join(source.split())
    thetas = re.search(r"\$\\theta\$ values \$\\\{\$(.*?)\$\\\}\$", text).group(1)
    assert tuple(map(float, thetas.split(","))) == published.THETAS
    first, last, step = published.RADII
    assert rf"$\{{${first:.2f}, $\ldots$,{last:.2f}$\}}$ with step size of {step:.2f}" in text
    first, last, step = published.N_CLUSTERS
    assert rf"$\lbrace$ {first},...,{last} $\rbrace$ with step size of {step}" in text
    assert rf"$\lbrack$ {published.N_FIRST[0]}, {published.N_FIRST[1]} $\rbrack$" in text
    assert rf"$\rho$ ={published.SAMPLING_RATE}" in text
    assert f"average over {published.N_SPLITS} random splits" in text
    assert f"{100 * published.TRAIN_SHARE:.0f}\\%" in text
    assert f"{published.MNIST_ROWS[0]:,} training and {published.MNIST_ROWS[1]} testing" in text
    assert rf"$k'$={published.FIGURE_4_N_FIRST}" in text
    assert rf"$\tau$={published.FIGURE_5_RADIUS}" in text


def test_every_set_and_method_has_its_row():
    for rows in (published.LOWEST, published.LOWEST_AT, published.KILOBYTES, published.ERRORS):
        assert set(rows) == set(published.SETS)
    assert set(published.SECONDS) == set(published.SETS) - {"wdbc"}
    for by_method in published.ERRORS.values():
        assert set(by_method) == set(published.METHODS)
        assert {len(row) for row in by_method.values()} == {len(published.TOPS)}


def test_lookup_knows_what_is_missing():
    assert published.value(published.LOWEST, "colon", "ikma") == 8.06
    assert published.value(published.LOWEST, "colon", "mrmr") is None
    assert published.value(published.SECONDS, "wdbc", "qpfs") is None
    assert published.error_at("colon", "qpfs", 20) == 24.19
    assert published.error_at("elsewhere", "qpfs", 20) is None
