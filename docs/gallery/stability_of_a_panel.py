"""How sure is a panel of five features? Select on halves of the samples, and see how much they agree."""

from sklearn.datasets import load_breast_cancer

from qpfs import QPFS
from qpfs.evaluation import resampled

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
found = resampled(QPFS(5), X, y, n=50)
panel = QPFS(5).fit(X, y)
for feature in found.selected:
    name = X.columns[feature]
    stand_in = panel.alternatives(name, n=1)[0]
    print(f"{name:24} in {found.frequencies[feature]:4.0%} of the halves; stand-in: {stand_in.name}")

sure = found.stability
print(f"stability {sure.index:.2f} ({sure.low:.2f} to {sure.high:.2f}), {found.resample}")
print(f"over clusters of like features {found.cluster_stability.index:.2f}")
