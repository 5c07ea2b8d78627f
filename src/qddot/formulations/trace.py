"""The Lagrange–Euler equations in trace form, by homogeneous transforms and pseudo-inertias.

Notation is that of the deck: U_ij = ∂⁰Tᵢ/∂q_j, J_i = ∫r rᵀ dm of the homogeneous r (products of
inertia with a plus sign), h_icd with the output index first. Sums run over every link that a
coordinate moves, so trees and joints that follow others are included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.errors import BadArgument
from qddot.formulations.derivation import Derivation, Quantity
from qddot.formulations.lagrange import indices
from qddot.model.tree import BASE, Body, Tree
from qddot.scalars import ConfigVec, JointVec, Scalar
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.vector import skew, vector


@dataclass(frozen=True)
class Transform:
    """⁰T of a link with its first and second derivatives; what is not there is zero."""

    T: np.ndarray  # (4, 4)
    U: dict[int, np.ndarray]  # by coordinate
    UU: dict[tuple[int, int], np.ndarray]  # by two coordinates, the first not after the second

    def at(self, X_BF: Pose) -> Transform:
        """Return the same of a frame that is fixed on the link."""
        E = X_BF.matrix()
        U = {c: U_c @ E for c, U_c in self.U.items()}
        return Transform(self.T @ E, U, {cd: U_cd @ E for cd, U_cd in self.UU.items()})


def derive(
    tree: Tree, q: ConfigVec, qd: JointVec, *, frames: Sequence[str] | None = None
) -> Derivation:
    """Return the equation of motion in trace form.

    Of link j with the pseudo-inertia J_j, mass m_j and centre of mass r_j in its own frame:

        D_ic  = Σ_j tr(U_jc J_j U_jiᵀ) + I_a (i = c)
        h_icd = Σ_j tr(U_jcd J_j U_jiᵀ)
        C_i   = −Σ_j m_j ḡ U_ji r_j            ḡ = (g_x, g_y, g_z, 0)

    Args:
        tree: The robot.
        q, qd: Joint positions [rad or m] and rates, shape (n,).
        frames: Which named frame stands for each link, such as its DH frame at the far end; the
            frames of the joints if not given. The terms are the same with any.
    """
    n = tree.n
    X_BF = [STILL for _ in tree.bodies] if frames is None else placements(tree, frames)
    links = [link.at(X) for link, X in zip(transforms(tree, q), X_BF, strict=True)]
    bodies = zip(tree.bodies, X_BF, strict=True)
    pseudo = [body.inertia.seen_from(X.inverse()).pseudo() for body, X in bodies]
    gravity = vector(list(tree.gravity))
    D = [[tree.rotor_inertia[i] if i == c else 0 for c in range(n)] for i in range(n)]
    h = [[[0] * n for _ in range(n)] for _ in range(n)]
    C = [0] * n
    for link, J in zip(links, pseudo, strict=True):
        for i, U_i in link.U.items():
            JU = J @ U_i[:3].T
            C[i] = C[i] - gravity @ JU[3]  # the last row of J is [m rᵀ, m]
            for c, U_c in link.U.items():
                if c <= i:
                    D[i][c] = D[i][c] + trace(U_c, JU)
            for (c, d), U_cd in link.UU.items():
                h[i][c][d] = h[i][c][d] + trace(U_cd, JU)
    for i in range(n):
        for c in range(i):
            D[c][i] = D[i][c]
            for row in h:
                row[i][c] = row[c][i]
    c = vector([qd @ (vector(h_i) @ qd) for h_i in h])

    steps = []
    for j, (link, J) in enumerate(zip(links, pseudo, strict=True)):
        k, name = indices(j), f"link {j + 1}"
        steps += [
            Quantity(f"Transform of {name}", f"{{}}^0T_{k}", link.T, r"\prod {}^{i-1}T_i"),
            Quantity(f"Pseudo-inertia of {name}", f"J_{k}", J, r"\int r\,r^T\,dm"),
        ]
        for i, U in link.U.items():
            formula = rf"\partial\,{{}}^0T_{k}/\partial q_{indices(i)}"
            steps.append(Quantity("First derivative", f"U_{indices(j, i)}", U, formula))
        for (i, d), U in link.UU.items():
            formula = rf"\partial U_{indices(j, i)}/\partial q_{indices(d)}"
            steps.append(Quantity("Second derivative", f"U_{indices(j, i, d)}", U, formula))
    for i, k in np.ndindex(n, n):
        title = "Effective inertia" if i == k else "Coupling inertia"
        terms = [traced(j, i, k) for j in range(len(links)) if {i, k} <= links[j].U.keys()]
        formula = " + ".join(terms + [rf"I_{{a_{indices(i)}}}"] * (i == k))
        steps.append(Quantity(title, f"D_{indices(i, k)}", D[i][k], formula))
    for i, k, d in np.ndindex(n, n, n):
        title = "Centripetal term" if k == d else "Coriolis term"
        terms = [traced(j, i, k, d) for j in range(len(links)) if {i, k, d} <= links[j].U.keys()]
        steps.append(Quantity(title, f"h_{indices(i, k, d)}", h[i][k][d], " + ".join(terms)))
    for i in range(n):
        of = [(indices(j), indices(j, i)) for j in range(len(links)) if i in links[j].U]
        formula = "".join(rf" - m_{j}\,\bar g\,U_{ji}\,\bar r_{j}" for j, ji in of)
        steps.append(Quantity("Gravity term", f"C_{indices(i)}", C[i], formula.strip()))
    return Derivation("trace", vector(D), c, vector(C), tuple(steps))


def transforms(tree: Tree, q: ConfigVec) -> list[Transform]:
    """Return ⁰T of each link and its derivatives, from those of the link before.

    A joint's own derivative is a constant matrix Q on the right, ∂ᵢ₋₁Tᵢ/∂qᵢ = ᵢ₋₁Tᵢ Qᵢ, so:

        Tᵢ = T_λ Xᵢ       ∂_c Tᵢ = ∂_c T_λ Xᵢ + [c is i's] Tᵢ Qᵢ
        ∂_d ∂_c Tᵢ = ∂_d ∂_c T_λ Xᵢ + [d] ∂_c T_λ Xᵢ Qᵢ + [c] ∂_d T_λ Xᵢ Qᵢ + [c, d] Tᵢ Qᵢ²
    """
    links = {BASE: Transform(np.eye(4, dtype=int), {}, {})}
    X_PB = tree.poses(q)
    for i, (body, drive) in enumerate(zip(tree.bodies, tree.drives, strict=True)):
        before, X, own = links[body.parent], X_PB[i].matrix(), drive.index
        Q = drive.ratio * operator(body)
        T = before.T @ X
        carried = {c: U @ X for c, U in before.U.items()}
        U, UU = dict(carried), {cd: UU @ X for cd, UU in before.UU.items()}
        U[own] = U.get(own, 0) + T @ Q
        for c, U_c in carried.items():
            pair = (min(c, own), max(c, own))
            UU[pair] = UU.get(pair, 0) + (1 + (c == own)) * (U_c @ Q)
        UU[own, own] = UU.get((own, own), 0) + T @ Q @ Q
        links[i] = Transform(T, U, UU)
    return [links[i] for i in range(len(tree.bodies))]


def placements(tree: Tree, frames: Sequence[str]) -> list[Pose]:
    """Return where each link's named frame is on it."""
    found = [tree.frame(name) for name in frames]
    if [body for body, _ in found] != list(range(len(tree.bodies))):
        names = ", ".join(body.name for body in tree.bodies)
        raise BadArgument(
            f"frames must name one frame on each of the links that these joints move: {names}.\n"
            f"  They are on links {[body + 1 for body, _ in found]}, counted from 1."
        )
    return [X_BF for _, X_BF in found]


def operator(body: Body) -> np.ndarray:
    """Return Q with ∂X/∂q = X Q: a turn about the joint's axis, a slide along it, or both."""
    ((w, u),) = body.columns
    return vector([*([*row, x] for row, x in zip(skew(w), u, strict=True)), [0, 0, 0, 0]])


def trace(U: np.ndarray, JU: np.ndarray) -> Scalar:
    """Return tr(U J Uᵀ) without the entries that the trace leaves out; U's last row is zero."""
    return sum(row @ column for row, column in zip(U[:3], JU.T, strict=True))


def traced(j: int, i: int, *by: int) -> str:
    """Return tr(U_j.. J_j U_jiᵀ) in LaTeX."""
    return rf"\mathrm{{tr}}(U_{indices(j, *by)} J_{indices(j)} U_{indices(j, i)}^T)"
