"""Tables as they are in practice: labels that do not fit one by one, dates, columns of all kinds."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from qpfs import write_store
from qpfs.cli.running import in_options
from qpfs.data import (
    Reading,
    UnreadableError,
    UsageError,
    open_columns,
    open_problem,
    open_stream,
    open_table,
)

N = 12
SAMPLES = [f"s{i}" for i in range(N)]
GENES = pd.DataFrame({f"g{j}": np.arange(N) * (j + 1) % 7 for j in range(5)}, index=SAMPLES)
LABELS = pd.DataFrame({"sample": SAMPLES, "ill": ["yes", "no"] * 6, "batch": [i // 4 for i in range(N)]})


@pytest.fixture
def genes(tmp_path):
    """A table with a row for each gene and a column for each sample."""
    GENES.T.to_csv(tmp_path / "genes.tsv", sep="\t", index_label="gene")
    return str(tmp_path / "genes.tsv")


def written(path, text):
    path.write_text(text)
    return str(path)


def labels_file(tmp_path, frame):
    frame.to_csv(tmp_path / "labels.csv", index=False)
    return str(tmp_path / "labels.csv")


def in_rows(tmp_path, frame, **reading):
    return Reading(labels=labels_file(tmp_path, frame), target="ill", features_in="rows", **reading)


def test_samples_without_a_label_and_labels_without_a_sample_are_left_out(tmp_path, genes):
    some = LABELS.drop([2, 5, 7]).sample(frac=1, random_state=0)
    some = pd.concat([some, pd.DataFrame({"sample": ["x1"], "ill": ["no"], "batch": [9]})])
    found = open_problem(genes, in_rows(tmp_path, some))
    kept = [name for name in SAMPLES if name not in ("s2", "s5", "s7")]
    assert found.samples == kept
    np.testing.assert_array_equal(found.X, GENES.loc[kept])
    assert found.y.tolist() == LABELS.set_index("sample").loc[kept, "ill"].tolist()
    assert "9 of 12 samples have a label; 3 left out: 's2', 's5', 's7'" in found.notes
    assert "9 of 10 labels are of a sample; 1 left out: 'x1'" in found.notes
    with pytest.raises(UnreadableError, match=r"3 samples without a label: .*; 1 label of no sample: 'x1'"):
        open_problem(genes, in_rows(tmp_path, some, strict=True))


def test_samples_with_a_missing_label_are_left_out(tmp_path, genes):
    some = LABELS.assign(ill=LABELS["ill"].where(LABELS.index > 2))
    found = open_problem(genes, in_rows(tmp_path, some))
    assert found.samples == SAMPLES[3:]
    assert found.X.shape == (9, 5)
    assert any(
        "is missing in 3 of 12 samples, which are left out: 's0', 's1', 's2'" in n for n in found.notes
    )
    with pytest.raises(UnreadableError, match="is missing in 3 of 12 samples; drop or fill"):
        open_problem(genes, in_rows(tmp_path, some, strict=True))
    with pytest.raises(UnreadableError, match="is missing in 12 of 12 samples"):
        open_problem(genes, in_rows(tmp_path, LABELS.assign(ill=None)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_samples_with_a_missing_target_are_left_out(tmp_path, ending):
    frame = pd.DataFrame({"a": np.arange(6.0), "t": list("uvwuvw"), "y": [1, 2, np.nan, 1, 2, np.nan]})
    path = str(tmp_path / f"a.{ending}")
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    for reading in (Reading(target="y"), Reading(target="y", drop=("t",))):
        found = open_problem(path, reading)
        assert found.y.tolist() == [1, 2, 1, 2]
        assert found.y.dtype.kind == "i"
        assert found.X.shape == (4, 2 - len(reading.drop))
        with open_stream(path, reading, scratch=tmp_path / "s", memory=10**8) as streamed:
            assert streamed.columns.numbers(np.array([0])).ravel().tolist() == [0, 1, 3, 4]
            assert streamed.targets["y"].tolist() == [1, 2, 1, 2]
            assert streamed.columns.labels(0) == ["0", "1", "3", "4"]
    assert found.notes == (
        "1 column was dropped, as asked for: 't'",
        f"the target 'y' of {path!r} is missing in 2 of 6 samples, which are left out",
    )


@pytest.mark.parametrize("missing", [0, 2])
def test_classes_are_called_the_same_whether_some_are_missing_or_not(tmp_path, genes, missing):
    some = LABELS.assign(ill=[float(i % 2) if i >= missing else np.nan for i in range(N)])
    assert set(open_problem(genes, in_rows(tmp_path, some)).y.tolist()) == {0, 1}
    assert open_problem(genes, in_rows(tmp_path, some)).y.dtype.kind == "i"


def test_what_is_streamed_is_what_is_read_whole(tmp_path, genes):
    reading = in_rows(tmp_path, LABELS.drop([1, 4]), groups="batch")
    found = open_problem(genes, reading)
    with open_stream(genes, reading, scratch=tmp_path / "s", memory=10**8) as streamed:
        np.testing.assert_array_equal(streamed.columns.numbers(np.arange(5)), found.X)
        np.testing.assert_array_equal(
            streamed.columns.part(np.array([1, 3]), slice(2, 5)), found.X[2:5, [1, 3]]
        )
        assert (streamed.samples, streamed.notes) == (found.samples, found.notes)
        np.testing.assert_array_equal(streamed.groups, found.groups)


def test_groups_are_taken_from_the_file_of_labels_too(tmp_path, genes):
    found = open_problem(genes, in_rows(tmp_path, LABELS.drop([0]), groups="batch"))
    assert found.groups.tolist() == [0] * 3 + [1] * 4 + [2] * 4
    with pytest.raises(UsageError, match=r"groups='bach': .*nor in .*labels.csv'; did you mean 'batch'\?"):
        open_problem(genes, in_rows(tmp_path, LABELS, groups="bach"))
    with pytest.raises(UsageError, match=r"adjust='bach': .*nor in .*labels.csv'; did you mean 'batch'\?"):
        open_problem(genes, in_rows(tmp_path, LABELS, adjust=("bach",)))


def test_the_target_may_be_in_the_table_and_the_rest_in_the_file_of_labels(tmp_path):
    table = GENES.assign(ill=LABELS["ill"].tolist())
    table.to_csv(tmp_path / "a.csv", index_label="name")
    more = LABELS.drop(columns="ill").assign(w=range(N), age=range(N, 0, -1)).sample(frac=1, random_state=0)
    for columns in (["w"], ["batch", "w", "age"]):
        labels = labels_file(tmp_path, more[["sample", *columns]])
        adjust, groups = ("age",) * ("age" in columns), "batch" if "batch" in columns else None
        reading = Reading(target="ill", labels=labels, weights="w", groups=groups, adjust=adjust)
        found = open_problem(str(tmp_path / "a.csv"), reading)
        assert found.y.tolist() == LABELS["ill"].tolist()
        assert found.weights.tolist() == [*range(N)]
        assert found.names == [*GENES.columns]
    labels = labels_file(tmp_path, more.iloc[:9])
    some = open_problem(str(tmp_path / "a.csv"), Reading(target="ill", labels=labels, weights="w"))
    assert some.y.tolist() == LABELS["ill"][sorted(more.index[:9])].tolist()
    for wrong in ({"target": "ill", "weights": None}, {"target": "il", "weights": "w"}):
        with pytest.raises(UsageError, match=r"There is no column 'ill?' in '.*labels.csv'"):
            open_problem(str(tmp_path / "a.csv"), Reading(labels=labels, **wrong))


def test_a_file_of_one_column_is_what_its_header_says(tmp_path):
    table = GENES.assign(ill=LABELS["ill"].tolist())
    table.to_csv(tmp_path / "a.csv", index=False)
    labels = labels_file(tmp_path, pd.DataFrame({"w": range(N)}))
    found = open_problem(str(tmp_path / "a.csv"), Reading(target="ill", labels=labels, weights="w"))
    assert found.target_name == "ill"
    assert found.y.tolist() == LABELS["ill"].tolist()
    assert found.weights.tolist() == [*range(N)]
    with pytest.raises(UsageError, match=r"There is no column 'ill' in '.*labels.csv'.*it has 'w'"):
        open_problem(str(tmp_path / "a.csv"), Reading(target="ill", labels=labels))


def test_no_match_at_all_is_an_error(tmp_path, genes):
    other = LABELS.assign(sample=[f"patient {i}" for i in range(N)])
    with pytest.raises(UnreadableError, match="no label for any of the 12 samples: it names 'patient 0'"):
        open_problem(genes, in_rows(tmp_path, other))


def test_features_in_rows_that_was_forgotten_is_guessed(tmp_path, genes):
    reading = Reading(labels=labels_file(tmp_path, LABELS), target="ill")
    with pytest.raises(UnreadableError, match=r"did you mean features_in='rows'\?") as raised:
        open_problem(genes, reading)
    assert "did you mean --features-in rows?" in in_options(raised.value)
    GENES.to_csv(tmp_path / "lying.csv", index_label="sample")
    turned = Reading(labels=reading.labels, target="ill", features_in="rows")
    with pytest.raises(UnreadableError, match=r"did you mean features_in='columns'\?"):
        open_problem(str(tmp_path / "lying.csv"), turned)


def test_what_is_not_there_is_said_before_the_table_is_read(tmp_path, genes, monkeypatch):
    monkeypatch.setattr("qpfs.data.formats.cells.parts", None)  # which reads what is below the header
    source = str(tmp_path / "a.csv")
    GENES.to_csv(source, index_label="sample")
    known = labels_file(tmp_path, LABELS)
    for wrong, said in [
        (Reading(target="g9"), r"There is no column 'g9' in .*a.csv' \(target\); it has 'sample', 'g0'"),
        (Reading(), r"Name the target column of .* with target='COLUMN'"),
        (Reading(target="g1", groups="g7"), r"no column 'g7' in .* \(groups\)"),
        (Reading(target="g1", drop=("h*",)), r"^drop: no column of .* matches 'h\*'"),
        (Reading(target="g1", categorical=("h",)), r"^categorical: no column"),
        (Reading(target="g1", index="h"), r"no column 'h' in .* \(index\)"),
        (Reading(labels="nowhere.csv"), r"There is no file 'nowhere.csv'"),
        (Reading(labels=known, target="il"), r"'il' in .*labels.csv' \(target\); did you mean 'ill'"),
    ]:
        with pytest.raises(UsageError, match=said):
            open_problem(source, wrong)


def test_a_column_of_the_labels_that_is_not_there(tmp_path, genes):
    frame = LABELS.rename(columns={"ill": "diagnosis"})
    with pytest.raises(UsageError, match=r"labels.csv' \(target\); it has 'sample', 'diagnosis', 'batch'"):
        open_problem(genes, in_rows(tmp_path, frame))
    with pytest.raises(
        UsageError, match=r"has 3 columns .*name the one that holds the labels with target='COLUMN'"
    ):
        open_problem(genes, Reading(labels=str(tmp_path / "labels.csv"), features_in="rows"))


DATES = pd.DataFrame(
    {
        "a": np.arange(6.0),
        "day": pd.date_range("2020-01-01", periods=6),
        "moment": pd.date_range("1969-12-31 12:00", periods=6, freq="6h"),
        "gap": pd.to_datetime(["2020-01-01", None, "2020-01-03", None, "2020-01-05", "2020-01-06"]),
        "y": list("uvuvuv"),
    }
)
DAYS = np.array(
    [
        np.arange(6.0),
        18262 + np.arange(6.0),
        -0.5 + np.arange(6) / 4,
        [18262, np.nan, 18264, np.nan, 18266, 18267],
    ]
).T


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("streaming", [False, True])
def test_dates_are_days(tmp_path, ending, streaming):
    path = str(tmp_path / f"a.{ending}")
    {"csv": lambda: DATES.to_csv(path, index=False), "parquet": lambda: DATES.to_parquet(path)}.get(
        ending, lambda: DATES.to_feather(path)
    )()
    reading = Reading(target="y")
    with open_stream(path, reading, scratch=tmp_path / "s", memory=10**8) as streamed:
        np.testing.assert_array_equal(streamed.columns.numbers(np.arange(4)), DAYS)
        notes = streamed.notes
    assert notes == ("dates were read as days since 1970-01-01: 'day', 'moment', 'gap'",)
    found = open_problem(path, reading)
    np.testing.assert_array_equal(found.X, DAYS)
    assert found.notes == notes
    named = open_problem(path, Reading(target="day", drop=("moment", "gap", "y")))
    np.testing.assert_array_equal(named.y, DAYS[:, 1])
    assert any("days since 1970-01-01: 'day'" in note for note in named.notes)


def test_what_is_no_date_stays_text(tmp_path):
    (tmp_path / "a.csv").write_text("d,e,f,y\n2020-02-31,2020-01-01,2020-01-01,u\n2020-02-01,x,,v\n")
    found = open_problem(str(tmp_path / "a.csv"), Reading(target="y", categorical=("f",)))
    assert found.X.to_pydict() == {
        "d": ["2020-02-31", "2020-02-01"],
        "e": ["2020-01-01", "x"],
        "f": ["2020-01-01", None],
    }


@pytest.mark.parametrize("kind", ["date32", "date64", "time32", "time64", "duration"])
def test_all_kinds_of_dates_and_times(tmp_path, kind):
    units = {"time32": "s", "time64": "us", "duration": "ms"}
    made = getattr(pa, kind)(*([units[kind]] if kind in units else []))
    scale = {"date32": 1, "date64": 86_400_000, "time32": 1, "time64": 1, "duration": 1}[kind]
    base = pa.array([0, 5, None, 7], pa.int32() if "32" in kind else pa.int64())
    counts = pa.array([None if one is None else one * scale for one in base.to_pylist()], base.type)
    table = pa.table({"d": counts.cast(made), "y": [1, 2, 1, 2]})
    parquet.write_table(table, tmp_path / "a.parquet")
    per_day = {"date32": 1, "date64": 1, "time32": 86400, "time64": 86400e6, "duration": 86400e3}[kind]
    found = open_problem(str(tmp_path / "a.parquet"), Reading(target="y"))
    np.testing.assert_allclose(found.X[:, 0], np.array([0, 5, np.nan, 7]) / per_day)


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather])
def test_all_columns_that_cannot_be_used_are_named_at_once(tmp_path, write):
    lists = pa.array([[1], [2], [3]])
    write(pa.table({"a": [1, 2, 3], "l": lists, "m": lists, "y": [0, 1, 0]}), str(tmp_path / "a"))
    with pytest.raises(UnreadableError, match=r"column 'l' holds list.*; column 'm' holds list.*\(drop\)"):
        open_problem(str(tmp_path / "a"), Reading(target="y"))


def test_all_columns_with_infinite_values_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,t,c,y\n1,inf,u,2,0\n2,3,v,-inf,1\n")
    for drop in ((), ("t",)):
        with pytest.raises(UnreadableError, match=r"column 'b' has inf in row 0.*infinity in 'c', too"):
            open_problem(str(tmp_path / "a.csv"), Reading(target="y", drop=drop))


def test_dropped_columns_are_named(tmp_path):
    names = [*(f"x{i}" for i in range(25)), "id", "y"]
    rows = [[str(10 * i + row) for i in range(26)] + ["ab"[row]] for row in range(2)]
    (tmp_path / "a.csv").write_text("\n".join(",".join(row) for row in [names, *rows]))
    one = open_problem(str(tmp_path / "a.csv"), Reading(target="y", drop=("id",)))
    assert one.notes == ("1 column was dropped, as asked for: 'id'",)
    many = open_problem(str(tmp_path / "a.csv"), Reading(target="y", drop=("x?", "x1?", "x2[0-3]"))).notes
    first = ", ".join(f"'x{i}'" for i in range(20))
    assert many == (f"24 columns were dropped, as asked for: {first} and 4 more",)


def test_what_lies_beside_the_features_is_not_to_be_dropped(tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"time": ["u", "v"] * 3, "n_genes": range(6)}, index=[f"c{i}" for i in range(6)])
    anndata.AnnData(np.eye(6)[:, :3], obs=obs).write_h5ad(tmp_path / "a.h5ad")
    source = str(tmp_path / "a.h5ad")
    with pytest.raises(UsageError, match=r"drop='n_genes': 'n_genes' of .* is not a feature anyway"):
        open_problem(source, Reading(target="time", drop=("n_genes",)))
    with pytest.raises(UsageError, match=r"^drop: no column of .* matches 'MT-\*'; it has '0', '1', '2'\."):
        open_problem(source, Reading(target="time", drop=("MT-*",)))


def test_a_store_is_opened_by_the_same_door(tmp_path):
    X, y = np.random.default_rng(0).random((20, 6)), np.arange(20) % 2
    path = str(tmp_path / "a.qpfs")
    write_store(X, path, y)
    found = open_problem(path)
    assert (found.format, found.n_samples, found.n_features) == ("store", 20, 6)
    np.testing.assert_array_equal(found.y, y)
    with pytest.raises(UsageError, match=r"^drop is for `qpfs encode`"):
        open_problem(path, Reading(drop=("x0",)))
    with pytest.raises(UsageError, match=r"holds the targets .* but not 'z'; .*labels='FILE' gives another"):
        open_problem(path, Reading(target="z"))
    np.save(tmp_path / "y.npy", y[::-1])
    np.testing.assert_array_equal(open_problem(path, Reading(labels=str(tmp_path / "y.npy"))).y, y[::-1])
    with pytest.raises(UsageError, match="memory is for a store, but 'wine' is not one"):
        open_problem("wine", memory=10**9)


def test_no_message_speaks_the_command_s_language_to_python(tmp_path, genes):
    (tmp_path / "a.csv").write_text(",a,y\nr1,1,u\nr2,2,v\n")
    found = open_problem(str(tmp_path / "a.csv"), Reading(target="y"))
    (note,) = (note for note in found.notes if "row number" in note)
    assert note.endswith("leave it out with index='column 1'")
    assert in_options(note).endswith("leave it out with --index 'column 1'")


def shuffled(frame):
    return frame.sample(frac=1, random_state=1)


@pytest.mark.parametrize("names", [SAMPLES, [str(100 + i) for i in range(N)]])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_labels_find_the_column_of_names_that_was_not_said(tmp_path, ending, names):
    frame = GENES.set_axis(names).rename_axis("id").reset_index()
    frame["id"] = pd.to_numeric(frame["id"]) if names[0].isdigit() else frame["id"]
    path = str(tmp_path / f"a.{ending}")
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    known = LABELS.assign(sample=names)
    reading = Reading(labels=labels_file(tmp_path, shuffled(known)), target="ill")
    found = open_problem(path, reading)
    assert found.y.tolist() == LABELS["ill"].tolist()
    assert (found.samples, found.names) == (names, list(GENES))
    (note,) = found.notes
    assert note.startswith("labels were matched by the column 'id'")
    assert in_options(note).endswith("(--index id)")
    with open_stream(path, reading, scratch=tmp_path / "s", memory=10**8) as streamed:
        assert streamed.targets["ill"].tolist() == found.y.tolist()
        assert streamed.columns.names == found.names
    frame.assign(also=names[::-1]).to_csv(tmp_path / "b.csv", index=False)
    if not names[0].isdigit():
        with pytest.raises(UsageError, match=r"'id', 'also' hold the names .*choose one with index='COLUMN'"):
            open_problem(str(tmp_path / "b.csv"), reading)


def test_labels_with_names_of_nobody_are_said_to_be_in_order(tmp_path):
    GENES.to_csv(tmp_path / "a.csv", index=False)
    found = open_problem(str(tmp_path / "a.csv"), Reading(labels=labels_file(tmp_path, LABELS), target="ill"))
    assert found.y.tolist() == LABELS["ill"].tolist()
    (note,) = found.notes
    assert note.startswith("labels were matched by the order of lines of ")


@pytest.mark.parametrize("mark", [-999, "unsure"])
def test_marks_of_missing_values_hold_in_the_file_of_labels(tmp_path, genes, mark):
    values = [mark, *([1, 0] * 6)[1:]]
    some = LABELS.assign(ill=values, batch=values[::-1])
    found = open_problem(genes, in_rows(tmp_path, some, missing=(str(mark),)))
    assert found.samples == SAMPLES[1:]
    assert found.y.tolist() == [int(one) for one in values[1:]]
    np.save(tmp_path / "y.npy", np.array(values))
    reading = Reading(labels=str(tmp_path / "y.npy"), missing=(str(mark),), features_in="rows")
    assert open_problem(genes, reading).y.tolist() == np.array(values)[1:].tolist()


@pytest.mark.parametrize("ending", ["parquet", "feather", "arff"])
def test_integers_that_name_samples_are_spelled_as_such(tmp_path, ending):
    frame = pd.DataFrame({"id": np.arange(N) + 7, **{name: GENES[name].to_numpy() / 2 for name in GENES}})
    path = str(tmp_path / f"a.{ending}")
    if ending == "arff":
        lines = [f"@attribute {name} numeric" for name in frame]
        text = "\n".join(["@relation a", *lines, "@data", frame.to_csv(index=False, header=False)])
        (tmp_path / "a.arff").write_text(text)
    else:
        getattr(frame, f"to_{ending}")(path)
    known = labels_file(tmp_path, shuffled(LABELS.assign(sample=frame["id"])))
    found = open_problem(path, Reading(labels=known, target="ill", index="id"))
    assert found.samples == [str(7 + i) for i in range(N)]
    assert found.y.tolist() == LABELS["ill"].tolist()


def test_two_columns_of_labels_without_a_header_and_samples_without_names(tmp_path):
    GENES.to_csv(tmp_path / "a.csv", index=False)
    path, known = str(tmp_path / "a.csv"), tmp_path / "l.csv"
    LABELS[["sample", "ill"]].to_csv(known, index=False, header=False)
    assert open_problem(path, Reading(labels=str(known))).y.tolist() == LABELS["ill"].tolist()
    LABELS[["sample", "ill"]][1:].to_csv(known, index=False)  # a header in place of the label that is gone
    with pytest.raises(UnreadableError, match="has 11 labels, but there are 12 samples"):
        open_problem(path, Reading(labels=str(known)))


def test_a_first_line_that_names_a_sample_like_the_others_is_no_header(tmp_path, genes):
    known = tmp_path / "l.csv"
    known.write_text("s99,maybe\n" + LABELS[["sample", "ill"]].to_csv(index=False, header=False))
    found = open_problem(genes, Reading(labels=str(known), features_in="rows"))
    assert "12 of 13 labels are of a sample; 1 left out: 's99'" in found.notes
    assert (found.y.tolist(), found.target_name) == (LABELS["ill"].tolist(), "label")


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-01T10:00:00Z", "2024-01-01T22:00:00Z", "2024-01-02T10:00:00Z"],
        ["2024-01-01 12:00+02:00", "2024-01-01 22:00+00:00", "2024-01-02 05:00-0500"],
        ["2024-01-01T10:00:00.000000000", "2024-01-01T22:00:00.000000001", "2024-01-02T10:00:00"],
        [" 2024-01-01T10:00", " 2024-01-01T22:00", " 2024-01-02T10:00"],
    ],
)
def test_moments_with_zones_and_small_parts_of_seconds_are_days(tmp_path, cells):
    (tmp_path / "a.csv").write_text("a,y\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    found = open_problem(str(tmp_path / "a.csv"), Reading(target="y"))
    np.testing.assert_allclose(found.X[:, 0], 19723 + np.array([10, 22, 34]) / 24, rtol=0, atol=1e-9)


def test_groups_of_the_table_go_before_those_of_the_labels(tmp_path):
    GENES.assign(batch=np.arange(N) // 6).to_csv(tmp_path / "a.csv", index_label="id")
    reading = Reading(labels=labels_file(tmp_path, LABELS), target="ill", index="id", groups="batch")
    found = open_problem(str(tmp_path / "a.csv"), reading)
    assert found.groups.tolist() == [0] * 6 + [1] * 6
    (note,) = found.notes
    assert note.startswith("groups='batch' was read from the table; the column in ")


def test_samples_without_a_group_are_named(tmp_path, genes):
    some = LABELS.assign(batch=LABELS["batch"].where(LABELS.index > 1))
    with pytest.raises(
        UnreadableError, match=r"groups='batch': .*labels.csv' .* 2 of 12 samples: 's0', 's1'"
    ):
        open_problem(genes, in_rows(tmp_path, some, groups="batch"))
    some.loc[:1, "ill"] = None  # who has no label needs no group
    found = open_problem(genes, in_rows(tmp_path, some, groups="batch"))
    assert found.groups.tolist() == LABELS["batch"][2:].tolist()


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_categories_of_a_data_frame_are_labels_in_every_format(tmp_path, ending):
    path = str(tmp_path / f"a.{ending}")
    days = ["2020-01-01", "2020-01-02"] * 2
    frame = pd.DataFrame({"c": [3, 1, 2, 1], "d": days, "a": [1.0, 2, 3, 4], "y": [0, 1, 0, 1]})
    getattr(frame.astype({"c": "category", "d": "category"}), f"to_{ending}")(path)
    found = open_problem(path, Reading(target="y"))
    assert found.X.to_pydict() == {"c": ["3", "1", "2", "1"], "d": days, "a": [1, 2, 3, 4]}
    with open_stream(path, Reading(target="y"), scratch=tmp_path / "s", memory=10**8) as streamed:
        assert streamed.columns.numeric.tolist() == [False, False, True]
        assert streamed.columns.labels(0) == ["3", "1", "2", "1"]
    assert open_problem(path, Reading(target="c")).y.tolist() == ["3", "1", "2", "1"]


def test_spans_and_times_of_day_are_not_said_to_be_dates(tmp_path):
    columns = {"span": pa.array([1, 2, 3], pa.duration("s")), "time": pa.array([1, 2, 3], pa.time32("s"))}
    moments = pa.array([1, 2, 3], pa.timestamp("s"))
    parquet.write_table(pa.table({**columns, "day": moments, "y": [0, 1, 0]}), tmp_path / "a.parquet")
    assert open_problem(str(tmp_path / "a.parquet"), Reading(target="y")).notes == (
        "dates were read as days since 1970-01-01: 'day'",
        "times of day and durations were read in days: 'span', 'time'",
    )


def test_who_opens_a_store_as_a_table_is_sent_to_the_right_door(tmp_path):
    path = str(tmp_path / "a.qpfs")
    write_store(np.random.default_rng(0).random((20, 6)), path, np.arange(20) % 2)
    for opener in (open_table, open_columns):
        with pytest.raises(UsageError, match=r"a.qpfs' is a store: .*open_problem"):
            opener(path)


def labelled(tmp_path):
    """A table that has a target, and a file of other labels under the same name."""
    rows = [f"s{n},{n % 7},{n % 2},{n % 3}" for n in range(12)]
    table = written(tmp_path / "table.csv", "\n".join(["sample,a,y,batch", *rows]))
    labels = written(
        tmp_path / "labels.csv", "\n".join(["sample,y", *(f"s{n},{n % 4 > 1}" for n in range(12))])
    )
    return table, labels


@pytest.mark.parametrize("roles", [{"target": "y"}, {}], ids=["asked", "alone"])
def test_a_target_of_the_labels_is_no_feature_of_the_table(tmp_path, roles):
    table, labels = labelled(tmp_path)
    problem = open_problem(table, labels=labels, **roles)
    assert problem.names == ["a", "batch"]
    assert [str(one) for one in problem.y[:4]] == ["False", "False", "True", "True"]
    assert any("'y' of" in note and "is not a feature" in note for note in problem.notes)


@pytest.mark.parametrize("elsewhere", [False, True], ids=["table", "labels"])
def test_a_sample_without_a_group_is_named_before_anything_is_fitted(tmp_path, elsewhere):
    rows = [f"s{n},{n % 7},{n % 2}" for n in range(12)]
    groups = [f"s{n},{n % 2},{'' if n == 4 else n % 3}" for n in range(12)]
    with_groups = [f"{row},{group.split(',')[2]}" for row, group in zip(rows, groups, strict=True)]
    head = ["sample,a,y"] if elsewhere else ["sample,a,y,donor"]
    table = written(tmp_path / "table.csv", "\n".join(head + (rows if elsewhere else with_groups)))
    file = written(tmp_path / "labels.csv", "\n".join(["sample,y,donor", *groups]))
    roles = {"labels": file} if elsewhere else {"index": "sample"}
    with pytest.raises(UnreadableError, match="no group for 1 of 12 samples: 's4'"):
        open_problem(table, target="y", groups="donor", **roles)


def test_fields_of_a_reading_are_texts():
    assert Reading(drop=["a", "b"]).drop == ("a", "b")
    with pytest.raises(UsageError, match="drop='id', but it must be a list of texts"):
        Reading(drop="id")
    with pytest.raises(UsageError, match="target=3, but it must be text"):
        Reading(target=3)
    with pytest.raises(UsageError, match=r"target=\['a', 'b'\], but it must be text.*further=\['b'\]"):
        Reading(target=["a", "b"])


def test_marks_of_missing_values_may_be_numbers():
    assert Reading(missing=[-999, 99.5, np.float64(-1), np.int8(9), "?"]).missing == (
        *("-999", "99.5", "-1.0", "9"),
        "?",
    )
    for wrong in (-999, "-999", [None], [[1]]):
        with pytest.raises(
            UsageError, match=r"missing=.*a list of texts or numbers, such as \[-999, 'unknown'"
        ):
            Reading(missing=wrong)


def test_an_unknown_role_is_answered_with_those_there_are(tmp_path):
    table = written(tmp_path / "table.csv", "a,b,y\n1,2,0\n2,5,1\n3,1,0\n")
    with pytest.raises(
        UsageError, match="featuresin='rows': there is no such role; did you mean 'features_in'"
    ):
        open_problem(table, featuresin="rows")
    with pytest.raises(UsageError, match="y='y': there is no such role; it has 'target', 'labels'"):
        open_problem(table, y="y")
    for opener in (open_problem, open_table, open_columns):
        with pytest.raises(UsageError, match=r"reading='y', but it must be a Reading, such as .*target='y'"):
            opener(table, "y")


def test_labels_may_be_a_path(tmp_path):
    table, labels = labelled(tmp_path)
    assert Reading(labels=Path(labels)).labels == labels
    found = open_problem(table, labels=Path(labels), index="sample")
    np.testing.assert_array_equal(found.y, open_problem(table, labels=labels, index="sample").y)


def test_a_problem_is_opened_with_its_roles(tmp_path):
    table = Path(written(tmp_path / "table.csv", "a,b,y\n1,2,0\n2,5,1\n3,1,0\n"))
    assert open_problem(table, target="y", drop=["b"]).names == ["a"]
    assert open_problem(table, Reading(target="a"), target="y").target_name == "y"


def test_strict_labels_say_what_does_not_match(tmp_path):
    table, labels = labelled(tmp_path)
    written(Path(labels), "sample,y\n" + "".join(f"s{n},{n % 2}\n" for n in range(1, 13)))
    with pytest.raises(UnreadableError) as raised:
        open_problem(table, labels=labels, index="sample", strict=True)
    assert "1 sample without a label: 's0'; 1 label of no sample: 's12'" in str(raised.value)
    assert "left out" not in str(raised.value)
