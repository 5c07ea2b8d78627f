r"""Newton–Euler in three-vectors, link by link, as the textbooks teach it.

Motion runs out from the base, force runs back. Every vector is in its own link's axes; v̇ is the
acceleration of the origin of the link's frame, v̇_C that of its centre of mass.

    J. J. Craig, *Introduction to Robotics*, 3rd edition, section 6.5
    B. Siciliano and others, *Robotics: Modelling, Planning and Control*, section 7.5
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qddot.formulations.derivation import Part, Quantity, driven, followed, link_name, rotor_names
from qddot.formulations.formulation import RobotState, Terms, routes, term_runs, torque_part
from qddot.formulations.lagrange import inertia_name, reference
from qddot.formulations.notation import Notation
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Scalar, Vec3
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, vector


@dataclass
class NewtonEulerRun:
    """What one run finds of every link, each vector in the link's own axes."""

    w: dict[int, Vec3] = field(default_factory=dict)  # angular velocity
    wd: dict[int, Vec3] = field(default_factory=dict)  # angular acceleration
    vd: dict[int, Vec3] = field(default_factory=dict)  # acceleration of the frame's origin
    vd_C: dict[int, Vec3] = field(default_factory=dict)  # acceleration of the centre of mass
    F: dict[int, Vec3] = field(default_factory=dict)  # force that the motion takes
    N: dict[int, Vec3] = field(default_factory=dict)  # moment that the turn takes, about C
    f: dict[int, Vec3] = field(default_factory=dict)  # force across the joint
    n: dict[int, Vec3] = field(default_factory=dict)  # moment across it, about the origin
    tau: JointVec = field(default_factory=lambda: vector([]))


@routes("3-D recursion", "3-D recursion", "accelerated base")
def derive(at: RobotState) -> Terms:
    """Return the equation of motion from Newton's and Euler's equations of every link."""
    tree, q, n = at.tree, at.q, at.notation
    resting, coasting, _, M = term_runs(recursion, at)
    c, g = coasting.tau, resting.tau

    def parts() -> list[Part]:
        accelerations = np.zeros(tree.n, dtype=int) if at.qdd is None else at.qdd
        run = recursion(tree, q, at.qd, accelerations, tree.gravity)
        links = range(len(tree.bodies))
        return [
            *(outward_part(tree, q, i, run, n) for i in links),
            *(inward_part(tree, q, i, run, n) for i in reversed(links)),
            *motors_part(tree, run, n),
            sorted_part(M, c, g, n),
            torque_part(at, M, c, g),
        ]

    return M, c, g, parts


def recursion(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, gravity: tuple[Scalar, ...]
) -> NewtonEulerRun:
    """Return one run, out and back.

    With R and p the pose of link i in the one before, λ, and its joint turning about w and moving
    the origin of its frame along u at a velocity of 1, both in the link's axes (u = 0 where the
    origin lies on the axis):

        ωᵢ = Rᵀω_λ + w q̇            ω̇ᵢ = Rᵀω̇_λ + w q̈ + Rᵀω_λ × w q̇
        v̇ᵢ = Rᵀ(v̇_λ + ω̇_λ × p + ω_λ × (ω_λ × p)) + u q̈ + (2 Rᵀω_λ + w q̇) × u q̇
        F = m v̇_C        N = I ω̇ + ω × I ω                              Craig (6.45)–(6.50)
        fᵢ = Fᵢ + Σ R f        nᵢ = Nᵢ + P_C × Fᵢ + Σ (R n + p × R f)     Craig (6.51)–(6.53)
        τᵢ = w · nᵢ + u · fᵢ
    """
    X, G = tree.poses(q), tree.coordinates
    v_J, a_J = G.velocities(q, qd), G.accelerations(q, qd, qd, qdd)
    run = NewtonEulerRun()
    run.w[BASE] = run.wd[BASE] = ORIGIN
    run.vd[BASE] = vector([-x for x in gravity])
    for i, body in enumerate(tree.bodies):
        R, p, before = X[i].R, X[i].p, body.parent
        (w_J, u_J), (wd_J, ud_J) = body.moves(v_J), body.moves(a_J)
        w = R.T @ run.w[before]
        sweep = cross(run.wd[before], p) + cross(run.w[before], cross(run.w[before], p))
        run.w[i] = w + w_J
        run.wd[i] = R.T @ run.wd[before] + wd_J + cross(w, w_J)
        run.vd[i] = R.T @ (run.vd[before] + sweep) + ud_J + cross(2 * w + w_J, u_J)
        _, r = reference(body.inertia, q)
        I = body.inertia.seen_from(Pose(IDENTITY, -r))  # about r, the centre of mass if it exists
        wi, wdi = run.w[i], run.wd[i]
        run.vd_C[i] = run.vd[i] + cross(wdi, r) + cross(wi, cross(wi, r))
        run.F[i] = I.m * run.vd_C[i] + cross(wdi, I.h) + cross(wi, cross(wi, I.h))
        run.N[i] = I.I @ wdi + cross(wi, I.I @ wi) + cross(I.h, run.vd_C[i])
        run.f[i], run.n[i] = run.F[i], run.N[i] + cross(r, run.F[i])
    tau: dict[int, JointVec] = {}
    for i, body in reversed(list(enumerate(tree.bodies))):
        tau[i] = body.feels(run.n[i], run.f[i])
        if body.parent != BASE:
            f = X[i].R @ run.f[i]
            run.f[body.parent] = run.f[body.parent] + f
            run.n[body.parent] = run.n[body.parent] + X[i].R @ run.n[i] + cross(X[i].p, f)
    of_joints = vector([x for i in range(len(tree.bodies)) for x in tau[i]])
    run.tau = tree.rotor_torques(qdd) + G.torques(q, of_joints)
    return run


