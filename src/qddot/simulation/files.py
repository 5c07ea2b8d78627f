"""Motions in files, by the ending of the name: .parquet, .csv, .npz. What is saved comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import BadArgument, BadFile, listing, printable
from qddot.saving import ending, write_whole
from qddot.simulation.about import UNKNOWN_UNIT, About, about, motion_from
from qddot.simulation.csv_file import read_csv, write_csv
from qddot.simulation.npz_file import read_npz, write_npz
from qddot.simulation.parquet_file import read_parquet, write_parquet
from qddot.simulation.table import arrays
from qddot.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from qddot.robot import Robot

Arrays = dict[str, np.ndarray]
READERS: dict[str, Callable[[Path], tuple[About, Arrays]]] = {
    ".parquet": read_parquet,
    ".csv": read_csv,
    ".npz": read_npz,
}
WRITERS: dict[str, Callable[[Path, About, Arrays], None]] = {
    ".parquet": write_parquet,
    ".csv": write_csv,
    ".npz": write_npz,
}


def save(motion: Trajectory, path: str | Path) -> None:
    """Write a motion to a .parquet, .csv or .npz file."""
    write = WRITERS[ending(path, "A motion", tuple(WRITERS))]
    if not len(motion.t):
        raise BadArgument("The motion has no rows, so there is nothing to save.")
    for name in (*motion.joint_names, *motion.wrenches):
        try:
            name.encode()
        except UnicodeEncodeError:
            raise BadArgument(f"{printable(name)!r} is not a name that a file can hold.") from None
    facts, numbers = about(motion), arrays(motion)
    write_whole(path, lambda beside: write(beside, facts, numbers))


def load(path: str | Path, robot: Robot | None = None) -> Trajectory:
    """Return the motion that `save` wrote.

    Args:
        path: A .parquet, .csv or .npz file.
        robot: The robot that moved, so that frames can be followed and films made.
    """
    path = Path(path)
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise BadFile(path, "it is not a file of a motion", f"Known are {', '.join(READERS)}.")
    if not path.exists():
        raise BadFile(path, "there is no such file", "Check the name and the folder.")
    if not path.is_file():
        raise BadFile(path, "it is not a file", "Name the file itself.")
    try:
        facts, numbers = read(path)
    except OSError as error:
        raise BadFile(
            path, f"it cannot be read: {error.strerror or error}", "Check its permissions."
        ) from None
    if robot is not None:
        facts = fitted(facts, robot)
    return motion_from(facts, numbers, robot, path)


def fitted(facts: About, robot: Robot) -> About:
    """Return the facts with the robot's units; its joints must be those of the motion."""
    if facts.joints != robot.joint_names:
        raise BadArgument(
            f"The motion is of the joints {listing(facts.joints)}, but robot "
            f"{printable(robot.name)!r} has {listing(robot.joint_names)}.\n"
            "  Give the robot that moved, or none."
        )
    units = joint_units(robot)
    for name, said, known in zip(facts.joints, facts.units, units, strict=True):
        if said not in (known, UNKNOWN_UNIT):
            raise BadArgument(
                f"Joint {printable(name)!r} is in {said} in the file, but in {known} in robot "
                f"{printable(robot.name)!r}.\n  Give the robot that moved, or none."
            )
    return replace(facts, units=units)


def joint_units(robot: Robot) -> tuple[str, ...]:
    """Return the units of the entries of q: "rad" or "m"."""
    return tuple(joint.units.position for joint in robot.model.free_joints)
