"""Records of a text: none is lost, whatever quotes do, and a count of its own would say so."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpfs.data import Reading, UnreadableError, open_problem, open_table
from qpfs.data.formats import arff, cells, delimited, layout, records, svmlight
from qpfs.data.formats.records import LONGEST, RecordReader, survey
from qpfs.data.formats.scratch import Scratch


def opened(tmp_path, text, target="y", **reading):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_problem(str(path), Reading(target=target, **reading))


PIPES = 'a,pipe 5",lab,y\n' + "".join(
    f"{i % 7},{i % 5},{'3' + chr(34) + ' pipe' if i == 25 else 'iron'},{'ab'[i % 2]}\n" for i in range(40)
)


@pytest.mark.parametrize("wide", [0, 10])
@pytest.mark.parametrize("chunk", [1, 64, 1 << 20])
def test_a_quote_within_a_cell_is_a_letter(tmp_path, monkeypatch, chunk, wide):
    monkeypatch.setattr(cells, "CHUNK", chunk)
    monkeypatch.setattr(cells, "WIDE", wide)
    problem = opened(tmp_path, PIPES)
    assert problem.n_samples == 40
    assert problem.names == ["a", 'pipe 5"', "lab"]
    assert problem.X.to_pydict()["lab"][25] == '3" pipe'


def slow_rows(text, separator):
    """All records, by Python's csv, or None for what is refused: a text that csv would patch up."""
    if "\r" in f"{without_quoted(text, separator)}\n".replace("\r\n", "\n"):
        return None
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=False)
    return [row for row in reader if row]


def without_quoted(text, separator):
    """What is outside of quotes, letter by letter; an unclosed or torn cell leaves carriage returns."""
    out, start, quoted, i = "", True, False, 0
    held = ""
    while i < len(text):
        letter = text[i]
        if quoted:
            if letter == '"' and text[i + 1 : i + 2] == '"':
                i += 1
            elif letter == '"':
                quoted = False
                follows = text[i + 1 : i + 2]
                if "\n" in held and follows not in ("", separator, "\n", "\r"):
                    return "\r\r"
            else:
                held += letter
        elif letter == '"' and start:
            quoted, held = True, ""
        else:
            out += letter
        start = not quoted and letter in (separator, "\n")
        i += 1
    return "\r\r" if quoted else out


texts = st.text(st.sampled_from('"",,;ab\n\n1 \r'), max_size=40).map(
    lambda text: text.replace("\r", "\r\n") if len(text) % 3 else text
)


@given(texts, st.sampled_from(",;"), st.integers(1, 9))
@settings(max_examples=4 * settings.default.max_examples, deadline=None)
def test_records_are_those_of_the_csv_module(text, separator, block):
    expected = slow_rows(text, separator)
    file = io.BytesIO(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "BLOCK", block)
        if expected is None:
            with pytest.raises(UnreadableError, match="line"):
                survey(file, 0, 1, separator)
            return
        found = survey(file, 0, 1, separator)
    assert found.n_records == len(expected)
    assert found.stop == len(text.encode())
    assert [row for row in RecordReader(file, 0, 1, separator, LONGEST) if row] == expected


cell = st.text(st.sampled_from('"",;ab\n1 é'), max_size=6)


