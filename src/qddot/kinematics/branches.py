"""All solutions of a closed form as one straight program: a branch for each choice of roots.

Every branch ends with its closure: what is left of T when all joints are taken away must be the
identity. A solution is one that closes; nothing else makes it one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.kinematics.chain import Chain, JointLine, common_direction, number, numbers
from qddot.kinematics.joint_equations import Position, across, moved, turned
from qddot.kinematics.plan import IkPlan
from qddot.kinematics.solutions import CLOSED, SINGULAR, SLACK
from qddot.program.operations import select
from qddot.program.program import Program
from qddot.program.recorded import Recorded
from qddot.program.recorder import record
from qddot.scalars import Scalar, atan2, sincos
from qddot.spatial.pose import Pose
from qddot.spatial.vector import cross

TIGHT = 1e-13  # a closure [rad, or parts of the arm's length] that needs no polish
# up to this closure a polish may lead to a solution: where two solutions meet and a lever is short,
# rounding moves both by √(1e-16 / lever)
NEAR = 1e-5
RIGHT_ANGLES = 1e-9  # how far a pose's axes may be from unit length and right angles, at once
EDGE = 1e-6  # [rad or m], how far beyond a limit singular solutions are looked at again
LOST = 1e-20  # the lever, to the fourth, below which positions are less exact than NEAR
ORIGIN = np.zeros(3, dtype=int)


@dataclass(frozen=True)
class Within:
    """The limits that solutions must keep to, and where the joints stand that do not matter."""

    rest: np.ndarray  # (nq,): positions of the joints that do not carry the frame
    lower: np.ndarray | None = None  # (nq,); None: no limits
    upper: np.ndarray | None = None


@dataclass(frozen=True)
class Branch:
    """One solution: the positions found, and what is left of the product of the others."""

    T: Pose
    at: dict[int, Position]
    last: ParallelTurns | None = None  # what is left in the end, if it is turns about one direction


@dataclass(frozen=True)
class ParallelTurns:
    """The last joints of a plan, neighbours that turn about parallel lines: T turns by their sum.

    Once all but one are known, that one is the rest of the sum. The arm closes if T takes a point
    and the direction of the last one's line to where the others take them. Steps of the plan that
    took vectors onto others have asked just that, as the joints that were unknown then, the last
    one among them, left these vectors where they were.
    """

    T: Pose
    joints: tuple[int, ...]  # from the base on
    k: int  # the one that is found last
    asked: tuple[int, ...]  # the joints whose steps took a point, and a direction, of its line


def closed_form(plan: IkPlan, within: Within, raw: bool = False, checked: bool = False) -> Program:
    """Return the program of all solutions, from X (4, 4) and the positions of `given` joints.

    It gives q (k, nq), miss (k,) and margin (k,), as in `Solutions`. If raw, the positions to take
    where any would do are inputs, else they are zero, with the lever, to the fourth, from which on
    they are taken; q also has what does not close, else that is NaN; and the least lever (k,) of a
    solution's steps is given. If checked, the last output is 1 where the others can stand as they
    are: the pose is one, every solution closes to the last digits, and none was any of many.
    """
    chain, scale = plan.numeric, float(plan.chain.scale)
    shapes: dict[str, tuple[int, ...]] = {"X": (4, 4)}
    if plan.given:
        shapes["given"] = (len(plan.given),)
    if raw:
        shapes["spare"] = (len(chain.axes) + 1,)

    def solved(X: Any, given: Any = (), spare: Any = ()) -> dict[str, Any]:
        at = {i: placed(chain.axes[i], x, scale) for i, x in zip(plan.given, given, strict=True)}
        spares = [Position()] * len(chain.axes)
        if raw:
            pairs = zip(chain.axes, spare, strict=False)
            spares = [replace(placed(axis, x, scale), least=spare[-1]) for axis, x in pairs]
        M = chain.home.inverse()
        T = Pose(X[:3, :3] @ M.R, X[:3, :3] @ M.p + X[:3, 3] / scale)
        angles = _Angles()
        found = [
            _finished(branch, T, chain, scale, within, angles, raw)
            for branch in _branches(plan, chain, _stripped(chain, Branch(T, at), ()), 0, spares)
        ]
        q, miss, margin, lever = zip(*found, strict=True)
        results: dict[str, Any] = {
            "q": np.stack([np.stack(row) for row in q]),
            "miss": np.stack(miss),
            "margin": np.stack(margin),
        }
        if raw:
            results["lever"] = np.stack(lever)
        if checked:
            results["regular"] = _regular(X, miss, lever)
        return results

    return record(solved, "inverse_kinematics_all", **shapes)


def _branches(
    plan: IkPlan, chain: Chain, branch: Branch, number: int, spares: Sequence[Position]
) -> Iterator[Branch]:
    if number == len(plan.steps):
        yield branch
        return
    step, last = plan.steps[number], branch.last
    joints = tuple(sorted(step.k for step in plan.steps[number:]))
    if last is None and _parallel_turns(plan.chain, joints):
        last = ParallelTurns(branch.T, joints, plan.steps[-1].k, _asked(plan))
    _, roots = step.equation(chain, branch.T, branch.at, spares[step.k])
    for root in roots():
        new = Branch(branch.T, branch.at | {step.k: root}, last)
        yield from _branches(plan, chain, _stripped(chain, new, branch.at), number + 1, spares)


def _asked(plan: IkPlan) -> tuple[int, ...]:
    """Return the joints whose steps say whether the arm closes; none if there are no such steps."""
    onto = [step for step in plan.steps if step.rule == "onto" and step.source is not None]
    by_kind = {step.point: step.k for step in onto if plan.chain.axes[step.k].turns}
    return (by_kind[True], by_kind[False]) if len(by_kind) > 1 else ()


def _parallel_turns(chain: Chain, joints: tuple[int, ...]) -> bool:
    axes = [chain.axes[i] for i in joints]
    neighbours = joints == tuple(range(joints[0], joints[-1] + 1))
    turns = all(axis.turns and abs(axis.ratio) == 1 for axis in axes)
    return neighbours and turns and common_direction(axes, chain.tiny) is not None


def _stripped(chain: Chain, branch: Branch, before: Any) -> Branch:
    """Return a branch with the outermost known joints taken away from what is left of T."""
    T, at = branch.T, branch.at
    left = list(range(len(chain.axes)))
    while left and left[0] in before:
        left.pop(0)
    while left and left[-1] in before:
        left.pop()
    while left and left[0] in at:
        axis, here = chain.axes[left[0]], at[left.pop(0)]
        R = np.stack([moved(axis, here, column, False, back=True) for column in T.R.T], axis=1)
        T = Pose(R, moved(axis, here, T.p, True, back=True))
    while left and left[-1] in at:
        axis, here = chain.axes[left[-1]], at[left.pop()]
        p = T.p + T.R @ moved(axis, here, ORIGIN, True, back=True)
        R = np.stack([turned(axis.h, here.c, here.s, row) for row in T.R]) if axis.turns else T.R
        T = Pose(R, p)
    return Branch(T, at, branch.last)


def _finished(
    branch: Branch, T: Pose, chain: Chain, scale: float, within: Within, angles: _Angles, raw: bool
) -> tuple[list[Scalar], Scalar, Scalar, Scalar]:
    """Return q, the miss, the margin and the least lever of a branch."""
    x = {
        i: angles.of(at.y, at.x) if chain.axes[i].turns else at.d * scale
        for i, at in branch.at.items()
        if branch.last is None or branch.last.k != i
    }
    slides = sum(not axis.turns for axis in chain.axes)
    far = 1 + T.p @ T.p if slides else 1
    if branch.last is None:
        square, right = _miss(branch.T, far)
    else:
        square, right = _rest_of_sum(branch.last, branch.at, chain, x, angles, far), 1
    q: list[Scalar] = list(within.rest)
    beyond: Scalar = 0
    for i, axis in enumerate(chain.axes):
        q[axis.index], here = _coordinate(axis, x[i], within)
        beyond = here if i == 0 else np.maximum(here, beyond)
    if slides > 1:
        square, right = _miss_of_pose(T, chain, scale, q, far), 1
    for position in branch.at.values():
        square = square + position.beyond
    margin: Scalar = 1
    lever: Scalar = 1
    for position in branch.at.values():
        margin, lever = np.minimum(position.margin, margin), np.minimum(position.lever, lever)
    if within.lower is not None:
        edge = right * (square <= NEAR**2) * (margin <= SINGULAR) * (beyond <= EDGE)
        lever = select(edge * (beyond > SLACK), 0, lever)
        right = right * (beyond <= SLACK)
    miss = select(right, square, math.inf)
    if not raw:
        found = miss <= CLOSED**2
        q = [select(found, x, math.nan) for x in q]
    return q, miss, margin, lever


def _miss(T: Pose, far: Scalar) -> tuple[Scalar, Scalar]:
    """Return how far a pose is from the identity, squared, and whether it is near it at all.

    Squares of distances are in parts of `far`, of what the arm's length and X come to.
    """
    R, p = T.R, T.p
    square = R[0, 1] ** 2 + R[0, 2] ** 2 + R[1, 2] ** 2 + p @ p / far
    return square, np.minimum(R[0, 0], R[1, 1]) > 0  # with these zero, R has ±1 on its diagonal


def _miss_of_pose(T: Pose, chain: Chain, scale: float, q: Sequence[Scalar], far: Scalar) -> Scalar:
    """Return how far the pose of q is from T, squared.

    Two slides need it: what one takes away from T the other gives back, and digits get lost.
    """
    columns = [ORIGIN, *np.eye(3, dtype=int)[:2]]
    for axis in reversed(chain.axes):
        at = placed(axis, q[axis.index], scale)
        columns = [moved(axis, at, v, k == 0) for k, v in enumerate(columns)]
    away, *turns = columns[0] - T.p, columns[1] - T.R[:, 0], columns[2] - T.R[:, 1]
    return away @ away / far + sum(turn @ turn for turn in turns)


def _rest_of_sum(
    last: ParallelTurns,
    at: dict[int, Position],
    chain: Chain,
    x: dict[int, Scalar],
    angles: _Angles,
    far: Scalar,
) -> Scalar:
    """Find the angle of the last joint, put it into x, and return how far all miss, squared."""
    T, axis = last.T, chain.axes[last.k]
    m = numbers(across(axis.h))
    image = T.R @ m
    rest = angles.of(axis.h @ cross(m, image), m @ image)
    others = [i for i in last.joints if i != last.k]
    for i in others:
        rest = rest - x[i] * number(axis.h @ chain.axes[i].h)
    x[last.k] = within_a_turn(rest) if others else rest
    if last.asked:
        point, direction = last.asked
        return at[point].off / far + at[direction].off
    start, end = axis.p, axis.p
    for i in others:
        if i > last.k:
            start = moved(chain.axes[i], at[i], start, True, back=True)
    for i in reversed(others):
        if i < last.k:
            end = moved(chain.axes[i], at[i], end, True)
    tilt, off = T.R @ axis.h - axis.h, T.R @ start + T.p - end
    return tilt @ tilt + off @ off / far


def within_a_turn(x: Scalar) -> Scalar:
    """Return the angle between −π and π that differs by whole turns, of one of a few turns."""
    return x - 2 * math.pi * np.floor(x * (0.5 / math.pi) + 0.5)


def _coordinate(axis: JointLine, x: Scalar, within: Within) -> tuple[Scalar, Scalar]:
    """Return the coordinate that puts a joint at x, and how far that is beyond the limits."""
    x = (x - axis.offset) / axis.ratio
    if axis.turns and axis.offset:
        x = within_a_turn(x * axis.ratio) / axis.ratio
    if within.lower is None or within.upper is None:
        return x, 0
    low, high = within.lower[axis.index], within.upper[axis.index]
    beyond = np.maximum(low - x, x - high)
    turn = 2 * math.pi / abs(axis.ratio)
    if axis.turns and math.isfinite(low) and (low > -turn / 2 or high < turn / 2):
        ahead = x - turn * np.floor((x - low + SLACK) / turn)  # the first copy beyond the lower
        inside = beyond <= SLACK
        beyond = np.minimum(beyond, np.maximum(low - ahead, ahead - high))
        x = select(inside, x, ahead)
    return x, beyond


def placed(axis: JointLine, q: Scalar, scale: float) -> Position:
    """Return where a coordinate puts its joint."""
    value = axis.ratio * q + axis.offset
    return Position.at(axis, *sincos(value), value / scale)


def _regular(X: Any, miss: Sequence[Scalar], lever: Sequence[Scalar]) -> Scalar:
    """Return 1 where nothing is left to be done for a pose, else 0."""
    first, second, third = X[:3, :3].T
    off: Scalar = 0
    lengths = first @ first - 1, second @ second - 1, first @ second
    for x in (*lengths, *(cross(first, second) - third), *X[3, :3], X[3, 3] - 1):
        off = off + x * x
    right = off <= RIGHT_ANGLES**2
    for far, clear in zip(miss, lever, strict=True):
        right = right * ((far <= TIGHT**2) + (far > NEAR**2)) * (clear > LOST)
    return right


class _Angles:
    """Angles of points, each recorded once; that of an opposite point is half a turn away."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, int], tuple[Recorded, Recorded, Scalar]] = {}

    def of(self, y: Scalar, x: Scalar) -> Scalar:
        """Return the angle of the point (x, y)."""
        if not (isinstance(y, Recorded) and isinstance(x, Recorded)):
            return atan2(y, x)
        key = y.number, x.number
        if key not in self.seen:
            self.seen[key] = y, x, atan2(y, x)
        other_y, other_x, angle = self.seen[key]
        if x.negative == other_x.negative:
            return angle if y.negative == other_y.negative else -angle
        if y.negative == other_y.negative:
            return atan2(y, x)
        return angle - select(angle > 0, math.pi, -math.pi)
