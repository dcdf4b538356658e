"""
Several targets together
========================

``y`` may have several columns. By ranks, relevance is what a feature says about any of them, and what two
targets have in common counts once. ``target_weights`` gives some targets more weight than others; then
relevance is the weighted mean over targets.
"""

import matplotlib.pyplot as plt
import numpy as np

from qpfs import QPFS

rng = np.random.default_rng(0)
hidden = rng.normal(size=(200, 4))
targets = hidden[:, :3] + 0.5 * rng.normal(size=(200, 3))  # growth, yield, taste; the fourth is of none
X = np.hstack([hidden[:, [at]] + 0.6 * rng.normal(size=(200, 3)) for at in range(4)])

fits = {
    "first target alone": QPFS(3).fit(X, targets[:, 0]),
    "three targets": QPFS(3).fit(X, targets),
    "weights 4, 1, 1": QPFS(3, target_weights=[4, 1, 1]).fit(X, targets),
}
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
for ax, (name, fit) in zip(axes, fits.items(), strict=True):
    about = sorted(set((np.flatnonzero(fit.support_) // 3 + 1).tolist()))
    print(f"{name}: three features about hidden variables {about}")
    colours = np.where(fit.support_, "tab:blue", "0.8")
    ax.bar(range(12), fit.relevance_, color=colours)
    ax.set(title=name, xticks=[1, 4, 7, 10], xticklabels=[1, 2, 3, 4], xlabel="hidden variable")
axes[0].set_ylabel("relevance (blue: selected)")
