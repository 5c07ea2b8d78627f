"""The recursive Newton–Euler algorithm in six-vectors, and the terms that it can be asked for.

RBDA: R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer, 2008, section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.formulations.derivation import Part, Quantity, driven, followed, link_name
from qddot.formulations.formulation import RobotState, Terms, routes, term_runs, torque_part
from qddot.formulations.notation import Notation
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, Force, JointVec, Motion
from qddot.spatial.pose import ORIGIN
from qddot.spatial.vector import cross_force, cross_motion, join, vector

ZERO6 = np.zeros(6, dtype=int)  # int, so that symbolic results stay exact
FREE_FALL = (0, 0, 0)


@dataclass(frozen=True)
class Recursion:
    """What one run leaves behind: the motion of each link, the force on it, the torques."""

    v: dict[int, Motion]
    a: dict[int, Motion]
    f: dict[int, Force]  # across the joint, by what is beyond it
    tau: JointVec


@routes("6-D recursion", "6-D recursion", "accelerated base", "tree; × with stacked")
def derive(at: RobotState) -> Terms:
    """Return the equation of motion, term by term out of the recursion."""
    tree, n, (resting, coasting, starting, M) = at.tree, at.notation, term_runs(recursion, at)

    def parts() -> list[Part]:
        return [
            *(link_part(tree, i, coasting, resting, n) for i in range(len(tree.bodies))),
            runs_part(starting, coasting.tau, resting.tau, n),
            torque_part(at, M, coasting.tau, resting.tau),
        ]

    return M, coasting.tau, resting.tau, parts


# how it is written on the board


def link_part(tree: Tree, i: int, coasting: Recursion, resting: Recursion, n: Notation) -> Part:
    """Return the motion of a link and the force across its joint, at constant velocities."""
    k, before = i + 1, tree.bodies[i].parent + 1
    letters = (n.screw_axis, n.spatial_velocity, n.spatial_acceleration, n.joint_force)
    S, v, a, f = (n.entry(letter, i) for letter in letters)
    I, (qd, _) = n.entry(n.spatial_inertia, i), driven(tree, i, n)
    own = rf"{S}\,{qd}"
    carried = rf"{{}}^{{{k}}}X_{{{before}}}\,"
    velocity = rf"{carried}{n.entry(n.spatial_velocity, before - 1)} + {own}"
    acceleration = rf"{carried}{n.entry(n.spatial_acceleration, before - 1)} + {v}\times {own}"
    beyond = [j for j, body in enumerate(tree.bodies) if body.parent == i]
    force = rf"{I}\,{a} + {v}\times^* {I}\,{v}"
    for j in beyond:
        force += rf" + {{}}^{{{k}}}X_{{{j + 1}}}^{{*}}\,{n.entry(n.joint_force, j)}"
    steps = (
        *followed(tree, i, n),
        Quantity("Screw of its joint", S, tree.bodies[i].joint.S),
        Quantity("Spatial velocity", v, coasting.v[i], velocity),
        Quantity("Spatial acceleration at constant velocities", a, coasting.a[i], acceleration),
        Quantity("Force across its joint at constant velocities", f, coasting.f[i], force),
        Quantity("Force across its joint at rest, against gravity", f"{f}|_g", resting.f[i]),
    )
    any_acceleration = n.acceleration.replace("$x", "q") + "_i"
    words = (
        "Six-vectors in the link's own axes, the angular part first. A spatial acceleration is the "
        r"rate of the spatial velocity, not the acceleration of a point: that has "
        r"$\omega\times v$ more. "
        rf"Accelerations of the joints would add ${n.screw_axis}_i\,{any_acceleration}$."
    )
    return Part(link_name(tree, i, n), words, steps)


def runs_part(starting: list[Recursion], c: JointVec, g: JointVec, n: Notation) -> Part:
    """Return the terms of the equation as runs of the recursion with parts of the motion."""
    tau, v, a = n.torques, n.velocities, n.accelerations
    steps = []
    for i, run in enumerate(starting):
        formula = rf"{tau}|_{{{v} = 0,\,{a} = e_{{{i + 1}}},\,{n.gravity} = 0}}"
        title = f"Column {i + 1} of the mass matrix"
        steps.append(Quantity(title, n.entry(n.mass_matrix, i), run.tau, formula))
    coasting = rf"{tau}|_{{{a} = 0,\,{n.gravity} = 0}}"
    resting = rf"{tau}|_{{{v} = {a} = 0}}"
    steps += [
        Quantity("Centrifugal and Coriolis torques", n.velocity_torques, c, coasting),
        Quantity("Gravity torques", n.gravity_torques, g, resting),
    ]
    words = (
        "Each term is one run of the recursion with the others switched off; a joint carries "
        rf"${n.screw_axis}_i^T {n.joint_force}_i$ of the force across it, and a rotor adds its own."
    )
    return Part("The terms of the equation", words, tuple(steps))


def recursion(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    qdd: JointVec,
    gravity: tuple,
    tip: dict[int, Force] | None = None,
) -> Recursion:
    """Return one run of the recursion.

    Motion runs out from the base, force runs back; every vector is in its own link's axes, λ is
    the parent of i and μ what it carries:

        vᵢ = vλ + Sᵢ q̇ᵢ
        aᵢ = aλ + Sᵢ q̈ᵢ + vᵢ × Sᵢ q̇ᵢ                     a₀ = −gravity
        fᵢ = Iᵢ aᵢ + vᵢ ×* Iᵢ vᵢ + Σ f_μ                   RBDA (5.9)
        τᵢ = Sᵢ · fᵢ                                       RBDA (5.11)

    With a wrench in `tip`, by link, that it applies to the environment, in the link's frame.
    """
    X, G = tree.poses(q), tree.coordinates
    v_J, a_J = G.velocities(q, qd), G.accelerations(q, qd, qd, qdd)
    v = {BASE: ZERO6}
    a = {BASE: join(ORIGIN, vector([-g for g in gravity]))}
    f = {BASE: ZERO6}
    tau: dict[int, JointVec] = {}

    # base to tips: motion
    for i, body in enumerate(tree.bodies):
        S, I = body.joint.S, body.inertia
        vJ = S @ v_J[body.v]
        v[i] = X[i].motion_inv(v[body.parent]) + vJ
        a[i] = X[i].motion_inv(a[body.parent]) + S @ a_J[body.v] + cross_motion(v[i], vJ)
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i]) + (tip or {}).get(i, ZERO6)

    # tips to base: force
    for i, body in reversed(list(enumerate(tree.bodies))):
        tau[i] = body.joint.S.T @ f[i]
        f[body.parent] = f[body.parent] + X[i].force(f[i])
    of_joints = vector([x for i in range(len(tree.bodies)) for x in tau[i]])
    return Recursion(v, a, f, tree.rotor_torques(qdd) + G.torques(q, of_joints))


def tip_torque(tree: Tree, q: ConfigVec, frame: str, wrench: Force) -> JointVec:
    """Return Jᵀ F, the torques with which the robot presses on its environment: τ(0, 0, 0, F).

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).
        frame: Where it presses, a link or a frame.
        wrench: What the robot applies to the environment: [moment; force], in the frame's axes at
            its origin.
    """
    still = np.zeros(tree.n, dtype=int)
    link, X_BF = tree.frame(frame)
    run = recursion(tree, q, still, still, FREE_FALL, {link: X_BF.force(vector(list(wrench)))})
    return run.tau
