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

from qpfs.data import Reading, open_problem, open_stream, open_table
from qpfs.data.formats import cells, layout
from qpfs.data.sheet import unique_names
from qpfs.formulas import defused


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


def test_only_what_is_above_the_last_text_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "CHUNK", 200)
    rows = [
        [f"{i:03d}", "x" if i > 20 else "007", "z" if i == 40 else "1.50", "uv"[i % 2]] for i in range(99)
    ]
    parsed = []
    whole = cells.NarrowCells.taken
    monkeypatch.setattr(cells.NarrowCells, "taken", lambda *given: parsed.append(1) or whole(*given))
    problem = opened(tmp_path, "\n".join(map(",".join, [["a", "b", "c", "y"], *rows])))
    n_parts = -(-sum(len(",".join(row)) + 1 for row in rows) // 200)
    assert n_parts < len(parsed) < 1.6 * n_parts
    a, b, c, y = zip(*rows, strict=True)
    assert problem.X.to_pydict() == {"a": [*map(float, a)], "b": [*b], "c": [*c]}
    assert problem.y.tolist() == [*y]


@pytest.mark.parametrize("chunk", [1, 7, 50, 1 << 20])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("wide", [0, 10])
def test_chunks_do_not_change_what_is_read(tmp_path, monkeypatch, chunk, ending, last, wide):
    rows = [["n", "t", "m", "y"]]
    rows += [[i / 7, f'a{i}, "q"\nz' if i % 3 else f"p{i}", ["", "NA", i][i % 3], i % 2] for i in range(40)]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=ending).writerows(rows)
    written = text.getvalue() if last else text.getvalue().removesuffix(ending)
    monkeypatch.setattr(cells, "CHUNK", chunk)
    monkeypatch.setattr(cells, "WIDE", wide)
    problem = opened(tmp_path, written)
    table = problem.X.to_pydict()
    assert table["n"] == [row[0] for row in rows[1:]]
    assert table["t"] == [row[1] for row in rows[1:]]
    np.testing.assert_array_equal(table["m"], [i if i % 3 == 2 else np.nan for i in range(40)])
    assert problem.y.dtype == np.int64


@pytest.mark.parametrize("wide", [0, 10])
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("mark", [".", ","])
def test_numbers_are_read_alike_however_they_are_parsed(tmp_path, monkeypatch, wide, quote, mark):
    monkeypatch.setattr(cells, "WIDE", wide)
    spelled = [" 1.5", "+2.5", "1.25e3", "NA", "-0.5 ", "+.5", "", "7"]
    numbers = [1.5, 2.5, 1250, np.nan, -0.5, 0.5, np.nan, 7]
    lines = [f"{one.replace('.', mark)};{quote}t{i}{quote};u" for i, one in enumerate(spelled)]
    problem = opened(tmp_path, "a;t;y\n" + "\n".join(lines) + "\n")
    np.testing.assert_array_equal(problem.X.to_pydict()["a"], numbers)
    assert problem.X.to_pydict()["t"] == [f"t{i}" for i in range(8)]


@pytest.mark.parametrize("wide", [0, 10])
def test_a_record_longer_than_what_is_parsed_at_a_time(tmp_path, monkeypatch, wide):
    monkeypatch.setattr(cells, "WIDE", wide)
    problem = opened(tmp_path, f"a,t,y\n1,{'x' * (3 << 20)},u\n2,z,v\n")
    assert list(map(len, problem.X.to_pydict()["t"])) == [3 << 20, 1]


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
@settings(deadline=None)
def test_numbers_come_back_to_the_last_bit(tmp_path_factory, rows):
    lines = [",".join("" if value is None else repr(value) for value in row) for row in rows]
    path = tmp_path_factory.mktemp("numbers") / "a.csv"
    path.write_text("\n".join(["a,b,c,y", *(f"{line},{i}" for i, line in enumerate(lines))]))
    X = open_problem(str(path), Reading(target="y")).X
    np.testing.assert_array_equal(X, [[np.nan if v is None else float(v) for v in row] for row in rows])


names = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)


