"""What two columns share, straight from the definition: Python lists and sums."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import fsum, log, sqrt
from statistics import NormalDist


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


SCORE_UNIT = 4096  # a score is rounded to a whole number of these


def rounded(columns):
    """Columns of mean square 1 as whole numbers, halved until they fit 16 bits, in their true size."""
    found = []
    for column in columns:
        times = 1
        while max(abs(z) for z in column) * SCORE_UNIT / times > 2**15 - 1:
            times *= 2
        found.append([round(z * SCORE_UNIT / times) * times for z in column])
    return found


def normal_scores(column):
    """Phi^-1(r / (N + 1)) of mean ranks, with mean 0 and mean square 1; 0 for what is missing."""
    seen = [x for x in column if x == x]
    ranks = {y: sum(x < y for x in seen) + (sum(x == y for x in seen) + 1) / 2 for y in seen}
    scores = {y: NormalDist().inv_cdf(rank / (len(seen) + 1)) for y, rank in ranks.items()}
    mean = fsum(scores[x] for x in seen) / max(len(seen), 1)
    square = fsum((scores[x] - mean) ** 2 for x in seen) / len(column)
    return [(scores[x] - mean) / sqrt(square) if x == x and square > 1e-9 else 0.0 for x in column]


def class_contrasts(y):
    """Each class but the first against those before it, with mean 0 and mean square 1."""
    n, classes = len(y), sorted(set(y))
    found = []
    for a in range(1, len(classes)):
        own, before = y.count(classes[a]), sum(y.count(one) for one in classes[:a])
        value = sqrt(n * before / (own * (own + before)))
        level = dict.fromkeys(classes[:a], -value * own / before) | {classes[a]: value}
        found.append([level.get(one, 0.0) for one in y])
    return found


def squared_correlations(columns, others):
    n = len(columns[0]) if columns else 1
    whole = n * SCORE_UNIT**2
    return fsum(
        (sum(a * b for a, b in zip(f, g, strict=True)) / whole) ** 2
        for f in rounded(columns)
        for g in rounded(others)
    )


def rank(f, g):
    """The squared correlation of normal scores."""
    return squared_correlations([normal_scores(f)], [normal_scores(g)])


def rank_of_classes(f, y):
    """The squared correlations of normal scores with the contrasts of classes."""
    return squared_correlations([normal_scores(f)], class_contrasts(y))


def quantity_columns(y):
    """Normal scores; where more than half is one value, whether it is that, and the scores of the others."""
    point = max(set(y), key=y.count)
    if 2 * y.count(point) <= len(y):
        return [normal_scores(y)]
    whether = class_contrasts([value != point for value in y])
    return [*whether, normal_scores([float("nan") if value == point else value for value in y])]


def common_columns(ys):
    """Columns of mean square 1 at right angles that several targets span, one column after another.

    A target of floats is a quantity, any other has classes.
    """
    found = []
    for y in ys:
        for column in quantity_columns(y) if isinstance(y[0], float) else class_contrasts(y):
            for one in found:
                share = fsum(a * b for a, b in zip(one, column, strict=True)) / len(y)
                column = [a - share * b for a, b in zip(column, one, strict=True)]
            square = fsum(a * a for a in column) / len(y)
            if square > 1e-9:  # what is left of a column that follows from others is rounding
                found.append([a / sqrt(square) for a in column])
    return found


def rank_of_targets(f, ys):
    """The squared correlations of normal scores with what several targets span."""
    return squared_correlations([normal_scores(f)], common_columns(ys))


# By the names of the measures: of two features, and of a feature and the target.
TWINS = {
    "mi": (mutual_information, mutual_information),
    "correlation": (correlation, hall),
    "chi2": (phi_square, phi_square),
    "rank": (rank, rank_of_classes),
}


def distance(f, g):
    """1 - I / max(H, H'); 0 between two constants."""
    largest = max(entropy(f), entropy(g))
    return 1 - mutual_information(f, g) / largest if largest > 0 else 0.0


def matrix(shared, features, others):
    return [[shared(f, g) for g in others] for f in features]
