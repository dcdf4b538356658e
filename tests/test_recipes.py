"""Each recipe of `docs/recipes`, performed: one file and one line in a package outside the tree.

The parts then work under their names in the estimators, in the words of the report, in the command, and are
held to the laws.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.laws.same import assert_same

from qpfs import QPFS, InterleavedSelector, TwoLevelSelector
from qpfs.registry import PartWarning, Registry, every_point

pytestmark = pytest.mark.first
ROOT = Path(__file__).parents[1]
RECIPES = {  # the line that registers each part: its group, its name, and where it is
    "qpfs.measures": ("gini", "gini:GINI"),
    "qpfs.discretizers": ("tails", "tails:Tails"),
    "qpfs.methods": ("apart", "apart:METHOD"),
    "qpfs.tables": ("pressed", "pressed:PressedColumns"),
    "qpfs.clusterers": ("windows", "windows:Windows"),
    "qpfs.discards": ("light-half", "light_half:light_half"),
}


def install(folder, groups=RECIPES):
    """A package with the files of some recipes and their entry points, as pip would install it."""
    about = folder / "recipes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: recipes\nVersion: 1.0\n")
    lines = []
    for group in groups:
        name, place = RECIPES[group]
        shutil.copy2(ROOT / "docs" / "recipes" / f"{place.partition(':')[0]}.py", folder)
        lines += [f"[{group}]", f"{name} = {place}"]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder of installed packages with all recipes, and nothing else of this tree."""
    folder = tmp_path_factory.mktemp("site")
    install(folder)
    return folder


