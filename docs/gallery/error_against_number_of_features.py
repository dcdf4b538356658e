"""How many features are enough? Test error of two methods, the selection made inside each fold."""

from sklearn.datasets import load_breast_cancer

from qpfs import MRMR, QPFS
from qpfs.evaluation import AllFeatures, error_curve

X, y = load_breast_cancer(return_X_y=True)
for selector in (QPFS(), MRMR()):
    curve = error_curve(selector, X, y, cv=5, sizes=[1, 2, 3, 5, 7, 10, 14, 20])
    k, error = curve.smallest()
    print(f"{type(selector).__name__}: {error:.1%} wrong with {k} features, one standard error from the best")

everything = error_curve(AllFeatures(), X, y, cv=5, sizes=[30])
print(f"all 30 features: {everything.mean[0]:.1%} ({everything.low[0]:.1%} to {everything.high[0]:.1%})")
