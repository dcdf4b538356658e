"""
Number of features and theta in a pipeline
==========================================

A selector is a step of a scikit-learn pipeline, so ``GridSearchCV`` selects features anew inside each fold,
and the accuracy is that of samples which took no part in the selection.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from qpfs import QPFS

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(QPFS(), StandardScaler(), LogisticRegression())
sizes, thetas = [1, 2, 4, 8], [0.3, 0.5, "auto"]
grid = {"qpfs__n_features_to_select": sizes, "qpfs__theta": thetas}
search = GridSearchCV(model, grid, cv=5).fit(X, y)
chosen = search.best_estimator_.named_steps["qpfs"]
print(f"accuracy {search.best_score_:.3f} with {search.best_params_}")
print("features:", ", ".join(chosen.get_feature_names_out()))

accuracy = np.reshape(search.cv_results_["mean_test_score"], (len(sizes), len(thetas)))
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for theta, column in zip(thetas, accuracy.T, strict=True):
    ax.plot(sizes, column, "o-", label=f"theta = {theta}")
ax.set(xlabel="number of features", ylabel="accuracy, 5 folds", xticks=sizes)
ax.legend(frameon=False)
