"""Which methods are compared at the head of the page, and which variants each default was chosen from.

Names are those of `methods.py`.
"""

from __future__ import annotations

OURS = {
    "QPFS": "QPFS rank nearest",
    "TLKM-QPFS": "TLKM rank relevance c200 f100 r0.4 nearest",
    "IKM-QPFS": "IKM rank relevance r0.4 f100 s50 nearest",
    "IKMA-QPFS": "IKMA rank relevance r0.4 f100 s50 nearest",
    "mRMR": "MRMR rank difference",
    "mRMR, nearest": "MRMR rank nearest",
    "JMI": "JMI mi3",
    "CMIM": "CMIM mi3",
    "MaxRel": "MaxRel rank",
}
AS_PUBLISHED = {
    "QPFS": "QPFS mi-pub",
    "TLKM-QPFS": "TLKM mi-pub leaders c100",
    "IKM-QPFS": "IKM mi-pub leaders r0.8 f15 s15",
    "IKMA-QPFS": "IKMA mi-pub leaders r0.8 f15 s15",
    "mRMR": "MRMR mi-pub difference",
    "MaxRel": "MaxRel mi-pub",
}
BY_WEIGHT = (
    "QPFS rank",
    "TLKM rank relevance c200 f100 r0.4",
    "IKM rank relevance r0.4 f100 s50",
    "IKMA rank relevance r0.4 f100 s50",
)
RIVALS = {
    "RFE, linear SVM": "RFE",
    "L1 SVM": "L1",
    "F test": "F test",
    "random forest": "forest",
    "fastcan": "fastcan",
    "HSIC Lasso": "HSIC Lasso",
    "ReliefF": "ReliefF",
}
HEADLINE: dict[str, tuple[str, str]] = {  # name of the method: label, kind
    **{name: (label, "ours") for label, name in OURS.items()},
    **{name: (f"{label}, published", "published") for label, name in AS_PUBLISHED.items()},
    **{name: (label, "rival") for label, name in RIVALS.items()},
}

# For each question the variants that answer it; all else is equal among them.
QUESTIONS: dict[str, tuple[str, ...]] = {
    "Measure and bins, exact QPFS, order by weight": tuple(
        f"QPFS {one}"
        for one in (
            "rank",
            "rank2",
            "correlation",
            "chi2-3",
            "mi2",
            "mi3",
            "mi4",
            "mi5",
            "mi-width3",
            "mi-pub",
        )
    ),
    "The same, order by nearest": tuple(
        f"QPFS {one} nearest"
        for one in (
            "rank",
            "rank2",
            "correlation",
            "chi2-3",
            "mi2",
            "mi3",
            "mi4",
            "mi5",
            "mi-width3",
            "mi-pub",
        )
    ),
    "Order of the first k, exact QPFS": (
        "QPFS rank",
        "QPFS rank nearest",
        "QPFS rank mean",
        "QPFS rank path",
        "QPFS mi3",
        "QPFS mi3 nearest",
        "QPFS mi3 mean",
        "QPFS mi3 path",
    ),
    "theta, exact QPFS": (
        "QPFS rank",
        "QPFS rank theta=0.3",
        "QPFS rank theta=0.7",
        "QPFS rank nearest",
        "QPFS rank theta=0.3 nearest",
        "QPFS rank theta=0.7 nearest",
        "QPFS mi3 nearest",
        "QPFS mi3 theta=0.3 nearest",
        "QPFS mi3 theta=0.7 nearest",
    ),
    "Scheme and measure, mRMR": tuple(
        f"MRMR {measure} {scheme}"
        for measure in ("rank", "rank2", "mi3", "mi-pub")
        for scheme in ("difference", "quotient", "nearest")
    ),
    "Measure, MaxRel": ("MaxRel rank", "MaxRel mi3", "MaxRel mi-pub"),
    "Bins, JMI and CMIM": (
        "JMI mi2",
        "JMI mi3",
        "JMI mi4",
        "JMI mi-pub",
        "CMIM mi2",
        "CMIM mi3",
        "CMIM mi-pub",
    ),
    **{
        f"Radius, first centres, numbers of clusters, {kind}": (
            f"{kind} rank relevance r0.4 f100 s50 nearest",
            f"{kind} rank relevance r0.4 f100 s50",
            f"{kind} rank relevance r0.4 f100 s50 mean",
            *(f"{kind} rank relevance r{r} f100 s50 nearest" for r in (0.3, 0.5, 0.6, 0.8)),
            *(f"{kind} rank leaders r{r} f100 s50 nearest" for r in (0.3, 0.4, 0.5, 0.6)),
            *(f"{kind} rank relevance r0.4 f{n} s50 nearest" for n in (15, 50, 200)),
            *(f"{kind} rank relevance r0.4 f100 s{n} nearest" for n in (5, 15)),
            f"{kind} rank relevance r0.4 f15 s15 nearest",
            f"{kind} rank relevance r0.4 f50 s15 nearest",
            f"{kind} rank leaders r0.4 f15 s15",
            f"{kind} mi3 relevance r0.8 f100 s50 nearest",
            f"{kind} mi3 leaders r0.8 f15 s15",
            f"{kind} mi3 leaders r0.8 f15 s15 nearest",
            f"{kind} mi-pub leaders r0.8 f15 s15",
        )
        for kind in ("IKM", "IKMA")
    },
    "First centres, numbers of clusters, radius, TLKM": (
        *(f"TLKM rank relevance c{n} nearest" for n in (50, 100, 200, 400)),
        *(f"TLKM rank leaders c{n} nearest" for n in (100, 200)),
        "TLKM rank relevance c200",
        "TLKM rank relevance c200 mean",
        "TLKM rank relevance c200 f100 r0.4 mean",
        "TLKM rank relevance c200 f100 r0.4",
        *(f"TLKM rank relevance c200 f{n} nearest" for n in (50, 100)),
        *(f"TLKM rank relevance c{n} f100 r{r} nearest" for n in (100, 200) for r in (0.3, 0.4, 0.5)),
        *(f"TLKM mi3 {init} c{n} nearest" for init in ("relevance", "leaders") for n in (100, 200)),
        "TLKM mi3 leaders c100",
        "TLKM mi-pub leaders c100",
    ),
}
