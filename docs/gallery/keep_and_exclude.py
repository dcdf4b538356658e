"""
Features that must be in, or must be out
========================================

Some features are measured anyway, others are too expensive. ``keep`` puts features in and weighs the others
given them; ``exclude`` leaves features out, by name or by pattern, and the choice is that of a table
without them. The figure shows the panel of six with each request.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from qpfs import QPFS

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
panels = {
    "free": QPFS(6).fit(X, y),
    'keep="mean radius"': QPFS(6, keep="mean radius").fit(X, y),
    'exclude="worst*"': QPFS(6, exclude="worst*").fit(X, y),
}
for name, panel in panels.items():
    print(f"{name}: {', '.join(panel.get_feature_names_out())}")

chosen = np.array([panel.support_ for panel in panels.values()])
shown = np.flatnonzero(chosen.any(axis=0))
figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
ax.imshow(chosen[:, shown].T, cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
ax.set_yticks(range(len(shown)), X.columns[shown])
ax.set_xticks(range(len(panels)), panels)
ax.set_xticks(np.arange(len(panels) - 1) + 0.5, minor=True)
ax.grid(which="minor", color="white", linewidth=3)
ax.tick_params(which="minor", length=0)
