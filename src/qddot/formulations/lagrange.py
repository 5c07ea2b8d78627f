"""The equations of motion from the energies: Lagrange's equation with a dissipation function.

The kinetic energy of a link is König's, with the velocity of its centre of mass from
differentiating its position by time; nothing else about the robot is used. The function D is
Rayleigh's: half the power that the dampers take, not an energy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.errors import BadArgument
from qddot.formulations.calculus import gradient
from qddot.formulations.derivation import Derivation, Quantity
from qddot.model.joint import Revolute
from qddot.model.tree import BASE, Tree
from qddot.scalars import JointMat, JointVec, Mat3, Scalar, Vec3
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, skew, vector


def derive(tree: Tree, q: JointVec, qd: JointVec) -> Derivation:
    """Return the equation of motion from the Lagrangian L = K − P.

    One equation a coordinate, of which only what gravity and inertia do is in the terms:

        d/dt ∂L/∂q̇ − ∂L/∂q + ∂D/∂q̇ = τ        c = ṗ(q̈ = 0) − ∂K/∂q        g = ∂P/∂q
    """
    M = inertia_form(tree, q)

    def momenta_and_energy(x: JointVec) -> np.ndarray:
        p = (M if x is q else inertia_form(tree, x)) @ qd
        return vector([*p, qd @ p / 2])

    p = M @ qd
    by_q = gradient(momenta_and_energy, q)
    pdot, K_by_q = qd @ by_q[:, :-1], by_q[:, -1]
    g = gradient(lambda x: sum(potential_energies(tree, x)), q)

    steps = energies(tree, q, qd)
    springs, dampers = elastic_torque(tree, q), damping_torque(tree, qd)
    for i in range(tree.n):
        k, number = indices(i), i + 1
        rate, formula = (
            rf"\dot p_{k}|_{{\ddot q = 0}}",
            rf"\sum_j\dot q_j\,\partial p_{k}/\partial q_j",
        )
        L_by_q = K_by_q[i] - g[i] - springs[i]
        steps += [
            Quantity(f"Momentum {number}", f"p_{k}", p[i], rf"\partial L/\partial\dot q_{k}"),
            Quantity(f"Rate of momentum {number} at constant q̇", rate, pdot[i], formula),
            Quantity(f"Force {number} of the Lagrangian", rf"\partial L/\partial q_{k}", L_by_q),
            Quantity(
                f"Force {number} of the dampers", rf"\partial D/\partial\dot q_{k}", dampers[i]
            ),
        ]
    steps.append(Quantity("Mass matrix", "M", M, r"\partial^2 K/\partial\dot q^2"))
    return Derivation("lagrange", M, pdot - K_by_q, g, tuple(steps))


def energies(tree: Tree, q: JointVec, qd: JointVec) -> list[Quantity]:
    """Return how every link moves, its energies, the Lagrangian and the dissipation function."""
    motions = time_derivatives(tree, q, qd)
    K, P = kinetic_energies(tree, q, motions), potential_energies(tree, q)
    K_rotors, P_springs = rotor_energy(tree, qd), elastic_energy(tree, q)
    L = sum(K) + K_rotors - sum(P) - P_springs
    steps = []
    for i, (body, at) in enumerate(zip(tree.bodies, motions, strict=True)):
        C = centre(body.inertia, q)
        k, link = indices(i), f"link {i + 1}"
        v, w = f"v_{{C_{k}}}", rf"{{}}^{k}\omega_{k}"
        konig = rf"\tfrac12 m_{k}{v}^T{v} + \tfrac12\,{w}^T I_{k}\,{w}"
        steps += [
            Quantity(f"Centre of mass of {link}", f"P_{{C_{k}}}", at.p + at.R @ C),
            Quantity(f"Velocity of {link}", v, at.pd + at.Rd @ C, rf"\dot P_{{C_{k}}}"),
            Quantity(f"Angular velocity of {link}, own axes", w, at.w, rf"R_{k}^T\dot R_{k}"),
            Quantity(f"Kinetic energy of {link}", f"K_{k}", K[i], konig),
            Quantity(f"Potential energy of {link}", f"P_{k}", P[i], rf"-m_{k} g^T P_{{C_{k}}}"),
        ]
    D = dissipation(tree, qd)
    return [
        *steps,
        Quantity("Energy of the rotors", "K_a", K_rotors, r"\tfrac12\sum I_{a_i}\dot q_i^2"),
        Quantity("Energy of the springs", "P_s", P_springs, r"\tfrac12\sum k\,(e^T q - q_0)^2"),
        Quantity("The Lagrangian", "L", L, "K + K_a - P - P_s"),
        Quantity("Dissipation function", "D", D, r"\tfrac12\sum d\,(e^T\dot q)^2"),
    ]


@dataclass(frozen=True)
class Moving:
    """Where a link is in base axes, and how fast that changes."""

    R: Mat3
    p: Vec3
    Rd: Mat3
    pd: Vec3

    @property
    def w(self) -> Vec3:
        """The angular velocity in the link's axes: [ω]× = Rᵀ Ṙ."""
        (x, y, z), (xd, yd, zd) = self.R.T, self.Rd.T
        return vector([z @ yd, x @ zd, y @ xd])


