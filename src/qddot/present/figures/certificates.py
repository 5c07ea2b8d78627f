"""The figures of the decks: eigenvalues, norms, gravity, and the effective mass of a tip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.certificate.box import box_of
from qddot.certificate.mobility import principal
from qddot.certificate.positions import joint_index, position, positions
from qddot.errors import BadArgument, printable
from qddot.model.units import units_of
from qddot.present.figures import curves, ellipse, ellipsoid
from qddot.present.figures import map as maps
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.style import label, savable
from qddot.present.figures.view import view_of
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 361  # of a curve
GRID = 81  # joint positions along one side of a map of gravity
SAMPLES = 400_000  # joint positions behind a map of the workspace
COARSE = 64  # cells along the map of a redundant arm
NORMS: dict[Any, str] = {1: "‖M‖₁", 2: "‖M‖₂", np.inf: "‖M‖∞", "fro": "‖M‖F"}
QUANTITIES = {
    "largest": "largest principal mass [kg]",
    "smallest": "smallest principal mass [kg]",
    "condition": "largest for smallest principal mass",
}


@savable
def plot_eigenvalues(
    robot: Robot,
    joint: str,
    at: Any = None,
    bounds: tuple[float, float] | None = None,
    path: str | Path | None = None,
) -> Figure:
    """Return the eigenvalues of M over the position of one joint, the others held.

    Args:
        robot: The robot.
        joint: The name of the joint that moves, over its limits or once round.
        at: Where the others are [rad or m], shape (n,); by default at `robot.home`.
        bounds: A lower and an upper bound of the eigenvalues, drawn as lines.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    i = joint_index(robot, joint)
    q = np.tile(robot.home if at is None else position(robot, at, "at"), (POINTS, 1))
    q[:, i] = _sweep(robot, joint, POINTS)
    values = np.linalg.eigvalsh(robot.mass_matrix(q))
    return curves.curves(
        q[:, i],
        values,
        names=[f"λ{_subscript(k + 1)}" for k in range(robot.n)],
        labels=(_joint_label(robot, i), f"eigenvalues of M [{_inertia_unit(robot)}]"),
        title=f"{label(robot.name)}: eigenvalues of the mass matrix over {label(joint)}",
        bounds=_bounds(bounds),
    )


@savable
def plot_norms(
    robot: Robot,
    joint: str,
    norm: Any = 2,
    box: Any = None,
    bounds: tuple[float, float] | None = None,
    samples: int = 2000,
    path: str | Path | None = None,
    *,
    seed: int = 0,
) -> Figure:
    """Return a norm of M at random joint positions, over one joint, against bounds.

    Args:
        robot: The robot.
        joint: The name of the joint to draw it over.
        norm: 1, 2, np.inf or "fro".
        box: By joint name, a range [rad or m] that stands in for its limits.
        bounds: A lower and an upper bound of the norm, drawn as lines.
        samples: How many joint positions.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
        seed: Where the random numbers start.
    """
    i = joint_index(robot, joint)
    sign = _norm_sign(norm)
    if not isinstance(samples, (int, np.integer)) or samples < 1:
        raise BadArgument(f"samples is {samples!r}; it must be a whole number above zero.")
    low, high = box_of(robot, box).edges
    q = np.random.default_rng(seed).uniform(low, high, size=(samples, robot.n))
    return curves.samples(
        q[:, i],
        np.linalg.norm(robot.mass_matrix(q), norm, axis=(-2, -1)),
        name=f"{sign} at {samples} random joint positions",
        labels=(_joint_label(robot, i), f"{sign} [{_inertia_unit(robot)}]"),
        title=f"{label(robot.name)}: a norm of the mass matrix over {label(joint)}",
        bounds=_bounds(bounds),
    )


