"""
Comparing methods honestly
==========================

Three ways to fool yourself with feature selection, and a comparison that avoids them.
"""

# %%
# Mistake 1: select on all samples, then cross-validate
# -----------------------------------------------------
# 200 samples, 2,000 columns of pure noise. There is nothing to find, so the true error is 50 %.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from qpfs import MRMR, QPFS
from qpfs.evaluation import compare, rivals

rng = np.random.default_rng(0)
noise, y = rng.normal(size=(200, 2000)), np.arange(200) % 2
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    chosen = MRMR(10).fit(noise, y)
wrong = cross_val_score(LogisticRegression(), chosen.transform(noise), y, cv=5).mean()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    right = cross_val_score(make_pipeline(MRMR(10), LogisticRegression()), noise, y, cv=5).mean()
print(f"selected before: {wrong:.0%} correct; selected inside each fold: {right:.0%} correct")

# %%
# The fit itself did warn:

print(noted[0].message)

# %%
# Mistake 2: choose the number of features by the test error
# ----------------------------------------------------------
# The best of ten curves is better than the truth by luck. :func:`qpfs.evaluation.compare` chooses the
# number inside each training part (nested cross-validation), and reports that error as ``nested``.
#
# Mistake 3: no interval, no baseline
# -----------------------------------
# Every score has an interval, and the error with all features is the baseline.
#
# Methods of other packages take part: anything with ``scores_``, ``ranking_``, ``coef_`` or
# ``feature_importances_``.

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
methods = {"QPFS": QPFS(), "mRMR": MRMR(10), "RFE": rivals.rfe(), "F test": SelectKBest(k=10)}
comparison = compare(methods, X, y, cv=3, sizes=[1, 2, 5, 10])
print(comparison.to_frame().to_string())

# %%
comparison.plot()
plt.show()

# %%
# The intervals overlap: on these data the methods do not differ. That is the usual result on one data set.
# What then decides is how few features are enough, how stable they are and what a method reports beyond a
# list.
#
# ``comparison.report()`` is a page with all of this, and the command does the same:
#
# .. code-block:: console
#
#    $ qpfs compare patients.csv --target ill --method qpfs --method mrmr --method rfe --out comparison
