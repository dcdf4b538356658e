"""Data by name: what there is, where it comes from, and how it differs from what the paper used."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from qpfs.data.errors import UsageError


@dataclass(frozen=True)
class Entry:
    """A named data set.

    Attributes
    ----------
    name, title : str
        What to ask for, and what it is.
    n_samples, n_features : int
        Its shape.
    classes : tuple of (str, int)
        The classes with their numbers of samples; none for a quantity.
    source, licence : str
        Where the data come from, and under what terms as far as known.
    differs : str
        How they differ from the data of the same name in the paper.
    how : str
        How to get them.
    loader : str or None
        The function of `sklearn.datasets` that loads them, for built-in sets.
    in_islp : bool
        Whether the package ISLP has them.
    public : bool
        False if no public copy is known.

    Examples
    --------
    >>> from qpfs.data import entry
    >>> wdbc = entry("wdbc")
    >>> wdbc.n_samples, wdbc.n_features, wdbc.classes
    (569, 30, (('malignant', 212), ('benign', 357)))
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    classes: tuple[tuple[str, int], ...]
    source: str
    licence: str
    differs: str
    how: str
    loader: str | None = None
    in_islp: bool = False
    public: bool = True


NOT_IN_PAPER = "not in the paper"
BUILT_IN_LICENCE = "as scikit-learn distributes it"
BUILT_IN_HOW = "built in, through scikit-learn"
DATAMICROARRAY = "R package datamicroarray on GitHub (ramhiser/datamicroarray)"

