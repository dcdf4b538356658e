"""The selectors, straight from their definitions, one pair of features at a time."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import mutual_info_score
from tests.naive.information import matrix, mutual_information


def three_segments(X):
    """Codes 0, 1, 2 by cuts at mean +- one population standard deviation, closed on the right."""
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    return (mean - deviation < X).astype(int) + (mean + deviation < X)


def redundancy(codes):
    columns = codes.T.tolist()
    return np.array(matrix(mutual_information, columns, columns))


def relevance(codes, y):
    return np.array([mutual_info_score(column, y) for column in codes.T])


def mrmr(codes, y, n, combine, how=np.mean):
    return greedy(relevance(codes, y), redundancy(codes), n, combine, how)


def greedy(s, Q, n, combine, redundancy=np.mean):
    """Each time the feature with the best relevance against its redundancy with those taken."""
    taken = [int(np.argmax(s))]
    while len(taken) < n:
        left = [i for i in range(len(s)) if i not in taken]
        values = [combine(s[i], redundancy([Q[i, j] for j in taken])) for i in left]
        taken.append(left[int(np.argmax(values))])
    return taken


def conditional(codes, y, n, least):
    """Each time the feature with the most information about y given one taken: the least, or the mean."""
    columns = [list(column) for column in np.asarray(codes).T]
    s = [mutual_information(f, list(y)) for f in columns]
    taken = [int(np.argmax(s))]
    while len(taken) < n:
        left = [i for i in range(len(s)) if i not in taken]
        values = []
        for i in left:
            given = [known(columns[i], list(y), columns[j]) for j in taken]
            values.append(min([s[i], *given]) if least else np.mean(given))
        taken.append(left[int(np.argmax(np.round(values, 9)))])
    return taken


def known(f, y, g):
    """I(f; y | g): the mean of what f says of y among the samples with the same g."""
    total = 0.0
    for value in set(g):
        rows = [n for n in range(len(g)) if g[n] == value]
        total += len(rows) / len(g) * mutual_information([f[n] for n in rows], [y[n] for n in rows])
    return total
