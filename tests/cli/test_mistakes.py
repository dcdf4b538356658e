"""What is wrong with a command line: one line, in the words of the command, before anything takes long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import qpfs

from qpfs.checks import KEPT, LIMITS, OF_METHODS
from qpfs.cli.signatures import parameters_of
from qpfs.codes import DISCRETIZERS
from qpfs.codes.disk_layout import LAYOUTS
from qpfs.data.stored import STORE
from qpfs.information.measures import MEASURES
from qpfs.methods import METHODS
from qpfs.rules import UNDISCRETISED
from qpfs.selectors.parts import CLUSTERERS, DISCARDS

MISTAKES = {  # what is typed, and the line
    "an option": (["wdbc", "--boost", "x"], "there is no option --boost. `qpfs select --help` lists"),
    "near": (
        ["wdbc", "--messure", "mi"],
        "there is no option --messure; did you mean --measure? `qpfs select",
    ),
    "of Python": (["wdbc", "--random-state", "1"], "no option --random-state; did you mean --seed? `qpfs se"),
    "of Python, by its underscore": (["wdbc", "--n_jobs", "1"], "no option --n_jobs; did you mean --jobs? "),
    "of Python, nearly": (["wdbc", "--discretiser", "codes"], "--discretiser; did you mean --levels? `qpfs"),
    "of Python, in part": (["wdbc", "--n-features", "5"], "--n-features; did you mean --top? `qpfs"),
    "of another command": (["wdbc", "--cv", "5"], "no option --cv; did you mean --check? `qpfs select --h"),
    "of an earlier version": (["wdbc", "--folds", "5"], "option --folds; did you mean --check? `qpfs select"),
    "of earlier, too": (["wdbc", "--classifier", "svm"], "--classifier; did you mean --estimator? `qpfs s"),
    "without a value": (["wdbc", "--out"], "Option '--out' requires an argument. See `qpfs select --help`."),
    "a command": (None, "No such command 'selct'"),
    "a method": (["wdbc", "--method", "nope"], "--method nope; expected one of qpfs, ikma,"),
    "a method of another": (
        ["wdbc", "--method", "f-test"],
        "--method f-test is a method of another package, for `qpfs compare`; expected one of qpfs, ikma,",
    ),
    "a method of another, with a number": (["wdbc", "--method", "l1:C=2"], "--method l1:C=2 is a method of "),
    "a parameter of another": (["wdbc", "--radius", "1"], "--radius is not for --method qpfs: it belongs to"),
    "a number": (["wdbc", "--top", "x"], "--top x; expected an integer, a number or none."),
    "a word": (["wdbc", "--order", "up"], "--order up; expected nearest or weight."),
    "a score of nothing": (["wdbc", "--scoring", "r2"], "--scoring r2 is what --check computes"),
    "a seed": (["wdbc", "--seed", "-1"], "--seed"),
    "no file": (["tabel.csv", "--target", "y"], "There is no file 'tabel.csv'. Did you mean 'table.csv'?"),
    "no target": (["table.csv"], "Name the target column of 'table.csv' with --target COLUMN."),
    "no data": ([], "Missing argument 'DATA'. See `qpfs select --help`."),
    "twice": (["wdbc", "--index", "a", "--index", "b"], "'--index': given 2 times; it takes one value."),
    "both ways": (
        ["wdbc", "--method", "qpfs:theta=1", "--theta", "0"],
        "--theta 0 and --method qpfs:theta=1 both",
    ),
    "a result": (["table.csv", "--target", "b", "--out", "."], "selection.json exists; choose another"),
    "a measure": (
        ["wdbc", "--measure", "pearson"],
        "--measure pearson; expected auto, rank, mi, correlation or chi2.",
    ),
    "a measure of a method": (
        ["wdbc", "--method", "ikma:measure=pearson"],
        "--method ikma:measure=pearson: measure=pearson; expected auto, rank,",
    ),
    "a rule for levels": (
        ["wdbc", "--levels", "thirds"],
        "--levels thirds; expected equal-frequency, equal-width, three-segments or codes, possibly with a",
    ),
    "a clusterer": (
        ["wdbc", "--method", "two-level", "--clusterer", "ward"],
        "--clusterer ward; expected kmeans, two-level-kmeans or none.",
    ),
    "a criterion": (["wdbc", "--method", "two-level:criterion=x"], "criterion=x; expected qpfs, ikma,"),
    "a rule for discarding": (
        ["wdbc", "--method", "interleaved", "--discard", "all"],
        "--discard all; expected careful, aggressive or never.",
    ),
}
LATER = {  # of numbers, and of what is to be read: once it is known how it is read
    "a share": (["wdbc", "--theta", "5"], "--theta 5.0, but it must be 'auto' or a number from 0 to 1."),
    "a share of a method": (
        ["wdbc", "--method", "nystrom:sampling_rate=0"],
        "sampling_rate=0.0, but it must be",
    ),
    "too few": (
        ["wdbc", "--top", "0"],
        "--top 0, but it must be an integer of at least 1, a fraction above 0",
    ),
    "a part": (
        ["wdbc", "--top", "1.5"],
        "--top 1.5, but it must be an integer of at least 1, a fraction above",
    ),
    "a rate": (["wdbc", "--fdr", "0"], "--fdr 0.0, but it must be a number above 0 and at most 1."),
    "a column of groups": (
        ["table.csv", "--target", "b", "--groups", "batch"],
        "There is no column 'batch' in 'table.csv' (--groups)",
    ),
    "a set": (["wdbcc"], "'wdbcc' is neither a file nor a built-in data set"),
    "a set, nearly": (["wdbcc"], "Did you mean 'wdbc'?"),
    "a column": (
        ["table.csv", "--target", "bb"],
        "There is no column 'bb' in 'table.csv' (--target); did you mean 'b'?",
    ),
    "a column to drop": (
        ["table.csv", "--target", "b", "--drop", "x*"],
        "--drop: no column of 'table.csv' matches 'x*'",
    ),
    "a column by semicolons": (
        ["other.csv", "--target", "c"],
        "no column 'c' in 'other.csv' (--target); it has",
    ),
    "a target that nothing says": (
        ["plain", "--drop", "b"],
        "Name the target column of 'plain' with",
    ),
    "jobs": (["wdbc", "--jobs", "0"], "--jobs 0, but it must be an integer other than 0, or None."),
    "starts": (["wdbc", "--n-starts", "0"], "--n-starts 0, but it must be an integer of at least 1."),
    "shuffles": (["wdbc", "--n-permutations", "-1"], "--n-permutations -1, but it must be an integer of at"),
    "weights of classes": (["wdbc", "--class-weight", "even"], "--class-weight even, but it must be 'bal"),
    "weights of targets": (
        ["wdbc", "--target-weights", "-1"],
        "--target-weights -1, but it must be a number",
    ),
    "features of a group": (["wdbc", "--at-most", "0"], "--at-most 0, but it must be None or an integer of"),
    "features of no group": (
        ["wdbc", "--at-most", "2"],
        "--at-most 2 is the largest number of features of a group, but there are no groups; also give --feat",
    ),
    "a radius": (
        ["wdbc", "--method", "ikma", "--radius", "2"],
        "--radius 2.0, but it must be 'auto' or a number from 0 to 1.",
    ),
    "a radius of two levels": (
        ["wdbc", "--method", "tlkm", "--radius", "2"],
        "--radius 2.0, but it must be 'auto', None or a number from 0 to 1.",
    ),
    "a radius of a method": (
        ["wdbc", "--method", "ikma:radius=2"],
        "--method ikma:radius=2: radius=2.0, but it must be 'auto' or a number from 0 to 1.",
    ),
    "first clusters": (
        ["wdbc", "--method", "tlkm", "--n-first", "0"],
        "--n-first 0, but it must be 'auto', None or an integer of at least 1.",
    ),
    "parts": (["wdbc", "--method", "ikma", "--n-split", "1"], "--n-split 1, but it must be an integer of at"),
    "a penalty": (["wdbc", "--method", "fgm", "--c", "0"], "--c 0.0, but it must be a number from 1e-30 to"),
    "a correlation": (
        ["wdbc", "--method", "gdm", "--max-correlation", "2"],
        "--max-correlation 2.0, but it must be a number from 0 to 1.",
    ),
    "bins": (
        ["wdbc", "--levels", "equal-width:0"],
        "'equal-width:0' is not a discretisation rule: n_bins=0, but it must be an integer from 2 to 254.",
    ),
    "deviations": (
        ["wdbc", "--target-levels", "three-segments:-1"],
        "'three-segments:-1' is not a discretisation rule: n_sigma=-1.0, but it must be a positive number.",
    ),
    "bins in words": (
        ["wdbc", "--levels", "equal-frequency:x"],
        "'equal-frequency:x' is not a discretisation rule: 'x' is not a number for equal-frequency.",
    ),
    "levels of ranks": (
        ["wdbc", "--levels", "equal-width:3", "--measure", "rank"],
        "--levels is not for --measure rank, which does not discretise; leave it out, or add --measure mi.",
    ),
    "memory": (["wdbc", "--memory", "1"], "--memory 1; expected at least 256MB."),
    "labels": (["table.csv", "--labels", "nope.csv"], "There is no file 'nope.csv'."),
    "a target of the labels": (
        ["table.csv", "--labels", "labels.csv", "--target", "dig"],
        "There is no column 'dig' in 'labels.csv' (--target); did you mean 'diag'?",
    ),
    "a target of neither file": (
        ["table.csv", "--labels", "labels.csv", "--target", "dig", "--groups", "sex"],
        "There is no column 'dig' in 'labels.csv' (--target); did you mean 'diag'?",
    ),
    "groups of neither file": (
        ["table.csv", "--labels", "labels.csv", "--target", "diag", "--groups", "sx"],
        "--groups sx: there is no such column in the table nor in 'labels.csv'; did you mean 'sex'?",
    ),
    "a column of labels that was not named": (
        ["table.csv", "--labels", "labels.csv"],
        "'labels.csv' has 3 columns ('id', 'diag', 'sex'); name the one that holds the labels with --target",
    ),
    "a feature to keep": (
        ["table.csv", "--target", "b", "--keep", "g99"],
        "--keep: no column of 'table.csv' matches 'g99'; it has 'a', 'b'.",
    ),
    "features to exclude": (
        ["table.csv", "--target", "b", "--exclude", "a", "--exclude", "g*"],
        "--exclude: no column of 'table.csv' matches 'g*'; it has 'a', 'b'.",
    ),
    "covariates": (
        ["table.csv", "--target", "b", "--method", "fgm", "--adjust", "a"],
        "--adjust, but fgm cannot adjust for covariates; use another method, such as qpfs.",
    ),
    "features to keep": (
        ["table.csv", "--target", "b", "--method", "fgm", "--keep-where", "a"],
        "--keep-where, but fgm has no --keep; use another method, such as qpfs.",
    ),
    "a layer": (
        ["table.csv", "--target", "b", "--layer", "x"],
        "--layer is for .h5ad files, but 'table.csv'",
    ),
    "a layer of a set": (["wdbc", "--layer", "x"], "--layer is for .h5ad files, but 'wdbc' is not one."),
    "values of a store": (
        ["store", "--method", "fgm"],
        "--method fgm needs the values, but a store holds none",
    ),
}
COMMANDS = {  # the same of other commands: what is typed, and the line
    "an option of an earlier version": (
        "compare wdbc --folds 5",
        "--folds; did you mean --cv? `qpfs compare",
    ),
    "an option of earlier, too": ("compare wdbc --inner-folds 5", "--inner-folds; did you mean --inner-cv? "),
    "an option that this command lacks": (
        "compare wdbc --n-features-to-select 5",
        "there is no option --n-features-to-select. `qpfs compare --help` lists them all.",
    ),
    "an option without a value": ("compare wdbc --out", "an argument. See `qpfs compare --help`."),
    "jobs to compare with": ("compare wdbc --jobs 0", "--jobs 0, but it must be an integer other than 0, or"),
    "a parameter to compare": (
        "compare wdbc --method qpfs:n_starts=0",
        "--method qpfs:n_starts=0: n_starts=0, but it must be an integer of at least 1.",
    ),
    "a parameter of another package": (
        "compare wdbc --method l1:c=1",
        "--method l1:c=1: 'c' is not a parameter of l1; it has C.",
    ),
    "a value for another package": (
        "compare wdbc --method l1:C=0",
        "--method l1:C=0: C=0, but it must be a number above 0.",
    ),
    "a value that is none": (
        "compare wdbc --method l1:C=x",
        "--method l1:C=x: C=x; expected a number, True,",
    ),
    "jobs to time with": ("bench --jobs 0", "--jobs 0, but it must be an integer other than 0, or None."),
    "a parameter to time": (
        "bench --method qpfs:n_starts=0",
        "--method qpfs:n_starts=0: n_starts=0, but it must be an integer of at least 1.",
    ),
    "jobs to encode with": ("encode table.csv --out s --jobs 0", "--jobs 0, but it must be an integer other"),
    "bins of a store": (
        "encode table.csv --out s --levels equal-width:0",
        "'equal-width:0' is not a ",
    ),
    "a measure of a store": (
        "encode table.csv --out s --measure correlation",
        "A store keeps levels or scores of ranks, not numbers: measure must be 'rank', or one that is comp",
    ),
    "levels of a store": (
        "encode table.csv --out s --measure rank --levels equal-width:3",
        "--levels is not for --measure rank, which has no levels; leave it out.",
    ),
    "a store of a store": ("encode store --out s", "store is already encoded; give it to `qpfs select`."),
    "a folder for a store": ("encode table.csv --out .", ". is a folder; name a file."),
    "a table to overwrite": ("encode table.csv --out table.csv", "table.csv is read, so it cannot be overwr"),
    "no selection": ("apply nope.json table.csv --out o.csv", "nope.json does not exist."),
    "another selection": (
        "apply table.csv table.csv --out o.csv",
        "table.csv is not a record of a selection",
    ),
    "a kind of table": ("apply selection.json table.csv --out o.x", "selection.json is not a record"),
    "no record": ("report nope.json", "nope.json does not exist."),
    "a folder of records": ("report .", ". is a folder; name its selection.json."),
    "another record": (
        "report selection.json",
        "selection.json is not a record of a selection or comparison.",
    ),
}
HEAVY = ["sklearn", "scipy", "numba", "pandas"]
CODE = """
import json, sys
from tests.cli.command import qpfs
told = []
for mistakes in json.loads(sys.argv[1]):
    said = {name: qpfs(*typed) for name, typed in mistakes.items()}
    heavy = [name for name in json.loads(sys.argv[2]) if name in sys.modules]
    told.append([heavy, {name: [run.returncode, run.stderr] for name, run in said.items()}])
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What was imported, and what each mistake was answered with: all in one process, in two goes."""
    folder = tmp_path_factory.mktemp("mistakes")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "other.csv").write_text("a;b\n1,5;2\n")
    (folder / "labels.csv").write_text("id,diag,sex\nu,1,f\nv,2,m\n")
    (folder / "plain").write_text("a,b\n1,2\n")
    (folder / "selection.json").write_text("{}")
    (folder / "store").write_bytes(STORE)
    typed = [
        {name: ["selct"] if rest is None else ["select", *rest] for name, (rest, _) in mistakes.items()}
        for mistakes in (MISTAKES, LATER)
    ]
    typed[1] |= {name: words.split() for name, (words, _) in COMMANDS.items()}
    paths = os.pathsep.join([str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(typed), json.dumps(["numpy", "pyarrow", *HEAVY])],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", [*MISTAKES, *LATER, *COMMANDS])
def test_one_line_says_what_is_wrong(told, name):
    code, said = (told[0][1] | told[1][1])[name]
    assert code == 2
    assert said.startswith("qpfs: ")
    assert said.count("\n") == 1
    assert (MISTAKES | LATER | COMMANDS)[name][1] in said


def test_nothing_heavy_is_imported_for_them(told):
    assert told[0][0] == []


def test_no_selector_is_imported_for_what_is_wrong_with_the_data(told):
    assert not {*told[1][0]} & {*HEAVY}


def test_what_a_docstring_lists_is_what_is_registered():
    """By which a name is refused before the parts are imported."""
    for parameter, (method, registry) in {
        "measure": ("qpfs", MEASURES),
        "clusterer": ("two-level", CLUSTERERS),
        "discard": ("interleaved", DISCARDS),
    }.items():
        words = parameters_of(method)[parameter].words()
        assert {*words} - {"auto", "none"} == {*registry.ours}


def test_measures_without_levels_are_those_that_the_table_lists():
    """By which a rule for levels is refused before the measures are imported."""
    forms = {name: measure.form.name for name, measure in MEASURES.ours.items()}
    assert {name: form for name, form in forms.items() if form != "levels"} == UNDISCRETISED


def test_what_a_store_keeps_is_what_it_has_a_layout_for():
    """By which another measure is refused before anything of stores is imported."""
    assert {*KEPT} == {*LAYOUTS}


@pytest.mark.parametrize("method", METHODS.ours)
def test_every_default_is_within_the_limits(method):
    limits = OF_METHODS.get(method, LIMITS)
    for name, parameter in parameters_of(method).items():
        if name in limits:
            limits[name](name, parameter.default)


def test_rules_for_levels_are_named_as_their_table_says():
    assert {name: rule.name for name, rule in DISCRETIZERS.items()} == {name: name for name in DISCRETIZERS}


def test_options_that_may_be_given_again_are(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c,t\n" + "1,2,3,x\n2,1,5,y\n" * 9)
    run = qpfs("select", tmp_path / "a.csv", "--target", "t", "--drop", "a", "--drop", "b", "--quiet", "-q")
    assert run.returncode == 0, run.stderr


def test_the_help_of_a_command_that_moved_has_the_way_there():
    said = " ".join(qpfs("paper", "--help", COLUMNS="200").stdout.split())
    assert "of the project, by its folder reproduction: make paper-quick, or make paper." in said


def test_without_anything_the_help_is_shown():
    run = qpfs()
    assert "select" in run.stdout + run.stderr
    assert "qpfs: " not in run.stderr
