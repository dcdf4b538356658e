"""A store made on purpose, with every checksum right, is refused before anything in it is followed."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from tests.apart import script
from tests.codes.crafting import Crafted, crafted, crafted_stores, small_store

from qpfs import MaxRel, StoreError, open_store, write_store
from qpfs.codes import disk_check
from qpfs.information import Rank


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("crafted") / "a.qpfs")


def test_what_is_put_together_unchanged_is_the_same(path):
    assert crafted(path, lambda parts: None) == path.read_bytes()


def said(**facts):
    return lambda parts: parts.facts.update(facts)


def lost(name):
    return lambda parts: parts.facts.pop(name)


def described(name, **facts):
    return lambda parts: parts.where(name).update(facts)


def in_array(name, place, value):
    def change(parts):
        parts.array(name)[place] = value

    return change


def in_block(which, place, value, number=0):
    def change(parts):
        parts.block(number)[which][place] = value

    return change


def in_row(place, value, number=0):
    def change(parts):
        parts.rows[number][place] = value

    return change


def rule(name, **parameters):
    return said(rule={"name": name, "parameters": parameters})


def text(data):
    def change(parts):
        parts.text = data

    return change


def headed(**facts):
    return lambda parts: parts.head.update(facts)


def first_label(parts):
    return next(iter(parts.facts["labels"]))


def relabelled(labels):
    return lambda parts: parts.facts["labels"].update({first_label(parts): labels})


def other_feature(key):
    return lambda parts: parts.facts["labels"].update({key: ["a", "b"]})


def twice_in_a_block(parts):
    features, _, _ = parts.block(0)
    features[1] = features[0]


def in_two_blocks(parts):
    parts.block(1)[0][0] = parts.block(0)[0][0]


def moved_bits(parts):
    """Another sample is counted, and one fewer."""
    planes = parts.block(0)[2]
    planes[0, 0, 0] ^= np.uint64(0b11) if int(planes[0, 0, 0]) & 3 in (1, 2) else np.uint64(0b101)


def at_two_levels(parts):
    """A sample at two levels at once, both counted so."""
    number = next(i for i, row in enumerate(parts.rows) if row[2] > 2)
    _, counts, planes = parts.block(number)
    bit = next(b for b in range(64) if int(planes[0, 0, 0]) >> b & 1)
    planes[1, 0, 0] |= np.uint64(1 << bit)
    counts[2, 0] += 1
    counts[0, 0] -= 1


def beyond_the_last_sample(parts):
    _, counts, planes = parts.block(0)
    planes[0, -1, 0] |= np.uint64(1 << 63)
    counts[1, 0] += 1
    counts[0, 0] -= 1


def swapped(parts):
    """Two sections in each other's place in the directory."""
    sections = parts.facts["sections"]
    parts.facts["sections"] = dict(reversed(list(sections.items())))


def moved(by):
    return lambda parts: parts.where("edges").update(offset=parts.where("edges")["offset"] + by)


def no_target(parts):
    for name in ("target 0.ends", "target 0.bytes"):
        del parts.facts["sections"][name]


def longer(name, data=b"\0" * 64):
    def change(parts):
        parts.sections[name] += data

    return change


def without_first_block(parts):
    del parts.rows[0]
    where = parts.where("blocks")
    where["shape"][0] -= 1
    del parts.sections["blocks"][:40]


def everything_twice(parts):
    facts = str(parts.facts["n_samples"])
    parts.text = b'{"n_samples": ' + facts.encode() + b', "n_samples": 1}'


