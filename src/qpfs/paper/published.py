"""The numbers of the publication: Prasad and Biswas, arXiv 1505.01728.

Sets and methods go by the names used here; None stands where the publication has a dash. Where QPFS ran out
of memory (RAC) the publication gives QPFS with Nystrom in its column.
"""

from __future__ import annotations

from typing import NamedTuple

CITATION = (
    "Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection. "
    "arXiv:1505.01728, 2015."
)
MACHINE = "Intel Core i7, 3.10 GHz, 8 GB of memory"


class Shape(NamedTuple):
    """A line of the publication's Table 1."""

    n_samples: int
    n_features: int
    n_classes: int


Row = tuple[float | None, ...]

SETS = {
    "wdbc": "WDBC",
    "colon": "Colon",
    "srbct": "SRBCT",
    "lymphoma": "Lymphoma",
    "leukemia": "Leukemia",
    "rac": "RAC",
    "mnist38": "MNIST",
    "usps": "USPS",
}
METHODS = {
    "qpfs": "QPFS",
    "fgm": "FGM",
    "gdm": "GDM",
    "tlkm": "TLKM-QPFS",
    "ikm": "IKM-QPFS",
    "ikma": "IKMA-QPFS",
}
SHAPES = {
    "wdbc": Shape(569, 30, 2),
    "colon": Shape(62, 2000, 2),
    "srbct": Shape(63, 2308, 4),
    "lymphoma": Shape(45, 4026, 2),
    "leukemia": Shape(72, 7129, 2),
    "rac": Shape(33, 48701, 2),
    "mnist38": Shape(13966, 784, 2),
    "usps": Shape(1500, 241, 2),
}

# Columns of the next four in the order of METHODS.
SECONDS: dict[str, Row] = {
    "colon": (104.90, 2.04, 0.46, 0.44, 1.39, 0.76),
    "srbct": (164.42, None, None, 11.65, 15.22, 5.91),
    "lymphoma": (938.73, 0.21, 1.30, 32.68, 12.41, 2.13),
    "leukemia": (4864.69, 0.46, 5.91, 17.06, 38.35, 38.20),
    "rac": (9385.90, 0.55, 126.82, 46.43, 31.03, 38.89),
    "mnist38": (161.69, 984.16, 268.35, 80.37, 60.51, 53.28),
    "usps": (1.34, 18.50, 3.75, 0.84, 0.80, 0.81),
}
KILOBYTES: dict[str, Row] = {
    "wdbc": (544, 1524, 1068, 500, 524, 524),
    "colon": (84472, 3824, 2472, 9727, 10075, 9884),
    "srbct": (100418, None, None, 12279, 12703, 11231),
    "lymphoma": (191549, 4452, 2936, 14963, 12504, 10428),
    "leukemia": (636103, 10164, 5808, 13874, 12503, 10427),
    "rac": (1456437, 27284, 17220, 25879, 21807, 19035),
    "mnist38": (97076, 253264, 88360, 97111, 97111, 97111),
    "usps": (40138, 14540, 4628, 33435, 10394, 10394),
}
LOWEST: dict[str, Row] = {  # error in percent
    "wdbc": (3.28, 3.49, 3.26, 3.5, 3.20, 3.20),
    "colon": (12.9, 11.29, 16.13, 11.29, 9.68, 8.06),
    "srbct": (0.00, None, None, 0.00, 0.00, 0.00),
    "lymphoma": (0.00, 2.22, 6.67, 0.00, 0.00, 0.00),
    "leukemia": (2.78, 11.11, 16.67, 1.39, 0.00, 0.00),
    "rac": (0.00, 6.06, 0.00, 0.00, 0.00, 0.00),
    "mnist38": (4.13, 4.69, 4.99, 3.83, 3.48, 3.43),
    "usps": (9.02, 9.86, 10.1, 9.49, 8.27, 8.27),
}
LOWEST_AT: dict[str, Row] = {  # number of features that the lowest error is reached with
    "wdbc": (21, 29, 25, 14, 10, 10),
    "colon": (5, 44, 6, 14, 35, 24),
    "srbct": (11, None, None, 9, 8, 8),
    "lymphoma": (17, 47, 100, 8, 7, 6),
    "leukemia": (24, 37, 38, 39, 34, 34),
    "rac": (10, 7, 4, 9, 7, 5),
    "mnist38": (95, 20, 75, 85, 99, 99),
    "usps": (93, 54, 64, 34, 67, 67),
}

