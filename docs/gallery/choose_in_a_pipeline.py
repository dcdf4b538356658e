"""The number of features and theta, chosen by cross-validation with the selection inside each fold."""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from qpfs import QPFS

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(QPFS(), StandardScaler(), LogisticRegression())
grid = {"qpfs__n_features_to_select": [2, 8], "qpfs__theta": [0.5, "auto"]}
search = GridSearchCV(model, grid, cv=5).fit(X, y)
chosen = search.best_estimator_.named_steps["qpfs"]
print(f"accuracy {search.best_score_:.3f} with {search.best_params_}")
print("features:", ", ".join(chosen.get_feature_names_out()))
