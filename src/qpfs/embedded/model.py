"""The fitted linear model: scores and predicted classes of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear classifier: one row of weights if there are two classes, else one for each class."""

    coef_: FloatArray  # (1 or n_classes, n_features)
    intercept_: FloatArray  # (1 or n_classes,)
    classes_: AnyArray

    def decision_function(self, X: Any) -> FloatArray:
        """The scores of samples: for the second of two classes; else one column for each class."""
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.coef_) == 1 else scores

    def predict(self, X: Any) -> AnyArray:
        """The predicted class of each sample."""
        scores = self.decision_function(X)
        best = (scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]
