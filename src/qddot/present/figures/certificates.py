"""The figures of the decks: eigenvalues and norms of M over a joint, gravity over two."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.certificate.bound import box_of, outward
from qddot.checks import joint_index, joint_vector
from qddot.errors import BadArgument, printable
from qddot.model.units import for_people, units_of
from qddot.present.figures import style
from qddot.present.figures.style import drawable, label, savable
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

POINTS = 361  # of a curve
GRID = 81  # joint positions along one side of a map of gravity
LEVELS = 12  # of contours
WIDE = 50.0  # largest for smallest from which on a scale is logarithmic
NORMS: dict[Any, str] = {1: "‖M‖₁", 2: "‖M‖₂", np.inf: "‖M‖∞", "fro": "‖M‖F"}


@savable
def plot_eigenvalues(
    robot: Robot,
    joint: str,
    at: Any = None,
    bounds: tuple[float, float] | None = None,
    path: str | Path | None = None,
    *,
    degrees: bool = False,
) -> Figure:
    """Return the eigenvalues of M over the position of one joint, the others held.

    Args:
        robot: The robot.
        joint: The name of the joint that moves, over its limits or once round.
        at: Where the others are [rad or m], shape (n,); by default at `robot.home`.
        bounds: A lower and an upper bound of the eigenvalues, drawn as lines.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
        degrees: Draw angles in degrees instead of radians.
    """
    i = joint_index(robot, joint)
    q = np.tile(robot.home if at is None else joint_vector(robot, "at", at), (POINTS, 1))
    q[:, i] = _sweep(robot, joint, POINTS)
    values = np.linalg.eigvalsh(robot.mass_matrix(q))
    ends = _bounds(bounds)
    words, factor = _joint_label(robot, i, degrees)
    x = q[:, i] * factor
    drawn, axes = _over_joint(words, f"eigenvalues of M [{_inertia_unit(robot)}]", values)
    title = f"{label(robot.name)}: eigenvalues of the mass matrix over {label(joint)}"
    lines = [
        (axes.plot(x, drawable(values[:, k]), **style.curve(k))[0], f"λ{_subscript(k + 1)}")
        for k in range(robot.n)
    ]
    return _finished(drawn, axes, title, x, lines, ends)


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
    degrees: bool = False,
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
        degrees: Draw angles in degrees instead of radians.
    """
    from matplotlib.lines import Line2D

    i = joint_index(robot, joint)
    sign = _norm_sign(norm)
    if not isinstance(samples, (int, np.integer)) or samples < 1:
        raise BadArgument(f"samples is {samples!r}; it must be a whole number above zero.")
    low, high = box_of(robot, box).edges
    q = np.random.default_rng(seed).uniform(low, high, size=(samples, robot.n))
    values, ends = np.linalg.norm(robot.mass_matrix(q), norm, axis=(-2, -1)), _bounds(bounds)
    words, factor = _joint_label(robot, i, degrees)
    x = q[:, i] * factor
    drawn, axes = _over_joint(words, f"{sign} [{_inertia_unit(robot)}]", values)
    title = f"{label(robot.name)}: a norm of the mass matrix over {label(joint)}"
    dot: dict[str, Any] = dict(color=style.colour(0), marker=".", linestyle="none")
    look: dict[str, Any] = dict(markersize=3, markeredgewidth=0, alpha=0.6, rasterized=True)
    axes.plot(x, drawable(values), **dot, **look)
    name = f"{sign} at {samples} random joint positions"
    return _finished(drawn, axes, title, x, [(Line2D([], [], markersize=8, **dot), name)], ends)


