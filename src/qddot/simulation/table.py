"""A motion as columns with names: how every table and file of it is laid out.

t   q.<joint>   qd.<joint>   qdd.<joint>   tau.<joint>   energy.<which>   energy.<which>.<joint>
wrench.<frame>.<component>   x.<k>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, MissingExtra, printable
from qddot.simulation.energy import Energy

if TYPE_CHECKING:
    import pandas

    from qddot.simulation.trajectory import Trajectory

STATES = ("q", "qd", "qdd", "tau")
ENERGIES = tuple(field.name for field in fields(Energy))
BY_JOINT = ("actuators", "friction")  # energies that are told apart by joint
COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")  # of a wrench: moment, force

Layout = dict[str, list[str]]  # the names of the columns of each array


def layout(joints: Sequence[str], frames: Sequence[str] = (), states: int | None = None) -> Layout:
    """Return the arrays of a motion and the names of their columns, in order."""
    found: Layout = {"t": ["t"]}
    for name in STATES:
        found[name] = [f"{name}.{joint}" for joint in joints]
    for name in ENERGIES:
        apart = [f"energy.{name}.{joint}" for joint in joints]
        found[f"energy.{name}"] = apart if name in BY_JOINT else [f"energy.{name}"]
    for k, frame in enumerate(frames):
        found[f"wrench{k}"] = [f"wrench.{frame}.{component}" for component in COMPONENTS]
    if states is not None:
        found["x"] = [f"x.{k}" for k in range(states)]
    return found


def is_flat(name: str) -> bool:
    """Return whether an array has one number a row, and so no second axis."""
    return name == "t" or name.removeprefix("energy.") in set(ENERGIES) - set(BY_JOINT)


def layout_of(motion: Trajectory) -> Layout:
    """Return the layout of a motion; its names must be told apart."""
    for kind, names in (("joint", motion.joint_names), ("frame", tuple(motion.wrenches))):
        for name in names:
            if list(names).count(name) > 1:
                raise BadArgument(
                    f"Two {kind}s are named {printable(name)!r}, so their columns cannot be told "
                    "apart. Give each a name of its own."
                )
    states = None if motion.state is None else np.shape(motion.state)[1]
    return layout(motion.joint_names, tuple(motion.wrenches), states)


def arrays(motion: Trajectory) -> dict[str, np.ndarray]:
    """Return the arrays of a motion by name, each of shape (k, columns)."""
    names = layout_of(motion)
    found: dict[str, Any] = {"t": motion.t} | {name: getattr(motion, name) for name in STATES}
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


def gathered(names: Layout, found: Mapping[str, np.ndarray], rows: int) -> dict[str, np.ndarray]:
    """Return the arrays of a motion from its columns: the inverse of `columns`."""
    return {
        name: np.column_stack([found[column] for column in those]) if those else np.empty((rows, 0))
        for name, those in names.items()
    }


def to_pandas(motion: Trajectory) -> pandas.DataFrame:
    """Return a motion as a table with a row an instant."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("A table of a motion", "pandas", "logs") from None
    return pandas.DataFrame(columns(motion))
