"""
Nystrom approximation against the exact program
===============================================

The publication approximates the redundancy matrix from sampled columns. The exact solver makes that
unnecessary; the figure shows how far the approximate selection is from the exact one, and that it depends
on the sample.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from qpfs import QPFS, NystromQPFS

X, y = load_digits(return_X_y=True)
X, y = X[:400], y[:400]
exact = set(QPFS(10, order="weight").fit(X, y).order_[:10].tolist())

rates = [0.1, 0.2, 0.4, 0.7, 1.0]
same = np.array(
    [
        [
            len(
                exact
                & set(NystromQPFS(10, sampling_rate=rate, random_state=seed).fit(X, y).order_[:10].tolist())
            )
            for seed in range(5)
        ]
        for rate in rates
    ]
)
for rate, counts in zip(rates, same, strict=True):
    print(
        f"{rate:.0%} of the columns: {counts.min()} to {counts.max()} of the 10 features of the exact program"
    )

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(rates, same.mean(axis=1), "o-")
ax.fill_between(rates, same.min(axis=1), same.max(axis=1), alpha=0.2)
ax.set(xlabel="share of columns sampled", ylabel="features in common, of 10", ylim=(0, 10.5), xticks=rates)
