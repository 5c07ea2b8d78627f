"""The explicit form: the equations of motion from Jacobians, without writing down an energy.

Of the Christoffel symbols b_ijk here, the first index is the torque's. (The deck's two-link matrix
has b₁₂₁ where b₂₁₁ belongs, which would flip the sign of a centrifugal force.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from qddot.formulations.calculus import along_joints
from qddot.formulations.derivation import Part, Quantity, link_name
from qddot.formulations.formulation import RobotState, Terms, routes, torque_part
from qddot.formulations.lagrange import POINTS, inertia_name, reference
from qddot.formulations.notation import Notation
from qddot.formulations.velocity_parts import (
    centrifugal_and_coriolis,
    christoffel,
    christoffel_part,
    coriolis_part,
    slopes_part,
    split_part,
)
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Vec3
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, skew, vector

MOST_COLUMNS = 4  # that are written out


@routes("Σ JᵀmJ + JᵀIJ", "Christoffel symbols", "−Σ Jᵀmg")
def derive(at: RobotState) -> Terms:
    """Return the equation of motion in its explicit form.

    The terms, of which the second is split into centrifugal and Coriolis forces:

        M(q) q̈ + C(q)[q̇²] + B(q)[q̇q̇] + G(q) = τ
    """
    tree, q, qd, n = at.tree, at.q, at.qd, at.notation
    links = jacobians(tree, q)
    M = mass_matrix(tree, links)
    m = along_joints(tree, lambda x: M if x is q else mass_matrix(tree, jacobians(tree, x)), q)
    b = christoffel(m)
    C, B = centrifugal_and_coriolis(b)
    squares, products = vector([x * x for x in qd]), vector([x * y for x, y in combinations(qd, 2)])
    c = C @ squares + (B @ products if len(products) else 0)
    G = gravity(tree, links)

    def parts() -> list[Part]:
        return [
            *(link_part(tree, link, i, n) for i, link in enumerate(links)),
            mass_part(tree, links, M, n),
            slopes_part(m, n),
            christoffel_part(b, n),
            split_part(C, B, squares, products, c, n),
            coriolis_part(m, b, qd, c, n),
            gravity_part(tree, links, G, n),
            torque_part(at, M, c, G),
        ]

    return M, c, G, parts


# how it is written on the board


def link_part(tree: Tree, link: LinkJacobians, i: int, n: Notation) -> Part:
    """Return where a link's centre of mass is, and its two Jacobians."""
    k = i + 1
    P = n.of_link("centre", i) if link.point == "C" else f"P_{{O_{{{k}}}}}"
    I = inertia_name(link.point, i, n)
    linear = (
        r"Linear Jacobian, in base axes, with a column $z_j\times(P - p_j)$ for a joint that "
        "turns about an axis through $p_j$ and $z_j$ for one that slides"
    )
    angular = r"Angular Jacobian, in the link's own axes ($\bar\varepsilon = 1$ turns, 0 slides)"
    about, J_v = POINTS[link.point].lower(), rf"\partial {P}/\partial {n.coordinates}"
    J_w = angular_columns(tree, i, n)
    steps = [
        Quantity(POINTS[link.point], P, link.P),
        Quantity(linear, n.of_link("linear_jacobian", i), link.J_v, J_v),
        Quantity(angular, n.of_link("angular_jacobian", i), link.J_w, J_w),
        Quantity(f"Inertia about the {about}, in the link's own axes", I, link.I.I),
    ]
    if link.J_h.any():
        title = "What the velocities make of the first moment about the origin"
        steps.append(Quantity(title, first_moment_jacobian(i), link.J_h))
    words = "How its centre of mass and its orientation follow the coordinates."
    return Part(link_name(tree, i, n), words, tuple(steps))


def angular_columns(tree: Tree, i: int, n: Notation) -> str:
    """Return the columns of an angular Jacobian: the axes of the joints that move the link."""
    columns: dict[int, list[str]] = {c: [] for c in range(tree.n)}
    j = i
    while j != BASE:
        axis = rf"\bar\varepsilon_{{{j + 1}}}\,{{}}^{{{i + 1}}}z_{{{j + 1}}}"
        ratio = "" if tree.drives[j].own else rf"\rho_{{{j + 1}}}\,"
        columns[tree.drives[j].index].insert(0, ratio + axis)
        j = tree.bodies[j].parent
    cells = [" + ".join(axes) or "0" for axes in columns.values()]
    if len(cells) > MOST_COLUMNS:
        cells = [*cells[: MOST_COLUMNS - 1], r"\cdots", cells[-1]]
    return "[\\," + " \\quad ".join(cells) + "\\,]"


def first_moment_jacobian(i: int) -> str:
    return f"J_{{h_{{{i + 1}}}}}"