# how it is written on the board


def outward_part(tree: Tree, q: ConfigVec, i: int, run: NewtonEulerRun, n: Notation) -> Part:
    """Return the motion of a link, and the force and moment that it takes."""
    body = tree.bodies[i]
    k, before, name = i + 1, body.parent + 1, link_name(tree, i, n)
    (turn, slide), *_ = body.columns
    R, p = n.R(k, before), way(before, k)
    w, wd, vd = rf"\omega_{{{k}}}", rf"\dot\omega_{{{k}}}", rf"\dot v_{{{k}}}"
    w_, wd_, vd_ = rf"\omega_{{{before}}}", rf"\dot\omega_{{{before}}}", rf"\dot v_{{{before}}}"
    z, u, h = (n.entry(x, i) for x in (n.axis, n.slide, n.first_moment))
    F, N = n.entry(n.link_force, i), n.entry(n.link_moment, i)
    ratio, (qd, qdd) = followed(tree, i, n), driven(tree, i, n)
    turning = bool(turn.any())
    speed = rf"{R}\,{w_}" + (rf" + {z}\,{qd}" if turning else "")
    change = rf"{R}\,{wd_}" + (rf" + {z}\,{qdd} + {R}\,{w_}\times {z}\,{qd}" if turning else "")
    push = rf"{R}\,({vd_} + {wd_}\times {p} + {w_}\times ({w_}\times {p}))"
    if slide.any():
        spin = rf"(2{R}\,{w_} + {z}\,{qd})" if turning else rf"2{R}\,{w_}"
        push += rf" + {u}\,{qdd} + {spin}\times {u}\,{qd}"
    letter, r = reference(body.inertia, q)
    P, m, I = centre_in_own_axes(i, n), f"m_{{{k}}}", inertia_name(letter, i, n)
    turned = rf"{I}\,{wd} + {w}\times {I}\,{w}"
    steps = [*ratio, Quantity("The way to its origin, from the link before", p, tree.poses(q)[i].p)]
    if turning:
        steps.append(Quantity("Axis of its joint", z, turn))
    if slide.any():
        moves = "Direction of its joint" if not turning else "How its origin moves about that axis"
        steps.append(Quantity(moves, u, slide))
    steps += [
        Quantity("Angular velocity", w, run.w[i], speed),
        Quantity("Angular acceleration", wd, run.wd[i], change),
        Quantity("Acceleration of its origin, gravity included", vd, run.vd[i], push),
    ]
    if letter == "C":
        C = rf"\dot v_{{C_{{{k}}}}}"
        of_centre = rf"{vd} + {wd}\times {P} + {w}\times ({w}\times {P})"
        steps += [
            Quantity("Centre of mass, in its own axes", P, r),
            Quantity("Acceleration of the centre of mass", C, run.vd_C[i], of_centre),
            Quantity("The force that takes, by Newton", F, run.F[i], rf"{m}\,{C}"),
            Quantity("The moment that takes, by Euler", N, run.N[i], turned),
        ]
    else:  # its centre of mass is no polynomial: about the origin, with the first moment
        force = rf"{m}\,{vd} + {wd}\times {h} + {w}\times ({w}\times {h})"
        moment = rf"{turned} + {h}\times {vd}"
        steps += [
            Quantity("First moment", h, body.inertia.h),
            Quantity("The force that takes, by Newton", F, run.F[i], force),
            Quantity("The moment about the origin, by Euler", N, run.N[i], moment),
        ]
    words = "Outwards: how the link moves, and what this takes. Vectors are in the link's own axes."
    if not before:
        words += (
            r" The base stands still; gravity is the same as a base that accelerates upwards, "
            rf"$\dot v_0 = -{n.gravity}$."
        )
    return Part(f"Outwards: {name[0].lower()}{name[1:]}", words, tuple(steps))


