"""Which label belongs to which sample: by names wherever the files hold them, never by order against them."""

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from qpfs import write_store
from qpfs.cli.running import in_options
from qpfs.data import Reading, UnreadableError, UsageError, open_cohorts, open_problem

N = 20
IDS = [f"s{i}" for i in range(N)]
TABLE = pd.DataFrame({"g0": np.arange(N) % 7 / 2, "id": IDS, "g1": np.arange(N)[::-1] % 5})
LABELS = pd.DataFrame(
    {
        "batch": np.arange(N) % 3,
        "id": IDS,
        "diag": np.where(np.arange(N) % 4 < 2, "ill", "well"),
        "dose": np.arange(N) * 3 % 11,
    }
).sample(frac=1, random_state=1)


@pytest.fixture
def joined(tmp_path):
    """The problem of a table and a file of labels, each a data frame or text."""

    def problem(table, labels, **roles):
        paths = [tmp_path / "x.csv", tmp_path / "l.csv"]
        for path, one in zip(paths, (table, labels), strict=True):
            path.write_text(one if isinstance(one, str) else one.to_csv(index=False))
        return open_problem(paths[0], Reading(labels=str(paths[1]), **{"target": "diag"} | roles))

    return problem


def labels_of(names, labels, key="id"):
    """The slow twin: the label of each name, looked up one by one."""
    return [
        next(one for name, one in zip(labels[key], labels["diag"], strict=True) if str(name).strip() == asked)
        for asked in names
    ]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("index", [None, "id"])
@pytest.mark.parametrize(
    "columns", [["id", "diag"], ["diag", "id"], ["batch", "id", "diag"], ["dose", "diag", "id"]], ids=",".join
)
def test_the_names_may_be_in_any_column_of_the_labels(joined, columns, index, strict):
    found = joined(TABLE, LABELS[columns], index=index, strict=strict)
    assert found.samples == IDS
    assert found.y.tolist() == labels_of(IDS, LABELS)
    assert found.names == ["g0", "g1"]


def test_further_columns_of_the_table_follow_the_target_of_the_labels(joined):
    table = TABLE.assign(sex=np.where(np.arange(N) % 2, "m", "f"))
    found = joined(table, LABELS, keep=("sex",))
    assert found.target_name == "diag"
    assert found.y.tolist() == labels_of(IDS, LABELS)
    assert joined(table, LABELS, further=("dose",), keep=("sex",)).target_name == "diag, dose"


def test_what_has_no_name_has_no_label(joined):
    table = TABLE.assign(id=["" if i in (2, 5) else one for i, one in enumerate(IDS)])
    labels = pd.concat([LABELS[["id", "diag"]], pd.DataFrame({"id": ["", ""], "diag": ["odd", "other"]})])
    found = joined(table, labels, index="id")
    named = [one for one in table["id"] if one]
    assert found.samples == named
    assert found.y.tolist() == labels_of(named, LABELS)


def test_the_index_names_the_column_of_both_files(joined):
    table = TABLE.assign(id=[one if i % 2 else f"t{i}" for i, one in enumerate(IDS)])
    labels = LABELS.assign(control=table["id"].to_numpy()[::-1])[["id", "control", "diag"]]
    found = joined(table, labels, index="id")
    assert found.samples == IDS[1::2]
    assert found.y.tolist() == labels_of(IDS[1::2], LABELS)


@pytest.mark.parametrize("role", ["weights", "groups", "adjust"])
def test_what_the_labels_are_asked_for_is_not_the_target(joined, role):
    labels = LABELS[["id", "dose"]].assign(dose=LABELS["dose"] + 1)
    with pytest.raises(UsageError, match="name the one that holds the labels with target"):
        joined(TABLE, labels, target=None, **{role: ("dose",) if role == "adjust" else "dose"})


def test_labels_of_bytes_are_text_and_other_types_are_refused(tmp_path):
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    for kind, y in (("bytes", [one.encode() for one in LABELS["diag"]]), ("lists", [[1]] * N)):
        LABELS[["id"]].assign(diag=y).to_parquet(tmp_path / f"{kind}.parquet", index=False)
    found = open_problem(tmp_path / "x.csv", Reading(labels=str(tmp_path / "bytes.parquet")))
    assert found.y.tolist() == labels_of(IDS, LABELS)
    with pytest.raises(UnreadableError, match="diag"):
        open_problem(tmp_path / "x.csv", Reading(labels=str(tmp_path / "lists.parquet")))


