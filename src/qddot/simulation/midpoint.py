"""The implicit midpoint rule, solved by Newton's method on the recorded Jacobian.

In canonical coordinates (q, p = M q̇) it is symplectic, so that the energy of an undamped robot
stays bounded (E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2006, §VI.4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qddot.dynamics.momentum import momentum
from qddot.model.tree import Tree
from qddot.program.differentiate import jacobian
from qddot.program.operations import less, less_equal, select
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.scalars import Scalar
from qddot.simulation.equation import Instant

Instants = Callable[[Any, Any], Instant]  # from t and (q, q̇, x)

# each squares the error of the guess, which is the middle of the step before; dry friction bends so
# sharply that it takes more
ITERATIONS, WITH_DRY_FRICTION = 4, 10
# the last change of the velocities, as a share of them, and at rest [rad/s or m/s]: the error
# after it is of the order of its square
SHARE, AT_REST = 1e-5, 1e-6


def residual(at: Callable[[Any, Any], Any], t: Scalar, h: Scalar, z: Any, middle: Any) -> Any:
    """Return what is missing for (q̇, x) to be those of the middle of a step.

    The rule, with the velocity q̇ of the middle as the unknown:

        q_m = q + h/2 q̇        M(q_m) q̇ = p + h/2 ṗ(q_m, q̇, x_m)        x_m = x + h/2 ẋ(q_m, q̇, x_m)
        q⁺ = q + h q̇            p⁺ = 2 M(q_m) q̇ − p                      x⁺ = 2 x_m − x
    """
    n = len(z) - len(middle)
    q, p, x, qd, x_m = z[:n], z[n : 2 * n], z[2 * n :], middle[:n], middle[n:]
    q_m = q + h / 2 * qd
    now = at(t + h / 2, np.concatenate([q_m, middle]))
    off = now.momentum - p - h / 2 * now.momentum_rate
    return np.concatenate([off, x_m - x - h / 2 * now.xd])


def ended(h: Scalar, z: Any, middle: Any, momentum: Any) -> tuple[Any, Any, Any]:
    """Return q, p and x a step later, from (q̇, x) and p in the middle."""
    n = len(z) - len(middle)
    q, p, x, qd, x_m = z[:n], z[n : 2 * n], z[2 * n :], middle[:n], middle[n:]
    return q + h * qd, 2 * momentum - p, 2 * x_m - x


def advanced(tree: Tree, h: Scalar, z: Any, middle: Any, change: Scalar) -> Any:
    """Return the state a step later; not finite where the middle was not found."""
    n = tree.n
    found = less_equal(change, SHARE**2 * (middle @ middle) + AT_REST**2)  # 1, or 0 to divide by
    p_m = momentum(tree, z[:n] + h / 2 * middle[:n], middle[:n])
    q, p, x = ended(h, z, middle, p_m)
    return np.concatenate([q, p / found, x])


class Newton:
    """Newton's step for the middle, of a system: residual and Jacobian as programs, to replay."""

    def __init__(
        self,
        instants: Callable[[Any, Any], Instants],
        n: int,
        m: int,
        inputs: dict[str, tuple[int, ...]],
    ) -> None:
        """Record the residual; `instants` are given constants and torques.

        There are n joints, and m numbers in the law's own state; a step is made of `inputs`.
        """
        self.size = size = 2 * n + m
        self.dry: tuple[int, ...] = ()
        self.rubs = False

        def missing(middle: Any, state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
            at = instants(constants, given)
            tree = at(t, state[:size]).tree
            self.dry = tuple(i for i, each in enumerate(tree.friction) if each.is_dry)
            self.rubs = any(shaft.friction.is_dry for shaft in tree.shafts)
            return residual(at, t, h, state[:size], middle)

        unknown = {"middle": (n + m,)}
        self.residual = record(missing, "midpoint", **unknown, **inputs)
        self.jacobian = jacobian(self.residual, ["middle"])

    def better(self, state: Any, *more: Any) -> tuple[Any, Scalar]:
        """Return a better middle, and the square of its change.

        Where dry friction would have a velocity change its sign it is zero at first: from there
        Newton's method comes near from one side, as tanh bends but one way.
        """
        middle = state[self.size : -1]
        entries = [e for x in (middle, state, *more) for e in np.atleast_1d(x)]
        missing, J = results(self.residual, entries), results(self.jacobian, entries)
        better = middle - solved(J.reshape(len(missing), -1), missing)
        for i in self.dry:
            better[i] = select(less(better[i] * middle[i], 0), 0, better[i])
        change = better - middle
        return better, change @ change

    @property
    def iterations(self) -> int:
        return WITH_DRY_FRICTION if self.rubs else ITERATIONS


def results(program: Program, entries: list[Scalar]) -> np.ndarray:
    """Return the outputs of a program on scalars of any kind, one after the other."""
    return np.array(program.results_at(entries), dtype=object)


def solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return A⁻¹ b, eliminated from the last to the first so that zeros of branches stay zero.

    Without exchanging rows: A is a mass matrix and what a short step adds to it.
    """
    n = len(b)
    A, b = A.copy(), b.copy()
    for k in reversed(range(n)):
        for i in range(k):
            share = A[i, k] / A[k, k]
            A[i, :k] = A[i, :k] - share * A[k, :k]
            b[i] = b[i] - share * b[k]
    for k in range(n):
        b[k] = (b[k] - A[k, :k] @ b[:k]) / A[k, k]
    return b