def mass_part(tree: Tree, links: list[LinkJacobians], M: JointMat, n: Notation) -> Part:
    """Return the mass matrix: what the motion and the turn of each link add to it."""
    moved, turned, both = [], [], []
    for i, link in enumerate(links):
        J_v, J_w = n.of_link("linear_jacobian", i), n.of_link("angular_jacobian", i)
        moving = rf"m_{{{i + 1}}}\,({J_v})^T {J_v}"
        J_h = first_moment_jacobian(i)
        turning = rf"({J_w})^T\,{inertia_name(link.point, i, n)}\,{J_w}"
        moves, turns = link.I.m * (link.J_v.T @ link.J_v), link.J_w.T @ (link.I.I @ link.J_w)
        shared = link.J_v.T @ link.J_h
        name, crossed = link_name(tree, i, n).partition(",")[0], f"({J_v})^T {J_h} + {J_h}^T {J_v}"
        if link.point == "C" or moves.any():
            moved.append(Quantity(f"{name} moves", moving, moves))
        if link.point == "C" or turns.any():
            turned.append(Quantity(f"{name} turns", turning, turns))
        if shared.any():
            both.append(Quantity(f"{name} does both at once", crossed, shared + shared.T))
    steps = moved + turned + both
    names = [step.symbol for step in steps]
    if tree.has_rotors:
        names.append(n.rotors(tree))
    steps.append(Quantity("Together, the mass matrix", n.mass_matrix, M, " + ".join(names)))
    words = (
        r"The kinetic energy of a link is $\tfrac12 m\,v^T v + \tfrac12\,\omega^T I\,\omega$, and "
        rf"$v$ and $\omega$ are linear in ${n.velocities}$: the mass matrix is a sum over links."
    )
    return Part("Mass matrix", words, tuple(steps))


def gravity_part(tree: Tree, links: list[LinkJacobians], G: JointVec, n: Notation) -> Part:
    """Return the gravity torques, link by link."""
    g = vector(list(tree.gravity))
    steps = [Quantity("Acceleration of free fall, in base axes", n.gravity, g)]
    names = []
    for i, link in enumerate(links):
        J_v, m, P = n.of_link("linear_jacobian", i), f"m_{{{i + 1}}}", n.of_link("centre", i)
        both = rf"({m}\,{J_v} + {first_moment_jacobian(i)})^T {n.gravity}"
        names.append(both if link.J_h.any() else rf"({J_v})^T {m}\,{n.gravity}")
        what = link_name(tree, i, n).partition(",")[0].lower()
        if link.point == "C":
            title = f"Potential energy of {what}, but for a constant"
            formula = rf"-{m}\,{n.gravity}^T {P}"
            energy = -(link.I.m * (g @ link.P))
            steps.append(Quantity(title, n.entry(n.potential, i), energy, formula))
        share = -((link.I.m * link.J_v + link.J_h).T @ g)
        steps.append(Quantity(f"Weight of {what} at the joints", f"-{names[-1]}", share))
    formula = "-" + " - ".join(names) + rf" = \partial {n.potential}/\partial {n.coordinates}"
    steps.append(Quantity("Gravity torques", n.gravity_torques, G, formula))
    words = "The weight acts at the centres of mass, and their Jacobians take it to the joints."
    return Part("Gravity", words, tuple(steps))


@dataclass(frozen=True)
class LinkJacobians:
    """How a link answers to the joints: its centre of mass P_C, and what q̇ does to it."""

    point: str  # C, or O where the origin of its frame has to stand for the centre of mass
    P: Vec3  # in base axes
    J_v: np.ndarray  # (3, n), v_C = J_v q̇ in base axes
    J_w: np.ndarray  # (3, n), ω = J_ω q̇ in the link's axes
    J_h: np.ndarray  # (3, n), rate of the first moment about P, which is zero about C
    I: Inertia  # about P, in the link's axes


def jacobians(tree: Tree, q: ConfigVec) -> list[LinkJacobians]:
    """Return the Jacobians of each link.

    What a joint at p does to a point beyond it is the derivative of that point. With [z; s] its S
    in base axes, z = 0 where it slides and s = 0 where it turns:

        ∂P_C/∂q = z × (P_C − p) + s        column of J_ω:  ⁱz
    """
    X_W = {BASE: STILL}
    links = []
    X_PB = tree.poses(q)
    for i, body in enumerate(tree.bodies):
        X_W[i] = X_W[body.parent] @ X_PB[i]
        letter, r = reference(body.inertia, q)
        P, I = X_W[i].point(r), body.inertia.seen_from(Pose(IDENTITY, -r))
        linear, angular = ([[0, 0, 0] for _ in range(tree.n)] for _ in range(2))
        j = i
        while j != BASE:
            drive = tree.drives[j]
            for k, column in enumerate(tree.bodies[j].columns, drive.v.start):
                z, s = (drive.ratio * (X_W[j].R @ part) for part in column)
                linear[k] = list(linear[k] + cross(z, P - X_W[j].p) + s)
                angular[k] = list(angular[k] + X_W[i].R.T @ z)
            j = tree.bodies[j].parent
        J_v, J_w = vector(linear).T, vector(angular).T
        links.append(LinkJacobians(letter, P, J_v, J_w, -(X_W[i].R @ (skew(I.h) @ J_w)), I))
    return links


def mass_matrix(tree: Tree, links: list[LinkJacobians]) -> JointMat:
    """Return the mass matrix of the links and the rotors.

    About the centres of mass, and about another point with what its first moment adds:

        M = Σ (m J_vᵀ J_v + J_ωᵀ I J_ω)   (+ J_vᵀ J_h + J_hᵀ J_v)
    """
    M = tree.rotor_matrix
    for link in links:
        shared = link.J_v.T @ link.J_h
        M = M + link.I.m * (link.J_v.T @ link.J_v) + link.J_w.T @ (link.I.I @ link.J_w)
        M = M + shared + shared.T
    return M


def gravity(tree: Tree, links: list[LinkJacobians]) -> JointVec:
    """Return G = −Σ J_vᵀ m g, the first moments' share included where it is not zero."""
    weights = [(link.I.m * link.J_v + link.J_h).T @ vector(list(tree.gravity)) for link in links]
    return -sum(weights, start=vector([0] * tree.n))