@given(
    st.lists(st.lists(cell, min_size=3, max_size=3), min_size=2, max_size=12),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.integers(1, 40),
)
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
def test_what_is_written_is_read(tmp_path_factory, rows, separator, ending, quoting, chunk):
    path = tmp_path_factory.mktemp("quotes") / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator=ending, quoting=quoting)
        writer.writerows([["p", "q", 'r"', "n"], *([*row, i] for i, row in enumerate(rows))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "CHUNK", chunk)
        patch.setattr(cells, "WIDE", 10 * (chunk % 2))
        sheet = delimited.read(path, Reading(categorical=("p", "q", 'r"')), Scratch(), separator)
    assert sheet.n_samples == len(rows)
    for place in range(3):
        found = [value or "" for value in sheet.labels[place].to_pylist()]
        assert found == [row[place] for row in rows]


@pytest.mark.parametrize("chunk", [1, 100, 1 << 20])
def test_the_separator_says_which_quotes_open_a_cell(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(cells, "CHUNK", chunk)
    rows = "".join(f'{i};5,"{i % 3};{"uv"[i % 2]}\n' for i in range(30))
    problem = opened(tmp_path, f"a;b;y\n{rows}")
    assert problem.n_samples == 30
    assert problem.X.to_pydict()["b"][:3] == ['5,"0', '5,"1', '5,"2']


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('a,b,y\n1,p,u\n2,"q,v\n3,r,u\n4,s,v\n', "the quote that opens a cell in line 3 is never closed"),
        ('a,y,b\n1,u,p\n2,v,"q\n3,u,r\n4,v,s\n', "the quote that opens a cell in line 3 is never closed"),
        ('a,"b,y\n1,p,u\n2,q,v\n', "the quote that opens a cell in line 1 is never closed"),
        ('a,y,b\n1,u,"p\n2,v,q\n3,u,"r\n4,v,s\n', "line 2 is closed within a cell of line 4"),
        ("a,b,y\n" + "1,2,u\n" * 20_000 + "1,2,u\r" * 9 + "\n", "line 20002 has a carriage return without"),
        ("a,b,y\n" + "1,2,u\n" * 20_000 + "1,\0,u\n", "line 20002 has a zero byte"),
        ("a,b,y\n" + "1,2,u\n" * 20 + "\ufeff1,2,v\n", "line 22 begins with a byte order mark"),
        ("y,a,b\n" + "1,2,u,\n" * 20, "rows have 4 cells, the last one empty, but the header has 3"),
        ("b\n1\n\n3\n", "line 3 is empty, which in a table of one column"),
        ("\na,b,y\n1,2,u\n", "its first line is empty"),
    ],
)
def test_what_would_be_misread_is_refused(tmp_path, content, message):
    with pytest.raises(UnreadableError, match=message):
        opened(tmp_path, content, target="b" if content.startswith("b\n") else "y")


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_ends_may_change(tmp_path, ending):
    text = "a,b,y\n" + "1,2,u\n" * 20 + f"3,4,v{ending}" * 20 + '5,"6\r7",u\n'
    problem = opened(tmp_path, text)
    assert problem.n_samples == 41
    assert problem.X.to_pydict()["b"][-1] == "6\r7"
    assert set(problem.y) == {"u", "v"}


def test_rows_below_the_end_of_a_table_are_not_lost(tmp_path):
    (tmp_path / "labels").write_text("u\nv\nu\n")
    reading = {"target": None, "features_in": "rows", "labels": str(tmp_path / "labels")}
    genes = "gene\ts1\ts2\ts3\ng1\t1\t2\t3\n"
    with pytest.raises(UnreadableError, match=r"line 3 begins with !, which ends the table, but line 4 goes"):
        opened(tmp_path, genes + "!g2\t4\t5\t6\ng3\t7\t8\t9\n", **reading)
    quoted = opened(tmp_path, genes + '"!g2"\t4\t5\t6\ng3\t7\t8\t9\n!end\n\n!more\n', **reading)
    assert quoted.names == ["g1", "!g2", "g3"]


def test_a_row_name_more_than_the_header_is_said(tmp_path):
    problem = opened(tmp_path, "a,y\nr1,1,u\nr2,2,v\n")
    assert any("the first one was read as the name of the row" in note for note in problem.notes)


@pytest.mark.parametrize("text", ["a,b,y\n" + "1,2,u\n" * 30, 'a,b,y\n"1",2,u\n' + "1,2,u\n" * 29])
@pytest.mark.parametrize("kind", ["NarrowCells", "WideCells"])
def test_a_row_that_the_parser_loses_is_noticed(tmp_path, monkeypatch, text, kind):
    def losing(self, places, text):
        numbers, columns = whole(self, places, text)
        return None if numbers is None else numbers[:-1], columns

    whole = getattr(cells, kind).taken
    monkeypatch.setattr(getattr(cells, kind), "taken", losing)
    monkeypatch.setattr(cells, "WIDE", 0 if kind == "WideCells" else 10)
    with pytest.raises(UnreadableError, match="29 rows were read, but it has 30 records"):
        opened(tmp_path, text)