REFUSED = {
    "objects for numbers": described("edges", dtype="|O"),
    "objects for levels": described("levels", dtype="|O"),
    "texts for numbers": described("edges", dtype="<U2"),
    "raw bytes": described("edges", dtype="|V8"),
    "fields": described("edges", dtype="f4,f4"),
    "big-endian": described("edges", dtype=">f8"),
    "dates": described("edges", dtype="<M8[ns]"),
    "no type": described("edges", dtype=None),
    "a list for a type": described("edges", dtype=["<f8"]),
    "signed levels": described("levels", dtype="|i1"),
    "floats for places": described("blocks", dtype="<f8"),
    "unsigned ends": described("names.ends", dtype="<u8"),
    "a negative offset": described("edges", offset=-64),
    "an offset beyond the file": described("edges", offset=2**40),
    "an offset beyond all numbers": described("edges", offset=2**70),
    "an offset that is not aligned": moved(8),
    "an offset that is text": described("edges", offset="0"),
    "one section upon another": moved(-64),
    "a section upon the blocks": described("levels", offset=64),
    "a shape too large": described("edges", shape=[15, 2**40]),
    "a shape whose size wraps round": described("edges", shape=[2**32, 2**32]),
    "a shape that is negative": described("names.bytes", shape=[-1]),
    "a shape of other features": described("levels", shape=[16]),
    "a shape of no features": described("levels", shape=[0]),
    "a shape of one more dimension": described("levels", shape=[15, 1]),
    "a shape that is no list": described("levels", shape="15"),
    "a shape of fractions": described("levels", shape=[15.0]),
    "something more of a section": described("levels", order="F"),
    "no section of levels": lambda parts: parts.facts["sections"].pop("levels"),
    "no section of blocks": lambda parts: parts.facts["sections"].pop("blocks"),
    "no bytes of names": lambda parts: parts.facts["sections"].pop("names.bytes"),
    "no target": no_target,
    "a section nobody knows": lambda parts: parts.facts["sections"].update(extra=dict(parts.where("levels"))),
    "sections in another order": swapped,
    "a section that is longer": longer("levels"),
    "no sections": said(sections={}),
    "sections that are a list": said(sections=[]),
    "no rule": lost("rule"),
    "no samples": lost("n_samples"),
    "no labels": lost("labels"),
    "something more": said(extra=1),
    "a billion features": said(n_features=10**9),
    "no feature": said(n_features=0),
    "fewer than no feature": said(n_features=-1),
    "features that are a fraction": said(n_features=15.0),
    "features that are true": said(n_features=True),
    "more samples": said(n_samples=134),
    "a sample more": said(n_samples=71),
    "2^62 samples": said(n_samples=2**62),
    "10^400 samples": said(n_samples=10**400),
    "a rule of the system": rule("os.system", command="true"),
    "a rule that is a class of Python": rule("__class__"),
    "a rule with another parameter": rule("codes", max_categories=5, n_bins=3),
    "a rule without its parameter": rule("codes"),
    "a rule with too many levels": rule("codes", max_categories=10**6),
    "a rule with text": rule("codes", max_categories="5"),
    "a rule with a list": rule("codes", max_categories=[5]),
    "a rule with a huge number": rule(
        "three-segments", n_sigma=10**400, keep_integers=True, max_categories=32
    ),
    "a rule with a negative number": rule(
        "three-segments", n_sigma=-1, keep_integers=True, max_categories=32
    ),
    "a rule that is text": said(rule="AsCodes"),
    "labels of a feature beyond": other_feature("99"),
    "labels of a feature before": other_feature("-1"),
    "labels of no number": other_feature("x"),
    "labels of a number in other digits": other_feature("٣"),
    "labels of a number with a zero": other_feature("014"),
    "labels of a feature with edges": other_feature("0"),
    "more labels than levels": relabelled(["a", "b", "c", "d", "e", "f", "g"]),
    "fewer labels than levels": relabelled(["a"]),
    "the same label twice": relabelled(["a", "a", "b"]),
    "labels that are lists": relabelled([["a"], ["b"], ["c"]]),
    "labels that are text": relabelled("abc"),
    "merged without labels": said(merged={"0": 3}),
    "merged below nothing": said(merged={"13": -3}),
    "targets that are text": said(targets="y"),
    "targets of one name": said(targets=["y", "y"]),
    "targets that are numbers": said(targets=[1]),
    "more targets": said(targets=["y", "z"]),
    "notes that are text": said(notes="a"),
    "notes of numbers": said(notes=[1]),
    "a source that is a number": said(source=1),
    "a block elsewhere": in_row(0, 128),
    "a block before the file": in_row(0, -64),
    "a block beyond the file": in_row(0, 2**40),
    "a block of no features": in_row(1, 0),
    "a block of fewer than none": in_row(1, -1),
    "a block of more features": in_row(1, 10**6),
    "a block so large that it wraps round": in_row(1, 2**61),
    "a block of one level": in_row(2, 1),
    "a block of a level more": in_row(2, 300),
    "a block of another length": in_row(3, 64),
    "a block of negative length": in_row(3, -1),
    "a block left out": without_first_block,
    "a feature far beyond": in_block(0, 0, 10**9),
    "a feature just beyond": in_block(0, 0, 15),
    "a feature before the first": in_block(0, 0, -1),
    "a feature twice": twice_in_a_block,
    "a feature in two blocks": in_two_blocks,
    "a constant feature in a block": in_block(0, 0, 12),
    "a count of nothing": in_block(1, (0, 0), 0),
    "a negative count": in_block(1, (0, 0), -5),
    "a count too large": in_block(1, (0, 0), 2**31 - 1),
    "bits that are not counted": in_block(2, (0, 0, 0), 2**64 - 1),
    "no bits": in_block(2, (0, slice(None), 0), 0),
    "a sample at two levels": at_two_levels,
    "a sample beyond the last": beyond_the_last_sample,
    "a feature of no level": in_array("levels", 0, 0),
    "a feature of other levels": in_array("levels", 0, 9),
    "a constant that varies": in_array("levels", 12, 2),
    "a truth value of 2": in_array("occurs", (0, 0), False),
    "a level beyond the edges": in_array("occurs", (0, -1), True),
    "an edge behind the last": in_array("edges", (12, -1), 7.0),
    "names that end before they begin": in_array("names.ends", 0, -1),
    "names that go back": in_array("names.ends", 3, 0),
    "names that end beyond": in_array("names.ends", -1, 10**6),
    "names that end early": in_array("names.ends", -1, 3),
    "names that are no text": in_array("names.bytes", 0, 255),
    "a target cut in a character": in_array("target 0.ends", 1, 5),
    "an empty directory": text(b""),
    "a directory that is a list": text(b"[]"),
    "a directory that is no JSON": text(b"{"),
    "a directory in no encoding": text(b'{"\xff": 1}'),
    "a directory without end": text(b"[" * 200_000),
    "objects without end": text(b'{"a":' * 200_000),
    "a number without end": text(b"1" * 100_000),
    "not a number": text(b'{"n_samples": NaN}'),
    "a fact twice": everything_twice,
    "a directory that is shorter": headed(length=10),
    "a directory elsewhere": headed(directory=0),
    "a directory beyond": headed(directory=2**63),
    "a directory longer than the file": headed(length=2**63),
    "another size": headed(size=2**63),
}  # fmt: skip


