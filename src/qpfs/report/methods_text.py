"""A methods paragraph ready for a paper, with its references, from a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qpfs.report.numbers import counted, listed, rounded, short
from qpfs.report.words import at_fixed_levels, drawn_words, gap_text, interval_words

REFERENCES = {
    "qpfs": "Rodriguez-Lujan I, Huerta R, Elkan C, Santa Cruz C. Quadratic programming feature selection. "
    "Journal of Machine Learning Research 11:1491–1516, 2010.",
    "clustered": "Prasad Y, Biswas KK. Integrating K-means with quadratic programming feature selection. "
    "arXiv:1505.01728, 2015.",
    "mrmr": "Peng H, Long F, Ding C. Feature selection based on mutual information: criteria of "
    "max-dependency, max-relevance, and min-redundancy. IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 27(8):1226–1238, 2005.",
    "fgm": "Tan M, Wang L, Tsang IW. Learning sparse SVM for feature selection on very high dimensional "
    "datasets. Proceedings of the 27th International Conference on Machine Learning, 2010.",
    "gdm": "Zhai Y, Tan M, Tsang IW, Ong Y-S. Discovering support and affiliated features from very high "
    "dimensions. Proceedings of the 29th International Conference on Machine Learning, 2012.",
    "stability": "Nogueira S, Sechidis K, Brown G. On the stability of feature selection algorithms. "
    "Journal of Machine Learning Research 18(174):1–54, 2018.",
    "sklearn": "Pedregosa F, Varoquaux G, Gramfort A, et al. Scikit-learn: machine learning in Python. "
    "Journal of Machine Learning Research 12:2825–2830, 2011.",
}


class Cited:
    """Numbers references in the order in which they are cited."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def __call__(self, key: str) -> str:
        if key not in self.keys:
            self.keys.append(key)
        return f"[{self.keys.index(key) + 1}]"

    @property
    def references(self) -> list[str]:
        return [REFERENCES[key] for key in self.keys]


def methods_text(record: dict[str, Any]) -> dict[str, Any]:
    """The paragraph and the references it cites."""
    cite = Cited()
    name = record["method"]["name"].removesuffix("-cv")
    sentences = [
        SENTENCES.get(name, other_method)(record, cite),
        weighed(record),
        cut(record, name),
        searched(record),
        outcome(record),
        stable(record, cite),
        software(record, cite),
    ]
    return {"text": " ".join(one for one in sentences if one), "references": cite.references}


def of_data(record: dict[str, Any]) -> str:
    data = record["data"]
    features = counted(data["n_features"], "candidate feature")
    return f"{features} measured in {counted(data['n_samples'], 'sample')}"


def value_of(record: Mapping[str, Any], name: str) -> Any:
    method = record["method"]
    return method.get("chosen", {}).get(name, method["parameters"].get(name))


def measure_of(record: dict[str, Any]) -> str:
    return str(record["method"]["measure"]["title"])


def program(record: dict[str, Any], cite: Cited) -> str:
    return (
        f"Features were selected from {of_data(record)} by quadratic programming feature selection (QPFS) "
        f"{cite('qpfs')}, which finds nonnegative weights that sum to one and trade the relevance of "
        "features to the target against their redundancy with one another, both measured by "
        f"{measure_of(record)}."
    )


def nystrom(record: dict[str, Any], cite: Cited) -> str:
    share = f"{100 * value_of(record, 'sampling_rate'):g} %"
    corrected = ", its diagonal corrected" if value_of(record, "diagonal_correction") else ""
    return (
        f"{program(record, cite)} The redundancy matrix was replaced by its Nyström approximation from a "
        f"random {share} of the features{corrected}."
    )


def clustered(record: dict[str, Any], cite: Cited) -> str:
    title = record["method"]["title"].removesuffix(" (CV)")
    return (
        f"Features were selected from {of_data(record)} by {title} {cite('clustered')}. {rounds(record)} The "
        "features that stand for a cluster were weighed by quadratic programming feature selection "
        f"{cite('qpfs')}, which trades relevance to the target against redundancy, both measured by "
        f"{measure_of(record)}."
    )


def rounds(record: dict[str, Any]) -> str:
    """How the clusters came about."""
    name = record["method"]["name"].removesuffix("-cv")
    apart = record["method"]["measure"]["distance"]
    if name == "tlkm":
        n = value_of(record, "n_clusters")
        return f"Features were clustered by two-level k-means under {apart} (about {n} clusters)."
    end = "once its radius was small" if name == "ikm" else "at once"
    return (
        f"Features were clustered by k-means under {apart}, starting from {value_of(record, 'n_first')} "
        f"clusters; a cluster of radius above {value_of(record, 'radius'):g} was split into "
        f"{value_of(record, 'n_split')}, and one whose representative received no weight was discarded {end}."
    )


def composed(record: dict[str, Any], cite: Cited) -> str:
    kind = (
        "in one round" if record["method"]["name"] == "two-level" else "in turns until no cluster was split"
    )
    clusterer, criterion = value_of(record, "clusterer"), value_of(record, "criterion")
    return (
        f"Features were selected from {of_data(record)} by clustering like features "
        f"({clusterer or 'k-means of features'}) and weighing those that stand for a cluster "
        f"({criterion or 'QPFS'}), {kind}, in the framework of {cite('clustered')}."
    )


