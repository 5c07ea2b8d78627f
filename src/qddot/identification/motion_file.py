"""A motion to follow from a file: a saved excitation, a simulated motion or a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qddot.motions.limits import check_limits
from qddot.motions.motion import Reference

if TYPE_CHECKING:
    from qddot.robot import Robot


def load_motion(path: str | Path, robot: Robot, tolerance: float = 1e-3) -> Reference:
    """Return the motion in a file, in the order of a robot's joints and within its limits.

    Args:
        path: What `Excitation.save` or `Trajectory.save` wrote, or any log that `load_log` reads.
        robot: The robot that is to move.
        tolerance: How far from the rows of a log or of a simulated motion it may be [rad or m].
    """
    from qddot.identification.excitation_files import holds_excitation
    from qddot.identification.excitation_files import load as load_excitation
    from qddot.identification.log import load_log

    if holds_excitation(Path(path)):
        motion: Reference = load_excitation(path, robot)
    else:
        motion = load_log(path, robot).as_motion(tolerance)
    check_limits(robot, motion)
    return motion
