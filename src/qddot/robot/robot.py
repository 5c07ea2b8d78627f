"""The object users hold: a model bound to its compiled kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import frame_name
from qddot.robot.inverse_kinematics import InverseKinematics
from qddot.robot.kernels import compiled
from qddot.robot.linearisation import Linearisation, equilibrium, linearised
from qddot.robot.quantities import coriolis_form_name
from qddot.robot.robot_frame import RobotFrame


@dataclass(frozen=True, repr=False)
class Robot(InverseKinematics):
    """A robot and its compiled quantities. Frozen: `with_...` returns a new one and changes none.

    Every quantity takes arrays of shape (..., n) and broadcasts like a NumPy ufunc; all but
    `effective_mass` take `out=`. It is compiled when first asked for.
    """

    # the equation of motion

    @compiled
    def inverse_dynamics(
        self,
        q: Any,
        qd: Any,
        qdd: Any,
        *,
        wrenches: Any = None,
        wrenches_on: str = "robot",
        axes: str = "world",
        disturbance: Any = None,
        base_motion: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Return the joint torques that produce the accelerations qdd.

        The equation of motion, everything that the model has included:

            τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + Fᵥ q̇ + Fₛ sgn(q̇) + f₀ + K (q − q₀)
                + τ_dist − Jᵀ f_ext

        Args:
            q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (..., n).
            wrenches: By frame name, what the environment applies to the robot: [moment; force],
                shape (..., 6). It is f_ext.
            wrenches_on: "robot"; or "environment": `wrenches` are what the robot applies to its
                environment, as F_tip of *Modern Robotics*, and f_ext is minus them.
            axes: Those of the wrenches, and of the J in the equation, as in `jacobian`: "world": at
                the frame's origin, in world axes; "local": there, in the frame's own axes, as a
                force sensor measures; "base": at the base's origin, in world axes.
            disturbance: The torque τ_dist, which takes from τ as friction does, shape (..., n).
            base_motion: Twist of the base and its rate, two arrays of shape (..., 6) in base axes.
            out: Where to put the result.

        Returns:
            Joint torques [N·m] or forces [N], shape (..., n).
        """
        loads = wrenches, wrenches_on, axes, disturbance, base_motion
        return self._loaded("inverse_dynamics", (q, qd, qdd), *loads, out)

    @compiled
    def forward_dynamics(
        self,
        q: Any,
        qd: Any,
        tau: Any,
        *,
        wrenches: Any = None,
        wrenches_on: str = "robot",
        axes: str = "world",
        disturbance: Any = None,
        base_motion: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Return the joint accelerations that the torques produce: inverse dynamics, inverted.

        What acts besides is given as there:

            q̈ = M⁻¹ (τ − C q̇ − g − friction − springs − τ_dist + Jᵀ f_ext)

        Where the mass matrix is singular (a massless moving leaf), the result is NaN or infinite.
        """
        loads = wrenches, wrenches_on, axes, disturbance, base_motion
        return self._loaded("forward_dynamics", (q, qd, tau), *loads, out)

    @compiled
    def bias_torque(
        self,
        q: Any,
        qd: Any,
        *,
        wrenches: Any = None,
        wrenches_on: str = "robot",
        axes: str = "world",
        disturbance: Any = None,
        base_motion: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Return c + g + friction + springs + τ_dist − Jᵀ f_ext: the torque at q̈ = 0."""
        loads = wrenches, wrenches_on, axes, disturbance, base_motion
        return self._loaded("bias_torque", (q, qd), *loads, out)

    @compiled
    def mass_matrix(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return M(q), rotor inertia included, shape (..., n, n)."""
        return self._kernel("mass_matrix").asked(q, out=out)

    @compiled
    def coriolis_matrix(
        self, q: Any, qd: Any, *, form: str = "christoffel", out: Any = None
    ) -> np.ndarray:
        """Return C(q, q̇) with C q̇ = c, as if nothing is said Christoffel's: Ṁ − 2C is skew.

        Many matrices give the same torque c. With U the matrix of rows q̇ᵀ ∂M/∂qₖ, and
        J, J̇, 𝓖, V those of all links in the stacked Newton–Euler form, by name:

            christoffel                 ½ (Ṁ + Uᵀ − U)                          Ṁ − 2C is skew
            half_rate_skew              ½ Ṁ + S,  S = ½ (Uᵀ − U)                 the same matrix
            rate                        Ṁ − ½ U
            transposed                  Uᵀ − ½ U
            newton_euler                Jᵀ(𝓖J̇ − [ad_V]ᵀ𝓖J)
            newton_euler_skew           Jᵀ(𝓖J̇ + (𝓖[ad_V] − [ad_V]ᵀ𝓖)J)           Ṁ − 2C is skew
            newton_euler_christoffel    the first matrix, without a derivative

        Args:
            q, qd: Joint positions [rad or m] and velocities, shape (..., n).
            form: Which of these.
            out: Where to put the result.

        Returns:
            Shape (..., n, n), in kg·m²/s for joints that turn.
        """
        kernel = self._kernel("coriolis_matrix", form=coriolis_form_name(form))
        return kernel.asked(q, qd, out=out)

    @compiled
    def velocity_torque(self, q: Any, qd: Any, *, out: Any = None) -> np.ndarray:
        """Return c = C q̇, centrifugal and Coriolis torques, shape (..., n)."""
        return self._kernel("velocity_torque").asked(q, qd, out=out)

    @compiled
    def gravity_torque(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return g(q), the torque that holds the arm still, shape (..., n)."""
        return self._kernel("gravity_torque").asked(q, out=out)

    @compiled
    def friction_torque(self, qd: Any, *, out: Any = None) -> np.ndarray:
        """Return what friction resists with, shape (..., n)."""
        return self._kernel("friction_torque").asked(qd, out=out)

    @compiled
    def all_terms(
        self, q: Any, qd: Any, frame: str | None = None, *, out: Any = None
    ) -> Any:  # AllTerms, with a frame FrameTerms
        """Return M, c, g and the bias torque in one call; with a frame also its pose, J and J̇ q̇.

        What these share is computed once. The fields, by name and in this order:

            M, c, g, bias           M q̈ + bias = τ, bias = c + g + friction + springs
            pose, J, drift          J q̇ = [ω; u], J q̈ + drift = [α; a], drift = J̇ q̇

        Args:
            q, qd: Joint positions [rad or m] and velocities, shape (..., n).
            frame: The name of a link or a frame; J and the drift are of its origin, in world axes.
            out: Where to put the results, a tuple of as many arrays.

        Returns:
            `AllTerms`, with a frame `FrameTerms`: named tuples.
        """
        name = "" if frame is None else frame_name(self, frame)
        return self._kernel("all_terms", name).asked(q, qd, out=out)

    def at(self, frame: str) -> RobotFrame:
        """Return a frame by its name, once: `tool = robot.at("tool")`, then `tool.jacobian(q)`."""
        name = frame_name(self, frame)
        return self.cached("frame", name, lambda: RobotFrame(self, name))

    @compiled
    def christoffel(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return Γ[k, i, j] with c_k = Σ Γ[k, i, j] q̇ᵢ q̇ⱼ, shape (..., n, n, n)."""
        return self._kernel("christoffel").asked(q, out=out)

    @compiled
    def centrifugal_matrix(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return the centrifugal matrix C(q) of c = C(q) [q̇ᵢ²] + B(q) [q̇ᵢ q̇ⱼ].

        Column j is the velocity torque while joint j alone moves at unit velocity: C[k, j] =
        Γ[k, j, j], shape (..., n, n). B is `coriolis_pairs`.
        """
        return self._kernel("centrifugal_matrix").asked(q, out=out)

    @compiled
    def coriolis_pairs(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return the Coriolis matrix B(q) of c = C(q) [q̇ᵢ²] + B(q) [q̇ᵢ q̇ⱼ], i < j.

        A column for each pair of joints, in the order 12, 13, …, 1n, 23, …, which is that of
        `itertools.combinations`: 2 Γ[k, i, j], shape (..., n, n (n − 1)/2). C is
        `centrifugal_matrix`.
        """
        return self._kernel("coriolis_pairs").asked(q, out=out)

    @compiled
    def mass_matrix_rate(self, q: Any, qd: Any, *, out: Any = None) -> np.ndarray:
        """Return Ṁ, shape (..., n, n)."""
        return self._kernel("mass_matrix_rate").asked(q, qd, out=out)

    @compiled
    def regressor(self, q: Any, qd: Any, qdd: Any, *, out: Any = None) -> np.ndarray:
        """Return Y with Y φ = τ, shape (..., n, p); φ is `parameters`.

        Springs and the Stribeck effect are not linear in their parameters and not in Y φ.
        """
        return self._kernel("regressor").asked(q, qd, qdd, out=out)

    @compiled
    def inverse_dynamics_derivatives(
        self, q: Any, qd: Any, qdd: Any, *, out: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ∂τ/∂q and ∂τ/∂q̇, each (..., n, n); ∂τ/∂q̈ is the mass matrix.

        At q̇ = 0, where Coulomb friction jumps, its derivative is taken as zero.
        """
        return self._kernel("inverse_dynamics_derivatives").asked(q, qd, qdd, out=out)

    @compiled
    def forward_dynamics_derivatives(
        self, q: Any, qd: Any, tau: Any, *, out: Any = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹, each (..., n, n)."""
        return self._kernel("forward_dynamics_derivatives").asked(q, qd, tau, out=out)

    def linearised(self, q: Any, qd: Any = None, qdd: Any = None) -> Linearisation:
        """Return the robot about a state, to first order: A and B of ẋ = A x + B u, and its modes.

        With x = (δq, δq̇) and u = δτ. Dry friction, which has no slope at rest, is left out there.

        Args:
            q: The position [rad or m], shape (nq,).
            qd, qdd: Velocities and accelerations there, shape (n,); zero if not given.
        """
        return linearised(self, q, qd, qdd)

    def equilibrium(self, tau: Any = None, near: Any = None) -> np.ndarray:
        """Return a position at which constant torques hold the robot still, shape (nq,).

        It may be unstable: `robot.linearised(q).stable` says so.

        Args:
            tau: The torques [N·m] or forces [N], shape (n,); zero if not given.
            near: Where the search begins, shape (nq,); `home` if not given.
        """
        return equilibrium(self, tau, near)

    @compiled
    def kinetic_energy(self, q: Any, qd: Any, *, out: Any = None) -> np.ndarray:
        """Return the kinetic energy [J], that of the rotors included, shape (...)."""
        return self._kernel("kinetic_energy").asked(q, qd, out=out)

    @compiled
    def potential_energy(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return the potential energy [J] of gravity and springs, shape (...)."""
        return self._kernel("potential_energy").asked(q, out=out)

    @compiled
    def center_of_mass(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return the centre of mass [m] of everything that moves, shape (..., 3)."""
        return self._kernel("center_of_mass").asked(q, out=out)
