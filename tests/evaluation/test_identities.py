"""What a selector is: told apart by code and values, the same in every process, or refused."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import threading
from functools import cache, partial, wraps
from types import ModuleType

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.apart import script

from qpfs import MRMR, MaxRel, TwoLevelFeatureKMeans, TwoLevelSelector
from qpfs.evaluation import compare, error_curve, identities
from qpfs.evaluation.identities import NoIdentityError, identity


def written(text, name="f", **given):
    """What a source defines under a name."""
    known = {"__name__": "theirs", **given}
    exec(compile(text, "theirs.py", "exec"), known)
    return known[name]


def scaled_by(factor):
    return lambda x: factor * x


def through(function):
    @wraps(function)
    def passed(*arguments):
        return function(*arguments)

    return passed


def class_with(body, **given):
    return written(f"class f:\n    {body}", **given)


PAIRS = {
    "lambdas": (lambda x: x + 1, lambda x: x - 1),
    "constants": (lambda x: x + 1, lambda x: x + 1.0),
    "closures": (scaled_by(2), scaled_by(3)),
    "closed over functions": (through(lambda x: x), through(lambda x: -x)),
    "edited": (written("def f(x): return x"), written("def f(x): return -x")),
    "names": (written("def f(x): return x.min()"), written("def f(x): return x.max()")),
    "defaults": (written("def f(x, k=1): return x"), written("def f(x, k=2): return x")),
    "keyword defaults": (written("def f(*, k=1): return k"), written("def f(*, k=2): return k")),
    "nested": (
        written("def f(x):\n    def g(): return 1\n    return g"),
        written("def f(x):\n    def g(): return 2\n    return g"),
    ),
    "globals": (written("def f(x): return x * K", K=1), written("def f(x): return x * K", K=2)),
    "global functions": (
        written("def g(): return 1\ndef f(x): return g()"),
        written("def g(): return 2\ndef f(x): return g()"),
    ),
    "globals of nested functions": (
        written("def f(x): return lambda: K", K=1),
        written("def f(x): return lambda: K", K=2),
    ),
    "functions with attributes": (
        written("def f(x): return x\nf.k = 1"),
        written("def f(x): return x\nf.k = 2"),
    ),
    "installed functions": (np.mean, np.median),
    "built-in functions": (len, abs),
    "ufuncs": (np.add, np.subtract),
    "partials": (partial(max, 1), partial(max, 2)),
    "partials of lambdas": (partial(lambda x: x, 1), partial(lambda x: -x, 1)),
    "bound methods": ([1].count, [2].count),
    "bound methods of ours": (MRMR(2).fit, MRMR(3).fit),
    "cached": (cache(lambda x: x), cache(lambda x: -x)),
    "classes of one name": (class_with("a = 1"), class_with("a = 2")),
    "methods": (class_with("def g(self): return 1"), class_with("def g(self): return 2")),
    "objects of such classes": (class_with("def g(self): return 1")(), class_with("def g(self): return 2")()),
    "inherited": (
        written("class f(B): pass", B=class_with("a = 1")),
        written("class f(B): pass", B=class_with("a = 2")),
    ),
    "properties": (
        class_with("a = property(lambda self: 1)"),
        class_with("a = property(lambda self: 2)"),
    ),
    "in a selector": (
        SelectKBest(lambda X, y: f_classif(X, y)),
        SelectKBest(lambda X, y: -f_classif(X, y)[0]),
    ),
    "keys": ({1: "a"}, {"1": "a"}),
    "truth and number": (True, 1),
    "large numbers": (10**30, str(10**30)),
    "list and tuple": ([1], (1,)),
    "object arrays": (np.array([len], object), np.array([abs], object)),
    "random states": (np.random.RandomState(0), np.random.RandomState(1)),
}


class Hidden:
    """Keeps what it was made with where parameters are not looked for."""

    def __init__(self, sign):
        self._sign = sign

    def __call__(self, X, y):
        return self._sign * f_classif(X, y)[0]


PAIRS["private attributes"] = (Hidden(1), Hidden(-1))


def frozen(sign):
    X, y = np.arange(6.0)[:, None] * [1, -1], np.arange(6) % 2
    return FrozenEstimator(make_pipeline(StandardScaler(), Ridge()).fit(X, sign * y))


PAIRS["what a copy keeps of a fit"] = (frozen(1), frozen(-1))


@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_what_differs_is_told_apart(one, other):
    assert identity(one, "it") == identity(one, "it")
    assert identity(one, "it") != identity(other, "it")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (written("def f(x): return x"), written("\n\n\ndef f(x):\n    return x  # further down")),
        (scaled_by(2), scaled_by(2)),
        (Hidden(1), Hidden(1)),
        (frozen(1), frozen(1)),
        (Ridge(), Ridge().fit([[1.0], [2.0]], [1.0, 2.0])),
        (MRMR(n_jobs=2), MRMR()),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.float64(0.5), 0.5),
        (class_with("def g(self): return 1"), class_with("def g(self): return 1")),
    ],
)
def test_what_is_equal_is_not(one, other):
    assert identity(one, "it") == identity(other, "it")


def test_what_refers_to_itself_and_what_is_shared_ends():
    ring = []
    ring.append(ring)
    even = written(
        "def f(n): return n == 0 or odd(n - 1)\ndef odd(n): return n != 0 and f(n - 1)",
    )
    many = "\n".join(f"def g{i}(x): return g{i + 1}(x) + g{i + 1}(-x)" for i in range(60))
    shared = written(f"{many}\ndef g60(x): return x\ndef f(x): return g0(x)")
    assert len({identity(one, "it") for one in (ring, even, shared)}) == 3


def own_module():
    module = ModuleType("theirs")
    module.score = lambda x: x
    return module


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (threading.Lock(), "_thread.lock"),
        ((one for one in ()), "generator"),
        (written("def f(x): return theirs.score(x)", theirs=own_module()), "the module 'theirs'"),
        (written("def f(x):\n    import theirs\n    return theirs.score(x)"), "the module 'theirs'"),
        (written("def f(x):\n    from .json import loads\n    return loads(x)"), "the module '.json'"),
        (lambda x: eval(x), r"calls eval\(\)"),
        (lambda x: globals()[x], r"calls globals\(\)"),
        (SelectKBest(partial(max, threading.Lock())), "_thread.lock"),
    ],
)
def test_what_cannot_be_told_is_refused(value, why):
    with pytest.raises(NoIdentityError, match=rf"methods\['m'\].*{why}.*leave records out"):
        identity(value, "methods['m']")


def test_what_is_nested_too_deeply_is_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(NoIdentityError, match="nested too deeply"):
        identity(deep, "it")


SCRIPT = """
from functools import partial
import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from qpfs import MRMR, TwoLevelFeatureKMeans, TwoLevelSelector
from qpfs.evaluation.identities import identity
WORDS = {"a", "b", "c", "d"}
def factor(X, y, k=frozenset("xyz")): return f_classif(X, y)[0] * len(WORDS | k)
class Score:
    def __init__(self): self.names = {"one", "two", "three"}
    def __call__(self, X, y): return [score(X, y) for score in (factor,)]
