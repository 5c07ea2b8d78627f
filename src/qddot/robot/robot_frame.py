"""A frame of a robot, named once: what the robot says of it, and its dynamics with a wrench there.

tool = robot.at("tool")
X, J = tool.pose(q), tool.jacobian(q)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.results import in_notebook
from qddot.robot.frames import AT_ORIGIN
from qddot.robot.kernels import asked_of, compiled
from qddot.robot.terms import FrameTerms

if TYPE_CHECKING:
    from qddot.kinematics.nearest_solutions import NearestSolutions
    from qddot.kinematics.solutions import Solutions


@dataclass(frozen=True, repr=False)
class RobotFrame:
    """A frame of a robot. Its quantities are those of the robot that take the frame's name.

    Arrays have shape (..., n) and broadcast, as in the robot's own methods.
    """

    robot: Any
    name: str

    def __getstate__(self) -> dict[str, Any]:
        """Compiled kernels stay behind when it is copied or sent to another process."""
        return {"robot": self.robot, "name": self.name}

    def __repr__(self) -> str:
        return f"<frame {self.name!r} of robot {self.robot.name!r}>"

    _repr_html_ = in_notebook("robots.frame_html")

    @compiled
    def pose(self, q: Any, *, out: Any = None) -> np.ndarray:
        """Return the pose of the frame in the base as a homogeneous matrix, shape (..., 4, 4)."""
        return asked_of(self.robot, "pose", q, self.name, out=out)

    def inverse_kinematics(self, X: Any, *, near: Any = None, **how: Any) -> NearestSolutions:
        """Return the nearest joint positions for a pose; see the robot's method."""
        return self.robot.inverse_kinematics(X, self.name, near=near, **how)

    def drag(self, X: Any, q: Any, **how: Any) -> NearestSolutions:
        """Return the joint positions to which the frame is dragged; see the robot's method."""
        return self.robot.drag(X, self.name, q, **how)

    @compiled
    def jacobian(self, q: Any, axes: str = "world", *, out: Any = None) -> np.ndarray:
        """Return J with J q̇ = [ω; u], the velocity of the frame, shape (..., 6, n).

        Args:
            q: Joint positions [rad or m], shape (..., n).
            axes: "world": the velocity of the frame's origin, in world axes; "local": the same in
                the frame's own axes; "base": the spatial velocity, at the base's origin.
            out: Where to put the result.
        """
        return asked_of(self.robot, "jacobian", q, self.name, axes, out=out)

    @compiled
    def jacobian_rate(self, q: Any, qd: Any, axes: str = "world", *, out: Any = None) -> np.ndarray:
        """Return J̇, how fast `jacobian` changes at qd, shape (..., 6, n)."""
        return asked_of(self.robot, "jacobian_rate", q, qd, self.name, axes, out=out)

    @compiled
    def jacobian_product(
        self, q: Any, qd: Any, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return J q̇ = [ω; u], the velocity of the frame, shape (..., 6), without forming J."""
        return asked_of(self.robot, "jacobian_product", q, qd, self.name, axes, out=out)

    @compiled
    def jacobian_transposed_product(
        self, q: Any, wrench: Any, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return Jᵀ f, the torques that balance a wrench at the frame, (..., n), without J."""
        asked = "jacobian_transposed_product"
        return asked_of(self.robot, asked, q, wrench, self.name, axes, out=out)

    @compiled
    def point_motion(
        self, q: Any, qd: Any, qdd: Any, point: Any = AT_ORIGIN, *, out: Any = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, velocity and acceleration of a point of the frame, in world axes.

        Args:
            q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (..., n).
            point: Where it is in the frame [m], shape (..., 3).
            out: Where to put the results, three arrays.

        Returns:
            Three arrays of shape (..., 3), in m, m/s and m/s².
        """
        return asked_of(self.robot, "point_motion", q, qd, qdd, self.name, point, out=out)

    @compiled
    def effective_mass(self, q: Any, axes: str = "all") -> np.ndarray:
        """Return the mass that the frame seems to have, (J M⁻¹ Jᵀ)⁻¹; see the robot's method."""
        return asked_of(self.robot, "effective_mass", q, self.name, axes)

    @compiled
    def principal_masses(self, q: Any, axes: str = "all") -> tuple[Any, Any]:
        """Return the masses along principal axes, and these axes; see the robot's method."""
        return asked_of(self.robot, "principal_masses", q, self.name, axes)

    @compiled
    def inverse_kinematics_all(
        self, X: Any, *, limits: bool = False, free: Mapping[str, Any] | None = None
    ) -> Solutions:
        """Return all joint positions at which the frame has a pose; see the robot's method."""
        how = {"limits": limits, "free": free}
        return asked_of(self.robot, "inverse_kinematics_all", X, self.name, **how)

    @compiled
    def manipulability(self, q: Any, axes: str = "linear", *, out: Any = None) -> np.ndarray:
        """Return √det(J Jᵀ), shape (...), 0 if q is singular; see the robot's method."""
        return asked_of(self.robot, "manipulability", q, self.name, axes, out=out)

    @compiled
    def all_terms(self, q: Any, qd: Any, *, out: Any = None) -> FrameTerms:
        """Return M, c, g, bias, and pose, J and drift = J̇ q̇ of the frame, in one call."""
        return asked_of(self.robot, "all_terms", q, qd, self.name, out=out)

    @compiled
    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, wrench: Any, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return the torques that produce the accelerations qdd while a wrench acts at the frame.

        Args:
            q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (..., n).
            wrench: What the environment applies to the robot here: [moment; force], (..., 6).
            axes: Those of the wrench, as in `jacobian`.
            out: Where to put the result.
        """
        return self._with_wrench("inverse_dynamics", (q, qd, qdd), wrench, axes, out)

    @compiled
    def forward_dynamics(
        self, q: Any, qd: Any, tau: Any, wrench: Any, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return the accelerations that torques and a wrench at the frame produce."""
        return self._with_wrench("forward_dynamics", (q, qd, tau), wrench, axes, out)

    @compiled
    def bias_torque(
        self, q: Any, qd: Any, wrench: Any, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return c + g + friction + springs − Jᵀ f_ext: the torque at q̈ = 0 with a wrench here."""
        return self._with_wrench("bias_torque", (q, qd), wrench, axes, out)

    def _with_wrench(self, quantity: str, arrays: tuple, wrench: Any, axes: str, out: Any) -> Any:
        wrenches = {self.name: wrench}
        return asked_of(self.robot, quantity, *arrays, wrenches=wrenches, axes=axes, out=out)
