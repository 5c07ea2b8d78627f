"""Which column is what, and of which joint: by usual names, by number, or as the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument, Problem, UnknownName, did_you_mean, listing, printable
from qddot.identification.log import LogOrigin, bad_log
from qddot.identification.log_names import (
    COMPUTED,
    CURRENT,
    alike_but_for_a_prefix,
    by_name,
    expanded,
    key,
    matching,
    meaning,
    numbered_joints,
    picked_by_number,
    picked_columns,
    time_column,
    time_unit,
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
    first: int = 0  # row of the file that is taken first
    total: int = 0  # rows of the file
    unused: list[str] = field(default_factory=list)  # columns that are not read

    def note(self, severity: Any, place: str, message: str, remedy: str = "") -> None:
        self.notes.append(Problem(severity, place, message, remedy))

    def origin(self, taken: int) -> LogOrigin:
        """Return where the values come from, so many rows of the file."""
        there = [name for name in self.columns if name in ("t", *self.values)]
        columns = {name: tuple(self.columns[name]) for name in there}
        units = {name: tuple(self.units[name]) for name in there}
        unused = tuple(self.unused)
        return LogOrigin(columns, units, self.first + 1, taken, self.total, unused)

    def row(self, row: int) -> str:
        """Return a row, from 0, as people count: its line in the file, where there is one."""
        row = row + self.first
        line = self.line(row)
        return f"row {row + 1}" if line is None else f"row {row + 1} (line {line})"


def mapped(
    tables: Sequence[Table],
    robot: Robot | None,
    columns: Mapping[str, Any],
    joints: Sequence[str] | Mapping[str, str] | None,
    rate: float | None,
    rows: Any = None,
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
    names, in_log, note = wanted_joints(source, found, columns, robot, joints, tables)
    several = robot is not None and robot.nq != robot.n
    positions = robot.model.position_names if robot and several else ()
    chosen: dict[str, tuple[Table, list[str]]] = {}
    notes: list[Problem] = []
    for name in QUANTITIES:
        own = (positions, positions) if several and name == "q" else (names, in_log)
        if name in columns:
            table = next((t for t in tables if t.quantity == name), tables[0])
            if columns[name] is not None:
                order = None if isinstance(joints, Mapping) else joints
                chosen[name] = table, as_said(columns[name], name, *own, table, order)
        elif name in found:
            table, those = found[name]
            order = list(found["q"][1]) if "q" in found else []
            picked = picked_columns(those, own[1]) or picked_by_number(those, own[1], order)
            if picked is not None:
                chosen[name] = table, picked
            else:
                notes.append(Problem("warning", name, *not_for_all(those, *own)))
    if "q" not in chosen:
        raise bad_log(
            source,
            f"it has no positions of {listing(positions or in_log, 8) or 'any joint'}; "
            f"its columns are {listing(there, 12)}",
            'Say which they are: columns={"q": [...]}, by name or by number ("1-7").',
        )
    raw = gathered(source, names, tables, chosen, columns.get("t"), rate, rows)
    raw.notes += [*(note for table in tables for note in table.notes), *notes]
    if "tau" in chosen and "tau" not in columns and not chosen["tau"][0].quantity:
        look_at_torque(raw, chosen["tau"][1])
    known = found["q"][1] if "q" in found and "q" not in columns else {}
    others = [joint for joint in known if key(joint) not in set(map(key, positions or in_log))]
    if others:
        raw.note("note", "columns", f"other joints in the log, left out: {listing(others, 8)}")
    if note:
        raw.note("note", "columns", note)
    return raw


def look_at_torque(raw: Raw, columns: Sequence[str]) -> None:
    """Say what torques are that are none: currents, or what a controller computed."""
    kinds = {what[1] for column in columns if (what := meaning(without_unit(column)[0]))}
    if CURRENT in kinds:
        raw.units["tau"] = [unit or "A" for unit in raw.units["tau"]]
    if COMPUTED in kinds:
        raw.note(
            "warning",
            "tau",
            f"{listing(columns, 3)} is what the controller's own model computes, not a measurement",
            "Record currents (actual_current), and give their torque constants.",
        )


def as_said(
    said: Any,
    quantity: str,
    names: Sequence[str],
    in_log: Sequence[str],
    table: Table,
    order: Sequence[str] | None = None,
) -> list[str]:
    """Return the columns that the caller names, each seen to be there.

    Said is a pattern, a list, one per joint, numbers ("1-7") or the name of an array. A list names
    the joints in the given order, if there is one; the log may have its own names of them.
    """
    if isinstance(said, str) and "{" in said and said not in table.names:
        patterns = [
            said.replace("{joint}", joint).replace("{number}", str(k + 1))
            for k, joint in enumerate(in_log)
        ]
        return expanded(patterns, table)
    if isinstance(said, Mapping):
        return expanded([str(said.get(name, "")) for name in names], table)
    columns = expanded([said] if isinstance(said, str) else said, table)
    if len(columns) != len(names):
        raise BadArgument(
            f"columns names {len(columns)} columns for {quantity}, but there are {len(names)} "
            f"joints: {listing(names)}."
        )
    if order is not None and set(map(str, order)) == set(names):
        place = {str(name): k for k, name in enumerate(order)}
        columns = [columns[place[name]] for name in names]
    return columns


def gathered(
    source: str,
    names: tuple[str, ...],
    tables: Sequence[Table],
    chosen: Mapping[str, tuple[Table, list[str]]],
    time: Any,
    rate: float | None,
    rows: Any = None,
) -> Raw:
    """Return the numbers of the columns chosen; tables must have the same rows."""
    raw = Raw(source, names, np.empty(0), {}, {}, {"t": [""]}, tables[0].line)
    clocked = [table for table in tables if table.quantity == "t"] or tables
    times = {id(table): time_column(table, time) for table in clocked}
    if time is not None and not any(times.values()):
        expanded([time], clocked[0])  # which says that it is not there
    lengths, clocks = {}, []
    for table in tables:
        wanted = {c for owner, those in chosen.values() if owner is table for c in those}
        clock = times.get(id(table))
        if not wanted and not clock:
            continue
        found = table.read([*sorted(wanted), *([clock] if clock and clock not in wanted else [])])
        lengths[table.source] = len(next(iter(found.values())))
        if clock and not clocks:
            raw.columns["t"], raw.units["t"] = [clock], [time_unit(table, clock)]
        clocks += [found[clock]] if clock else []
        for name, (owner, those) in chosen.items():
            if owner is table:
                raw.values[name] = np.column_stack([found[column] for column in those])
                raw.columns[name] = those
                raw.units[name] = [without_unit(column)[1] for column in those]
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{length} in {where}" for where, length in lengths.items())
        raise bad_log(source, f"the files have different numbers of rows: {said}", "Cut them.")
    raw.total = next(iter(lengths.values()))
    read = {*(c for _, those in chosen.values() for c in those), *raw.columns.get("t", ())}
    raw.unused = [name for table in tables for name in table.names if name not in read]
    raw.t = the_times(source, raw.total, clocks, rate)
    if rate is not None and clocks:
        raw.note("note", "time", f"column {raw.columns.pop('t')[0]!r} is not used: a rate is given")
        raw.units["t"] = [""]
    if rows is not None:
        part = some_rows(source, rows, raw.total)
        raw.first, raw.t = part.start, raw.t[part]
        raw.values = {name: values[part] for name, values in raw.values.items()}
    return raw


def some_rows(source: str, rows: Any, total: int) -> slice:
    """Return the rows wanted, a slice from 0 or a pair from 1, seen to be there."""
    if isinstance(rows, slice):
        first, last = rows.start or 0, total if rows.stop is None else rows.stop
        step = rows.step
    else:
        first, last, step = int(rows[0]) - 1, total if rows[1] is None else int(rows[1]), None
    if step not in (None, 1) or not 0 <= first < last <= total:
        raise bad_log(
            source,
            f"rows {first + 1} to {last} are wanted, but it has {total}",
            f"Give two numbers from 1 to {total}, the first one first.",
        )
    return slice(first, last)


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