def test_groups_and_covariates_come_with_names_in_any_column(joined):
    found = joined(TABLE, LABELS[["dose", "batch", "id", "diag"]], groups="batch", adjust=("dose",))
    assert found.y.tolist() == labels_of(IDS, LABELS)
    assert found.groups.tolist() == LABELS.set_index("id").loc[IDS, "batch"].tolist()
    assert found.covariates["dose"].tolist() == LABELS.set_index("id").loc[IDS, "dose"].tolist()
    beside = joined(TABLE.assign(diag=["u", "v"] * 10), LABELS[["batch", "id"]], groups="batch")
    assert beside.y.tolist() == ["u", "v"] * 10
    assert beside.groups.tolist() == found.groups.tolist()


def test_names_in_the_second_of_two_columns_need_a_target(joined):
    swapped = LABELS[["diag", "id"]]
    with pytest.raises(UsageError, match=r"names samples in its second column, 'id'; .*target='diag'"):
        joined(TABLE, swapped, target=None)
    with pytest.raises(UsageError, match="names samples in its second column"):
        joined(TABLE, swapped, target=None, index="id")


@pytest.mark.parametrize(("left", "right"), [("", " "), (" ", ""), ("  ", "\t")])
def test_blanks_around_names_do_not_count(joined, left, right):
    around = LABELS.assign(id=left + LABELS["id"] + right)
    assert joined(TABLE, around, strict=True).y.tolist() == labels_of(IDS, LABELS)
    found = joined(TABLE.assign(id=left + TABLE["id"] + right), LABELS, index="id", strict=True)
    assert found.y.tolist() == labels_of(IDS, LABELS)


def test_equal_headers_are_enough_for_a_few_names_in_common(joined):
    some = LABELS.assign(id=[f"s{int(one[1:]) + 14}" for one in LABELS["id"]])
    found = joined(TABLE, some)
    assert found.samples == IDS[14:]
    assert found.y.tolist() == labels_of(IDS[14:], some)
    assert any("6 of 20 samples have a label" in note for note in found.notes)
    with pytest.raises(UnreadableError, match="14 samples without a label"):
        joined(TABLE, some, strict=True)


def test_a_few_names_in_common_under_other_headers_are_ambiguous(joined):
    some = LABELS.assign(id=[f"s{int(one[1:]) + 14}" for one in LABELS["id"]]).rename(columns={"id": "who"})
    with pytest.raises(UsageError, match=r"'id' .*holds 6 of the 20 values in 'who' .*index='id'") as raised:
        joined(TABLE, some)
    assert "--index id" in in_options(raised.value)
    assert joined(TABLE, some, index="id").samples == IDS[14:]


@pytest.mark.parametrize("strict", [False, True])
def test_numbers_under_equal_headers_are_names(joined, strict):
    table = TABLE.assign(patient=np.arange(N) + 1000).drop(columns="id")
    labels = LABELS.assign(patient=LABELS["id"].str[1:].astype(int) + 1000)[["patient", "diag"]]
    found = joined(table, labels, strict=strict)
    assert found.y.tolist() == labels_of(IDS, LABELS)
    assert (found.samples[:2], found.names) == (["1000", "1001"], ["g0", "g1"])


def test_lines_in_another_order_than_a_column_that_both_have_are_refused(joined):
    """Numbers that repeat cannot be names, but show that the order is another one."""
    table = TABLE.assign(age=np.arange(N) % 9).drop(columns="id")
    labels = LABELS.assign(age=LABELS["id"].str[1:].astype(int) % 9)[["age", "diag"]]
    with pytest.raises(UnreadableError, match=r"line 2 .*'age' is '\d', but .* '0' .*index='COLUMN'"):
        joined(table, labels)
    ordered = labels.loc[range(N)]
    assert joined(table, ordered).y.tolist() == ordered["diag"].tolist()
    assert joined(table, ordered.astype({"age": float})).y.tolist() == ordered["diag"].tolist()


def test_names_that_differ_in_spelling_under_equal_headers_are_refused(joined):
    with pytest.raises(UnreadableError, match=r"'id' is 'S.*', but .* 's0'"):
        joined(TABLE, LABELS.assign(id=LABELS["id"].str.upper()))


def test_strict_labels_are_not_matched_by_order_if_their_file_has_names(joined):
    table = TABLE.drop(columns="id")
    for key in ("id", "number"):
        labels = LABELS.assign(number=np.arange(N))[[key, "diag"]]
        assert joined(table, labels).y.tolist() == labels["diag"].tolist()
        with pytest.raises(UnreadableError, match=rf"strict: .*names its lines in '{key}'.*index='COLUMN'"):
            joined(table, labels, strict=True)
    for columns in (["diag"], ["diag", "batch"]):
        plain = joined(table, LABELS[columns], strict=True)
        assert plain.y.tolist() == LABELS["diag"].tolist()


