"""Motions in files, by the ending of the name: .parquet, .csv, .npz. What is saved comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import BadArgument, BadFile, listing, printable
from qddot.saving import ending, write_whole
from qddot.simulation.table import (
    UNKNOWN_UNIT,
    About,
    about,
    arrays,
    from_columns,
    from_json,
    gathered,
    motion_from,
    to_json,
)
from qddot.simulation.trajectory import Trajectory
from qddot.timeseries import Columns, Table, reading, repeated
from qddot.timeseries.csv_file import read_csv, write_csv
from qddot.timeseries.npz_file import read_npz, write_npz
from qddot.timeseries.parquet_file import read_parquet, write_parquet

if TYPE_CHECKING:
    from qddot.robot import Robot

KIND = "trajectory"  # of the facts in a file
METADATA = "metadata"  # the array of an .npz file that holds them
ENDINGS = (".parquet", ".csv", ".npz")


def save(motion: Trajectory, path: str | Path) -> None:
    """Write a motion to a .parquet, .csv or .npz file."""
    kind = ending(path, "A motion", ENDINGS)
    if not len(motion.t):
        raise BadArgument("The motion has no rows, so there is nothing to save.")
    for name in (*motion.joint_names, *motion.wrenches):
        try:
            name.encode()
        except UnicodeEncodeError:
            raise BadArgument(f"{printable(name)!r} is not a name that a file can hold.") from None
    facts, numbers = about(motion), arrays(motion)
    names = [column for those in facts.layout.values() for column in those]

    def write(beside: Path) -> None:
        if kind == ".npz":
            write_npz(beside, {METADATA: np.array(to_json(facts))} | numbers)
            return
        write_table = write_csv if kind == ".csv" else write_parquet
        write_table(beside, KIND, to_json(facts), names, np.hstack(list(numbers.values())))

    write_whole(path, write)


def load(path: str | Path, robot: Robot | None = None) -> Trajectory:
    """Return the motion that `save` wrote; see `Trajectory.load`."""
    path = Path(path)
    with reading(path, "a motion", ENDINGS) as kind:
        if kind == ".npz":
            facts, numbers = from_arrays(read_npz(path), path)
        else:
            table = read_csv(path, exact=True) if kind == ".csv" else read_parquet(path)
            facts, numbers = from_table(table, path)
    if robot is not None:
        facts = fitted(facts, robot)
    return motion_from(facts, numbers, robot, path)


def from_table(table: Table, path: Path) -> tuple[About, Columns]:
    """Return what a table says about a motion, and its arrays of shape (k, columns)."""
    said = table.facts.get(KIND)
    facts = from_columns(table.names) if said is None else from_json(said, path)
    wanted = [column for those in facts.layout.values() for column in those]
    check_names(table.names, wanted, path, table.line(-1))
    found = table.read(wanted)
    return facts, gathered(facts.layout, found, len(found["t"]))


def check_names(names: Sequence[str], wanted: list[str], path: Path, line: int | None) -> None:
    """See that every column is there, once."""
    if len(names) == 1 and ";" in names[0]:
        raise BadFile(
            path,
            "its columns are separated by semicolons",
            "Save it with commas between the columns and points in the numbers.",
            line,
        )
    missing = [name for name in wanted if name not in set(names)]
    if missing:
        raise BadFile(
            path,
            f"it lacks the columns {listing(missing, 6)}",
            "A motion has t, q, qd, qdd, tau and energy for every joint; `save` writes them all.",
            line,
        )
    twice = sorted((repeated(names) & set(wanted)) | repeated(wanted))
    if twice:
        raise BadFile(
            path,
            f"it has the columns {listing(twice, 6)} more than once",
            "Give each joint and each frame a name of its own.",
            line,
        )


def from_arrays(found: Columns, path: Path) -> tuple[About, Columns]:
    """Return what an .npz file says about a motion, and its arrays of shape (k, columns)."""
    if METADATA not in found:
        raise BadFile(path, "it has no metadata", "It must be a file that `save` wrote.")
    facts = from_json(str(found[METADATA]), path)
    missing = [name for name in facts.layout if name not in found]
    if missing:
        raise BadFile(path, f"it lacks {', '.join(missing[:6])}", "`save` writes them all.")
    rows = len(np.atleast_1d(found["t"]))
    for name, those in facts.layout.items():
        if found[name].dtype.kind not in "fiu" or found[name].shape != (rows, len(those)):
            raise BadFile(
                path,
                f"{name} is {found[name].dtype} of shape {found[name].shape}",
                f"It must be numbers of shape {(rows, len(those))}.",
            )
    return facts, {name: found[name].astype(float) for name in facts.layout}


def fitted(facts: About, robot: Robot) -> About:
    """Return the facts with the robot's units; its joints must be those of the motion."""
    own = robot.joint_names, robot.model.position_names
    if (facts.joints, facts.positions or facts.joints) != own:
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
