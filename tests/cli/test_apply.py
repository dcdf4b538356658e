"""`qpfs apply` and `qpfs report`: what a selection is used for afterwards."""

from __future__ import annotations

import csv
import datetime
import io
import json
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.cli.command import qpfs

from qpfs.data import open_table

NAMES = ["plain", 'with "quotes", commas', "two\nlines", "<script>alert(1)</script>", "שלום", "ill"]


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    """A table with odd names, and a selection of three of its columns."""
    folder = tmp_path_factory.mktemp("trial")
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    columns = [rng.normal(size=60) + shift * y for shift in (2.0, 0.0, 1.5, 0.0, 1.0)]
    table = pa.table({name: pa.array(column) for name, column in zip(NAMES, [*columns, y], strict=True)})
    pyarrow.parquet.write_table(table, folder / "a.parquet")
    run = qpfs("select", folder / "a.parquet", "--target", "ill", "--top", 3, "--out", folder / "result")
    assert run.returncode == 0, run.stderr
    return folder


def chosen(folder):
    record = json.loads((folder / "result" / "selection.json").read_text())
    return [row["feature"] for row in record["features"]]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".feather", ".npz"])
def test_another_table_is_cut_to_the_selection(trial, tmp_path, ending):
    out = tmp_path / f"cut{ending}"
    run = qpfs("apply", trial / "result" / "selection.json", trial / "a.parquet", "--out", out)
    assert run.returncode == 0, run.stderr
    cut, whole = open_table(str(out)), open_table(str(trial / "a.parquet"))
    assert cut.names == chosen(trial)
    expected = whole.X[:, [whole.names.index(name) for name in cut.names]]
    np.testing.assert_array_equal(cut.X, expected)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_numbers_alone(trial, tmp_path):
    selection = trial / "result" / "selection.json"
    assert qpfs("apply", selection, trial / "a.parquet", "--out", tmp_path / "a.npy").returncode == 0
    assert np.load(tmp_path / "a.npy").shape == (60, 3)


def test_columns_in_another_order_the_target_kept_and_fewer_features(trial, tmp_path):
    table = pyarrow.parquet.read_table(trial / "a.parquet")
    shuffled = table.select([*NAMES[::-1]])
    pyarrow.feather.write_feather(shuffled, tmp_path / "b.feather")
    selection = trial / "result" / "selection.json"
    out = tmp_path / "c.parquet"
    run = qpfs("apply", selection, tmp_path / "b.feather", "--top", 2, "--keep", "ill", "--out", out)
    assert run.returncode == 0, run.stderr
    cut = pyarrow.parquet.read_table(out)
    assert cut.column_names == [*chosen(trial)[:2], "ill"]
    assert cut.column("ill").to_pylist() == table.column("ill").to_pylist()