def run(site, *arguments, cwd, also=None):
    paths = map(str, filter(None, [site, also, os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


PROGRAM = """
import numpy as np
from sklearn.datasets import load_breast_cancer
import qpfs
from qpfs.codes import DISCRETIZERS
from qpfs.methods import METHODS
from pressed import Pressed
X, y = load_breast_cancer(return_X_y=True)
X = np.log2(X + 1)
rule, made = DISCRETIZERS["tails"](0.4), METHODS["apart"].selector(3)
for selector, table in [
    (qpfs.QPFS(3, measure="gini"), X),
    (qpfs.QPFS(3, discretizer=rule), X),
    (made, X),
    (qpfs.QPFS(3), Pressed(X)),
    (qpfs.TwoLevelSelector("windows", "apart"), X),
    (qpfs.InterleavedSelector("windows", "maxrel", "light-half", n_features_to_select=3), X),
]:
    fitted = selector.fit(table, y)
    page = fitted.report().html
    said = type(fitted).__name__, fitted.order_[:3].tolist(), len(page) > 10_000, fitted.account().text
    print(json.dumps(["estimators", 0, " ".join(map(str, said))]))
"""


def test_in_the_estimators_and_in_the_words_of_the_report(typed):
    gini, cut, apart, pressed, two_level, interleaved = typed[1]["estimators"]
    assert all(" True " in one for one in typed[1]["estimators"])  # there is a page
    assert "both measured by the symmetric Gini gain" in gini
    assert cut.startswith("QPFS [")
    assert "distance to the nearest one taken, both measured by mutual information" in apart
    X, y = load_breast_cancer(return_X_y=True)
    assert str(QPFS(3).fit(np.log2(X + 1), y).order_[:3].tolist()) in pressed
    assert "clustering similar features (windows)" in two_level
    assert "weighting the representative of each cluster (apart)" in two_level
    assert "(maxrel), alternately" in interleaved


COMMANDS = {  # what is asked for, and words of the page
    "a measure": (["--measure", "gini"], ["the symmetric Gini gain"]),
    "a rule": (["--levels", "tails:0.4"], ["low, middle and high, the ends with 40% of the range each"]),
    "a method": (["--method", "apart", "--top", "3"], ["Apart", "distance to the nearest one taken"]),
    "a parameter of its own": (
        ["--method", "apart", "--power", "0", "--top", "2"],
        ["power"],
    ),
    "a clusterer": (
        ["--method", "two-level", "--clusterer", "windows", "--criterion", "apart"],
        ["(windows)", "(apart)"],
    ),
    "a discard": (["--method", "interleaved:discard=light-half,criterion=maxrel"], ["(maxrel)"]),
}
TYPED = {
    **{name: ["select", "wdbc", *options, "--out", name] for name, (options, _) in COMMANDS.items()},
    "help": ["select", "--help"],
    "encode": ["encode", "wdbc", "--levels", "tails:0.4", "--out", "x.qpfs"],
    "from a store": ["select", "x.qpfs", "--top", "2"],
}
TYPING = """
import io, json, os, sys
from contextlib import redirect_stdout
from tests.cli.command import qpfs
for name, typed in json.loads(sys.argv[1]).items():
    run = qpfs(*typed)
    print(json.dumps([name, run.returncode, run.stdout + run.stderr]))
"""


LAWS = {
    "test_measures.py": "gini",
    "test_discretizers.py": "tails or Tails",
    "test_selectors.py": "apart",
    "test_kinds.py": "PressedColumns",
    "test_framework.py": "(windows and one_round) or (apart and one_round) or (light-half and in_turns)",
}
QUICK_LAWS = LAWS | {  # every loop is compiled for a new measure in tests/selectors/test_own_measure.py
    "test_measures.py": "gini and (slow_twin or symmetric or convex or constant or words)"
}
CHOSEN = [*(f"tests/laws/{file}" for file in LAWS), "-m", "not slow"]
CHOSEN += ["-k", " or ".join(f"({file} and ({parts}))" for file, parts in QUICK_LAWS.items())]
HOLDING = """
import pytest
os.chdir(sys.argv[2])
with redirect_stdout(io.StringIO()) as said:
    code = pytest.main(sys.argv[3:])
print(json.dumps(["laws", 0, [int(code), said.getvalue()]]))
"""


def held_to(chosen, pytestconfig):
    """The arguments of pytest in a process that has the recipes, for some laws."""
    warnings = [f"-W{one}" for one in pytestconfig.getoption("pythonwarnings") or []]
    return [*warnings, "-p", "no:xdist", "-p", "no:cacheprovider", "-q", *chosen]


def n_passed(said):
    return int(said.split(" passed")[0].split()[-1])


@pytest.fixture(scope="session")
def typed(site, tmp_path_factory, pytestconfig):
    """The folder where commands were typed, and what they, the program and the laws said.

    All in one process, which is slow to begin.
    """
    folder = tmp_path_factory.mktemp("typed")
    found = {"estimators": []}
    typing = [TYPING + PROGRAM + HOLDING, json.dumps(TYPED), str(ROOT), *held_to(CHOSEN, pytestconfig)]
    for line in run(site, "-c", *typing, cwd=folder, also=ROOT).splitlines():
        name, code, said = json.loads(line)
        assert code == 0, said
        if name in found:
            found[name].append(said)
        else:
            found[name] = said
    return folder, found


@pytest.mark.parametrize("name", COMMANDS)
def test_in_the_command(typed, name):
    page = (typed[0] / name / "report.html").read_text(encoding="utf-8")
    for word in COMMANDS[name][1]:
        assert word in page


def test_a_parameter_of_its_own_has_an_option_by_itself(typed):
    record = json.loads((typed[0] / "a parameter of its own" / "selection.json").read_text(encoding="utf-8"))
    assert record["method"]["parameters"]["power"] == 0


def test_in_the_help_of_the_command(typed):
    said = " ".join(typed[1]["help"].replace("│", "").split())
    assert "apart: relevant features far from each other." in said
    text = "How much the distance to the nearest feature taken counts: its exponent. (apart) [default: 1.0]"
    assert re.search(rf"--power NUMBER {re.escape(text)}", said)
    assert "[default: auto, mi (apart)]" in said  # of --measure


def test_a_store_is_encoded_by_a_new_rule(typed):
    assert "low, middle and high" in typed[1]["from a store"]


def test_they_are_held_to_the_laws(typed):
    code, said = typed[1]["laws"]
    assert code == 0, said
    assert n_passed(said) >= 4 * len(LAWS)


@pytest.mark.slow
@pytest.mark.parametrize("file", LAWS)
def test_they_are_held_to_all_laws_of_a_file(site, file, pytestconfig):
    asked = held_to([f"tests/laws/{file}", "-k", LAWS[file]], pytestconfig)
    assert n_passed(run(site, "-m", "pytest", *asked, cwd=ROOT)) >= 4


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A package whose parts cannot be had: one that fails, and one whose name is taken."""
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[qpfs.broken]\nmissing = nowhere:PART\nmi = math:pi\ngood = math:e\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    every_point.cache_clear()
    yield
    every_point.cache_clear()


def test_a_part_that_cannot_be_had_is_said_and_left_out(broken):
    parts = Registry("qpfs.broken", {"mi": 1})
    assert parts["mi"] == 1
    with pytest.warns(PartWarning) as noted:
        assert list(parts) == ["mi", "good"]
    said = sorted(str(one.message) for one in noted)
    assert (
        "'mi', registered under qpfs.broken as math:pi, is left out: ValueError: that name is taken"
        in said[0]
    )
    assert "'missing'" in said[1]
    assert "No module named 'nowhere'" in said[1]
    assert len(parts) == 2


def test_parts_by_name_are_those_of_the_same_kind():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), np.arange(60) % 2
    from qpfs import FeatureKMeans, MaxRel, TwoLevelFeatureKMeans

    named = TwoLevelSelector("two-level-kmeans", "maxrel").fit(X, y)
    assert_same(named.scores_, TwoLevelSelector(TwoLevelFeatureKMeans(), MaxRel()).fit(X, y).scores_)
    named = InterleavedSelector("kmeans", "qpfs").fit(X, y)
    assert_same(named.scores_, InterleavedSelector(FeatureKMeans(), QPFS()).fit(X, y).scores_)
    for wrong in ({"clusterer": "nobody"}, {"criterion": "nobody"}, {"criterion": "fgm"}, {"discard": "all"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            InterleavedSelector(**wrong).fit(X, y)
