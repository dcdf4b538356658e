"""
How stable is a panel of five features?
=======================================

Select again from 50 random halves of the samples. A feature that is selected in few of them often has a
substitute that carries the same information, so agreement is higher once such features count as one
(`cluster_stability`).
"""

from sklearn.datasets import load_breast_cancer

from qpfs import QPFS, StabilityDisplay
from qpfs.evaluation import resampled

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
found = resampled(QPFS(5), X, y, n=50)
panel = QPFS(5).fit(X, y)
for feature in found.selected:
    name = X.columns[feature]
    substitute = panel.alternatives(name, n=1)[0]
    print(f"{name:24} in {found.frequencies[feature]:4.0%} of the halves; substitute: {substitute.name}")

index = found.stability
print(f"stability {index.index:.2f} ({index.low:.2f} to {index.high:.2f}), {found.resample}")
print(f"over clusters of similar features {found.cluster_stability.index:.2f}")

StabilityDisplay.from_resampled(found)
