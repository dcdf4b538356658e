"""
Weights of samples
==================

A study drew as many cases as controls, but one person in twenty is a case. Weights restore the population:
each sample counts as many times as the people it stands for. Here the controls are drawn from two regions,
and the sample has too many from the first; without weights a feature of the region looks relevant.
"""

import matplotlib.pyplot as plt
import numpy as np

from qpfs import MaxRel

rng = np.random.default_rng(0)
case = np.repeat([1, 0], 200)
first_region = np.where(
    case == 1, rng.random(400) < 0.3, rng.random(400) < 0.8
)  # of all people: three in ten
X = rng.normal(size=(400, 6))
X[:, 0] += 0.8 * case
X[:, 1] += 1.5 * first_region
people = np.where(case == 1, 1.0, 19.0) * np.where(
    case == 1, 1.0, np.where(first_region, 0.3 / 0.8, 0.7 / 0.2)
)

names = ["marker", "region", *(f"noise {i}" for i in range(1, 5))]
fits = {"unweighted": MaxRel(2).fit(X, case), "weighted": MaxRel(2).fit(X, case, sample_weight=people)}
for name, fit in fits.items():
    print(f"{name}: " + ", ".join(f"{names[at]} {fit.relevance_[at]:.3f}" for at in fit.order_[:2]))

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for shift, (name, fit) in zip((-0.2, 0.2), fits.items(), strict=True):
    ax.bar(np.arange(6) + shift, fit.relevance_ / fit.relevance_.max(), 0.4, label=name)
ax.set(xticks=range(6), xticklabels=names, ylabel="relevance, as a share of the largest")
ax.legend(frameon=False)
