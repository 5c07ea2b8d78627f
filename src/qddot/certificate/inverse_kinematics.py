"""All solutions of an inverse kinematics problem, proved: none is missing, and each is there.

- `pose_equations`: equations that every solution meets, with few joints in each
- `pruning`: small boxes that hold every solution, by branch and prune
- `krawczyk`: in each of these, that there is exactly one solution, on balls
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from qddot.certificate.bound import PI, Box, box_of
from qddot.certificate.equation_boxes import Boxes
from qddot.certificate.kinematics_proof import KinematicsProof
from qddot.certificate.krawczyk import ChainSolution, PoseProblem
from qddot.certificate.pose_equations import PoseEquations, Ranges
from qddot.certificate.pruning import prune
from qddot.certificate.serial_chain import SerialChain, serial_chain
from qddot.checks import frame_name, number, numbers, one_of, positive
from qddot.equations.values import many_digits
from qddot.errors import BadArgument, printable
from qddot.kinematics.poses import need_near
from qddot.robot import Robot

TURN = 2 * math.pi
LEAST, MOST = 1e-13, 1e-4  # of `within`
ROUNDING = 1e-12  # of comparing floats about a turn in size, with room to spare
TRIED = 24  # boxes in which no proof was found, after which the others are left
MOST_TRIED = 400  # boxes in all
SEARCHING = 0.8  # of the time goes to the search for boxes, the rest to proofs in them
LATE = "out of time"
STEP, WALKED = 2e-3, 3  # [rad or m], of a walk along a curve of solutions, and how many each way
EDGE = 1e-6  # [rad or m] that rounding may lead beyond the boxes of a curve
SINGULAR = 1e-4  # smallest singular value of the Jacobian, relative, that explains a box left over


def prove_inverse_kinematics(
    robot: Robot,
    X: Any,
    frame: str = "tool",
    *,
    match: str = "pose",
    box: Any = None,
    within: float = 1e-12,
    seconds: float = 60.0,
    most_boxes: int = 2_000_000,
) -> KinematicsProof:
    """Return every solution q of pose(q, frame) = X within the joint limits, with a proof.

    The claim is about each pose whose entries differ from X's by at most `within`, because a matrix
    of floats is hardly ever a rotation exactly: each of them has exactly one solution near each q
    of the result, and no other in the box. Solutions that differ by whole turns of a joint are
    one. An arm with fewer joints than the task has numbers cannot take each of these poses;
    then each has at most one solution near each q, no other, and a pose within is taken at q.

    Args:
        robot: The robot, its sizes numbers; its masses need not be.
        X: The pose of the frame in the base, shape (4, 4); floats are taken as they are.
        frame: The frame.
        match: "pose", or "position" for the frame's origin alone.
        box: The joint positions, as `qddot.certify` takes them: None for the joint limits, or by
            joint name a pair or a number to hold the joint at. Arms with more joints than the
            task has numbers need some held.
        within: See above; at least 1e-13.
        seconds: How long it may take; the clock is looked at between two steps, each of which takes
            a fraction of a second. What is not decided by then is said.
        most_boxes: How many boxes to look at, at most.
    """
    begin = time.monotonic()
    robot = robot._shape_alone
    frame_name(robot, frame)
    position = one_of("match", match, ("pose", "position")) == "position"
    number("within", within, least=LEAST, most=MOST)
    positive("seconds", seconds, "s")
    X = _checked(X, within, position)
    where = box_of(robot, box)
    chain = serial_chain(robot, frame, where)
    _few_enough(robot, chain, frame, position)
    ranges = _ranges(chain, where)
    problem = PoseProblem(chain, X, within, position)
    equations = PoseEquations(chain, X, within, position, ranges).all()
    turns = np.array(chain.turns)
    middle, half = np.where(turns, ranges.middle, 0.0), np.where(turns, ranges.half, 1.0)
    whole = Boxes(middle[:, None], half[:, None])
    deadline = begin + seconds
    pruned = prune(equations, chain.turns, whole, begin + SEARCHING * seconds, most_boxes)
    # from here on slides are lengths again
    scale = np.where(turns, 1.0, ranges.half)[:, None]
    offset = np.where(turns, 0.0, ranges.middle)[:, None]
    both = Boxes.joined([pruned.boxes, pruned.open])
    boxes = (offset + scale * both.middle).T, (scale * both.half).T
    solutions, left = _resolved(problem, turns, *boxes, deadline)
    inside, edge, at = [], [], set()
    for solution in solutions:
        q, near = _placed(robot, chain, where, solution)
        if near is not None:
            (edge if near else inside).append((q, float(solution.radius.max())))
            at.update(near)
    inside.sort(key=lambda found: tuple(found[0].round(6)))
    volume = min(1.0, float(np.prod(left[1] / ranges.half, axis=1).sum()))
    reason = LATE if time.monotonic() > deadline else pruned.reason
    status, why = _verdict(problem, left, reason, len(inside), sorted(at), deadline)
    return KinematicsProof(
        robot,
        frame,
        match,
        within,
        where,
        status,
        np.array([q for q, _ in inside]).reshape(-1, robot.n),
        np.array([r for _, r in inside]),
        chain.m == (3 if position else 6),
        np.array([q for q, _ in edge]).reshape(-1, robot.n),
        volume,
        why,
        pruned.looked_at,
        time.monotonic() - begin,
    )


def _checked(X: Any, within: float, position: bool) -> np.ndarray:
    """Return a matrix that is a pose to within the distance."""
    X = numbers("X", X)
    if X.shape != (4, 4) or X[3].tolist() != [0, 0, 0, 1]:
        raise BadArgument(
            f"X has shape {X.shape}; it must be one pose: a 4×4 matrix with the last row 0 0 0 1."
        )
    need_near(X[:3, 3])
    R = X[:3, :3]
    left, _, right = np.linalg.svd(R)
    off = float(np.abs(R - left @ right).max()) + LEAST / 10
    if position or (off <= within and np.linalg.det(R) > 0):
        return X
    if off < 0.1 and np.linalg.det(R) > 0:
        raise BadArgument(
            f"The rotation of X is off by {off:.1e}, so that no pose is within {within:g} of it.\n"
            "  Take the nearest rotation, U @ Vh of np.linalg.svd(X[:3, :3]), or a wider within=."
        )
    raise BadArgument("The upper left 3×3 matrix of X is no rotation.")


def _few_enough(robot: Robot, chain: SerialChain, frame: str, position: bool) -> None:
    most = 3 if position else 6
    name, of = printable(frame), printable(robot.name)
    if chain.m == 0:
        raise BadArgument(f"No joint of {of!r} that is free in the box moves frame {name!r}.")
    if chain.m > most:
        free = [printable(robot.joint_names[k]) for k in chain.index]
        raise BadArgument(
            f"{chain.m} joints move {name!r} of {of!r}, and the task has {most} numbers: solutions "
            f"are whole curves. Hold {chain.m - most} of the joints ({', '.join(free)}):\n"
            f"  box={{{free[-1]!r}: 0.0}}"
        )


def _ranges(chain: SerialChain, box: Box) -> Ranges:
    """Return where to look: of a joint that turns one turn at most."""
    low, high = (edge[list(chain.index)] for edge in box.edges)
    middle = low + (high - low) / 2
    half = np.maximum(high - middle, middle - low) * (1 + 1e-15) + 1e-15 * np.abs(middle)
    whole = np.array(chain.turns) & (high - low >= 2 * PI)
    return Ranges(np.where(whole, 0.0, middle), np.where(whole, PI, half))


def _apart(turns: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return how far apart configurations are in each joint, up to whole turns."""
    d = np.abs(a - b)
    return np.where(turns, np.abs(d - TURN * np.round(d / TURN)), d) + ROUNDING