def test_standard_output(trial):
    run = qpfs("apply", trial / "result" / "selection.json", trial / "a.parquet", "--out", "-", "--top", 1)
    assert run.stdout.splitlines()[0].strip('"') == chosen(trial)[0]
    assert len(run.stdout.splitlines()) == 61


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json", "a.parquet", "--out", "b.csv"], "does not exist"),
        (["result", "a.parquet", "--out", "b.csv"], "is a folder"),
        (["result/selection.csv", "a.parquet", "--out", "b.csv"], "not a record"),
        (["newer.json", "a.parquet", "--out", "b.csv"], "this version reads"),
        (["thin.json", "a.parquet", "--out", "b.csv"], "is incomplete, or was changed"),
        (["comparison.json", "a.parquet", "--out", "b.csv"], "is a comparison"),
        (["result/selection.json", "colon", "--out", "b.csv", "--data", "nowhere"], "no such folder"),
        (["result/selection.json", "other.csv", "--out", "b.csv"], "lacks 3 of the 3 selected features"),
        (["result/selection.json", "a.parquet", "--out", "b.doc"], "ends in none of"),
        (["result/selection.json", "a.parquet", "--out", "other.csv"], "--force"),
        (
            ["result/selection.json", "a.parquet", "--out", "a.parquet"],
            "is read, so it cannot be overwritten",
        ),
        (["result/selection.json", "a.parquet", "--out", "b.csv", "--keep", "nobody"], "no such column"),
        (["result/selection.json", "labels.csv", "--out", "b.npy", "--keep", "x"], "lacks"),
    ],
)
def test_bad_usage_is_one_message_and_no_file(trial, arguments, message):
    (trial / "other.csv").write_text("a,b\n1,2\n3,4\n")
    (trial / "labels.csv").write_text("x,y\na,b\nc,d\n")
    (trial / "newer.json").write_text('{"schema": "qpfs-selection/99"}')
    (trial / "thin.json").write_text('{"schema": "qpfs-selection/3"}')
    (trial / "comparison.json").write_text('{"schema": "qpfs-comparison/2", "methods": []}')
    run = qpfs("apply", *arguments, cwd=trial)
    assert run.returncode == 2, run.stderr
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert not (trial / "b.csv").exists()


def test_the_page_is_drawn_again(trial, tmp_path):
    selection = trial / "result" / "selection.json"
    first = (trial / "result" / "report.html").read_text()
    assert qpfs("report", selection, "--out", tmp_path / "again.html").returncode == 0
    assert (tmp_path / "again.html").read_text() == first
    refused = qpfs("report", selection)
    assert refused.returncode == 2
    assert "exists" in refused.stderr
    assert qpfs("report", selection, "--force").returncode == 0


@pytest.mark.parametrize("schema", ["qpfs-selection/3", "qpfs-comparison/2"])
@pytest.mark.parametrize("more", ["", ', "data": 3', ', "data": {}, "methods": [], "features": []'])
def test_a_record_that_is_not_whole_is_one_message_and_no_page(tmp_path, schema, more):
    (tmp_path / "thin.json").write_text(f'{{"schema": "{schema}"{more}}}')
    run = qpfs("report", "thin.json", cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert "thin.json is incomplete, or was changed" in run.stderr
    assert "Traceback" not in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thin.json"]


def test_a_named_set_from_a_folder_is_cut(tmp_path):
    names, rng = np.array(["a", "b", "c"]), np.random.default_rng(0)
    np.savez(tmp_path / "colon.npz", X=rng.normal(size=(20, 3)), y=np.arange(20) % 2, feature_names=names)
    arguments = ["--data", tmp_path]
    out = tmp_path / "o"
    assert qpfs("select", "colon", *arguments, "--top", 2, "--out", out, QPFS_DATA="").returncode == 0
    cut = tmp_path / "cut.csv"
    run = qpfs("apply", out / "selection.json", "colon", *arguments, "--out", cut, QPFS_DATA="")
    assert run.returncode == 0, run.stderr
    assert len(open_table(str(cut)).names) == 2


def test_the_page_of_a_comparison_is_drawn_again(tmp_path):
    quick = [
        "--no-memory",
        "--cv",
        2,
        "--repeats",
        1,
        "--inner-cv",
        2,
        "--sizes",
        "1,2",
        "--method",
        "maxrel",
    ]
    assert qpfs("compare", "iris", *quick, "--out", tmp_path / "o").returncode == 0
    run = qpfs("report", tmp_path / "o" / "comparison.json", "--out", tmp_path / "again.html")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "again.html").read_text() == (tmp_path / "o" / "report.html").read_text()


def test_standard_input_is_read():
    text = "a,b,t\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(20))
    run = qpfs("select", "-", "--target", "t", "--top", 1, "--json", stdin=text.encode())
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["data"]["source"] == "-"
    shown = qpfs("select", "-", "--target", "t", "--top", 1, stdin=text.encode())
    assert shown.stdout.startswith("standard input\n")


