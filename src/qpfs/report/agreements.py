"""How the parts of a record agree with each other: counts with lists, sums with totals, places with sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from qpfs.kinds import MismatchError, check_in, number, require, told
from qpfs.report.cluster_tree import DRAWN_FATES

RECORD_ROUNDING = 1e-9  # by which sums and shares may miss what they should be
SIMPLEX = number(0, 1, RECORD_ROUNDING)


def selection_agrees(record: Mapping[str, Any]) -> None:
    """All that a record of a selection says more than once."""
    features_agree(record)
    weights_agree(record)
    counts_agree(record)
    names_agree(record)


def features_agree(record: Mapping[str, Any]) -> None:
    """Features are as many as are said, each once, in the order of their ranks, within what there is."""
    data, features = record["data"], record["features"]
    n = data["n_features"]
    require(
        record["n_selected"] == len(features),
        "n_selected",
        f"expected {len(features):,}, the number of features listed, got {told(record['n_selected'])}",
    )
    for name, found in (("n_weighted", record["n_weighted"]), ("data.n_constant", data["n_constant"])):
        at_most(found, n, name, "features there are")
    at_most(record["weights"]["n_ranked"], n, "weights.n_ranked", "features there are")
    rising([one["rank"] for one in features], "features", "rank")
    indices = [one["index"] for one in features]
    require(len(set(indices)) == len(indices), "features", "expected each index once, got one twice")
    for place, one in enumerate(features):
        below(one["index"], n, f"features[{place}].index", "features there are")
        at_most(one["rank"], n, f"features[{place}].rank", "features there are")
        for kind in ("members", "alternatives"):
            for at, near in enumerate(one[kind] or ()):
                below(near["index"], n, f"features[{place}].{kind}[{at}].index", "features there are")


def weights_agree(record: Mapping[str, Any]) -> None:
    """The weights are said twice, and are shares of one where they solve the program on the simplex."""
    features, known = record["features"], {row[0]: (row[1], row[2]) for row in record["weights"]["ranked"]}
    for place, one in enumerate(features):
        weight, relevance = one["weight"], one["relevance"]
        if known.get(one["rank"], (weight, relevance)) != (weight, relevance):
            raise MismatchError(
                f"expected the weight and relevance that weights.ranked has for its rank, got {told(weight)} "
                f"and {told(relevance)}",
                f"features[{place}]",
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


def classes_agree(data: Mapping[str, Any]) -> None:
    """The classes make up all samples; only of several the small ones are put together."""
    n, total = len(data["classes"]), sum(one["n"] for one in data["classes"])
    require(n > 0, "classes", "expected at least one of them, got none")
    require(
        n == data["n_classes"] or 2 < n < data["n_classes"],
        "n_classes",
        f"expected {n:,}, the number of classes listed, got {data['n_classes']:,}",
    )
    require(
        total == data["n_samples"],
        "n_samples",
        f"expected {total:,}, the sum of the classes, got {data['n_samples']:,}",
    )


def counts_agree(record: Mapping[str, Any]) -> None:
    """The samples of each class at the levels, and in the histogram, of each feature make up the class."""
    sizes = [one["n"] for one in record["data"]["classes"]]
    for place, one in enumerate(record["features"]):
        levels, spread = one["levels"], one["distribution"]
        if levels is not None and levels["counts"] is not None:
            where, n = f"features[{place}].levels", len(levels["names"])
            require(n > 0, f"{where}.names", "expected at least one of them, got none")
            make_up(levels["counts"], n, sizes, f"{where}.counts", "names of levels")
            at_most(len(levels.get("values", ())), n, f"{where}.values", "names of levels")
        if spread is not None:
            where, n = f"features[{place}].distribution", len(spread["edges"]) - 1
            require(n >= 1, f"{where}.edges", f"expected at least 2 of them, got {told(spread['edges'])}")
            rising(spread["edges"], where, "edges")
            same_number(spread["missing"], sizes, f"{where}.missing", "classes")
            known = [size - missing for size, missing in zip(sizes, spread["missing"], strict=True)]
            make_up(spread["counts"], n, known, f"{where}.counts", "bins between edges")
            at_most(sum(spread["beyond"]), sum(known), f"{where}.beyond", "values there are")


def scores_agree(found: Mapping[str, Any]) -> None:
    """There are counts between all edges of a picture of scores, and no more that are tied than there are."""
    n = len(found["edges"]) - 1
    require(n >= 1, "edges", f"expected at least 2 of them, got {told(found['edges'])}")
    rising(found["edges"], "edges", "edges")
    for name in ("counts", "tied"):
        same_number(found[name], range(n), name, "bins between edges")
    for place, (tied, count) in enumerate(zip(found["tied"], found["counts"], strict=True)):
        at_most(tied, count, f"tied[{place}]", "samples there")
    at_most(found["largest"], sum(found["counts"]), "largest", "samples there are")


def names_agree(record: Mapping[str, Any]) -> None:
    """What is paired are the first of the selected features."""
    found = record["redundancy"] or {"indices": (), "names": ()}
    for place, (index, name) in enumerate(zip(found["indices"], found["names"], strict=True)):
        first = record["features"][place] if place < len(record["features"]) else {}
        require(
            (first.get("index"), first.get("feature")) == (index, name),
            f"redundancy.names[{place}]",
            f"expected feature {place + 1} of those listed, got {told(name)} of index {told(index)}",
        )


def make_up(counts: Sequence[Sequence[int]], n: int, sizes: Sequence[int], place: str, columns: str) -> None:
    """Raises MismatchError unless each class has a row, whose entries sum to the size of the class."""
    same_number(counts, sizes, place, "classes")
    for c, (row, size) in enumerate(zip(counts, sizes, strict=True)):
        same_number(row, range(n), f"{place}[{c}]", columns)
        require(
            sum(row) == size,
            f"{place}[{c}]",
            f"expected counts that sum to {size:,}, the samples of the class, got {sum(row):,}",
        )


def members_agree(feature: Mapping[str, Any]) -> None:
    """A cluster holds its representative and the members that are named."""
    size, members = feature["cluster_size"], feature["members"] or ()
    if (feature["cluster"] is None) != (size is None):
        raise MismatchError(f"expected it together with the cluster, got {told(size)}", "cluster_size")
    at_most(len(members), (size or 1) - 1, "members", "other members that the cluster has")


def redundancy_agrees(found: Mapping[str, Any]) -> None:
    """There is a row and a column for each of two features or more."""
    names = found["names"]
    require(len(names) > 1, "names", f"expected at least 2 of them, got {told(names)}")
    for name in ("indices", "values"):
        same_number(found[name], names, name, "names")
    for place, row in enumerate(found["values"]):
        same_number(row, names, f"values[{place}]", "names")


def ranks_agree(weights: Mapping[str, Any]) -> None:
    """Ranks rise from the first, and are no more than were ranked."""
    ranks = [row[0] for row in weights["ranked"]]
    rising(ranks, "ranked", "rank")
    at_most(weights["n_positive"], weights["n_ranked"], "n_positive", "features ranked")
    require(
        (ranks[:1], ranks[-1:]) == (([1], [weights["n_ranked"]]) if weights["n_ranked"] else ([], [])),
        "ranked",
        f"expected ranks from 1 to {weights['n_ranked']:,}, the number of features ranked, got other ones",
    )


def clusters_agree(clusters: Mapping[str, Any]) -> None:
    """Bars lie side by side within the width that all features have."""
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
            at_most(end, n, where, "features there are")
    for at, feature in enumerate(clusters["selected"]):
        below(feature, n, f"selected[{at}]", "features there are")
    for fate in DRAWN_FATES:
        found = clusters["fates"][fate]["features"]
        at_most(found, n, f"fates.{fate}.features", "features there are")


def interval_agrees(found: Mapping[str, Any]) -> None:
    """What is known lies between its bounds."""
    low, high = found.get("low"), found.get("high")
    middle = found.get("error", found.get("index"))
    known = [value for value in (low, middle, high) if value is not None]
    agree = all(a <= b + RECORD_ROUNDING * max(1.0, abs(b)) for a, b in pairwise(known))
    require(agree, "", f"expected it between low and high, got {', '.join(map(told, known))}")


def drawn_how(stability: Mapping[str, Any]) -> None:
    """Samples drawn anew are counted, or described."""
    require(bool(stability.get("resample")) or "n" in stability, "n", "expected, but it is missing")
    interval_agrees(stability)


def methods_agree(record: Mapping[str, Any]) -> None:
    """Numbers of features rise along a curve and are no more than there are; errors of classes are shares."""
    n, shares = record["data"]["n_features"], record["data"].get("task") == "classification"
    for place, method in enumerate(record["methods"]):
        where, curve = f"methods[{place}]", method.get("curve", ())
        rising([point["k"] for point in curve], f"{where}.curve", "k")
        some = {f"curve[{at}]": point for at, point in enumerate(curve)}
        some |= {name: method[name] for name in ("best", "smallest", "nested") if method.get(name)}
        for name, point in some.items():
            k, error = point.get("k"), point["error"]
            if name != "nested":
                at_most(k, n, f"{where}.{name}.k", "features there are")
            require(
                not shares or error is None or error <= 1 + RECORD_ROUNDING,
                f"{where}.{name}.error",
                f"expected a share of the samples, from 0 to 1, got {told(error)}",
            )


def at_most(found: int, most: int, place: str, what: str) -> None:
    if found > most:
        raise MismatchError(f"expected at most {most:,}, the number of {what}, got {told(found)}", place)


def below(found: int, end: int, place: str, what: str) -> None:
    if found >= end:
        raise MismatchError(f"expected less than {end:,}, the number of {what}, got {told(found)}", place)


def same_number(some: Sequence[Any], others: Sequence[Any], place: str, what: str) -> None:
    if len(some) != len(others):
        raise MismatchError(
            f"expected a list of {len(others):,}, the number of {what}, got {told(some)}", place
        )


def rising(values: Iterable[float], place: str, what: str) -> None:
    for a, b in pairwise(values):
        if not a < b:
            raise MismatchError(f"expected {what} in rising order, got {told(b)} after {told(a)}", place)
