r"""Newton–Euler in three-vectors, link by link, as the textbooks teach it.

Motion runs out from the base, force runs back. Every vector is in its own link's axes; v̇ is the
acceleration of the origin of the link's frame, v̇_C that of its centre of mass.

    J. J. Craig, *Introduction to Robotics*, 3rd edition, section 6.5
    B. Siciliano and others, *Robotics: Modelling, Planning and Control*, section 7.5
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qddot.formulations.derivation import Derivation, Part, Quantity, torque_part
from qddot.formulations.lagrange import reference
from qddot.formulations.notation import NOTATION, Notation
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointVec, Scalar, Vec3
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


def derive(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    notation: Notation = NOTATION,
    qdd: JointVec | None = None,
) -> Derivation:
    """Return the equation of motion from Newton's and Euler's equations of every link.

    Args:
        tree: The robot.
        q, qd: Joint positions [rad or m] and velocities, shape (n,).
        notation: The letters of the steps.
        qdd: Accelerations for the steps; zero if not given.
    """
    still = np.zeros(tree.n, dtype=int)
    weightless = (0, 0, 0)
    g = recursion(tree, q, still, still, tree.gravity).tau
    c = recursion(tree, q, qd, still, weightless).tau
    columns = [recursion(tree, q, still, e, weightless).tau for e in np.eye(tree.n, dtype=int)]
    M = np.stack(columns, axis=1)

    def worked_out() -> list[Part]:
        run = recursion(tree, q, qd, still if qdd is None else qdd, tree.gravity)
        links = range(len(tree.bodies))
        return [
            *(outward_part(tree, q, i, run, notation) for i in links),
            *(inward_part(tree, i, run, notation) for i in reversed(links)),
            sorted_part(columns, c, g, notation),
            torque_part(M, c, g, qdd, notation),
        ]

    return Derivation("newton_euler", M, c, g, worked_out)


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
    rotors = vector([Ia * x for Ia, x in zip(tree.rotor_inertia, qdd, strict=True)])
    run.tau = rotors + G.torques(q, of_joints)
    return run


# how it is written on the board


def outward_part(tree: Tree, q: ConfigVec, i: int, run: NewtonEulerRun, n: Notation) -> Part:
    """Return the motion of a link, and the force and moment that it takes."""
    body = tree.bodies[i]
    k, before = i + 1, body.parent + 1
    (turn, slide), *_ = body.columns
    R, p = n.R(k, before), f"{{}}^{{{before}}}p_{{{k}}}"
    w, wd, vd = rf"\omega_{{{k}}}", rf"\dot\omega_{{{k}}}", rf"\dot v_{{{k}}}"
    w_, wd_, vd_ = rf"\omega_{{{before}}}", rf"\dot\omega_{{{before}}}", rf"\dot v_{{{before}}}"
    z, u = f"z_{{{k}}}", f"u_{{{k}}}"
    qd, qdd = n.qd(tree.drives[i].index), n.qdd(tree.drives[i].index)
    turning = bool(turn.any())
    speed = rf"{R}\,{w_}" + (rf" + {z}\,{qd}" if turning else "")
    change = rf"{R}\,{wd_}" + (rf" + {z}\,{qdd} + {R}\,{w_}\times {z}\,{qd}" if turning else "")
    push = rf"{R}\,({vd_} + {wd_}\times {p} + {w_}\times ({w_}\times {p}))"
    if slide.any():
        spin = rf"(2{R}\,{w_} + {z}\,{qd})" if turning else rf"2{R}\,{w_}"
        push += rf" + {u}\,{qdd} + {spin}\times {u}\,{qd}"
    letter, r = reference(body.inertia, q)
    P, m = n.of_link("centre", i), f"m_{{{k}}}"
    I = n.of_link("inertia", i)
    steps = [Quantity("The way to its origin, from the link before", p, tree.poses(q)[i].p)]
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
        moment = rf"{I}\,{wd} + {w}\times {I}\,{w}"
        steps += [
            Quantity("Centre of mass, in its own axes", P, r),
            Quantity("Acceleration of the centre of mass", C, run.vd_C[i], of_centre),
            Quantity("Newton: the force that takes", f"F_{{{k}}}", run.F[i], rf"{m}\,{C}"),
            Quantity("Euler: the moment that takes", f"N_{{{k}}}", run.N[i], moment),
        ]
    else:  # its centre of mass is no polynomial: about the origin, with the first moment
        h = f"h_{{{k}}}"
        force = rf"{m}\,{vd} + {wd}\times {h} + {w}\times ({w}\times {h})"
        moment = rf"{I}\,{wd} + {w}\times {I}\,{w} + {h}\times {vd}"
        steps += [
            Quantity("First moment", h, body.inertia.h),
            Quantity("Newton: the force that takes", f"F_{{{k}}}", run.F[i], force),
            Quantity("Euler: the moment about the origin", f"N_{{{k}}}", run.N[i], moment),
        ]
    words = "Outwards: how the link moves, and what this takes. Vectors are in the link's own axes."
    if not before:
        words += (
            r" The base stands still; gravity is the same as a base that accelerates upwards, "
            rf"$\dot v_0 = -{n.gravity}$."
        )
    return Part(f"Outwards: link {k}", words, tuple(steps))


def inward_part(tree: Tree, i: int, run: NewtonEulerRun, n: Notation) -> Part:
    """Return the force and the moment across a joint, and what of it the motor carries."""
    body, k = tree.bodies[i], i + 1
    beyond = [j + 1 for j, other in enumerate(tree.bodies) if other.parent == i]
    f, moment = f"f_{{{k}}}", f"n_{{{k}}}"
    P = n.of_link("centre", i)
    force = f"F_{{{k}}}" + "".join(rf" + {n.R(k, j)}\,f_{{{j}}}" for j in beyond)
    turned = rf"N_{{{k}}} + {P}\times F_{{{k}}}"
    for j in beyond:
        turned += rf" + {n.R(k, j)}\,n_{{{j}}} + {{}}^{{{k}}}p_{{{j}}}\times {n.R(k, j)}\,f_{{{j}}}"
    (turn, slide), *_ = body.columns
    shares = [rf"{moment}^T z_{{{k}}}"] * bool(turn.any())
    shares += [rf"{f}^T u_{{{k}}}"] * bool(slide.any())
    carried = body.feels(run.n[i], run.f[i])[0]
    own = tree.drives[i].own and not tree.rotor_inertia[tree.drives[i].index]
    title = "What of it the joint carries" + ("" if own else ", without the rotor")
    name = n.entry(n.torques, i) if own else rf"{n.torques}_{{J_{{{k}}}}}"
    steps = (
        Quantity("Force across the joint", f, run.f[i], force),
        Quantity("Moment across the joint, about the origin", moment, run.n[i], turned),
        Quantity(title, name, carried, " + ".join(shares)),
    )
    words = "Inwards: the joint carries what its own link takes and what the links beyond ask for."
    return Part(f"Inwards: joint {k}", words, steps)


def sorted_part(columns: list[JointVec], c: JointVec, g: JointVec, n: Notation) -> Part:
    """Return the torques sorted into the terms of the equation."""
    M = np.stack(columns, axis=1)
    steps = (
        Quantity("What multiplies the accelerations, rotors included", n.mass_matrix, M),
        Quantity("What is left without gravity", n.velocity_torques, c),
        Quantity("What is left at rest", n.gravity_torques, g),
    )
    return Part("The terms of the equation", "The torques of all joints, sorted.", steps)
