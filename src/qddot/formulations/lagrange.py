"""The equations of motion from the energies: Lagrange's equation with a dissipation function.

The kinetic energy of a link is König's, with the velocity of its centre of mass from
differentiating its position by time; nothing else about the robot is used. The function D is
Rayleigh's: half the power that the dampers take, not an energy.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass

import numpy as np

from qddot.errors import BadArgument
from qddot.formulations.calculus import along_joints
from qddot.formulations.derivation import Derivation, Part, Quantity, link_name
from qddot.formulations.notation import NOTATION, Notation, raised
from qddot.formulations.velocity_parts import christoffel, named_part
from qddot.model.tree import BASE, Lever, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Mat3, Scalar, Vec3
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, skew, vector

SHORT_SQUARE = 12  # terms of a squared velocity that is written out
POINTS = {"C": "Centre of mass", "O": "Origin"}


def derive(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    notation: Notation = NOTATION,
    qdd: JointVec | None = None,
) -> Derivation:
    """Return the equation of motion from the Lagrangian L = K − P.

    One equation per coordinate, of which only what gravity and inertia do is in the terms:

        d/dt ∂L/∂q̇ − ∂L/∂q + ∂D/∂q̇ = τ        c = ṗ(q̈ = 0) − ∂K/∂q        g = ∂P/∂q

    Args:
        tree: The robot.
        q, qd: Joint positions [rad or m] and velocities, shape (n,).
        notation: The letters of the steps.
        qdd: Accelerations for the steps; zero if not given.
    """
    M = inertia_form(tree, q)

    def momenta_and_energy(x: JointVec) -> np.ndarray:
        p = (M if x is q else inertia_form(tree, x)) @ qd
        return vector([*p, qd @ p / 2])

    by_q = along_joints(tree, momenta_and_energy, q)
    pdot, K_by_q = qd @ by_q[:, :-1], by_q[:, -1]
    g = along_joints(tree, lambda x: sum(potential_energies(tree, x)), q)

    def worked_out() -> list[Part]:
        rising = pdot if qdd is None else M @ qdd + pdot
        links, whole = energies(tree, q, qd, notation)
        torques = coordinate_parts(tree, q, qd, M @ qd, rising, K_by_q, g, notation)
        slopes = along_joints(tree, lambda x: M if x is q else inertia_form(tree, x), q)
        named = named_part(christoffel(slopes), pdot - K_by_q, notation)
        return [*links, whole, *torques, *matrix_parts(tree, M, notation), named]

    return Derivation("lagrange", M, pdot - K_by_q, g, worked_out)


# how it is written on the board


def coordinate_parts(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    p: JointVec,
    rising: JointVec,
    K_by_q: JointVec,
    g: JointVec,
    n: Notation,
) -> list[Part]:
    """Return Lagrange's equation of every coordinate."""
    springs, dampers = elastic_torque(tree, q), damping_torque(tree, qd)
    parts = []
    for i in range(tree.n):
        by_velocity = rf"\partial {n.lagrangian}/\partial {n.qd(i)}"
        by_position = rf"\partial {n.lagrangian}/\partial {n.q(i)}"
        taken = rf"\partial {n.dissipation}/\partial {n.qd(i)}"
        L_by_q = K_by_q[i] - g[i] - springs[i]
        tau = rising[i] - L_by_q + dampers[i]
        of_torque = rf"\frac{{d}}{{dt}}({by_velocity}) - {by_position} + {taken}"
        steps = [
            Quantity("Momentum", f"{n.entry(n.momentum, i)} = {by_velocity}", p[i]),
            Quantity("Its time derivative", rf"\frac{{d}}{{dt}}({by_velocity})", rising[i]),
            Quantity("Force of the Lagrangian", by_position, L_by_q),
            Quantity("Force of the dampers", taken, dampers[i]),
            Quantity("Torque", n.entry(n.torques, i), tau, of_torque),
        ]
        title = f"Lagrange's equation of coordinate ${n.q(i)}$"
        words = f"Only ${n.q(i)}$ and ${n.qd(i)}$ vary here; the other coordinates are held."
        parts.append(Part(title, words, tuple(steps)))
    return parts


