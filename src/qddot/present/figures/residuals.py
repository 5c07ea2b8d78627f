"""Figures of what a model lacks: residuals over what they go with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures import style
from qddot.present.figures.fits import MEASURED, POINTS, RESIDUAL, WIDTH, FigureFile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from qddot.identification.residual_patterns import ResidualPattern
    from qddot.identification.result import Fit

MOST = 6  # patterns that are drawn
DOTS = 500  # of a pattern


@style.savable
def plot_residuals_against(
    fit: Fit, joint: str | None = None, most: int = MOST, *, path: FigureFile = None
) -> Figure:
    """Return residuals over position, rate, load or time: what explains most of them first.

    Args:
        fit: The fit.
        joint: Of this joint alone, all variables; of all joints those that show something, or the
            first if none does.
        most: How many are drawn at most.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    own = [p for p in fit.patterns if joint is None or p.joint == joint]
    shown = [p for p in own if p.shows or joint is not None][:most] or own[:1]
    if not shown:
        which = "" if joint is None else f" of a joint {joint!r}"
        raise BadArgument(f"There are no residuals{which} to draw, or too few rows of them.")
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    result = style.figure(WIDTH * max(columns, 2) / 3, 2.5 * rows)
    grid = result.subplots(rows, columns, squeeze=False).ravel()
    for axes, pattern in zip(grid, shown, strict=False):
        _pattern(axes, pattern)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    return result


def _pattern(axes: Axes, pattern: ResidualPattern) -> None:
    few = np.unique(np.linspace(0, len(pattern.x) - 1, DOTS).astype(int))
    for way, colour in ((pattern.forwards, MEASURED), (~pattern.forwards, RESIDUAL)):
        dots = few[way[few]]
        look: dict[str, Any] = {"color": colour, "markersize": 4, "alpha": 0.5}
        axes.plot(pattern.x[dots], pattern.residual[dots], ".", markeredgewidth=0, **look)
        order = np.flatnonzero(way)[np.argsort(pattern.x[way])]
        order = order[np.unique(np.linspace(0, len(order) - 1, POINTS // 6).astype(int))]
        axes.plot(pattern.x[order], pattern.curve[order], color=colour, linewidth=style.LINE)
    axes.axhline(0, color=style.QUIET, linewidth=style.THIN)
    style.dress(axes)
    axes.set_xlabel(f"{pattern.variable} [{pattern.units[0]}]")
    axes.set_ylabel(f"residual [{pattern.units[1]}]")
    words = f"{style.label(pattern.joint, 24)}: {100 * pattern.share:.0f} %"
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), words)
