"""Sample weights given to a fit: checked, and rounded to whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import is_real
from qpfs.codes import target_of
from qpfs.codes.frame_columns import FrameColumns, is_frame
from qpfs.codes.values import array_of
from qpfs.codes.weights import Weights, whole_weights
from qpfs.messages import Parameter, invalid

if TYPE_CHECKING:
    from qpfs.selectors.selector import Settings

LEAST, MOST = 1e-200, 1e200  # limits of the largest weight
GIVEN = Parameter("sample_weight")
NUMBERS = "expected a finite number that is not negative for each sample."


@dataclass(frozen=True, eq=False)
class GivenWeights:
    """Checked sample weights, and the samples they select."""

    rows: IndexArray | None = None  # the samples whose weight is not 0; None: all
    weights: Weights | None = None  # of these; None: all are 1


def weights_of_samples(sample_weight: Any, settings: Settings, y: Any, n_samples: int) -> GivenWeights:
    """The weights of samples times those of their classes; raises ValueError if they are invalid."""
    if sample_weight is None and settings.class_weight is None:
        return GivenWeights()
    weights = checked_weights(sample_weight, n_samples)
    if settings.class_weight is not None:
        rows = np.flatnonzero(weights)
        weights[rows] *= weights_of_classes(settings, rows_of(y, rows), weights[rows])
    if not LEAST <= weights.max() <= MOST:
        raise ValueError(
            f"The largest weight of a sample is {weights.max():g}; expected one from {LEAST:g} to {MOST:g}."
        )
    counts, unit = whole_weights(weights)
    rows = np.flatnonzero(counts)
    if len(rows) < 2:
        raise ValueError(f"{len(rows)} sample(s) have a weight above 0; expected at least 2.")
    kept = None if len(rows) == n_samples else rows
    if unit == 1.0 and (counts[rows] == 1).all():
        return GivenWeights(kept)
    return GivenWeights(kept, Weights(counts[rows], unit))


def checked_weights(given: Any, n_samples: int) -> FloatArray:
    """The weight of each sample as a float; raises ValueError if one is invalid."""
    if given is None:
        return np.ones(n_samples)
    array = array_of(given, "sample_weight")
    array = np.asarray(array)
    if array.dtype.kind not in "biuf":
        for row, one in enumerate(array.ravel().tolist()):
            if not is_real(one):
                raise invalid(GIVEN, f" is {one!r} in row {row}; {NUMBERS}")
    weights = array.astype(np.float64)  # a copy
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise invalid(
            GIVEN,
            f" has the shape {weights.shape}, but there are {n_samples} samples: Sample weights must be "
            "1D array or scalar, one for each sample.",
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise invalid(GIVEN, f" is {weights[wrong[0]]:g} in row {wrong[0]}; {NUMBERS}")
    if not weights.any():
        raise invalid(GIVEN, " is zero for all samples; expected at least 2 samples with a weight above 0.")
    return weights


def weights_of_classes(settings: Settings, y: Any, weights: FloatArray) -> FloatArray:
    """The weight of each sample's class."""
    target = target_of(y, settings.target_rule, settings.forced)
    if target.others or target.classes is None:
        what = "y has several columns" if target.others else "y is a quantity"
        raise invalid(
            Parameter("class_weight", settings.class_weight),
            f", but {what}, and only the classes of one target have weights. Leave it out, or give "
            "weights of samples.",
        )
    classes = target.classes.tolist()
    if isinstance(settings.class_weight, str):
        per_class = np.bincount(target.codes, weights)
        return np.asarray((weights.sum() / (len(per_class) * per_class))[target.codes])
    unknown = [label for label in settings.class_weight if label not in classes]
    if unknown:
        raise invalid(
            Parameter("class_weight"),
            f" names {unknown[0]!r}, but the classes are {', '.join(map(repr, classes[:10]))}; name "
            "classes as y does.",
        )
    return np.array([float(settings.class_weight.get(label, 1.0)) for label in classes])[target.codes]


def rows_of(values: Any, rows: IndexArray) -> Any:
    """Some rows of a target of any supported type."""
    if isinstance(values, (list, tuple)):
        return [values[row] for row in rows.tolist()]
    return FrameColumns.take_rows(values, rows) if is_frame(values) else array_of(values)[rows]
