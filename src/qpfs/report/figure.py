"""The only module that imports matplotlib, which only figures need: a picture as artists.

Panels are axes in units of their own, so that more can be drawn on them; colours are the page's.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from qpfs.report.names import LITERAL, one_line
from qpfs.report.pictures.axes import WIDE, FigureLayout, Panel, Picture
from qpfs.report.pictures.marks import Box, Dot, Lettering, Mark, MarkGroup, Path, ShadedCells

if TYPE_CHECKING:
    from matplotlib.artist import Artist as Artist
    from matplotlib.axes import Axes as Axes

Style: TypeAlias = dict[str, Any]
POINT, INCH = 0.75, 96.0  # of a pixel in points; pixels in an inch
HEAD = 44.0  # pixels for the title
EDGE = 12.0  # pixels left of a figure and below it
BESIDE = 16.0  # pixels for the name of a vertical scale
DASHES = {"k1": (5, 2.5), "k2": (1.5, 2), "k3": (8, 3, 2, 3), "k4": (3, 3), "cut": (3, 2)}
SHAPES = {"circle": "o", "square": "s", "up": "^", "down": "v", "diamond": "D", "cross": "P"}
FILLS = {  # the colour of a role, and how opaque it is; k0, k1, ... have colours of their own
    "rest": ("strong", 0.75),
    "bar": ("accent", 1.0),
    "area": ("k", 0.16),
    "band": ("k", 0.12),
    "shade": ("accent", 1.0),
    "ground": ("panel", 1.0),
    "kept": ("kept", 1.0),
    "split": ("split", 1.0),
    "discarded": ("gone", 1.0),
}
STROKES = {  # the colour, how wide and how opaque
    "axis": ("strong", 1.0, 1.0),
    "grid": ("line", 1.0, 1.0),
    "cut": ("quiet", 1.0, 1.0),
    "pin": ("ink", 1.5, 1.0),
    "area": ("k", 1.6, 1.0),
    "curve": ("k", 2.0, 1.0),
    "whisker": ("k", 1.0, 0.4),
    "faint": ("strong", 1.0, 0.6),
}


def draw(layout: FigureLayout, ax: Axes | None, title: str) -> tuple[Axes, list[Axes], list[Artist]]:
    """A picture on the given axes, or on those of a new figure: the axes, its panels and the artists."""
    picture = layout(WIDE, None)
    single = len(picture.panels) == 1
    left, top, right, bottom = picture.panels[0].box if single else (0, 0, picture.width, picture.height)
    if ax is None:
        named = picture.panels[0].y.label if single else ""
        aside = (max(EDGE - left, 0.0) + BESIDE * bool(named)) if single else 0.0
        below = max(EDGE - (picture.height - bottom), 0.0) if single else 0.0
        width, height = picture.width + aside, picture.height + HEAD + below
        figure = pyplot().figure(figsize=(width / INCH, height / INCH))
        wide, high = right - left, bottom - top
        ax = figure.add_axes(
            ((left + aside) / width, 1 - (bottom + HEAD) / height, wide / width, high / height)
        )
    else:
        wide, high = size_in_pixels(ax)
        picture = layout(
            picture.width - (right - left) + wide, picture.height - (bottom - top) + high if single else None
        )
    if not single:
        ax.set_axis_off()
    # A single panel is the axes themselves; several lie within them.
    panels = [ax] if single else [ax.inset_axes(within(panel, picture)) for panel in picture.panels]
    artists = [
        one for at, panel in zip(panels, picture.panels, strict=True) for one in drawn_panel(at, panel)
    ]
    if single:
        ax.set_ylabel(picture.panels[0].y.label, fontsize=9)
    over = top * POINT if single else 0.0
    ax.set_title(title, loc="left", fontsize=10, linespacing=1.4, pad=over + 6)
    return ax, panels, artists


def pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Figures need matplotlib: pip install 'qpfs[plot]'") from error
    return plt


def size_in_pixels(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes after the layout of everything beside them."""
    figure: Any = ax.figure
    figure.canvas.figure.draw_without_rendering()  # the whole figure, also of a subfigure's axes
    box = ax.get_window_extent()
    return box.width * INCH / figure.dpi, box.height * INCH / figure.dpi


def within(panel: Panel, picture: Picture) -> tuple[float, float, float, float]:
    """The position of a panel, as fractions of the picture from its lower left corner."""
    left, top, right, bottom = panel.box
    wide, high = picture.width, picture.height
    return left / wide, 1 - bottom / high, (right - left) / wide, (bottom - top) / high


