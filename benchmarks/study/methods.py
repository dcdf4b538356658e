"""The methods of the study: ours in every variant that a default could be, and the rivals.

Every parameter that matters is given, so that a variant stays what it is when a default is changed. A name is
the method, its measure (`mi3` stands for three equal-frequency bins, `mi-pub` for the published ones at mean
plus and minus sigma) and then what differs from the method's base form.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.study import rivals
from benchmarks.study.rivals import N_ORDER, Order
from qpfs import (
    CMIM,
    IKMAQPFS,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    TLKMQPFS,
    EqualFrequency,
    EqualWidth,
    MaxRel,
    ThreeSegments,
)
from qpfs.criteria import Redundancy
from qpfs.information import Rank
from qpfs.program import theta_path

MEASURES: dict[str, dict[str, Any]] = {
    "rank": {"measure": Rank(1), "discretizer": None},
    "rank2": {"measure": Rank(2), "discretizer": None},
    "correlation": {"measure": "correlation", "discretizer": None},
    "chi2-3": {"measure": "chi2", "discretizer": EqualFrequency(3)},
    "mi-pub": {"measure": "mi", "discretizer": ThreeSegments()},
    "mi-width3": {"measure": "mi", "discretizer": EqualWidth(3)},
    "mi2": {"measure": "mi", "discretizer": EqualFrequency(2)},
    "mi3": {"measure": "mi", "discretizer": EqualFrequency(3)},
    "mi4": {"measure": "mi", "discretizer": EqualFrequency(4)},
    "mi5": {"measure": "mi", "discretizer": EqualFrequency(5)},
}
N_STEPS = 40  # of theta along a path


@dataclass(frozen=True)
class Method:
    """A way to rank features; `cost` orders the work, cheapest first."""

    name: str
    order: Callable[[Any, Any], Order]
    cost: int = 0
    headline: bool = False

    @property
    def missing(self) -> str | None:
        return rivals.missing(self.name)


# --- the order of the first k -----------------------------------------------------------------------------


def as_it_comes(selector: Any, X: Any) -> Order:
    return selector.order_


def by_mean(selector: Any, X: Any) -> Order:
    """The features with weight one by one, by relevance less mean redundancy with those taken, as in mRMR."""
    order = selector.order_
    support = np.sort(order[selector.scores_[order] > 0])
    s, Q = selector.relevance_[support], selector.fitted_.table.between(support, support)
    taken = [int(np.argmax(s))]
    while len(taken) < len(support):
        value = s - Q[taken].mean(axis=0)
        value[taken] = -np.inf
        taken.append(int(np.argmax(value)))
    return np.concatenate((support[taken], order[len(support) :]))


def by_entry(selector: Any, X: Any) -> Order:
    """In the order in which features first carry weight as theta falls from 1 to where it was."""
    table = selector.fitted_.table
    features = table.varying
    thetas = np.linspace(1.0, selector.theta_, N_STEPS)
    entered: dict[int, None] = {}
    for solution in theta_path(Redundancy(table, features), selector.relevance_[features], thetas):
        entered.update(dict.fromkeys(features[solution.order()[: len(solution.support)]].tolist()))
    entered.update(dict.fromkeys(selector.order_.tolist()))
    return np.array(list(entered))


ORDERS = {"": as_it_comes, "nearest": as_it_comes, "mean": by_mean, "path": by_entry}


def own_order(order: str) -> str:
    """The order that a selector has itself."""
    return "nearest" if order == "nearest" else "weight"


def fitted_order(make: Callable[[], Any], arrange: Callable[..., Order], X: Any, y: Any) -> Order:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer features than asked for are counted here
        selector = make().fit(X, y)
        return arrange(selector, X)[:N_ORDER]


def ours(name: str, order: str, make: Callable[[], Any], headline: bool = False, cost: int = 0) -> Method:
    full = f"{name} {order}".strip()
    return Method(full, partial(fitted_order, make, ORDERS[order]), cost, headline)


# --- ours --------------------------------------------------------------------------------------------------


def qpfs(measure: str, theta: Any = "auto", order: str = "", headline: bool = False) -> Method:
    fixed = {"n_starts": 1, "random_state": 0, "n_jobs": 1}
    make = partial(QPFS, theta=theta, order=own_order(order), **fixed, **MEASURES[measure])
    shown = "" if theta == "auto" else f" theta={theta}"
    return ours(f"QPFS {measure}{shown}", order, make, headline, cost=1)


def mrmr(measure: str, scheme: str, headline: bool = False) -> Method:
    make = partial(Limited, MRMR, scheme=scheme, n_jobs=1, **MEASURES[measure])
    return ours(f"MRMR {measure} {scheme}", "", make, headline)


def relevance(measure: str, headline: bool = False) -> Method:
    return ours(f"MaxRel {measure}", "", partial(MaxRel, n_jobs=1, **MEASURES[measure]), headline)


def conditional(kind: type, measure: str, headline: bool = False) -> Method:
    rule = MEASURES[measure]["discretizer"]
    return ours(
        f"{kind.__name__} {measure}", "", partial(Limited, kind, discretizer=rule, n_jobs=1), headline
    )


class Limited:
    """A greedy selector asked for 50 features, or for all if there are fewer."""

    def __init__(self, kind: type, **parameters: Any) -> None:
        self.kind, self.parameters = kind, parameters

    def fit(self, X: Any, y: Any) -> Any:
        return self.kind(min(N_ORDER, X.shape[1]), **self.parameters).fit(X, y)


class Fitting:
    """A clustered selector whose numbers of clusters are at most that of the features."""

    def __init__(self, kind: type, **parameters: Any) -> None:
        self.kind, self.parameters = kind, parameters

    def fit(self, X: Any, y: Any) -> Any:
        counts = {
            name: min(value, X.shape[1])
            for name, value in self.parameters.items()
            if name in ("n_first", "n_clusters") and value is not None
        }
        return self.kind(**self.parameters | counts).fit(X, y)


CLUSTERED = {"IKM": IKMQPFS, "IKMA": IKMAQPFS}
FIXED = {"theta": "auto", "representative": "mean", "random_state": 0, "n_jobs": 1}


def turns(
    kind: str,
    measure: str,
    init: str = "relevance",
    radius: float = 0.4,
    n_first: int = 100,
    n_split: int = 50,
    order: str = "nearest",
    headline: bool = False,
) -> Method:
    """IKM or IKMA: clustering and the program in turns."""
    make = partial(
        Fitting,
        CLUSTERED[kind],
        init=init,
        radius=radius,
        n_first=n_first,
        n_split=n_split,
        max_depth=None,
        order=own_order(order),
        **FIXED,
        **MEASURES[measure],
    )
    return ours(f"{kind} {measure} {init} r{radius} f{n_first} s{n_split}", order, make, headline, cost=1)


def levels(
    measure: str,
    init: str = "relevance",
    n_clusters: int = 200,
    n_first: int | None = None,
    radius: float | None = None,
    order: str = "nearest",
    headline: bool = False,
) -> Method:
    """TLKM: two levels of clusters, then the program."""
    make = partial(
        Fitting,
        TLKMQPFS,
        init=init,
        n_clusters=n_clusters,
        n_first=n_first,
        radius=radius,
        repeat=False,
        order=own_order(order),
        **FIXED,
        **MEASURES[measure],
    )
    moved = ("" if n_first is None else f" f{n_first}") + ("" if radius is None else f" r{radius}")
    return ours(f"TLKM {measure} {init} c{n_clusters}{moved}", order, make, headline, cost=1)


# --- the lists ---------------------------------------------------------------------------------------------

PUBLISHED = {"init": "leaders", "radius": 0.8, "n_first": 15, "n_split": 15, "order": ""}


def candidates() -> list[Method]:
    """Ours, at the values that an earlier look found best."""
    return [
        mrmr("rank", "difference", headline=True),
        mrmr("rank", "nearest", headline=True),
        relevance("rank", headline=True),
        conditional(JMI, "mi3", headline=True),
        conditional(CMIM, "mi3", headline=True),
        qpfs("rank", order="nearest", headline=True),
        turns("IKM", "rank", headline=True),
        turns("IKMA", "rank", headline=True),
        levels("rank", n_first=100, radius=0.4, headline=True),
    ]


def published() -> list[Method]:
    """Ours, as published."""
    return [
        mrmr("mi-pub", "difference", headline=True),
        relevance("mi-pub", headline=True),
        qpfs("mi-pub", headline=True),
        turns("IKM", "mi-pub", **PUBLISHED, headline=True),
        turns("IKMA", "mi-pub", **PUBLISHED, headline=True),
        levels("mi-pub", init="leaders", n_clusters=100, order="", headline=True),
    ]


def competitors() -> list[Method]:
    listed = (
        ("F test", rivals.f_test, 0),
        ("L1", rivals.l1, 2),
        ("fastcan", rivals.fast_can, 2),
        ("ReliefF", rivals.relief, 2),
        ("forest", rivals.forest, 3),
        ("RFE", rivals.rfe, 3),
        ("HSIC Lasso", rivals.hsic_lasso, 4),
    )
    return [Method(name, order, cost, headline=True) for name, order, cost in listed]


def variants() -> list[Method]:
    """Ours with one or two parameters moved."""
    bins = ("mi2", "mi3", "mi4", "mi5", "mi-width3", "mi-pub")
    found = [qpfs(measure, order=order) for measure in ("rank", "rank2", *bins) for order in ("", "nearest")]
    found += [
        qpfs(measure, order=order) for measure in ("correlation", "chi2-3") for order in ("", "nearest")
    ]
    found += [qpfs("rank", theta=theta, order=order) for theta in (0.3, 0.7) for order in ("", "nearest")]
    found += [qpfs("mi3", theta=theta, order="nearest") for theta in (0.3, 0.7)]
    found += [qpfs(measure, order=order) for order in ("path", "mean") for measure in ("rank", "mi3")]
    schemes = ("difference", "quotient", "nearest")
    found += [mrmr(measure, scheme) for measure in ("rank", "mi3", "mi-pub", "rank2") for scheme in schemes]
    found += [relevance("mi3"), *(conditional(kind, "mi-pub") for kind in (JMI, CMIM))]
    found += [conditional(JMI, "mi4"), conditional(CMIM, "mi2"), conditional(JMI, "mi2")]
    for kind in CLUSTERED:
        found += [turns(kind, "mi3", **PUBLISHED), turns(kind, "mi3", **PUBLISHED | {"order": "nearest"})]
        found += [turns(kind, "mi3", radius=0.8), turns(kind, "rank", order="")]
        found += [turns(kind, "rank", order="mean")]
        found += [turns(kind, "rank", **PUBLISHED | {"radius": 0.4})]
        found += [turns(kind, "rank", init="leaders")]
        found += [turns(kind, "rank", radius=radius) for radius in (0.3, 0.5, 0.6, 0.8)]
        found += [turns(kind, "rank", init="leaders", radius=radius) for radius in (0.3, 0.5, 0.6)]
        found += [turns(kind, "rank", n_first=n) for n in (15, 50, 200)]
        found += [turns(kind, "rank", n_split=n) for n in (5, 15)]
        found += [turns(kind, "rank", n_first=15, n_split=15), turns(kind, "rank", n_first=50, n_split=15)]
    for measure in ("rank", "mi3"):
        for init in ("relevance", "leaders"):
            found += [levels(measure, init, n) for n in (100, 200)]
    found += [levels("mi3", "leaders", 100, order=""), levels("rank", "relevance", 200, order="")]
    found += [levels("rank", order="mean")]
    found += [levels("rank", n_first=100, radius=0.4, order=order) for order in ("", "mean")]
    found += [levels("rank", n_clusters=n) for n in (50, 200, 400)]
    found += [levels("rank", n_first=100, radius=radius) for radius in (0.3, 0.4, 0.5)]
    found += [levels("rank", n_first=100), levels("rank", n_first=50)]
    found += [levels("rank", n_clusters=100, n_first=100, radius=radius) for radius in (0.3, 0.4, 0.5)]
    return found


def all_methods() -> list[Method]:
    """Every method once, the headline first."""
    listed = [*candidates(), *published(), *competitors(), *variants()]
    once: dict[str, Method] = {}
    for method in listed:
        once.setdefault(method.name, method)
    return list(once.values())