@given(st.lists(names, min_size=2, max_size=6), st.booleans())
@settings(deadline=None)
def test_hostile_names(tmp_path_factory, spelled, as_parquet):
    path = tmp_path_factory.mktemp("names") / "a"
    header = [*spelled, "the target"]
    rows = [[(i * j) % 5 + 0.5 for j in range(len(spelled))] + ["uv"[i % 2]] for i in range(8)]
    if as_parquet:
        pa.parquet.write_table(pa.table([pa.array(c) for c in zip(*rows, strict=True)], names=header), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows([map(defused, header), *rows])
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
    with pytest.raises(ValueError, match=r"columns named 'a' \(target\); choose one: 'a \(1\)', 'a \(2\)'"):
        opened(tmp_path, "a,a,y\n1,2,3\n5,6,7\n", target="a")


@pytest.mark.parametrize(("names", "said"), [("0,1,2", "0, 1, ..."), ("1,2,3", "1, 2, ..."), ("0,1", "0, 1")])
def test_numbers_that_count_columns_are_names_and_a_note_says_so(tmp_path, names, said):
    problem = opened(tmp_path, f"{names}\n" + f"{names}\n{names[::-1]}\n" * 3, target=names[0])
    assert (problem.n_samples, problem.names) == (6, names.split(",")[1:])
    assert f"the first line, {said}, was read as the names of the columns" in problem.notes
    assert not any("the first line" in note for note in opened(tmp_path, "a,y\n1,2\n3,4\n").notes)


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


COMMAS = ["1,5", "-2,25e3", " 3,0 ", '"4,5"']


@pytest.mark.parametrize("first", [0, 1, 7, 500])
@pytest.mark.parametrize("chunk", [64, 1 << 20])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas_may_begin_anywhere(tmp_path, monkeypatch, first, chunk, separator):
    monkeypatch.setattr(cells, "CHUNK", chunk)
    monkeypatch.setattr(layout, "BLOCK", chunk)
    whole = [[str(i), str(2 * i), "Smith, J", f"{i},5" if i >= first else "7"] for i in range(first)]
    rows = [["a", "b", "text", "y"], *whole, *([one, "1", "x,1", "2,5"] for one in COMMAS)]
    text = "\n".join(map(separator.join, rows))
    problem = opened(tmp_path, text)
    table = problem.X.to_pydict()
    assert table["a"] == [*map(float, range(first)), 1.5, -2250, 3, 4.5]
    assert problem.y[-1] == 2.5
    assert "numbers are written with decimal commas" in problem.notes
    with open_stream(
        str(tmp_path / "data.csv"), Reading(target="y"), scratch=tmp_path / "s", memory=10**7
    ) as streamed:
        np.testing.assert_array_equal(streamed.columns.numbers(np.array([0]))[:, 0], table["a"])
        assert streamed.targets["y"].tolist() == problem.y.tolist()
        assert "numbers are written with decimal commas" in streamed.notes


@pytest.mark.parametrize("place", [0, 20, 300])
def test_commas_are_text_where_numbers_have_points(tmp_path, place):
    rows = [f"{i},5;{i};{'uv'[i % 2]}" for i in range(301)]
    rows[place] = "1,5;2.5;u"
    problem = opened(tmp_path, "\n".join(["a;b;y", *rows]))
    assert problem.X.to_pydict()["a"][:2] == ["0,5" if place else "1,5", "1,5"]
    assert any("both decimal commas" in note and "points (2.5)" in note for note in problem.notes)


def test_a_first_line_of_decimal_commas_is_data(tmp_path):
    problem = opened(tmp_path, "1,5;2;0\n3,5;4;1\n5;6;0\n", target="2")
    np.testing.assert_array_equal(problem.X, [[1.5, 2], [3.5, 4], [5, 6]])


def test_decimal_commas_of_labels_and_of_features_in_rows(tmp_path):
    (tmp_path / "labels").write_text("s;l\ns1;1,5\ns2;2\n")
    text = "gene;s1;s2\ng1;1;2\ng2;3;4\nstate;u;v\ng3;0,5;4\n"
    problem = opened(tmp_path, text, target="state", features_in="rows")
    np.testing.assert_array_equal(problem.X, [[1, 3, 0.5], [2, 4, 4]])
    reading = {"features_in": "rows", "labels": str(tmp_path / "labels"), "drop": ("state",)}
    assert opened(tmp_path, text.replace("u;v", "1;2"), target=None, **reading).y.tolist() == [1.5, 2]


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


@pytest.mark.parametrize("sign", ["", "-", "+", " "])
@pytest.mark.parametrize("gap", ["", "NA", "3"])
def test_integers_too_long_for_floats_are_labels_beside_missing_cells(tmp_path, sign, gap):
    long = [f"{sign}{2**53 + i % 2}" for i in range(40)]
    rows = "".join(f"{one},{gap if i == 9 else i % 5},{'uv'[i % 2]}\n" for i, one in enumerate(long))
    problem = opened(tmp_path, f"id,b,y\n{rows}")
    assert problem.X.to_pydict()["id"] == long
    assert "integers too long to be numbers were read as labels: 'id'" in problem.notes


@pytest.mark.parametrize("digits", [2**53, 2**64, 10**40])
def test_targets_and_groups_of_long_integers_are_kept_apart(tmp_path, digits):
    text = "a,y,who\n" + "".join(f"{i},{digits + i % 2},{digits + i % 3}\n" for i in range(12))
    problem = opened(tmp_path, text, groups="who")
    assert len(set(problem.y)) == 2
    assert len(set(problem.groups)) == 3
    (tmp_path / "labels").write_text("".join(f"{digits + i % 2}\n" for i in range(12)))
    given = opened(tmp_path, text, target=None, drop=("y", "who"), labels=str(tmp_path / "labels"))
    assert len(set(given.y)) == 2


def test_long_integers_of_other_formats_are_labels(tmp_path):
    long = [2**53, 2**53 + 1]
    rows = "".join(f"{one},1e300,?\n" for one in long)
    head = "@relation r\n@attribute id numeric\n@attribute b real\n@attribute c real\n@data\n"
    (tmp_path / "a.arff").write_text(head + rows)
    found = open_table(str(tmp_path / "a.arff"))
    assert found.X.to_pydict()["id"] == [str(one) for one in long]
    assert found.X.to_pydict()["b"] == [1e300, 1e300]
    assert any("'id'" in note for note in found.notes)
    decimals = pa.array([*long, None], pa.decimal128(20, 0))
    pa.parquet.write_table(pa.table({"id": decimals, "b": [1, 2, 3]}), tmp_path / "a.parquet")
    found = open_table(str(tmp_path / "a.parquet"))
    assert found.X.to_pydict()["id"] == [*map(str, long), None]
    assert any("'id'" in note for note in found.notes)
    (tmp_path / "a.svm").write_text("".join(f"{one} 1:2 2:{one}\n" for one in long))
    problem = open_problem(str(tmp_path / "a.svm"))
    assert problem.y.tolist() == [str(one) for one in long]
    assert sum("'label'" in note or "rounded" in note for note in problem.notes) == 2


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
        with pytest.raises(ValueError, match=f"^{role}: no column .* matches 'x\\*'"):
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
        ("s1,a\ns2,b\n", None, "does not match the table .strict.: 1 sample without a label: 's3'"),
        ("s1,a\ns2,b\ns3,a\ns4,a\n", None, "does not match the table .strict.: 1 label of no sample: 's4'"),
        ("s1,a\ns2,b\ns3,a\ns3,b\n", None, "has several lines for 1 sample: 's3'"),
        ("s4,a\ns1,a\ns2,b\ns3,a\n", None, "does not match the table .strict.: 1 label of no sample: 's4'"),
        ("s4,1\ns1,2\ns2,3\ns3,4\n", None, "does not match the table .strict.: 1 label of no sample: 's4'"),
        ("a\nb\n", None, "has 2 labels, but there are 3 samples"),
        (
            "a\nb\na\nb\n",
            None,
            "has 4 labels, but there are 3 samples.*'a'.*replace it by a word that is not a label",
        ),
        ("0.5\n1\n2\nNA\n", None, "has 4 labels, but there are 3 samples"),
        ("NA\na\nb\na\n", None, "has 4 labels, but there are 3 samples"),
        ("", None, "is empty"),
        ("s,a,b\ns1,1,2\ns2,1,2\ns3,1,2\n", None, "has 3 columns .*; name the one"),
        ("s,a,b\ns1,1,2\ns2,1,2\ns3,1,2\n", "c", "no column 'c'"),
        ("s,a\ns1,1\ns2,\ns3,1\n", None, "missing in 1 of 3 samples"),
    ],
)
def test_labels_that_do_not_fit(tmp_path, labels, target, message):
    (tmp_path / "labels").write_text(labels)
    with pytest.raises(ValueError, match=message):
        opened(tmp_path, GENES, target, features_in="rows", labels=str(tmp_path / "labels"), strict=True)