def test_a_record_that_is_skipped_is_noticed(tmp_path, monkeypatch):
    def skipping(file, layout, stop, size):
        parts = list(whole(file, layout, stop, size))
        return parts[:1] + parts[2:]

    whole = cells.parts
    monkeypatch.setattr(cells, "CHUNK", 10)
    monkeypatch.setattr(cells, "parts", skipping)
    with pytest.raises(UnreadableError, match="28 rows were read, but it has 30 records"):
        opened(tmp_path, "a,b,y\n" + "1,2,u\n" * 30)


def test_a_sample_of_svmlight_that_is_lost_is_noticed(tmp_path, monkeypatch):
    import sklearn.datasets

    def losing(file, **options):
        X, y, query = whole(file, **options)
        return X[:-1], y[:-1], query[:-1]

    whole = sklearn.datasets.load_svmlight_file
    text = "# head\n1 1:2 # note\n\n0 2:1\n1 3:1\n"
    (tmp_path / "a.svm").write_text(text)
    assert open_problem(str(tmp_path / "a.svm")).n_samples == 3
    monkeypatch.setattr(sklearn.datasets, "load_svmlight_file", losing)
    with pytest.raises(UnreadableError, match="2 rows were read, but it has 3 records"):
        svmlight.read(tmp_path / "a.svm", Reading(), Scratch())


def test_queries_of_some_lines_alone_are_refused(tmp_path):
    (tmp_path / "a.svm").write_text("1 qid:1 1:1\n0 1:2\n1 qid:2 1:3\n")
    with pytest.raises(UnreadableError, match="2 of 3 lines have a qid"):
        svmlight.read(tmp_path / "a.svm", Reading(), Scratch())
    with (
        Scratch(tmp_path / "s", 10**7) as scratch,
        pytest.raises(UnreadableError, match="2 of 3 lines have a qid"),
    ):
        svmlight.read(tmp_path / "a.svm", Reading(), scratch)


@pytest.mark.parametrize("memory", [10**7, 10**9])
def test_a_far_index_is_refused_by_its_line(tmp_path, memory):
    (tmp_path / "h.svm").write_text("1 1:0.5\n0 1:0.1 99999999:1 # far\n1 1:0.7\n0 3:1\n")
    with (
        Scratch(tmp_path / "s", memory) as scratch,
        pytest.raises(UnreadableError, match=r"line 2 has an index of 99,999,999; so many features"),
    ):
        svmlight.read(tmp_path / "h.svm", Reading(), scratch)


def test_a_far_index_is_refused_by_the_memory_of_the_machine(tmp_path, monkeypatch):
    (tmp_path / "h.svm").write_text("1 1:0.5\n0 2000000:1\n")
    assert svmlight.read(tmp_path / "h.svm", Reading(), Scratch()).numbers.shape == (2, 2_000_000)
    monkeypatch.setattr("qpfs.data.formats.scratch.memory_of_machine", lambda: 10**8)
    with pytest.raises(UnreadableError, match=r"line 2 has an index of 2,000,000; .*but 100 MB are allowed"):
        svmlight.read(tmp_path / "h.svm", Reading(), Scratch())


def test_a_row_of_arff_that_is_lost_is_noticed(tmp_path, monkeypatch):
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute a numeric\n@attribute y {u,v}\n@data\n1,u\n% no\n\n2,v\n3,u\n")
    assert open_problem(str(path), Reading(target="y")).n_samples == 3
    whole = arff.some_rows
    monkeypatch.setattr(arff, "some_rows", lambda *some: ([rows[0]] for rows in whole(*some)))
    with pytest.raises(UnreadableError, match="1 rows were read, but it has 3 records"):
        open_problem(str(path), Reading(target="y"))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ('s,l\ns1,"a\ns2,b\ns3,a\n', "the quote that opens a cell in line 2 is never closed"),
        ("l\nu\n\nv\n", "line 3 is empty; write NA there for a missing label"),
        ("l\nu\rv\nu\n", "carriage return"),
    ],
)
def test_labels_that_would_be_misread_are_refused(tmp_path, labels, message):
    (tmp_path / "labels").write_bytes(labels.encode())
    with pytest.raises(UnreadableError, match=message):
        opened(tmp_path, "a,b\n1,2\n3,4\n5,6\n", target=None, labels=str(tmp_path / "labels"))


