"""Equations that every solution of an inverse kinematics problem meets, with few joints in each.

Cut the loop X = A₀ E₁ A₁ … Eₘ Aₘ before joint i and behind joint j:

    Eᵢ M Eⱼ = N        M = Aᵢ Eᵢ₊₁ … Aⱼ₋₁        N = (A₀ E₁ … Aᵢ₋₁)⁻¹ X (Aⱼ Eⱼ₊₁ … Aₘ)⁻¹

Both joints turn about z, so neither changes five numbers of a pose with position p and third axis
w:

    w_z        p_z        p·w        |p|²        (p × w)_z

Those of M and of N are equal: five equations without qᵢ and qⱼ, for each pair of joints
(M. Raghavan, B. Roth, *Inverse kinematics of the general 6R manipulator*, J. Mech. Design, 1993).
p may be any point on axis j seen from any point on axis i; where axes meet, the point where they do
leaves further joints out. Whether it does is not assumed: what is left of a joint goes into the
error of the equation.

**An equation** is of degree one in cos qₖ and sin qₖ of each joint that turns, of degree two in qₖ
of one that slides, because E is rigid: |a + E b|² = |a|² + |b|² + 2 a·E b. So three values of each
joint determine it: it is a table of 3 × 3 × … coefficients, found from floats at 3ᵏ points. For
every pose within ε of X, and all rounding included, |f(q)| ≤ error.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from qddot.certificate.rounding import U
from qddot.certificate.serial_chain import SerialChain

LEBESGUE = 5 / 3  # how much larger than its three values a function of one joint can be
ROOM = 32 * U  # rounding of one product of poses and of its factors, per unit of size
DROPPED = 1e-13  # what counts as no dependence on a joint, of the size of an equation
# from the values at 0, 2π/3 and −2π/3 to the coefficients of 1, cos, sin
TURN = np.array([[1, 1, 1], [2, -1, -1], [0, np.sqrt(3), -np.sqrt(3)]]) / 3
# from those at 0, 1 and −1 to the coefficients of 1, x, x²
SLIDE = np.array([[1, 0, 0], [0, 0.5, -0.5], [-1, 0.5, 0.5]])


@dataclass(frozen=True)
class PoseEquation:
    """f(q) = 0 within an error: coefficients of 1, cos, sin (of 1, x, x²) of each of its joints."""

    table: np.ndarray  # shape (3, 3, ...), an axis per joint
    joints: tuple[int, ...]
    error: float

    def scaled(self) -> PoseEquation:
        """Return the same equation with coefficients about 1."""
        size = float(np.abs(self.table).sum() - abs(self.table[(0,) * self.table.ndim]))
        return PoseEquation(self.table / size, self.joints, self.error / size * (1 + 4 * U))


@dataclass(frozen=True)
class Ranges:
    """Where the joints of a chain are looked for; a slide is middle + half · x, |x| ≤ 1."""

    middle: np.ndarray
    half: np.ndarray


class PoseEquations:
    """The equations of one pose.

    Args:
        chain: The joints.
        X: The pose, shape (4, 4).
        within: By how much any entry of the poses meant may differ from X's.
        position: Whether the position alone is asked for.
        slides: The ranges of the joints.
    """

    def __init__(
        self, chain: SerialChain, X: np.ndarray, within: float, position: bool, slides: Ranges
    ):
        self.chain, self.X, self.within, self.position = chain, X, within, position
        self.A, self.m = chain.poses, chain.m
        self.nodes = [
            _nodes(t, slides.middle[k], slides.half[k]) for k, t in enumerate(chain.turns)
        ]
        far = np.where(chain.turns, 0.0, np.abs(slides.middle) + np.abs(slides.half))
        self.reach = (chain.length + float(far.sum()) + float(np.linalg.norm(X[:3, 3]))) * 1.001

    def all(self) -> list[PoseEquation]:
        """Return every equation; those without a joint too."""
        turning = [k for k in range(self.m) if self.chain.turns[k]]
        pairs = [(i, self.m) for i in turning] if self.position else combinations(turning, 2)
        found = [equation for i, j in pairs for equation in self._of_pair(i, j)]
        # the five numbers of the only pair of turns have neither of the two in them
        return found + (self._entries() if self.m <= 4 or len(turning) <= 2 else [])

    def _entries(self) -> list[PoseEquation]:
        """Return the equations of all entries of the pose, which have every joint in them."""
        values = self._product([(None, self.A[0]), *self._forward(0, self.m)])[0]
        difference = values - self.X
        rows = [(i, j) for i in range(3) for j in range(4) if j == 3 or not self.position]
        size = {3: 1 + self.reach}
        rounding = (2 * self.m + 4) * ROOM
        joints = tuple(range(self.m))
        return [
            self._trimmed(
                self._table(difference[..., i, j], joints),
                joints,
                LEBESGUE**self.m * (self.within + rounding * size.get(j, 1.0))
                + _noise(self.m) * size.get(j, 1.0),
                size.get(j, 1.0),
            )
            for i, j in rows
        ]

    def _forward(self, first: int, last: int) -> list[tuple[int | None, np.ndarray]]:
        """Return the factors E A of some joints."""
        pairs = [((k, self.nodes[k]), (None, self.A[k + 1])) for k in range(first, last)]
        return [factor for pair in pairs for factor in pair]

    def _product(self, factors: list) -> tuple[np.ndarray, tuple[int, ...]]:
        """Return the product at the nodes of all joints in it, an axis per joint in order."""
        P, joints = np.eye(4), []
        for joint, factor in factors:
            P = P @ factor if joint is None else P[..., None, :, :] @ factor
            joints += [] if joint is None else [joint]
        order = np.argsort(joints)
        axes = [*order, len(joints), len(joints) + 1]
        return np.transpose(P, axes), tuple(sorted(joints))

    def _table(self, values: np.ndarray, joints: tuple[int, ...]) -> np.ndarray:
        for axis, k in enumerate(joints):
            change = TURN if self.chain.turns[k] else SLIDE
            values = np.moveaxis(np.tensordot(change, values, (1, axis)), 0, axis)
        return values

    def _of_pair(self, i: int, j: int) -> list[PoseEquation]:
        """Return the equations without joints i and j."""
        inner = [(None, self.A[i + 1]), *self._forward(i + 1, min(j, self.m))]
        left = [(None, _inverse(self.A[i]))]
        for k in range(i - 1, -1, -1):
            left += [(k, _inverse(self.nodes[k])), (None, _inverse(self.A[k]))]
        right = [] if j == self.m else [(None, _inverse(self.A[self.m]))]
        for k in range(self.m - 1, j, -1):
            right += [(k, _inverse(self.nodes[k])), (None, _inverse(self.A[k]))]
        sides = [(inner, 0.0), ([*left, (None, self.X), *right], self.within)]
        found = [self._invariants(*side) for side in sides]
        equations = []
        for choices in self._choices(i, j):
            options = [self._difference(found, weights) for weights in choices]
            equations.append(min(options, key=lambda equation: len(equation.joints)))
        return equations

    def _invariants(self, factors: list, within: float) -> tuple[np.ndarray, tuple, np.ndarray]:
        """Return 1, w_z, p_z, p·w, |p|², (p × w)_z as tables, their joints, and their errors."""
        P, joints = self._product(factors)
        p, w = P[..., :3, 3], 0 * P[..., :3, 2] if self.position else P[..., :3, 2]
        values = [
            w[..., 2],
            p[..., 2],
            (p * w).sum(-1),
            (p * p).sum(-1),
            p[..., 0] * w[..., 1] - p[..., 1] * w[..., 0],
        ]
        far, rounding = self.reach, len(factors) * ROOM
        turned = rounding + 3 * within
        moved = rounding * (1 + far) + within * (3 * far + 2)
        across = moved * (1 + turned) + far * turned + ROOM * far
        squared = 2 * far * moved + moved**2 + ROOM * far**2
        errors = np.array([0.0, turned, moved, across, squared, 2 * across])
        ones = np.zeros((3,) * len(joints))
        ones[(0,) * len(joints)] = 1.0
        tables = np.array([ones, *(self._table(v, joints) for v in values)])
        sizes = np.array([0, 1, far, far, far**2, far])
        noise = _noise(len(joints)) * sizes
        return tables, joints, 1.01 * LEBESGUE ** len(joints) * errors + noise

    def _choices(self, i: int, j: int) -> list[list[np.ndarray]]:
        """Return, of each equation, weights of the six numbers for every choice of points.

        p + t w − s e_z is seen from s on axis i to t on axis j.
        """
        S, T = self._feet(i), [0.0] if j == self.m else self._feet(j)
        height = [np.array([-s, t, 1, 0, 0, 0]) for t in T for s in S[:1]]
        along = [np.array([t, -s, 0, 1, 0, 0]) for s in S for t in T[:1]]
        square = [np.array([s * s + t * t, -2 * s * t, -2 * s, 2 * t, 1, 0]) for s in S for t in T]
        if self.position:
            return [height, square]
        return [[np.eye(6)[1]], height, along, square, [np.eye(6)[5]]]

    def _feet(self, k: int) -> list[float]:
        """Return where an axis is nearest to the axes before and behind it: heights on it."""
        found = []
        if k + 1 < self.m:
            found.append(_foot(self.A[k + 1]))
        if k > 0:
            found.append(_foot(_inverse(self.A[k])))
        near = [x for x in found if x is not None and abs(x) < 4 * (1 + self.reach)]
        return list(dict.fromkeys(near)) or [0.0]

    def _difference(self, found: list, weights: np.ndarray) -> PoseEquation:
        """Return the equation that a combination of numbers is the same on both sides."""
        size = float(np.abs(weights) @ [1, 1, self.reach, self.reach, self.reach**2, self.reach])
        parts = []
        for tables, joints, errors in found:
            error = float(np.abs(weights) @ errors) * 1.01 + _noise(len(joints)) * size
            table = np.tensordot(weights, tables, (0, 0))
            parts.append(self._trimmed(table, joints, error, size))
        joints = tuple(sorted({k for part in parts for k in part.joints}))
        whole = np.zeros((3,) * len(joints))
        for sign, part in zip((1, -1), parts, strict=True):
            place = tuple(slice(None) if k in part.joints else 0 for k in joints)
            whole[place] += sign * part.table
        return PoseEquation(whole, joints, sum(part.error for part in parts) + ROOM * size)

    def _trimmed(self, table: Any, joints: tuple, error: float, size: float) -> PoseEquation:
        """Return the equation without joints that it hardly depends on."""
        for axis in range(len(joints) - 1, -1, -1):
            rest = float(np.abs(np.take(table, (1, 2), axis)).sum())
            if rest <= DROPPED * size * 3 ** (table.ndim - 1):
                table, error = np.take(table, 0, axis), error + rest * 1.001
                joints = (*joints[:axis], *joints[axis + 1 :])
        return PoseEquation(table, joints, error)


def _noise(k: int) -> float:
    """Return what rounding can add to a function by making a table of its values, per unit of size.

    Coefficients are sums of three values for each of k joints, the weights of one value at most
    1.25 in sum, and there are 3ᵏ values.
    """
    return 16 * U * (k + 1) * 3.8**k


def _nodes(turns: bool, middle: float, half: float) -> np.ndarray:
    """Return E of a joint at its three nodes, shape (3, 4, 4)."""
    E = np.tile(np.eye(4), (3, 1, 1))
    if not turns:
        E[:, 2, 3] = middle + half * np.array([0, 1, -1])
        return E
    c, s = np.array([1, -0.5, -0.5]), np.array([0, 1, -1]) * np.sqrt(3) / 2
    E[:, 0, 0] = E[:, 1, 1] = c
    E[:, 1, 0], E[:, 0, 1] = s, -s
    return E


def _inverse(X: np.ndarray) -> np.ndarray:
    """Return the inverses of poses, shape (..., 4, 4)."""
    Y = X.copy()
    Y[..., :3, :3] = np.swapaxes(X[..., :3, :3], -1, -2)
    Y[..., :3, 3] = -(Y[..., :3, :3] @ X[..., :3, 3, None])[..., 0]
    return Y


def _foot(A: np.ndarray) -> float | None:
    """Return where the z axis is nearest to the z axis of a pose; None if they are parallel."""
    p, w = A[:3, 3], A[:3, 2]
    across = 1 - w[2] ** 2
    return float((p[2] - w[2] * (p @ w)) / across) if across > 1e-6 else None
