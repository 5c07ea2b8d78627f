"""The tool in somebody's hand: where a pull leads the arm, what hinders it, all ways to a pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.kinematics.damped_step import MATCHES
from qddot.kinematics.nearest_solutions import NearestSolutions
from qddot.robot import Robot
from qddot.studio.library import ShownArm
from qddot.studio.messages import Question
from qddot.studio.state import State

MOST = 0.35  # [rad or m] of a joint in one answer; a page asks again until the tool is there
PARTS = ("position", "rotation")  # of a pose
STILL = 1e-6  # [rad or m], a joint that goes less far stands; solutions as near are one
FAR = 1e3  # [m], where no arm gets to


def pose_of(question: Question) -> np.ndarray:
    """Return the pose in a question, (4, 4): three rows of four numbers, one after the other."""
    X = np.eye(4)
    X[:3] = question.numbers("pose", 12).reshape(3, 4)
    return X


def within(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return positions within the joints' limits, which a motion may have passed."""
    return np.clip(q, robot.limits.lower, robot.limits.upper)


def pulled(
    robot: Robot, X: np.ndarray, frame: str, q: np.ndarray, part: str, anywhere: bool
) -> NearestSolutions:
    """Return where joints go when a frame is pulled from q towards a pose X, (4, 4).

    Of a pose that too few joints can give it, the part that is pulled counts: "position" or
    "rotation". `anywhere` is whether the arm may jump to a solution that is far from q.
    """

    def towards(match: str) -> NearestSolutions:
        if anywhere:
            return robot.inverse_kinematics(X, frame, near=q, match=match)
        return robot.drag(X, frame, q, match=match, most=MOST)

    whole = towards("pose")
    few = len(whole.search.task.joints) < MATCHES["pose"]
    return towards(part) if few and not whole.found else whole


def dragged(
    arm: ShownArm, state: State, frame: str, X: np.ndarray, part: str, anywhere: bool
) -> tuple[State, dict[str, Any]]:
    """Return the state to which a pull leads, and what a page says of it; arguments: `pulled`."""
    robot, q = arm.robot, within(arm.robot, state.q)
    there = pulled(robot, X, frame, q, part, anywhere)
    hindrance = there.hindrance
    told = {
        "found": bool(there.found),
        "moving": not (there.found or anywhere) and bool(np.abs(there.q - q).max() > STILL),
        "match": there.match,
        "missing": there.error,
        "reach": hindrance.reach,
        "limits": [robot.joint_names.index(name) for name in hindrance.limits],
        "singular": hindrance.singular,
    }
    return State(there.q, state.qd, state.qdd), told


def grip(arm: ShownArm, frame: str) -> dict[str, Any]:
    """Compile what a drag of a frame needs, and return the joints that carry it.

    A frame that none carries is refused.
    """
    robot = arm.robot
    q = within(robot, arm.home)
    X = robot.pose(q, frame)
    carrying = robot.drag(X, frame, q).search.task.joints
    X[0, 3] += FAR
    for part in PARTS:
        pulled(robot, X, frame, q, part, False).hindrance  # noqa: B018, which compiles it
    return {"is": "grip", "frame": frame, "joints": carrying}


def solutions(
    arm: ShownArm, frame: str, X: np.ndarray, q: np.ndarray, given: float | None, joint: int | None
) -> dict[str, Any]:
    """Return all joint positions within limits at which a frame has a pose, the nearest first.

    Where a joint may stand anywhere, one of them stands for its family, and q for itself. Joints
    that do not carry the frame stay at q. A joint that has to be given is at `given`, or where q
    has it; it is `joint`, or the last that makes it a closed form, or else the last.

    Raises:
        BadArgument: If the arm has none, whatever is given; it says why.
    """
    robot = arm.robot
    carrying = robot.drag(X, frame, q).search.task.joints
    known, free = robot._closed_forms, None
    closed, others = known.free_joints(known.chain(frame))
    sets = [*reversed(closed), *reversed(others)]
    choices = sorted({k for some in sets for k in some})
    spare = given_joint = None
    if choices:
        held = next((some for some in sets if joint in some), sets[0])
        spare = joint if joint in choices else held[-1]
        at = within(robot, q)
        if given is not None:
            low, high = robot.limits.span()  # as it is shown where it has no limits
            at[spare] = np.clip(given, low[spare], high[spare])
        free = {robot.joint_names[k]: float(at[k]) for k in held}
        given_joint = {"joint": spare, "value": at[spare]}
    found = robot.inverse_kinematics_all(X, frame, limits=True, free=free)
    ways: list[np.ndarray] = []
    here = within(robot, q)
    as_given = spare is None or given is None or given == q[spare]
    if as_given and np.abs(robot.pose(here, frame) - X).max() < STILL:
        ways.append(here)
    for way in found.q[found.found]:
        way = np.where(np.isin(range(robot.n), carrying), way, q)
        if not any(np.abs(way - other).max() < STILL for other in ways):
            ways.append(way)
    ways.sort(key=lambda way: float(np.linalg.norm(way - q)))
    return {
        "is": "solutions",
        "frame": frame,
        "q": ways,
        "poses": [arm.scene.poses(way) for way in ways],
        "family": bool(found.singular.any()),
        "free": given_joint,
        "choices": choices,
    }
