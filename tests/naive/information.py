"""What two columns share, straight from the definition: Python lists and sums."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import fsum, log, sqrt


def contingency(f, g):
    """How often each value of f meets each value of g, values ascending."""
    pairs = Counter(zip(f, g, strict=True))
    return [[pairs[a, b] for b in sorted(set(g))] for a in sorted(set(f))]


def entropy(f):
    n = len(f)
    return fsum(-count / n * log(count / n) for count in Counter(f).values())


def mutual_information(f, g):
    n, of_f, of_g = len(f), Counter(f), Counter(g)
    return fsum(
        count / n * log(n * count / (of_f[a] * of_g[b]))
        for (a, b), count in Counter(zip(f, g, strict=True)).items()
    )


def phi_square(f, g):
    of_f, of_g = Counter(f), Counter(g)
    cells = Counter(zip(f, g, strict=True)).items()
    return fsum(count**2 / (of_f[a] * of_g[b]) for (a, b), count in cells) - 1


@cache  # exact numbers are dear, and each column meets all the others
def centred(f):
    """The values less their mean; that is exact, for rounded it is wrong beside values that hardly differ."""
    f = [Fraction(x) for x in f]
    mean = sum(f) / len(f)
    return [float(x - mean) for x in f]


def correlation(f, g):
    """|Pearson correlation|; 0 with a constant."""
    if len(set(f)) == 1 or len(set(g)) == 1:
        return 0.0
    f, g = centred(tuple(f)), centred(tuple(g))
    product = fsum(x * y for x, y in zip(f, g, strict=True))
    # two roots, as the product of two sums of squares may be too large for a float
    return abs(product) / (sqrt(fsum(x * x for x in f)) * sqrt(fsum(y * y for y in g)))


def hall(f, labels):
    """The correlation with each class's indicator, weighted by the class's share."""
    return fsum(
        count / len(labels) * correlation(f, [float(label == one) for label in labels])
        for one, count in Counter(labels).items()
    )


# By the names of the measures: of two features, and of a feature and the target.
TWINS = {
    "mi": (mutual_information, mutual_information),
    "correlation": (correlation, hall),
    "chi2": (phi_square, phi_square),
}


def distance(f, g):
    """1 - I / max(H, H'); 0 between two constants."""
    largest = max(entropy(f), entropy(g))
    return 1 - mutual_information(f, g) / largest if largest > 0 else 0.0


def matrix(shared, features, others):
    return [[shared(f, g) for g in others] for f in features]
