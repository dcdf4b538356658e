"""
A million features
==================

How exact QPFS scales, and what to do when a table is larger than memory. Run here at a size that takes
seconds; the same
code with ``n_features = 1_000_000`` works.
"""

# %%
# Why it scales
# -------------
# The matrix of a million features has 10\ :sup:`12` entries. The solver never forms it: it reads the
# columns of the features that get weight, and little else. Under the rank measure the automatic theta is
# exact without looking at pairs.

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from qpfs import QPFS, open_store, write_store

n_samples, n_features = 100, 50_000  # 1_000_000 takes 800 MB for the numbers alone
rng = np.random.default_rng(0)
y = np.arange(n_samples) % 2
X = rng.normal(size=(n_samples, n_features))
X[:, :20] += y[:, None] * 1.5

start = time.process_time()
selector = QPFS(10, fdr=0.05).fit(X, y)
print(f"{time.process_time() - start:.1f} s of CPU for {n_features:,} features")
print(f"{selector.n_columns_} columns of Q were computed, of {n_features:,}; status {selector.status_}")
print("selected:", np.sort(selector.order_[:10]), "- planted are 0 to 19")

# %%
# A store
# -------
# A table is encoded once into a file: two bits for each cell with three bins, or 16 bits for ranks. Fits
# then start from the file, which is read in parts, within a bound on memory. The answer is the same to the
# last bit.

with TemporaryDirectory() as folder:
    path = Path(folder) / "table.qpfs"
    write_store(X, path, y, measure="rank")
    print(f"{path.stat().st_size / 1e6:.0f} MB, {X.nbytes / 1e6:.0f} MB in memory")
    table = open_store(path)
    again = QPFS(10, fdr=0.05).fit(table, table.y)
    print("same answer:", bool((again.scores_ == selector.scores_).all()))
    del table, again

# %%
# From the command line, for a file of any size:
#
# .. code-block:: console
#
#    $ qpfs encode cohort.parquet --target ill --measure rank --memory 2GB --out cohort.qpfs
#    $ qpfs select cohort.qpfs --top 20 --fdr 0.05 --memory 2GB --out result
#    $ qpfs select cohort.qpfs --top 20 --plan        # what it would take, and nothing else
#
# To try the full size without data of your own: ``qpfs bench --samples 100 --features 1000000``.
