"""Which column is what: by the usual names, or as the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument, Problem, UnknownName, did_you_mean, listing, printable
from qddot.identification.log import bad_log
from qddot.identification.log_names import (
    TIME,
    by_name,
    key,
    matching,
    numbered_joints,
    picked_columns,
    time_column,
    without_unit,
)
from qddot.timeseries import QUANTITIES, Table

if TYPE_CHECKING:
    from qddot.robot import Robot


@dataclass
class Raw:
    """A log as it was recorded: the columns of each quantity, before units and gears."""

    source: str
    joints: tuple[str, ...]
    t: np.ndarray
    values: dict[str, np.ndarray]  # (k, n), by quantity
    columns: dict[str, list[str]]  # their names in the log
    units: dict[str, list[str]]  # as the names of the columns say, "" where they do not
    line: Any = lambda row: None
    notes: list[Problem] = field(default_factory=list)

    def note(self, severity: Any, place: str, message: str, remedy: str = "") -> None:
        self.notes.append(Problem(severity, place, message, remedy))

    def row(self, row: int) -> str:
        """Return a row, from 0, as people count: its line in the file, where there is one."""
        line = self.line(row)
        return f"row {row + 1}" if line is None else f"row {row + 1} (line {line})"


def mapped(
    tables: Sequence[Table],
    robot: Robot | None,
    columns: Mapping[str, Any],
    joints: Sequence[str] | Mapping[str, str] | None,
    rate: float | None,
) -> Raw:
    """Return the columns of the joints, in the robot's order, and the times."""
    source = " and ".join(table.source for table in tables)
    unknown = [str(name) for name in columns if name not in ("t", *QUANTITIES)]
    if unknown:
        raise BadArgument(
            f"columns is for t, {', '.join(QUANTITIES)}, not for {listing(unknown)}."
            f"{did_you_mean(unknown[0], QUANTITIES)}"
        )
    found: dict[str, tuple[Table, dict[str, str]]] = {}
    for table in tables:
        for name, those in by_name(table).items():
            found.setdefault(name, (table, those))
    there = [name for table in tables for name in table.names]
    names, in_log, numbered = wanted_joints(source, found, columns, robot, joints, there)
    several = robot is not None and robot.nq != robot.n
    positions = robot.model.position_names if robot and several else ()
    chosen: dict[str, tuple[Table, list[str]]] = {}
    lacking: list[Problem] = []
    for name in QUANTITIES:
        own = (positions, positions) if several and name == "q" else (names, in_log)
        if name in columns:
            table = next((t for t in tables if t.quantity == name), tables[0])
            if columns[name] is not None:
                chosen[name] = table, as_said(columns[name], name, *own, table)
        elif name in found:
            table, those = found[name]
            picked = picked_columns(those, own[1])
            if picked is not None:
                chosen[name] = table, picked
            else:
                lacking.append(Problem("warning", name, *not_for_all(those, *own)))
    if "q" not in chosen:
        raise bad_log(
            source,
            f"it has no positions of {listing(positions or in_log, 8) or 'any joint'}; "
            f"its columns are {listing(there, 12)}",
            'Say which they are: columns={"q": [...], "tau": [...]}.',
        )
    raw = gathered(source, names, tables, chosen, columns.get("t"), rate)
    raw.notes += [*(note for table in tables for note in table.notes), *lacking]
    known = found["q"][1] if "q" in found and "q" not in columns else {}
    others = [joint for joint in known if key(joint) not in set(map(key, positions or in_log))]
    if others:
        raw.note("note", "columns", f"other joints in the log, left out: {listing(others, 8)}")
    if numbered:
        raw.note("note", "columns", f"joints by their numbers, in order: {listing(names)}")
    return raw


