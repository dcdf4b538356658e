"""
Is it more than chance?
=======================

The most relevant of a thousand useless features looks useful. Shuffling the target shows how relevant the
best feature becomes by chance alone: the line is exceeded by the best of all features in one of twenty
shuffles. With the true target, the ten informative features stand above it; with a target in random order,
nothing does.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from qpfs import ChanceWarning, MaxRel

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 40)
X = rng.normal(size=(80, 1_000))
X[:, :10] += 1.2 * y[:, None]

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
warnings.simplefilter("ignore", ChanceWarning)  # which a fit issues where nothing exceeds chance
for ax, target, title in zip(axes, (y, rng.permutation(y)), ("true target", "shuffled target"), strict=True):
    selector = MaxRel(10, n_permutations=200).fit(X, target)
    above = selector.relevance_ > selector.chance_
    print(
        f"{title}: {above.sum()} of 1,000 features above chance, least q value {selector.qvalues_.min():.2g}"
    )
    ax.plot(np.sort(selector.relevance_)[::-1], ".", markersize=4)
    ax.axhline(selector.chance_.max(), color="tab:red", label="best of all by chance, 1 in 20")
    ax.set(title=title, xlabel="features, by relevance", xscale="symlog")
axes[0].set_ylabel("relevance")
axes[0].legend(frameon=False)
