"""Whether another arm explains a log much better: then it is not a log of this robot.

A fit finds masses, inertias and friction; where the joints are, it takes from the robot's file. So
the same rows are fitted with other joints: with those of the file moved a little, with those of the
built-in robots, and with those of any arm. The last has no model: what is left of each joint's
torque is predicted, in tenths of the time that were not fitted, from the positions and
accelerations of all joints, beside curves over its own position, rate and load, which are friction
and ripple. For an arm whose joints are as in its file nothing of that helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from qddot.dynamics.rnea import rigid_body_torque
from qddot.errors import Problem
from qddot.identification.log import Log
from qddot.identification.regression import Regression
from qddot.identification.residual_patterns import hats
from qddot.identification.rough_fit import RoughFit
from qddot.program import Program, record
from qddot.readers.read import library
from qddot.robot import robot_of
from qddot.spatial.inertia import NAMES, Inertia
from qddot.spatial.pose import Pose
from qddot.spatial.vector import skew, split

STEP = 1e-5  # [rad] and [m], by which joints are moved
ROWS = 200  # at which they are
NEARLY = 1.25  # times the error of all joints moved: one joint explains it as well
TENTHS = 10
SOFT = 1e-3  # of the mean square of the columns
FEWEST = 3  # rows per column


def misplaced(look: RoughFit, much: float) -> tuple[float, Problem] | None:
    """Return that joints seem to be placed otherwise than in the file, and the error if they are.

    Args:
        look: The rough fit of a log that `doubts` looks at.
        much: Of the error, what is left where an explanation counts.
    """
    robot, log = look.regression.robot, look.log[:: max(1, len(look.log) // ROWS)]
    before, columns = look.of(log), placement_columns(look, log)
    after = look.of(log, columns)
    if not after < much * before:
        return None
    bodies = robot.tree.bodies
    turning = [i for i, body in enumerate(bodies) if body.turns and robot.nq == robot.n]
    zeros: dict[int, tuple[float, float]] = {}
    for i in turning:
        about = columns[..., 6 * i : 6 * i + 6] @ np.concatenate(bodies[i].columns[0])
        zeros[i] = look.of(log, about[..., None]), float(look.beyond[0])
    places = {i: look.of(log, columns[..., 6 * i : 6 * i + 6]) for i in range(len(bodies))}
    # the simplest of what explains it about as well
    i = min(zeros, key=lambda k: zeros[k][0], default=-1)
    if i >= 0 and zeros[i][0] < NEARLY * after:
        error, zero = zeros[i]
        return error, Problem(
            "warning",
            f"joint {bodies[i].name!r}",
            f"its zero seems to be off by about {zero:.2g} rad: {look.helps(before, error)}",
            f"Add {zero:.2g} to its positions, load_log(..., offset=...), or mend the file.",
        )
    i = min(places, key=lambda k: places[k])
    one = places[i] < NEARLY * after
    where = f"joint {bodies[i].name!r}" if one else "robot"
    what = "it seems" if one else "joints seem"
    return places[i] if one else after, Problem(
        "warning",
        where,
        f"{what} to be placed otherwise than in the robot's file: "
        f"{look.helps(before, places[i] if one else after)}",
        "Check that the log is of this robot, then the lengths and axes of its file.",
    )


def placement_columns(look: RoughFit, log: Log) -> np.ndarray:
    """Return ∂τ/∂δ, δ how every joint is moved (turned, shifted, by its own axes), (k, n, 6 b)."""
    tree = look.regression.robot.tree
    b, k = len(tree.bodies), len(log)
    names = look.regression.names[: 10 * b]
    phi = [look.parameters.get(name, 0.0) for name in names]
    moved = np.vstack([np.zeros(6 * b), STEP * np.eye(6 * b)])
    states = [np.tile(x, len(moved)) for x in (*log.q.T, *log.qd.T, *log.qdd.T)]
    found = _program(tree).results_at([*states, *np.repeat(moved, k, axis=0).T, *phi])
    whole = [np.broadcast_to(x, (len(moved) * k,)) for x in found]
    torques = np.array(whole).reshape(tree.n, len(moved), k)
    return ((torques[:, 1:] - torques[:, :1]) / STEP).transpose(2, 0, 1)


def _program(tree: Any) -> Program:
    """Return τ(q, q̇, q̈) of the arm whose joints are moved by δ, with any inertias φ."""
    b = len(tree.bodies)

    def torque(q: Any, qd: Any, qdd: Any, delta: Any, phi: Any) -> Any:
        bodies = []
        for body, move, numbers in zip(tree.bodies, delta, phi, strict=True):
            turn, shift = split(move)
            near = Pose(np.eye(3, dtype=int) + skew(turn), shift)
            inertia = Inertia.from_parameters(list(numbers))
            bodies.append(replace(body, X_PJ=body.X_PJ @ near, inertia=inertia))
        return rigid_body_torque(replace(tree, bodies=tuple(bodies)), q, qd, qdd)

    sizes = {"q": (tree.nq,), "qd": (tree.n,), "qdd": (tree.n,)}
    return record(torque, "moved", **sizes, delta=(b, 6), phi=(b, len(NAMES)))


def any_arm(look: RoughFit, much: float) -> tuple[float, Problem] | None:
    """Return that torques go with other joints as this arm's cannot, and what is then left."""
    log, n = look.log, len(look.names)
    before = look.of(log)
    if log.tree is not None or n < 2:
        return None
    free = _of_any_arm(log)
    each = []
    for i in range(n):
        use = log.used[:, i]
        left, expected = look.left[use, i], (log.tau / look.size - look.left)[use, i]
        if not left.any() or use.sum() < FEWEST * free.shape[1]:
            continue
        own = _curves(log.q[use, i], log.qd[use, i], expected)
        known = min(_unseen(own, left), float(left @ left))
        each.append(min(1.0, _unseen(np.hstack([own, free[use]]), left) / known))
    after = before * float(np.sqrt(np.exp(np.mean(np.log(each))))) if each else before
    if not after < much * before:
        return None
    return after, Problem(
        "warning",
        "robot",
        "torques go with the positions of other joints as those of this robot cannot: "
        f"with free curves of these {look.helps(before, after)}",
        "Check that the log is of this robot, and order, units, signs and zeros of its columns.",
    )