TOPS = (10, 20, 30, 50, 100)
ERRORS: dict[str, dict[str, Row]] = {  # in percent, at TOPS
    "wdbc": {
        "qpfs": (6.07, 3.41, 3.49, None, None),
        "fgm": (3.61, 3.64, 3.49, None, None),
        "gdm": (4.54, 3.72, 3.36, None, None),
        "tlkm": (4.43, 3.72, None, None, None),
        "ikm": (3.20, 3.43, None, None, None),
        "ikma": (3.20, 3.43, None, None, None),
    },
    "colon": {
        "qpfs": (14.52, 24.19, 19.36, 20.97, 24.19),
        "fgm": (19.36, 16.13, 16.13, 17.74, 14.52),
        "gdm": (22.58, 30.65, 30.65, 25.81, 24.19),
        "tlkm": (20.97, 14.52, 14.52, 17.74, 17.74),
        "ikm": (17.74, 22.58, 14.52, 14.52, 19.35),
        "ikma": (16.13, 12.90, 16.13, 22.58, 20.97),
    },
    "srbct": {
        "qpfs": (3.18, 0.00, 0.00, 0.00, 0.00),
        "fgm": (None, None, None, None, None),
        "gdm": (None, None, None, None, None),
        "tlkm": (1.59, 0.00, 1.59, 0.00, 0.00),
        "ikm": (0.00, 0.00, 0.00, 0.00, 0.00),
        "ikma": (0.00, 0.00, 0.00, 0.00, 1.59),
    },
    "lymphoma": {
        "qpfs": (8.89, 2.22, 0.00, 0.00, 0.00),
        "fgm": (6.67, 8.89, 8.89, 8.89, 4.44),
        "gdm": (17.78, 28.89, 33.33, 28.89, 6.67),
        "tlkm": (4.44, 0.00, 0.00, 0.00, 0.00),
        "ikm": (8.89, 0.00, 0.00, 0.00, 0.00),
        "ikma": (0.00, 0.00, 0.00, 0.00, 4.44),
    },
    "leukemia": {
        "qpfs": (13.89, 9.72, 5.56, 6.94, 5.56),
        "fgm": (20.83, 19.44, 19.44, 13.85, 13.89),
        "gdm": (18.06, 25.00, 31.94, 18.06, 27.78),
        "tlkm": (18.06, 15.28, 4.17, 5.56, 5.56),
        "ikm": (13.89, 13.89, 6.94, 4.17, 4.17),
        "ikma": (13.89, 13.89, 6.94, 4.17, 4.17),
    },
    "rac": {
        "qpfs": (0.00, 0.00, 3.03, 0.00, 0.00),
        "fgm": (9.09, 9.09, 15.15, 15.15, 18.18),
        "gdm": (3.03, 9.09, 9.09, 24.24, 12.5),
        "tlkm": (0.00, 0.00, 0.00, 0.00, 0.00),
        "ikm": (0.00, 0.00, 0.00, 0.00, 0.00),
        "ikma": (0.00, 3.03, 9.09, 9.09, None),
    },
    "mnist38": {
        "qpfs": (15.83, 9.47, 6.25, 5.40, 4.83),
        "fgm": (6.20, 4.69, 8.42, 9.32, 14.77),
        "gdm": (5.79, 5.79, 5.79, 5.79, 5.85),
        "tlkm": (10.18, 6.40, 5.99, 4.89, 4.03),
        "ikm": (15.73, 5.50, 4.99, 4.3, 3.53),
        "ikma": (15.32, 6.15, 4.33, 4.74, 3.48),
    },
    "usps": {
        "qpfs": (16.41, 13.13, 12.06, 11.65, 9.20),
        "fgm": (12.82, 10.96, 11.13, 9.89, 10.30),
        "gdm": (10.37, 10.33, 10.45, 10.39, 11.23),
        "tlkm": (16.51, 11.76, 9.96, 9.83, 9.89),
        "ikm": (18.49, 15.99, 11.76, 9.20, 9.32),
        "ikma": (18.48, 15.98, 11.76, 9.20, 9.32),
    },
}

# What the publication says about its parameters.
THETAS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
RADII = (0.70, 0.99, 0.01)  # tau: first, last, step
N_CLUSTERS = (5, 1000, 5)  # k of TLKM-QPFS: first, last, step
N_FIRST = (3, 150)  # k' of IKM- and IKMA-QPFS: first, last
SAMPLING_RATE = 0.05  # rho of the Nystrom method, on RAC
N_SPLITS, TRAIN_SHARE = 100, 0.6  # of WDBC and USPS
MNIST_ROWS = (11982, 1984)  # to learn from, to be tested on
FIGURE_4_N_FIRST, FIGURE_5_RADIUS = 15, 0.8


def value(table: dict[str, Row], name: str, method: str) -> float | None:
    """The entry of a table by set and method; None where there is none."""
    if name not in table or method not in METHODS:
        return None
    return table[name][tuple(METHODS).index(method)]


def error_at(name: str, method: str, k: int) -> float | None:
    """The error in percent at k features; None where there is none."""
    row = ERRORS.get(name, {}).get(method)
    return None if row is None else row[TOPS.index(k)]