def matrix_parts(tree: Tree, M: JointMat, n: Notation) -> list[Part]:
    """Return what multiplies the accelerations, and where there are springs, all matrices."""
    second = rf"\partial^2 {n.kinetic}/\partial {n.velocities}^2"
    words = (
        "What multiplies the accelerations is the matrix of the kinetic energy, "
        rf"${n.kinetic} = \tfrac12\,{n.velocities}^T {n.mass_matrix}\,{n.velocities}$."
    )
    mass = Part("The mass matrix", words, (Quantity("", n.mass_matrix, M, second),))
    if not tree.elastics or any(isinstance(e, Lever) for e in tree.elastics):  # K of q then
        return [mass]
    directions = [np.outer(e.direction, e.direction) for e in tree.elastics]
    pairs = list(zip(tree.elastics, directions, strict=True))
    stiffness = sum((e.stiffness * along for e, along in pairs), 0 * M)
    damping = sum((e.damping * along for e, along in pairs), 0 * M)
    stiff = Quantity(
        "Stiffness",
        n.stiffness,
        stiffness,
        rf"\partial^2 {n.potential}_s/\partial {n.coordinates}^2",
    )
    slow = Quantity(
        "Damping", n.damping, damping, rf"\partial^2 {n.dissipation}/\partial {n.velocities}^2"
    )
    whole = rf"{n.mass_matrix}\,{n.accelerations} + {n.damping}\,{n.velocities}"
    whole += rf" + {n.stiffness}\,{n.coordinates}"
    words = (
        rf"Springs and dampers are linear, so that the torques are ${whole}$, and gravity, "
        "friction of the joints and products of velocities besides."
    )
    return [mass, Part("Springs and dampers in matrices", words, (slow, stiff))]


def energies(tree: Tree, q: ConfigVec, qd: JointVec, n: Notation) -> tuple[list[Part], Part]:
    """Return how every link moves and its energies, and from these the Lagrangian."""
    motions = time_derivatives(tree, q, qd)
    K, P = kinetic_energies(tree, q, motions), potential_energies(tree, q)
    K_rotors, P_springs = rotor_energy(tree, qd), elastic_energy(tree, q)
    parts = []
    for i, (body, at) in enumerate(zip(tree.bodies, motions, strict=True)):
        k = i + 1
        letter, r = reference(body.inertia, q)
        P_C = n.of_link("centre", i) if letter == "C" else f"P_{{O_{{{k}}}}}"
        v, w, m = f"v_{{{letter}_{{{k}}}}}", rf"{{}}^{{{k}}}\omega_{{{k}}}", f"m_{{{k}}}"
        I, h, R = inertia_name(letter, i, n), n.entry(n.first_moment, i), n.R(0, k)
        konig = rf"\tfrac12 {m}\,{v}^T {v} + \tfrac12\,{w}^T\,{I}\,{w}"
        weight = rf"-{m}\,{raised(n.gravity, 'T')} {P_C}"
        if letter == "O" and any(body.inertia.h):
            konig += rf" + {v}^T {R}\,({w}\times {h})"
            weight += rf" - {raised(n.gravity, 'T')} {R}\,{h}"
        inertia, speed = body.inertia.seen_from(Pose(IDENTITY, -r)), at.pd + at.Rd @ r
        square = speed @ speed
        short = not isinstance(square, Sized) or len(square) <= SHORT_SQUARE
        summands = (inertia.m * square / 2, at.w @ (inertia.I @ at.w) / 2)
        moment = [Quantity("First moment, in the link's own axes", h, body.inertia.h)]
        steps = (
            *(moment if letter == "O" and any(body.inertia.h) else []),
            Quantity(POINTS[letter], P_C, at.p + at.R @ r),
            Quantity("Its velocity", v, speed, n.rate(P_C)),
            *([Quantity("and its square", f"{v}^T {v}", square)] if short else []),
            Quantity(
                "Angular velocity, in the link's own axes",
                w,
                at.w,
                rf"({raised(R, 'T')}\,{n.rate(R)})^{{\vee}}",
            ),
            Quantity(
                "Kinetic energy",
                n.entry(n.kinetic, i),
                K[i],
                konig,
                summands if letter == "C" else (),
            ),
            Quantity("Potential energy", n.entry(n.potential, i), P[i], weight),
        )
        words = (
            "Where its centre of mass is, how fast it moves and turns, and the two energies that "
            "follow (König: that of the centre of mass, and that of the turn about it)."
        )
        parts.append(Part(link_name(tree, i, n), words, steps))
    count = range(len(tree.bodies))
    K_names = " + ".join(n.entry(n.kinetic, i) for i in count)
    P_names = " + ".join(n.entry(n.potential, i) for i in count)
    K_all, P_all = sum(K) + K_rotors, sum(P) + P_springs
    rotors = (
        Quantity(
            "Rotors",
            f"{n.kinetic}_a",
            K_rotors,
            n.rotor_energy(tree)
            if tree.shared
            else r"\tfrac12\sum_i " + n.rotor_inertia.replace("$i", "i") + rf"\,{n.rate('q')}_i^2",
        ),
    )
    away, rates = f"({n.coordinates} - {n.coordinates}_0)", n.velocities
    levers = r" + \sum (a \sin m q - b \cos m q) / m"
    levers *= any(isinstance(e, Lever) for e in tree.elastics)
    springs = (
        Quantity(
            f"Springs, which are at rest at ${n.coordinates}_0$",
            f"{n.potential}_s",
            P_springs,
            rf"\tfrac12\,{away}^T {n.stiffness}\,{away}" + levers,
        ),
    )
    lost = [n.viscous] * any(shaft.friction.viscous for shaft in tree.shafts)
    lost += [n.damping] * any(e.damping for e in tree.elastics)
    whole = (
        *(rotors if tree.has_rotors else ()),
        *(springs if tree.elastics else ()),
        Quantity(
            "Kinetic energy",
            n.kinetic,
            K_all,
            K_names + (f" + {n.kinetic}_a" if tree.has_rotors else ""),
        ),
        Quantity(
            "Potential energy",
            n.potential,
            P_all,
            P_names + (f" + {n.potential}_s" if tree.elastics else ""),
        ),
        *counted_from_rest(tree, q, P_all, n),
        Quantity("The Lagrangian", n.lagrangian, K_all - P_all, f"{n.kinetic} - {n.potential}"),
        Quantity(
            "Dissipation function, half the power that friction and dampers take",
            n.dissipation,
            dissipation(tree, qd),
            " + ".join(rf"\tfrac12\,{rates}^T {taken}\,{rates}" for taken in lost),
        ),
    )
    words = (
        "The energies of all links, and half the power that is lost. The torques enter by "
        rf"$W = \sum_i {n.torques}_i\,{n.coordinates}_i$, whose slopes they are; what the "
        r"environment pushes with, $F_c$, adds $J^T F_c$ to them."
    )
    return parts, Part("The Lagrangian", words, whole)


