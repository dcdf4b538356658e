"""What if relevance counted more? The weights along theta, and what the selected features share."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

from qpfs import QPFS, RedundancyDisplay, ThetaPathDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = QPFS(8).fit(X, y)
path = selector.theta_path([0.3, 0.5, 0.7, 0.9])
for theta, weights in zip(path.thetas, path.weights, strict=True):
    print(f"theta {theta:.1f}: {(weights > 0).sum()} features, the most on {X.columns[weights.argmax()]}")

with tempfile.TemporaryDirectory() as folder:  # a folder of your own, to keep them
    for display in (ThetaPathDisplay, RedundancyDisplay):
        file = Path(folder) / f"{display.__name__}.png"
        display.from_estimator(selector).figure_.savefig(file)
        print(f"{file.name}: {file.stat().st_size} bytes")