@savable
def plot_gravity(
    robot: Robot,
    joints: tuple[str, str],
    of: str,
    at: Any = None,
    path: str | Path | None = None,
    *,
    degrees: bool = False,
) -> Figure:
    """Return a map of the torque that gravity asks of one joint, over the positions of two.

    Args:
        robot: The robot.
        joints: The names of the two joints that move, over their limits or once round.
        of: The joint whose torque |gᵢ| is shown; where it passes what the joint can give, a line.
        at: Where the other joints are [rad or m], shape (n,); by default zero, or their nearest
            limit.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
        degrees: Draw angles in degrees instead of radians.
    """
    from matplotlib.ticker import MaxNLocator

    if not isinstance(joints, (tuple, list)) or len(joints) != 2:
        raise BadArgument(f"joints is {joints!r}; name two joints: joints=('j1', 'j2').")
    a, b = (joint_index(robot, name) for name in joints)
    i = joint_index(robot, of)
    if a == b:
        raise BadArgument(
            f"joints names {printable(joints[0])!r} twice; a map needs two different joints."
        )
    x, y = (_sweep(robot, name, GRID) for name in joints)
    q = np.tile(robot.home if at is None else joint_vector(robot, "at", at), (GRID, GRID, 1))
    q[..., a], q[..., b] = np.meshgrid(x, y)
    values, limit = np.abs(robot.gravity_torque(q)[..., i]), float(robot.limits.effort[i])
    top = float(values.max())
    if top <= 1e-9:  # nothing but rounding
        values, top = np.zeros_like(values), 1.0
    drawn = style.figure(6.4, 5.0)
    axes = drawn.subplots()
    style.dress(axes)
    (below, across), (beside, up) = (_joint_label(robot, k, degrees) for k in (a, b))
    x, y = x * across, y * up
    levels = MaxNLocator(LEVELS).tick_values(0.0, top)
    filled = axes.contourf(x, y, values, levels=levels, cmap=style.shades())
    axes.contour(x, y, values, levels=levels, colors="white", linewidths=0.4)
    if values.min() < limit < top:
        axes.contour(x, y, values, levels=[limit], colors=style.colour(1), linewidths=1.8)
        note = axes.text(0.99, 1.01, "", transform=axes.transAxes, ha="right", fontsize=style.SMALL)
        style.write(note, f"orange: the joint's limit, {limit:g}")
    unit = robot.model.free_joints[i].units.effort
    style.dress_bar(drawn.colorbar(filled, ax=axes), f"|g| of {label(of)} [{unit}]")
    style.write(axes.set_xlabel(""), below)
    style.write(axes.set_ylabel(""), beside)
    title = f"{label(robot.name)}: torque that gravity asks of {label(of)}"
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    return drawn


def _over_joint(joint: str, words: str, values: np.ndarray) -> tuple[Figure, Axes]:
    """Return axes over the position of a joint, for values that these words name."""
    drawn = style.figure(7.0, 3.9)
    axes = drawn.subplots()
    style.dress(axes)
    style.write(axes.set_xlabel(""), joint)
    style.write(axes.set_ylabel(""), words)
    if values.min() > 0 and values.max() > WIDE * values.min():
        axes.set_yscale("log")
    return drawn, axes


def _finished(
    drawn: Figure,
    axes: Axes,
    title: str,
    x: np.ndarray,
    lines: list[tuple[Line2D, str]],
    bounds: tuple[float, float] | None,
) -> Figure:
    """Return the figure with its title, its legend, and two bounds as lines across."""
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    if bounds is not None:
        look: dict[str, Any] = dict(color=style.INK, linestyle=style.DASHES[1])
        across = [axes.axhline(bound, linewidth=style.LINE, **look) for bound in bounds]
        low, high = (Fraction(repr(bound)) for bound in bounds)  # as they were given
        lines = [*lines, (across[0], f"bounds: {' and '.join(outward(low, high, 6))}")]
    if x.max() > x.min():
        axes.set_xlim(float(x.min()), float(x.max()))
    if axes.get_yscale() == "linear" and (bounds is None or bounds[0] >= 0):
        axes.set_ylim(bottom=0)
    style.legend(drawn, lines, style.legend_columns(lines, 100), loc="outside upper left")
    return drawn


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


def _joint_label(robot: Robot, i: int, degrees: bool) -> tuple[str, float]:
    """Return a joint's name and unit as they are shown, and how many of that one of SI is."""
    joint = robot.model.free_joints[i]
    unit, factor = for_people(joint.units.position, degrees)
    return f"{label(joint.name)} [{unit}]", factor


def _inertia_unit(robot: Robot) -> str:
    return " and ".join(units.inertia for units in units_of(robot.model.free_joints))


def _subscript(k: int) -> str:
    return str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