def counted_from_rest(tree: Tree, q: ConfigVec, P: Scalar, n: Notation) -> list[Quantity]:
    """Return the potential energy counted from q = 0, where that is not zero already."""
    if not tree.flat:
        return []
    zero = q - q
    at_zero = sum(potential_energies(tree, zero)) + elastic_energy(tree, zero)
    if not at_zero:
        return []
    title = "Counted from zero coordinates instead, which changes no equation"
    at = rf"{n.potential}|_{{{n.coordinates} = 0}}"
    return [Quantity(title, rf"{n.potential} - {at}", P - at_zero)]


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


def time_derivatives(tree: Tree, q: ConfigVec, qd: JointVec) -> list[Moving]:
    """Return position, orientation and their rates, link after link, by the product rule.

    With R_λi and p_λi those of a link in the one before, and [w; u] = S q̇ of its joint, which turns
    (w along its axis), slides (u along it), or does both:

        Rᵢ = R_λ R_λi           Ṙᵢ = Ṙ_λ R_λi + Rᵢ [w]×
        pᵢ = p_λ + R_λ p_λi     ṗᵢ = ṗ_λ + Ṙ_λ p_λi + Rᵢ u
    """
    X_PB, v_J = tree.poses(q), tree.coordinates.velocities(q, qd)
    motions = {BASE: Moving(IDENTITY, ORIGIN, 0 * IDENTITY, ORIGIN)}
    for i, body in enumerate(tree.bodies):
        before, X, (w, u) = motions[body.parent], X_PB[i], body.moves(v_J)
        R, p = before.R @ X.R, before.p + before.R @ X.p
        Rd = before.Rd @ X.R + R @ skew(w)
        pd = before.pd + before.Rd @ X.p + R @ u
        motions[i] = Moving(R, p, Rd, pd)
    return [motions[i] for i in range(len(tree.bodies))]


def kinetic_energies(tree: Tree, q: ConfigVec, motions: list[Moving]) -> list[Scalar]:
    """Return the kinetic energy of each link.

    About the centre of mass C this is König's theorem; about a link's own origin, where C is not
    known, the first moment h adds what the two motions share:

        K = ½ m v_C² + ½ ωᵀ I_C ω   (+ v · (ω × h), with h = 0 about C)
    """
    energies = []
    for body, at in zip(tree.bodies, motions, strict=True):
        _, r = reference(body.inertia, q)
        I, v, w = body.inertia.seen_from(Pose(IDENTITY, -r)), at.pd + at.Rd @ r, at.w
        shared = v @ (at.R @ cross(w, I.h))
        energies.append(I.m * (v @ v) / 2 + w @ (I.I @ w) / 2 + shared)
    return energies


