"""Checks that the parts of a record agree: counts with lists, sums with totals, indices with sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import pairwise
from typing import TYPE_CHECKING

from qpfs.kinds import MismatchError, check_in, number, require, told
from qpfs.report.score_text import is_error

if TYPE_CHECKING:
    from qpfs.report import schema

RECORD_ROUNDING = 1e-9  # tolerance of sums and shares
EVERYTHING = (-math.inf, math.inf)
SIMPLEX = number(0, 1, RECORD_ROUNDING)
FEATURES = "features there are"


def selection_agrees(record: schema.SelectionRecord) -> None:
    """Checks everything that a record of a selection states more than once."""
    features_agree(record)
    weights_agree(record)
    sizes = [one["n"] for one in record["data"]["classes"]]
    for place, one in enumerate(record["features"]):
        levels_agree(one["levels"], sizes, f"features[{place}].levels")
        distribution_agrees(one["distribution"], sizes, f"features[{place}].distribution")
    names_agree(record)
    left_out_agrees(record)
    cohorts_make_up(record)


def features_agree(record: schema.SelectionRecord) -> None:
    """Checks that the number of features is as stated, each once, in the order of ranks, within the table."""
    data, features = record["data"], record["features"]
    n = data["n_features"]
    same(record["n_selected"], len(features), "n_selected", "the number of features listed")
    at_most(record["n_weighted"], n, "n_weighted", FEATURES)
    at_most(data["n_constant"], n, "data.n_constant", FEATURES)
    at_most(record["weights"]["n_ranked"], n, "weights.n_ranked", FEATURES)
    rising([one["rank"] for one in features], "features", "rank")
    indices = [one["index"] for one in features]
    require(len(set(indices)) == len(indices), "features", "expected each index once, got one twice")
    for place, one in enumerate(features):
        below(one["index"], n, f"features[{place}].index", FEATURES)
        at_most(one["rank"], n, f"features[{place}].rank", FEATURES)
        known = {
            "members": one["members"],
            "alternatives": one["alternatives"],
            "instead": one.get("instead"),
        }
        for kind, some in known.items():
            for at, near in enumerate(some or ()):
                below(near["index"], n, f"features[{place}].{kind}[{at}].index", FEATURES)


def weights_agree(record: schema.SelectionRecord) -> None:
    """Checks that weights agree with the ranked ones, and sum to at most 1 if they solve the program."""
    features, known = record["features"], {row[0]: tuple(row[1:]) for row in record["weights"]["ranked"]}
    for place, one in enumerate(features):
        said = (one["weight"], one["relevance"])
        require(
            known.get(one["rank"], said) == said,
            f"features[{place}]",
            "expected the weight and relevance that weights.ranked has for its rank, got "
            f"{' and '.join(map(told, said))}",
        )
    if "theta" in record["certificate"]:
        require("gap" in record["certificate"], "certificate.gap", "expected, but it is missing")
        for place, one in enumerate(features):
            try:
                check_in(one, "weight", SIMPLEX)
            except MismatchError as wrong:
                raise wrong.inside(f"features[{place}]") from None
        total = sum(one["weight"] for one in features)
        require(total <= 1 + 1e-6, "features", f"expected weights that sum to at most 1, got {total:g}")


def classes_agree(data: schema.DataRecord) -> None:
    """Checks that the classes make up all samples, and that only several small ones are merged."""
    n = len(data["classes"])
    require(n > 0, "classes", "expected at least one of them, got none")
    if not 2 < n < data["n_classes"]:
        same(data["n_classes"], n, "n_classes", "the number of classes listed")
    same(data["n_samples"], sum(one["n"] for one in data["classes"]), "n_samples", "the sum of the classes")


def levels_agree(levels: schema.LevelsRecord | None, sizes: Sequence[int], where: str) -> None:
    """Checks that the samples of each class at the levels of a feature make up the class."""
    if levels is not None and levels["counts"] is not None:
        n = len(levels["names"])
        require(n > 0, f"{where}.names", "expected at least one of them, got none")
        make_up(levels["counts"], n, sizes, f"{where}.counts", "names of levels")
        at_most(len(levels.get("values", ())), n, f"{where}.values", "names of levels")


def distribution_agrees(spread: schema.DistributionRecord | None, sizes: Sequence[int], where: str) -> None:
    """Checks that the samples of each class in a histogram, tied or missing, make up the class."""
    if spread is None:
        return
    n = bins_between(spread["edges"], f"{where}.edges", where)
    apart = {"missing": spread["missing"]}
    if tied := spread.get("tied"):
        apart["tied.counts"] = tied["counts"]
    for name, counts in apart.items():
        same_number(counts, sizes, f"{where}.{name}", "classes")
    known = [size - sum(some) for size, *some in zip(sizes, *apart.values(), strict=True)]
    make_up(spread["counts"], n, known, f"{where}.counts", "bins between edges")
    at_most(sum(spread["beyond"]), sum(known), f"{where}.beyond", "values there are")


def scores_agree(found: schema.ScoresRecord) -> None:
    """Checks that a picture of scores has counts between all edges, and not more ties than samples."""
    n = bins_between(found["edges"], "edges", "edges")
    same_number(found["counts"], range(n), "counts", "bins between edges")
    same_number(found["tied"], range(n), "tied", "bins between edges")
    for place, (tied, count) in enumerate(zip(found["tied"], found["counts"], strict=True)):
        at_most(tied, count, f"tied[{place}]", "samples there")
    at_most(found["largest"], sum(found["counts"]), "largest", "samples there are")


def bins_between(edges: Sequence[float], place: str, where: str) -> int:
    """How many bins there are between edges, which rise."""
    require(len(edges) > 1, place, f"expected at least 2 of them, got {told(edges)}")
    rising(edges, where, "edges")
    return len(edges) - 1


def left_out_agrees(record: schema.SelectionRecord) -> None:
    """Checks that the features left out are all that were not selected, and include those listed."""
    left, n = record.get("left_out"), record["data"]["n_features"]
    if left is None:
        return
    n_left = record.get("n_choices", n) - record["n_selected"]
    same(sum(one["n"] for one in left["reasons"]), n_left, "left_out.reasons", "features that were left out")
    selected = {one["index"] for one in record["features"]}
    for place, one in enumerate(left["features"]):
        below(one["index"], n, f"left_out.features[{place}].index", FEATURES)
        what = f"expected one that is not selected, got {told(one['index'])}"
        require(one["index"] not in selected, f"left_out.features[{place}].index", what)


def names_agree(record: schema.SelectionRecord) -> None:
    """Checks that the listed features are the first of the selected ones."""
    found = record["redundancy"]
    listed = [(one["index"], one["feature"]) for one in record["features"]]
    for place, pair in enumerate(zip(found["indices"], found["names"], strict=True) if found else ()):
        require(
            listed[place : place + 1] == [pair],
            f"redundancy.names[{place}]",
            f"expected feature {place + 1} of those listed, got {told(pair[1])} of index {told(pair[0])}",
        )


def make_up(counts: Sequence[Sequence[int]], n: int, sizes: Sequence[int], place: str, columns: str) -> None:
    """Raises MismatchError unless each class has a row, whose entries sum to the size of the class."""
    same_number(counts, sizes, place, "classes")
    for c, (row, size) in enumerate(zip(counts, sizes, strict=True)):
        same_number(row, range(n), f"{place}[{c}]", columns)
        same(sum(row), size, f"{place}[{c}]", "the samples of the class", "counts that sum to ")


def members_agree(feature: schema.FeatureRecord) -> None:
    """Checks that a cluster holds its representative and the members that are named."""
    size, members = feature["cluster_size"], feature["members"] or ()
    together = (feature["cluster"] is None) == (size is None)
    require(together, "cluster_size", f"expected it together with the cluster, got {told(size)}")
    at_most(len(members), (size or 1) - 1, "members", "other members that the cluster has")


def redundancy_agrees(found: schema.RedundancyRecord) -> None:
    """Checks that there is a row and a column for each of two features or more."""
    names = found["names"]
    require(len(names) > 1, "names", f"expected at least 2 of them, got {told(names)}")
    same_number(found["indices"], names, "indices", "names")
    same_number(found["values"], names, "values", "names")
    for place, row in enumerate(found["values"]):
        same_number(row, names, f"values[{place}]", "names")


def ranks_agree(weights: schema.WeightsRecord) -> None:
    """Checks that ranks increase, and are at most the number of features ranked."""
    ranks, n = [row[0] for row in weights["ranked"]], weights["n_ranked"]
    rising(ranks, "ranked", "rank")
    at_most(weights["n_positive"], n, "n_positive", "features ranked")
    at_most(len(weights.get("names", ())), n, "names", "features ranked")
    require(
        (ranks[:1], ranks[-1:]) == (([1], [n]) if n else ([], [])),
        "ranked",
        f"expected ranks from 1 to {n:,}, the number of features ranked, got other ones",
    )


def clusters_agree(clusters: schema.ClustersRecord) -> None:
    """Checks that bars are side by side within the width of all features."""
    n = clusters["n_features"]
    require(
        0 < len(clusters["levels"]) <= clusters["n_levels"],
        "levels",
        f"expected some of the {clusters['n_levels']:,} levels, got {told(clusters['levels'])}",
    )
    for place, level in enumerate(clusters["levels"]):
        end = 0
        for at, bar in enumerate(level["bars"]):
            where = f"levels[{place}].bars[{at}]"
            require(bar["left"] >= end, f"{where}.left", f"expected at least {end:,}, got {bar['left']:,}")
            end = bar["left"] + bar["width"]
            at_most(end, n, where, FEATURES)
    for at, feature in enumerate(clusters["selected"]):
        below(feature, n, f"selected[{at}]", FEATURES)
    fates = clusters["fates"]
    for fate, met in (("split", fates["split"]), ("kept", fates["kept"]), ("discarded", fates["discarded"])):
        at_most(met["features"], n, f"fates.{fate}.features", FEATURES)


def cohorts_agree(found: schema.CohortsRecord) -> None:
    """Checks that each two cohorts have a share, and each feature an entry for every cohort."""
    cohorts = found["cohorts"]
    require(len(cohorts) > 1, "cohorts", f"expected at least 2 of them, got {told(cohorts)}")
    same_number(found["jaccard"], cohorts, "jaccard", "cohorts")
    for place, row in enumerate(found["jaccard"]):
        same_number(row, cohorts, f"jaccard[{place}]", "cohorts")
    for place, one in enumerate(found["features"]):
        same_number(one["selected"], cohorts, f"features[{place}].selected", "cohorts")
        same_number(one["effects"], cohorts, f"features[{place}].effects", "cohorts")
        same(one["n"], sum(one["selected"]), f"features[{place}].n", "the cohorts that select it")


def cohorts_make_up(record: schema.SelectionRecord) -> None:
    """Checks that the cohorts make up all samples, and that listed features exist."""
    found, n = record.get("cohorts"), record["data"]["n_features"]
    if found is None:
        return
    total = sum(one["n"] for one in found["cohorts"])
    same(total, record["data"]["n_samples"], "cohorts.cohorts", "the number of samples", "sizes that sum to ")
    for place, one in enumerate(found["features"]):
        below(one["index"], n, f"cohorts.features[{place}].index", FEATURES)


def interval_agrees(found: Mapping[str, float | None]) -> None:
    """Checks that a value is between its bounds."""
    every = found.get("low"), found.get("score", found.get("index")), found.get("high")
    known = [value for value in every if value is not None]
    agree = all(a <= b + RECORD_ROUNDING * max(1.0, abs(b)) for a, b in pairwise(known))
    require(agree, "", f"expected it between low and high, got {', '.join(map(told, known))}")


def drawn_how(stability: schema.StabilityRecord) -> None:
    """Checks that resamples are counted or described, and not more than exist or were requested."""
    require(bool(stability.get("resample")) or "n" in stability, "n", "expected, but it is missing")
    limits = {"asked for": stability.get("n_asked"), "that exist": stability.get("n_different")}
    for which, most in limits.items():
        if most is not None:
            at_most(stability.get("n", 0), most, "n", f"resamples {which}")
    interval_agrees({"low": stability.get("low"), "index": stability["index"], "high": stability.get("high")})


def methods_agree(record: schema.ComparisonRecord) -> None:
    """Checks that numbers of features increase along a curve and exist; and that error rates are shares."""
    n, shares = record["data"]["n_features"], record["data"].get("task") == "classification"
    least, most = (0.0, 1 + RECORD_ROUNDING if shares else math.inf) if is_error(record) else EVERYTHING
    for place, method in enumerate(record["methods"]):
        where, curve = f"methods[{place}]", method.get("curve", [])
        rising([point["k"] for point in curve], f"{where}.curve", "k")
        some: dict[str, tuple[int, float | None]] = {
            f"curve[{at}]": (point["k"], point["score"]) for at, point in enumerate(curve)
        }
        reached = {"best": method.get("best"), "smallest": method.get("smallest")}
        some |= {name: (point["k"], point["score"]) for name, point in reached.items() if point}
        if nested := method.get("nested"):
            some["nested"] = (0, nested["score"])
        for name, (k, score) in some.items():
            at_most(k, n, f"{where}.{name}.k", FEATURES)
            require(
                score is None or least <= score <= most,
                f"{where}.{name}.score",
                f"expected an error{', a share of the samples from 0 to 1' * shares}, got {told(score)}",
            )


def same(found: int, expected: int, place: str, what: str, lead: str = "") -> None:
    if found != expected:
        raise MismatchError(f"expected {lead}{expected:,}, {what}, got {found:,}", place)


def at_most(found: int, most: int, place: str, what: str) -> None:
    if found > most:
        raise MismatchError(f"expected at most {most:,}, the number of {what}, got {told(found)}", place)


def below(found: int, end: int, place: str, what: str) -> None:
    if found >= end:
        raise MismatchError(f"expected less than {end:,}, the number of {what}, got {told(found)}", place)


def same_number(some: Sized, others: Sized, place: str, what: str) -> None:
    if len(some) != len(others):
        raise MismatchError(
            f"expected a list of {len(others):,}, the number of {what}, got {told(some)}", place
        )


def rising(values: Iterable[float], place: str, what: str) -> None:
    for a, b in pairwise(values):
        if not a < b:
            raise MismatchError(f"expected {what} in rising order, got {told(b)} after {told(a)}", place)
