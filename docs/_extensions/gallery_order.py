"""The order of the tutorials and of the gallery: what most readers need comes first."""

from __future__ import annotations

from pathlib import Path

TUTORIALS = (
    "expression_markers",
    "business_table",
    "text",
    "single_cell",
    "comparing_methods",
    "million_features",
    "dask_cluster",
)
GALLERY = (
    "theta_path",
    "chance_line",
    "stability",
    "error_curves",
    "choose_in_a_pipeline",
    "planted_groups",
    "cluster_tree",
    "measures",
    "discretisers",
    "batch",
    "keep_and_exclude",
    "sample_weights",
    "several_targets",
    "nystrom",
    "growth",
)


class Order:
    """A sort key of sphinx-gallery; a script that is not listed is an error, so that none is forgotten."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> int:
        return (TUTORIALS + GALLERY).index(Path(file).stem)