def time_derivatives(tree: Tree, q: JointVec, qd: JointVec) -> list[Moving]:
    """Return position, orientation and their rates, link after link, by the product rule.

    With R_λi and p_λi those of a link in the one before, and z the joint's axis:

        Rᵢ = R_λ R_λi           Ṙᵢ = Ṙ_λ R_λi + Rᵢ [z]× q̇          (if it turns)
        pᵢ = p_λ + R_λ p_λi     ṗᵢ = ṗ_λ + Ṙ_λ p_λi (+ Rᵢ z q̇ if it slides)
    """
    motions = {BASE: Moving(IDENTITY, ORIGIN, 0 * IDENTITY, ORIGIN)}
    for i, body in enumerate(tree.bodies):
        before, X, z = motions[body.parent], body.X_PB(q), vector(list(body.joint.axis))
        R, p = before.R @ X.R, before.p + before.R @ X.p
        Rd, pd = before.Rd @ X.R, before.pd + before.Rd @ X.p
        if isinstance(body.joint, Revolute):
            Rd = Rd + R @ skew(z) * body.rate(qd)
        else:
            pd = pd + R @ z * body.rate(qd)
        motions[i] = Moving(R, p, Rd, pd)
    return [motions[i] for i in range(len(tree.bodies))]


def kinetic_energies(tree: Tree, q: JointVec, motions: list[Moving]) -> list[Scalar]:
    """Return the kinetic energy of each link.

    About the centre of mass C this is König's theorem; about a link's own origin, where C is not
    known, the first moment h adds what the two motions share:

        K = ½ m v_C² + ½ ωᵀ I_C ω   (+ v · (ω × h), with h = 0 about C)
    """
    energies = []
    for body, at in zip(tree.bodies, motions, strict=True):
        C = centre(body.inertia, q)
        I, v, w = body.inertia.seen_from(Pose(IDENTITY, -C)), at.pd + at.Rd @ C, at.w
        shared = v @ (at.R @ cross(w, I.h))
        energies.append(I.m * (v @ v) / 2 + w @ (I.I @ w) / 2 + shared)
    return energies


def kinetic_energy(tree: Tree, q: JointVec, qd: JointVec) -> Scalar:
    """Return the kinetic energy of all links and rotors."""
    return sum(kinetic_energies(tree, q, time_derivatives(tree, q, qd))) + rotor_energy(tree, qd)


def rotor_energy(tree: Tree, qd: JointVec) -> Scalar:
    """Return the kinetic energy of the rotors: ½ Σ Iₐ q̇²."""
    return sum(Ia * rate * rate / 2 for Ia, rate in zip(tree.rotor_inertia, qd, strict=True))


def inertia_form(tree: Tree, q: JointVec) -> JointMat:
    """Return ∂²K/∂q̇², without a derivative: K is a quadratic form in the rates.

    By polarisation:

        M_ij = K(eᵢ + eⱼ) − K(eᵢ) − K(eⱼ)        so that p = ∂K/∂q̇ = M q̇
    """
    units = np.eye(tree.n, dtype=int)
    K = [kinetic_energy(tree, q, e) for e in units]
    M = [[2 * K[i]] * tree.n for i in range(tree.n)]
    for i in range(tree.n):
        for j in range(i):
            M[i][j] = M[j][i] = kinetic_energy(tree, q, units[i] + units[j]) - K[i] - K[j]
    return vector(M)


def potential_energies(tree: Tree, q: JointVec) -> list[Scalar]:
    """Return the potential energy of each link in the field of gravity: −m gᵀ P_C."""
    X_W, energies = {BASE: Pose(IDENTITY, ORIGIN)}, []
    for i, body in enumerate(tree.bodies):
        X_W[i] = X_W[body.parent] @ body.X_PB(q)
        moment = body.inertia.m * X_W[i].p + X_W[i].R @ body.inertia.h  # m P_C
        energies.append(-(vector(list(tree.gravity)) @ moment))
    return energies


def elastic_energy(tree: Tree, q: JointVec) -> Scalar:
    """Return what the springs store: ½ Σ k (e·q − rest)²."""
    return sum(spring.energy(q) for spring in tree.elastics)


def dissipation(tree: Tree, qd: JointVec) -> Scalar:
    """Return Rayleigh's function, half the power that friction and dampers take.

    Viscous friction at the joints and dampers along e:

        D = ½ Σ Fᵥ q̇² + ½ Σ d (e·q̇)²
    """
    joints = [f.viscous * rate * rate / 2 for f, rate in zip(tree.friction, qd, strict=True)]
    stretch = [(e.damping, e.direction @ qd) for e in tree.elastics]
    return sum(joints) + sum(d * rate * rate / 2 for d, rate in stretch)


def elastic_torque(tree: Tree, q: JointVec) -> JointVec:
    """Return ∂P/∂q of the springs."""
    return gradient(lambda x: elastic_energy(tree, x), q)


def damping_torque(tree: Tree, qd: JointVec) -> JointVec:
    """Return ∂D/∂q̇."""
    return gradient(lambda x: dissipation(tree, x), qd)


def centre(inertia: Inertia, q: JointVec) -> Vec3:
    """Return the centre of mass of a body, or its frame's origin where that is no such number.

    A body without mass has none, and the one of links with symbols for masses, joined rigidly, is
    a quotient that a polynomial cannot hold.
    """
    if not inertia.m:
        return ORIGIN
    try:
        return (inertia.h + (q[0] - q[0])) / inertia.m  # a quotient of the state's kind
    except BadArgument:
        return ORIGIN


def indices(*of: int) -> str:
    """Return indices counted from 1 as a subscript: 1, {112}, or {1,12} where one is long."""
    texts = [str(i + 1) for i in of]
    joined = ("" if max(map(len, texts)) == 1 else ",").join(texts)
    return joined if len(joined) == 1 else "{" + joined + "}"
