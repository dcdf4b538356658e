"""
A Dask cluster
==============

The work of a fit can be done by the workers of a Dask cluster. Here it is one of this computer, with two
workers in one process; only the line
that makes the client changes for a real one.
"""

# %%
# A client
# --------

import dask.array as da
import numpy as np
from distributed import Client

from qpfs import QPFS

client = Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)

# %%
# A Dask array
# ------------
# Chunks are blocks of columns or of rows; each worker encodes and keeps the features of its chunks. Only
# columns of scores and products travel.

rng = np.random.default_rng(0)
X, y = rng.normal(size=(200, 4000)), np.arange(200) % 2
X[:, :10] += y[:, None]
blocks = da.from_array(X, chunks=(200, 1000))
distributed = QPFS(8).fit(blocks, y)
print("selected:", np.sort(distributed.order_[:8]))

# %%
# The same answer
# ---------------
# The result is the same to the last bit as without a cluster, for any number of workers and chunks.

client.close()
local = QPFS(8).fit(X, y)
print("same weights:", bool((local.scores_ == distributed.scores_).all()))

# %%
# From the command line a cluster works on a store that its workers can read:
#
# .. code-block:: console
#
#    $ qpfs encode cohort.parquet --target ill --out cohort.qpfs
#    $ qpfs select cohort.qpfs --dask tcp://10.0.0.1:8786 --top 20