def _resolved(
    problem: PoseProblem,
    turns: np.ndarray,
    middle: np.ndarray,
    half: np.ndarray,
    deadline: float,
) -> tuple[list[ChainSolution], tuple[np.ndarray, np.ndarray]]:
    """Return the solutions in boxes, and the boxes about which nothing is known by then."""
    solutions: list[ChainSolution] = []
    left, failed, tried = np.ones(len(middle), dtype=bool), 0, 0
    waiting = np.arange(len(middle))
    while len(waiting) and failed < TRIED and tried < MOST_TRIED:
        if time.monotonic() > deadline:
            break
        k, waiting = waiting[0], waiting[1:]
        tried += 1
        c, r = middle[k], half[k]
        found = problem.proved(c, r)
        new = None if found is None else _same(turns, found, solutions)
        if found is not None and new is False:
            solutions.append(found)
        if found is not None and new is not None:
            inside = (_apart(turns, middle, found.q) + half <= found.alone).all(1)
            left &= ~inside
            waiting = waiting[left[waiting]]
        if left[k] and problem.misses(c, r + ROUNDING):
            left[k] = False
        failed += int(left[k])
    return solutions, (middle[left], half[left])


def _same(turns: np.ndarray, found: ChainSolution, others: list[ChainSolution]) -> bool | None:
    """Return whether a solution is one of those known; None if that is not certain."""
    for other in others:
        apart = _apart(turns, found.q, other.q)
        if (apart + found.radius <= other.alone).all() or (
            apart + other.radius <= found.alone
        ).all():
            return True
        if (apart <= found.radius + other.radius + 2 * ROUNDING).all():
            return None
    return False


