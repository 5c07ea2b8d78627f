"""The robot's side of the search for the nearest joint positions: what people give, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qddot.backends.threads import available_threads
from qddot.checks import check_finite, flag, frame_name, one_of, positive, real_array, spread, whole
from qddot.dynamics.kinematics import path
from qddot.errors import BadArgument, NoValues, WrongShape, printable
from qddot.kinematics.damped_step import MATCHES, PoseTask
from qddot.kinematics.known_solutions import KnownSolutions
from qddot.kinematics.nearest import PoseSearch
from qddot.kinematics.nearest_solutions import NearestSolutions
from qddot.kinematics.poses import need_near, proper_poses
from qddot.kinematics.solutions import Solutions
from qddot.robot.frames import TOLERANCE

# if nobody says: where solutions are isolated points, all of them are looked for; where joints are
# to spare, a search slides to the nearest of a whole curve
ISOLATED_STARTS, SPARE_STARTS = 64, 3
FOUND = np.array(True)
FOUND.flags.writeable = False
TASK_AXES = ("about x", "about y", "about z", "along x", "along y", "along z")


def nearest(
    robot: Any,
    X: Any,
    frame: str,
    near: Any,
    match: str,
    weights: Any,
    joint_weights: Any,
    tolerance: Any,
    limits: bool,
    starts: int | None,
) -> NearestSolutions:
    """Return the nearest joint positions; the arguments are those of `robot.inverse_kinematics`."""
    search = pose_search(robot, frame, match, weights, joint_weights, flag("limits", limits))
    if starts is None:
        count = SPARE_STARTS if search.task.redundant else ISOLATED_STARTS
    else:
        count = whole("starts", starts)
    if tolerance is TOLERANCE and _plain(X, (4, 4)) and _plain(near, (robot.n,)):
        quick = search.quickly(X, near, TOLERANCE)
        if quick is not None:
            q, missing = quick
            return NearestSolutions(q, FOUND, missing, robot, search)
    poses, q = _poses(X, match), _near(robot, near, search.task)
    batch = q.shape[:-1]
    if poses.shape[:-1] != batch:
        poses, q = _together(poses, q)
        batch = q.shape[:-1]
    if tolerance is TOLERANCE:
        both = np.array([TOLERANCE, TOLERANCE])
    else:
        both = spread("tolerance", tolerance, ("the angle [rad]", "the distance [m]"), above=0)
    rows, n = poses.reshape(-1, poses.shape[-1]), q.shape[-1]
    q, found, error = search.nearest(rows, q.reshape(-1, n), both, count)
    arrays = q.reshape(*batch, n), found.reshape(batch), error.reshape(*batch, 2)
    return NearestSolutions(*arrays, robot, search, poses)


def dragged(
    robot: Any, X: Any, frame: str, q: Any, match: str, weights: Any, most: float | None
) -> NearestSolutions:
    """Return where a drag leads to; the arguments are those of `robot.drag`."""
    search = pose_search(robot, frame, match, weights, None, True)
    most = np.inf if most is None else positive("most", most, "rad or m")
    if _plain(X, (4, 4)) and _plain(q, (robot.n,)):
        quick = search.quickly(X, q, TOLERANCE)
        if quick is not None and np.abs(quick[0] - q).max() <= most:
            return NearestSolutions(quick[0], FOUND, quick[1], robot, search)
    poses, near = _poses(X, match), _near(robot, q, search.task, "q")
    if poses.ndim > 1 or near.ndim > 1:
        raise BadArgument(
            f"A drag is of one pose from one q; X holds {poses.shape[:-1]} and q {near.shape[:-1]}."
        )
    both = np.array([TOLERANCE, TOLERANCE])
    at, found, error = search.dragged(poses[None], near[None], both, most)
    return NearestSolutions(at[0], found[0], error[0], robot, search, poses)


def _plain(x: Any, shape: tuple[int, ...]) -> bool:
    return type(x) is np.ndarray and x.shape == shape and x.dtype == np.float64


def _together(poses: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return poses and positions of one batch."""
    try:
        batch = np.broadcast_shapes(poses.shape[:-1], q.shape[:-1])
    except ValueError:
        raise BadArgument(
            f"X holds {poses.shape[:-1]} poses and near {q.shape[:-1]} positions; give one, or one "
            "for each pose."
        ) from None
    all_poses, all_q = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (poses, q))
    return all_poses, all_q