def test_labels_may_hold_what_ends_lines_elsewhere(tmp_path):
    (tmp_path / "labels").write_text('l\n"u\nw"\nv\u2028w\x0cz\nx 5"\n', encoding="utf-8")
    problem = opened(tmp_path, "a,b\n1,2\n3,4\n5,6\n", target=None, labels=str(tmp_path / "labels"))
    assert problem.y.tolist() == ["u\nw", "v\u2028w\x0cz", 'x 5"']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,y\n1,u\n2,"{}"\n', "the record that begins in line 3 is longer than"),
        ('a,"{}",y\n1,u,u\n', "the record that begins in line 1 is longer than"),
        ('a,y\n1,u\n2,"{}\n', "the quote that opens a cell in line 3 is never closed"),
        ('a,"y{}\n1,u\n2,v\n', "the record that begins in line 1 is longer than"),
        ("a,y\n1,u\n" + "2,3" * 100_000 + "\n", "the record that begins in line 3 is longer than"),
        (
            "a;y\n" + "1;u\n" * 10 + "1,5 " * 100_000 + "\n",
            "the record that begins in line 12 is longer than",
        ),
    ],
)
def test_a_record_longer_than_the_room_for_it_is_refused_by_its_line(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_text(text.format("x\n" * 100_000))
    with Scratch(tmp_path / "s", 10**5) as scratch, pytest.raises(UnreadableError, match=message):
        delimited.read(path, Reading(), scratch)


@pytest.mark.parametrize(
    "line", ["1 1:1 # " + "x" * 200_000, "1" + "".join(f" {j}:1" for j in range(1, 30_000))]
)
@pytest.mark.parametrize("end", ["", "\n", "\n0 1:2\n"])
def test_a_line_of_svmlight_longer_than_the_room_for_it_is_refused(tmp_path, line, end):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1 3:2\n0 2:1\n" + line + end)
    with (
        Scratch(tmp_path / "s", 10**5) as scratch,
        pytest.raises(UnreadableError, match=r"line 3 is longer than the 0\.1 MB"),
    ):
        svmlight.read(path, Reading(), scratch)


def test_a_long_line_of_svmlight_is_read_where_there_is_room(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1 # " + "x" * 50_000 + "\n0 1:3 2:1\n")
    with Scratch(tmp_path / "s", 10**5) as scratch:
        assert svmlight.read(path, Reading(), scratch).n_samples == 2


class Watched(io.BytesIO):
    """A file that knows the most that was read of it at once."""

    most = 0

    def read(self, size=-1):
        return self.seen(super().read(size))

    def readline(self, size=-1):
        return self.seen(super().readline(size))

    def seen(self, text):
        self.most = max(self.most, len(text))
        return text


@pytest.mark.parametrize("separator", list(";|\t"))
@pytest.mark.parametrize(
    ("end", "number"), [("", ""), ("{0}1,5", "1,5"), ('{0}"-1,5e3"\r\n', "-1,5e3"), ("\n 1,5{0}u", "1,5")]
)
def test_decimal_commas_are_looked_for_in_pieces_of_a_long_line(monkeypatch, separator, end, number):
    monkeypatch.setattr(layout, "BLOCK", 1 << 12)
    file = Watched(("1,5 " * 50_000 + end.format(separator)).encode())
    text = layout.Layout(["a", "y"], separator, (0, 1), 0, 1)
    assert layout.decimal_marks(file, text) == (number, "")
    assert file.most <= 1 << 12


cell = st.sampled_from(
    ["1,5", "1.5", ' "+1,5e-3"', "1,5x", "x 1,5", '"', "", "1,,5", " 2,5 ", "22,5\r", "1,5 1,5"]
)


@given(st.lists(cell, max_size=12), st.sampled_from(";|\t"), st.sampled_from([1, 3, 1 << 20]))
@settings(deadline=None)
def test_the_first_decimal_comma_is_that_of_the_cells_one_by_one(some, separator, block):
    lines = separator.join(some).replace("\r" + separator, "\n")
    text = layout.Layout(["a"], separator, (0, 1), 0, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "BLOCK", block)
        found = layout.decimal_marks(io.BytesIO(lines.encode()), text)
    cells = [one.removesuffix("\r").strip('"') for one in lines.replace("\n", separator).split(separator)]
    for pattern, number in zip((layout.DECIMAL_COMMA, layout.DECIMAL_POINT), found, strict=True):
        assert number == next((one.strip() for one in cells if pattern.fullmatch(one)), "")


def test_text_columns_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,note,y\n" + "1,something to say of it,2\n" * 20_000)
    with (
        pytest.raises(UnreadableError, match="its columns of text, such as 'note', need more than 100 kB"),
        Scratch(tmp_path / "s", 10**5) as scratch,
    ):
        delimited.read(path, Reading(), scratch)


def test_text_that_shows_late_counts_from_the_first_row_on(tmp_path, monkeypatch):
    """What is above is read again, what is below is kept: together they may not need more either."""
    path, kept = tmp_path / "a.csv", []
    rows = (f"{'x' * (i >= 1000)}{i:05d},1\n" for i in range(2000))
    path.write_text("a,y\n" + "".join(rows))
    monkeypatch.setattr(cells, "CHUNK", 2000)

    def joined(parts):
        kept.append(sum(part.nbytes for part in parts))
        return cells.joined_cells(parts)

    monkeypatch.setattr(delimited, "joined_cells", joined)
    whole = delimited.read(path, Reading(), Scratch())
    assert delimited.read(path, Reading(), Scratch(memory=kept[0])).labels[0].equals(whole.labels[0])
    with pytest.raises(UnreadableError, match="its columns of text, such as 'a', need more than"):
        delimited.read(path, Reading(), Scratch(memory=kept[0] - 1))


@pytest.mark.parametrize("quote", ["", '6" ', '"'])
def test_a_text_is_parsed_in_pieces_whatever_quotes_are_in_it(tmp_path, monkeypatch, quote):
    """Each piece takes a few dozen times its bytes, so none may be as large as the text."""
    path, seen = tmp_path / "a.csv", []
    rows = "".join(f"{i},{i % 7},{'uv'[i % 2]}\n" for i in range(100_000))
    path.write_text(f"a,b,y\n1,2,{quote}u{quote[:1] if quote == chr(34) else ''}\n{rows}")
    whole = cells.parts

    def n_rows(part):
        return len(next(part.texts([0]))[1])

    monkeypatch.setattr(
        cells, "parts", lambda *some: (seen.append(n_rows(one)) or one for one in whole(*some))
    )
    with Scratch(tmp_path / "s", 10**6) as scratch:
        assert delimited.read(path, Reading(target="y"), scratch).n_samples == 100_001
    assert max(seen) < 10_000


@pytest.mark.parametrize("wide", [0, 10])
@pytest.mark.parametrize("quote", ["", '"'])
def test_numbers_are_what_they_are_one_by_one_however_they_are_parsed(tmp_path, monkeypatch, quote, wide):
    """A number may be spelled in ways that no parser takes at once: a point among commas, a plus."""
    monkeypatch.setattr(cells, "WIDE", wide)
    spelled = ["1,5", "2.", "+3,5", " 4,25 ", "", "1e3"]
    text = "a;b;y\n" + "".join(f"{quote}{one}{quote};{i};{'uv'[i % 2]}\n" for i, one in enumerate(spelled))
    np.testing.assert_array_equal(opened(tmp_path, text).X[:, 0], [1.5, 2, 3.5, 4.25, np.nan, 1000])


def test_empty_lines_between_rows_are_no_rows(tmp_path):
    problem = opened(tmp_path, 'a,b,y\n1,2,u\n\n3,4,v\r\n\r\n"5",,u\n\n')
    np.testing.assert_array_equal(problem.X, [[1, 2], [3, 4], [5, np.nan]])


def test_rows_of_separators_alone_are_rows(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n,\n3,4\n")
    np.testing.assert_array_equal(open_table(str(tmp_path / "a.csv")).X, [[1, 2], [np.nan, np.nan], [3, 4]])
