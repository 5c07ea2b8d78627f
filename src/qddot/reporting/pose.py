"""Where an arm stands while nobody moves it."""

from __future__ import annotations

import math

import numpy as np

from qddot.certificate.mobility import jacobian_rows, reach, weighted
from qddot.errors import BadArgument
from qddot.model.joint import Joint
from qddot.robot import Robot

BENDS = 200  # positions to choose from
WIDEST = 1.2  # [rad or m], how far a joint is bent from the middle of its range
PART = 0.6  # of its range
WELL = 0.5  # of the usual clearance from a singular position: no need to bend


def sensible_pose(robot: Robot, frame: str) -> np.ndarray:
    """Return joint positions to show a robot at, shape (n,).

    The middle of each range; where the frame can hardly be moved there, the one of some bent
    positions near it at which it is freest.
    """
    joints = robot.model.free_joints
    middle = np.array([middle_of(joint) for joint in joints])
    if robot.symbols or not robot.n:
        return middle
    room = np.array([room_of(joint) for joint in joints])
    bent = np.random.default_rng(0).uniform(-1, 1, (BENDS, robot.n)) * room + middle
    try:
        known = reach(robot, frame, "linear")
        clear = _clearance(robot, frame, known.movable, known.rank, np.vstack([middle, bent]))
    except BadArgument:  # a joint without mass, which no pose helps
        return middle
    if not known.rank or clear[0] >= WELL * known.clearance:
        return middle
    return np.round(bent[clear[1:].argmax()], 2)


def middle_of(joint: Joint) -> float:
    """Return the middle of a joint's range; zero where it has none, or one of a turn and more."""
    low, high = joint.limits.lower, joint.limits.upper
    if low is None or high is None or joint.kind == "continuous":
        return 0.0
    low, high = float(low), float(high)
    if joint.turns and high - low >= 2 * math.pi and low <= 0 <= high:
        return 0.0
    return round((low + high) / 2, 4)


def room_of(joint: Joint) -> float:
    """Return how far a joint may be bent from the middle of its range."""
    low, high = joint.limits.lower, joint.limits.upper
    if low is None or high is None or joint.kind == "continuous":
        return WIDEST
    return min(WIDEST, PART * (float(high) - float(low)) / 2)


def _clearance(
    robot: Robot, frame: str, movable: np.ndarray, rank: int, q: np.ndarray
) -> np.ndarray:
    """Return how far each position is from a singular one: its smallest singular value."""
    J: np.ndarray = movable.T @ jacobian_rows(robot, q, frame, "linear")
    if not rank:
        return np.zeros(len(q))
    return np.linalg.svd(weighted(robot, q, J)[0], compute_uv=False)[:, rank - 1]