def kinetic_energy(tree: Tree, q: ConfigVec, qd: JointVec) -> Scalar:
    """Return the kinetic energy of all links and rotors."""
    return sum(kinetic_energies(tree, q, time_derivatives(tree, q, qd))) + rotor_energy(tree, qd)


def rotor_energy(tree: Tree, qd: JointVec) -> Scalar:
    """Return the kinetic energy of the rotors: ½ Σ Iₐ (e·q̇)²."""
    own = sum(Ia * rate * rate / 2 for Ia, rate in zip(tree.rotor_inertia, qd, strict=True))
    return own + sum(shaft.rotor_inertia * shaft.speed(qd) ** 2 / 2 for shaft in tree.shared)


def inertia_form(tree: Tree, q: ConfigVec) -> JointMat:
    """Return M = ∂²K/∂q̇², so that the momenta are p = ∂K/∂q̇ = M q̇."""
    return second_derivative(lambda rates: kinetic_energy(tree, q, rates), tree.n)


def second_derivative(form: Callable[[JointVec], Scalar], n: int) -> JointMat:
    """Return the constant second derivative of a quadratic form in n rates, by polarisation.

    A difference of values, not a quotient of small ones:

        ∂²f/∂xᵢ∂xⱼ = f(eᵢ + eⱼ) − f(eᵢ) − f(eⱼ)
    """
    units = np.eye(n, dtype=int)
    f = [form(e) for e in units]
    H = [[2 * f[i]] * n for i in range(n)]
    for i in range(n):
        for j in range(i):
            H[i][j] = H[j][i] = form(units[i] + units[j]) - f[i] - f[j]
    return vector(H)


def potential_energies(tree: Tree, q: ConfigVec) -> list[Scalar]:
    """Return the potential energy of each link in the field of gravity: −m gᵀ P_C."""
    X_W, energies = {BASE: Pose(IDENTITY, ORIGIN)}, []
    X_PB = tree.poses(q)
    for i, body in enumerate(tree.bodies):
        X_W[i] = X_W[body.parent] @ X_PB[i]
        moment = body.inertia.m * X_W[i].p + X_W[i].R @ body.inertia.h  # m P_C
        energies.append(-(vector(list(tree.gravity)) @ moment))
    return energies


def elastic_energy(tree: Tree, q: ConfigVec) -> Scalar:
    """Return what the springs store: ½ Σ k (e·q − rest)²."""
    return sum(spring.energy(q) for spring in tree.elastics)


def dissipation(tree: Tree, qd: JointVec) -> Scalar:
    """Return Rayleigh's function, half the power that friction and dampers take.

    Viscous friction at the joints, at motors that several share, and dampers, along e:

        D = ½ Σ Fᵥ (e·q̇)² + ½ Σ d (e·q̇)²
    """
    rubbing = [(shaft.friction.viscous, shaft.speed(qd)) for shaft in tree.shafts]
    stretch = [(e.damping, e.direction @ qd) for e in tree.elastics]
    return sum(d * rate * rate / 2 for d, rate in [*rubbing, *stretch])


def elastic_torque(tree: Tree, q: ConfigVec) -> JointVec:
    """Return ∂P/∂q of the springs."""
    return along_joints(tree, lambda x: elastic_energy(tree, x), q)


def damping_torque(tree: Tree, qd: JointVec) -> JointVec:
    """Return ∂D/∂q̇; D is a quadratic form in the rates, as K is."""
    return second_derivative(lambda rates: dissipation(tree, rates), tree.n) @ qd


def inertia_name(point: str, i: int, n: Notation) -> str:
    """Return what the inertia of link i is called, about its centre of mass C or its origin O."""
    return n.of_link("inertia", i) if point == "C" else f"I_{{O_{{{i + 1}}}}}"


def reference(inertia: Inertia, q: ConfigVec) -> tuple[str, Vec3]:
    """Return the point of a body to write its energy about, and what to call it.

    It is the centre of mass C where that is a number of the state's kind. A body without mass has
    none, and among polynomials a quotient may not exist; then it is the origin O of its frame.
    """
    if not inertia.m:
        return "O", ORIGIN
    try:
        return "C", (inertia.h + (q[0] - q[0])) / inertia.m  # the zero makes it q's kind of number
    except BadArgument:
        return "O", ORIGIN
