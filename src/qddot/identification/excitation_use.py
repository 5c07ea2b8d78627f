"""How much a motion uses of its limits, and which of them it breaks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import frame_name, positive
from qddot.errors import BadArgument, RobotWarning, printable
from qddot.identification.excitation_collision import Clearance
from qddot.identification.excitation_limits import HalfSpace, MotionLimits
from qddot.model.tree import BASE
from qddot.plain_text import fitted
from qddot.results import json_ready
from qddot.robot import Robot

DENSE = 20_000  # instants of a check
ROUNDING = 1e-9  # of a limit
SIGNS = {"position": "|q - middle|", "velocity": "|q̇|", "acceleration": "|q̈|", "effort": "|τ|"}


@dataclass(frozen=True)
class Violation:
    """A limit that a motion does not keep."""

    who: str  # a joint, a frame, or two links
    what: str  # "position", "velocity", "acceleration", "effort", "workspace", "clearance"
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
        if self.what == "clearance":
            return f"{when} they are {self.value:.4g} m apart, less than {self.limit:g} m"
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
    clearance: float = np.inf  # [m], no links are nearer, at any instant

    def facts(self) -> dict[str, Any]:
        """Return it by name, for a file."""
        numbers = {key: getattr(self, key).tolist() for key in SIGNS}
        return numbers | {key: json_ready(getattr(self, key)) for key in ("workspace", "clearance")}


def used(
    robots: Robot | tuple[Robot, ...],
    curve: Any,
    limits: MotionLimits,
    spaces: tuple[HalfSpace | Clearance, ...] = (),
    count: int = DENSE,
) -> tuple[Use, tuple[Violation, ...]]:
    """Return how much of each limit a motion uses, and which limits it breaks.

    Positions, velocities and accelerations are bounded between the instants too, in closed form
    (see `nodes` of the curves), distances of links by how fast they change; torques and the
    workspace are looked at instant by instant.
    """
    t, factor = curve.nodes(count)
    q, qd, qdd = curve.values(t)
    robots = robots if isinstance(robots, tuple) else (robots,)
    robot, needed = robots[0], torques(robots, q, qd, qdd)
    # of each joint the run that needs most
    most = np.abs(needed).max(axis=1).argmax(axis=0)
    tau = np.take_along_axis(needed, most[None, None], axis=0)[0]
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
    least = nearest = np.inf
    for space in spaces:
        if isinstance(space, Clearance):
            apart, when = space.proved(curve, shares["velocity"] * limits.velocity)
            nearest = float(apart.min())
            for k in np.flatnonzero(~(apart >= space.least)):
                near = float(when[k]), float(apart[k])
                broken.append(Violation(space.names[k], "clearance", *near, space.least, "m"))
            continue
        room = space.room(robot, q)
        least = min(least, float(room.min()))
        if not room.min() >= 0:
            when = float(t[room.argmin()])
            who = f"{space.frame} ({space})"
            broken.append(Violation(who, "workspace", when, float(room.min()), 0.0, "m"))
    return Use(**shares, workspace=least, clearance=nearest), tuple(broken)


def torques(robots: Sequence[Robot], *states: np.ndarray) -> np.ndarray:
    """Return what each robot's joints need at states (q, q̇, q̈), shape (robots, ..., n)."""
    return np.stack([robot.inverse_dynamics(*states) for robot in robots])


def loaded(robot: Robot, payloads: Sequence[Mapping[str, Any]]) -> tuple[Robot, ...]:
    """Return the robot as it is, and with each of the loads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # of its file, which were told when it loaded
        return (robot, *(robot.with_payload(**load) for load in payloads))


def checked_payloads(robot: Robot, payloads: Any) -> list[dict[str, Any]]:
    """Return loads as `with_payload` takes them.

    Each is ("tool", mass) or ("tool", mass, (x, y, z)) [kg, m].
    """
    wanted = 'give each as ("tool", 2.0) or ("tool", 2.0, (0, 0, 0.05)): frame, kg, m'
    found = []
    if isinstance(payloads, (str, Mapping)) or not isinstance(payloads, Sequence):
        raise BadArgument(f"payloads is {payloads!r}; {wanted}.")
    for said in payloads:
        try:
            frame, mass, *rest = said
            x, y, z = rest[0] if rest else (0.0, 0.0, 0.0)
            load = {"frame": frame, "mass": float(mass), "com": (float(x), float(y), float(z))}
        except (TypeError, ValueError):
            raise BadArgument(f"A payload is {said!r}; {wanted}.") from None
        frame_name(robot, frame)
        positive("The mass of a payload", mass, "kg")
        if robot.tree.frames[frame][0] == BASE:
            raise BadArgument(f"Frame {frame!r} does not move, so no torque feels its load.")
        found.append(load)
    return found