def pose_search(
    robot: Any, frame: str, match: str, weights: Any, joint_weights: Any, limits: bool
) -> PoseSearch:
    """Return the search of a task, made once."""
    names = robot.joint_names
    if weights is not None:
        weights = tuple(spread("weights", weights, TASK_AXES, "a weight", least=0).tolist())
    if joint_weights is not None:
        given = spread("joint_weights", joint_weights, names, "a positive weight", above=0)
        joint_weights = tuple(given.tolist())
    choice = frame, match, weights, joint_weights, limits

    def make() -> PoseSearch:
        frame_name(robot, frame)
        one_of("match", match, MATCHES)
        ones = weights or (1.0,) * 6, joint_weights or (1.0,) * len(names)
        task = pose_task(robot, frame, match, *ones, limits)
        threads, every = robot.threads or available_threads(), _closed_form(robot, task)
        known = None if every is None else KnownSolutions(task, every, threads)
        return PoseSearch(task, threads, known)

    return robot.cached("pose search", choice, make)


def _closed_form(robot: Any, task: PoseTask) -> Callable[[np.ndarray], Solutions] | None:
    """Return what gives all solutions of poses, if the arm has it and the whole pose counts."""
    if task.redundant or task.match != "pose" or 0 in task.weights:
        return None
    try:
        if robot._closed_forms.plan(task.frame, ()) is None:
            return None
    except BadArgument:  # of a joint that is no plain turn or slide
        return None
    return lambda X: robot.inverse_kinematics_all(X, task.frame)


def pose_task(
    robot: Any,
    frame: str,
    match: str,
    weights: tuple[float, ...],
    joint_weights: tuple[float, ...],
    limited: bool,
) -> PoseTask:
    """Return what a frame is to do, refused in words where the robot cannot do anything of it."""
    if robot.symbols:
        raise NoValues(robot.name, robot.symbols, "robot.with_values({}=1.0, ...)")
    robot.model.need_single_numbers("Inverse kinematics")
    endless = np.outer((-np.inf, np.inf), np.ones(robot.n))
    lower, upper = (robot.limits.lower, robot.limits.upper) if limited else endless
    task = PoseTask(
        *(robot.tree, frame, match, weights, joint_weights),
        *(tuple(lower.tolist()), tuple(upper.tolist())),
        reach_of(robot, frame),
    )
    if not task.joints:
        raise BadArgument(
            f"Frame {printable(frame)!r} of {printable(robot.name)!r} does not move: no joint "
            "carries it, so no joint position puts it anywhere else.\n"
            "  Choose a frame beyond a joint."
        )
    if not any(task.rows):
        raise BadArgument(f"weights leaves nothing of match={match!r} to be matched: all are 0.")
    no_room = [k for k in task.joints if not lower[k] <= upper[k]]
    if no_room:
        k = no_room[0]
        raise BadArgument(
            f"The limits of joint {printable(robot.joint_names[k])!r} leave no room: from "
            f"{lower[k]:.6g} to {upper[k]:.6g}.\n  Correct them in the model, or take limits=False."
        )
    return task


def reach_of(robot: Any, frame: str) -> float:
    """Return about how far the frame can be from its first joint [m]; 1 if it cannot move away."""
    tree, limits = robot.tree, robot.limits
    body, X_BF = tree.frame(frame)
    low, high = limits.span()
    length = float(np.linalg.norm(np.array(X_BF.p, dtype=float)))
    for count, i in enumerate(path(tree, body)):
        k = tree.drives[i].index
        if count:
            length += float(np.linalg.norm(np.array(tree.bodies[i].X_PJ.p, dtype=float)))
        if not tree.bodies[i].turns:
            length += float(high[k] - low[k])
    return length or 1.0


def _poses(X: Any, match: str) -> np.ndarray:
    """Return poses as rows of twelve numbers, (..., 12)."""
    if match != "position" or np.shape(X)[-1:] != (3,):
        poses = proper_poses(X)
        need_near(poses[..., 9:])
        return poses
    p = real_array("X", X)
    check_finite("X", p, ("x", "y", "z"))
    need_near(p)
    return np.concatenate([np.broadcast_to(np.eye(3).reshape(9), (*p.shape[:-1], 9)), p], axis=-1)


def _near(robot: Any, near: Any, task: PoseTask, name: str = "near") -> np.ndarray:
    """Return where solutions are to be near, (..., n): what is given, or what is nearest to it
    within limits, as arms report positions a hair beyond theirs.
    """
    lower, upper = task.bounds
    if near is None:
        return np.clip(robot.home, lower, upper)
    q = real_array(name, near)
    if q.shape[-1:] != (robot.n,):
        raise WrongShape(name, q.shape, robot.name, robot.joint_names)
    check_finite(name, q, robot.joint_names, "joint ")
    return np.clip(q, lower, upper)
