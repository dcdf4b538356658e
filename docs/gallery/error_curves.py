"""
How many features are enough?
=============================

The error of a classifier on samples that took no part in the selection, against the number of features.
The band and the vertical lines are 95 % intervals (Wilson) of the two methods. The size that is printed
is the smallest one whose error is within one standard error of the lowest.
"""

from sklearn.datasets import load_breast_cancer

from qpfs import MRMR, QPFS, ErrorCurveDisplay
from qpfs.evaluation import AllFeatures, error_curve

X, y = load_breast_cancer(return_X_y=True)
sizes = [1, 2, 3, 5, 7, 10, 14, 20]
curves = {type(one).__name__: error_curve(one, X, y, cv=5, sizes=sizes) for one in (QPFS(), MRMR())}
for name, curve in curves.items():
    k, error = curve.smallest()
    print(f"{name}: error {error:.1%} with {k} features, within one standard error of the best")

everything = error_curve(AllFeatures(), X, y, cv=5, sizes=[30])
print(f"all 30 features: {everything.mean[0]:.1%} ({everything.low[0]:.1%} to {everything.high[0]:.1%})")

ErrorCurveDisplay.from_curve(curves)
