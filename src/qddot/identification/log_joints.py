"""Which joints of a log are which joints of a robot: by name, by number, or as the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qddot.errors import BadArgument, UnknownName, did_you_mean, listing, printable
from qddot.identification.log import bad_log
from qddot.identification.log_names import (
    alike_but_for_a_prefix,
    expanded,
    key,
    matching,
    meaning,
    numbered_joints,
    picked_columns,
    without_unit,
)
from qddot.timeseries import Table

if TYPE_CHECKING:
    from qddot.robot import Robot


def wanted_joints(
    source: str,
    found: Mapping[str, tuple[Table, dict[str, str]]],
    columns: Mapping[str, Any],
    robot: Robot | None,
    joints: Sequence[str] | Mapping[str, str] | None,
    tables: Sequence[Table],
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the joints' names, their names in the log, and a note of how they were found."""
    there = list(found["q"][1]) if "q" in found else []
    numbers, said = numbered_joints(there), columns.get("q")
    if robot is not None and robot.nq != robot.n:
        return robot.joint_names, robot.joint_names, ""
    if isinstance(joints, Mapping):
        names = tuple(robot.joint_names if robot else map(str, joints))
        for name in joints:
            if robot and name not in names:
                raise UnknownName("joint", str(name), robot.name, names)
        return names, tuple(str(joints.get(name, name)) for name in names), ""
    if joints is not None:
        names = tuple(map(str, joints))
        if robot is None:
            return names, names, ""
        return in_order(names, tuple(robot.joint_names), there, said, robot.name)
    if robot:
        names = tuple(robot.joint_names)
        if said is not None or picked_columns(dict.fromkeys(there, ""), names) is not None:
            return names, names, ""
        if len(numbers) == len(names):
            return names, numbers, f"joints by their numbers, in order: {listing(names)}"
        if alike := alike_but_for_a_prefix(names, there):
            pairs = [f"{a} is {b}" for a, b in zip(alike, names, strict=True)]
            return names, alike, f"joints by the ends of their names: {listing(pairs)}"
        if numbers:
            raise bad_log(
                source,
                f"it has {len(numbers)} joints, {listing([found['q'][1][k] for k in numbers], 8)}, "
                f"but {printable(robot.name)!r} has {len(names)}: {listing(names, 8)}",
                "Take the robot that was recorded, or say which columns: columns={'q': [...]}.",
            )
        if not there:  # which is told with the columns that are there
            return names, names, ""
        missing = [name for name in names if key(name) not in set(map(key, there))]
        raise bad_log(
            source,
            f"it has no positions of {listing(missing, 8)}, joints of {printable(robot.name)!r}."
            f"{did_you_mean(missing[0], there)} Its joints are: {listing(there, 12)}",
            "Say which is which: joints={robot's: log's}, or columns={'q': [...]}.",
        )
    if said is None:
        names = numbers or tuple(there)
    elif isinstance(said, Mapping):
        names = tuple(map(str, said))
    else:
        names = joints_of(said, next((t for t in tables if t.quantity == "q"), tables[0]))
    return names, names, ""


def in_order(
    given: tuple[str, ...], known: tuple[str, ...], there: Sequence[str], said: Any, robot: str
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return what `joints=[...]` means for a robot; see `wanted_joints`.

    The robot's own joints are named in the order of the log; other names are those of the log, in
    the robot's order.
    """
    if len(given) != len(known):
        raise BadArgument(
            f"joints names {len(given)} joints, but robot {printable(robot)!r} has "
            f"{len(known)}: {listing(known)}."
        )
    numbers = numbered_joints(there)
    if set(given) == set(known):
        if len(numbers) == len(given) and picked_columns(dict.fromkeys(there, ""), known) is None:
            return known, tuple(numbers[given.index(name)] for name in known), ""
        return known, known, ""
    by_column = said is not None and "{joint}" not in str(said)
    unknown = [name for name in given if by_column or key(name) not in set(map(key, there))]
    if unknown:
        raise BadArgument(
            f"joints names {listing(unknown, 8)}, which neither the log nor robot "
            f"{printable(robot)!r} has.{did_you_mean(unknown[0], (*known, *there))}\n"
            f"  The robot has: {listing(known)}."
        )
    return known, given, ""


def joints_of(said: Any, table: Table) -> tuple[str, ...]:
    """Return names for joints whose columns the caller names, where no robot has any."""
    if isinstance(said, str) and "{" in said:
        return matching(said, table.names) or (said,)
    columns = expanded([said] if isinstance(said, str) else said, table)
    if all(column.isdecimal() for column in columns):
        return tuple(str(k + 1) for k in range(len(columns)))
    named = [what[2] if (what := meaning(without_unit(c)[0])) else c for c in columns]
    return tuple(named if len(set(named)) == len(named) else columns)


def not_for_all(
    those: Mapping[str, str], names: Sequence[str], in_log: Sequence[str]
) -> tuple[str, str]:
    """Return in words that a quantity is not there for all joints, and what to do."""
    there = set(map(key, those))
    missing = [name for name, token in zip(names, in_log, strict=True) if key(token) not in there]
    what = f"there is none for {listing(missing, 8)}, so it is left out for all"
    return what, "Name its columns: columns={...}."
