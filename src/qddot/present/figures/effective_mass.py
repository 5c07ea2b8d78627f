"""The effective mass of a frame: at the arm, and as a map over its workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.certificate.bound import box_of
from qddot.certificate.mobility import principal
from qddot.checks import joint_rows, one_of
from qddot.errors import BadArgument, printable
from qddot.present.figures import style
from qddot.present.figures.arm import draw_arm
from qddot.present.figures.ellipses import Ellipses, at_one_place, ellipses, ellipsoids
from qddot.present.figures.skeleton import Skeleton, skeleton
from qddot.present.figures.style import label, savable
from qddot.present.figures.view import view_of
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELLS = 220  # along the longer side of a map
COARSE = 64  # the same, of a redundant arm
SAMPLES = 400_000  # joint positions behind a map
QUANTITIES = {
    "largest": "largest principal mass [kg]",
    "smallest": "smallest principal mass [kg]",
    "condition": "largest for smallest principal mass",
}


@savable
def plot_effective_mass(robot: Robot, q: Any, frame: str, path: str | Path | None = None) -> Figure:
    """Return the effective mass of a frame, drawn at the arm.

    An arm that moves in a plane has ellipses: at one q also the circle of accelerations and the
    force that each takes, along several q one ellipse each. Any other arm has ellipsoids.

    Args:
        robot: The robot.
        q: Joint positions [rad or m], shape (n,), or several along a path, shape (k, n).
        frame: The name of a link or a frame.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    q = np.atleast_2d(joint_rows(robot, "q", q))
    view, bones = view_of(robot.tree), skeleton(robot.tree)
    masses, axes = principal(robot, q, frame, view.axes)
    if not np.isfinite(masses).any():
        raise BadArgument(
            f"{label(robot.name)!r} cannot move {printable(frame)!r} here, so there is nothing "
            "to draw.\n  Name a frame farther out."
        )
    where = f", {len(q)} places" if len(q) > 1 else ""
    shown = Ellipses(
        bones,
        view.seen(bones.points(q)),
        view.seen(robot.pose(q, frame)[..., :3, 3]),
        masses,
        axes,
        view.names,
        f"{label(robot.name)}: effective mass of {label(frame)}{where}",
    )
    if not view.flat:
        return ellipsoids(shown)
    draw = at_one_place if len(q) == 1 else ellipses
    return draw(shown)


@savable
def plot_effective_mass_map(
    robot: Robot,
    frame: str,
    quantity: str = "largest",
    box: Any = None,
    path: str | Path | None = None,
) -> Figure:
    """Return a map of the effective mass over the workspace of an arm that moves in a plane.

    Where several joint positions reach a place, the least of their values is shown.

    Args:
        robot: The robot.
        frame: The name of a link or a frame.
        quantity: "largest" or "smallest" principal mass, or their "condition".
        box: By joint name, a range [rad or m] that stands in for its limits.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    one_of("quantity", quantity, tuple(QUANTITIES))
    view, bones = view_of(robot.tree), skeleton(robot.tree)
    if not view.flat:
        raise BadArgument(
            f"{label(robot.name)!r} does not move in a plane, so that its workspace is no map.\n"
            "  Lock the joints that leave the plane: robot.locked({...}); or draw ellipsoids: "
            "plot_effective_mass."
        )
    q = _spread(*box_of(robot, box).edges)
    masses = principal(robot, q, frame, view.axes)[0]
    if np.isinf(masses[:, 1]).all():
        raise BadArgument(
            f"{label(robot.name)!r} moves {printable(frame)!r} along a line at best, so that there "
            "is no map.\n  Name a frame farther out."
        )
    smallest, largest = masses.T
    values = {"largest": largest, "smallest": smallest, "condition": largest / smallest}[quantity]
    places = view.seen(robot.pose(q, frame)[..., :3, 3])
    # a redundant arm reaches a place in many ways, of which a cell must hold enough
    cells, extent = least_in_cells(places, values, CELLS if robot.n <= 2 else COARSE)
    typical = np.abs(np.log(largest / smallest) - np.log(3)).argmin()
    return over_workspace(
        cells,
        extent,
        words=QUANTITIES[quantity],
        names=view.names,
        title=f"{label(robot.name)}: effective mass of {label(frame)} over its workspace",
        arm=(bones, view.seen(bones.points(q[typical]))),
    )


def _spread(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return joint positions all over a box: a grid of two joints, random of more."""
    n = len(low)
    if n <= 2:
        side = round(SAMPLES ** (1 / n))
        sides = [np.linspace(*ends, side) for ends in zip(low, high, strict=True)]
        return np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, n)
    return np.random.default_rng(0).uniform(low, high, size=(SAMPLES, n))


def least_in_cells(
    points: np.ndarray, values: np.ndarray, cells: int = CELLS
) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Return the least value (m,) of the points (m, 2) in every cell of a plane, and its ends.

    There are so many cells along the longer side. The values have the shape (rows, columns), NaN
    where there is no point; the ends are left, right, bottom and top.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    side = max(float((high - low).max()), 1e-9) / cells
    columns, rows = (int(np.ceil(x)) + 1 for x in (high - low) / side)
    column, row = np.floor((points - low) / side + 0.5).astype(int).T
    found = np.full((rows, columns), np.inf)
    np.minimum.at(found, (row, column), values)
    seen = np.zeros((rows, columns), dtype=bool)
    seen[row, column] = True
    left, bottom = low - side / 2
    extent = (float(left), float(left + columns * side))
    return np.where(seen, found, np.nan), (*extent, float(bottom), float(bottom + rows * side))


def over_workspace(
    cells: np.ndarray,
    extent: tuple[float, float, float, float],
    *,
    words: str,
    names: tuple[str, ...],
    title: str,
    arm: tuple[Skeleton, np.ndarray] | None = None,
) -> Figure:
    """Return a map over a plane; the largest hundredth, which may be infinite, shares a colour.

    The cells hold values above zero, shape (rows, columns), the lowest row first; NaN is left
    white. The extent is left, right, bottom and top [m]. The words say what the values are, with
    their unit; the names are those of the two directions. On top is drawn the arm: a skeleton, and
    where its points are, shape (points, 2).
    """
    from matplotlib.colors import LogNorm

    result = style.figure(6.6, 5.4)
    axes = result.subplots()
    style.dress(axes)
    axes.grid(False)
    finite = cells[np.isfinite(cells)]
    low, high = np.quantile(finite, [0.0, 0.97]) if len(finite) else (1.0, 10.0)
    high = max(float(high), 2 * float(low))
    picture = axes.imshow(
        np.where(np.isposinf(cells), 10 * high, cells),
        extent=extent,
        origin="lower",
        cmap=style.shades(),
        norm=LogNorm(float(low), high),
        interpolation="nearest",
        interpolation_stage="data",
    )
    bar = result.colorbar(picture, ax=axes, extend="max", shrink=0.9)
    round_numbers = np.outer(10.0 ** np.arange(-12, 13), (1, 2, 3, 5)).ravel()
    ticks = round_numbers[(round_numbers >= 0.999 * low) & (round_numbers <= high)]
    bar.set_ticks(ticks.tolist(), labels=[f"{x:g}" for x in ticks])
    bar.minorticks_off()
    style.dress_bar(bar, words)
    if arm is not None:
        draw_arm(axes, *arm, width=0.6)
    axes.set_xlabel(f"{names[0]} [m]")
    axes.set_ylabel(f"{names[1]} [m]")
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    return result
