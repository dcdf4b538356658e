"""
Expression data and markers
===========================

72 samples, 2,000 genes, two classes, two batches: find the marker genes, keep the batch out of the answer,
and
report how sure the result is.
"""

# %%
# The data
# --------
# We simulate log-normal expression, so that the truth is known. Ten pathways of four correlated genes
# differ between healthy and ill samples; any one gene of a pathway is a good marker for it. A hundred other
# genes depend on the batch in which a sample was measured, and more ill samples were measured in the second
# batch: the batch is *confounded* with the class.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from qpfs import QPFS, StabilityDisplay
from qpfs.evaluation import resampled

rng = np.random.default_rng(0)
n_samples, n_genes = 72, 2000
ill = np.arange(n_samples) % 2 == 1
batch = (rng.random(n_samples) < np.where(ill, 0.75, 0.25)).astype(int)
level = rng.normal(size=(n_samples, n_genes))
for pathway in range(10):
    shared = rng.normal(size=n_samples) + 1.1 * ill
    genes = slice(4 * pathway, 4 * pathway + 4)
    level[:, genes] = shared[:, None] + 0.5 * rng.normal(size=(n_samples, 4))
level[:, 40:140] += 1.5 * batch[:, None]
names = [
    f"P{i // 4}_gene{i % 4}" if i < 40 else f"batch{i}" if i < 140 else f"gene{i}" for i in range(n_genes)
]
X = pd.DataFrame(np.exp(level), columns=names)
y = np.where(ill, "ill", "healthy")

# %%
# No logarithm and no scaling is needed: the default measure uses ranks, which no monotone transformation
# changes.
#
# Without the batch
# -----------------
# A first fit, as if nothing were known about the batch.

naive = QPFS(10).fit(X, y)
print(naive.to_frame()[["feature", "relevance", "qvalue", "direction"]].head(10))

# %%
# Genes that only reflect the batch are among the selected ones. They *are* related to the class in these
# samples, so no p value can warn of them.
#
# Adjusting for the batch
# -----------------------
# With ``covariates``, relevance and redundancy are those given the batch.

selector = QPFS(10, fdr=0.05).fit(X, y, covariates=batch)
chosen = X.columns[selector.order_[:10]]
print("batch genes, naive:   ", sum(name.startswith("batch") for name in naive.get_feature_names_out()))
print("batch genes, adjusted:", sum(name.startswith("batch") for name in chosen))
print("pathways found:       ", len({name.split("_")[0] for name in chosen if name.startswith("P")}), "of 10")

# %%
# Is it more than chance?
# -----------------------
# The 40 genes of the pathways are the truth. A q value of at most 0.05 means that about 5 % of the
# discoveries are expected to be false.

discoveries = X.columns[selector.qvalues_ <= 0.05]
print(
    len(discoveries),
    "genes with q <= 0.05,",
    sum(not one.startswith("P") for one in discoveries),
    "of them false",
)

# %%
# What could replace a marker?
# ----------------------------
# If there is no assay for the best gene, its neighbours may do. They are the other genes of its pathway.

best = chosen[0]
print(best, "->", [(one.name, round(one.distance, 2)) for one in selector.alternatives(best, n=3)])

# %%
# Would other samples give the same markers?
# ------------------------------------------
# Select again from 20 random halves. The features change, since the four genes of a pathway are nearly as
# good as each other. With 36 samples in a half both figures are low, that of clusters of similar genes less
# so: report the panel as one of several that are nearly as good.

drawn = resampled(QPFS(10), X, y, n=20, covariates=batch)
over_clusters = drawn.cluster_stability.index
print(f"stability of genes {drawn.stability.index:.2f}, of clusters {over_clusters:.2f}")
StabilityDisplay.from_resampled(drawn)
plt.show()

# %%
# The same from the command line, with a table whose columns are genes and a column for the batch:
#
# .. code-block:: console
#
#    $ qpfs select expression.csv --target class --adjust batch --top 10 --fdr 0.05 \
#          --stability 20 --check 5 --out markers
#
# A matrix with genes in rows takes ``--features-in rows --labels labels.csv``.
