"""What is written as text has no cell that a spreadsheet runs, and is read as what it was."""

from __future__ import annotations

import csv

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spreadsheets import SIGNS, run_cells

from qpfs.data import Reading, open_columns, open_problem, open_stream, open_table, write_table
from qpfs.data.problem import Table
from qpfs.data.sheet import unique_names
from qpfs.formulas import defused

NUMBERS = ["-0.5", "+1e-3", "-7", "12", "-inf", "+.5", " -3", "-nan(ind)", "NA", "", "1e300", "-4\r", "\r"]
TEXT = ["x", "=1+1", "-", "+", "-5", "'-5", "'=x", "''=x", "@sum", "'", "-x", "=a,b", '="q"', " =x", "\t=x"]

hostile = st.builds(
    str.__add__, st.text(f"'{SIGNS} ", max_size=3), st.text("ab'=-+@\" 1,.", min_size=1, max_size=4)
)
label = st.sampled_from([*TEXT, *NUMBERS]) | hostile


def as_table(X, names, samples):
    return Table("made", X, names, samples, None, "", "made", ())


def columns_of(table):
    """Every column by its name: numbers, or labels with None where they are missing."""
    if isinstance(table.X, pa.Table):
        return {name: table.X.column(name).to_pylist() for name in table.names}
    return dict(zip(table.names, table.X.T.tolist(), strict=True))


def written(table, folder, ending):
    path = folder / f"written{ending}"
    write_table(table, list(range(table.n_features)), str(path))
    return path


def assert_same(first, second):
    assert first.names == second.names
    assert first.samples == second.samples
    assert repr(columns_of(first)) == repr(columns_of(second))  # in which NaN is NaN


@st.composite
def cells(draw):
    """A header and rows of cells as they are spelled: a name, labels, numbers, and what may be either."""
    n_rows, kinds = draw(st.integers(2, 5)), draw(st.lists(st.sampled_from("lne"), min_size=1, max_size=4))
    number, name = st.sampled_from(NUMBERS), hostile | st.sampled_from(TEXT[:-1])
    either = number | label
    kind = {"l": label, "n": number, "e": either}
    header = ["who", "plain", *draw(st.lists(name, min_size=len(kinds), max_size=len(kinds)))]
    rows = [[draw(hostile), "1", *(draw(kind[one]) for one in kinds)] for _ in range(n_rows)]
    return [header, *rows]


@given(cells(), st.sampled_from([".csv", ".tsv"]))
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_a_text_that_is_cut_is_read_as_before(tmp_path_factory, rows, ending):
    folder = tmp_path_factory.mktemp("cut")
    source = folder / "source.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    read = Reading(index="who", format="csv")
    passed_on = open_columns(str(source), read, as_text=True)
    path = written(passed_on, folder, ending)
    assert run_cells(path.read_bytes().decode(), "\t" if ending == ".tsv" else ",") == []
    again = open_table(str(path), Reading(index="sample", format=ending[1:]))
    assert_same(again, open_table(str(source), read))


@given(
    st.lists(hostile, min_size=1, max_size=4, unique=True), st.data(), st.sampled_from([".csv", ".csv.gz"])
)
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
def test_names_and_labels_of_any_table_come_back_to_the_letter(tmp_path_factory, names, data, ending):
    n_rows = data.draw(st.integers(2, 5))
    text = hostile | st.sampled_from(TEXT)
    columns = {"plain": pa.array(np.arange(n_rows) - 1.5)}
    for name in names:
        some = data.draw(st.lists(text | st.none(), min_size=n_rows, max_size=n_rows))
        columns[name] = pa.array([*some, "=no number"], pa.string())[-n_rows:]
    samples = data.draw(st.lists(text, min_size=n_rows, max_size=n_rows))
    made = as_table(pa.table(columns), unique_names(columns), samples)
    path = written(made, tmp_path_factory.mktemp("any"), ending)
    assert_same(open_table(str(path), Reading(index="sample", format="csv")), made)


STRANDS = ["+", "-", "+", "-", "=", "'=", "@"]


