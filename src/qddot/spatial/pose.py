"""Poses: where one frame is in another. Twelve numbers, never a 6×6."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.scalars import Force, Mat3, Motion, Vec3
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, join, split

ORIGIN = np.zeros(3, dtype=int)  # int, so that symbolic results stay exact


@dataclass(frozen=True)
class Pose:
    """X_AB, the pose of frame B in frame A:  p_A = R_AB p_B + p_AB.

    The letters cancel in the middle; if they do not, the line is wrong.

        X_AC = X_AB @ X_BC      m_A = X_AB.motion(m_B)      f_A = X_AB.force(f_B)
    """

    R: Mat3
    p: Vec3

    def __matmul__(self, X_BC: Pose) -> Pose:
        return Pose(self.R @ X_BC.R, self.p + self.R @ X_BC.p)

    def inverse(self) -> Pose:
        """Return X_BA."""
        return Pose(self.R.T, -(self.R.T @ self.p))

    def point(self, p_B: Vec3) -> Vec3:
        """Return p_A: the same point, now from A's origin and in A's axes."""
        return self.p + self.R @ p_B

    def motion(self, m_B: Motion) -> Motion:
        """Return m_A: the same motion, now at A's origin and in A's axes.

        The adjoint map of the pose:

            ω_A = R ω_B,    u_A = R u_B + p × ω_A
        """
        w_B, u_B = split(m_B)
        w_A = self.R @ w_B
        return join(w_A, self.R @ u_B + cross(self.p, w_A))

    def motion_inv(self, m_A: Motion) -> Motion:
        """Return m_B, cheaper than ``X_AB.inverse().motion(m_A)``."""
        w_A, u_A = split(m_A)
        return join(self.R.T @ w_A, self.R.T @ (u_A - cross(self.p, w_A)))

    def force(self, f_B: Force) -> Force:
        """Return f_A: the same force, moments now taken about A's origin."""
        n_B, l_B = split(f_B)
        l_A = self.R @ l_B
        return join(self.R @ n_B + cross(self.p, l_A), l_A)

    def wrench(self, n_B: Vec3, f_B: Vec3) -> tuple[Vec3, Vec3]:
        """Return moment and force as A has them: `force` of two vectors."""
        turned = self.R @ f_B
        return self.R @ n_B + cross(self.p, turned), turned

    def matrix(self) -> np.ndarray:
        """Return the 4×4 homogeneous matrix."""
        return np.vstack([np.column_stack([self.R, self.p]), [0, 0, 0, 1]])


STILL = Pose(IDENTITY, ORIGIN)
