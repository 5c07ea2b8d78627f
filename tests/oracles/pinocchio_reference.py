"""The same robot in Pinocchio, asked about our coordinates in our order of axes.

Pinocchio sorts the children of a link by name, keeps cosine and sine of a joint that turns without
end, gives a joint that follows another a coordinate of its own, and puts the linear part of a
motion first. So joints are found by name, and with q_pin = G q + o:

    M = Gᵀ M_pin G        τ = Gᵀ τ_pin        J = P J_pin G

It knows no friction and no springs in these algorithms; rotor inertia is its `armature`.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pinocchio as pin

from qddot.model.tree import Tree

AXES = {
    "world": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "local": pin.ReferenceFrame.LOCAL,
    "base": pin.ReferenceFrame.WORLD,
}
# our order of the ten parameters, found in Pinocchio's: m mx my mz Ixx Ixy Iyy Ixz Iyz Izz
OURS = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]


class Reference:
    """A robot of Pinocchio beside a tree of ours."""

    def __init__(self, model: pin.Model, tree: Tree):
        self.model, self.tree = model, tree
        self.data = model.createData()
        model.gravity = pin.Motion(np.array(tree.gravity, dtype=float), np.zeros(3))
        self.ids = [model.getJointId(body.name) for body in tree.bodies]
        assert model.njoints == len(tree.bodies) + 1
        self.G = np.zeros((model.nv, tree.n))
        for i, drive in zip(self.ids, tree.drives, strict=True):
            self.G[model.idx_vs[i], drive.index] = float(drive.ratio)
        self.follows = model.nv != tree.n
        if not self.follows:  # else a rotor of a coordinate belongs to no joint of Pinocchio's
            model.armature = self.G @ np.array(tree.rotor_inertia, dtype=float)

    def q(self, q: np.ndarray) -> np.ndarray:
        full = pin.neutral(self.model)
        for i, value in zip(self.ids, self.tree.coordinates.joints(q), strict=True):
            at = self.model.idx_qs[i]
            if self.model.nqs[i] == 2:
                full[at : at + 2] = np.cos(value), np.sin(value)
            else:
                full[at] = value
        return full

    # the equation of motion

    def inverse_dynamics(self, q, qd, qdd):
        return self.G.T @ pin.rnea(self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd)

    def forward_dynamics(self, q, qd, tau):
        if self.follows:  # the constraint is ours, so is the solution
            return np.linalg.solve(self.mass_matrix(q), tau - self.bias_torque(q, qd))
        return self.G.T @ pin.aba(self.model, self.data, self.q(q), self.G @ qd, self.G @ tau)

    def mass_matrix(self, q):
        M = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return self.G.T @ (M + np.triu(M, 1).T) @ self.G

    def coriolis_matrix(self, q, qd):
        C = pin.computeCoriolisMatrix(self.model, self.data, self.q(q), self.G @ qd)
        return self.G.T @ C @ self.G

    def bias_torque(self, q, qd):
        return self.G.T @ pin.nonLinearEffects(self.model, self.data, self.q(q), self.G @ qd)

    def velocity_torque(self, q, qd):
        """Return what is left without gravity, not the difference of two larger torques."""
        gravity, self.model.gravity = self.model.gravity.copy(), pin.Motion.Zero()
        c = self.bias_torque(q, qd)
        self.model.gravity = gravity
        return c

    def gravity_torque(self, q):
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def centrifugal_matrix(self, q):
        """Return c while one joint after the other moves alone, at unit velocity."""
        return np.stack([self.velocity_torque(q, e) for e in np.eye(self.tree.n)], axis=1)

    def coriolis_pairs(self, q):
        """Return what c of two joints that move together has beyond that of each alone."""
        n, C = self.tree.n, self.centrifugal_matrix(q)
        pairs = [
            self.velocity_torque(q, np.eye(n)[[i, j]].sum(axis=0)) - C[:, i] - C[:, j]
            for i, j in combinations(range(n), 2)
        ]
        return np.array(pairs).reshape(-1, n).T

    def mass_matrix_rate(self, q, qd):
        C = self.coriolis_matrix(q, qd)
        return C + C.T

    def regressor(self, q, qd, qdd):
        Y = pin.computeJointTorqueRegressor(
            self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd
        )
        columns = [10 * (i - 1) + k for i in self.ids for k in OURS]
        return self.G.T @ Y[:, columns]

    def inverse_dynamics_derivatives(self, q, qd, qdd):
        by_q, by_qd, _ = pin.computeRNEADerivatives(
            self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd
        )
        return self.G.T @ by_q @ self.G, self.G.T @ by_qd @ self.G

    def forward_dynamics_derivatives(self, q, qd, tau):
        if self.follows:
            qdd = self.forward_dynamics(q, qd, tau)
            M_inv = np.linalg.inv(self.mass_matrix(q))
            by_q, by_qd = self.inverse_dynamics_derivatives(q, qd, qdd)
            return -M_inv @ by_q, -M_inv @ by_qd, M_inv
        by_q, by_qd, by_tau = pin.computeABADerivatives(
            self.model, self.data, self.q(q), self.G @ qd, self.G @ tau
        )
        by_tau = np.triu(by_tau) + np.triu(by_tau, 1).T
        return tuple(self.G.T @ x @ self.G for x in (by_q, by_qd, by_tau))

    # energies

    def kinetic_energy(self, q, qd):
        """Return the bodies' and the rotors': Pinocchio adds those of some types of joint only."""
        rotors, self.model.armature = self.model.armature.copy(), np.zeros(self.model.nv)
        bodies = pin.computeKineticEnergy(self.model, self.data, self.q(q), self.G @ qd)
        self.model.armature = rotors
        return bodies + rotors @ (self.G @ qd) ** 2 / 2

    def potential_energy(self, q):
        return pin.computePotentialEnergy(self.model, self.data, self.q(q))

    def center_of_mass(self, q):
        return pin.centerOfMass(self.model, self.data, self.q(q)).copy()

    # frames

    def frame(self, name: str) -> int:
        return self.model.getFrameId(name, pin.FrameType.BODY)

    def pose(self, q, frame):
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.frame(frame)].homogeneous

    def jacobian(self, q, frame, axes):
        J = pin.computeFrameJacobian(
            self.model, self.data, self.q(q), self.frame(frame), AXES[axes]
        )
        return angular_first(J) @ self.G

    def jacobian_rate(self, q, qd, frame, axes):
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.G @ qd)
        pin.updateFramePlacements(self.model, self.data)
        rate = pin.getFrameJacobianTimeVariation(
            self.model, self.data, self.frame(frame), AXES[axes]
        )
        return angular_first(rate) @ self.G


def angular_first(J: np.ndarray) -> np.ndarray:
    return np.concatenate([J[3:], J[:3]])
