"""Covariates of a fit: checked, handed to the measure, and what to say of them."""

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

FEW_SAMPLES = 10  # of a stratum on average, below which what is counted in it is mostly noise


def checked_covariates(covariates: Any, n_samples: int) -> Covariates | None:
    """What is to be adjusted for; None: nothing. Warns of what says nothing."""
    found = covariates_of(covariates, n_samples)
    if found.constant:
        one = len(found.constant) == 1
        warnings.warn(
            f"covariates: {listed(list(found.constant))} {'is' if one else 'are'} the same for all samples, "
            f"and {'changes' if one else 'change'} nothing.",
            UserWarning,
            stacklevel=4,
        )
    return found if found.varying else None


def adjusted(
    measure: Measure, covariates: Covariates, rule: Discretizer, weights: Weights | None = None
) -> Measure:
    """The measure that is left, given covariates; numbers among them are cut by the rule where they are."""
    if not covariates.varying:  # in a part of the samples none may vary
        return measure
    return measure.adjusted(replace(covariates, weights=weights), rule)


def check_exchangeable(shuffles: Shuffles, covariates: Covariates) -> None:
    """Raises ValueError if there is no way to shuffle the target of groups given the covariates."""
    if shuffles.groups is None:
        return
    if shuffles.strata is None:
        numbers = listed([one.name for one in covariates.varying if one.codes is None])
        raise ValueError(
            f"groups are given, and covariates that are numbers ({numbers}): p values come from shuffles of "
            "whole groups among samples that are alike, and numbers are hardly ever. Cut them into "
            "categories, or leave out groups or these covariates."
        )
    if shuffles.whole and (several := first_split(shuffles.groups, shuffles.strata)) is not None:
        raise ValueError(
            f"groups are given, and the samples of one group (of row {several}, say) differ in the "
            f"covariates ({covariates.words}): groups can exchange their targets only where all samples of "
            "a group are alike. Leave out groups, or the covariate that differs."
        )


def first_split(groups: IndexArray, strata: IndexArray) -> int | None:
    """The first sample whose group has samples of another stratum."""
    first = np.unique(groups, return_index=True)[1]
    apart = np.flatnonzero(strata != strata[first][np.unique(groups, return_inverse=True)[1]])
    return int(apart[0]) if len(apart) else None


def adjusting_cautions(measure: Measure, target: Target, relevance: FloatArray) -> list[str]:
    """What a person should know of an answer that is adjusted for covariates."""
    if not relevance.any():
        return [
            "The covariates tell the target: once they are known, no feature says anything about it. If one "
            "of them is the target, or was made from it, leave that one out."
        ]
    if measure.form.name not in ("levels", "raw") or measure.strata is None:
        return []
    return strata_cautions(measure.strata, target)


def strata_cautions(strata: IndexArray, target: Target) -> list[str]:
    """That strata have few samples each, if they do."""
    sizes = np.bincount(strata)
    pairs = np.unique(strata * len(target.counts) + target.codes) // len(target.counts)
    alone = np.flatnonzero(np.bincount(pairs) == 1)
    useless = sizes[alone].sum() / len(strata)
    if len(strata) / len(sizes) >= FEW_SAMPLES and useless < 0.2:
        return []
    return [
        f"The covariates make {counted(len(sizes), 'stratum', 'strata')} of {len(strata)} samples, the "
        f"smallest of {counted(int(sizes.min()), 'sample')}; {len(alone)} of these strata, with one class "
        "only, say nothing. What is counted in few samples is mostly noise: give fewer covariates, or use "
        "measure='rank', which needs no strata."
    ]