def test_a_selection_and_a_comparison_on_one_page(tmp_path):
    quick = ["--no-memory", "--cv", 2, "--repeats", 1, "--inner-cv", 2, "--sizes", "1,2"]
    assert qpfs("compare", "iris", "--method", "maxrel", *quick, "--out", tmp_path / "c").returncode == 0
    assert qpfs("select", "iris", "--top", 2, "--out", tmp_path / "s").returncode == 0
    assert qpfs("select", "wine", "--top", 2, "--out", tmp_path / "w").returncode == 0
    comparison, out = tmp_path / "c" / "comparison.json", tmp_path / "page.html"
    selection = tmp_path / "s" / "selection.json"
    run = qpfs("report", selection, "--comparison", comparison, "--out", out)
    assert run.returncode == 0, run.stderr
    assert "MaxRel" in out.read_text()
    assert "MaxRel" not in (tmp_path / "s" / "report.html").read_text()
    for pair in [(tmp_path / "w" / "selection.json", comparison), (selection, selection)]:
        refused = qpfs("report", pair[0], "--comparison", pair[1], "--out", tmp_path / "other.html")
        assert refused.returncode == 2
    assert not (tmp_path / "other.html").exists()


def spoiled(record):
    """A record in which something is missing, or is something else: one of each place."""
    for key in record.keys() - {"schema", "command"}:
        yield {name: value for name, value in record.items() if name != key}
        for value in (None, 3, "text", [None], {"a": []}):
            yield record | {key: value}


def test_a_record_changed_by_hand_is_one_message_or_a_page(trial, tmp_path):
    record = json.loads((trial / "result" / "selection.json").read_text())
    path, codes = tmp_path / "selection.json", set()
    for one in spoiled(record):
        path.write_text(json.dumps(one))
        run = qpfs("report", path, "--force")
        codes.add(run.returncode)
        assert len(run.stderr.splitlines()) == 1
        assert run.returncode == 0 or "is incomplete, or was changed" in run.stderr
    assert codes == {0, 2}


@pytest.mark.parametrize("command", ["report", "apply"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: "[" * 100_000, "not a record of a selection"),
        (lambda record: json.dumps(record | {"features": [{"feature": 3}]}), "is incomplete, or was changed"),
        (lambda record: json.dumps(record | {"features": 7}), "is incomplete, or was changed"),
        (lambda record: json.dumps({"schema": record["schema"]}), "is incomplete, or was changed"),
    ],
    ids=["deep", "number for a name", "no list", "nothing else"],
)
def test_a_record_that_is_none_leaves_no_file(trial, tmp_path, command, change, message):
    record = json.loads((trial / "result" / "selection.json").read_text())
    (tmp_path / "r.json").write_text(change(record))
    data = [trial / "a.parquet"] if command == "apply" else []
    run = qpfs(command, tmp_path / "r.json", *data, "--out", tmp_path / "b.csv")
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (tmp_path / "b.csv").exists()


def test_a_comparison_selects_nothing(trial, tmp_path):
    (tmp_path / "c.json").write_text('{"schema": "qpfs-comparison/2"}')
    run = qpfs("apply", tmp_path / "c.json", trial / "a.parquet", "--out", tmp_path / "b.csv")
    assert (run.returncode, "is a comparison, not a selection" in run.stderr) == (2, True)


def test_a_column_both_selected_and_kept_is_written_once(trial, tmp_path):
    out, names = tmp_path / "b.csv", chosen(trial)
    arguments = [trial / "result" / "selection.json", trial / "a.parquet", "--keep", names[0], "--out", out]
    assert qpfs("apply", *arguments).returncode == 0
    assert pyarrow.csv.read_csv(out).column_names == names


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("tsv", "\t")])
def test_text_is_quoted_only_where_it_must_be(trial, tmp_path, ending, mark):
    names = chosen(trial)
    rows = [["0.82404272229836", "1e-3", "x y"], ["", "a,b", 'a "b"'], ["007", "a\tb", "two\nlines"]]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])
    out, selection = tmp_path / f"b.{ending}", trial / "result" / "selection.json"
    run = qpfs("apply", selection, tmp_path / "a.csv", "--out", out)
    assert run.returncode == 0, run.stderr
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\n", delimiter=mark).writerows([names, *rows])
    assert out.read_text() == expected.getvalue()


