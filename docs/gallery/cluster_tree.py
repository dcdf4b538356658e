"""
How a clustered selection came about
====================================

:class:`~qpfs.IKMQPFS` clusters features, weighs one representative of each cluster, and splits the clusters
that are still too wide. The tree shows which clusters were split, kept and discarded; the second figure
shows the weights of the representatives that were kept, beside their relevance.
"""

from sklearn.datasets import load_breast_cancer

from qpfs import IKMQPFS, ClusterTreeDisplay, WeightsDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = IKMQPFS(8, radius=0.5).fit(X, y)
print(
    f"{len(selector.representatives_)} clusters of {X.shape[1]} features after {len(selector.rounds_)} rounds"
)

ClusterTreeDisplay.from_estimator(selector)

# %%
# A feature of high relevance may have no weight: another one already carries its information.
WeightsDisplay.from_estimator(selector)
