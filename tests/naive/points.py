"""MacQueen's k-means and its two-level form on data points, from their definitions, point by point."""

from __future__ import annotations

import math


def square(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def nearest(x, centres):
    """The first of the nearest centres."""
    return min(range(len(centres)), key=lambda c: square(x, centres[c]))


def mean(points):
    """The running mean, updated by one point after another."""
    centre = list(points[0])
    for count, x in enumerate(points[1:], start=2):
        centre = [m + (a - m) / count for m, a in zip(centre, x, strict=True)]
    return centre


def macqueen(points, k):
    """Labels and centres."""
    given = [[x] for x in points[:k]]
    for x in points[k:]:
        given[nearest(x, [mean(cluster) for cluster in given])].append(x)
    centres = [mean(cluster) for cluster in given]
    return [nearest(x, centres) for x in points], centres


def radius(points, centre):
    return max((math.sqrt(square(x, centre)) for x in points), default=0.0)


def part_counts(radii, sizes, tau, n, k, cap):
    """(r / tau)^n parts for each cluster wider than tau, the widest first, at most k in all."""
    counts = [1] * len(radii)
    for c in sorted(range(len(radii)), key=lambda c: (-radii[c], c)):
        left = k - sum(counts)
        if radii[c] > tau * (1 + 1e-12) and left > 0 and sizes[c] > 1:
            wanted = math.ceil((radii[c] / tau) ** n * (1 - 1e-9))
            counts[c] = min(wanted, sizes[c], cap, 1 + left)
    return counts


def two_level(points, k, k_first, tau=None, cap=math.inf):
    """Labels, centres, radii and tau; in few dimensions, where (r / tau)^n is a number."""
    n = len(points[0])
    tau = radius(points, mean(points)) * k ** (-1 / n) if tau is None else tau
    first, first_centres = macqueen(points, k_first)
    rows = [[i for i, label in enumerate(first) if label == c] for c in range(k_first)]
    radii = [radius([points[i] for i in rows[c]], first_centres[c]) for c in range(k_first)]
    counts = part_counts(radii, [len(own) for own in rows], tau, n, k, cap)
    labels, centres = [None] * len(points), []
    for c, parts in enumerate(counts):
        inner, inner_centres = [0] * len(rows[c]), [first_centres[c]]
        if parts > 1:
            inner, inner_centres = macqueen([points[i] for i in rows[c]], parts)
        for i, label in zip(rows[c], inner, strict=True):
            labels[i] = len(centres) + label
        centres += inner_centres
    own = [[x for x, label in zip(points, labels, strict=True) if label == c] for c in range(len(centres))]
    return labels, centres, [radius(x, centre) for x, centre in zip(own, centres, strict=True)], tau
