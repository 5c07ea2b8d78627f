"""A time-optimal motion in pictures: its speed along the path, and what of the motors it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.motions.motion import limit_of
from qddot.motions.path import AlongPath
from qddot.present.figures import style
from qddot.present.figures.closed_loop import WIDTH, draw_rows, note, titled
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INSTANTS = 1500  # of a profile


@style.savable
def plot_fastest(
    robot: Robot, reference: AlongPath, path: str | Path | None = None, **limits: Any
) -> Figure:
    """Return how fast a time-optimal motion goes along its path, and what it takes of the motors.

    Args:
        robot: Whose motors.
        reference: What `time_optimal` returned.
        path: A .png, .svg or .pdf file.
        limits: effort=..., where it is not the robot's.
    """
    given = limits.pop("effort", None)
    if limits:
        raise BadArgument(f"plot_fastest knows no {', '.join(limits)}; there is effort.")
    effort = limit_of("effort", robot.limits.effort if given is None else given, robot.n)
    t = np.linspace(0, reference.duration, INSTANTS)[:-1]
    q, qd, qdd = reference.sampled(t)
    used = robot.inverse_dynamics(q, qd, qdd) / effort
    s, speed = (column[:, 0] for column in reference.profile.curve.values(t)[:2])
    rates = np.abs(qd / robot.limits.velocity).max(axis=1)
    drawn = style.figure(WIDTH, 3.4)
    left, right = drawn.subplots(1, 2)
    style.dress(left)
    left.plot(s, speed, color=style.colour(0), linewidth=style.LINE)
    left.set_ylim(bottom=0)
    left.set_xlim(float(s[0]), float(s[-1]))
    style.write(left.set_xlabel("", fontsize=style.NORMAL), "s, along the path")
    style.write(left.set_ylabel("", fontsize=style.NORMAL), "ds/dt")
    draw_rows(right, t, used, "torque / limit")
    for side in (-1, 1):
        right.axhline(side, color=style.INK, linestyle=style.DASHES[1], linewidth=style.THIN)
    if rates.any():
        right.plot(t, rates, color=style.INK, linestyle=style.DASHES[2], linewidth=style.LINE)
        note(right, "dashed: limits; dotted: velocity / limit, of the joint nearest to its own")
    title = f"{robot.name}: the fastest way along the path, {reference.duration:.4g} s"
    titled(drawn, robot.joint_names, title)
    return drawn
