"""Logs in ROS 2 bags: the topic of joint states, read without ROS through rosbags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import MissingExtra, Problem, did_you_mean, listing, printable, shorten
from qddot.identification.log import bad_log
from qddot.timeseries.table import Columns, Table

ENDINGS = (".db3", ".mcap", ".bag")
FIELDS = {"q": "position", "qd": "velocity", "tau": "effort"}
STATES = "sensor_msgs/msg/JointState"


def from_bag(path: Path, topic: str) -> Table:
    """Return the table of the joint states in a bag: t, q.<joint>, qd.<joint>, tau.<joint>."""
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise MissingExtra("Reading a ROS 2 bag", "rosbags", "logs") from None
    place = path
    if path.is_dir() and not (path / "metadata.yaml").exists():
        bags = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS)
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
            found |= {f"{quantity}.{joint}": values[:, j] for j, joint in enumerate(joints)}
    return Table(
        source,
        tuple(found),
        lambda names: {name: found[name] for name in names},
        notes=tuple(notes),
    )
