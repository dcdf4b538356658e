"""Two figures of a clustered selection: how it came about, and what it weighs."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

from qpfs import IKMQPFS, ClusterTreeDisplay, WeightsDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = IKMQPFS(8, radius=0.5).fit(X, y)
tree = ClusterTreeDisplay.from_estimator(selector)
weights = WeightsDisplay.from_estimator(selector)

with tempfile.TemporaryDirectory() as folder:  # a folder of your own, to keep them
    for name, display in (("tree.svg", tree), ("weights.png", weights)):
        path = Path(folder) / name
        display.figure_.savefig(path)
        print(
            f"{display.ax_.get_title(loc='left').splitlines()[0]}: {path.name}, {path.stat().st_size} bytes"
        )
