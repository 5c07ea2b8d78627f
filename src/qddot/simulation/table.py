"""A motion as columns with names: how every table and file of it is laid out, and what files say.

t   q.<joint>   qd.<joint>   qdd.<joint>   tau.<joint>   energy.<which>   energy.<which>.<joint>
wrench.<frame>.<component>   x.<k>

Besides its numbers a file says names, units, events, and how the motion was made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, BadFile, MissingExtra, printable
from qddot.simulation.energy import Energy
from qddot.simulation.trajectory import Event, Trajectory
from qddot.timeseries import QUANTITIES

if TYPE_CHECKING:
    import pandas

    from qddot.robot import Robot

ENERGIES = tuple(each.name for each in fields(Energy))
BY_JOINT = ("actuators", "friction")  # energies with one column per joint
COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")  # of a wrench: moment, force

ColumnNames = dict[str, list[str]]  # the names of the columns of each array
FORMAT = 1
UNITS = ("rad", "m")
UNKNOWN_UNIT = "rad or m"  # a table without a word on it may hold either


def layout(
    joints: Sequence[str],
    frames: Sequence[str] = (),
    states: int | None = None,
    positions: Sequence[str] = (),
) -> ColumnNames:
    """Return the arrays of a motion and the names of their columns, in order."""
    found: ColumnNames = {"t": ["t"]}
    for name in QUANTITIES:
        columns = (positions or joints) if name == "q" else joints
        found[name] = [f"{name}.{column}" for column in columns]
    for name in ENERGIES:
        apart = [f"energy.{name}.{joint}" for joint in joints]
        found[f"energy.{name}"] = apart if name in BY_JOINT else [f"energy.{name}"]
    for k, frame in enumerate(frames):
        found[f"wrench{k}"] = [f"wrench.{frame}.{component}" for component in COMPONENTS]
    if states is not None:
        found["x"] = [f"x.{k}" for k in range(states)]
    return found


def is_flat(name: str) -> bool:
    """Return whether an array has one number per row, and so no second axis."""
    return name == "t" or name.removeprefix("energy.") in set(ENERGIES) - set(BY_JOINT)


def layout_of(motion: Trajectory) -> ColumnNames:
    """Return the layout of a motion; its names must differ."""
    for kind, names in (("joint", motion.joint_names), ("frame", tuple(motion.wrenches))):
        for name in names:
            if list(names).count(name) > 1:
                raise BadArgument(
                    f"Two {kind}s are named {printable(name)!r}, so their columns would have "
                    "the same name. Give each a name of its own."
                )
    states = None if motion.state is None else np.shape(motion.state)[1]
    return layout(motion.joint_names, tuple(motion.wrenches), states, motion.positions)


def arrays(motion: Trajectory) -> dict[str, np.ndarray]:
    """Return the arrays of a motion by name, each of shape (k, columns)."""
    names = layout_of(motion)
    found: dict[str, Any] = {"t": motion.t} | {name: getattr(motion, name) for name in QUANTITIES}
    found |= {f"energy.{name}": getattr(motion.energy, name) for name in ENERGIES}
    found |= {f"wrench{k}": wrench for k, wrench in enumerate(motion.wrenches.values())}
    if motion.state is not None:
        found["x"] = motion.state
    rows = len(motion.t)
    result = {}
    for name, columns in names.items():
        array = np.asarray(found[name], dtype=float)
        wanted = (rows,) if is_flat(name) else (rows, len(columns))
        if array.shape != wanted:
            raise BadArgument(f"{name} has shape {array.shape}; it must have shape {wanted}.")
        result[name] = array.reshape(rows, len(columns))
    return result


def columns(motion: Trajectory) -> dict[str, np.ndarray]:
    """Return the columns of a motion by name, each of shape (k,)."""
    names, found = layout_of(motion), arrays(motion)
    return {
        column: found[name][:, k] for name, those in names.items() for k, column in enumerate(those)
    }


def gathered(
    names: ColumnNames, found: Mapping[str, np.ndarray], rows: int
) -> dict[str, np.ndarray]:
    """Return the arrays of a motion from its columns: the inverse of `columns`."""
    return {
        name: np.column_stack([found[column] for column in those]) if those else np.empty((rows, 0))
        for name, those in names.items()
    }


def to_pandas(motion: Trajectory) -> pandas.DataFrame:
    """Return a motion as a table with a row per instant."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("A table of a motion", "pandas", "logs") from None
    return pandas.DataFrame(columns(motion))


