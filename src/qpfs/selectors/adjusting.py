"""Covariates of a fit: checks, the adjusted measure, and cautions about the result."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes import Discretizer, Target
from qpfs.codes.covariates import Covariates, covariates_of
from qpfs.codes.weights import Weights
from qpfs.information import Measure, Shuffles
from qpfs.wording import counted, listed

USELESS = 0.2  # of the samples, without a second class among those with the same covariates
FEW_SAMPLES = 10  # per stratum on average; with fewer, counts within strata are mostly noise


def checked_covariates(covariates: Any, n_samples: int) -> Covariates | None:
    """The covariates to adjust for, or None if none varies. Warns about constant ones."""
    found = covariates_of(covariates, n_samples)
    if found.constant:
        one = len(found.constant) == 1
        warnings.warn(
            f"covariates: {listed(list(found.constant))} {'is' if one else 'are'} the same for all samples, "
            f"and {'has' if one else 'have'} no effect.",
            UserWarning,
            stacklevel=4,
        )
    return found if found.varying else None


def adjusted(
    measure: Measure, covariates: Covariates, rule: Discretizer, weights: Weights | None = None
) -> Measure:
    """The measure given the covariates; numeric ones are discretised by the rule where it reads strata."""
    if not covariates.varying:  # none may vary in a subset of the samples
        return measure
    return measure.adjusted(replace(covariates, weights=weights), rule)


def check_exchangeable(shuffles: Shuffles, covariates: Covariates) -> None:
    """Raises ValueError if the target cannot be shuffled by groups given the covariates."""
    if shuffles.groups is None:
        return
    if shuffles.strata is None:
        numbers = listed([one.name for one in covariates.varying if one.codes is None])
        raise ValueError(
            f"groups are given together with numeric covariates ({numbers}): p values come from shuffling "
            "whole groups among samples with equal covariates, and numbers are rarely equal. Discretise "
            "them, or omit the groups or these covariates."
        )
    if shuffles.whole and (several := first_split(shuffles.groups, shuffles.strata)) is not None:
        raise ValueError(
            f"groups are given, and the samples of one group (for example that of row {several}) differ in "
            f"the covariates ({covariates.words}): targets are shuffled between groups only if all samples "
            "of a group have the same covariates. Omit the groups, or the covariate that differs."
        )


def first_split(groups: IndexArray, strata: IndexArray) -> int | None:
    """The first sample whose group has samples in another stratum; None if there is none."""
    first = np.unique(groups, return_index=True)[1]
    apart = np.flatnonzero(strata != strata[first][np.unique(groups, return_inverse=True)[1]])
    return int(apart[0]) if len(apart) else None


def adjusting_cautions(measure: Measure, target: Target, relevance: FloatArray) -> list[str]:
    """Cautions about a result that is adjusted for covariates."""
    if not relevance.any():
        return [
            "The covariates determine the target: given them, no feature is relevant to it. If one "
            "of them is the target, or was derived from it, omit that one."
        ]
    if measure.strata is None:
        return []
    counts = measure.form.name in ("levels", "raw")
    found = one_class_cautions(measure.strata, target) if counts or target.classes is not None else []
    return found + few_samples_cautions(measure.strata) if counts else found


def one_class_cautions(strata: IndexArray, target: Target) -> list[str]:
    """A caution if many samples have covariates with which only one class (bin of a quantity) occurs."""
    sizes = np.bincount(strata)
    pairs = np.unique(strata * len(target.counts) + target.codes) // len(target.counts)
    alone = np.bincount(pairs) == 1
    n, left = len(strata), int(sizes[~alone].sum())
    if left > (1 - USELESS) * n:
        return []
    what = "class" if target.classes is not None else "bin of the target"
    return [
        f"All samples have the same {what} in {int(alone.sum())} of {len(sizes)} strata (samples with equal "
        f"covariates): the adjusted result depends on the other {left} of {n} samples. Effects of the "
        "covariates and of the target can hardly be separated in these data."
    ]


def few_samples_cautions(strata: IndexArray) -> list[str]:
    """A caution if strata, in which levels are counted, have few samples each."""
    sizes = np.bincount(strata)
    if len(strata) / len(sizes) >= FEW_SAMPLES:
        return []
    return [
        f"The covariates divide {len(strata)} samples into {counted(len(sizes), 'stratum', 'strata')}, the "
        f"smallest of {counted(int(sizes.min()), 'sample')}. Estimates from few samples are mostly noise: "
        "give fewer covariates, or use measure='rank', which needs no strata."
    ]
