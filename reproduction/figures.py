"""The publication's figures as plain data: curves that the report's pictures draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reproduction.methods import COMPARED
from reproduction.results import Curve, Results
from reproduction.sets import DataSet
from reproduction.sheets import SheetEntry, Worksheet

ERRORS = "The publication draws accuracies, here are errors; a curve ends where no more features are found."
VISION = ("mnist38", "usps")
DRAWN = [method for method in COMPARED.values() if method.name != "nystrom"]  # as many as there are colours
STYLES = {method.title: i for i, method in enumerate(DRAWN)}  # a method looks the same in every figure


@dataclass(frozen=True, eq=False)
class Figure:
    """Curves under a title; errors are shares."""

    name: str
    title: str
    text: str
    curves: dict[str, Curve]
    baselines: dict[str, float]

    def comparison(self) -> dict[str, Any]:
        """What the report's picture of error curves takes."""
        methods = [
            {"title": title, "curve": points(curve), "style": STYLES.get(title, i)}
            for i, (title, curve) in enumerate(self.curves.items())
        ]
        some = [{"name": name, "score": error} for name, error in self.baselines.items()]
        return {"methods": methods, "baselines": some}


def points(curve: Curve) -> list[dict[str, Any]]:
    pairs = zip(curve.sizes, curve.errors, strict=True)
    return [{"k": k, "score": error, "low": None, "high": None} for k, error in pairs]


def all_figures(results: Results) -> list[Figure]:
    """Figures 2 to 5, as far as their sets are at hand."""
    found = [error_figure(results, one) for one in results.plan.sets()]
    return [figure for figure in [*found, *parameter_figures(results)] if figure.curves]


def error_figure(results: Results, one: DataSet) -> Figure:
    """The curves of all methods on a set, with both baselines."""
    number = "" if one.stand_in else "Figure 3: " if one.name in VISION else "Figure 2: "
    curves = {method.title: curve for method in DRAWN if (curve := results.curve(one, method))}
    return Figure(
        f"error_{one.name}",
        f"{number}{one.title}",
        "Error against the number of top features, as published; QPFS+Nyström is in the tables only.",
        curves,
        baselines(results.found[one.name].baselines),
    )


def baselines(found: dict[str, float]) -> dict[str, float]:
    if not found:
        return {}
    return {
        "all features": found["all"],
        "all representatives of two-level k-means": found["representatives"],
    }


def parameter_figures(results: Results) -> list[Figure]:
    """IKM-QPFS on Colon, one parameter varied."""
    told = {
        "figure 4": ("radius", "tau", "Figure 4: IKM-QPFS on Colon, tau varied", f"At k' = 15. {ERRORS}"),
        "figure 5": ("n_first", "k'", "Figure 5: IKM-QPFS on Colon, k' varied", f"At tau = 0.8. {ERRORS}"),
    }
    found = []
    for name, some in results.figures.items():
        varied, letter, title, text = told[name]
        curves = {f"{letter} = {curve.parameters[varied]:g}": curve for curve in some}
        found.append(Figure(name.replace(" ", "_"), title, text, curves, {}))
    return found


def curves_sheet(figures: list[Figure]) -> Worksheet:
    """Every point of every figure."""
    rows: list[list[SheetEntry]] = []
    for figure in figures:
        for title, curve in figure.curves.items():
            pairs = zip(curve.sizes, curve.errors, strict=True)
            rows += [[figure.name, title, k, 100 * error] for k, error in pairs]
        rows += [[figure.name, name, None, 100 * error] for name, error in figure.baselines.items()]
    return Worksheet("curves", "Curves", "", ("figure", "curve", "features", "error"), rows)
