"""The equation of motion solved for accelerations, and carried to a frame, as exact quotients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.equations.closed_form import closed_form
from qddot.equations.exact_state import acting, carried
from qddot.equations.kinematic_terms import KinematicTerms
from qddot.equations.quotient import Quotient, adjugate, cancelled, determinant, short_enough
from qddot.errors import BadArgument
from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class SolvedTerms(KinematicTerms):
    """M⁻¹, q̈, and the dynamics of a frame: F = Λ ẍ + μ + p.

    All raise TooLarge where the quotient would be too long to be read.
    """

    @cached_property
    @closed_form("q", symbol="M^{-1}")
    def M_inv(self) -> Quotient:
        """The inverse of the mass matrix, adj M / det M."""
        with self._short("M⁻¹"):
            return cancelled(*self._inverted)

    @cached_property
    @closed_form("q", "qd", "tau", symbol=r"\ddot{q}")
    def qdd(self) -> Quotient:
        """The accelerations that torques tau1, tau2, ... produce: M⁻¹ (τ − c − g − ...).

        The Stribeck effect, which is no polynomial, is left out.
        """
        tau = acting(self.robot.ring, "tau")
        with self._short("The solution for q̈"):
            above, below = self._inverted
            rest = self.c + self.g + self.friction + self.springs
            ring = tau[0].ring
            return cancelled(
                carried(above, ring) @ (tau - carried(rest, ring)), carried(below, ring)
            )

    @closed_form("q", symbol=r"\Lambda")
    def effective_mass(
        self, frame: str, rows: Sequence[str] | None = None, axes: str = "world"
    ) -> Quotient:
        """Return the mass that a frame seems to have, Λ = (J M⁻¹ Jᵀ)⁻¹.

        With fewer rows than joints as with as many; then it is J⁻ᵀ M J⁻¹ (Khatib 1987; J. J. Craig,
        *Introduction to Robotics*, eq. 6.99).

        Args:
            frame: The name of a link or a frame.
            rows: Which rows of the Jacobian the task has: "wx", "wy", "wz", "vx", "vy", "vz". If
                not given, those of the linear velocity that are not zero, or all that are not.
            axes: Of the Jacobian: "world", "local" or "base", as in `jacobian`. ẍ is the derivative
                of J q̇ in these axes.
        """
        with self._short("The effective mass"):
            task = self._task(frame, rows, axes)
            return cancelled(task.mass, task.below)

    @closed_form("q", "qd", symbol=r"\mu")
    def effective_velocity_force(
        self, frame: str, rows: Sequence[str] | None = None, axes: str = "world"
    ) -> Quotient:
        """Return μ of F = Λ ẍ + μ + p: what velocities ask of a force at the frame.

        μ = J⁻ᵀ c − Λ J̇ q̇        with fewer rows than joints, Λ J M⁻¹ in the place of J⁻ᵀ
        """
        with self._short("μ"):
            task = self._task(frame, rows, axes)
            bend = np.asarray(self.jacobian_rate(frame, axes))[task.rows] @ self.robot.qd
            return cancelled(task.transposed @ np.asarray(self.c) - task.mass @ bend, task.below)

    @closed_form("q", symbol="p")
    def effective_gravity_force(
        self, frame: str, rows: Sequence[str] | None = None, axes: str = "world"
    ) -> Quotient:
        """Return p of F = Λ ẍ + μ + p: the force at the frame that outweighs gravity, J⁻ᵀ g."""
        with self._short("p"):
            task = self._task(frame, rows, axes)
            return cancelled(task.transposed @ np.asarray(self.g), task.below)

    # inside

    def _short(self, what: str) -> Any:
        return short_enough(what, self.robot.model.name)

    @cached_property
    def _inverted(self) -> tuple[np.ndarray, Scalar]:
        """adj M and det M."""
        M = np.asarray(self.M)
        below = determinant(M)
        if not below:
            raise BadArgument(
                "The mass matrix is singular at every position: something that moves has neither "
                "mass nor inertia.\n  Give every last link a mass, or its joint a rotor."
            )
        return adjugate(M), below

    def _task(self, frame: str, rows: Sequence[str] | None, axes: str) -> _Task:
        J, chosen = self._rows(frame, rows, axes, square=False)
        if len(chosen) == self.n:
            A, below = adjugate(J), determinant(J)
            mass, transposed = A.T @ np.asarray(self.M) @ A, below * A.T
            below = below * below
        else:
            above, of_M = self._inverted
            moving = J @ above
            B = moving @ J.T
            A, below = adjugate(B), determinant(B)
            mass, transposed = of_M * A, A @ moving
        if not below:
            raise BadArgument(
                f"These rows of the Jacobian of {frame!r} depend on each other at every position, "
                "so that its mass is infinite along some direction.\n  Choose fewer rows: rows=..."
            )
        return _Task(chosen, mass, transposed, below)


@dataclass(frozen=True, eq=False)
class _Task:
    """Rows of a frame's Jacobian, and what carries the dynamics to them, over one denominator."""

    rows: list[int]
    mass: np.ndarray  # Λ = mass / below
    transposed: np.ndarray  # J⁻ᵀ, or Λ J M⁻¹, = transposed / below
    below: Scalar
