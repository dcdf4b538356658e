"""A fitted selection as plain data: what is written to selection.json and what the page is made of."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

import qpfs
from qpfs.arrays import AnyArray, IndexArray
from qpfs.codes import Target, table_kind
from qpfs.codes.values import tabled
from qpfs.codes.weights import Weights
from qpfs.effects import Effects, known_effects
from qpfs.information import Words
from qpfs.information.significance import LEVEL
from qpfs.methods import names_of
from qpfs.registry import version_of
from qpfs.report.classes import ClassGroups, class_groups
from qpfs.report.cluster_record import cluster_record
from qpfs.report.distributions import distributions
from qpfs.report.left_out import effect_records, left_out, most_relevant_left
from qpfs.report.levels import level_counts, levels_of, rule_text
from qpfs.report.members import FeatureRows, feature_rows
from qpfs.report.names import checked_names
from qpfs.report.normal_scores import normal_scores
from qpfs.report.often import stability_facts, taken_places
from qpfs.report.pictures.weight_fall import NAMED
from qpfs.report.redundancy import alternatives, redundancy
from qpfs.report.schema import (
    SELECTION,
    AccountRecord,
    ChanceRecord,
    NearRecord,
    SampleWeightsRecord,
    SelectionRecord,
    TargetRecord,
    WeightsRecord,
)
from qpfs.report.target_words import target_words
from qpfs.selectors.account import given_account, weight_words
from qpfs.selectors.cautions import cautions_of
from qpfs.selectors.chance import chance_text
from qpfs.selectors.feature_groups import FeatureGroups
from qpfs.selectors.given_features import seen_names
from qpfs.selectors.members import Members
from qpfs.selectors.reasons import constant, reflecting
from qpfs.selectors.reporting import ReportMixin
from qpfs.wording import counted, finite, json_value

CERTIFICATE = ("theta", "theta_standard_error", "objective", "gap", "status", "n_columns")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
SHOWN = 50  # features drawn with pictures and alternatives
MAPPED = 30  # features in the heat map
MEMBERS = 8  # nearest members of a cluster that are named
CURVE = 200  # ranks of which weight and relevance are kept, all of the first among them


def selection_record(
    selector: ReportMixin,
    *,
    data: Mapping[str, object] | None = None,
    names: Sequence[str] | None = None,
    X: Any = None,
    y: Any = None,
    command: str | None = None,
    stability: Mapping[str, object] | None = None,
    frequency: AnyArray | None = None,
    comparison: Mapping[str, object] | None = None,
    cohorts: Mapping[str, object] | None = None,
    seconds: Mapping[str, float] | None = None,
    rows: FeatureRows | None = None,
) -> SelectionRecord:
    """Everything that is known about a selection, as plain data.

    Parameters
    ----------
    selector : fitted selector
        One of this package.
    data : mapping or None, default=None
        Further facts about the data: `source`, `format`, `checksum`, `target`, `notes`.
    names : sequence of str or None, default=None
        The names of all features; None for those that the selector knows.
    X : array-like, data frame, sparse matrix or None, default=None
        The features as in `fit`, for histograms, and for the direction and size of effects.
    y : ignored
        The target is known from `fit`.
    command : str or None, default=None
        The command that repeats the selection.
    stability : mapping or None, default=None
        What :meth:`qpfs.evaluation.Resampled.record` returns, or some of it: `n` resamples, `index`, `low`,
        `high`, `resample`.
    frequency : array-like of shape (n_features,) or None, default=None
        The share of resamples in which each feature was selected.
    comparison : mapping or None, default=None
        A comparison record, to be shown on the same page.
    cohorts : mapping or None, default=None
        What :meth:`qpfs.evaluation.AcrossCohorts.record` returns.
    seconds : mapping or None, default=None
        The seconds of each step, by name.
    rows : sequence or None, default=None
        What :func:`feature_rows` returned for this selector, so that it is not made again.

    Returns
    -------
    record : dict
        JSON values only, under the schema "qpfs-selection/3".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.report import selection_record
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> record = selection_record(QPFS(4).fit(X, y), data={"source": "wdbc"})
    >>> record["n_selected"], record["features"][0]["feature"]
    (4, 'worst area')
    """
    fitted = selector.fitted_
    X = fitted.samples(tabled(X))
    check_shape(X, len(fitted.target.codes), selector.n_features_in_)
    check_frequency(frequency, selector.n_features_in_)
    known = seen_names(selector) if names is None else checked_names(names, selector.n_features_in_)
    classes = class_groups(fitted.target)
    chosen = fitted.asked.units(selector.order_[selector.support_[selector.order_]])
    weighed = fitted.asked.units(np.arange(selector.n_features_in_))
    titles = list(fitted.asked.titles(known))
    rows = feature_rows(selector, known, frequency, X) if rows is None else rows
    left = most_relevant_left(rows)
    effects = known_effects(fitted, len(known), X, np.union1d(chosen, left))
    cautions = cautions_of(selector, known)
    record: SelectionRecord = json_value(
        {
            "schema": SELECTION,
            "qpfs": qpfs.__version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": command,
            "cautions": cautions,
            "data": data_facts(selector, classes, data or {}, cautions),
            "method": method_facts(selector, known),
            "certificate": {
                key: getattr(selector, f"{key}_") for key in CERTIFICATE if hasattr(selector, f"{key}_")
            },
            "n_weighted": int((selector.scores_[weighed] > 0).sum()),
            "n_selected": len(chosen),
            **({} if fitted.asked.united is None else {"n_choices": len(weighed)}),
            "features": chosen_features(selector, titles, classes, chosen, X, rows, effects),
            "left_out": left_out(rows, effects, left, titles),
            "redundancy": redundancy(selector, titles, chosen[:MAPPED], X) if len(chosen) > 1 else None,
            "weights": falling_weights(selector, titles),
            "chance": chance_record(selector),
            "clusters": cluster_record(selector, titles),
            "stability": stability_facts(stability, frequency, chosen, titles),
            "comparison": None if comparison is None else dict(comparison),
            **({} if cohorts is None else {"cohorts": dict(cohorts)}),
            "levels": rule_text(selector),
            "versions": versions(),
            "seconds": {} if seconds is None else dict(seconds),
        }
    )
    return record


def check_shape(X: Any, n_samples: int, n_features: int) -> None:
    """Raises ValueError if X cannot be what the selector was fitted to."""
    if X is None:
        return
    shape = tuple(getattr(X, "shape", None) or np.shape(X))
    if shape != (n_samples, n_features):
        raise ValueError(
            f"X has the shape {shape}, but the selector was fitted to {n_samples} samples of {n_features} "
            "features; give the X of fit, or leave it out."
        )


def check_frequency(frequency: Any, n_features: int) -> None:
    if frequency is not None and np.shape(frequency) != (n_features,):
        raise ValueError(
            f"frequency has the shape {np.shape(frequency)}; expected a share for each of {n_features} "
            "features."
        )


def data_facts(
    selector: ReportMixin, classes: ClassGroups, given: Mapping[str, Any], cautions: list[str]
) -> dict[str, object]:
    """What is known about the data; given values come first, except for cautions among the notes."""
    form = rule_text(selector)["form"]
    found = {
        "source": None,
        "format": None,
        "checksum": None,
        "target": None,
        "task": "regression" if selector.fitted_.target.classes is None else "classification",
        **targets_together(selector.fitted_.target, form),
        "classes": [{"name": name, "n": n} for name, n in zip(classes.names, classes.sizes, strict=True)],
        "n_classes": classes.n_classes,
        "taken": [
            *target_words(selector.fitted_.target, classes, form),
            *weights_sentence(selector.fitted_.target.weights),
            *adjusted_words(selector),
        ],
        **weights_record(selector.fitted_.target.weights),
        **adjusted_for(selector),
        "n_samples": len(classes.codes),
        "n_features": int(selector.n_features_in_),
        "n_constant": int(constant(selector).sum()),
    }
    known = {key: value for key, value in given.items() if key not in OURS}
    return {**found, **known, "notes": [*cautions, *given.get("notes", ())]}


def weights_record(weights: Weights | None) -> dict[str, SampleWeightsRecord]:
    """What is known about the weights of samples, if there are any."""
    if weights is None:
        return {}
    rounded = weights.unit != 1
    found: SampleWeightsRecord = {
        "sum": weights.size,
        "effective": weights.effective,
        "digits": weights.n_digits,
        "rounded": rounded,
    }
    return {"weights": found}


def weights_sentence(weights: Weights | None) -> list[str]:
    """A sentence on what was weighted and what was not; none without weights."""
    if weights is None:
        return []
    return [
        f"Samples are {weight_words(weights)}. Directions and sizes of effects are weighted, too; counts and "
        "pictures are not."
    ]


def adjusted_words(selector: ReportMixin) -> list[str]:
    """A sentence on the covariates that were adjusted for; none without covariates."""
    known = selector.fitted_.covariates
    if known is None:
        return []
    n = int(reflecting(selector).sum())
    gone = f" {counted(n, 'feature is', 'features are')} fully explained by these." if n else ""
    return [
        f"Adjusted for {known.words}: relevance and redundancy are given these covariates."
        f"{gone} Effects and pictures of values are not adjusted."
    ]


def adjusted_for(selector: ReportMixin) -> dict[str, object]:
    """The covariates, if there are any, and how many features they fully explain."""
    known = selector.fitted_.covariates
    if known is None:
        return {}
    found = [
        {"name": one.name, "n_categories": None if one.codes is None else one.n_different}
        for one in known.varying
    ]
    return {"adjusted": found, "n_reflecting": int(reflecting(selector).sum())}


def targets_together(target: Target, form: str) -> dict[str, object]:
    """The targets, if there are several; classes and groups of samples are those of the first."""
    if not target.others:
        return {}
    together = form == "scores" and target.importance is None
    weights = target.importance or (1.0,) * len(target.targets)
    named: list[TargetRecord] = []
    for one, weight in zip(target.targets, weights, strict=True):
        named.append(
            {
                "name": str(one.name),
                "task": "regression" if one.classes is None else "classification",
                "n_classes": len(one.counts),
            }
        )
        if not together:
            named[-1]["weight"] = weight

    return {"target": ", ".join(one["name"] for one in named), "targets": named}


# Facts that a caller cannot replace: the counts of all pictures are of these.
OURS = ("adjusted", "classes", "n_classes", "task", "targets", "taken", "weights")


def method_facts(selector: ReportMixin, names: list[str]) -> dict[str, object]:
    """The method, its parameters, and what it reports about its own answer."""
    name, title = names_of(type(selector))
    return {
        "name": name,
        "title": title,
        "class": type(selector).__name__,
        "parameters": selector.get_params(deep=False) | features_asked(selector, names),
        "seed": seed_of(selector),
        "account": account_of(selector),
        **found_by_search(selector),
    }


def seed_of(selector: ReportMixin) -> int | None:
    seed = getattr(selector, "random_state", None)
    return int(seed) if isinstance(seed, (int, np.integer)) else None


def account_of(selector: ReportMixin) -> AccountRecord:
    """What the method reports about its own answer."""
    table = selector.fitted_.table
    account = given_account(selector)
    apart = Words.apart if table is None else table.measure.measure.words.apart
    found: AccountRecord = account.record() | {"distance": account.distance or apart}  # type: ignore[assignment]
    return found


def features_asked(selector: ReportMixin, names: list[str]) -> dict[str, object]:
    """The kept and excluded features by name, and the number of groups, if there are any."""
    asked = selector.fitted_.asked
    some = {"keep": asked.keep, "exclude": asked.exclude}
    found: dict[str, object] = {
        key: [names[i] for i in one.tolist()] for key, one in some.items() if len(one)
    }
    return found if asked.groups is None else found | {"feature_groups": str(asked.groups)}


def found_by_search(selector: ReportMixin) -> dict[str, object]:
    """The parameters that cross-validation has chosen, with their score."""
    if not (hasattr(selector, "best_params_") and hasattr(selector, "best_score_")):
        return {}
    return {"chosen": selector.best_params_, "score": finite(selector.best_score_)}


def chosen_features(
    selector: ReportMixin,
    names: list[str],
    classes: ClassGroups,
    chosen: IndexArray,
    X: Any,
    rows: FeatureRows,
    effects: Effects,
) -> list[dict[str, object]]:
    """The selected features in the order of their ranks; the first of them with all that can be drawn."""
    asked = selector.fitted_.asked
    ranks = np.flatnonzero(selector.support_[asked.units(selector.order_)]) + 1
    columns = {} if asked.united is None else columns_of_groups(asked.united, rows.names)
    relevance = getattr(selector, "relevance_", None)
    members, frequency = rows.members, rows.frequency if rows.with_frequency else None
    near = nearest_members(members, names, chosen[:SHOWN]) if hasattr(selector, "labels_") else {}
    others = alternatives(selector, names, chosen[:SHOWN])
    instead = taken_places(selector, names, chosen[:SHOWN], frequency)
    found = effect_records(effects, chosen, rows.n_samples)
    pictures = value_facts(selector, classes, chosen.tolist(), X, columns)
    kept = set(asked.keep.tolist())
    return [
        {
            "rank": int(rank),
            "feature": names[i],
            "index": i,
            **({"columns": columns[i]} if i in columns else {}),
            **({"kept": i in kept} if kept else {}),
            "weight": float(selector.scores_[i]),
            "relevance": None if relevance is None else float(relevance[i]),
            **significance_of(selector, i),
            "effect": None if i in columns else effect,
            **cluster_facts(members, i),
            "members": near.get(i),
            "frequency": None if frequency is None else finite(frequency[i]),
            **({} if frequency is None else {"instead": instead.get(i)}),
            "alternatives": others[place] if place < SHOWN else None,
            **pictures[i],
        }
        for place, (rank, i, effect) in enumerate(zip(ranks, chosen.tolist(), found, strict=True))
    ]


def value_facts(
    selector: ReportMixin, classes: ClassGroups, chosen: list[int], X: Any, columns: Mapping[int, list[str]]
) -> dict[int, dict[str, object]]:
    """The values of each selected feature, not of `columns` chosen as one: levels, and what can be drawn."""
    drawn = np.array([i for i in chosen[:SHOWN] if i not in columns], np.intp)
    counts = level_counts(selector, classes, drawn)
    spread = {} if X is None else distributions(X, drawn.tolist(), classes)
    possible = () if X is None else table_kind(X).possible_numbers(X)
    gaps = {i: None if one is None else sum(one["missing"]) for i, one in spread.items()}
    scores = normal_scores(selector, drawn, gaps)
    return {
        i: {
            "levels": None
            if i in columns
            else levels_of(selector, i, counts.get(i), spread.get(i), possible),
            "distribution": spread.get(i),
            **({"normal_scores": scores.get(i)} if scores or columns else {}),
        }
        for i in chosen
    }


def cluster_facts(members: Members, feature: int) -> dict[str, object]:
    """The cluster of a feature, if it is in one."""
    cluster = int(members.cluster[feature])
    return {
        "cluster": None if cluster < 0 else cluster,
        "cluster_size": None if cluster < 0 else int(members.sizes[cluster]),
        "distance_to_representative": finite(members.distance[feature]),
    }


def columns_of_groups(groups: FeatureGroups, names: Sequence[str]) -> dict[int, list[str]]:
    """The columns of each group selected as a whole, by the column that represents it."""
    members = [groups.members(group).tolist() for group in groups.larger]
    return {some[0]: [names[i] for i in some] for some in members}


def significance_of(selector: ReportMixin, feature: int) -> dict[str, float | None]:
    """The p and q values of a feature, if the selector has any."""
    if not (hasattr(selector, "pvalues_") and hasattr(selector, "qvalues_")):
        return {}
    return {"pvalue": finite(selector.pvalues_[feature]), "qvalue": finite(selector.qvalues_[feature])}


def chance_record(selector: ReportMixin) -> ChanceRecord | None:
    """Whether the features are more relevant than chance; None if that is not known."""
    fitted = selector.fitted_
    sure = fitted.significance
    if sure is None or sure.beats_chance is None:
        return None
    tested, selected = fitted.packed.varying, selector.support_
    familywise, line = sure.familywise, sure.line
    measure = fitted.packed.measure.measure
    each = ", of each target, corrected for their number" * (len(measure.apart(fitted.target)) > 1)
    return {
        "test": measure.words.test + each,
        "level": LEVEL,
        "n_tested": len(tested),
        "n_significant": int((sure.qvalues[tested] <= LEVEL).sum()),
        "n_doubtful": int((sure.qvalues[selected] > LEVEL).sum()),
        "n_shuffled": sure.n_shuffled,
        "smallest_q": float(sure.qvalues[tested].min()),
        "n_permutations": sure.n_permutations,
        "n_familywise": None if familywise is None else int((familywise[tested] <= LEVEL).sum()),
        "line": None if line is None else float(np.median(line[tested])),
        "warning": None if sure.beats_chance else chance_text(sure, selector.n_features_in_),
    }


def nearest_members(members: Members, names: list[str], features: IndexArray) -> dict[int, list[NearRecord]]:
    """For each of some representatives of clusters, the nearest other members of its cluster."""
    order = np.lexsort((members.distance, members.cluster))
    bounds = np.searchsorted(members.cluster[order], np.arange(len(members.sizes) + 1))
    found: dict[int, list[NearRecord]] = {}
    for feature in features.tolist():
        cluster = members.cluster[feature]
        mine = order[bounds[cluster] : bounds[cluster + 1]][: MEMBERS + 1]
        found[feature] = [
            {"feature": names[i], "index": int(i), "distance": float(members.distance[i])}
            for i in mine[mine != feature][:MEMBERS]
        ]
    return found


def falling_weights(selector: ReportMixin, names: list[str]) -> WeightsRecord:
    """Weight and relevance by rank, thinned where there are many, and the names of the first."""
    order = selector.fitted_.asked.units(selector.order_)
    weights = selector.scores_[order]
    relevance = getattr(selector, "relevance_", np.full(len(selector.scores_), np.nan))[order]
    n, n_positive = len(weights), int((weights > 0).sum())
    ends = [n_positive - 1, n_positive, int(selector.support_[order].sum()) - 1, n - 1]
    later = np.geomspace(CURVE // 2, max(n, CURVE), CURVE // 2).astype(np.intp)
    places = np.unique(np.concatenate([np.arange(CURVE // 2), later, ends]))
    return {
        "ranked": [
            (int(i) + 1, float(weights[i]), finite(relevance[i]))
            for i in places[(places >= 0) & (places < n)]
        ],
        "n_positive": n_positive,
        "n_ranked": n,
        "names": [names[i] for i in order[:NAMED].tolist()],
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that computed the numbers."""
    ours = {"python": platform.python_version(), "qpfs": qpfs.__version__}
    return ours | {name: version_of(name) for name in LIBRARIES}


def as_json(record: Mapping[str, object]) -> str:
    """The record as strict JSON."""
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