@dataclass(frozen=True)
class About:
    """Everything about a motion that is not a number of it."""

    joints: tuple[str, ...]
    units: tuple[str, ...]
    frames: tuple[str, ...] = ()  # at which wrenches act
    states: int | None = None  # of a controller
    rows: int | None = None
    robot: str = ""
    events: tuple[Event, ...] = ()
    finished: bool = True
    status: str = ""
    how: Mapping[str, Any] = field(default_factory=dict)
    positions: tuple[str, ...] = ()  # the names behind the columns of q; none: those of the joints

    @property
    def layout(self) -> ColumnNames:
        return layout(self.joints, self.frames, self.states, self.positions)


def about(motion: Trajectory) -> About:
    """Return what there is to say about a motion."""
    how = {key: value for key, value in motion.how.items() if key != "robot"}
    return About(
        motion.joint_names,
        motion.units,
        tuple(motion.wrenches),
        None if motion.state is None else motion.state.shape[1],
        len(motion.t),
        motion.robot_name,
        motion.events,
        motion.finished,
        motion.status,
        how,
        motion.positions,
    )


def to_json(facts: About) -> str:
    """Return the facts as one line of ASCII."""
    document = {"format": FORMAT} | asdict(facts)
    document["events"] = [[e.t, e.name, e.joint, e.detail] for e in facts.events]
    return json.dumps(document, default=plain)


def plain(value: Any) -> Any:
    """Return what JSON can hold of a value that it does not know."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def from_json(text: str | bytes, path: object) -> About:
    """Return the facts that `to_json` wrote, checked."""
    try:
        data = {"positions": []} | json.loads(text)
        if data["format"] != FORMAT:
            raise BadFile(
                path,
                f"its metadata has format {data['format']!r}, but this version of qddot reads "
                f"format {FORMAT}",
                "Read it with the version that wrote it.",
            )
        names = {key: strings(data[key]) for key in ("joints", "units", "frames", "positions")}
        events = tuple(Event(float(t), *strings(words)) for t, *words in data["events"])
        if any(len(each) != 4 for each in data["events"]):
            raise TypeError
        known = len(names["joints"]) == len(names["units"])
        fits = known and set(names["units"]) <= {*UNITS, UNKNOWN_UNIT}
        fits = fits and isinstance(data["finished"], bool) and isinstance(data["how"], dict)
        fits = fits and all(
            x is None or (type(x) is int and 0 <= x < 2**40) for x in (data["states"], data["rows"])
        )
        strings([data["robot"], data["status"]])
        if not fits:
            raise TypeError
        said: dict[str, Any] = {each.name: data[each.name] for each in fields(About)}
        said |= {**names, "events": events}
        return About(**said)
    except BadFile:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise BadFile(
            path,
            "its metadata is damaged",
            "Write the file again. In a .csv, delete the first line: the columns are enough.",
        ) from None


def strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)


def from_columns(names: Sequence[str]) -> About:
    """Return what the names of the columns alone show."""
    joints = [name[2:] for name in names if name.startswith("q.")]
    end = f".{COMPONENTS[0]}"
    frames = [
        name[len("wrench.") : -len(end)]
        for name in names
        if name.startswith("wrench.") and name.endswith(end)
    ]
    states = sum(name.startswith("x.") for name in names)
    return About(tuple(joints), (UNKNOWN_UNIT,) * len(joints), tuple(frames), states or None)


def motion_from(
    facts: About, found: Mapping[str, np.ndarray], robot: Robot | None, path: object
) -> Trajectory:
    """Return the motion of arrays of shape (k, columns), checked."""
    t = found["t"].reshape(-1)
    if not len(t):
        raise BadFile(path, "it has no rows", "A motion has at least one.")
    if facts.rows not in (None, len(t)):
        raise BadFile(
            path, f"it says that it has {facts.rows} rows, but {len(t)} are there", "It was cut."
        )
    with np.errstate(invalid="ignore"):
        wrong = ~np.isfinite(t) | (np.diff(t, prepend=t[0]) < 0)
    if wrong.any():
        row = int(wrong.argmax())
        raise BadFile(
            path,
            f"the time in row {row + 1} is {t[row]:g} s, after {t[row - 1]:g} s",
            "Times must be finite and must not fall.",
        )
    arrays = {name: x.reshape(-1) if is_flat(name) else x for name, x in found.items()}
    return Trajectory(
        robot=robot,
        joint_names=facts.joints,
        units=facts.units,
        t=arrays["t"],
        **{name: arrays[name] for name in QUANTITIES},
        energy=Energy(**{name: arrays[f"energy.{name}"] for name in ENERGIES}),
        wrenches={frame: arrays[f"wrench{k}"] for k, frame in enumerate(facts.frames)},
        state=arrays.get("x"),
        events=facts.events,
        finished=facts.finished,
        status=facts.status,
        how=dict(facts.how) | ({"robot": facts.robot} if facts.robot and robot is None else {}),
        positions=facts.positions,
    )
