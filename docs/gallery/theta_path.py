"""
Weights along theta
===================

theta sets how much relevance counts against redundancy. As it grows, the program concentrates its weights
on fewer features. The dashed line marks the automatic theta, at which both count the same on average; the
map shows how much the selected features share.
"""

from sklearn.datasets import load_breast_cancer

from qpfs import QPFS, RedundancyDisplay, ThetaPathDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = QPFS(8).fit(X, y)
path = selector.theta_path([0.3, 0.5, 0.7, 0.9])
for theta, weights in zip(path.thetas, path.weights, strict=True):
    print(
        f"theta {theta:.1f}: {(weights > 0).sum()} features, the most weight on {X.columns[weights.argmax()]}"
    )

ThetaPathDisplay.from_estimator(selector)

# %%
# Small numbers off the diagonal: the selected features carry different information.
RedundancyDisplay.from_estimator(selector)