def test_a_table_with_a_date_is_cut_too(trial, tmp_path):
    table = pyarrow.parquet.read_table(trial / "a.parquet")
    dates = pa.array([datetime.datetime(2020, 1, 1)] * table.num_rows)
    pyarrow.parquet.write_table(table.append_column("when", dates), tmp_path / "a.parquet")
    selection, out = trial / "result" / "selection.json", tmp_path / "b.csv"
    run = qpfs("apply", selection, tmp_path / "a.parquet", "--out", out)
    assert run.returncode == 0, run.stderr
    assert pyarrow.csv.read_csv(out).column_names == chosen(trial)


def test_cells_and_types_are_passed_on_as_they_are(trial, tmp_path):
    names = chosen(trial)
    table = pa.table({names[0]: ["00100", "7e0"], names[1]: ["True", "no"], names[2]: ["-0", "x"]})
    pyarrow.csv.write_csv(table, tmp_path / "a.csv")
    selection = trial / "result" / "selection.json"
    run = qpfs("apply", selection, tmp_path / "a.csv", "--out", tmp_path / "b.csv")
    assert run.returncode == 0, run.stderr
    text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    assert pyarrow.csv.read_csv(tmp_path / "b.csv", convert_options=text).equals(table)
    typed = pa.table({names[0]: [True, None], names[1]: [2**60, 1], names[2]: [0.5, 1.0]})
    pyarrow.parquet.write_table(typed, tmp_path / "a.parquet")
    assert qpfs("apply", selection, tmp_path / "a.parquet", "--out", tmp_path / "b.parquet").returncode == 0
    assert pyarrow.parquet.read_table(tmp_path / "b.parquet").equals(typed)


def test_what_is_cut_is_not_written_over(trial):
    before = (trial / "a.parquet").read_bytes()
    selection = trial / "result" / "selection.json"
    run = qpfs("apply", selection, trial / "a.parquet", "--out", trial / "a.parquet", "--force")
    assert run.returncode == 2
    assert "is read, so it cannot be overwritten" in run.stderr
    assert (trial / "a.parquet").read_bytes() == before


def test_a_missing_value_of_one_column_alone_is_read_again(tmp_path):
    path, cut = tmp_path / "a.csv", tmp_path / "cut.csv"
    path.write_text("a,y\n" + "".join(f"{'' if i == 7 else i % 5},{i % 2}\n" for i in range(40)))
    assert qpfs("select", path, "--target", "y", "--out", tmp_path / "o").returncode == 0
    assert qpfs("apply", tmp_path / "o" / "selection.json", path, "--out", cut).returncode == 0
    table = open_table(str(cut))
    assert np.isnan(np.asarray(table.X)[:, 0]).nonzero()[0].tolist() == [7]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_numbers_with_decimal_commas_are_numbers_again(tmp_path, ending):
    path, cut = tmp_path / "a.csv", tmp_path / f"cut.{ending}"
    rows = [f"{i % 5},{i % 10};{'x,y' if i % 3 else 'z'};{i % 2},5" for i in range(40)]
    path.write_text("a;text;y\n" + "\n".join(rows) + "\n")
    assert qpfs("select", path, "--target", "y", "--out", tmp_path / "o").returncode == 0
    keep = ("--keep", "a", "--keep", "text", "--keep", "y")
    assert qpfs("apply", tmp_path / "o" / "selection.json", path, *keep, "--out", cut).returncode == 0
    before, after = open_table(str(path)), open_table(str(cut))
    columns = [after.names.index(name) for name in before.names]
    for j, k in enumerate(columns):
        assert values_of(before, j) == values_of(after, k), before.names[j]


