"""
How the time grows with the number of features
==============================================

The solver asks for few columns of the redundancy matrix and never forms it, so the time of
:class:`~qpfs.QPFS` grows about in proportion to the number of features; a matrix of all pairs would grow
with its square.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from qpfs import MRMR, QPFS

rng = np.random.default_rng(0)
y = np.arange(100) % 2
X = rng.normal(size=(100, 40_000)) + 0.8 * y[:, None] * (np.arange(40_000) < 400)
sizes = [2_500, 5_000, 10_000, 20_000, 40_000]
methods = {"QPFS": QPFS(20), "MRMR": MRMR(20)}


def seconds(method, X):
    """CPU time of a second fit; the first one compiles."""
    method.fit(X, y)
    start = time.process_time()
    method.fit(X, y)
    return time.process_time() - start


figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, method in methods.items():
    taken = [seconds(method, X[:, :size]) for size in sizes]
    slope = np.polyfit(np.log(sizes), np.log(taken), 1)[0]
    print(f"{name}: time grows like the number of features to the power {slope:.1f}")
    ax.loglog(sizes, taken, "o-", label=name)
ax.loglog(sizes, taken[0] * (np.array(sizes) / sizes[0]) ** 2, ":", color="0.5", label="all pairs")
ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
ax.set_xticks([], minor=True)
ax.set(xlabel="features", ylabel="CPU seconds of a fit, 100 samples")
ax.legend(frameon=False)
