"""ROS bags, without ROS, through rosbags: one topic as arrays.

Joint states are read by the names of their joints; of any other message, such as Franka's state,
every field that holds numbers is an array: "tau_J", "measured_joint_state/position".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadFile, did_you_mean, listing, printable, shorten
from qddot.timeseries import Table
from qddot.timeseries.foreign import need, plain, refused, table_in

ENDINGS = (".db3", ".mcap", ".bag")
STATES = "sensor_msgs/msg/JointState"
USUAL = "/joint_states"
FIELDS = {"position": "q", "velocity": "qd", "effort": "tau"}  # of joint states
DEEPEST = 4  # messages in messages


def read_bag(path: Path, topic: str = "") -> Table:
    """Return the table of a topic; by default of the joint states, if one topic has them."""
    need("rosbags", "Reading a ROS bag")
    place = path
    if path.is_dir() and not (path / "metadata.yaml").exists():
        bags = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS)
        if len(bags) != 1:
            raise BadFile(
                path,
                f"it is a folder with {len(bags)} bags and no metadata.yaml",
                "Name the .db3 or .mcap file itself.",
            )
        place = bags[0]
    return table_in(place, "qddot.timeseries.bag:arrays", "a bag", topic)


def arrays(path: str, topic: str) -> dict[str, Any]:
    """Return the messages of a topic as arrays, as a worker does."""
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    try:
        with AnyReader([Path(path)], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
            kinds = {c.topic: str(c.msgtype) for c in reader.connections}
            states = sorted(name for name, kind in kinds.items() if kind == STATES)
            usual = USUAL if USUAL in states else states[0] if len(states) == 1 else ""
            chosen = topic or usual
            if chosen not in kinds:
                return no_topic(topic, kinds, states)
            wanted = [c for c in reader.connections if c.topic == chosen]
            messages, stamps = [], []
            for connection, stamp, data in reader.messages(connections=wanted):
                messages.append(reader.deserialize(data, connection.msgtype))
                stamps.append(stamp)
    except Exception as error:  # rosbags, SQLite and others raise of their own
        said = str(error).rstrip(".") or type(error).__name__
        why = f"it cannot be read as a bag: {shorten(printable(said), 160)}"
        return refused(why, "Check with `ros2 bag info`; `mcap recover` may mend one that was cut.")
    if not messages:
        return refused(f"topic {chosen!r} has no messages", "Record while the arm moves.")
    received = np.array(stamps, dtype=np.int64)
    if kinds[chosen] == STATES:
        return from_states(messages, received, f" {chosen}")
    return from_messages(messages, received, f" {chosen}")


def no_topic(topic: str, kinds: dict[str, str], states: Sequence[str]) -> dict[str, Any]:
    """Return, as plain data, that a topic is not there."""
    there = listing([f"{name} ({kind})" for name, kind in sorted(kinds.items())], 8) or "nothing"
    if topic:
        guess = did_you_mean(topic, kinds)
        return refused(f"it has no topic {topic!r}.{guess} It has: {there}", "Give another topic.")
    many = f"joint states on {len(states)} topics, {listing(states, 8)}" if states else ""
    why = f"it has {many or f'no joint states ({STATES}). It has: {there}'}"
    return refused(why, "Say which topic to read: topic=...")


def from_states(messages: Sequence[Any], received: np.ndarray, about: str) -> dict[str, Any]:
    """Return joint states as plain data; messages that lack some of the joints are left out.

    Several publishers may share the topic: the joints are those of the most frequent message.
    """
    sets = [frozenset(message.name) for message in messages]
    count = {one: sets.count(one) for one in dict.fromkeys(sets)}
    most = max(count, key=lambda one: (count[one], len(one)))
    rows = [row for row, there in enumerate(sets) if there >= most]
    joints = next(list(messages[row].name) for row in rows if sets[row] == most)
    if len(set(joints)) < len(joints):
        return refused(f"a message names a joint twice: {listing(joints)}", "Record it again.")
    found, notes = times([messages[row] for row in rows], received[rows])
    if len(rows) < len(messages):
        said = f"{len(messages) - len(rows)} of {len(messages)} messages lack some of the joints"
        notes.append(("", f"{said} and were left out"))
    for name, quantity in FIELDS.items():
        values = np.full((len(rows), len(joints)), np.nan)
        for k, row in enumerate(rows):
            given = getattr(messages[row], name)
            if len(given) == len(messages[row].name):
                order = {joint: i for i, joint in enumerate(messages[row].name)}
                values[k] = [given[order[joint]] for joint in joints]
        if not np.isnan(values).all():
            found[quantity] = values
    return plain(found, names=dict.fromkeys(FIELDS.values(), joints), notes=notes, about=about)


def from_messages(messages: Sequence[Any], received: np.ndarray, about: str) -> dict[str, Any]:
    """Return every field of numbers as plain data; one that changes its length is left out."""
    found, notes = times(messages, received)
    names: dict[str, list[str]] = {}
    rows = [dict(numbers_in(message, "", names)) for message in messages]
    uneven = []
    for path, first in rows[0].items():
        if all(path in row and row[path].shape == first.shape for row in rows):
            found[path] = np.stack([row[path] for row in rows])
        else:
            uneven.append(path)
    if uneven:
        notes.append(("", f"fields whose length changes, left out: {listing(uneven, 8)}"))
    return plain(found, names=names, notes=notes, about=about)


def numbers_in(
    message: Any, path: str, names: dict[str, list[str]], depth: int = 0
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the numbers of a message and of the messages in it, by path."""
    state = all(hasattr(message, name) for name in ("name", *FIELDS))
    for name in getattr(message, "__dataclass_fields__", ()):
        value, at = getattr(message, name), f"{path}/{name}" if path else name
        if name == "header" or name.isupper():  # constants
            continue
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield at, np.asarray(value, dtype=float)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.size:
            if state:
                names.setdefault(at, list(message.name))
            yield at, value.astype(float)
        elif hasattr(value, "__dataclass_fields__") and depth < DEEPEST:
            yield from numbers_in(value, at, names, depth + 1)


def times(messages: Sequence[Any], received: np.ndarray) -> tuple[dict, list[tuple[str, str]]]:
    """Return the times of messages, by their stamps or else by when they were recorded."""
    t, notes = received, [("time", "the times are those of the recording: no time stamps")]
    if all(hasattr(getattr(message, "header", None), "stamp") for message in messages):
        stamps = [message.header.stamp for message in messages]
        given = np.array([s.sec * 10**9 + s.nanosec for s in stamps], dtype=np.int64)
        if given.any():
            t, notes = given, []
    # from the first message on: seconds since 1970 leave too few digits for the steps
    return {"t": (t - t[0]) / 1e9}, notes
