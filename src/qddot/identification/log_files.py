"""Logs as columns with names, whatever they come in. Only the columns asked for are read.

Of ROS 2 bags, the topic of joint states is read without ROS, through rosbags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import (
    BadArgument,
    BadFile,
    BadLog,
    MissingExtra,
    Problem,
    did_you_mean,
    listing,
    printable,
    shorten,
)
from qddot.identification.log import bad_log
from qddot.timeseries import QUANTITIES, Columns, Table, by_joint, repeated, table_of
from qddot.timeseries.csv_file import NUMBER, read_csv
from qddot.timeseries.npz_file import read_npz
from qddot.timeseries.parquet_file import read_parquet

THE_TABLE = "the table"
BAGS = (".db3", ".mcap", ".bag")
FIELDS = {"q": "position", "qd": "velocity", "tau": "effort"}  # of the messages in a bag
STATES = "sensor_msgs/msg/JointState"


def tables(source: Any, topic: str) -> list[Table]:
    """Return the tables of a source; several where each quantity has a file of its own."""
    from qddot.simulation.trajectory import Trajectory

    if isinstance(source, Trajectory):
        return [from_motion(source, "a simulated motion")]
    if isinstance(source, (str, Path)):
        return [from_file(Path(source), topic)]
    if isinstance(source, Mapping):
        unknown = [str(name) for name in source if name not in QUANTITIES]
        if unknown or not source:
            raise BadArgument(
                f"A file per quantity is for {', '.join(QUANTITIES)}, not for {listing(unknown)}.\n"
                '  Write, for example, {"q": "positions.csv", "tau": "torques.csv"}.'
            )
        return [
            replace(from_file(Path(path), topic), quantity=name) for name, path in source.items()
        ]
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):
        return [from_frame(source)]
    raise BadArgument(
        f"A log is a file (.csv, .parquet, .npz, a ROS 2 bag), a pandas table or a simulated "
        f"motion, not {shorten(printable(repr(source)))} ({type(source).__name__})."
    )


def from_file(path: Path, topic: str) -> Table:
    """Return the table of a file, by the ending of its name."""
    if not path.exists():
        raise bad_log(path, "there is no such file", "Check the name and the folder.")
    ending = path.suffix.lower()
    if path.is_dir() or ending in BAGS:
        return from_bag(path, topic)
    readers = {".csv": from_csv, ".txt": from_csv, ".tsv": from_csv}
    readers |= {".parquet": read_parquet, ".npz": from_npz}
    if ending not in readers:
        known = ", ".join([*readers, *BAGS])
        raise bad_log(path, "its ending is not that of a log", f"Known are {known}.")
    with as_a_log(path):
        table = readers[ending](path)

    def read(wanted: Sequence[str]) -> Columns:
        with as_a_log(path):
            return table.read(wanted)

    return replace(table, read=read)


def from_motion(motion: Any, source: str) -> Table:
    """Return the table of a simulated motion."""
    from qddot.simulation.table import columns

    return table_of(source, columns(motion))


def from_frame(frame: Any) -> Table:
    """Return the table of a pandas DataFrame; an index of times is a column t."""
    source = THE_TABLE
    names = [str(name) for name in frame.columns]
    by_name = {str(name): k for k, name in enumerate(frame.columns)}
    check_names(source, names)
    clock = str(frame.index.name or "t")
    timed = frame.index.dtype.kind in "mMf" and clock not in by_name

    def read(wanted: Sequence[str]) -> Columns:
        return {
            name: numeric(frame.iloc[:, by_name[name]] if name in by_name else frame.index, name)
            for name in wanted
        }

    return Table(source, (*names, clock) if timed else tuple(names), read)


def numeric(column: Any, name: str) -> np.ndarray:
    """Return a column of a table as numbers; times of day become seconds."""
    values = np.asarray(column.to_numpy())
    if values.dtype.kind in "mM":
        nanoseconds = values.astype(f"{values.dtype.kind}8[ns]").astype("int64")
        return (nanoseconds - nanoseconds[0]) / 1e9 if len(values) else nanoseconds.astype(float)
    if values.dtype.kind in "fiu":
        return values.astype(float)
    for row, cell in enumerate(values.tolist()):
        if isinstance(cell, bool) or not isinstance(cell, (int, float)):
            raise bad_log(
                THE_TABLE,
                f"row {row + 1}, column {printable(shorten(name, 40))!r} holds "
                f"{printable(shorten(repr(cell), 40))}, not a number",
                "Convert the column: pandas.to_numeric.",
            )
    return values.astype(float)


def from_csv(path: Path) -> Table:
    """Return the table of a text file, whatever separates its columns."""
    table = read_csv(path)
    if all(NUMBER.fullmatch(name) for name in table.names):
        raise bad_log(
            path,
            "it has no line of names: its first line holds numbers",
            "Put a line of names first, or give a table: pandas.read_csv(path, names=[...]).",
            line=table.line(-1),
        )
    check_names(path, [name for name in table.names if name], table.line(-1))
    return table


def from_npz(path: Path) -> Table:
    """Return the table of an .npz file: arrays q, qd, tau (k, n) and t (k,), or one per column.

    An array `joint_names` names their columns; without it they are numbered from 1.
    """
    from qddot.simulation.files import METADATA, load

    found = read_npz(path)
    if METADATA in found:
        return from_motion(load(path), str(path))
    named = [str(name) for name in np.atleast_1d(found.pop("joint_names", np.array([], str)))]
    columns: Columns = {}
    for name, values in found.items():
        if values.dtype.kind not in "fiu":
            continue
        if values.ndim == 1:
            columns[name] = values.astype(float)
        elif values.ndim == 2:
            n = values.shape[1]
            parts = named if len(named) == n else [str(k + 1) for k in range(n)]
            columns |= by_joint(name, parts, values.astype(float))
    return table_of(str(path), columns)


def check_names(source: object, names: Sequence[str], line: int | None = None) -> None:
    """Refuse columns that cannot be told apart."""
    if twice := sorted(repeated(names)):
        raise bad_log(
            source,
            f"it has the columns {listing(twice, 6)} more than once",
            "Give each column a name of its own.",
            line=line,
        )


@contextmanager
def as_a_log(path: Path) -> Iterator[None]:
    """Tell what is wrong with a file as what is wrong with a log."""
    try:
        yield
    except BadLog:
        raise
    except BadFile as error:
        # the message begins with the file, so it is repeated only for lines
        problems = [each if each.line else replace(each, file="") for each in error.problems]
        raise BadLog(str(path), problems) from None
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise bad_log(path, why, "Check its permissions.") from None


def from_bag(path: Path, topic: str) -> Table:
    """Return the table of the joint states in a bag: t, q.<joint>, qd.<joint>, tau.<joint>."""
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise MissingExtra("Reading a ROS 2 bag", "rosbags", "logs") from None
    place = path
    if path.is_dir() and not (path / "metadata.yaml").exists():
        bags = sorted(file for file in path.iterdir() if file.suffix.lower() in BAGS)
        if len(bags) != 1:
            raise bad_log(
                path,
                f"it is a folder with {len(bags)} bags and no metadata.yaml",
                "Name the .db3 or .mcap file itself.",
            )
        place = bags[0]
    try:
        with AnyReader([place], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
            return from_reader(reader, path, topic)
    except Exception as error:  # rosbags, SQLite and the mcap reader raise of their own
        if hasattr(error, "problems"):
            raise
        why = f"it cannot be read as a bag: {shorten(printable(str(error)), 160)}"
        remedy = "Check with `ros2 bag info`; it may have been cut."
        raise bad_log(path, why, remedy) from error


def from_reader(reader: Any, path: Path, topic: str) -> Table:
    """Return the table of one topic."""
    there = {c.topic: c for c in reader.connections}
    states = sorted(name for name, c in there.items() if c.msgtype == STATES)
    if topic not in states:
        raise bad_log(
            path,
            f"it has no joint states on the topic {topic!r}.{did_you_mean(topic, states)} "
            f"It has: {listing(sorted(there), 8) or 'nothing'}",
            f"Give the topic of the {STATES} messages: topic=...",
        )
    wanted = [c for c in reader.connections if c.topic == topic]
    messages, stamps = [], []
    for connection, stamp, data in reader.messages(connections=wanted):
        messages.append(reader.deserialize(data, connection.msgtype))
        stamps.append(stamp)
    return from_messages(messages, np.array(stamps, dtype=np.int64), f"{path} {topic}")


def from_messages(messages: Sequence[Any], received: np.ndarray, source: str) -> Table:
    """Return the table of joint states; messages that lack some of the joints are left out.

    Several publishers may share the topic: the joints are those of the most frequent message.
    """
    if not messages:
        raise bad_log(source, "it has no messages", "Record while the arm moves.")
    sets = [frozenset(message.name) for message in messages]
    most = max(dict.fromkeys(sets), key=lambda one: (sets.count(one), len(one)))
    rows = [row for row, there in enumerate(sets) if there >= most]
    joints = next(list(messages[row].name) for row in rows if sets[row] == most)
    stamps = [messages[row].header.stamp for row in rows]
    t = np.array([stamp.sec * 10**9 + stamp.nanosec for stamp in stamps], dtype=np.int64)
    notes = []
    if len(rows) < len(messages):
        said = f"{len(messages) - len(rows)} of {len(messages)} messages lack some of the joints"
        notes.append(Problem("note", "", f"{said} and were left out", ""))
    if not t.any():
        t = received[rows]
        said = "its messages have no time stamps, so the times of their recording are used"
        notes.append(Problem("note", "time", said, ""))
    # from the first message on: seconds since 1970 leave too few digits for the steps
    found: Columns = {"t": (t - t[0]) / 1e9}
    for quantity, name in FIELDS.items():
        values = np.full((len(rows), len(joints)), np.nan)
        for k, row in enumerate(rows):
            message = messages[row]
            given = getattr(message, name)
            if len(given) == len(message.name):
                order = {joint: i for i, joint in enumerate(message.name)}
                values[k] = [given[order[joint]] for joint in joints]
        if not np.isnan(values).all():
            found |= by_joint(quantity, joints, values)
    return Table(
        source,
        tuple(found),
        lambda names: {name: found[name] for name in names},
        notes=tuple(notes),
    )