REFUSED_SCORES = {
    "scores for levels": said(form={"name": "levels"}),
    "scores of another degree": said(form={"name": "scores", "degree": 1}),
    "scores of a high degree": said(form={"name": "scores", "degree": 3}),
    "scores of a true degree": said(form={"name": "scores", "degree": True}),
    "scores of no degree": said(form={"name": "scores"}),
    "scores with something more": said(form={"name": "scores", "degree": 2, "unit": 1}),
    "numbers": said(form={"name": "numbers"}),
    "a form that is text": said(form="scores"),
    "no form": lost("form"),
    "no columns": lambda parts: parts.facts["sections"].pop("columns"),
    "columns of another type": described("columns", dtype="|i1"),
    "a column too few": in_array("columns", 0, 1),
    "a constant with columns": in_array("columns", 12, 2),
    "a label with other columns": in_array("columns", 14, 3),
    "a block of no column": in_row(2, 0),
    "a block of other columns": in_row(2, 3),
    "a feature beyond": in_block(0, 0, 15),
    "a feature twice": twice_in_a_block,
    "a negative shift": in_block(1, (0, 0), -1),
    "a shift too large": in_block(1, (0, 0), 4),
    "a shift that is not of these scores": in_block(1, (0, 0), 1),
    "a score changed": in_block(2, (0, 0, 0), 32767),
    "the score that 16 bits have once": in_block(2, (0, 0, 0), -32768),
    "a column that is not centred": in_block(2, (0, 0), 4096),
    "a column of nothing": in_block(2, (0, 0), 0),
    "a contrast of labels changed": in_block(2, (-1, 0, slice(None, None, 2)), 9999),
    "edges": described("edges", shape=[15, 1]),
    "missing values nowhere": in_array("occurs", (1, 1), False),
}


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("crafted") / "b.qpfs", Rank(2))


def test_the_store_of_scores_is_sound_before_it_is_changed(scores):
    assert crafted(scores, lambda parts: None) == scores.read_bytes()
    assert open_store(scores).form == Rank(2).form


