"""Where a frame gets to and how well it moves there: slices of its workspace, ellipsoids."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable
from qddot.present.figures import style
from qddot.present.figures.arm import draw_arm
from qddot.present.figures.ellipses import Ellipses, ellipses, ellipsoids
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.style import label, savable
from qddot.present.figures.view import direction_name, view_of
from qddot.workspace.ellipsoids import FrameEllipsoid, carried, half_axes_of
from qddot.workspace.places import Workspace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = {"manipulability": "largest manipulability found", "dexterity": "share of directions found"}
WHAT = {
    "velocity": "velocities of joint rates in a ball",
    "force": "forces that joint torques in a ball balance",
    "acceleration": "accelerations of joint torques in a ball, about that of falling",
}


@savable
def plot_workspace(
    workspace: Workspace, quantity: str = "manipulability", path: str | Path | None = None
) -> Figure:
    """Return a picture of the places that a frame reaches.

    Of an arm in a plane all cells; of any other two slices, upright through the base and level
    through the largest section, each with the outline of all that is reached, seen that way.

    Args:
        workspace: What `reachable` found.
        quantity: What the colours are: "manipulability" or "dexterity".
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    values = workspace.values(quantity)
    robot, cell = workspace.robot, workspace.cell
    if len(workspace.axes) == 1:
        raise BadArgument(
            f"{printable(workspace.frame)!r} moves along a line, so that there is nothing to draw."
        )
    flat = len(workspace.axes) == 2
    result = style.figure(6.6 if flat else 10.0, 5.4 if flat else 4.6)
    panels: Any = [result.subplots()] if flat else result.subplots(1, 2)
    top = float(values.max()) or 1.0
    if flat:
        drawn = [(*workspace.layer(quantity), (0, 1), "")]
    else:
        heights, counts = np.unique(workspace.cells.places[:, 2], return_counts=True)
        level = (heights[counts.argmax()] + 0.5) * cell
        drawn = [
            (*workspace.slice("y", cell / 2, quantity), (0, 2), "y = 0"),
            (*workspace.slice("z", level, quantity), (0, 1), f"z = {level:.2g} m"),
        ]
    picture: Any = None
    for axes, (cells, extent, sides, words) in zip(panels, drawn, strict=True):
        names = [direction_name(workspace.axes[k], k) for k in sides]
        picture = _panel(axes, cells, extent, top, names)
        _outline(axes, workspace, sides, extent)
        style.write(axes.set_title("", loc="left", fontsize=style.SMALL), words)
    if flat:
        bones = skeleton(robot.tree)
        usual = workspace.q[np.abs(values - np.median(values)).argmin()]
        draw_arm(panels[0], bones, bones.points(usual) @ workspace.axes.T, width=0.6)
    bar = result.colorbar(picture, ax=panels, shrink=0.9)
    style.dress_bar(bar, BARS[quantity])
    title = f"{label(robot.name)}: where {label(workspace.frame)} gets to"
    title += f", cells of {1000 * cell:.3g} mm"
    style.write(result.suptitle("", fontsize=style.NORMAL), title)
    return result


def _panel(axes: Axes, cells: np.ndarray, extent: Any, top: float, names: list[str]) -> Any:
    """Draw the cells of a layer, white where none was reached."""
    style.dress(axes)
    axes.grid(False)
    picture = axes.imshow(
        cells,
        extent=extent,
        origin="lower",
        cmap=style.shades(),
        vmin=0.0,
        vmax=top,
        interpolation="nearest",
        interpolation_stage="data",
    )
    axes.set(xlabel=f"{names[0]} [m]", ylabel=f"{names[1]} [m]")
    return picture


def _outline(axes: Axes, workspace: Workspace, sides: tuple[int, int], extent: Any) -> None:
    """Draw the outline of all cells, seen along the axis that is not drawn."""
    where = workspace.cells.places[:, list(sides)]
    where = where - where.min(axis=0) + 1
    wide, high = where.max(axis=0) + 2
    seen = np.zeros((wide, high))
    seen[tuple(where.T)] = 1.0
    left, right, bottom, top = extent
    x, y = (
        np.linspace(a - workspace.cell / 2, b + workspace.cell / 2, k)
        for a, b, k in ((left, right, wide), (bottom, top, high))
    )
    axes.contour(x, y, seen.T, levels=[0.5], colors=style.QUIET, linewidths=style.THIN)


@savable
def plot_ellipsoids(shown: FrameEllipsoid, path: str | Path | None = None) -> Figure:
    """Return velocities, forces or accelerations of a frame, drawn at the arm.

    An arm that moves in a plane has ellipses, any other ellipsoids.

    Args:
        shown: What `velocity_ellipsoid`, `force_ellipsoid` or `acceleration_ellipsoid` found.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    robot, q = shown.robot, np.atleast_2d(shown.q)
    view, bones = view_of(robot.tree), skeleton(robot.tree)
    W, _ = carried(robot, q, shown.frame, shown.quantity, shown.axes, shown.largest)
    lengths, directions = half_axes_of(view.axes @ W, shown.quantity)
    if not (lengths[np.isfinite(lengths)] > 0).any():
        raise BadArgument(
            f"{label(robot.name)!r} cannot move {printable(shown.frame)!r} within the picture's "
            'plane that way.\n  Ask for axes="linear".'
        )
    where = f", {len(q)} places" if len(q) > 1 else ""
    drawn = Ellipses(
        bones,
        view.seen(bones.points(q)),
        view.seen(robot.pose(q, shown.frame)[..., :3, 3]),
        lengths[:, ::-1],
        directions[..., ::-1],
        view.names,
        f"{label(robot.name)}: {shown.quantity} of {label(shown.frame)}{where}",
        WHAT[shown.quantity],
        shown.unit,
    )
    return (ellipses if view.flat else ellipsoids)(drawn)
