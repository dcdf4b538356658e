"""A comparison record as a page can show it: complete, though methods may have failed, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

from qpfs.report.names import clipped
from qpfs.wording import counted

METHOD = ("failed", "nested", "best", "smallest", "ranked", "seconds", "memory_mb", "stability")
DATA = ("source", "target", "checksum")
PROTOCOL = ("outer", "inner", "repeats", "estimator", "scoring", "groups", "sizes")
ESTIMATORS = {  # what a class is, and the parameter that matters
    "LinearSVC": ("linear support vector machine", "C"),
    "SVC": ("support vector machine", "C"),
    "LogisticRegression": ("logistic regression", "C"),
    "Ridge": ("ridge regression", "alpha"),
    "RandomForestClassifier": ("random forest", "n_estimators"),
    "KNeighborsClassifier": ("nearest neighbours", "n_neighbors"),
}
SCALES = {"minmax": "features scaled to [−1, 1]", "standard": "features standardised"}


def completed(comparison: Mapping[str, Any]) -> dict[str, Any]:
    """The record with None for what it does not say, and its protocol in words."""
    protocol = {**dict.fromkeys(PROTOCOL), **comparison["protocol"]}
    return {
        "command": None,
        **comparison,
        "versions": {"qpfs": comparison.get("qpfs"), **(comparison.get("versions") or {})},
        "data": {**dict.fromkeys(DATA), **comparison["data"]},
        "protocol": {
            **protocol,
            "outer": splits_words(protocol["outer"]),
            "inner": splits_words(protocol["inner"]),
            "estimator": judge_words(protocol["estimator"]),
            "groups": in_words(protocol["groups"]),
        },
        "most_asked": max(protocol["sizes"] or all_sizes(comparison["methods"]), default=0),
        "methods": [
            {**dict.fromkeys(METHOD), "curve": [], "often": [], **method, "title": clipped(method["title"])}
            for method in comparison["methods"]
        ],
        "baselines": [one for one in comparison.get("baselines") or [] if one.get("error") is not None],
    }


def all_sizes(methods: list[Mapping[str, Any]]) -> list[int]:
    """The numbers of features on all curves."""
    return [point["k"] for method in methods for point in method.get("curve", ())]


def splits_words(said: Any) -> Any:
    """A way to divide samples, as it is commonly called."""
    if not isinstance(said, Mapping):
        return in_words(said)
    kind, train = said.get("splits"), said.get("train")
    if kind == "LeaveOneOut":
        return "leave-one-out"
    if kind == "GivenSplit" and isinstance(said.get("test"), list):
        return f"the given split, {counted(len(said['test']), 'sample')} tested"
    if kind == "Folds" and "n_folds" in said:
        often = f"{said['repeats']} repeats" if said.get("repeats", 1) != 1 else None
        return joined(f"{said['n_folds']}-fold cross-validation", stratified(said), often, seed(said))
    if kind == "RandomSplits" and isinstance(train, float):
        share = f"{100 * train:g} % to learn from"
        return joined(f"{said.get('n_splits')} random splits", share, stratified(said), seed(said))
    return in_words(said)


def stratified(said: Mapping[str, Any]) -> str | None:
    return "stratified" if said.get("stratified") else None


def seed(said: Mapping[str, Any]) -> str | None:
    return None if said.get("seed") is None else f"seed {said['seed']}"


def joined(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def judge_words(said: Any) -> Any:
    """What was taught on the top features, and how these were scaled."""
    if not isinstance(said, Mapping) or "classifier" not in said:
        return estimator_words(said)
    return joined(estimator_words(said["classifier"]), SCALES.get(str(said.get("scale"))))


def estimator_words(said: Any) -> Any:
    """An estimator by what it is and the parameter that matters, or by its class and what was changed."""
    if not isinstance(said, Mapping) or "class" not in said:
        return in_words(said)
    name = str(said["class"]).rpartition(".")[2]
    given = said.get("parameters")
    given = given if isinstance(given, Mapping) else {}
    if name in ESTIMATORS and str(said["class"]).startswith("sklearn."):
        title, key = ESTIMATORS[name]
        return f"{title} ({joined(name, f'{key} {given[key]}' if key in given else None)})"
    usual = defaults(str(said["class"]))
    changed = [
        f"{key} {'no' if one is False else in_words(one)}"
        for key, one in given.items()
        if one != usual.get(key)
    ]
    return f"{name} ({joined(*changed)})" if changed else name


def defaults(place: str) -> dict[str, Any]:
    """What the parameters of a scikit-learn class are if not given; of other classes nothing is known.

    A record may come from anyone: what is imported is a part that scikit-learn itself lists.
    """
    package, part, *_ = [*place.split("."), ""]
    name = place.rpartition(".")[2]
    if package != "sklearn":
        return {}
    from sklearn import __all__ as parts

    try:
        found = getattr(import_module(f"sklearn.{part}"), name) if part in parts else None
        parameters = signature(found).parameters.values() if isinstance(found, type) else ()
    except (ImportError, AttributeError, TypeError, ValueError):
        return {}
    return {one.name: one.default for one in parameters if one.default is not Parameter.empty}


def in_words(value: Any) -> Any:
    """A description made of parts as one line; what is simple stays so, and what says nothing is left out."""
    if isinstance(value, Mapping):
        parts = [f"{key} {in_words(one)}" for key, one in value.items() if one not in (None, {}, [], False)]
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(str(in_words(one)) for one in value)
    return {True: "yes", False: None}[value] if isinstance(value, bool) else value
