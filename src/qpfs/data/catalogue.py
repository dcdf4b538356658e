"""The data sets that come with scikit-learn, by name, with their sources."""

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
        The name to use, and a description.
    n_samples, n_features : int
        Its shape.
    classes : tuple of (str, int)
        The classes with their numbers of samples; none for a quantity.
    source, licence : str
        Where the data come from, and their terms of use as far as known.
    how : str
        How to get them.
    loader : str
        The function of `sklearn.datasets` that loads them.

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
    how: str
    loader: str


BUILT_IN_LICENCE = "as scikit-learn distributes it"
BUILT_IN_HOW = "built in, through scikit-learn"

ENTRIES = (
    Entry(
        "wdbc",
        "Breast Cancer Wisconsin (Diagnostic)",
        569,
        30,
        (("malignant", 212), ("benign", 357)),
        "UCI, through scikit-learn's load_breast_cancer",
        f"{BUILT_IN_LICENCE}; CC BY 4.0 at UCI (unverified)",
        f"{BUILT_IN_HOW}; OpenML has it as openml:1510",
        "load_breast_cancer",
    ),
    Entry(
        "digits",
        "Handwritten digits, 8 x 8 pixels",
        1797,
        64,
        tuple(zip("0123456789", (178, 182, 177, 183, 181, 182, 181, 179, 174, 180), strict=True)),
        "UCI, through scikit-learn's load_digits",
        BUILT_IN_LICENCE,
        BUILT_IN_HOW,
        "load_digits",
    ),
    Entry(
        "wine",
        "Wine: chemistry of three cultivars",
        178,
        13,
        (("class_0", 59), ("class_1", 71), ("class_2", 48)),
        "UCI, through scikit-learn's load_wine",
        BUILT_IN_LICENCE,
        BUILT_IN_HOW,
        "load_wine",
    ),
    Entry(
        "iris",
        "Iris flowers",
        150,
        4,
        (("setosa", 50), ("versicolor", 50), ("virginica", 50)),
        "Fisher 1936, through scikit-learn's load_iris",
        BUILT_IN_LICENCE,
        BUILT_IN_HOW,
        "load_iris",
    ),
    Entry(
        "diabetes",
        "Diabetes: progression after a year, a quantity",
        442,
        10,
        (),
        "Efron et al. 2004, through scikit-learn's load_diabetes",
        BUILT_IN_LICENCE,
        BUILT_IN_HOW,
        "load_diabetes",
    ),
)

BUILT_IN = tuple(one.name for one in ENTRIES)


def entries() -> list[Entry]:
    """All data sets that need no file.

    Returns
    -------
    entries : list of Entry
        The description of each.

    Examples
    --------
    >>> from qpfs.data import entries
    >>> [one.name for one in entries()]
    ['wdbc', 'digits', 'wine', 'iris', 'diabetes']
    """
    return list(ENTRIES)


def entry(name: str) -> Entry:
    """The data set with a name, in upper or lower case.

    Parameters
    ----------
    name : str
        As in the list of entries.

    Returns
    -------
    entry : Entry
        Its description.

    Examples
    --------
    >>> from qpfs.data import entry
    >>> entry("Wine").n_features
    13
    """
    found = known(name)
    if found is None:
        close = get_close_matches(name.lower(), BUILT_IN, n=2)
        hint = (
            f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(BUILT_IN)}."
        )
        raise UsageError(f"There is no data set {name!r}; {hint}")
    return found


def known(name: str) -> Entry | None:
    return next((one for one in ENTRIES if one.name == name.lower()), None)