def drawn_panel(ax: Axes, panel: Panel) -> list[Artist]:
    """The scales, and the marks."""
    ax.set_xscale("log" if panel.x.ratios else "linear")
    ax.set_xlim(panel.x.low, panel.x.high)
    ax.set_ylim(
        *((panel.y.low, panel.y.high) if panel.y.start > panel.y.end else (panel.y.high, panel.y.low))
    )
    for axis, given in ((ax.xaxis, panel.x), (ax.yaxis, panel.y)):
        axis.set_ticks(
            [value for value, _ in given.ticks], [one_line(words) for _, words in given.ticks], **LITERAL
        )
        axis.set_ticks([], minor=True)
        axis.set_tick_params(labelsize=11 * POINT, length=0)
        if given.has_grid:
            axis.grid(color=palette()["line"])
    ax.set_xlabel(panel.x.label, fontsize=9)
    ax.set_title(panel.y.label, loc="left", fontsize=9, fontweight="bold")
    ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)
    return [artist for mark in panel.marks for artist in drawn(ax, mark, ())]


def drawn(ax: Axes, mark: Mark, around: tuple[str, ...]) -> list[Artist]:
    """The artists of a mark, within groups of some roles."""
    if isinstance(mark, MarkGroup):
        return [one for inner in mark.marks for one in drawn(ax, inner, (*around, *mark.role.split()))]
    roles = [*around, *mark.role.split()]
    match mark:
        case Lettering():
            return [written(ax, mark, roles)]
        case Dot():
            colour = colour_of("k", roles)
            style: Style = {
                "marker": SHAPES[mark.shape],
                "color": colour,
                "markeredgecolor": "white",
                "markersize": 5.5,
            }
            return [*ax.plot([mark.x], [mark.y], clip_on=False, **style)]
        case Path():
            xs, ys = zip(*mark.points, strict=True)
            fill, stroke = filled(roles), stroked(roles)
            areas = ax.fill(xs, ys, **fill) if fill else []
            return [*areas, *(ax.plot(xs, ys, clip_on=False, **stroke) if stroke else [])]
        case ShadedCells():
            boxes = [
                Box(x, y, mark.width, mark.height, mark.role, opacity=mark.opacity) for x, y in mark.corners
            ]
            return [one for box in boxes for one in drawn(ax, box, around)]
        case Box():
            return boxed(ax, mark, roles)


def boxed(ax: Axes, mark: Box, roles: list[str]) -> list[Artist]:
    from matplotlib.patches import Rectangle

    style: Style = filled(roles)
    if "hatched" in roles:
        style = {"facecolor": "none", "edgecolor": palette()["hatch"], "hatch": "////", "linewidth": 0}
    if mark.opacity is not None:
        style["alpha"] = mark.opacity
    box = Rectangle((mark.x, mark.y), mark.width, mark.height, clip_on=False, **style)
    return [ax.add_patch(box)]


def written(ax: Axes, mark: Lettering, roles: list[str]) -> Artist:
    """A text, with the size and side of its role."""
    from matplotlib.patheffects import withStroke

    side = "right" if "end" in roles else "center" if {"middle", "value"} & {*roles} else "left"
    light = "high" in roles or {"bar-name", "kept"} <= {*roles}
    colour = palette()["on-accent" if light else "quiet" if "tick" in roles else "ink"]
    size = 11 if {"tick", "bar-name", "value"} & {*roles} else 10 if "small" in roles else 12
    words: Any = ax.annotate(
        one_line(mark.text),
        (mark.x, mark.y),
        xytext=(mark.dx * POINT, -mark.dy * POINT),
        textcoords="offset points",
        annotation_clip=False,
        ha=side,
        va="baseline",
        fontsize=size * POINT,
        color=colour,
        **LITERAL,
    )
    if "haloed" in roles:
        words.set_path_effects([withStroke(linewidth=2, foreground="white")])
    return words


def filled(roles: list[str]) -> Style:
    """How an area of some roles is filled; empty if it is not."""
    found = next((FILLS[role] for role in FILLS if role in roles), None)
    if found is None or ("band" in roles and "best" not in roles):
        return {}
    return {"color": colour_of(found[0], roles), "alpha": found[1], "linewidth": 0}


def stroked(roles: list[str]) -> Style:
    """How a line of some roles is drawn; empty if it is not."""
    found = next((STROKES[role] for role in STROKES if role in roles), None)
    if found is None or {"whisker", "best"} <= {*roles}:
        return {}
    dashes = next((DASHES[role] for role in roles if role in DASHES and "whisker" not in roles), None)
    style = {"color": colour_of(found[0], roles), "linewidth": found[1] * POINT, "alpha": found[2]}
    return style | ({"linestyle": (0, dashes)} if dashes else {})


def colour_of(name: str, roles: list[str]) -> str:
    """A colour of the page: that of the class k0, k1, ... if a mark has one."""
    own = next((role for role in roles if re.fullmatch(r"k\d", role)), None)
    return palette()[own if own and name in ("k", "accent") else "accent" if name == "k" else name]


@cache
def palette() -> dict[str, str]:
    """The light colours of the page, as its style has them."""
    style = resources.files("qpfs.report").joinpath("templates", "page.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([\w-]+): (#\w+);", style[: style.index("}")]))
