"""Text with separators: what must come out of every oddity of it."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpfs.data import Reading, open_problem, open_table
from qpfs.data.formats import cells
from qpfs.data.sheet import unique_names


def opened(tmp_path, text, target="y", **reading):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_problem(str(path), Reading(target=target, **reading))


def test_columns_that_turn_out_to_be_text_far_below(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "CHUNK", 64)
    rows = [["a", "b", "c", "y"]]
    rows += [[f"{i:03d}", f"{i}.5", "x" if i == 70 else "007", "uv"[i % 2]] for i in range(80)]
    problem = opened(tmp_path, "\n".join(map(",".join, rows)))
    table = problem.X.to_pydict()
    assert table["a"] == [float(i) for i in range(80)]
    assert table["b"] == [i + 0.5 for i in range(80)]
    assert table["c"] == ["x" if i == 70 else "007" for i in range(80)]
    assert problem.y.tolist() == ["u", "v"] * 40


@pytest.mark.parametrize("chunk", [1, 7, 50, 1 << 20])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_chunks_do_not_change_what_is_read(tmp_path, monkeypatch, chunk, ending, last):
    rows = [["n", "t", "m", "y"]]
    rows += [[i / 7, f'a{i}, "q"\nz' if i % 3 else f"p{i}", ["", "NA", i][i % 3], i % 2] for i in range(40)]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=ending).writerows(rows)
    written = text.getvalue() if last else text.getvalue().removesuffix(ending)
    monkeypatch.setattr(cells, "CHUNK", chunk)
    problem = opened(tmp_path, written)
    table = problem.X.to_pydict()
    assert table["n"] == [row[0] for row in rows[1:]]
    assert table["t"] == [row[1] for row in rows[1:]]
    np.testing.assert_array_equal(table["m"], [i if i % 3 == 2 else np.nan for i in range(40)])
    assert problem.y.dtype == np.int64


@given(
    st.lists(
        st.lists(
            st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9)),
            min_size=3,
            max_size=3,
        ),
        min_size=2,
        max_size=12,
    )
)
@settings(max_examples=60, deadline=None)
def test_numbers_come_back_to_the_last_bit(tmp_path_factory, rows):
    lines = [",".join("" if value is None else repr(value) for value in row) for row in rows]
    path = tmp_path_factory.mktemp("numbers") / "a.csv"
    path.write_text("\n".join(["a,b,c,y", *(f"{line},{i}" for i, line in enumerate(lines))]))
    X = open_problem(str(path), Reading(target="y")).X
    np.testing.assert_array_equal(X, [[np.nan if v is None else float(v) for v in row] for row in rows])


names = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)


@given(st.lists(names, min_size=2, max_size=6), st.booleans())
@settings(max_examples=80, deadline=None)
def test_hostile_names(tmp_path_factory, spelled, as_parquet):
    path = tmp_path_factory.mktemp("names") / "a"
    header = [*spelled, "the target"]
    rows = [[(i * j) % 5 + 0.5 for j in range(len(spelled))] + ["uv"[i % 2]] for i in range(8)]
    if as_parquet:
        pa.parquet.write_table(pa.table([pa.array(c) for c in zip(*rows, strict=True)], names=header), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows([header, *rows])
    problem = open_problem(str(path), Reading(target="the target"))
    np.testing.assert_array_equal(problem.X, [row[:-1] for row in rows])
    assert len(set(problem.names)) == len(problem.names)
    assert all(problem.names)
    for old, new in zip(spelled, problem.names, strict=True):
        if old and header.count(old) == 1 and not old.startswith("column ") and "(" not in old:
            assert new == old


@given(
    st.lists(st.sampled_from(["", "a", "a (1)", "a (2)", "a (1) (1)", "column 1", "column 2"]), max_size=9)
)
def test_names_are_made_unique(given_names):
    unique = unique_names(given_names)
    assert len(set(unique)) == len(given_names)
    assert all(unique)


def test_names_that_repeat_and_empty_ones(tmp_path):
    problem = opened(tmp_path, "a,,a,b,y\n1,2,3,4,u\n5,6,7,8,v\n")
    assert problem.names == ["a (1)", "column 2", "a (2)", "b"]
    assert any("made unique" in note for note in problem.notes)
    assert opened(tmp_path, "a,a,y\n1,2,3\n5,6,7\n", target="a (2)").y.tolist() == [2, 6]
    with pytest.raises(ValueError, match=r"several columns named 'a'; say which: 'a \(1\)', 'a \(2\)'"):
        opened(tmp_path, "a,a,y\n1,2,3\n5,6,7\n", target="a")


def test_a_first_line_of_numbers_is_data(tmp_path):
    problem = opened(tmp_path, "1.5,2,0\n3,4,1\n5,6,0\n", target="2")
    np.testing.assert_array_equal(problem.X, [[1.5, 2], [3, 4], [5, 6]])
    assert problem.names == ["x0", "x1"]
    assert problem.y.tolist() == [0, 1, 0]
    assert "read as data" in problem.notes[0]
    counted = opened(tmp_path, pd.DataFrame([[1.5, 2], [3, 4]]).to_csv(index=False), target="1")
    assert counted.names == ["0"]


def test_row_names_without_a_header(tmp_path):
    problem = opened(tmp_path, 'a b\ty\n"r1"\t1.5\tu\n"r2"\t2.5\tv\n', index="column 1")
    assert (problem.samples, problem.names) == (["r1", "r2"], ["a b"])


def test_an_unnamed_first_column_is_pointed_out(tmp_path):
    text = pd.DataFrame({"a": [5, 6, 6], "y": list("uvu")}).to_csv()
    assert any("may be a row number" in note for note in opened(tmp_path, text).notes)
    assert opened(tmp_path, text).names == ["column 1", "a"]
    assert opened(tmp_path, text, index="column 1").names == ["a"]


def test_decimal_commas(tmp_path):
    problem = opened(tmp_path, "a;b;y\n1,5;-2,25e3;u\n;3;v\n")
    np.testing.assert_array_equal(problem.X, [[1.5, -2250], [np.nan, 3]])
    assert any("decimal commas" in note for note in problem.notes)


def test_numbers_that_are_spelled_oddly(tmp_path):
    problem = opened(tmp_path, "a,b,c,y\n+1.5, 2 ,1e3,u\n.5,-3.,-1E-2,v\n")
    np.testing.assert_array_equal(problem.X, [[1.5, 2, 1000], [0.5, -3, -0.01]])


def test_truth_values_are_numbers(tmp_path):
    problem = opened(tmp_path, "a,b,y\nTrue,1,u\nfalse,2,v\n,3,u\n")
    np.testing.assert_array_equal(problem.X, [[1, 1], [0, 2], [np.nan, 3]])


def test_integers_too_long_for_floats_are_labels(tmp_path):
    long = [2**53 + 1, 2**53 + 2]
    problem = opened(tmp_path, f"id,b,y\n{long[0]},1e300,u\n{long[1]},-1e300,v\n")
    assert problem.X.to_pydict() == {"id": [str(one) for one in long], "b": [1e300, -1e300]}


def test_missing_markers(tmp_path):
    text = "a,b,y\n-999,x,u\n3,unknown,v\n-999.0,z,u\nNA,,v\n"
    table = opened(tmp_path, text, missing=("-999", "unknown")).X.to_pydict()
    np.testing.assert_array_equal(table["a"], [np.nan, 3, np.nan, np.nan])
    assert table["b"] == ["x", None, "z", None]


def test_drop_index_groups_categorical(tmp_path):
    text = (
        "id,zip,code_a,code_b,note1,note2,who,y\n007,1,1,3,p,q,A,1\n008,2,2.5,4,r,s,A,0\n009,3,1,5,t,u,B,1\n"
    )
    reading = {"drop": ("note*",), "index": "id", "groups": "who", "categorical": ("code_?",)}
    problem = opened(tmp_path, text, **reading)
    assert problem.samples == ["007", "008", "009"]
    assert problem.groups.tolist() == ["A", "A", "B"]
    assert problem.X.to_pydict() == {"zip": [1, 2, 3], "code_a": ["1", "2.5", "1"], "code_b": ["3", "4", "5"]}
    for role in ("drop", "categorical"):
        with pytest.raises(ValueError, match=f"{role}: no column .* fits 'x\\*'"):
            opened(tmp_path, text, **{role: ("x*",)})
    with pytest.raises(ValueError, match=r"no column 'hwo'.*did you mean 'who'"):
        opened(tmp_path, text, groups="hwo")


@pytest.mark.parametrize(
    ("cells_", "kind"), [("0 1 1", "i"), ("0.5 1 2", "f"), ("a 1 2", "U"), ("01 02 01", "i")]
)
def test_the_target_is_what_it_is(tmp_path, cells_, kind):
    a, b, c = cells_.split()
    assert opened(tmp_path, f"x,y\n1,{a}\n2,{b}\n3,{c}\n").y.dtype.kind == kind


GENES = "gene\ts1\ts2\ts3\ng1\t1\t2\t3\ng2\t4\tNA\t6\n"


@pytest.mark.parametrize(
    "before",
    ["", "# made by a machine\n", '!Series_title\t"a"\n\n!series_matrix_table_begin\n', "#1.2\n2\t3\n"],
)
@pytest.mark.parametrize("after", ["", "!series_matrix_table_end\n"])
def test_features_in_rows(tmp_path, before, after):
    (tmp_path / "labels.csv").write_text("sample,state\ns3,c\ns1,a\ns2,b\n")
    reading = {"features_in": "rows", "labels": str(tmp_path / "labels.csv")}
    problem = opened(tmp_path, before + GENES + after, target=None, **reading)
    np.testing.assert_array_equal(problem.X, [[1, 4], [2, np.nan], [3, 6]])
    assert (problem.names, problem.samples) == (["g1", "g2"], ["s1", "s2", "s3"])
    assert (problem.y.tolist(), problem.target_name) == (["a", "b", "c"], "state")


def test_a_gct_file(tmp_path):
    text = "#1.2\n2\t3\nNAME\tDescription\ts1\ts2\ts3\ng1\tfirst\t1\t2\t3\ng1\tsecond\t4\t5\t6\n"
    (tmp_path / "labels").write_text("u\nv\nu\n")
    problem = opened(tmp_path, text, target=None, features_in="rows", labels=str(tmp_path / "labels"))
    np.testing.assert_array_equal(problem.X, [[1, 4], [2, 5], [3, 6]])
    assert problem.names == ["g1 (1)", "g1 (2)"]
    assert problem.y.tolist() == ["u", "v", "u"]


@pytest.mark.parametrize("state", ["u,v,u", "0,1,0"])
def test_the_target_in_a_row(tmp_path, state):
    text = f"gene,s1,s2,s3\ng1,1,2,3\nstate,{state}\ng2,4,5,6\n"
    problem = opened(tmp_path, text, target="state", features_in="rows")
    np.testing.assert_array_equal(problem.X, [[1, 4], [2, 5], [3, 6]])
    assert problem.names == ["g1", "g2"]
    assert [str(value) for value in problem.y.tolist()] == state.split(",")


def test_columns_that_describe_features_must_be_left_out(tmp_path):
    text = "gene,symbol,s1,s2\ng1,AB,1,2\ng2,CD,3,4\n"
    (tmp_path / "labels").write_text("u\nv\n")
    reading = {"target": None, "features_in": "rows", "labels": str(tmp_path / "labels")}
    with pytest.raises(ValueError, match=r"'symbol' holds text. Leave out"):
        opened(tmp_path, text, **reading)
    problem = opened(tmp_path, text, **reading, drop=("symbol", "g2"))
    np.testing.assert_array_equal(problem.X, [[1], [2]])


def test_rows_of_another_format(tmp_path):
    frame = pd.DataFrame({"gene": ["g1", "g2"], "s1": [1.0, 2], "s2": [3, 4]})
    frame.to_parquet(tmp_path / "a")
    table = open_table(str(tmp_path / "a"), Reading(features_in="rows"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert (table.names, table.samples) == (["g1", "g2"], ["s1", "s2"])


@pytest.mark.parametrize(
    ("labels", "target", "message"),
    [
        ("s1,a\ns2,b\n", None, "has no label for 's3'"),
        ("s1,a\ns2,b\ns3,a\ns4,a\n", None, "unknown samples 's4'"),
        ("s1,a\ns2,b\ns3,a\ns3,b\n", None, "names several times 's3'"),
        ("a\nb\n", None, "has 2 labels, but there are 3 samples"),
        ("", None, "is empty"),
        ("s,a,b\ns1,1,2\ns2,1,2\ns3,1,2\n", None, "has 3 columns; say which"),
        ("s,a,b\ns1,1,2\ns2,1,2\ns3,1,2\n", "c", "no column 'c'"),
        ("s,a\ns1,1\ns2,\ns3,1\n", None, "missing in 1 of 3 rows"),
    ],
)
def test_labels_that_do_not_fit(tmp_path, labels, target, message):
    (tmp_path / "labels").write_text(labels)
    with pytest.raises(ValueError, match=message):
        opened(tmp_path, GENES, target=target, features_in="rows", labels=str(tmp_path / "labels"))


def test_labels_with_several_columns(tmp_path):
    (tmp_path / "labels").write_text("s\ta\tb\ns2\t1\t4\ns1\t2\t5\ns3\t3\t6\n")
    problem = opened(tmp_path, GENES, target="b", features_in="rows", labels=str(tmp_path / "labels"))
    assert problem.y.tolist() == [5, 4, 6]
    by_order = opened(tmp_path, "x,z\n1,2\n3,4\n5,6\n", target="b", labels=str(tmp_path / "labels"))
    assert by_order.y.tolist() == [4, 5, 6]