score = Score()
many = [SelectKBest(factor), SelectKBest(score), SelectKBest(lambda X, y: factor(X, y)),
        partial(factor, k=WORDS), TwoLevelSelector(TwoLevelFeatureKMeans(5), MRMR()),
        np.random.default_rng(3), score.__call__]
print([identity(one, "it") for one in many])
"""


def test_another_process_says_the_same(tmp_path, capsys):
    """Strings have other hashes there, and sets another order."""
    here, there = tmp_path / "here.py", tmp_path / "there.py"
    here.write_text(SCRIPT)
    there.write_text("\n" + SCRIPT)
    runpy.run_path(str(here), run_name="__main__")
    seed = next(seed for seed in "12" if seed != os.environ.get("PYTHONHASHSEED"))
    run = subprocess.run(
        [sys.executable, there],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    said = capsys.readouterr().out
    assert run.stdout == said
    assert said.count("sha256:") == 7


AS_A_SCRIPT = """
import runpy, sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1]).parent))
sys.modules.pop("profile", None)
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_a_module_beside_the_script_named_like_one_of_pythons_own_is_told_by_its_code(tmp_path):
    (tmp_path / "script.py").write_text(
        "from profile import score\n"
        "from qpfs.evaluation.identities import identity, installed\n"
        "assert all(map(installed, ('json', 'os', 'zlib', 'builtins', 'functools', '_functools', 'numpy')))\n"
        "print(identity(score, 'it'))\n"
        "import profile\n"
        "profile.score.__code__ = (lambda x: -x).__code__.replace(co_name='score', co_qualname='score')\n"
        "print(identity(score, 'it'))"
    )
    (tmp_path / "profile.py").write_text("def score(x): return x")
    run = script(AS_A_SCRIPT, tmp_path / "script.py")
    assert run.returncode == 0, run.stderr
    assert len(set(run.stdout.split())) == 2


def problem():
    rng = np.random.default_rng(0)
    y = np.arange(45) % 2
    X = rng.normal(size=(45, 5))
    X[:, 3] += 2 * y
    return X, y


def test_two_functions_of_one_name_keep_their_own_results(tmp_path):
    X, y = problem()
    clusterer = TwoLevelFeatureKMeans(3)
    methods = {
        "good": TwoLevelSelector(clusterer, criterion=lambda X, y: f_classif(X, y)[0]),
        "bad": TwoLevelSelector(clusterer, criterion=lambda X, y: -f_classif(X, y)[0]),
    }
    how = {"cv": 3, "inner_cv": 2, "sizes": [1, 2]}

    def errors(**more):
        return [one["nested"]["score"] for one in compare(methods, X, y, **how, **more).record["methods"]]

    alone = errors()
    assert alone[0] < alone[1]
    assert errors(records=tmp_path / "r.jsonl") == alone
    assert errors(records=tmp_path / "r.jsonl") == alone


class Unclear(BaseEstimator):
    def __init__(self, handle=None):
        self.handle = handle

    def fit(self, X, y):
        self.order_ = np.arange(X.shape[1])
        return self

    def predict(self, X):
        return np.zeros(len(X))


def test_a_run_that_could_not_be_known_again_is_refused_before_any_work(tmp_path):
    X, y = problem()
    path, unclear = tmp_path / "r.jsonl", Unclear(one for one in ())
    with pytest.raises(ValueError, match=r"methods\['u'\] holds .*leave records out"):
        compare({"m": MaxRel(), "u": unclear}, X, y, cv=3, records=path)
    with pytest.raises(ValueError, match=r"selector holds .*leave records out"):
        error_curve(unclear, X, y, records=path)
    with pytest.raises(ValueError, match=r"estimator holds .*leave records out"):
        error_curve(MaxRel(), X, y, estimator=unclear, records=path)
    assert not path.exists()


@pytest.mark.parametrize(("folder", "known"), [("site-packages", True), ("scripts", False)])
def test_packages_of_another_environment_on_the_path_are_installed(tmp_path, monkeypatch, folder, known):
    (tmp_path / folder / "shared_package").mkdir(parents=True)
    (tmp_path / folder / "shared_package" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / folder))
    identities.package_folders.cache_clear()
    assert identities.installed.__wrapped__("shared_package") is known
    identities.package_folders.cache_clear()