def _of_any_arm(log: Log) -> np.ndarray:
    """Return the columns that torques of any arm go with, about: shape (k, m)."""
    waves = [(np.cos(q), np.sin(q)) for q in log.q.T]
    found = [np.ones(len(log)), *(wave for both in waves for wave in both)]
    found += [qdd / (np.std(qdd) or 1) for qdd in log.qdd.T]
    found += [x * y for one, other in combinations(waves, 2) for x in one for y in other]
    return np.stack(found, axis=1)


def _curves(q: np.ndarray, qd: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Return hat functions of a joint's own position, rate and load, by direction, (k, m)."""
    each = np.hstack([hats(x) for x in (q, qd, load)])
    return np.hstack([each * (qd > 0)[:, None], each * (qd <= 0)[:, None]])


def _unseen(A: np.ndarray, e: np.ndarray) -> float:
    """Return what columns leave of e, squared, in tenths that they were not fitted to."""
    left = 0.0
    for part in np.array_split(np.arange(len(e)), TENTHS):
        rest = np.ones(len(e), bool)
        rest[part] = False
        N = A[rest].T @ A[rest]
        soft = SOFT * np.trace(N) / len(N) * np.eye(len(N))
        x = np.linalg.solve(N + soft, A[rest].T @ e[rest])
        left += float(np.sum((e[part] - A[part] @ x) ** 2))
    return left


def built_in(look: RoughFit, below: float) -> tuple[float, Problem] | None:
    """Return the built-in robot that fits the rows best, if its error is below a number."""
    robot = look.regression.robot
    errors = dict(_errors_of_others(look)) if robot.nq == robot.n else {}
    name = min(errors, key=lambda k: errors[k], default="")
    if not name or not errors[name] < below:
        return None
    return errors[name], Problem(
        "warning",
        "robot",
        f"the log seems to be of another arm, like the built-in {name!r}: with its joints "
        f"{look.helps(look.error, errors[name])}",
        "Give the robot that the log was recorded with.",
    )


def _errors_of_others(look: RoughFit) -> Iterator[tuple[str, float]]:
    """Yield the built-in robots with as many joints, and how well they fit."""
    robot = look.regression.robot
    for name in library():
        arm = robot_of(name)
        if arm.n == robot.n == arm.nq and name != robot.name:
            regression = Regression.of(arm, ("friction", "offset"))
            rows = replace(look.log, joint_names=tuple(arm.joint_names), Y=None)
            yield name, RoughFit(regression, rows).error
