"""A measure: how much better one feature is guessed by one who knows the other (the Gini gain)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from qpfs.information import CountMeasure, Words


class Gains(NamedTuple):
    """What the loops are compiled with."""

    unit: float
    n_samples: float

    def cell(self, n_ab: Any, n_a: Any, n_b: Any) -> Any:
        """What the samples at level a of one feature and b of the other add, as an integer; symmetric."""
        n = np.float64(n_ab) / self.n_samples
        a, b = max(n_a, 1) / self.n_samples, max(n_b, 1) / self.n_samples  # in a stratum a level may be empty
        return np.int64(np.rint(self.unit * n * ((n / a + n / b) - (a + b)) / 2))

    def finish(self, total: Any, own_a: Any, own_b: Any) -> Any:
        """The number that a total stands for, given those of the two features with themselves."""
        largest = max(own_a, own_b)
        return max(total, 0) / largest if largest > 0 else 0.0


@dataclass(frozen=True)
class Gini(CountMeasure):
    """The mean of both ways, as a share of the larger impurity."""

    bits: int = 50

    name = "gini"
    convex = False  # whether the matrix of any features is positive semi-definite by construction
    words = Words(
        title="the symmetric Gini gain",
        distance="the distance 1 − G(f, g)",
        shared="their Gini gain as a share of the larger impurity",
    )

    def tables(self, n_samples: int) -> Gains:
        return Gains(2.0**self.bits, float(n_samples))


GINI = Gini()  # what is registered


def twin(f: list[Any], g: list[Any]) -> float:
    """The definition, slowly; the laws compare with it."""
    n, of_f, of_g = len(f), Counter(f), Counter(g)
    both = Counter(zip(f, g, strict=True)).items()
    known = sum(count**2 * (1 / of_f[a] + 1 / of_g[b]) / n for (a, b), count in both)
    alone = [sum((count / n) ** 2 for count in of.values()) for of in (of_f, of_g)]
    impurity = 1 - min(alone)
    return (known - sum(alone)) / 2 / impurity if impurity > 0 else 0.0