@pytest.mark.parametrize("change", REFUSED_SCORES.values(), ids=REFUSED_SCORES)
def test_a_crafted_store_of_scores_is_refused(scores, tmp_path, change):
    for verify in (True, False):
        test_a_crafted_store_is_refused(scores, tmp_path, change, verify)


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_a_crafted_store_is_refused(path, tmp_path, change, verify):
    made = tmp_path / "crafted.qpfs"
    made.write_bytes(crafted(path, change))
    with pytest.raises(StoreError, match=str(made)) as caught:
        list(open_store(made, verify=verify).blocks)  # without verify, planes are looked at when asked for
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_truth_values_are_zero_and_one(path, tmp_path):
    def change(parts: Crafted):
        truths = np.frombuffer(parts.sections["groups"], np.uint8)
        truths[:] = 255

    (tmp_path / "a.qpfs").write_bytes(crafted(path, change))
    with pytest.raises(StoreError, match=r"'groups' has values other than 0 and 1"):
        open_store(tmp_path / "a.qpfs")


def test_what_is_asked_for_is_what_every_store_has(path):
    """The closed list is that of the writer."""
    parts = Crafted.of(path.read_bytes())
    assert parts.facts.keys() == disk_check.FACTS.keys()
    groups = list(disk_check.sections_of(1))
    assert set(parts.facts["sections"]) <= {name for group in groups for some in group for name in some}


def test_constant_features_are_bounded_by_what_is_known_of_them(tmp_path):
    made = tmp_path / "a.qpfs"
    write_store(np.ones((9, 3)), made)
    made.write_bytes(crafted(made, said(n_features=10**9)))
    with pytest.raises(StoreError, match="'levels' has 3 where 1000000000 were expected"):
        open_store(made)


def test_many_samples_of_constant_features_take_no_memory(tmp_path):
    made = tmp_path / "a.qpfs"
    write_store(np.ones((9, 3)), made)
    made.write_bytes(crafted(made, said(n_samples=2**31 - 1)))
    table = open_store(made)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MaxRel().fit(table, np.arange(9) % 2)


def test_a_file_written_to_while_it_is_in_use_is_noticed(path, tmp_path):
    made = tmp_path / "a.qpfs"
    made.write_bytes(path.read_bytes())
    table = open_store(made)
    y = table.y
    with made.open("r+b") as file:
        file.seek(64)
        file.write(b"\xff" * 64)
    os.utime(made, ns=(1, 1))  # a write in the same tick of the clock might go unnoticed
    with pytest.raises(StoreError, match="was changed while it was in use"):
        MaxRel().fit(table, y)
    with pytest.raises(StoreError, match="was changed while it was in use"):
        table.some_rows(np.arange(9))


def test_a_file_cut_while_it_is_in_use_is_noticed(path, tmp_path):
    made = tmp_path / "a.qpfs"
    made.write_bytes(path.read_bytes())
    code = f"""
import os
from qpfs import MaxRel, StoreError, open_store
table = open_store({str(made)!r})
os.truncate({str(made)!r}, 64)
try:
    MaxRel().fit(table, table.y)
except StoreError as error:
    print(error)
"""
    done = script(code)
    assert (done.returncode, "was changed while it was in use" in done.stdout) == (0, True), done


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="device or a pipe"):
        open_store(tmp_path / "pipe")


def answer_or_refusal(path, verify):
    """What becomes of a store: whether it was refused; anything else is raised."""
    try:
        table = open_store(path, verify=verify)
        list(table.blocks)
        list(table.names or ()), list(table.samples or ()), table.some_rows(np.arange(3))
        measure = Rank(table.form.degree) if table.form.name == "scores" else "mi"
        MaxRel(3, measure=measure).fit(table, np.arange(table.n_samples) % 2)
    except StoreError:
        return True
    return False


@pytest.mark.parametrize("measure", [None, Rank(1)])
def test_random_stores_are_answered_or_refused(tmp_path, measure):
    made, refused = tmp_path / "a.qpfs", 0
    for number, (_, data) in enumerate(itertools.islice(crafted_stores(0, measure), 150)):
        made.write_bytes(data)
        refused += answer_or_refusal(made, verify=bool(number % 2))
    assert 100 < refused < 150  # most are harmful, and the tool can also leave a store sound
