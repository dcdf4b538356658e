"""A comparison record prepared for a page: with all fields, also of methods that failed, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

from qpfs.kinds import Unchecked
from qpfs.report.names import clipped
from qpfs.report.references import BREIMAN, CORTES, COVER, COX, FAN, HOERL
from qpfs.report.score_text import is_error, score_noun, score_text, scoring_of, span_text

METHOD = ("failed", "nested", "best", "smallest", "ranked", "seconds", "memory_mb", "stability")
DATA = ("source", "target", "checksum")
PROTOCOL = ("stability", "outer", "inner", "estimator", "scoring", "groups", "sizes")
ESTIMATORS = {  # the name of a class in texts, its main parameter, and its reference
    "LinearSVC": ("linear support vector machine", "C", FAN),
    "SVC": ("support vector machine", "C", CORTES),
    "LogisticRegression": ("logistic regression", "C", COX),
    "Ridge": ("ridge regression", "alpha", HOERL),
    "RandomForestClassifier": ("random forest", "n_estimators", BREIMAN),
    "RandomForestRegressor": ("random forest", "n_estimators", BREIMAN),
    "KNeighborsClassifier": ("nearest neighbours", "n_neighbors", COVER),
    "KNeighborsRegressor": ("nearest neighbours", "n_neighbors", COVER),
}


def completed(comparison: Unchecked) -> dict[str, Any]:
    """The record with None for missing fields, and its protocol in words."""
    protocol = {**dict.fromkeys(PROTOCOL), **comparison["protocol"]}
    on_curves = [point["k"] for method in comparison["methods"] for point in method.get("curve", ())]
    return {
        "command": None,
        **comparison,
        "versions": {"qpfs": comparison.get("qpfs"), **(comparison.get("versions") or {})},
        "data": {**dict.fromkeys(DATA), **comparison["data"]},
        "protocol": {
            **protocol,
            "outer": in_words(protocol["outer"]),
            "inner": in_words(protocol["inner"]),
            "estimator": estimator_words(protocol["estimator"]),
            "scoring": scoring_of(comparison),
            "groups": in_words(protocol["groups"]),
        },
        "most_asked": max(protocol["sizes"] or on_curves, default=0),
        "methods": [
            {**dict.fromkeys(METHOD), "curve": [], "often": [], **method, "title": clipped(method["title"])}
            for method in comparison["methods"]
        ],
        "baselines": [one for one in comparison.get("baselines") or [] if one.get("score") is not None],
    }


def joined(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def estimator_words(said: Any) -> Any:
    """An estimator by its name and main parameter, or by its class and changed parameters."""
    if not isinstance(said, Mapping) or "class" not in said:
        return in_words(said)
    if steps := steps_of(said):
        return ", then ".join(str(estimator_words(one)) for one in steps)
    name = str(said["class"]).rpartition(".")[2]
    given = said.get("parameters")
    given = given if isinstance(given, Mapping) else {}
    if is_known(said):
        title, key, _ = ESTIMATORS[name]
        return f"{title} ({joined(name, f'{key} {given[key]}' if key in given else None)})"
    usual = defaults(str(said["class"]))
    changed = [
        f"{key} {'no' if one is False else in_words(one)}"
        for key, one in given.items()
        if one != usual.get(key)
    ]
    return f"{name} ({joined(*changed)})" if changed else name


def estimator_references(said: Any) -> list[str]:
    """The references of an estimator, its steps included."""
    return [
        ESTIMATORS[str(one["class"]).rpartition(".")[2]][2]
        for one in steps_of(said) or [said]
        if is_known(one)
    ]


def is_known(said: Any) -> bool:
    """Whether an estimator is one of scikit-learn that has a name here."""
    place = str(said["class"]) if isinstance(said, Mapping) and "class" in said else ""
    return place.startswith("sklearn.") and place.rpartition(".")[2] in ESTIMATORS


def steps_of(said: Any) -> list[Any]:
    """The estimators in a pipeline; none for any other object."""
    if not isinstance(said, Mapping) or not str(said.get("class")).endswith(".Pipeline"):
        return []
    given = said.get("parameters")
    steps = given.get("steps") if isinstance(given, Mapping) else None
    if not isinstance(steps, list):
        return []
    return [one[-1] for one in steps] if all(isinstance(one, list) and one for one in steps) else []


def defaults(place: str) -> dict[str, Any]:
    """The default parameters of a scikit-learn class; unknown for other classes."""
    package, part, *_ = [*place.split("."), ""]
    name = place.rpartition(".")[2]
    if package != "sklearn":
        return {}
    # A record is not trusted: only classes that scikit-learn itself lists are imported.
    from sklearn import __all__ as parts

    try:
        found = getattr(import_module(f"sklearn.{part}"), name) if part in parts else None
        parameters = signature(found).parameters.values() if isinstance(found, type) else ()
    except (ImportError, AttributeError, TypeError, ValueError):
        return {}
    return {one.name: one.default for one in parameters if one.default is not Parameter.empty}


def in_words(value: Any) -> Any:
    """A nested description as one line, without empty parts."""
    if isinstance(value, Mapping):
        parts = [f"{key} {in_words(one)}" for key, one in value.items() if one not in (None, {}, [], False)]
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(str(in_words(one)) for one in value)
    return {True: "yes", False: None}[value] if isinstance(value, bool) else value


def latex_table(comparison: Unchecked) -> str:
    """The methods compared as a `tabular` of LaTeX; a method that failed has a row with "failed"."""
    head = ["method", score_noun(comparison), "interval", "lowest" if is_error(comparison) else "highest"]
    lines = [" & ".join(map(latex, [*head, "at", "enough", "stability", "seconds"]))]
    for method in comparison["methods"]:
        if method.get("failed"):
            lines.append(f"{latex(method['title'])} & \\multicolumn{{7}}{{l}}{{failed}}")
            continue
        nested, best, enough = method["nested"], method["best"], method["smallest"]
        stability = (method.get("stability") or {}).get("index")
        cells = [
            method["title"],
            score_text(nested["score"], comparison),
            span_text(nested, comparison),
            score_text(best["score"], comparison),
            str(best["k"]),
            str(enough["k"]),
            "" if stability is None else f"{stability:.2f}",
            f"{method['seconds']['median']:.2g}",
        ]
        lines.append(" & ".join(map(latex, cells)))
    for one in comparison["baselines"]:
        if one.get("score") is not None:
            cells = [one["name"], score_text(one["score"], comparison), span_text(one, comparison)]
            lines.append(" & ".join([*map(latex, cells), *[""] * 5]))
    body = " \\\\\n".join([lines[0] + " \\\\ \\hline\n" + lines[1], *lines[2:]])
    return f"\\begin{{tabular}}{{lrrrrrrr}}\n\\hline\n{body} \\\\\n\\hline\n\\end{{tabular}}\n"


def latex(text: str) -> str:
    """A text with the special characters of LaTeX escaped."""
    return "".join(LATEX.get(letter, letter) for letter in text)


LATEX = {
    **{letter: f"\\{letter}" for letter in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "\N{NO-BREAK SPACE}": "~",
}
