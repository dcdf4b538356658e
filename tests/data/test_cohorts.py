"""Several tables as one: columns by name, labels by sample, and what cannot be put together is named."""

from __future__ import annotations

import os
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from qpfs.data import Problem, Reading, UnreadableError, UsageError, open_cohorts, open_problem
from qpfs.data.cohorts import together

BY_Y = Reading(target="y", index="id")


def table(path, text):
    path.write_text(text)
    return str(path)


@pytest.fixture
def two(tmp_path):
    a = table(tmp_path / "a.csv", "id,u,v,w,y\na1,1,2,3,ill\na2,4,,6,well\na3,7,8,9,ill\n")
    b = table(tmp_path / "b.csv", "id,y,v,extra,u\nb1,well,0.5,1,10\nb2,ill,1.5,2,20\n")
    return SimpleNamespace(a=a, b=b, folder=tmp_path)


def test_common_columns_are_matched_by_name(two):
    found = open_cohorts([two.a, two.b], BY_Y)
    assert found.names == ["u", "v"]
    np.testing.assert_array_equal(found.X, [[1, 2], [4, np.nan], [7, 8], [10, 0.5], [20, 1.5]])
    assert found.y.tolist() == ["ill", "well", "ill", "well", "ill"]
    assert found.samples == ["a1", "a2", "a3", "b1", "b2"]
    assert found.cohorts.tolist() == ["a.csv"] * 3 + ["b.csv"] * 2
    assert [one.n_features for one in found.cohort_sources] == [3, 3]
    assert [one.checksum for one in found.cohort_sources] == [
        open_problem(one, BY_Y).checksum for one in (two.a, two.b)
    ]
    assert found.notes[0] == (
        "2 columns are in all 2 cohorts; left out, as only in some: a.csv: 1 ('w'); b.csv: 1 ('extra')"
    )


def test_files_of_one_name_go_by_their_paths(two):
    (two.folder / "other").mkdir()
    other = table(two.folder / "other" / "a.csv", "id,u,v,y\nc1,1,2,ill\nc2,3,4,well\n")
    assert set(open_cohorts([two.a, other], BY_Y).cohorts) == {two.a, other}


def test_text_columns_stay_text_and_an_empty_one_may_be_numbers(two):
    c = table(two.folder / "c.csv", "id,u,v,y\nc1,low,1,ill\nc2,high,2,well\n")
    d = table(two.folder / "d.csv", "id,u,v,y\nd1,low,3,ill\nd2,,4,well\n")
    e = table(two.folder / "e.csv", "id,u,v,y\ne1,,5,ill\ne2,,6,well\n")
    found = open_cohorts([c, d, e], BY_Y)
    assert found.X.column("u").to_pylist() == ["low", "high", "low", None, None, None]
    assert found.X.column("v").to_pylist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(UsageError, match=r"'u' holds text in '.*c\.csv' and numbers in '.*a\.csv'.*drop='u'"):
        open_cohorts([two.a, c], BY_Y)


def test_sparse_and_dense_tables_are_the_same_numbers():
    rng = np.random.default_rng(0)
    X = [np.where(rng.random((6, 4)) < 0.5, 0.0, rng.normal(size=(6, 4))) for _ in range(2)]
    X[1][2, 3] = np.nan

    def problem(place, table, names):
        y = np.arange(6) % 2
        return Problem(f"t{place}", table, names, None, None, f"{place}", "made", (), y=y, target_name="y")

    one, other = problem(0, X[0], list("abcd")), problem(1, X[1], list("dcba"))
    dense = together([one, other]).X
    np.testing.assert_array_equal(dense, np.vstack([X[0], X[1][:, ::-1]]))
    for kinds in ((sparse.csc_array, sparse.csr_matrix), (np.asarray, sparse.csc_matrix)):
        some = [replace(each, X=kind(each.X)) for each, kind in zip((one, other), kinds, strict=True)]
        found = together(some).X
        assert found.format == "csc"
        np.testing.assert_array_equal(found.toarray(), dense)
    with pytest.raises(UsageError, match="'t0' does not name its columns"):
        together([replace(one, named=False), other])
    text = replace(other, X=pa.table({name: ["x"] * 6 for name in "dcba"}))
    with pytest.raises(UsageError, match="'t0' is sparse, but other cohorts have columns of text"):
        together([replace(one, X=sparse.csc_array(X[0])), text])


