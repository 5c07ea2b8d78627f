"""The explicit form: the equations of motion from Jacobians, without writing down an energy.

Notation is that of the deck: m_ijk = ∂m_ij/∂q_k, and b_ijk has the output index first. (The
printed two-link matrix has b₁₂₁ where b₂₁₁ belongs, which would flip the sign of a centrifugal
force.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from qddot.formulations.calculus import along_joints
from qddot.formulations.derivation import Derivation, Quantity
from qddot.formulations.lagrange import POINTS, indices, reference
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Vec3
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, skew, vector


def derive(tree: Tree, q: ConfigVec, qd: JointVec) -> Derivation:
    """Return the equation of motion in its explicit form.

    The terms, of which the second is split into centrifugal and Coriolis forces:

        M(q) q̈ + C(q)[q̇²] + B(q)[q̇q̇] + G(q) = τ
    """
    links = jacobians(tree, q)
    M = mass_matrix(tree, links)
    m = along_joints(tree, lambda x: M if x is q else mass_matrix(tree, jacobians(tree, x)), q)
    b = christoffel(m)
    C, B = centrifugal_and_coriolis(b)
    squares, products = vector([x * x for x in qd]), vector([x * y for x, y in combinations(qd, 2)])
    c = C @ squares + (B @ products if len(products) else 0)
    G = gravity(tree, links)

    steps = []
    for i, link in enumerate(links):
        k, name = indices(i), f"link {i + 1}"
        P = f"{{}}^0P_{{{link.point}_{k}}}"
        J_v, J_w = f"{{}}^0J_{{V_{k}}}", rf"{{}}^{k}J_{{\omega_{k}}}"
        axes = rf"[\bar\varepsilon_1\,{{}}^{k}Z_1 \;\cdots\; \bar\varepsilon_{k}\,{{}}^{k}Z_{k}]"
        steps += [
            Quantity(f"{POINTS[link.point]} of {name}", P, link.P),
            Quantity(f"Linear Jacobian of {name}", J_v, link.J_v, rf"\partial\,{P}/\partial q"),
            Quantity(f"Angular Jacobian of {name}, in its own axes", J_w, link.J_w, axes),
        ]
    formula = r"\sum_i (m_i J_{V_i}^T J_{V_i} + J_{\omega_i}^T\,{}^{C_i}I_i\,J_{\omega_i}) + I_a"
    steps.append(Quantity("Mass matrix", "M", M, formula))
    for i, j, k in np.ndindex(m.shape):
        if i <= j:
            title = f"Derivative of entry {i + 1}, {j + 1} of M by coordinate {k + 1}"
            steps.append(Quantity(title, slope(i, j, k), m[k, i, j]))
    for i, j, k in np.ndindex(b.shape):
        if j <= k:
            ijk, ikj, jki = slope(i, j, k), slope(i, k, j), slope(j, k, i)
            formula = rf"\tfrac12 ({ijk} + {ikj} - {jki})"
            symbol = f"b_{indices(i, j, k)}"
            steps.append(Quantity("Christoffel symbol", symbol, b[i, j, k], formula))
    steps += [
        Quantity("Centrifugal matrix", "C", C, r"[b_{ijj}],\ \text{times}\ [\dot q_j^2]"),
        Quantity(
            "Coriolis matrix", "B", B, r"[2 b_{ijk}]_{j<k},\ \text{times}\ [\dot q_j\dot q_k]"
        ),
        Quantity("Centrifugal and Coriolis forces", "V", c, r"C[\dot q^2] + B[\dot q\dot q]"),
        Quantity("Gravity", "G", G, r"-\sum_i J_{V_i}^T m_i\,{}^0g"),
    ]
    return Derivation("explicit", M, c, G, tuple(steps))


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
    Ia = tree.rotor_inertia
    M = vector([[Ia[i] if i == j else 0 for j in range(tree.n)] for i in range(tree.n)])
    for link in links:
        shared = link.J_v.T @ link.J_h
        M = M + link.I.m * (link.J_v.T @ link.J_v) + link.J_w.T @ (link.I.I @ link.J_w)
        M = M + shared + shared.T
    return M


def christoffel(m: np.ndarray) -> np.ndarray:
    """Return b[i, j, k] = ½ (m_ijk + m_ikj − m_jki), given m[k, i, j] = ∂m_ij/∂q_k."""
    m = np.moveaxis(m, 0, -1)
    return (m + np.swapaxes(m, 1, 2) - np.moveaxis(m, -1, 0)) / 2


def centrifugal_and_coriolis(gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return C (n × n) and B (n × n(n−1)/2) with c = C [q̇ᵢ²] + B [q̇ᵢ q̇ⱼ], i < j.

    In terms of Christoffel symbols with the output index first:

        C = [b_ijj]        B = [2 b_ijk], its columns in the order 12, 13, …, 1n, 23, …
    """
    n = len(gamma)
    C = np.stack([gamma[:, j, j] for j in range(n)], axis=1)
    pairs = [2 * gamma[:, j, k] for j, k in combinations(range(n), 2)]
    return C, np.stack(pairs, axis=1) if pairs else np.zeros((n, 0))


def gravity(tree: Tree, links: list[LinkJacobians]) -> JointVec:
    """Return G = −Σ J_vᵀ m g, the first moments' share included where it is not zero."""
    weights = [(link.I.m * link.J_v + link.J_h).T @ vector(list(tree.gravity)) for link in links]
    return -sum(weights, start=vector([0] * tree.n))


def slope(i: int, j: int, k: int) -> str:
    """Return m_ijk in LaTeX, the first two indices in order: they may be exchanged."""
    return f"m_{indices(min(i, j), max(i, j), k)}"
