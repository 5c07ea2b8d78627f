"""The step of the numeric solver: nearer to a pose, within the limits, and nearer to where one was.

With e what is missing of the pose, J its Jacobian, both weighted, and d = near − q, a step solves
the nearest point of the linearised problem, min Σ w (q + Δ − near)² where J Δ = e, damped by the
error (T. Sugihara, IEEE Transactions on Robotics 27(5), 2011):

    Δ = γ d + W⁻¹ Jᵀ y,    (J W⁻¹ Jᵀ + λ 1) y = e − γ J d,    λ = |e|²/10

so that it is Newton's step near a solution, and a short one where J is singular. Where the pose is
out of reach, |e| stays, the curvature of the arm counts, and λ gets κ |e| more. γ is 0 where the
pose is far or the search ends: without it the step goes to the pose alone. A joint that stands at a
limit and would be pushed beyond it is left out of J, and comes back when y pulls it inside again:
the active set of the limits, which is kept from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Any

import numpy as np

from qddot.dynamics.forward import solve
from qddot.dynamics.kinematics import jacobian, path, pose
from qddot.kinematics.poses import straightened
from qddot.model.tree import Tree
from qddot.program.blocks import Block
from qddot.program.optimise import optimised
from qddot.program.program import Iteration, Program, Stage
from qddot.program.recorder import record
from qddot.scalars import Scalar, Vec3, floor, sqrt
from qddot.spatial.pose import Pose
from qddot.spatial.vector import cross

TARGET = 12  # numbers of a pose: R row by row, then p
DAMPING = 0.1  # λ in parts of |e|²
LEAST_DAMPING = 1e-14
PULLED = 1e-2  # |e|² below which it pulls wholly
LENGTH = 0.35  # [m] that counts as much as a radian, of an arm that reaches a metre
OPPOSITE = 1e-4  # least 1 + cos θ of a turn that is told from half a turn
# what of a pose is to be matched, and how many numbers that is
AXES = ("x", "y", "z")
MATCHES = {"pose": 6, "position": 3, "rotation": 3, **dict.fromkeys(AXES, 5)}


@dataclass(frozen=True)
class PoseTask:
    """What a frame of a robot is to do, and how far its joints may go."""

    tree: Tree
    frame: str
    match: str  # one of `MATCHES`
    weights: tuple[float, ...]  # (6,) of turns about and distances along base axes; 0: free
    joint_weights: tuple[float, ...]  # (n,), w in Σ w (q − near)²
    lower: tuple[float, ...]  # (n,) [rad or m]
    upper: tuple[float, ...]
    reach: float  # [m], about how far the frame gets from the base

    @cached_property
    def joints(self) -> list[int]:
        """Which entries of q carry the frame."""
        carrying = path(self.tree, self.tree.frame(self.frame)[0])
        return sorted({self.tree.drives[i].index for i in carrying})

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The limits as arrays, (n,)."""
        return np.array(self.lower), np.array(self.upper)

    @cached_property
    def turning(self) -> np.ndarray:
        """Which of these joints come back to where they were after a whole turn within limits."""
        room = np.subtract(self.upper, self.lower) >= 2 * pi
        return self.angles & room[self.joints]

    @cached_property
    def angles(self) -> np.ndarray:
        """Which of these joints come back to where they were after a whole turn."""
        again = np.ones(self.tree.n, dtype=bool)
        for body, drive in zip(self.tree.bodies, self.tree.drives, strict=True):
            alone = body.joint.configuration[0].role in ("angle", "spin")
            again[drive.index] &= alone and float(drive.ratio).is_integer()
        return again[self.joints]

    @property
    def redundant(self) -> bool:
        """Whether there are more joints than numbers to match."""
        free = sum(w == 0 for w in self.rows)
        return len(self.joints) > MATCHES[self.match] - free

    @property
    def rows(self) -> list[float]:
        """The weights that count, in parts that make a radian and a length comparable."""
        scaled = [w / (1 if i < 3 else LENGTH * self.reach) for i, w in enumerate(self.weights)]
        turns = 0 if self.match == "position" else 1
        moves = 0 if self.match == "rotation" else 1
        return [w * (turns if i < 3 else moves) for i, w in enumerate(scaled)]

    def iteration(self) -> Iteration:
        """Return the search as a loop; a step is given γ and the damping of a pose out of reach.

        The state is q of `joints` and 1 where a joint is free, 0 where a limit holds it; constants
        are the pose and `near`. It keeps q, and the squares of what is missing [rad², m²] and of
        the distance from `near`.
        """
        m, name = len(self.joints), f"inverse kinematics of {self.frame}"
        always = {"state": (2 * m,), "constants": (TARGET + m,)}
        each = {**always, "given": (2,), "t": (), "h": ()}
        same = record(lambda state, constants: state, name, **always)
        stage = Stage(optimised(record(self._step, name, **each)))
        return Iteration(name, same, (stage,), optimised(record(self._kept, name, **always)))

    def alone(self, pulls: Sequence[float]) -> Program:
        """Return one search from `near` as a program, its steps a block that is called.

        It takes X (4, 4) and `near` (n,), brought within the limits, and gives q (n,) and four
        numbers: the three squares that the loop keeps, and how far X is from a pose, which is
        infinite where `near` is not finite.
        """
        m, name = len(self.joints), f"one search for {self.frame}"
        shapes = {"state": (2 * m,), "constants": (TARGET + m,), "given": (2,), "t": (), "h": ()}
        step = Block(optimised(record(self._step, f"step of {self.frame}", **shapes)))

        def search(X: Any, near: Any) -> dict[str, Any]:
            pose, off = straightened(X)
            off = off + np.where(abs(sum(near)) < np.inf, 0.0, np.inf)
            near = np.minimum(np.maximum(near, self.lower), self.upper)
            constants = np.concatenate([pose, near[self.joints]])
            state = np.concatenate([near[self.joints], np.ones(m)])
            for pull in pulls:
                state = step(state, constants, np.array([pull, 0.0]), 0.0, 1.0)
            kept = self._kept(state, constants)
            q = [near[k] for k in range(self.tree.n)]
            for k, found in zip(self.joints, kept["q"], strict=True):
                q[k] = found
            return {"q": q, "numbers": [*kept["squares"], off]}

        return record(search, name, X=(4, 4), near=(self.tree.n,))

    def _step(self, state: Any, constants: Any, given: Any, t: Any, h: Any) -> np.ndarray:
        m = len(self.joints)
        q, free, near = state[:m], state[m:], constants[TARGET:]
        e, J = self.missing(q, constants)
        square = e @ e
        apart = near - q
        for k in np.flatnonzero(self.turning):
            apart[k] = within_half_a_turn(apart[k])
        pull = given[0] * np.minimum(1.0, PULLED / (square + 1e-30))
        along = apart * pull if self.redundant else np.zeros(m, dtype=int)
        weight = np.array([self.joint_weights[k] for k in self.joints])
        Jw = J * free / weight
        damping = DAMPING * square + given[1] * sqrt(square) + LEAST_DAMPING
        S = Jw @ J.T + damping * np.eye(len(e), dtype=int)
        y = solve(S, e - J @ (along * free))
        wanted = q + along + (J.T @ y) / weight
        moved, held = [], []
        for k, i in enumerate(self.joints):
            low, high = self.lower[i], self.upper[i]
            there = np.where(free[k], wanted[k], q[k])
            moved.append(np.minimum(np.maximum(there, low), high))
            below, above = wanted[k] < low, wanted[k] > high
            held.append(1 - below * (moved[k] <= low) - above * (moved[k] >= high))
        return np.array([*moved, *held], dtype=object)

    def _kept(self, state: Any, constants: Any) -> dict[str, Any]:
        """Return q, within limits as near as whole turns let it be, and its three squares."""
        m = len(self.joints)
        q, near = list(state[:m]), constants[TARGET:]
        turn, away = self._unweighted(q, constants)
        far: Scalar = 0
        for k, i in enumerate(self.joints):
            if self.turning[k]:
                q[k] = self._turned_back(q[k], near[k], self.lower[i], self.upper[i])
            far = far + self.joint_weights[i] * (q[k] - near[k]) * (q[k] - near[k])
        counts = np.array([w > 0 for w in self.rows]) * 1
        turns, away = self._turn_squares(state[:m], constants, turn) @ counts[:3], away * counts[3:]
        return {"q": q, "squares": [turns, away @ away, far]}

    def _turn_squares(self, q: Any, constants: Any, turn: Vec3) -> np.ndarray:
        """Return the squares of the turn's three numbers.

        Half a turn about n leaves 0 there, for lack of a direction; with D the turn as a matrix and
        θ its angle they are 4 sin²(θ/2) nᵢ² = 2 (Dᵢᵢ − cos θ). An axis may turn round about any n
        across it.
        """
        R, at = constants[:9].reshape(3, 3), pose(self.tree, self._all_joints(q), self.frame).R
        if self.match in AXES:
            k = AXES.index(self.match)
            cosine, along = at[:, k] @ R[:, k], at[:, k] * R[:, k]
            squares = 2 * (1 + along)
        else:
            along = (at * R).sum(axis=1)
            cosine = (along.sum() - 1) / 2
            squares = 2 * (along - cosine)
        opposite, pairs = 1 + cosine < OPPOSITE, zip(squares, turn, strict=True)
        return np.array([np.where(opposite, s, x * x) for s, x in pairs], dtype=object)

    @staticmethod
    def _turned_back(q: Scalar, near: Scalar, low: float, high: float) -> Scalar:
        """Return the angle that is q by whole turns, within limits, and nearest to another."""
        there = near + within_half_a_turn(q - near)
        there = there - np.where(there > high, 2 * pi, 0.0) + np.where(there < low, 2 * pi, 0.0)
        return np.where((there > high) + (there < low), q, there)

    def missing(self, q: Any, constants: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return e and J of the rows that count, weighted."""
        J = self.weighted(jacobian(self.tree, self._all_joints(q), self.frame), constants)
        turn, away = self._unweighted(q, constants)
        rows = [i for i, w in enumerate(self.rows) if w]
        e = np.concatenate([turn, away])[rows] * np.array([self.rows[i] for i in rows])
        return e, J[:, self.joints]

    def weighted(self, velocities: Any, constants: Any) -> np.ndarray:
        """Return the rows that count of velocities of the frame, (6, k), weighted."""
        if self.match in AXES:  # a turn about the axis changes nothing
            axis, turns = constants[:9].reshape(3, 3)[:, AXES.index(self.match)], velocities[:3]
            velocities = np.concatenate([turns - np.outer(axis, axis @ turns), velocities[3:]])
        rows = [i for i, w in enumerate(self.rows) if w]
        return velocities[rows] * np.array([self.rows[i] for i in rows])[:, None]

    def _unweighted(self, q: Any, constants: Any) -> tuple[Vec3, Vec3]:
        """Return the turn [rad] and the distance [m] that lead to the pose, in base axes.

        A turn by θ has the size 2 sin(θ/2) there, which is θ where it is small.
        """
        R, p = constants[:9].reshape(3, 3), constants[9:TARGET]
        X: Pose = pose(self.tree, self._all_joints(q), self.frame)
        if self.match in AXES:
            k = AXES.index(self.match)
            axis, cosine = cross(X.R[:, k], R[:, k]), X.R[:, k] @ R[:, k]
        else:
            axis = sum(cross(X.R[:, k], R[:, k]) for k in range(3)) / 2
            cosine = (sum(X.R[:, k] @ R[:, k] for k in range(3)) - 1) / 2
        return axis * sqrt(2 / np.maximum(1 + cosine, OPPOSITE)), p - X.p

    def _all_joints(self, q: Any) -> np.ndarray:
        full = np.zeros(self.tree.n, dtype=object)
        full[self.joints] = q
        return full


def within_half_a_turn(angle: Scalar) -> Scalar:
    """Return the angle between −π and π that differs by whole turns."""
    return angle - 2 * pi * floor(angle / (2 * pi) + 0.5)
