"""Virtual work of inertia forces on point masses: d'Alembert's principle, read from the model.

The tree of the robot, its poses, inertias and rotors are not used, so that an error in them shows
when the other formulations, which are given the tree, are compared with this one. `read` reads the
model again: placements, fixed and locked joints, joints that follow others, payloads, rotors.

H. Goldstein, C. Poole, J. Safko, *Classical Mechanics*, 3rd ed., 2002, section 1.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from qddot.formulations.derivation import Part, Quantity
from qddot.formulations.formulation import RobotState, Terms, routes
from qddot.formulations.notation import Notation
from qddot.model.joint import FIXED, Joint
from qddot.model.joints import MOTIONS, JointMotion
from qddot.model.link import Inertial, Placement
from qddot.model.model import Model, mapped
from qddot.scalars import ConfigVec, JointVec, Mat3, Scalar, Vec3, constant_sincos, sincos, sqrt
from qddot.scalars.expressions import ZERO, expression

# turn and slide per unit of q, of the kinds of joints whose motion is written here
TURN, SLIDE = (1, 0), (0, 1)
SCREWS = {FIXED: (0, 0), "revolute": TURN, "continuous": TURN, "rotor": TURN, "prismatic": SLIDE}
KNOWN = (*SCREWS, "screw")
ONE = np.eye(4, dtype=int).astype(object)
AXES = ONE[:3, :3]

PointMass = tuple[Scalar, tuple[Scalar, ...]]  # a mass and its place in the frame of its link
# T of a link in base axes, 4 × 4, its ∂T/∂q by coordinate, and T̈ where q̈ = 0
LinkMotion = tuple[np.ndarray, dict[int, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class MovingMasses:
    """A link, how it moves in the one that carries it, and the point masses on it."""

    name: str
    parent: str  # the link that carries it
    place: tuple[tuple[Scalar, ...], ...]  # of its frame in that link where q = 0, 4 × 4
    S: tuple[Scalar, ...]  # turn and slide per unit of the joint's position
    spins: bool  # as a rotor, whose masses lie evenly round its axis: its angle is left out
    motion: JointMotion | None  # the joint's own, of a kind that is not in KNOWN
    leader: str  # the joint whose coordinate moves it; "" if it is held
    ratio: Scalar  # by which it follows that joint
    masses: tuple[PointMass, ...]  # some are negative, their sums are those of the bodies


@dataclass(frozen=True)
class Mechanism:
    """What M, c and g depend on, in numbers of one kind."""

    coordinates: tuple[str, ...]  # the joints that have one of their own
    base: str
    links: tuple[MovingMasses, ...]
    gravity: tuple[Scalar, ...]
    rotors: tuple[tuple[Scalar, tuple[Scalar, ...]], ...]  # Iₐ and e of ½ Iₐ (e·q̇)²


@routes("Σ μ JᵀJ", "Σ μ Jᵀp̈", "−Σ μ Jᵀg", "none: reads the model", lambda model: read(model))
def derive(at: RobotState) -> Terms:
    """Return the equation of motion from the virtual work on every point mass μ at p(q).

    With J = ∂p/∂q, a displacement that the joints allow is δp = J δq, and p̈ = J q̈ + p̈₀. The
    torques do the work that inertia and gravity take:

        Σ δpᵀ μ (p̈ − g) = δqᵀ τ        M = Σ μ JᵀJ        c = Σ μ Jᵀp̈₀        g = −Σ μ Jᵀg
    """
    robot, notation = at.robot, at.notation
    n, X = len(robot.coordinates), transforms(robot, at.q, at.qd)
    M, c, g = np.zeros((n, n), dtype=object), *np.zeros((2, n), dtype=object)
    for inertia, e in robot.rotors:
        M = M + inertia * np.outer(e, e)
    for link in robot.links:
        (_, slopes, bend), (r, mu) = X[link.name], columns(link)
        P = (r * mu) @ r.T  # summed over the masses of a link: Σ μ ṗᵀṗ = tr(Ṫ P Ṫᵀ) with p = T r
        for j in slopes:
            momentum = slopes[j][:3] @ P
            for k in slopes:
                M[j, k] = M[j, k] + (momentum * slopes[k][:3]).sum() if k <= j else 0
            c[j] = c[j] + (momentum * bend[:3]).sum()
            g[j] = g[j] - np.array(robot.gravity, dtype=object) @ momentum[:, 3]
    for j, k in zip(*np.triu_indices(n, 1), strict=True):
        M[j, k] = M[k, j]

    def parts() -> list[Part]:
        moved = [link for link in robot.links if link.masses and X[link.name][1]]
        shown = [body_part(k, x, X[x.name], notation) for k, x in enumerate(moved, 1)]
        return [*shown, work_part(at, M, c, g)]

    return M, c, g, parts


# how it is written on the board


def body_part(k: int, link: MovingMasses, X: LinkMotion, n: Notation) -> Part:
    """Return the point masses of a link, where they are and how they accelerate."""
    (r, mu), (T, _, bend), of = columns(link), X, f"_{{{k}}}"
    faster = f"Their accelerations where ${n.accelerations} = 0$"
    steps = (
        Quantity("Their places in the link's frame, a column each", f"r{of}", r[:3]),
        Quantity("The masses", rf"\mu{of}", mu),
        Quantity("The places in base axes", f"p{of}", (T @ r)[:3]),
        Quantity(faster, rf"\ddot p{of}", (bend @ r)[:3]),
    )
    words = (
        "A body moves as point masses do that have its mass, its centre and its moments. Some may "
        "be negative, and all that are not at the centre are one metre from it."
    )
    return Part(f"The point masses of moving link {k}", words, steps)


def work_part(at: RobotState, M: np.ndarray, c: JointVec, g: JointVec) -> Part:
    """Return the terms of the equation, summed over all point masses, and the torques."""
    n = at.notation
    total, rotors = r"\sum\mu\,J^T", r" + \sum I_a\,e\,e^T" if at.robot.rotors else ""
    whole = rf"{n.mass_matrix}\,{n.accelerations} + {n.velocity_torques} + {n.gravity_torques}"
    tau = c + g if at.qdd is None else M @ at.qdd + c + g
    steps = (
        Quantity("Mass matrix", n.mass_matrix, M, rf"{total} J{rotors}"),
        Quantity("Velocity torques", n.velocity_torques, c, rf"{total}\,\ddot p"),
        Quantity("Gravity torques", n.gravity_torques, g, rf"-{total}\,{n.gravity}"),
        Quantity("Torques", n.torques, tau, whole),
    )
    words = (
        rf"The joints allow $\delta p = J\,\delta {n.coordinates}$ with $J = \partial p/\partial "
        rf"{n.coordinates}$. The torques do the work that inertia and gravity take, "
        rf"$\sum\mu\,(\ddot p - {n.gravity})^T \delta p$."
    )
    return Part("Virtual work", words, steps)


# how the links move


def transforms(robot: Mechanism, q: ConfigVec, qd: JointVec) -> dict[str, LinkMotion]:
    """Return how every link moves, by the product rule from the link that carries it.

    A link whose joint has moved by x = ratio · q is at T = T_λ F A(x), with A′ = A W:

        ∂T/∂q = ∂T_λ/∂q F A + ratio T W        T̈ = T̈_λ F A + 2 Ṫ_λ F A W ẋ + T W W ẋ²
    """
    number = {name: k for k, name in enumerate(robot.coordinates)}
    X: dict[str, LinkMotion] = {robot.base: (ONE, {}, 0 * ONE)}
    for link in robot.links:
        k = number.get(link.leader, 0)
        A, W = motion(link, link.ratio * q[k]) if link.leader else (ONE, ONE)
        FA = np.array(link.place, dtype=object) @ A
        T, slopes, bend = X[link.parent]
        T, slopes, bend = T @ FA, {j: slope @ FA for j, slope in slopes.items()}, bend @ FA
        if link.leader:
            W = link.ratio * W
            rate = sum((qd[j] * slope for j, slope in slopes.items()), 0 * ONE)
            bend = bend + 2 * qd[k] * (rate @ W) + qd[k] * qd[k] * (T @ W @ W)
            slopes[k] = slopes.get(k, 0) + T @ W
        X[link.name] = T, slopes, bend
    return X


def motion(link: MovingMasses, x: Scalar) -> tuple[np.ndarray, np.ndarray]:
    """Return A, how the joint of a link moves it by x, and W with dA/dx = A W."""
    A, W, S = ONE.copy(), 0 * ONE, np.array(link.S, dtype=object)
    W[:3, :3], W[:3, 3] = cross(S[:3]), S[3:]
    if link.motion is not None:
        pose = link.motion.pose([x])
        A[:3, :3], A[:3, 3] = pose.R, pose.p
        return A, W
    A[:3, 3] = x * S[3:]
    if any(x != 0 for x in S[:3]) and not link.spins:
        A[:3, :3] = turn(S[:3], *sincos(x))
    return A, W


def turn(axis: Vec3, s: Scalar, c: Scalar) -> Mat3:
    """Return the turn about a unit axis a by its sine and cosine: c E + s [a]× + (1 − c) a aᵀ."""
    return c * AXES + s * cross(axis) + (1 - c) * np.outer(axis, axis)


def cross(a: Vec3) -> Mat3:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=object)


def columns(link: MovingMasses) -> tuple[np.ndarray, np.ndarray]:
    """Return the point masses of a link: (x, y, z, 1) of each, a column, and the masses."""
    r = np.array([[*place, 1] for _, place in link.masses], dtype=object).reshape(-1, 4)
    return r.T, np.array([mass for mass, _ in link.masses], dtype=object)


# reading the model


def read(model: Model) -> Mechanism:
    """Return the links, point masses and rotors of a model, in exact expressions."""
    model.need_single_numbers("Virtual work of point masses")
    joints = {joint.name: joint for joint in mapped(model.joints, expression)}
    frames = {frame.name: frame for frame in mapped(model.frames, expression)}
    moving = [joint for joint in joints.values() if joint.kind != FIXED]
    own = tuple(j.name for j in moving if j.locked is None and j.mimic is None)

    def position(joint: Joint) -> tuple[str, Scalar, Scalar]:
        """Return the joint whose coordinate moves this one, the ratio and the offset."""
        if joint.locked is not None or joint.kind == FIXED:
            return "", 0, joint.locked or 0
        if joint.mimic is None:
            return joint.name, 1, 0
        m = joint.mimic
        leader, ratio, offset = position(joints[m.joint])
        return leader, m.multiplier * ratio, m.multiplier * offset + m.offset

    def direction(names: Iterable[str], shares: Iterable[Scalar]) -> tuple[Scalar, ...]:
        along = dict.fromkeys(own, ZERO)
        for name, share in zip(names, shares, strict=True):
            leader, ratio, _ = position(joints[name])
            if leader:
                along[leader] = along[leader] + share * ratio
        return tuple(along.values())

    masses = {x.name: point_masses(mapped(x.inertial, expression)) for x in model.links}
    for load in mapped(model.payloads, expression):
        frame = frames.get(load.frame)  # else a link
        X = transform(frame.placement if frame else Placement())
        turned = [(mu, tuple((X @ [*r, 1])[:3])) for mu, r in point_masses(load.inertial)]
        masses[frame.link if frame else load.frame] += turned

    links = []
    for joint in joints.values():
        carried, axis, spins = masses[joint.child], joint.axis, joint.kind == "rotor"
        if joint.kind != FIXED:
            length = sqrt(sum(x * x for x in axis))
            axis = tuple(x / length for x in axis)
        S = tuple(k * x for k in SCREWS.get(joint.kind, (1, joint.pitch)) for x in axis)
        if spins:
            quarters = product(carried, ((0, 1), (1, 0), (0, -1), (-1, 0)))
            carried = merged((mu / 4, turn(axis, *angle) @ r) for (mu, r), angle in quarters)
        motion_of = None if joint.kind in KNOWN else MOTIONS[joint.kind].of(joint, axis)
        how = tuple(motion_of.S[:, 0]) if motion_of else S, spins, motion_of
        leader, ratio, offset = position(joint)
        link = MovingMasses(joint.child, joint.parent, (), *how, leader, ratio, tuple(carried))
        place = transform(joint.origin) @ motion(link, offset)[0]
        links.append(replace(link, place=tuple(map(tuple, place))))
    couplings = mapped(model.couplings, expression)
    motors = [(joint.motor, direction([joint.name], [1])) for joint in moving]
    motors += [(each.motor, direction(each.joints, each.ratios)) for each in couplings]
    rotors = tuple((m.gear * m.gear * m.rotor_inertia, e) for m, e in motors if m.rotor_inertia)
    gravity = mapped(model.gravity, expression)
    return Mechanism(own, model.links[0].name, tuple(links), gravity, rotors)


def turning(robot: Mechanism) -> Mechanism:
    """Return the robot with its rotors at the angles where they stand, which change nothing."""
    return replace(robot, links=tuple(replace(link, spins=False) for link in robot.links))


def point_masses(body: Inertial) -> list[PointMass]:
    """Return 13 point masses or fewer with the mass, centre and moments of a body.

    With P = ∫ r rᵀ dm about the centre, in the axes of its moments, and all arms of one metre: two
    masses P_xy/2 at ±(x + y) for each product, two at ±x with what is left of P_xx, and what is
    left of the mass at the centre.
    """
    xx, xy, xz, yy, yz, zz = body.inertia
    left = [(yy + zz - xx) / 2, (xx + zz - yy) / 2, (xx + yy - zz) / 2]
    arms = []
    for i, j, P in ((0, 1, -xy), (0, 2, -xz), (1, 2, -yz)):
        left[i], left[j] = left[i] - P, left[j] - P
        arms.append((AXES[i] + AXES[j], P))
    arms += zip(AXES, left, strict=True)
    R, centre = roll_pitch_yaw(body.rpy), np.array(body.com, dtype=object)
    found = [(P / 2, centre + sign * (R @ arm)) for arm, P in arms for sign in (1, -1)]
    return merged([(body.mass - sum(P for _, P in arms), centre), *found])


def merged(masses: Iterable[tuple[Scalar, np.ndarray]]) -> list[PointMass]:
    """Return the masses at each place together, without those that are zero."""
    found: dict[tuple[Scalar, ...], Scalar] = {}
    for mass, place in masses:
        found[tuple(place)] = found.get(tuple(place), 0) + mass
    return [(mass, place) for place, mass in found.items() if mass]


def transform(placement: Placement) -> np.ndarray:
    """Return the 4 × 4 transform of a placement."""
    T = ONE.copy()
    T[:3, :3], T[:3, 3] = roll_pitch_yaw(placement.rpy), placement.xyz
    return T


def roll_pitch_yaw(angles: Vec3) -> Mat3:
    """Return the rotation by roll about x, then pitch about y, then yaw about z, axes at rest."""
    R = AXES
    for axis, angle in zip(AXES, angles, strict=True):
        R = turn(axis, *constant_sincos(expression(angle))) @ R
    return R
