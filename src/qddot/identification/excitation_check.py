"""Whether a motion keeps its limits, at every time: what is broken, by which joint, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import printable
from qddot.identification.excitation_limits import MotionLimits
from qddot.identification.excitation_workspace import HalfSpace
from qddot.plain_text import fitted
from qddot.robot import Robot

DENSE = 20_000  # instants of a check
ROUNDING = 1e-9  # of a limit
SIGNS = {"position": "|q - middle|", "velocity": "|q̇|", "acceleration": "|q̈|", "effort": "|τ|"}


@dataclass(frozen=True)
class Violation:
    """A limit that a motion does not keep."""

    who: str  # a joint, or a frame
    what: str  # "position", "velocity", "acceleration", "effort", "workspace"
    t: float  # [s], when it is worst
    value: float
    limit: float
    unit: str

    @fitted
    def __str__(self) -> str:
        """Return it as a sentence."""
        when = f"{printable(self.who)}: at {self.t:.4f} s"
        if self.what == "workspace":
            return f"{when} it is {-self.value:.4g} m outside of its workspace"
        if self.what == "position":
            return f"{when} the position is {self.value:.5g}, beyond {self.limit:.5g} {self.unit}"
        return f"{when} the {self.what} is {self.value:.5g}, above {self.limit:.5g} {self.unit}"


@dataclass(frozen=True)
class Use:
    """How much of each limit a motion uses: 1 is all of it, shape (n,)."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray
    workspace: float = np.inf  # [m], the least room that a frame has left

    def facts(self) -> dict[str, Any]:
        """Return it by name, for a file."""
        numbers = {key: getattr(self, key).tolist() for key in SIGNS}
        return numbers | {"workspace": None if np.isinf(self.workspace) else self.workspace}


def used(
    robot: Robot,
    curve: Any,
    limits: MotionLimits,
    spaces: tuple[HalfSpace, ...] = (),
    count: int = DENSE,
) -> tuple[Use, tuple[Violation, ...]]:
    """Return how much of each limit a motion uses, and which limits it breaks.

    Positions, velocities and accelerations are bounded between the instants too, in closed form
    (see `nodes` of the curves); torques and the workspace are looked at instant by instant.
    """
    t, factor = curve.nodes(count)
    q, qd, qdd = curve.values(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    sizes = {
        "position": (q - limits.middle, limits.half, factor),
        "velocity": (qd, limits.velocity, factor),
        "acceleration": (qdd, limits.acceleration, factor),
        "effort": (tau, limits.effort, 1.0),
    }
    shares: dict[str, np.ndarray] = {}
    broken: list[Violation] = []
    for what, (values, limit, more) in sizes.items():
        worst = np.abs(values).argmax(axis=0)
        shares[what] = more * np.abs(values).max(axis=0) / limit
        for i in np.flatnonzero(~(shares[what] <= 1 + ROUNDING)):
            value, size = more * abs(values[worst[i], i]), limit[i]
            if what == "position":
                sign = np.sign(values[worst[i], i])
                value, size = (limits.middle[i] + sign * x for x in (value, size))
            who, when = limits.joint_names[i], float(t[worst[i]])
            unit = getattr(robot.limits.units[i], what)
            broken.append(Violation(who, what, when, float(value), float(size), unit))
    least = np.inf
    for space in spaces:
        room = space.room(robot, q)
        least = min(least, float(room.min()))
        if not room.min() >= 0:
            when = float(t[room.argmin()])
            who = f"{space.frame} ({space})"
            broken.append(Violation(who, "workspace", when, float(room.min()), 0.0, "m"))
    return Use(**shares, workspace=least), tuple(broken)
