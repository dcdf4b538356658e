"""Drawn problems: tables of every kind of column with a target, selectors with any of their parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.feature_selection import f_classif

from qpfs import (
    CMIM,
    FGM,
    GDM,
    IKMAQPFS,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    TLKMQPFS,
    AsCodes,
    EqualFrequency,
    EqualWidth,
    FeatureKMeans,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    ThreeSegments,
    TwoLevelFeatureKMeans,
    TwoLevelSelector,
)
from qpfs.information import MEASURES

COLUMNS = {
    "reals": lambda rng, n: rng.normal(size=n),
    "few reals": lambda rng, n: rng.choice([0.1, 0.2, 0.7, -0.3], n),
    "integers": lambda rng, n: rng.integers(-9, 40, n).astype(float),
    "codes": lambda rng, n: rng.integers(0, 3, n).astype(float),
    "two values": lambda rng, n: np.arange(n) % 2 * 1.0,
    "mostly zero": lambda rng, n: rng.poisson(0.1, n) * rng.normal(size=n),
    "signed zeros": lambda rng, n: rng.choice([0.0, -0.0, 1.0], n),
    "constant": lambda rng, n: np.full(n, rng.normal()),
    "huge": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-150, 150, n),
    "tiny steps": lambda rng, n: 1 + rng.integers(0, 4, n) * 2.0**-50,
    "one apart": lambda rng, n: (np.arange(n) == n // 2) * 1.0,
}
TARGETS = {
    "two classes": lambda rng, n: rng.permutation(np.arange(n) % 2),
    "three texts": lambda rng, n: np.array(["a", "b", "ü"])[rng.permutation(np.arange(n) % 3)],
    "truth": lambda rng, n: rng.permutation(np.arange(n) % 2).astype(bool),
    "many classes": lambda rng, n: rng.permutation(np.arange(n) % max(2, min(n // 3, 30))),
    "quantity": lambda rng, n: np.append(rng.normal(size=n - 1), 0.5),
    "floats that are classes": lambda rng, n: rng.permutation(np.arange(n) % 2) * 1.0,
}
SEVERAL = "several targets"


def several(rng, n):
    """Two or three targets of any kinds side by side, each value of its own type."""
    kinds = rng.choice(sorted(TARGETS), rng.integers(2, 4))
    columns = [TARGETS[kind](rng, n).tolist() for kind in kinds]
    return np.array(list(zip(*columns, strict=True)), object)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table of numbers, its target, and where they came from."""

    X: Any
    y: Any
    kind: str  # of the target
    says: str

    def __repr__(self):
        return self.says


@st.composite
def tables(draw, most_samples=130, most_features=24):
    """Any mixture of columns, some of them repeated, some about the target, some with missing values."""
    seed = draw(st.integers(0, 2**32 - 1))
    n, m = draw(st.integers(4, most_samples)), draw(st.integers(1, most_features))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4))
    kind = draw(st.sampled_from([*sorted(TARGETS), SEVERAL]))
    missing = draw(st.sampled_from([0.0, 0.0, 0.05, 0.5]))
    repeated, told = draw(st.booleans()), draw(st.booleans())
    rng = np.random.default_rng(seed)
    y = (several if kind == SEVERAL else TARGETS[kind])(rng, n)
    X = np.stack([COLUMNS[kinds[j % len(kinds)]](rng, n) for j in range(m)], axis=1)
    if repeated:
        X[:, m // 2 :] = X[:, : m - m // 2]
    if told:
        X[:, 0] += np.unique((y[:, 0] if kind == SEVERAL else y).astype(str), return_inverse=True)[1]
    X[rng.random(X.shape) < missing] = np.nan
    return Drawn(
        X, y, kind, f"{n} x {m} of {kinds}, {kind}, {missing} missing, {repeated=}, {told=}, {seed=}"
    )


RULES = (None, None, ThreeSegments(0.5), EqualWidth(4), EqualFrequency(3), AsCodes(60))
MEASURED = ("mi", "mi", *MEASURES.ours)
ORDER = {"order": ("nearest", "weight")}
WANTED = (None, 1, 2, 5, 0.5, 1.0)
SHARED = {"n_features_to_select": WANTED, "measure": MEASURED, "discretizer": RULES}
THETA = {"theta": ("auto", "auto", 0, 0.1, 0.5, 0.9, 1)}
CLUSTERED = ORDER | {
    "init": ("leaders", "relevance", "first", "random", "farthest"),
    "representative": ("mean", "mean", "medoid"),
    "random_state": (0, 7),
}
SPLITTING = {
    "radius": ("auto", 0.2, 0.8, 1.0),
    "n_first": (2, 3, 15),
    "n_split": (2, 15),
    "max_depth": (None, 1, 3),
}
LINEAR = {
    "n_features_to_select": WANTED,
    "n_per_step": (1, 5),
    "C": (0.1, 1.0, 10.0),
    "loss": ("squared_hinge", "logistic"),
    "max_iter": (1, 20),
    "fit_intercept": (True, False),
}
CLUSTERERS = (None, FeatureKMeans(3), TwoLevelFeatureKMeans(4), KMeans(2, n_init=1, random_state=0))
CRITERIA = (None, QPFS(theta=0.5), MRMR(2), MaxRel(), f_classif)
PARAMETERS = {
    QPFS: SHARED | THETA | ORDER | {"n_starts": (1, 3)},
    NystromQPFS: SHARED | THETA | {"sampling_rate": (0.1, 0.5, 1.0), "diagonal_correction": (True, False)},
    MaxRel: SHARED,
    JMI: {"n_features_to_select": WANTED, "discretizer": RULES},
    CMIM: {"n_features_to_select": WANTED, "discretizer": RULES},
    MRMR: SHARED | {"scheme": ("difference", "quotient", "nearest")},
    TLKMQPFS: SHARED
    | THETA
    | CLUSTERED
    | {"n_clusters": (2, 5, 100), "radius": ("auto", None), "repeat": (True, False)},
    IKMQPFS: SHARED | THETA | CLUSTERED | SPLITTING,
    IKMAQPFS: SHARED | THETA | CLUSTERED | SPLITTING,
    TwoLevelSelector: SHARED | {"clusterer": CLUSTERERS, "criterion": CRITERIA},
    InterleavedSelector: SHARED
    | SPLITTING
    | {"clusterer": CLUSTERERS[:2], "criterion": CRITERIA[:4], "discard": ("careful", "aggressive")},
    FGM: LINEAR,
    GDM: LINEAR | {"max_correlation": (0.3, 0.9)},
}


@st.composite
def selectors(draw, kinds=tuple(PARAMETERS)):
    """Any selector with up to four of its parameters other than by default."""
    kind = draw(st.sampled_from(kinds))
    names = draw(st.lists(st.sampled_from(sorted(PARAMETERS[kind])), unique=True, max_size=4))
    return kind(**{name: draw(st.sampled_from(PARAMETERS[kind][name])) for name in names})
