"""How sure is a panel of five features? Select on resampled rows and count."""

from collections import Counter

import numpy as np
from sklearn.datasets import load_breast_cancer

from qpfs import QPFS

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
times = Counter()
for _ in range(50):
    rows = rng.choice(len(X), size=len(X) // 2, replace=False)
    times.update(QPFS(5).fit(X.iloc[rows], y.iloc[rows]).get_feature_names_out())

panel = QPFS(5).fit(X, y)
for name in X.columns[panel.order_[:5]]:
    stand_in = panel.alternatives(name, n=1)[0]
    print(f"{name:24} chosen in {times[name]:2} of 50 halves; stand-in: {stand_in.name}")