def mrmr(record: dict[str, Any], cite: Cited) -> str:
    return (
        f"Features were selected from {of_data(record)} by minimum-redundancy maximum-relevance (mRMR) "
        f"{cite('mrmr')} in its {value_of(record, 'scheme')} form: one after another, each with the best "
        "balance of relevance to the target and mean redundancy with those already taken, both measured by "
        f"{measure_of(record)}."
    )


def maxrel(record: dict[str, Any], cite: Cited) -> str:
    return (
        f"Features were ranked from {of_data(record)} by their relevance to the target alone (MaxRel) "
        f"{cite('mrmr')}, measured by {measure_of(record)}."
    )


def fgm(record: dict[str, Any], cite: Cited) -> str:
    return (
        f"Features were selected from {of_data(record)} by the feature generating machine (FGM) "
        f"{cite('fgm')}, a sparse linear support vector machine trained by cutting planes: in each round the "
        f"{value_of(record, 'n_per_step')} features that violate most were added ({machine(record)})."
    )


def gdm(record: dict[str, Any], cite: Cited) -> str:
    return (
        f"Features were selected from {of_data(record)} by the group discovery machine (GDM) {cite('gdm')}, "
        "as reconstructed from its publication: a sparse linear support vector machine trained by cutting "
        f"planes, whose groups of {value_of(record, 'n_per_step')} features correlate by at most "
        f"{value_of(record, 'max_correlation'):g} ({machine(record)}), searched greedily."
    )


def machine(record: dict[str, Any]) -> str:
    loss = str(value_of(record, "loss")).replace("_", " ")
    return f"C = {short(value_of(record, 'C'))}, {loss} loss"


def other_method(record: dict[str, Any], cite: Cited) -> str:
    return f"Features were selected from {of_data(record)} by {record['method']['title']}."


SENTENCES = {
    "qpfs": program,
    "nystrom": nystrom,
    "tlkm": clustered,
    "ikm": clustered,
    "ikma": clustered,
    "two-level": composed,
    "interleaved": composed,
    "mrmr": mrmr,
    "maxrel": maxrel,
    "fgm": fgm,
    "gdm": gdm,
}


def weighed(record: dict[str, Any]) -> str:
    """theta and the certificate of the program."""
    certificate = record["certificate"]
    if "theta" not in certificate:
        return ""
    text = f"The trade-off parameter was θ = {certificate['theta']:.3f}, {origin(record)}."
    if "gap" not in certificate:
        return text
    proved = {"optimal": " and is proved optimal", "stationary": " (a stationary point)"}
    status = proved.get(str(certificate.get("status")), "")
    return f"{text} The program was solved to a Frank–Wolfe gap {gap_words(certificate['gap'])}{status}."


def origin(record: dict[str, Any]) -> str:
    """Where theta comes from."""
    if "theta" in record["method"].get("chosen", {}):
        return "chosen by cross-validation"
    if value_of(record, "theta") in (None, "auto"):
        return "set so that relevance and redundancy weigh the same on average"
    return "as chosen beforehand"


def gap_words(gap: float) -> str:
    return f"below {gap_text(gap)}" if gap < 1e-12 else f"of {gap_text(gap)}"


def cut(record: dict[str, Any], name: str) -> str:
    """How numbers became levels."""
    if name in ("fgm", "gdm"):
        return ""
    text = str(record["levels"]["text"])
    return text if record["levels"]["rule"] != "none" else ""


def searched(record: dict[str, Any]) -> str:
    """What cross-validation has chosen."""
    chosen = record["method"].get("chosen")
    if not chosen:
        return ""
    parts = [
        f"{key} = {short(value) if isinstance(value, float) else value}" for key, value in chosen.items()
    ]
    return f"Parameters were chosen by cross-validation: {listed(parts)}."


def outcome(record: dict[str, Any]) -> str:
    n, weighted = record["n_selected"], record["n_weighted"]
    asked = value_of(record, "n_features_to_select")
    have = "has" if n == 1 else "have"
    if asked is None and n == weighted:
        return f"{counted(n, 'feature')} {have} positive weight and {'was' if n == 1 else 'were'} selected."
    return f"The best {counted(n, 'feature')} {'was' if n == 1 else 'were'} selected."


def stable(record: dict[str, Any], cite: Cited) -> str:
    stability = record["stability"]
    if not stability or stability["index"] is None:
        return ""
    interval = interval_words(stability, "confidence interval")
    fixed = ", at the levels of all samples," if at_fixed_levels(stability) else ""
    return (
        f"Over {drawn_words(stability)}{fixed} the stability of the selection {cite('stability')} was "
        f"{rounded(stability['index'])}{interval}."
    )


def software(record: dict[str, Any], cite: Cited) -> str:
    versions = record["versions"]
    learn = (
        f" and scikit-learn {versions['scikit-learn']} {cite('sklearn')}"
        if "scikit-learn" in versions
        else ""
    )
    return f"Computations used qpfs {record['qpfs']}{learn}."