def test_a_label_too_many_beside_names_that_are_not_used_is_refused(tmp_path):
    (tmp_path / "labels").write_text("s1;0,5\ns2;1,5\ns3;2,5\ns4;3\n")
    with pytest.raises(ValueError, match="has 4 labels, but there are 3 samples"):
        opened(tmp_path, "x,z\n1,2\n3,4\n5,6\n", target=None, labels=str(tmp_path / "labels"))


@pytest.mark.parametrize(
    ("labels", "target", "name"),
    [
        ("0\na\nb\na\n", None, "0"),
        ("a\na\nb\na\n", "a", "a"),
        ("s,a\ns1,a\ns2,b\ns3,a\n", "a", "a"),
        ("s,0\ns1,a\ns2,b\ns3,a\n", None, "0"),
    ],
)
def test_a_header_that_is_no_label_or_that_was_asked_for(tmp_path, labels, target, name):
    (tmp_path / "labels").write_text(labels)
    problem = opened(tmp_path, GENES, target=target, features_in="rows", labels=str(tmp_path / "labels"))
    assert (problem.y.tolist(), problem.target_name) == (["a", "b", "a"], name)


def test_labels_with_several_columns(tmp_path):
    (tmp_path / "labels").write_text("s\ta\tb\ns2\t1\t4\ns1\t2\t5\ns3\t3\t6\n")
    problem = opened(tmp_path, GENES, target="b", features_in="rows", labels=str(tmp_path / "labels"))
    assert problem.y.tolist() == [5, 4, 6]
    by_order = opened(tmp_path, "x,z\n1,2\n3,4\n5,6\n", target="b", labels=str(tmp_path / "labels"))
    assert by_order.y.tolist() == [4, 5, 6]
