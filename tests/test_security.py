"""What SECURITY.md promises: a file is data, whoever wrote it. Nothing in it is run, imported or followed."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.apart import script

from qpfs.data.formats import FORMATS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "qpfs"
pytestmark = pytest.mark.first
OWN = ("labels", "store", "draft", "records", "json")  # what is read beside the formats of tables
MODULE = """
from pathlib import Path

def run(*_):
    Path({marker!r}).touch()

run()
"""


@pytest.fixture(scope="session")
def watched(tmp_path_factory):
    """What was said and seen of each planted file, and of the controls, in a process of its own."""
    pytest.importorskip("anndata")
    pytest.importorskip("bed_reader")
    folder = tmp_path_factory.mktemp("planted")
    for name in ("given/tmp", "elsewhere", "modules"):
        (folder / name).mkdir(parents=True)
    (folder / "modules" / "planted.py").write_text(MODULE.format(marker=str(folder / "given" / "run")))
    code = (
        "import sys, tempfile\n"
        "sys.path.append(sys.argv.pop())\n"
        "tempfile.tempdir = sys.argv[1] + '/tmp'\n"
        "from tests.watched import main\n"
        "main(*sys.argv[1:])\n"
    )
    done = script(code, folder / "given", folder / "elsewhere", folder / "modules")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, found[-1:], done.stderr[-2000:])
    return found


def about(watched, kind):
    return [one for one in watched if re.match(rf"{kind}\b", one["name"])]


@pytest.mark.parametrize("kind", [*(form.name for form in FORMATS), *OWN])
def test_nothing_in_a_file_is_run_or_followed(watched, kind):
    """A format that has no planted file fails here: add one to `tests/planted_files.py`."""
    found = about(watched, kind)
    assert found
    for one in found:
        assert one["seen"] == [], one
        assert one["said"] == "read" or one["said"].startswith("refused: "), one


def test_what_is_planted_ran_nowhere(watched):
    assert about(watched, "marker") == [{"name": "marker", "said": "", "seen": []}]


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("a pickle", r"pickle\.find_class \('planted', 'run'\)"),
        ("a pickle", r"import \('planted'"),
        ("code", "exec .*<string>"),
        ("a file elsewhere", r"open .*secret\.txt"),
        pytest.param(
            "a library opens it",
            r"opened elsewhere: secret\.h5",
            marks=pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is of Linux"),
        ),
    ],
)
def test_it_would_have_been_seen(watched, name, seen):
    (control,) = about(watched, f"control: {name}")
    assert any(re.match(seen, one) for one in control["seen"]), control


def test_what_is_in_other_files_is_refused_for_that(watched):
    """And not because it happens not to be there."""
    found = [one["said"] for one in watched if "other file" in one["said"] or "another file" in one["said"]]
    assert len(found) >= 3 * 10  # files, each read three ways


# The source -----------------------------------------------------------------------------------------------

RUNS = re.compile(
    r"(eval|exec|compile|__import__|input)"
    r"|(pickle|_pickle|cloudpickle|dill|joblib|numpy|marshal|shelve|yaml|torch|pandas)"
    r"\.(load|loads|Unpickler|open|read_pickle|full_load|unsafe_load|fromfile)"
    r"|importlib\.(import_module|util\.find_spec|util\.module_from_spec|machinery\.SourceFileLoader)"
    r"|os\.(system|popen|startfile|exec\w+|spawn\w+|posix_spawn\w*)"
    r"|(subprocess|runpy|ctypes|multiprocessing|webbrowser|pty|socket|requests|http|ftplib)\..*"
    r"|urllib\.request\.(urlopen|urlretrieve|Request|build_opener)"
    r"|shutil\.unpack_archive|.*\.extract(all)?"
)
PARSES = re.compile(r"(xml|lxml|defusedxml|html\.parser|yaml|shelve|marshal|dill|cloudpickle|ctypes)(\..*)?")

# Each with the reason why what it is given comes from no file that a user names.
WINDOWS = "the memory that Windows tells of; nothing of a file reaches it"
CLOSED = {
    ("memory.py", "ctypes.byref"): WINDOWS,
    ("memory.py", "ctypes.sizeof"): WINDOWS,
    ("memory.py", "ctypes.c_void_p"): WINDOWS,
    ("memory.py", "ctypes.windll.kernel32.GlobalMemoryStatusEx"): WINDOWS,
    ("rooms.py", "importlib.import_module"): "names of the package, of a list",
    ("cli/commands.py", "importlib.import_module"): "commands, of a table",
    ("methods.py", "importlib.import_module"): "names of the package, of a table",
    ("data/opening.py", "importlib.import_module"): "a name of the package",
    ("report/comparison.py", "importlib.import_module"): "parts of scikit-learn, of its own list",
    ("registry.py", "importlib.import_module"): "parts of a list of ours",
    ("report/frames.py", "importlib.import_module"): "pandas or polars",
    ("evaluation/rivals.py", "importlib.import_module"): "packages of a list",
    ("evaluation/identities.py", "importlib.util.find_spec"): "modules of classes that are at hand",
    ("engines/calls.py", "pickle.loads"): "what this process has just pickled, to see whether it comes back",
    ("engines/packing.py", "pickle.loads"): "messages of a Dask cluster, which the user trusts",
    ("evaluation/measuring.py", "pickle.loads"): "a folder of its own, that nobody else may enter",
    ("evaluation/measuring.py", "joblib.load"): "a folder of its own, that nobody else may enter",
    ("evaluation/measuring.py", "subprocess.run"): "this Python, with a program of ours",
    ("npy.py", "numpy.load"): "never objects: see below",
}


@cache
def nodes(text):
    """All that a module is made of."""
    return [*ast.walk(ast.parse(text))]


@cache
def full_names(text):
    """What each name of a module stands for that was imported."""
    names = {}
    for node in nodes(text):
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                names[one.asname or first] = one.name if one.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return names


def dotted(node):
    """A name with what is looked up in it; what is no name is written out."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def called(text):
    """The functions that a module calls, by their full names where those are known."""
    names = full_names(text)
    calls = [dotted(node.func) for node in nodes(text) if isinstance(node, ast.Call)]
    parts = [call.partition(".") for call in calls]
    return {names.get(first, first) + dot + rest for first, dot, rest in parts}


