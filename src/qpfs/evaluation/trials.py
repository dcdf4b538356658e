"""One trial: features ranked on some rows, an estimator trained on the top ones, tested on other rows.

Error curves, comparisons, searches for parameters, resamples and the reproduction of the publication are
lists of trials (`runs.py`). Letters. k a number of top features; `judging.py` defines a loss and its
reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.evaluation.descriptions import checksum
from qpfs.evaluation.design import design
from qpfs.evaluation.judging import Judge
from qpfs.evaluation.rankings import Ranker, Ranking, support_of
from qpfs.evaluation.sample import Sample

KEPT_FEATURES = 1000  # features of a ranking that a record keeps


@dataclass(frozen=True, eq=False)
class Trial:
    """The rows to train on and to test on, the ranking, and the numbers of features."""

    name: str  # for messages
    ranker: Ranker
    train: IndexArray
    test: IndexArray = field(default_factory=lambda: np.empty(0, np.intp))
    sizes: Sequence[int] = ()  # none: nothing is tested, and the outcome is the selected features
    judge: Judge | None = None  # not needed if nothing is tested
    n_selected: int | None = None  # top features that count as selected; None: what the method selects

    def key(self, sample: Sample) -> dict[str, Any]:
        """Everything that the outcome depends on, as plain data."""
        judged = {} if self.judge is None else self.judge.key
        rows = {"data": sample.checksum, "rows": checksum(self.train, self.test)}
        asked = {"sizes": list(self.sizes), "n_selected": self.n_selected}
        return {"what": "trial", **rows, **judged, **self.ranker.key, **asked}

    def outcome(self, sample: Sample) -> dict[str, Any]:
        """The outcome, as plain data."""
        rankings = list(self.ranker.rankings(self.train))
        if not self.sizes or self.judge is None:
            return {"rankings": [self._selection(one, sample) for one in rankings]}
        losses = self._losses(rankings, sample, self.judge)
        return {
            "rankings": [
                {"loss": loss, **told(one, max(self.sizes))}
                for one, loss in zip(rankings, losses, strict=True)
            ],
            "reference": self.judge.scoring.reference(
                *(sample.y[rows] for rows in (self.train, self.test)),
                *(self.judge.weights(sample, rows) for rows in (self.train, self.test)),
            ),
            "n_train": len(self.train),
            "n_test": len(self.test),
        }

    def _selection(self, ranking: Ranking, sample: Sample) -> dict[str, Any]:
        selected = ranking.top(self.n_selected)
        if self.n_selected is None:
            selected = np.flatnonzero(support_of(ranking.fitted, sample.n_features))
        return {"selected": selected.tolist(), **told(ranking, KEPT_FEATURES)}

    def _losses(self, rankings: list[Ranking], sample: Sample, judge: Judge) -> list[list[float]]:
        """The loss of each ranking at each number of features; equal selections are tested once."""
        tops = [[np.sort(one.top(k)) for k in self.sizes] for one in rankings]
        features = np.unique(np.concatenate([some[-1] for some in tops]))
        shown = design(sample.X, features, self.train, self.test)
        weights, tested = (judge.weights(sample, rows) for rows in (self.train, self.test))
        y, y_test = sample.y[self.train], sample.y[self.test]
        known: dict[bytes, float] = {}
        # Where a method ranks no feature, the largest class, or the mean, is predicted.
        if not all(len(top) for some in tops for top in some):
            known[b""] = judge.guessed(y, y_test, weights, tested)
        for top in (top for some in tops for top in some):
            if top.tobytes() not in known:
                X, X_test = shown.of(top)
                model = judge.trained(X, y, weights)
                known[top.tobytes()] = judge.loss(model, X_test, y_test, tested)
        return [[known[top.tobytes()] for top in some] for some in tops]


def told(ranking: Ranking, most: int) -> dict[str, Any]:
    """A ranking as plain data."""
    most = min(most, KEPT_FEATURES)
    return {
        "n_ranked": ranking.n_ranked,
        "order": ranking.top(most).tolist(),
        "seconds": round(ranking.seconds, 6),
        **({} if ranking.ends is None else {"ends": ranking.ends[:most].tolist()}),
    }