def _placed(
    robot: Robot, chain: SerialChain, box: Box, solution: ChainSolution
) -> tuple[np.ndarray, list[str] | None]:
    """Return all joint positions of a solution, and the joints that may be in or out of the box.

    None instead of these if one is out of it. Joints that do not move the frame stand at home, or
    as near to it as the box allows.
    """
    low, high = box.edges
    q = np.clip(robot.home, low, high)
    uncertain = []
    rows = zip(chain.index, chain.turns, solution.q, solution.radius, strict=True)
    for k, turns, x, radius in rows:
        room = radius + ROUNDING
        if turns:
            x -= TURN * np.round((x - (low[k] + high[k]) / 2) / TURN)
        q[k] = x
        if turns and high[k] - low[k] >= 2 * PI:
            continue
        if x + room < low[k] or x - room > high[k]:
            return q, None
        if x - room < low[k] or x + room > high[k]:
            uncertain.append(printable(robot.joint_names[k]))
    return q, uncertain


def _verdict(
    problem: PoseProblem,
    left: tuple[np.ndarray, np.ndarray],
    reason: str,
    count: int,
    at_limits: list[str],
    deadline: float,
) -> tuple[str, str]:
    """Return the status and why it is so."""
    middle = left[0]
    if not len(middle):
        if at_limits:
            names = ", ".join(at_limits)
            return "undecided", f"a solution is at a limit of {names}, inside or outside"
        return ("exact" if count else "unreachable"), ""
    if reason in (LATE, "too many boxes"):
        return "undecided", f"{reason}: take more seconds or boxes, or a smaller box"
    low, high = (middle - left[1]).min(axis=0), (middle + left[1]).max(axis=0)
    singular = ""
    with many_digits():
        for q in middle[:: max(1, len(middle) // TRIED)]:
            if time.monotonic() > deadline:
                break
            near = problem.improved(q, 1e-6)
            if problem.bent(near) >= SINGULAR:
                continue
            where = ", ".join(f"{x:.4f}" for x in near)
            singular = singular or where
            curve = [near] if problem.taken(near) else []
            for step in (STEP, -STEP) if curve else ():
                curve += problem.walked(near, step, WALKED)
            within = [((low <= x + EDGE) & (x - EDGE <= high)).all() for x in curve]
            if sum(within) > WALKED:
                return "singular", (
                    f"a curve of solutions, such as ({where}): at {sum(within)} configurations on "
                    f"it the pose is within {problem.within:g} of X"
                )
    if singular:
        return "undecided", f"the arm is singular at or near ({singular}), where solutions meet"
    where = ", ".join(f"{x:.4f}" for x in middle[0])
    return "undecided", f"nothing could be proved around ({where})"
