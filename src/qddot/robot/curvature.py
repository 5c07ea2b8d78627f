"""Second derivatives of the dynamics, and products with derivatives that form no matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.checks import frame_name, one_of
from qddot.dynamics.kinematics import AXES
from qddot.robot.frames import FrameQuantities
from qddot.robot.kernels import compiled

Three = tuple[np.ndarray, np.ndarray, np.ndarray]
Four = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class DerivativeQuantities(FrameQuantities):
    """What a robot says of its derivatives besides the matrices of first order.

    Derivatives by q are along unit velocities of the joints, and changes of q are velocities times
    a unit of time; for every joint with one coordinate that is by q itself.
    """

    @compiled
    def inverse_dynamics_second_derivatives(
        self, q: Any, qd: Any, qdd: Any, *, out: Any = None
    ) -> Four:
        """Return the second derivatives of the torques, each (..., n, n, n), output index first.

        Of τ(q, q̇, q̈), with [k, i, j] for the derivative of τ_k by the first and then the second:

            ∂²τ_k/∂qᵢ∂qⱼ        ∂²τ_k/∂qᵢ∂q̇ⱼ        ∂²τ_k/∂q̇ᵢ∂q̇ⱼ        ∂²τ_k/∂qᵢ∂q̈ⱼ = ∂M_kj/∂qᵢ

        The other two, ∂²τ/∂q̇∂q̈ and ∂²τ/∂q̈∂q̈, are zero. The third is 2Γ (`christoffel`) and what
        friction adds to it.
        """
        kernel = self._kernel("inverse_dynamics_second_derivatives")
        return kernel.asked(q, qd, qdd, out=out)

    @compiled
    def forward_dynamics_second_derivatives(
        self, q: Any, qd: Any, tau: Any, *, out: Any = None
    ) -> Four:
        """Return the second derivatives of the accelerations, each (..., n, n, n), output first.

        Of q̈(q, q̇, τ), with [k, i, j] for the derivative of q̈_k by the first and then the second:

            ∂²q̈_k/∂qᵢ∂qⱼ        ∂²q̈_k/∂qᵢ∂q̇ⱼ        ∂²q̈_k/∂q̇ᵢ∂q̇ⱼ        ∂²q̈_k/∂qᵢ∂τⱼ

        The other two, ∂²q̈/∂q̇∂τ and ∂²q̈/∂τ∂τ, are zero.
        """
        kernel = self._kernel("forward_dynamics_second_derivatives")
        return kernel.asked(q, qd, tau, out=out)

    @compiled
    def inverse_dynamics_product(
        self, q: Any, qd: Any, qdd: Any, dq: Any, dqd: Any, dqdd: Any, *, out: Any = None
    ) -> np.ndarray:
        """Return how the torques change with the motion, J v, without forming J.

            δτ = ∂τ/∂q δq + ∂τ/∂q̇ δq̇ + M δq̈

        Args:
            q, qd, qdd: Joint positions [rad or m], velocities and accelerations, shape (..., n).
            dq, dqd, dqdd: Their changes, shape (..., n).
            out: Where to put the result.

        Returns:
            δτ [N·m or N], shape (..., n), in 2.4 times the operations of the torques themselves.
        """
        kernel = self._kernel("inverse_dynamics_product")
        return kernel.asked(q, qd, qdd, dq, dqd, dqdd, out=out)

    @compiled
    def inverse_dynamics_transposed_product(
        self, q: Any, qd: Any, qdd: Any, weights: Any, *, out: Any = None
    ) -> Three:
        """Return (∂τ/∂q)ᵀ w, (∂τ/∂q̇)ᵀ w and M w, each (..., n), without forming the matrices.

        They are the gradient of wᵀ τ by q, q̇ and q̈. With a cost L(τ) and w = ∂L/∂τ they are the
        gradient of the cost.

        Args:
            q, qd, qdd: Joint positions [rad or m], velocities and accelerations, shape (..., n).
            weights: w, shape (..., n).
            out: Where to put the results.
        """
        kernel = self._kernel("inverse_dynamics_transposed_product")
        return kernel.asked(q, qd, qdd, weights, out=out)

    @compiled
    def inverse_dynamics_hessian_product(
        self,
        q: Any,
        qd: Any,
        qdd: Any,
        weights: Any,
        dq: Any,
        dqd: Any,
        dqdd: Any,
        *,
        out: Any = None,
    ) -> Three:
        """Return how `inverse_dynamics_transposed_product` changes with the motion, each (..., n).

        It is the product of the second derivatives H of wᵀ τ by (q, q̇, q̈) with (δq, δq̇, δq̈); of H
        nothing is formed. Arguments as in the two other products.
        """
        kernel = self._kernel("inverse_dynamics_hessian_product")
        return kernel.asked(q, qd, qdd, weights, dq, dqd, dqdd, out=out)

    @compiled
    def forward_dynamics_product(
        self, q: Any, qd: Any, tau: Any, dq: Any, dqd: Any, dtau: Any, *, out: Any = None
    ) -> np.ndarray:
        """Return how the accelerations change with the state and the torques, without matrices.

            δq̈ = ∂q̈/∂q δq + ∂q̈/∂q̇ δq̇ + M⁻¹ δτ

        Args:
            q, qd, tau: Joint positions [rad or m], velocities and torques, shape (..., n).
            dq, dqd, dtau: Their changes, shape (..., n).
            out: Where to put the result.

        Returns:
            δq̈, shape (..., n), in 2.1 times the operations of the accelerations themselves.
        """
        kernel = self._kernel("forward_dynamics_product")
        return kernel.asked(q, qd, tau, dq, dqd, dtau, out=out)

    @compiled
    def forward_dynamics_transposed_product(
        self, q: Any, qd: Any, tau: Any, weights: Any, *, out: Any = None
    ) -> Three:
        """Return (∂q̈/∂q)ᵀ w, (∂q̈/∂q̇)ᵀ w and M⁻¹ w, each (..., n), without forming the matrices.

        They are the gradient of wᵀ q̈ by q, q̇ and τ: what an adjoint method carries back in time.

        Args:
            q, qd, tau: Joint positions [rad or m], velocities and torques, shape (..., n).
            weights: w, shape (..., n).
            out: Where to put the results.
        """
        kernel = self._kernel("forward_dynamics_transposed_product")
        return kernel.asked(q, qd, tau, weights, out=out)

    @compiled
    def forward_dynamics_hessian_product(
        self,
        q: Any,
        qd: Any,
        tau: Any,
        weights: Any,
        dq: Any,
        dqd: Any,
        dtau: Any,
        *,
        out: Any = None,
    ) -> Three:
        """Return how `forward_dynamics_transposed_product` changes with the state, each (..., n).

        It is the product of the second derivatives H of wᵀ q̈ by (q, q̇, τ) with (δq, δq̇, δτ); of H
        nothing is formed. Arguments as in the two other products.
        """
        kernel = self._kernel("forward_dynamics_hessian_product")
        return kernel.asked(q, qd, tau, weights, dq, dqd, dtau, out=out)

    @compiled
    def jacobian_product(
        self, q: Any, qd: Any, frame: str, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return J q̇ = [ω; u], the velocity of a frame, shape (..., 6), without forming J.

        Args:
            q, qd: Joint positions [rad or m] and velocities, shape (..., n).
            frame: The name of a link or a frame.
            axes: As in `jacobian`.
            out: Where to put the result.
        """
        return self._of_frame("jacobian_product", frame, axes).asked(q, qd, out=out)

    @compiled
    def jacobian_transposed_product(
        self, q: Any, wrench: Any, frame: str, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return Jᵀ f, the joint torques that balance a wrench, shape (..., n), without forming J.

        Args:
            q: Joint positions [rad or m], shape (..., n).
            wrench: f = [moment; force] at the frame, shape (..., 6), in the same axes as J.
            frame: The name of a link or a frame.
            axes: As in `jacobian`.
            out: Where to put the result.
        """
        kernel = self._of_frame("jacobian_transposed_product", frame, axes)
        return kernel.asked(q, wrench, out=out)

    def _of_frame(self, quantity: str, frame: str, axes: str) -> Any:
        return self._kernel(quantity, frame_name(self, frame), one_of("axes", axes, AXES))
