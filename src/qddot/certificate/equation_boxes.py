"""Equations over many boxes at once: which boxes hold no solution, and how narrow the others get.

Over a box with middle c and half-widths r, for every solution q = c + δ of an equation

    0 = f(c) + Σ Jₖ δₖ + R + E        |R| ≤ ½ Σ Hₖₗ rₖ rₗ        |E| ≤ error

with Hₖₗ ≥ |∂²f/∂qₖ∂qₗ| anywhere, from the norms of its coefficients. So f and J at one point decide
about the box: it is thrown away if no δ in it can give 0, made narrower by each equation for each
of its joints, and by all equations at once with A ≈ J⁻¹ (as in `krawczyk`):

    δ ∈ −A f(c) ± ( |A| (R + E) + |A J − 1| r )

Roundings are bounded throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from qddot.certificate.pose_equations import PoseEquation
from qddot.certificate.rounding import U

ARITHMETIC = 256 * U  # rounding of sums of up to a hundred products, of the size of their terms
OUT = 1 + 1e-12


@dataclass
class Boxes:
    """Boxes by middles and half-widths, an array row per joint: shape (joints, count)."""

    middle: np.ndarray
    half: np.ndarray

    def __len__(self) -> int:
        return self.middle.shape[1]

    def take(self, which: np.ndarray | slice) -> Boxes:
        return Boxes(self.middle[:, which], self.half[:, which])

    @staticmethod
    def joined(parts: Sequence[Boxes]) -> Boxes:
        return Boxes(
            np.concatenate([part.middle for part in parts], axis=1),
            np.concatenate([part.half for part in parts], axis=1),
        )


@dataclass
class Contracted:
    """What one pass over boxes gives."""

    boxes: Boxes  # narrower
    may: np.ndarray  # whether each may hold a solution
    regular: np.ndarray  # whether it holds one at most, so that halving it would not help
    lean: np.ndarray  # how much each joint changes the equations over it, (joints, count)


class EquationSet:
    """Equations in some joints: their values and derivatives at points, and how they can curve."""

    def __init__(self, equations: Sequence[PoseEquation], joints: Sequence[int], turns: Sequence):
        self.joints, self.turns = list(joints), [turns[k] for k in joints]
        self.groups: dict[tuple[int, ...], list[PoseEquation]] = {}
        for equation in equations:
            at = tuple(self.joints.index(k) for k in equation.joints)
            self.groups.setdefault(at, []).append(equation)
        self.tables = [np.array([e.table for e in group]) for group in self.groups.values()]
        # values and derivatives are rounded: by so much over boxes no wider than a turn
        sizes = [np.abs(table).reshape(len(table), -1).sum(1) for table in self.tables]
        errors = [e.error for group in self.groups.values() for e in group]
        noise = ARITHMETIC * (1 + 4 * len(self.joints))
        self.error = np.array(errors) * OUT + noise * np.concatenate(sizes)

    @cached_property
    def H(self) -> np.ndarray:
        """Bounds of |∂²f/∂qₖ∂qₗ|, shape (equations, joints, joints)."""
        m, found = len(self.joints), []
        for at, table in zip(self.groups, self.tables, strict=True):
            turns = [self.turns[k] for k in at]
            H = np.zeros((len(table), m, m))
            for a, b in combinations_with_replacement(range(len(at)), 2):
                bound = _curvature(table, turns, a, b) * OUT
                H[:, at[a], at[b]] = H[:, at[b], at[a]] = bound
            found.append(H)
        return np.concatenate(found)

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return f and J at points: shapes (equations, count) and (equations, joints, count)."""
        bases = []
        for row, turns in zip(x, self.turns, strict=True):
            c, s = (np.cos(row), np.sin(row)) if turns else (row, row * row)
            bases.append((c, s, -s, c) if turns else (c, s, np.ones_like(row), 2 * row))
        values, slopes = [], []
        for at, table in zip(self.groups, self.tables, strict=True):
            V, G = table[..., None], {}
            for k in reversed(at):
                b1, b2, d1, d2 = bases[k]
                V0, V1, V2 = V[..., 0, :], V[..., 1, :], V[..., 2, :]
                G = {i: g[..., 0, :] + g[..., 1, :] * b1 + g[..., 2, :] * b2 for i, g in G.items()}
                G[k] = V1 * d1 + V2 * d2
                V = V0 + V1 * b1 + V2 * b2
            J = np.zeros((len(table), *x.shape))
            for k, g in G.items():
                J[:, k] = g
            values.append(np.broadcast_to(V, (len(table), x.shape[1])))
            slopes.append(J)
        return np.concatenate(values), np.concatenate(slopes)

    def contracted(self, boxes: Boxes) -> Contracted:
        """Return narrower boxes, and which of them may hold solutions."""
        c, r = boxes.middle, boxes.half
        f, J = self.at(c)
        m = len(c)
        squares = (r[:, None] * r[None]).reshape(m * m, -1)
        bend = 0.5 * (self.H.reshape(-1, m * m) @ squares) * OUT
        rest = (bend + self.error[:, None]) * OUT
        lean = np.abs(J) * r
        total = (lean.sum(1) + rest) * OUT
        may = (np.abs(f) <= total).all(0)
        low, high = -r, r.copy()
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            others = (total[:, None] - lean + ARITHMETIC * total[:, None]) / np.abs(J)
            centre = -f[:, None] / J
            others = (others + ARITHMETIC * np.abs(centre)) * OUT
            for sign, end in ((1, high), (-1, low)):
                bound = sign * centre + others
                bound = np.where(np.isfinite(bound), bound, np.inf).min(0)
                end[...] = sign * np.minimum(sign * end, bound)
        centre, spread, regular = self._solved(f, J, r, bend, rest)
        low, high = np.maximum(low, centre - spread), np.minimum(high, centre + spread)
        may &= (low <= high).all(0)
        ends = c + low, c + high
        middle = 0.5 * (ends[0] + ends[1])
        half = np.maximum(ends[1] - middle, middle - ends[0]) + 8 * U * (1 + np.abs(c) + r)
        return Contracted(Boxes(middle, half), may, regular, lean.max(0))

    def _solved(self, f: Any, J: Any, r: Any, bend: Any, rest: Any) -> tuple[Any, Any, Any]:
        """Return middle and half-width of δ by all equations at once, and where J is regular."""
        m, matrices = len(r), np.moveaxis(J, -1, 0)
        if len(matrices) <= 256:
            A = np.linalg.pinv(matrices, rcond=1e-14)
        else:
            T = np.swapaxes(matrices, 1, 2)
            normal = T @ matrices
            tiny = 1e-13 * np.trace(normal, axis1=1, axis2=2)[:, None, None] + 1e-200
            A = np.linalg.inv(normal + tiny * np.eye(m)) @ T
        A = np.where(np.isfinite(A), A, 0.0)
        size = np.abs(A)

        def times(B: np.ndarray, x: np.ndarray) -> np.ndarray:
            return (B @ x.T[..., None])[..., 0].T

        off = times(np.abs(A @ matrices - np.eye(m)), r)
        noise = rest + ARITHMETIC * (np.abs(f) + (np.abs(J) * r).sum(1))
        spread = (times(size, noise) + off) * OUT + ARITHMETIC * r
        return -times(A, f), spread, (times(size, bend) + off <= 0.5 * r).all(0)


def _curvature(table: np.ndarray, turns: Sequence[bool], a: int, b: int) -> np.ndarray:
    """Return bounds of |∂²f/∂q_a∂q_b| of equations, shape (equations,).

    f is a sum of products of unit vectors (cos, sin) with blocks of the table, each at most the
    Frobenius norm of its block.
    """
    for k in range(len(turns) - 1, -1, -1):
        order = (k == a) + (k == b)
        if turns[k]:
            norm = np.hypot(table[..., 1], table[..., 2])
            table = norm if order else norm + np.abs(table[..., 0])
        else:
            table = np.abs(table) @ np.array([[1, 1, 1], [0, 1, 2], [0, 0, 2]][order])
    return table