def test_several_columns_of_names_are_ambiguous(joined):
    two = LABELS.assign(control=LABELS["id"].tolist()[::-1])
    with pytest.raises(UsageError, match=r"'who', 'control' of .*l.csv' hold names of samples"):
        joined(TABLE, two.rename(columns={"id": "who"}))
    with pytest.raises(UsageError, match=r"'who', 'control' of .*l.csv' hold names of samples"):
        joined(TABLE, two.rename(columns={"id": "who"})[["who", "control", "diag"]])
    assert joined(TABLE, two).y.tolist() == labels_of(IDS, LABELS)  # an equal header decides
    with pytest.raises(UsageError, match=r"'id', 'control' hold the names .*choose one with index='COLUMN'"):
        joined(TABLE.assign(control=IDS[::-1]), LABELS.rename(columns={"id": "who"}))


def test_numbers_that_repeat_are_not_taken_for_names(joined):
    table = pd.DataFrame({"stage": np.arange(N) % 15, "g": np.arange(N) * 7 % 5})
    found = joined(table, LABELS.assign(number=np.arange(N))[["number", "diag"]])
    assert found.y.tolist() == LABELS["diag"].tolist()
    ages = {"age": np.arange(N) % 19}  # equal headers do not make names of them
    with pytest.raises(UnreadableError, match="cannot be matched by the order of lines"):
        joined(table.assign(**ages), LABELS.assign(age=np.arange(N)[::-1])[["age", "diag"]])


