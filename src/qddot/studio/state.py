"""What a page is told: of a robot, when it is opened or changed, and of each of its states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.friction import friction_torque
from qddot.errors import first_lines, printable
from qddot.model.friction import PARAMETERS, FrictionParameter
from qddot.model.units import unit_of
from qddot.results import json_ready
from qddot.robot import Robot
from qddot.robot.frames import principal_masses
from qddot.spatial.rotation import to_rpy
from qddot.studio.library import OUTPUTS, ShownArm
from qddot.studio.messages import Question

MOST_WARNINGS = 20
ROUGH = 20.0  # [N·m·s/rad], [N·m] and the like: sliders of friction end there, or farther
NOT_FINITE = "Some numbers are not finite at this state, and are left out."


@dataclass(frozen=True)
class State:
    """Where the joints are and how they move."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def state_of(question: Question, n: int) -> State:
    """Return the state that a question is about; what it does not say is zero."""
    rest = np.zeros(n)
    return State(
        question.numbers("q", n), question.numbers("qd", n, rest), question.numbers("qdd", n, rest)
    )


def quantities(arm: ShownArm, state: State) -> dict[str, Any]:
    """Return everything that can be computed of a state, by name."""
    load = np.array(arm.changes.mass)
    with np.errstate(all="ignore"):
        parts = arm.kernel(state.q, state.qd, state.qdd, arm.gravity, load)
        found: dict[str, Any] = dict(zip(OUTPUTS, parts, strict=True))
        friction = np.array(friction_torque(arm.now.tree, state.qd), dtype=float)
    found["friction"] = friction
    found["tau"] = found["tau"] + friction
    return found


def now(arm: ShownArm, state: State, frame: str, ellipsoid: bool, torques: bool) -> dict[str, Any]:
    """Return the answer "now": the state, and the place and the effective mass of a frame.

    `ellipsoid` and `torques` say whether the effective mass and the gravity torques are drawn.
    """
    found = quantities(arm, state)
    X = arm.robot.pose(state.q, frame)
    tip, turn = X[:3, 3], to_rpy(X[:3, :3])
    M = found["M"]
    whole = bool(np.isfinite(M).all() and np.isfinite(state.q).all())
    values = np.linalg.eigvalsh(M) if whole else np.full(len(M), np.nan)
    J = arm.robot.jacobian(state.q, frame)[3:]
    masses, axes = principal_masses(J, M)  # NaN where M is singular
    known = not np.isnan(masses).any()
    answer = {
        "is": "now",
        "q": state.q,
        "qd": state.qd,
        "qdd": state.qdd,
        **found,
        "eigenvalues": values,
        "condition": float(values[-1] / values[0]) if values[0] > 0 else None,
        "tip": tip,
        "rpy": turn,
        "effective_mass": json_ready(masses) if known else None,
        "scene": arm.scene.scene(
            state.q,
            frame=frame,
            ellipsoid=(masses, axes) if ellipsoid and known else False,
            gravity_torques=found["g"] if torques and np.isfinite(found["g"]).all() else False,
        ),
    }
    sums = sum(float(np.sum(found[name])) for name in OUTPUTS)
    if not np.isfinite(sums) or not np.isfinite(tip).all():
        answer["warning"] = NOT_FINITE
    return answer


def friction_values(robot: Robot, p: FrictionParameter) -> list[float]:
    """Return a number of friction at each joint; none at all where a joint does not have it."""
    found = [getattr(joint.friction, p.name) for joint in robot.model.free_joints]
    return [] if None in found else [float(value) for value in found]


def friction_parameters(arm: ShownArm) -> list[FrictionParameter]:
    """Return which numbers of friction can be set: the usual ones, and those that the robot has."""
    return [p for p in PARAMETERS if p.usual or any(friction_values(arm.robot, p))]


def friction_slider(arm: ShownArm, p: FrictionParameter) -> dict[str, Any]:
    """Return what a page must know to draw the slider of a number of friction.

    What torques are linear in and does not resist may have either sign; the velocity at which
    something fades is above zero.
    """
    largest = max(map(abs, friction_values(arm.robot, p)))
    high = max(ROUGH, largest) if p.usual else 2 * largest
    return {
        "name": p.name,
        "words": p.meaning,
        "unit": unit_of(arm.robot.model.free_joints, p.unit),
        "low": 0.0 if p.resists else -high if p.column else high / 100,
        "high": high,
    }


def robot_facts(arm: ShownArm) -> dict[str, Any]:
    """Return the answer "robot"."""
    robot, model = arm.now, arm.now.model
    limits = robot.limits
    span = np.stack(limits.span(), axis=-1).tolist()
    joints = [
        {
            "name": printable(joint.name),
            "unit": joint.units.position,
            "turns": joint.turns,
            "low": json_ready(limits.lower[i]),
            "high": json_ready(limits.upper[i]),
            "span": span[i],
            "velocity": json_ready(limits.velocity[i]),
            "effort": json_ready(limits.effort[i]),
        }
        for i, joint in enumerate(model.free_joints)
    ]
    warnings = [str(problem) for problem in robot.warnings]
    return {
        "is": "robot",
        "name": printable(arm.label),
        "description": printable(model.description),
        "n": robot.n,
        "joints": joints,
        "frames": list(robot.frame_names),
        "tip": arm.tip,
        "gravity": arm.gravity,
        "mass": float(robot.mass),
        "payload": {"frame": arm.changes.frame or arm.tip, "mass": arm.changes.mass},
        "friction": {p.name: friction_values(robot, p) for p in friction_parameters(arm)},
        "friction_sliders": [friction_slider(arm, p) for p in friction_parameters(arm)],
        "symbolic": bool(arm.exact.symbols),
        "warnings": first_lines(warnings, MOST_WARNINGS),
        "q": arm.home,
        "scene_still": arm.scene.still(),
    }