def inward_part(tree: Tree, q: ConfigVec, i: int, run: NewtonEulerRun, n: Notation) -> Part:
    """Return the force and the moment across a joint, and what of it the motor carries."""
    body, k = tree.bodies[i], i + 1
    beyond = [j for j, other in enumerate(tree.bodies) if other.parent == i]
    f, moment = n.entry(n.joint_force, i), n.entry(n.joint_moment, i)
    force, turned = n.entry(n.link_force, i), n.entry(n.link_moment, i)
    if reference(body.inertia, q)[0] == "C":  # else the link's moment is about the origin already
        turned += rf" + {centre_in_own_axes(i, n)}\times {force}"
    for j in beyond:
        carried = rf"{n.R(k, j + 1)}\,{n.entry(n.joint_force, j)}"
        force += f" + {carried}"
        turned += rf" + {n.R(k, j + 1)}\,{n.entry(n.joint_moment, j)}"
        turned += rf" + {way(k, j + 1)}\times {carried}"
    (turn, slide), *_ = body.columns
    shares = [rf"{moment}^T {n.entry(n.axis, i)}"] * bool(turn.any())
    shares += [rf"{f}^T {n.entry(n.slide, i)}"] * bool(slide.any())
    carried, tau = body.feels(run.n[i], run.f[i])[0], joint_torque(tree, i, n)
    steps = (
        Quantity("Force across the joint", f, run.f[i], force),
        Quantity("Moment across the joint, about the origin", moment, run.n[i], turned),
        Quantity("What of it the joint carries", tau, carried, " + ".join(shares)),
    )
    words = "Inwards: the joint carries what its own link takes and what the links beyond ask for."
    return Part(f"Inwards: joint {k}", words, steps)


def joint_torque(tree: Tree, i: int, n: Notation) -> str:
    """Return the name of what joint i carries: the torque itself, if nothing is added to it."""
    at = tree.drives[i].index
    alone = sum(drive.index == at for drive in tree.drives) == 1 and not any(tree.rotor_matrix[at])
    return n.entry(n.torques, at) if alone else rf"{n.torques}_{{J_{{{i + 1}}}}}"


def motors_part(tree: Tree, run: NewtonEulerRun, n: Notation) -> list[Part]:
    """Return the torques to which rotors and joints that follow others add, if there are any."""
    steps = []
    for at, torque in enumerate(run.tau):
        moved = [i for i, drive in enumerate(tree.drives) if drive.index == at]
        if len(moved) == 1 and not any(tree.rotor_matrix[at]):
            continue
        ratios = ["" if tree.drives[i].own else rf"\rho_{{{i + 1}}}\," for i in moved]
        names = [ratio + joint_torque(tree, i, n) for ratio, i in zip(ratios, moved, strict=True)]
        names += rotor_names(tree, at, n)
        steps.append(Quantity("", n.entry(n.torques, at), torque, " + ".join(names)))
    words = "A rotor adds its own inertia, and a joint that follows another loads that one's motor."
    return [Part("The motors", words, tuple(steps))] if steps else []


def sorted_part(M: JointMat, c: JointVec, g: JointVec, n: Notation) -> Part:
    """Return the torques sorted into the terms of the equation."""
    steps = (
        Quantity("What multiplies the accelerations, rotors included", n.mass_matrix, M),
        Quantity("What is left without gravity", n.velocity_torques, c),
        Quantity("What is left at rest", n.gravity_torques, g),
    )
    return Part("The terms of the equation", "The torques of all joints, sorted.", steps)


def way(before: int, k: int) -> str:
    """Return the name of the way from the origin of one frame to that of another."""
    return f"{{}}^{{{before}}}p_{{{k}}}"


def centre_in_own_axes(i: int, n: Notation) -> str:
    """Return the name of a centre of mass that is seen from the link's own frame."""
    return f"{{}}^{{{i + 1}}}{n.of_link('centre', i).removeprefix('{}^{0}')}"
