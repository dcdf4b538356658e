"""
Four ways to discretise a skewed feature
========================================

Mutual information is measured on bins. On a skewed feature equal widths put almost all samples into one
bin, and edges one standard deviation around the mean leave the lowest bin empty; bins of equal frequency
use all of them. The measure ``"rank"``, the default, needs no bins.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from qpfs import ChanceWarning, EqualFrequency, EqualWidth, MaxRel, ThreeSegments

rng = np.random.default_rng(0)
y = np.arange(400) % 2
x = np.exp(1.2 * rng.normal(size=400) + 0.7 * y)[:, None]

rules = {
    "EqualWidth(3)": EqualWidth(3),
    "ThreeSegments()": ThreeSegments(),
    "EqualFrequency(3)": EqualFrequency(3),
    "EqualFrequency(6)": EqualFrequency(6),
}
warnings.simplefilter("ignore", ChanceWarning)  # equal widths see too little of this feature
figure, axes = plt.subplots(2, 2, figsize=(8, 4.6), sharex=True, sharey=True, layout="constrained")
for ax, (name, rule) in zip(axes.flat, rules.items(), strict=True):
    fit = MaxRel(measure="mi", discretizer=rule).fit(x, y)
    edges = fit.discretizer_.edges_.ravel()
    edges = edges[np.isfinite(edges)]
    print(f"{name:18} {fit.relevance_[0]:.4f} nats, edges {np.round(edges, 2).tolist()}")
    ax.hist([x[y == 0, 0], x[y == 1, 0]], bins=np.arange(0, 14, 0.5), stacked=True)
    for edge in edges:
        ax.axvline(edge, color="black", linewidth=1)
    ax.set(title=f"{name}: {fit.relevance_[0]:.3f} nats", xlim=(0, 14))