ENTRIES = (
    Entry(
        "wdbc",
        "Breast Cancer Wisconsin (Diagnostic)",
        569,
        30,
        (("malignant", 212), ("benign", 357)),
        "UCI, through scikit-learn's load_breast_cancer",
        f"{BUILT_IN_LICENCE}; CC BY 4.0 at UCI (unverified)",
        "the same data",
        f"{BUILT_IN_HOW}; OpenML has it as openml:1510",
        loader="load_breast_cancer",
    ),
    Entry(
        "digits",
        "Handwritten digits, 8 x 8 pixels",
        1797,
        64,
        tuple(zip("0123456789", (178, 182, 177, 183, 181, 182, 181, 179, 174, 180), strict=True)),
        "UCI, through scikit-learn's load_digits",
        BUILT_IN_LICENCE,
        NOT_IN_PAPER,
        BUILT_IN_HOW,
        loader="load_digits",
    ),
    Entry(
        "wine",
        "Wine: chemistry of three cultivars",
        178,
        13,
        (("class_0", 59), ("class_1", 71), ("class_2", 48)),
        "UCI, through scikit-learn's load_wine",
        BUILT_IN_LICENCE,
        NOT_IN_PAPER,
        BUILT_IN_HOW,
        loader="load_wine",
    ),
    Entry(
        "iris",
        "Iris flowers",
        150,
        4,
        (("setosa", 50), ("versicolor", 50), ("virginica", 50)),
        "Fisher 1936, through scikit-learn's load_iris",
        BUILT_IN_LICENCE,
        NOT_IN_PAPER,
        BUILT_IN_HOW,
        loader="load_iris",
    ),
    Entry(
        "diabetes",
        "Diabetes: progression after a year, a quantity",
        442,
        10,
        (),
        "Efron et al. 2004, through scikit-learn's load_diabetes",
        BUILT_IN_LICENCE,
        NOT_IN_PAPER,
        BUILT_IN_HOW,
        loader="load_diabetes",
    ),
    Entry(
        "colon",
        "Colon: tumour and normal tissue, Affymetrix array",
        62,
        2000,
        (("normal", 22), ("tumor", 40)),
        f"Alon et al. 1999; {DATAMICROARRAY}",
        "MIT (the package); none stated for the data",
        "the same samples and genes, as continuous values",
        "colon.npz in the data folder; R package plsgenomics (CRAN) has it",
    ),
    Entry(
        "srbct",
        "Small round blue cell tumours, cDNA array",
        63,
        2308,
        (("BL", 8), ("EWS", 23), ("NB", 12), ("RMS", 20)),
        "Khan et al. 2001, training set; Python package ISLP",
        "that of the package ISLP (a BSD-style text)",
        "the same data (logarithms of ratios)",
        "pip install --no-deps ISLP, and it is read from there; or srbct.npz in the data folder",
        in_islp=True,
    ),
    Entry(
        "lymphoma",
        "Diffuse large B-cell lymphoma: two types, cDNA array",
        45,
        4026,
        (("GCB", 22), ("ABC", 23)),
        "Alizadeh et al. 2000, put together from two public copies",
        "none stated",
        "very probably the same data: rebuilt, the labels of 3 of the 45 samples (cell lines) inferred",
        "lymphoma.npz in the data folder; the form in R package spls (CRAN) has 62 samples of three classes",
    ),
    Entry(
        "leukemia",
        "Leukemia: ALL and AML, Affymetrix array",
        72,
        7129,
        (("ALL", 47), ("AML", 25)),
        f"Golub et al. 1999; {DATAMICROARRAY}",
        "MIT (the package); none stated for the data",
        "the same data, as raw intensities; the 38 samples of the original training set come first",
        "leukemia.npz in the data folder; OpenML may have it as openml:1104 (unverified)",
    ),
    Entry(
        "mnist38",
        "MNIST: digits 3 and 8",
        13966,
        784,
        (("3", 7141), ("8", 6825)),
        "LeCun et al.; the four original files",
        "none stated",
        "the same data, with the official split (11982 for training, 1984 for testing)",
        "mnist38.npz in the data folder; all ten digits are openml:554 (unverified)",
    ),
    Entry(
        "usps",
        "USPS of the semi-supervised learning benchmark",
        1500,
        241,
        (("-1", 1200), ("+1", 300)),
        "Chapelle, Schoelkopf and Zien 2006",
        "none stated for the data",
        "the same data; OpenML's USPS (41082, unverified) is another set, with ten classes",
        "usps.npz in the data folder",
    ),
    Entry(
        "rac",
        "RAC: the eighth set of the paper",
        33,
        48701,
        (),
        "not publicly matched; its shape fits GEO series GSE15573, which is an inference: the paper gives no "
        "accession",
        "unknown",
        "not at hand: rac_standin_borovecki and rac_standin_hsmm are other data, for size and shape only",
        "no public copy is known",
        public=False,
    ),
    Entry(
        "rac_standin_borovecki",
        "Huntington's disease and control, blood, Affymetrix array",
        31,
        22283,
        (("control", 14), ("symptomatic", 17)),
        f"Borovecki et al. 2005; {DATAMICROARRAY}",
        "MIT (the package); none stated for the data",
        "not the paper's RAC: a stand-in of like setting, with half of its features",
        "rac_standin_borovecki.npz in the data folder",
    ),
    Entry(
        "rac_standin_hsmm",
        "Myoblasts at 0 and 72 hours, single-cell RNA sequencing",
        118,
        47192,
        (("0h", 69), ("72h", 49)),
        "Trapnell et al. 2014; Bioconductor package HSMMSingleCell",
        "Artistic-2.0",
        "not the paper's RAC: a stand-in with nearly as many features, 23052 of them constant",
        "rac_standin_hsmm.npz in the data folder",
    ),
)

BUILT_IN = tuple(one.name for one in ENTRIES if one.loader)


def entries() -> list[Entry]:
    """All data sets that have a name here.

    Returns
    -------
    entries : list of Entry
        Built-in ones first.

    Examples
    --------
    >>> from qpfs.data import entries
    >>> [one.name for one in entries()][:6]
    ['wdbc', 'digits', 'wine', 'iris', 'diabetes', 'colon']
    """
    return list(ENTRIES)


def entry(name: str) -> Entry:
    """The data set of a name, in capitals or not.

    Parameters
    ----------
    name : str
        As in the list of entries.

    Returns
    -------
    entry : Entry
        What is known of it.

    Examples
    --------
    >>> from qpfs.data import entry
    >>> entry("Colon").n_features
    2000
    """
    found = known(name)
    if found is None:
        names = [one.name for one in ENTRIES]
        close = get_close_matches(name.lower(), names, n=2)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(names)}."
        raise UsageError(f"There is no data set {name!r}; {hint}")
    return found


def known(name: str) -> Entry | None:
    return next((one for one in ENTRIES if one.name == name.lower()), None)
