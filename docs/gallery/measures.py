"""
Which measure sees which shape?
===============================

A measure of dependence sees some shapes and not others. Correlation and ranks see a rise or a fall; mutual
information of bins, and ranks of degree 2, see a U-shape as well. What a measure cannot see, no selector
that uses it can find.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from qpfs import ChanceWarning, MaxRel
from qpfs.information import Rank

rng = np.random.default_rng(0)
x = rng.normal(size=300)
noise = rng.normal(size=(4, 300))
targets = {
    "line": x + noise[0],
    "sharp rise": np.exp(3 * x) + noise[1],
    "U-shape": x**2 + 0.7 * noise[2],
    "none": noise[3],
}
measures = {"correlation": "correlation", "rank": "rank", "rank 2": Rank(degree=2), "mi": "mi"}

warnings.simplefilter("ignore", ChanceWarning)  # which a fit issues where a measure sees nothing
figure, axes = plt.subplots(1, 4, figsize=(10, 3), layout="constrained")
for ax, (shape, y) in zip(axes, targets.items(), strict=True):
    fits = {name: MaxRel(measure=measure).fit(x[:, None], y) for name, measure in measures.items()}
    seen = [name for name, fit in fits.items() if fit.pvalues_[0] < 0.001]
    print(f"{shape:11} seen by: {', '.join(seen) or 'none'}")
    ax.plot(x, y, ".", markersize=3)
    ax.set_title(f"{shape}\nseen by {', '.join(seen) or 'none'}", fontsize=9)
    ax.set(xticks=[], yticks=[], xlabel="feature")
axes[0].set_ylabel("target")