def strands(folder, **more):
    """A table of strands and numbers, as text of ours."""
    columns = {"-x": [-1.5, 2, -3, 4, 5, 6, 7], "=y": STRANDS, **more}
    table = as_table(pa.table(columns), list(columns), [f"@{i}" for i in range(7)])
    return str(written(table, folder, ".csv"))


def test_a_file_of_ours_is_streamed_as_it_is_read(tmp_path):
    path, read = strands(tmp_path), Reading(target="=y", index="sample")
    problem = open_problem(path, read)
    assert (problem.names, problem.y.tolist()) == (["-x"], STRANDS)
    with open_stream(path, read, scratch=tmp_path / "s", memory=10**8) as streamed:
        assert streamed.targets["=y"].tolist() == STRANDS
        assert (streamed.names, streamed.samples) == (["-x"], [f"@{i}" for i in range(7)])


def test_labels_of_another_file_are_restored_and_matched(tmp_path):
    path, labels = strands(tmp_path), tmp_path / "labels.csv"
    for rows in ([f"'@{i},{defused(one)}" for i, one in enumerate(STRANDS)], list(map(defused, STRANDS))):
        labels.write_text("\n".join(rows))
        read = Reading(labels=str(labels), drop=("=y",), index="sample")
        assert open_problem(path, read).y.tolist() == STRANDS
    labels.write_text("id,'=t,z\n" + "".join(f"'@{i},{i},0\n" for i in range(7)))
    read = Reading(labels=str(labels), target="=t", drop=("=y",), index="sample")
    assert open_problem(path, read).target_name == "=t"


def test_a_table_with_features_in_rows_has_its_names_restored(tmp_path):
    (tmp_path / "a.tsv").write_text("id\t'=s\t'-t\n'-x\t-1\t2\n'@y\t3\t-4\ncall\t'+\t'-\n")
    problem = open_problem(str(tmp_path / "a.tsv"), Reading(features_in="rows", target="call"))
    assert (problem.names, problem.samples) == (["-x", "@y"], ["=s", "-t"])
    assert problem.y.tolist() == ["+", "-"]
    np.testing.assert_array_equal(problem.X, [[-1, 3], [2, -4]])


@pytest.mark.parametrize("mark", ["-", "-999", "=", "'="])
def test_marks_of_missing_values_hold_in_either_spelling(tmp_path, mark):
    """A column of numbers is one, whether the mark was defused on the way or not."""
    for i, spelled in enumerate([mark, defused(mark)]):
        path = tmp_path / f"{i}.csv"
        path.write_text(f"a,b\n1,x\n{spelled},{spelled}\n-3,y\n")
        table = open_table(str(path), Reading(missing=(mark,)))
        assert repr(columns_of(table)) == "{'a': [1.0, nan, -3.0], 'b': ['x', None, 'y']}"


def test_an_apostrophe_makes_a_number_text_and_stays(tmp_path):
    """Were it taken away, the column would be numbers once it was written again."""
    source = tmp_path / "a.csv"
    source.write_text("a,b\n'-5,'=x\n-3,x\n'+1,'-x\n")
    table = open_table(str(source))
    assert columns_of(table) == {"a": ["'-5", "-3", "'+1"], "b": ["=x", "x", "-x"]}
    path = written(open_columns(str(source), as_text=True), tmp_path, ".csv")
    assert path.read_text() == "a,b\n''-5,'=x\n-3,x\n''+1,'-x\n"
    assert_same(open_table(str(path)), table)


def test_numbers_are_written_as_they_are(tmp_path):
    X = pa.table({"a": [-0.5, -np.inf, None], "b": [-7, 2, 3], "c": ["-0.5", "+1e-3", "-x"]})
    assert written(as_table(X, X.column_names, None), tmp_path, ".csv").read_text() == (
        "a,b,c\n-0.5,-7,-0.5\n-inf,2,+1e-3\n,3,'-x\n"
    )


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_other_formats_keep_names_and_labels_as_they_are(tmp_path, ending):
    X = pa.table({"=a": ["-x", "'=y"], "b": ["+", "-"]})
    assert_same(
        open_table(str(written(as_table(X, X.column_names, None), tmp_path, ending))),
        as_table(X, X.column_names, None),
    )
