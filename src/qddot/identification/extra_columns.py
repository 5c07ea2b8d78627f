"""Columns that a model does not have: coupled wrists, Stribeck, friction by direction, one's own.

A column is a function of one state that says what its parameter, of size 1, adds to the torques.
It is plain NumPy code, recorded once and compiled as everything else is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.errors import BadArgument, UnknownName, shorten
from qddot.program import Program, record

Column = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Extra:
    """A column by name; called on (q, qd, qdd) of shape (k, n) it gives (k, n)."""

    name: str
    kernel: Any

    def __call__(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernel(q, qd, qdd))


def extras_of(robot: Any, extra: Any) -> tuple[Extra, ...]:
    """Return what a user gave as extra columns, compiled."""
    if isinstance(extra, (tuple, list)) and all(isinstance(x, Extra) for x in extra):
        return tuple(extra)
    parts = extra if isinstance(extra, (tuple, list)) else [extra]
    if not all(isinstance(part, Mapping) for part in parts):
        raise BadArgument(
            f"extra is {shorten(repr(extra))}; give functions by name: "
            "extra={'fvm6': lambda q, qd, qdd: ...}."
        )
    together = {name: function for part in parts for name, function in part.items()}
    return tuple(Extra(str(name), _kernel(robot, name, f)) for name, f in together.items())


def _kernel(robot: Any, name: str, function: Any) -> Any:
    if isinstance(function, Kernel):
        return function
    n = robot.n
    if isinstance(function, Program):
        program = function
    else:
        try:
            program = record(function, str(name), q=(n,), qd=(n,), qdd=(n,))
        except (TypeError, ValueError, IndexError) as error:
            raise BadArgument(
                f"The column {name!r} cannot be recorded: {error}\n"
                "  It takes q, qd and qdd of one state, each of shape (n,), and returns (n,)."
            ) from None
    shapes = [port.shape for port in program.outputs]
    if shapes != [(n,)]:
        raise BadArgument(
            f"The column {name!r} returns {shapes[0] if len(shapes) == 1 else shapes}; "
            f"it must return the torques of {n} joints, shape ({n},)."
        )
    return Kernel(program, np.dtype("float64"), 1)


def coupled(robot: Any, first: str, second: str, name: str = "") -> dict[str, Column]:
    """Return the columns of a motor that turns with the sum of two joints, as in many wrists.

    Its rotor, viscous and Coulomb friction act on both joints alike:

        τ₁, τ₂ += Iₐ (q̈₁ + q̈₂) + fᵥ (q̇₁ + q̇₂) + fₛ sgn(q̇₁ + q̇₂)
    """
    i, j = _index(robot, first), _index(robot, second)
    both = np.zeros(robot.n, dtype=int)
    both[[i, j]] = 1
    label = name or f"{first}+{second}"
    return {
        f"{label}.Ia": lambda q, qd, qdd: both * (qdd[i] + qdd[j]),
        f"{label}.fv": lambda q, qd, qdd: both * (qd[i] + qd[j]),
        f"{label}.fs": lambda q, qd, qdd: both * np.sign(qd[i] + qd[j]),
    }


def stribeck(robot: Any, velocity: float) -> dict[str, Column]:
    """Return, for every joint, the column of friction that fades with speed.

    With v_s the given velocity [rad/s]:

        τ += f exp(−(q̇/v_s)²) sgn(q̇)
    """

    def fading(i: int, e: np.ndarray) -> Column:
        return lambda q, qd, qdd: e * (np.exp(-((qd[i] / velocity) ** 2)) * np.sign(qd[i]))

    return {f"{name}.fst": fading(i, e) for i, name, e in _each(robot)}


def by_direction(robot: Any) -> dict[str, Column]:
    """Return, for every joint, Coulomb friction apart for the two directions of motion."""

    def forwards(i: int, e: np.ndarray) -> Column:
        return lambda q, qd, qdd: e * np.maximum(np.sign(qd[i]), 0)

    def backwards(i: int, e: np.ndarray) -> Column:
        return lambda q, qd, qdd: e * np.minimum(np.sign(qd[i]), 0)

    columns: dict[str, Column] = {}
    for i, name, e in _each(robot):
        columns |= {f"{name}.fs+": forwards(i, e), f"{name}.fs-": backwards(i, e)}
    return columns


def _each(robot: Any) -> list[tuple[int, str, np.ndarray]]:
    unit = np.eye(robot.n, dtype=int)
    return [(i, name, unit[i]) for i, name in enumerate(robot.joint_names)]


def _index(robot: Any, name: str) -> int:
    if name not in robot.joint_names:
        raise UnknownName("joint", name, robot.name, robot.joint_names)
    return robot.joint_names.index(name)