def runs(text):
    return {name for name in called(text) if RUNS.fullmatch(name)}


def imported(text):
    return {*full_names(text).values()}


def objects_allowed(text):
    """Calls that read arrays and do not say that they hold no objects."""
    for node in nodes(text):
        if not isinstance(node, ast.Call):
            continue
        said = [one.value for one in node.keywords if one.arg == "allow_pickle"]
        reads = dotted(node.func).endswith(("np.load", "numpy.load", "read_array"))
        if (reads and not said) or any(not isinstance(one, ast.Constant) or one.value for one in said):
            yield ast.unparse(node)


MODULES = {path.relative_to(SOURCE).as_posix(): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}


def test_the_places_that_could_run_something_are_a_closed_list():
    assert {(name, call) for name, text in MODULES.items() for call in runs(text)} == set(CLOSED)


def test_no_reader_of_xml_or_of_objects_is_imported():
    assert {
        (name, one) for name, text in MODULES.items() for one in imported(text) if PARSES.fullmatch(one)
    } == {("memory.py", "ctypes")}  # see WINDOWS


def test_arrays_of_objects_are_never_read():
    assert [one for text in MODULES.values() for one in objects_allowed(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle\npickle.load(f)",
        "import pickle as p\np.loads(b)",
        "from pickle import loads as given\ngiven(b)",
        "from joblib import load\nload(path)",
        "import numpy as np\nnp.load(path)",
        "import importlib\nimportlib.import_module(name)",
        "eval(text)",
        "def f():\n    exec(text)",
        "import os\nos.system(text)",
        "import urllib.request\nurllib.request.urlopen(place)",
        "import pandas as pd\npd.read_pickle(path)",
        "archive.extractall()",
    ],
)
def test_such_a_place_would_be_found(text):
    assert len(runs(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["np.load(path)", "np.load(path, allow_pickle=True)", "format.read_array(file, allow_pickle=some)"],
)
def test_an_array_of_objects_would_be_found(text):
    assert len(list(objects_allowed(text))) == 1


def test_a_reader_of_xml_would_be_found():
    assert [one for one in imported("from xml.etree import ElementTree") if PARSES.fullmatch(one)]


# Beside the readers ---------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="rights of folders are of POSIX")
def test_the_folder_that_objects_are_passed_in_is_private(monkeypatch):
    """Whoever could write there could have a process of ours load a pickle of theirs."""
    import numpy as np

    from qpfs import MaxRel
    from qpfs.evaluation import measuring

    rights = []

    def looked_at(folder, name, timeout):
        rights.append(folder.stat().st_mode & 0o777)
        return measuring.Cost(0.0, 0.0)

    monkeypatch.setattr(measuring, "cost", looked_at)
    before = os.umask(0)
    try:
        measuring.measured(MaxRel(), np.eye(4), np.arange(4) % 2)
    finally:
        os.umask(before)
    assert rights == [0o700]


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_the_document_is_linked(document):
    assert "(SECURITY.md)" in (ROOT / document).read_text()
    assert (ROOT / "SECURITY.md").is_file()
