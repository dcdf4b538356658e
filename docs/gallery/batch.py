"""
Adjusting for a batch
=====================

Samples came in four batches, and patients are more frequent in some of them. Features shifted by the batch
then look relevant although they carry no information about the disease. With ``covariates=batch``
relevance and redundancy are those within batches, and the ten true markers come first.
"""

import matplotlib.pyplot as plt
import numpy as np

from qpfs import MaxRel

rng = np.random.default_rng(1)
batch = rng.integers(0, 4, 150)
patient = (rng.random(150) < 0.1 + 0.27 * batch).astype(int)
X = rng.normal(size=(150, 300))
X[:, :10] += 1.0 * patient[:, None]  # markers
X[:, 10:60] = (
    2.5 * rng.normal(size=(4, 50))[batch] + 0.5 * X[:, 10:60]
)  # features that depend on the batch alone

plain = MaxRel(10).fit(X, patient)
adjusted = MaxRel(10).fit(X, patient, covariates=batch.astype(str))
kinds = {"markers": np.arange(10), "batch": np.arange(10, 60), "noise": np.arange(60, 300)}
for name, selector in (("plain", plain), ("adjusted", adjusted)):
    print(f"{name}: {(selector.order_[:10] < 10).sum()} of 10 markers among the first ten")

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
for ax, selector, title in zip(axes, (plain, adjusted), ("plain", "adjusted for the batch"), strict=True):
    for kind, features in kinds.items():
        ax.plot(features, selector.relevance_[features], ".", markersize=4, label=kind)
    ax.set(title=title, xlabel="feature")
axes[0].set_ylabel("relevance")
axes[1].legend(frameon=False)
