"""The one door to matplotlib, which is not needed for anything but figures."""

from __future__ import annotations

from typing import Any


def axes_for(ax: Any, width: float, height: float) -> Any:
    """The given axes, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Figures need matplotlib: pip install 'qpfs[plot]'") from error
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def size_in_points(ax: Any) -> tuple[float, float]:
    """Width and height of the axes once everything beside them has found its place."""
    ax.figure.canvas.figure.draw_without_rendering()  # the whole figure, also of a subfigure's axes
    return extent_in_points(ax)


def extent_in_points(artist: Any) -> tuple[float, float]:
    """Width and height of something in 1/72 inch, as it stands now."""
    box, points = artist.get_window_extent(), 72 / artist.figure.dpi
    return box.width * points, box.height * points


def box_in(ax: Any, left: float, top: float, right: float, bottom: float) -> Any:
    """A box that stays where it is in the axes' own units, to clip to."""
    from matplotlib.transforms import Bbox, TransformedBbox

    return TransformedBbox(Bbox(((left, top), (right, bottom))), ax.transData)