@savable
def plot_gravity(
    robot: Robot,
    joints: tuple[str, str],
    of: str,
    at: Any = None,
    path: str | Path | None = None,
) -> Figure:
    """Return a map of the torque that gravity asks of one joint, over the positions of two.

    Args:
        robot: The robot.
        joints: The names of the two joints that move, over their limits or once round.
        of: The joint whose torque |gᵢ| is shown; where it passes what the joint can give, a line.
        at: Where the other joints are [rad or m], shape (n,); by default zero, or their nearest
            limit.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    if not isinstance(joints, (tuple, list)) or len(joints) != 2:
        raise BadArgument(f"joints is {joints!r}; name two joints: joints=('j1', 'j2').")
    a, b = (joint_index(robot, name) for name in joints)
    i = joint_index(robot, of)
    if a == b:
        raise BadArgument(
            f"joints names {printable(joints[0])!r} twice; a map needs two different joints."
        )
    x, y = (_sweep(robot, name, GRID) for name in joints)
    q = np.tile(robot.home if at is None else position(robot, at, "at"), (GRID, GRID, 1))
    q[..., a], q[..., b] = np.meshgrid(x, y)
    joint = robot.model.free_joints[i]
    effort = float(robot.limits.effort[i])
    return maps.over_joints(
        x,
        y,
        np.abs(robot.gravity_torque(q)[..., i]),
        labels=(
            _joint_label(robot, a),
            _joint_label(robot, b),
            f"|g| of {label(of)} [{joint.units.effort}]",
        ),
        title=f"{label(robot.name)}: torque that gravity asks of {label(of)}",
        limit=effort if np.isfinite(effort) else None,
    )


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
    q = np.atleast_2d(positions(robot, q))
    view, bones = view_of(robot.tree), skeleton(robot.tree)
    masses, axes = principal(robot, q, frame, view.axes)
    if not np.isfinite(masses).any():
        raise BadArgument(
            f"{label(robot.name)!r} cannot move {printable(frame)!r} here, so there is nothing "
            "to draw.\n  Name a frame farther out."
        )
    where = f", {len(q)} places" if len(q) > 1 else ""
    shown = ellipse.Ellipses(
        bones,
        view.seen(bones.points(q)),
        view.seen(robot.pose(q, frame)[..., :3, 3]),
        masses,
        axes,
        view.names,
        f"{label(robot.name)}: effective mass of {label(frame)}{where}",
    )
    if not view.flat:
        return ellipsoid.along_path(shown)
    draw = ellipse.at_one_place if len(q) == 1 else ellipse.along_path
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
    if quantity not in QUANTITIES:
        raise BadArgument(f"quantity is {quantity!r}; it must be one of {', '.join(QUANTITIES)}.")
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
    cells, extent = maps.least_in_cells(places, values, maps.CELLS if robot.n <= 2 else COARSE)
    typical = np.abs(np.log(largest / smallest) - np.log(3)).argmin()
    return maps.over_workspace(
        cells,
        extent,
        label=QUANTITIES[quantity],
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


def _sweep(robot: Robot, joint: str, count: int) -> np.ndarray:
    """Return so many positions of a joint over its range; those of the others do not matter."""
    others = dict.fromkeys((name for name in robot.joint_names if name != joint), (0.0, 0.0))
    low, high = (edge[joint_index(robot, joint)] for edge in box_of(robot, others).edges)
    return np.linspace(low, high, count)


def _norm_sign(norm: Any) -> str:
    for known, sign in NORMS.items():
        if isinstance(norm, (int, float, str)) and norm == known:
            return sign
    raise BadArgument(f"norm is {norm!r}; it must be 1, 2, np.inf or 'fro'.")


def _bounds(bounds: Any) -> tuple[float, float] | None:
    if bounds is None:
        return None
    try:
        low, high = (float(x) for x in bounds)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low <= high < np.inf:
        raise BadArgument(f"bounds is {bounds!r}; give two numbers, the lower first.")
    return low, high


def _joint_label(robot: Robot, i: int) -> str:
    joint = robot.model.free_joints[i]
    return f"{label(joint.name)} [{joint.units.position}]"


def _inertia_unit(robot: Robot) -> str:
    return " and ".join(units.inertia for units in units_of(robot.model.free_joints))


def _subscript(k: int) -> str:
    return str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
