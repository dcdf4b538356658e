"""Generated problems with a known answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Planted:
    """Features of which some are noisy copies of hidden features that are relevant to the target."""

    X: FloatArray
    y: AnyArray
    group: IndexArray  # (n_features,) which hidden feature each is a copy of; -1: noise


def planted_groups(
    n_samples: int = 200,
    n_groups: int = 8,
    n_copies: int = 6,
    n_noise: int = 2000,
    *,
    shift: float = 1.5,
    spoil: float = 0.5,
    random_state: int = 0,
) -> Planted:
    """Groups of copies among noise, columns in random order.

    Each hidden feature is normal and `shift` standard deviations higher in the second of two classes; a copy
    has added noise of `spoil` standard deviations, and half of the copies have the opposite sign.
    """
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.arange(n_samples) % 2)
    hidden = rng.normal(size=(n_samples, n_groups)) + shift * y[:, None]
    group = np.repeat(np.arange(n_groups), n_copies)
    copies = hidden[:, group] + spoil * rng.normal(size=(n_samples, len(group)))
    copies *= rng.choice([-1.0, 1.0], len(group))
    X = np.hstack([copies, rng.normal(size=(n_samples, n_noise))])
    shuffled = rng.permutation(X.shape[1])
    return Planted(X[:, shuffled], y, np.append(group, np.full(n_noise, -1))[shuffled])
