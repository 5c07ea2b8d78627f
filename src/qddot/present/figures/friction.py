"""Friction: what each joint resists with, over its velocity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument, listing, printable
from qddot.model.friction import Friction
from qddot.model.units import ANGLE, JointUnits, for_people
from qddot.present.figures import style
from qddot.present.figures.style import drawable, savable
from qddot.robot import Robot, robot_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 301  # of half a curve
FADED = 6.0  # times the Stribeck velocity, at which nothing is left of static friction
USUAL = 1.0  # [rad/s or m/s], drawn where nothing else says how far
WIDTH, HEIGHT = 7.0, 3.9  # [inch], of one panel
LONGEST, MOST = 90, 4  # characters and names of joints that share a law


@savable
def plot_friction(
    what: Robot | str | Path | Mapping[str, Friction],
    velocity: float | None = None,
    smoothing: float | None = None,
    path: str | Path | None = None,
    *,
    degrees: bool = False,
) -> Figure:
    """Return the torque of friction over velocity, a curve for each law of the joints.

        f(q̇) = Fᵥ q̇ + [Fₛ + (F_static − Fₛ) exp(−(q̇/v_s)²)] sgn(q̇) + f₀

    At rest dry friction is whatever holds, up to its size: the curve is upright there. Joints that
    slide have a panel of their own.

    Args:
        what: A robot, or its built-in name or file; or laws of friction to compare, by name:
            {"viscous": Friction(viscous=2.0), "Coulomb": Friction(coulomb=1.0)}, in N·m and rad/s.
        velocity: How far the axis goes [rad/s or m/s]. If not given, six times the largest
            Stribeck velocity; else to the largest velocity limit; else 1.
        smoothing: If given, the curves with tanh(q̇/v) for sgn(q̇) are there too, dashed: those of
            `simulate(friction="smooth", smoothing=v)` [rad/s or m/s].
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
        degrees: Draw velocities of joints that turn in degrees per second.
    """
    for name, given in (("velocity", velocity), ("smoothing", smoothing)):
        if given is not None:
            positive(name, given, "rad/s or m/s")
    groups, title = _of_laws(what) if isinstance(what, Mapping) else _of_robot(robot_of(what))
    drawn = style.figure(WIDTH, HEIGHT * len(groups))
    grid = drawn.subplots(len(groups), 1, squeeze=False)[:, 0]
    lines: list[tuple[Any, str]] = []
    for axes, (units, laws, limit) in zip(grid, groups, strict=True):
        reach = velocity or _reach(laws, limit)
        lines += _draw(axes, units, laws, reach, smoothing, len(lines), degrees)
    style.write(grid[0].set_title("", loc="left", fontsize=style.NORMAL), title)
    if smoothing is not None:
        lines.append((_dashed(grid[0]), f"with tanh(q̇/{smoothing:g}) for sgn(q̇)"))
    style.legend(drawn, lines, style.legend_columns(lines, 100), loc="outside upper left")
    return drawn


FrictionPanel = tuple[JointUnits, dict[str, Friction], float]  # with the largest velocity limit


def _of_laws(laws: Mapping[str, Friction]) -> tuple[list[FrictionPanel], str]:
    for name, law in laws.items():
        if not isinstance(law, Friction):
            raise BadArgument(
                f"{printable(str(name))!r} is {law!r}; give each law as a Friction, like "
                "qddot.model.Friction(coulomb=1.0)."
            )
    if not laws:
        raise BadArgument("There is no law to draw: give at least one.")
    return [(ANGLE, dict(laws), np.inf)], "friction over velocity"


def _of_robot(robot: Robot) -> tuple[list[FrictionPanel], str]:
    """Return the joints that have friction by their laws, those with the same units together."""
    found: dict[JointUnits, dict[Friction, list[str]]] = {}
    limits: dict[JointUnits, float] = {}
    for shaft in robot.tree.shafts:
        law, first = shaft.friction, int(np.flatnonzero(shaft.direction)[0])
        units, limit = robot.model.free_joints[first].units, robot.limits.velocity[first]
        if law.torque(1.0) or law.torque(-1.0):
            found.setdefault(units, {}).setdefault(law, []).append(shaft.name)
            limits[units] = max(limits.get(units, 0.0), float(limit))
    if not found:
        raise BadArgument(
            f"Robot {printable(robot.name)!r} has no friction. Give it some: "
            "robot.with_friction(viscous=2.0, coulomb=1.0), --set friction.coulomb=1."
        )
    title = f"{style.label(robot.name)}: friction of its joints over velocity"
    named = {
        units: {listing(names, MOST): law for law, names in laws.items()}
        for units, laws in found.items()
    }
    return [(units, laws, limits[units]) for units, laws in named.items()], title


def _reach(laws: Mapping[str, Friction], limit: float) -> float:
    """Return up to which velocity there is something to see."""
    fades = [law.stribeck_velocity for law in laws.values() if law.stribeck_velocity is not None]
    fades += [speed for law in laws.values() for _, speed in law.further]
    if fades:
        return FADED * max(map(float, fades))
    return limit if 0 < limit < np.inf else USUAL


def _draw(
    axes: Axes,
    units: JointUnits,
    laws: Mapping[str, Friction],
    reach: float,
    smoothing: float | None,
    first: int,
    degrees: bool,
) -> list[tuple[Any, str]]:
    """Draw laws of friction up to a velocity; return their lines and names."""
    style.dress(axes)
    half = np.linspace(0, reach, POINTS)
    velocity = np.concatenate([-half[::-1], half])
    unit, factor = for_people(units.velocity, degrees)
    sides = np.repeat([-1.0, 1.0], POINTS)  # at zero from below and from above
    lines = []
    for k, (name, law) in enumerate(laws.items(), first):
        torque = np.broadcast_to(law.torque(velocity, sides), velocity.shape)
        line = axes.plot(velocity * factor, drawable(torque), **style.curve(k))[0]
        lines.append((line, style.label(str(name), LONGEST)))
        if smoothing is not None and law.is_dry:
            smooth = law.torque(velocity, np.tanh(velocity / smoothing))
            look: dict[str, Any] = {**style.curve(k), "linestyle": style.DASHES[2]}
            axes.plot(velocity * factor, drawable(smooth.astype(float)), **look)
    for line in (axes.axhline, axes.axvline):
        line(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    axes.set_xlim(-reach * factor, reach * factor)
    style.write(axes.set_xlabel(""), f"velocity [{unit}]")
    style.write(axes.set_ylabel(""), f"friction [{units.effort}]")
    return lines


def _dashed(axes: Axes) -> Any:
    look: dict[str, Any] = {"linestyle": style.DASHES[2], "linewidth": style.LINE}
    return axes.plot([], [], color=style.INK, **look)[0]