def test_groups_are_numbered_within_cohorts(two):
    c = table(two.folder / "c.csv", "p,u,v,y\n1,1,1,ill\n1,2,1,well\n2,3,1,ill\n")
    d = table(two.folder / "d.csv", "p,u,v,y\n1,1,1,ill\n2,2,1,well\n2,3,1,ill\n")
    assert open_cohorts([c, d], Reading(target="y", groups="p")).groups.tolist() == [0, 0, 1, 2, 3, 3]


def test_whole_numbers_and_others_are_one_target(two):
    c = table(two.folder / "c.csv", "u,v,y\n1,1,0\n2,1,1\n")
    d = table(two.folder / "d.csv", "u,v,y\n1,1,0\n2,1,1\n3,4,NA\n")
    assert open_cohorts([c, d], Reading(target="y")).y.dtype.kind == "i"


@pytest.mark.parametrize(
    ("text", "reading", "words"),
    [
        ("id,p,q,y\nc1,1,2,ill\nc2,1,3,well\n", BY_Y, r"no column names in common.*'.*c\.csv' has 'p', 'q'"),
        ("id,u,q,y\nc1,1,2,ill\nc2,1,3,well\n", BY_Y, "1 column name in common"),
        ("id,u,v,z\nc1,1,2,ill\nc2,1,3,well\n", BY_Y, r"no column 'y' in '.*c\.csv'"),
        ("id,u,v,y\nc1,1,2,0.5\nc2,1,3,1.5\n", BY_Y, r"text in '.*a\.csv' and numbers in '.*c\.csv'"),
    ],
)
def test_what_cannot_be_put_together_is_named(two, text, reading, words):
    with pytest.raises((UsageError, UnreadableError), match=words):
        open_cohorts([two.a, table(two.folder / "c.csv", text)], reading)


def test_one_table_is_no_two_cohorts(two):
    link, copy = two.folder / "link.csv", two.folder / "copy.csv"
    os.link(two.a, link)
    copy.write_bytes((two.folder / "a.csv").read_bytes())
    for other in (two.a, str(link)):
        with pytest.raises(UsageError, match="are the same file"):
            open_cohorts([two.a, other], BY_Y)
    with pytest.raises(UsageError, match="hold the same bytes"):
        open_cohorts([two.a, str(copy)], BY_Y)


def test_names_in_several_cohorts_are_noted(two):
    c = table(two.folder / "c.csv", "id,u,v,y\na1,5,2,ill\nc2,1,3,well\n")
    assert "several cohorts have samples called 'a1'" in open_cohorts([two.a, c], BY_Y).notes[-1]


def test_labels_once_for_all_or_once_for_each(two):
    c = table(two.folder / "c.csv", "id,u,v\nc1,5,2\nc2,1,3\nc3,4,4\n")
    d = table(two.folder / "d.csv", "id,u,v\nd1,5,2.5\nd2,1,3\n")
    once = table(two.folder / "labels.csv", "id,y\nd2,well\nc1,ill\nx,ill\nc2,well\nd1,ill\n")
    found = open_cohorts([c, d], Reading(index="id"), labels=[once])
    assert found.y.tolist() == ["ill", "well", "ill", "well"]
    assert found.samples == ["c1", "c2", "d1", "d2"]
    assert found.notes == (
        "c.csv: 2 of 3 samples have a label; 1 left out: 'c3'",
        "4 of 5 labels are of a sample; 1 left out: 'x'",
    )
    with pytest.raises(UnreadableError, match="1 sample without a label: 'c3'"):
        open_cohorts([c, d], Reading(index="id", strict=True), labels=[once])
    each = [
        table(two.folder / "lc.csv", "id,y\nc1,ill\nc2,well\nc3,well\n"),
        table(two.folder / "ld.csv", "id,status\nd1,ill\nd2,well\n"),
    ]
    found = open_cohorts([c, d], Reading(index="id"), labels=each)
    assert found.y.tolist() == ["ill", "well", "well", "ill", "well"]
    assert found.notes == ()
    with pytest.raises(UsageError, match="2 tables and 3 files of labels"):
        open_cohorts([c, d], Reading(index="id"), labels=[*each, once])
    with pytest.raises(UsageError, match="a table does not name its samples"):
        open_cohorts([two.a, table(two.folder / "n.csv", "u,v\n1,2\n3,4\n")], labels=[once])
    with pytest.raises(UsageError, match=r"Several tables have the samples 'c1'.*labels once for each"):
        open_cohorts(
            [c, table(two.folder / "f.csv", "id,u,v\nc1,0,0\nf,1,1\n")], Reading(index="id"), labels=[once]
        )
