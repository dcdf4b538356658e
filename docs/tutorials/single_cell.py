"""
Single cells: markers from AnnData
==================================

``fit`` takes an AnnData object and the name of a column of ``obs``. Here a small one is made by code.
"""

# %%
# The cells
# ---------
# 600 cells of three types from eight donors, 800 genes with counts that are mostly zero. Each type has ten
# markers. Ten mitochondrial genes go with the quality of a cell and not with its type.

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp

from qpfs import QPFS
from qpfs.evaluation import resampled

rng = np.random.default_rng(0)
types = rng.choice(["B", "T", "NK"], 600)
donors = rng.choice([f"d{i}" for i in range(8)], 600)
rate = np.tile(rng.gamma(0.4, 1.0, 800), (600, 1))
for k, name in enumerate(["B", "T", "NK"]):
    rate[np.ix_(types == name, np.arange(10 * k, 10 * k + 10))] += 1.5
names = [
    f"{('B', 'T', 'NK')[i // 10]}_marker{i % 10}" if i < 30 else f"MT-{i}" if i < 40 else f"gene{i}"
    for i in range(800)
]
depth = rng.lognormal(0, 0.4, (600, 1))
cells = anndata.AnnData(
    sp.csr_matrix(rng.poisson(rate * depth).astype(np.float32)),
    obs=pd.DataFrame({"cell_type": types, "donor": donors}, index=[f"cell{i}" for i in range(600)]),
    var=pd.DataFrame({"mitochondrial": [name.startswith("MT-") for name in names]}, index=names),
)
print(cells)

# %%
# Markers
# -------
# The matrix stays sparse. ``exclude`` takes the name of a column of ``var`` with true and false: those
# genes are looked at, but never selected.

selector = QPFS(12, exclude="mitochondrial", fdr=0.01).fit(cells, "cell_type")
print(selector.to_frame()[["feature", "relevance", "qvalue", "direction"]].head(12).to_string())

# %%
# ``transform`` returns a view of the same object with the selected genes.

print(selector.transform(cells))

# %%
# Cells are not independent samples
# ---------------------------------
# Cells of one donor are alike. Resample *donors*, not cells: a marker that is selected whichever donors are
# left out is one that may hold for a new donor. Few donors have few different halves; each is used once.

drawn = resampled(QPFS(12), cells.X, types, n=10, groups=donors)
print(f"{drawn.stability.n} different halves of the donors, stability {drawn.stability.index:.2f}")

# %%
# If donors are distributed unevenly over the types, adjust for them: ``fit(cells, "cell_type",
# covariates=["donor"])`` takes columns of ``obs``.
#
# .. code-block:: console
#
#    $ qpfs select cells.h5ad --target cell_type --groups donor \
#          --exclude-where mitochondrial --top 12 --out markers

adjusted = QPFS(12, exclude="mitochondrial").fit(cells, "cell_type", covariates=["donor"])
print(
    len(set(adjusted.get_feature_names_out()) & set(selector.get_feature_names_out())),
    "of 12 markers are the same",
)