def test_small_numbers_in_common_with_numbers_of_lines_name_nothing(joined):
    table = pd.DataFrame({"x": np.arange(N) * 2 + 1, "g": np.arange(N) * 7 % 5})
    found = joined(table[: N // 2 + 1], LABELS.assign(nr=np.arange(N))[["nr", "diag"]][: N // 2 + 1])
    assert found.y.tolist() == LABELS["diag"].tolist()[: N // 2 + 1]
    assert found.names == ["x", "g"]


@pytest.mark.parametrize("start", [0, 1, 70])
def test_numbers_under_other_headers_are_ambiguous(joined, start):
    numbers = np.random.default_rng(0).permutation(N) + start
    table = TABLE.drop(columns="id").assign(patient=numbers)
    labels = LABELS.assign(nr=start + np.arange(N))[["batch", "nr", "diag"]]  # sorted by number
    with pytest.raises(UsageError, match=r"'patient' .* 20 of the 20 values in 'nr' .*add index='patient'"):
        joined(table, labels)
    found = joined(table, labels, index="patient")
    assert found.y.tolist() == labels.set_index("nr").loc[numbers, "diag"].tolist()


def test_numbers_of_rows_are_no_names_if_there_are_others(joined):
    """As pandas writes them, in both files."""
    table = TABLE.to_csv(index=True)
    labels = LABELS.rename(columns={"id": "who"})[["who", "diag"]].reset_index(drop=True)
    found = joined(table, labels.to_csv(index=True))
    assert found.samples == IDS
    assert found.y.tolist() == labels_of(IDS, LABELS)
    with pytest.raises(UnreadableError, match=r"'id' is 'S.*', but the table has 's0'"):
        joined(table, labels.assign(id=labels["who"].str.upper()).drop(columns="who").to_csv(index=True))
    numbered = joined(TABLE.reset_index(), labels.rename_axis("index").reset_index())
    assert numbered.y.tolist() == found.y.tolist()
    numbers = np.arange(N) + 100
    table = TABLE.assign(id=numbers).reset_index()
    labels = LABELS.assign(id=LABELS["id"].str[1:].astype(int) + 100).reset_index(drop=True).reset_index()
    found = joined(table, labels[["index", "id", "diag"]])
    assert found.samples == [*map(str, numbers)]
    assert found.y.tolist() == labels_of(IDS, LABELS)
    with pytest.raises(UsageError, match=r"'id' .* 20 of the 20 values in 'who'"):
        joined(table, labels.rename(columns={"id": "who"})[["index", "who", "diag"]])


def test_columns_of_few_values_name_nothing(joined):
    table = TABLE.assign(sex=["f", "m"] * 10).drop(columns="id")
    found = joined(table, pd.DataFrame({"sex": ["f", "m"] * 10, "diag": LABELS["diag"].tolist()}))
    assert found.y.tolist() == LABELS["diag"].tolist()
    assert "sex" in found.names


def test_features_named_like_the_samples_of_the_labels_are_no_match_by_order(joined):
    turned = pd.DataFrame(np.eye(N), columns=IDS)
    with pytest.raises(UnreadableError, match="did you mean features_in='rows'"):
        joined(turned.assign(gene=[f"g{i}" for i in range(N)]), LABELS[["id", "diag"]])


def test_cohorts_share_labels_with_names_in_any_column(tmp_path):
    for name, rows in (("a", slice(0, 9)), ("b", slice(9, N))):
        TABLE[rows].to_csv(tmp_path / f"{name}.csv", index=False)
    LABELS[["batch", "id", "diag"]].to_csv(tmp_path / "l.csv", index=False)
    tables = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    found = open_cohorts(tables, Reading(index="id", target="diag"), labels=[str(tmp_path / "l.csv")])
    assert found.samples == IDS
    assert found.y.tolist() == labels_of(IDS, LABELS)
    assert Path(found.cohort_sources[1].source).name == "b.csv"


@pytest.mark.parametrize("roles", [{"groups": "batch"}, {"adjust": ("dose",)}])
def test_a_target_that_need_not_be_named_is_kept_if_the_labels_have_other_columns(tmp_path, roles):
    """A store's first target, and that of a named data set."""
    LABELS[["id", "batch", "dose"]].to_csv(tmp_path / "l.csv", index=False)
    y = (np.arange(N) % 4 < 2).astype(int)
    write_store(TABLE[["g0", "g1"]], tmp_path / "x.qpfs", y, samples=IDS)
    found = open_problem(tmp_path / "x.qpfs", labels=str(tmp_path / "l.csv"), **roles)
    assert found.y.tolist() == y.tolist()
    by_name = LABELS.set_index("id").loc[IDS]
    if "groups" in roles:
        assert found.groups.tolist() == by_name["batch"].tolist()
    else:
        assert found.covariates["dose"].tolist() == by_name["dose"].tolist()
    wine = open_problem("wine")
    pd.DataFrame({"batch": np.arange(178) % 3, "dose": range(178), "x": 0}).to_csv(
        tmp_path / "w.csv", index=False
    )
    assert open_problem("wine", labels=str(tmp_path / "w.csv"), **roles).y.tolist() == wine.y.tolist()


@pytest.mark.parametrize(("ending", "index"), [("parquet", False), ("parquet", True), ("feather", False)])
def test_labels_in_parquet_and_feather(tmp_path, ending, index):
    """The same as from text: numbers stay numbers, missing ones missing."""
    labels = LABELS.assign(
        dose=LABELS["dose"] / 3, age=[None, *range(1, N)], kind=LABELS["diag"].astype("category")
    )
    path = tmp_path / f"l.{ending}"
    getattr(labels.set_index("id") if index else labels, f"to_{ending}")(path)
    labels.to_csv(tmp_path / "l.csv", index=False)
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    roles = {"groups": "batch", "adjust": ("dose",)}
    for target in ("diag", "kind", "dose", "age"):
        here, there = (
            open_problem(tmp_path / "x.csv", labels=one, target=target, **roles)
            for one in (path, tmp_path / "l.csv")
        )
        assert here.samples == there.samples
        assert (here.y.tolist(), here.y.dtype) == (there.y.tolist(), there.y.dtype)
        assert here.groups.tolist() == there.groups.tolist()
        assert here.covariates["dose"].tolist() == there.covariates["dose"].tolist()


def test_columns_of_labels_that_are_no_cells_are_left_out(tmp_path):
    LABELS.assign(visits=[[1, 2]] * N).to_parquet(tmp_path / "l.parquet")
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    found = open_problem(tmp_path / "x.csv", labels=tmp_path / "l.parquet", target="diag")
    assert found.y.tolist() == labels_of(IDS, LABELS)


def test_labels_in_other_formats_are_answered_with_those_that_can_be_read(tmp_path):
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    write_store(TABLE[["g0", "g1"]], tmp_path / "l.qpfs", np.arange(N) % 2)
    np.savez(tmp_path / "l.npz", y=np.arange(N))
    with ZipFile(tmp_path / "l.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", "<workbook>" * 9)
    (tmp_path / "l.parquet").write_bytes(b"PAR1\r\r")
    for name, said in {
        "l.qpfs": "is a store; expected",
        "l.npz": "is an archive of NumPy arrays; expected",
        "l.xlsx": "is a spreadsheet or another archive; expected",
        "l.parquet": "cannot be read as Parquet",
    }.items():
        with pytest.raises(UnreadableError, match=f"{name}' ({said})") as raised:
            open_problem(tmp_path / "x.csv", labels=tmp_path / name, target="diag")
        if name != "l.parquet":
            assert "delimited text, Parquet, Feather or .npy; save a spreadsheet as CSV" in str(raised.value)
