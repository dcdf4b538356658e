"""What all tests share."""

from __future__ import annotations

import gc
import os
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn skips one of its checks without it
os.environ.setdefault("MPLBACKEND", "Agg")  # figures without a screen
os.environ.setdefault("OMP_NUM_THREADS", "1")  # products of small matrices gain nothing by threads that wait

import numpy as np
import pytest
from hypothesis import settings
from tests.shuffles import shuffle_less

from qpfs import compiled

FOLDER = Path(os.environ.get("QPFS_DATA", Path(__file__).parents[2] / "shared" / "data"))

settings.register_profile("quick", settings.default, max_examples=5)
settings.register_profile("thorough", settings.default, max_examples=100)


def pytest_configure(config):
    """Fewer examples where slow tests are left out; `--hypothesis-profile` has the last word."""
    compiled.Promptness.allowed = False  # it is compiled code that is tested, but for its twin in Python
    settings.load_profile("quick" if "not slow" in config.getoption("markexpr") else "thorough")


@pytest.fixture(scope="module", autouse=True)
def fewer_shuffles(pytestconfig):
    with pytest.MonkeyPatch.context() as patch:
        if "not slow" in pytestconfig.getoption("markexpr"):
            shuffle_less(patch)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays to the end, so nothing looks through it for what could be freed."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Tests have no examples in their docstrings, where looking for them takes a while."""
    return [one for one in (yield) if type(one).__name__ != "DoctestModule"]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, obj):
    """Functions that are slow as a whole are not looked at where slow tests are left out."""
    marks = getattr(obj, "pytestmark", ())
    left_out = isinstance(marks, list) and any(mark.name == "slow" for mark in marks)
    return [] if left_out and collector.config.getoption("markexpr") == "not slow" else None


def pytest_collection_modifyitems(items):
    """Slow tests may take longer before they count as hanging; some tests are begun first."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(1800))


@pytest.fixture
def benchmark_data():
    """Reads a set of the benchmark data by name; skips, saying so, where the folder is not at hand."""
    if not (FOLDER / "README.md").exists():
        pytest.skip(f"no benchmark data in {FOLDER.name}: set QPFS_DATA to the folder that holds it")

    def read(name: str):
        with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as arrays:
            return arrays["X"], arrays["y"]

    return read


@pytest.fixture
def microarray():
    """60 x 300: latent factors, noise, and 20 features shifted between two classes."""
    return latent_factors(60, 300)


def latent_factors(n_samples: int, n_features: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 10)) @ rng.normal(size=(10, n_features))
    X += 2 * rng.normal(size=X.shape)
    y = rng.integers(0, 2, n_samples)
    X[:, :20] += 2 * y[:, None]
    return X, y