def values_of(table, place):
    column = table.X.column(place) if isinstance(table.X, pa.Table) else pa.array(table.X[:, place])
    return column.to_pylist()


@pytest.mark.parametrize("measure", [(), ("--measure", "rank")])
def test_a_store_is_cut_to_what_it_holds(trial, tmp_path, measure):
    """And a selection made on a store cuts the table."""
    store, table = tmp_path / "a.qpfs", trial / "a.parquet"
    assert qpfs("encode", table, "--target", "ill", "--out", store, *measure).returncode == 0
    found = qpfs("select", store, "--top", 2, "--out", tmp_path / "result")
    assert found.returncode == 0, found.stderr
    selection, out = tmp_path / "result" / "selection.json", tmp_path / "cut.csv"
    run = qpfs("apply", selection, store, "--keep", "ill", "--out", out)
    assert run.returncode == 0, run.stderr
    assert f"a.qpfs is encoded: {'normal scores' if measure else 'levels'}" in run.stderr
    names = [row["feature"] for row in json.loads(selection.read_text())["features"]]
    cut, whole = open_table(str(out)), open_table(str(table))
    assert cut.names == [*names, "ill"]
    for place, name in enumerate(names):
        held, number = cut.X[:, place], whole.X[:, whole.names.index(name)]
        order = np.argsort(number)
        assert (np.diff(held[order]) >= 0).all()
        assert len(np.unique(held)) == (60 if measure else 3)
    assert (cut.X[:, -1] == np.arange(60) % 2).all()
    assert qpfs("apply", selection, table, "--out", tmp_path / "table.csv").returncode == 0
    lacking = qpfs("apply", trial / "result" / "selection.json", store, "--keep", "no", "--out", "-")
    assert (lacking.returncode, "--keep no: there is no such column" in lacking.stderr) == (2, True)


@pytest.mark.parametrize(("table", "options"), [("t", []), ("wide", []), ("t", ["--features-in", "rows"])])
def test_a_table_is_read_as_the_one_that_was_selected_from(tmp_path, table, options):
    lines = ["gene," + ",".join(f"s{i}" for i in range(12))]
    lines += [f"g{j}," + ",".join(str((i * (7 + j) + j * (i % 2)) % 13) for i in range(12)) for j in range(5)]
    turned = zip(*(line.split(",") for line in lines), strict=True)
    (tmp_path / "t.csv").write_text("\n".join(lines))
    (tmp_path / "wide.csv").write_text("\n".join(map(",".join, turned)))
    (tmp_path / "y.csv").write_text("\n".join(f"s{i},{'ab'[i % 2]}" for i in range(12)))
    given = ["t.csv", "--labels", "y.csv", "--features-in", "rows", "--top", 2, "--out", "o"]
    assert qpfs("select", *given, cwd=tmp_path).returncode == 0
    selection = "o/selection.json"
    labels = json.loads((tmp_path / selection).read_text())["data"]["labels"]
    expected = sha256((tmp_path / "y.csv").read_bytes()).hexdigest()
    assert labels == [{"source": "y.csv", "checksum": f"sha256:{expected}"}]
    assert expected in (tmp_path / "o" / "report.html").read_text()
    run = qpfs("apply", selection, f"{table}.csv", *options, "--out", "two.csv", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    rows = json.loads((tmp_path / selection).read_text())["features"]
    assert open_table(str(tmp_path / "two.csv")).names[-2:] == [row["feature"] for row in rows]
    run = qpfs("apply", selection, "t.csv", "--features-in", "columns", "--out", "no.csv", cwd=tmp_path)
    assert "--features-in rows reads a table with features in rows" in run.stderr
