"""The terms of the equation of motion, and the matrices that its textbooks make of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.dynamics.energy import potential_energy
from qddot.dynamics.friction import with_friction_laws
from qddot.dynamics.regressor import parameters, regressor
from qddot.dynamics.rnea import elastic_torque
from qddot.equations.closed_form import ClosedForms, closed_form
from qddot.equations.exact_state import at_state, carried
from qddot.equations.polynomial import Polynomial, partial
from qddot.formulations.coriolis import coupling, mass_rate, skew_part
from qddot.formulations.derivation import Derivation
from qddot.model.friction import Friction
from qddot.model.tree import Tree
from qddot.scalars import JointMat, JointVec, Scalar


@dataclass(frozen=True, eq=False)
class TorqueTerms(ClosedForms):
    """τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + friction + springs, term by term."""

    derivation: Derivation

    @cached_property
    @closed_form("q", symbol="M")
    def M(self) -> JointMat:
        """The mass matrix, rotor inertia included."""
        return self.derivation.M

    @cached_property
    @closed_form("q", "qd", symbol="C")
    def C(self) -> JointMat:
        """The Christoffel Coriolis matrix, C_kj = Σ_i Γ_kij q̇ᵢ."""
        return np.einsum("kij,i->kj", self.gamma, self.robot.qd)

    @cached_property
    @closed_form("q", "qd", symbol="c")
    def c(self) -> JointVec:
        """Centrifugal and Coriolis torques."""
        return self.derivation.c

    @cached_property
    @closed_form("q", symbol="g")
    def g(self) -> JointVec:
        """Gravity torques."""
        return self.derivation.g

    @cached_property
    @closed_form("q", "qd", "qdd", symbol=r"\tau")
    def tau(self) -> JointVec:
        """The torques: all terms together."""
        return self.derivation.torque(self.robot.qdd) + self.friction + self.springs

    @cached_property
    @closed_form("q", "qd")
    def friction(self) -> JointVec:
        """Viscous and Coulomb friction and offsets: Fᵥ q̇ + Fₛ sgn(q̇) + f₀.

        The Stribeck effect, which is no polynomial, is left out, and so is dry friction of motors
        that several joints share, which has the sign of a sum.
        """
        tree, qd = self.robot.tree, self.robot.qd
        parts = zip(tree.friction, qd, strict=True)
        tau = np.array([law.steady.torque(v) for law, v in parts], dtype=object)
        for shaft in tree.shared:
            tau = tau + shaft.torques(shaft.friction.polynomial.torque(shaft.speed(qd)))
        return tau

    @cached_property
    @closed_form("q", "qd")
    def springs(self) -> JointVec:
        """The torque of springs and dampers."""
        return elastic_torque(self.robot.tree, self.robot.q, self.robot.qd)

    # the slopes of M, and what velocities make of them

    @cached_property
    @closed_form("q", symbol=r"\partial M")
    def M_slopes(self) -> np.ndarray:
        """The slopes of M, with the coordinate first: M_slopes[k, i, j] = ∂M_ij/∂q_k."""
        slopes = np.empty((self.n,) * 3, dtype=object)
        for k, i, j in np.ndindex(slopes.shape):
            slopes[k, i, j] = slopes[k, j, i] if j < i else partial(self.M[i, j], "q", k)
        return slopes

    @cached_property
    @closed_form("q", symbol=r"\Gamma")
    def gamma(self) -> np.ndarray:
        """The Christoffel symbols, output index first: c_k = Σ Γ_kij q̇ᵢ q̇ⱼ.

        From the slopes of M:

            Γ_kij = ½ (∂_i M_kj + ∂_j M_ki − ∂_k M_ij)
        """
        D = self.M_slopes
        symbols = np.empty((self.n,) * 3, dtype=object)
        for k, i, j in np.ndindex(symbols.shape):
            total = D[i, k, j] + D[j, k, i] - D[k, i, j]
            symbols[k, i, j] = symbols[k, j, i] if j < i else total / 2
        return symbols

    @cached_property
    @closed_form("q", symbol="h")
    def h(self) -> np.ndarray:
        """Velocity factors that are not symmetric: c_k = Σ h_kji q̇ⱼ q̇ᵢ, as h[k, j, i].

        Straight from Lagrange's equation; Γ is their symmetric part:

            h_kji = ∂M_kj/∂q_i − ½ ∂M_ij/∂q_k
        """
        D = self.M_slopes
        return np.einsum("ikj->kji", D) - np.einsum("kij->kji", D) / 2

    @cached_property
    @closed_form("q", symbol="C")
    def centrifugal(self) -> JointMat:
        """The matrix C(q) of c = C(q) [q̇²] + B(q) [q̇ᵢq̇ⱼ]."""
        return np.einsum("kii->ki", self.gamma)

    @cached_property
    @closed_form("q", symbol="B")
    def coriolis(self) -> np.ndarray:
        """The matrix B(q) of c = C(q) [q̇²] + B(q) [q̇ᵢq̇ⱼ], columns 12, 13, ..., 23, ..."""
        i, j = np.triu_indices(self.n, 1)
        return 2 * self.gamma[:, i, j]

    @cached_property
    @closed_form("q", "qd", symbol=r"\dot{M}")
    def M_rate(self) -> JointMat:
        """Ṁ = Σ_k ∂M/∂q_k q̇_k, which is (q̇ᵀ ⊗ E) ∂M/∂q."""
        return mass_rate(np.asarray(self.M_slopes), self.robot.qd)

    @cached_property
    @closed_form("q", "qd", symbol="U")
    def U(self) -> JointMat:
        """U = (E ⊗ q̇ᵀ) ∂M/∂q: its row k is q̇ᵀ ∂M/∂q_k, and ∂K/∂q = ½ U q̇."""
        return coupling(np.asarray(self.M_slopes), self.robot.qd)

    @cached_property
    @closed_form("q", "qd", symbol="S")
    def S(self) -> JointMat:
        """The skew part of C: S = ½ (Uᵀ − U), and C = ½ Ṁ + S."""
        return skew_part(self.U)

    @cached_property
    @closed_form("q", "qd", symbol="N")
    def N(self) -> JointMat:
        """N = Ṁ − 2C, which is skew: no power is in c that is not in ½ q̇ᵀ Ṁ q̇."""
        return self.M_rate - 2 * self.C

    @cached_property
    @closed_form("q", symbol=r"\frac{\partial M}{\partial q}")
    def M_stacked(self) -> np.ndarray:
        """∂M/∂q as one matrix, ∂M/∂q_1 above ∂M/∂q_2 and so on, shape (n², n)."""
        return self.M_slopes.reshape(self.n * self.n, self.n)

    @cached_property
    @closed_form("qd", symbol=r"\dot{q}^{T} \otimes E")
    def qd_kron_E(self) -> np.ndarray:
        """The Kronecker product q̇ᵀ ⊗ E, shape (n, n²): Ṁ = (q̇ᵀ ⊗ E) ∂M/∂q."""
        return np.kron(self.robot.qd, np.eye(self.n, dtype=int).astype(object))

    @cached_property
    @closed_form("qd", symbol=r"E \otimes \dot{q}^{T}")
    def E_kron_qd(self) -> np.ndarray:
        """The Kronecker product E ⊗ q̇ᵀ, shape (n, n²): U = (E ⊗ q̇ᵀ) ∂M/∂q."""
        return np.kron(np.eye(self.n, dtype=int).astype(object), self.robot.qd)

    # energies

    @cached_property
    @closed_form("q", "qd", symbol="K")
    def K(self) -> Scalar:
        """The kinetic energy, ½ q̇ᵀ M q̇."""
        return self.robot.qd @ np.asarray(self.M) @ self.robot.qd / 2

    @cached_property
    @closed_form("q", symbol="P")
    def P(self) -> Scalar:
        """The potential energy of gravity and springs; gravity's is zero at the base's origin."""
        return potential_energy(self.robot.tree, self.robot.q)

    @closed_form("q", symbol="P")
    def potential(self, zero_at: Any) -> Scalar:
        """Return the potential energy that is zero at a position: P(q) − P(q₀).

        Args:
            zero_at: The position q₀ [rad or m]: n numbers, or formulas such as "pi/2".
        """
        level = at_state(self.P, self.robot.ring, {"q": "zero_at"}, q=zero_at)
        here = carried(self.P, level.ring) if isinstance(level, Polynomial) else self.P
        return here - level

    # parameters

    @cached_property
    @closed_form("q", "qd", "qdd", symbol="Y")
    def Y(self) -> np.ndarray:
        """The regressor of the inertial parameters and rotors: Y φ = M q̈ + c + g."""
        state = (self.robot.q, self.robot.qd, self.robot.qdd)
        return regressor(self._without_friction, *state)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names behind the columns of `Y`, "<joint>.<p>"."""
        return tuple(parameters(self._without_friction))

    @property
    def _without_friction(self) -> Tree:
        return with_friction_laws(self.robot.tree, lambda law: Friction())