def wanted_joints(
    source: str,
    found: Mapping[str, tuple[Table, dict[str, str]]],
    columns: Mapping[str, Any],
    robot: Robot | None,
    joints: Sequence[str] | Mapping[str, str] | None,
    all_columns: Sequence[str],
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the joints' names, their names in the log, and whether they are just numbered."""
    there = list(found["q"][1]) if "q" in found else []
    if robot is not None and robot.nq != robot.n:
        return robot.joint_names, robot.joint_names, False
    if isinstance(joints, Mapping):
        names = tuple(robot.joint_names if robot else map(str, joints))
        for name in joints:
            if robot and name not in names:
                raise UnknownName("joint", str(name), robot.name, names)
        return names, tuple(str(joints.get(name, name)) for name in names), False
    if joints is not None:
        names = tuple(map(str, joints))
        if robot is None:
            return names, names, False
        known = tuple(robot.joint_names)
        if len(names) != len(known):
            raise BadArgument(
                f"joints names {len(names)} joints, but robot {printable(robot.name)!r} has "
                f"{len(known)}: {listing(known)}."
            )
        return known, known if set(names) == set(known) else names, False
    said = columns.get("q")
    numbers = numbered_joints(there)
    if robot:
        names = tuple(robot.joint_names)
        if said is not None or picked_columns(dict.fromkeys(there, ""), names) is not None:
            return names, names, False
        if len(numbers) == len(names):
            return names, numbers, True
        missing = [name for name in names if key(name) not in set(map(key, there))]
        raise bad_log(
            source,
            f"it has no positions of {listing(missing, 8)}, joints of {printable(robot.name)!r}."
            f"{did_you_mean(missing[0], there)} Its joints are: {listing(there, 12) or 'none'}",
            "Say which is which: joints={robot's: log's}, or columns={'q': [...]}.",
        )
    if said is None:
        names = numbers or tuple(there)
    elif isinstance(said, Mapping):
        names = tuple(map(str, said))
    elif isinstance(said, str):
        names = matching(said, all_columns) or (said,)
    else:
        names = tuple(str(name) for name in said)
    return names, names, False


def not_for_all(
    those: Mapping[str, str], names: Sequence[str], in_log: Sequence[str]
) -> tuple[str, str]:
    """Return in words that a quantity is not there for all joints, and what to do."""
    there = set(map(key, those))
    missing = [name for name, token in zip(names, in_log, strict=True) if key(token) not in there]
    what = f"there is none for {listing(missing, 8)}, so it is left out for all"
    return what, "Name its columns: columns={...}."


def as_said(
    said: Any, quantity: str, names: Sequence[str], in_log: Sequence[str], table: Table
) -> list[str]:
    """Return the columns that the caller names, each seen to be there."""
    if isinstance(said, str):
        columns = [
            said.replace("{joint}", joint).replace("{number}", str(k + 1))
            for k, joint in enumerate(in_log)
        ]
    elif isinstance(said, Mapping):
        columns = [str(said.get(name, "")) for name in names]
    else:
        columns = [str(name) for name in said]
    if len(columns) != len(names):
        raise BadArgument(
            f"columns names {len(columns)} columns for {quantity}, but there are {len(names)} "
            f"joints: {listing(names)}."
        )
    for column in columns:
        if column not in table.names:
            raise bad_log(
                table.source,
                f"it has no column {printable(column)!r}.{did_you_mean(column, table.names)} "
                f"It has: {listing(table.names, 12)}",
                f"Correct columns={{{quantity!r}: ...}}.",
            )
    return columns


def gathered(
    source: str,
    names: tuple[str, ...],
    tables: Sequence[Table],
    chosen: Mapping[str, tuple[Table, list[str]]],
    time: Any,
    rate: float | None,
) -> Raw:
    """Return the numbers of the columns chosen; tables must have the same rows."""
    times = {id(table): time_column(table, time) for table in tables}
    raw = Raw(source, names, np.empty(0), {}, {}, {"t": [""]}, tables[0].line)
    lengths, clocks = {}, []
    for table in tables:
        wanted = {c for owner, those in chosen.values() if owner is table for c in those}
        clock = times[id(table)]
        found = table.read([*sorted(wanted), *([clock] if clock else [])])
        lengths[table.source] = len(next(iter(found.values()), []))
        if clock and not clocks:
            match = TIME.fullmatch(without_unit(clock)[0])
            unit = without_unit(clock)[1] or str((match and match["unit"]) or "")
            raw.columns["t"], raw.units["t"] = [clock], [unit.lower()]
        clocks += [found[clock]] if clock else []
        for name, (owner, those) in chosen.items():
            if owner is table:
                raw.values[name] = np.column_stack([found[column] for column in those])
                raw.columns[name] = those
                raw.units[name] = [without_unit(column)[1] for column in those]
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{length} in {where}" for where, length in lengths.items())
        raise bad_log(source, f"the files have different numbers of rows: {said}", "Cut them.")
    raw.t = the_times(source, next(iter(lengths.values())), clocks, rate)
    return raw


def the_times(source: str, rows: int, clocks: list[np.ndarray], rate: float | None) -> np.ndarray:
    """Return the times: those recorded, or counted at the rate given."""
    if rate is not None:
        return np.arange(rows) / positive("rate", rate, wanted="rows per second, a positive number")
    if not clocks:
        raise bad_log(
            source,
            "it has no column of times",
            "Give its rate in Hz (rate=1000), or name the column: columns={'t': 'clock'}.",
        )
    if any(not np.array_equal(clock, clocks[0], equal_nan=True) for clock in clocks[1:]):
        raise bad_log(
            source, "the files have different times", "Bring them to the same times first."
        )
    return clocks[0]
