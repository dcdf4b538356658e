"""What is given for each sample beside X, such as y: matched by position, or a column of `obs` by name."""

from __future__ import annotations

import warnings
from typing import Any

from qpfs.checks import native
from qpfs.codes.anndata_columns import of_samples


def beside(X: Any, **given: Any) -> list[Any]:
    """The values given for the samples of X; for AnnData a value may name a column of `obs`."""
    ours = X.index if hasattr(X, "iloc") else getattr(X, "obs_names", None)
    found = []
    for name, values in given.items():
        values = of_samples(X, values, name) if isinstance(values, (str, list)) else values
        found.append(values)
        theirs = values.index if hasattr(values, "iloc") else None
        if ours is None or theirs is None or ours is theirs or len(ours) != len(theirs):
            continue
        # Rows are matched by position, as everywhere in scikit-learn. Comparing equal ranges costs nothing.
        if not ours.equals(theirs) and len(ours.symmetric_difference(theirs, sort=False)) == 0:
            mine, other = native(ours[0]), native(theirs[0])
            warnings.warn(
                f"The indices of X and {name} hold the same labels in different orders. Rows are matched by "
                f"position, so sample {mine!r} of X is paired with {other!r} of {name}. If labels "
                f"are what counts, pass {name}.loc[X.index]; if positions are, {name}.to_numpy().",
                UserWarning,
                stacklevel=4,
            )
    return found
