"""The Lagrange–Euler equations in trace form, by homogeneous transforms and pseudo-inertias.

U_ij = ∂⁰Tᵢ/∂q_j, and J_i = ∫r rᵀ dm of the homogeneous r (products of inertia with a plus sign).
Sums run over every link that a coordinate moves, so trees and joints that follow others are
included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.formulations.derivation import (
    Derivation,
    Part,
    Quantity,
    link_name,
    links_mass,
    torque_part,
)
from qddot.formulations.lagrange import reference
from qddot.formulations.notation import NOTATION, Notation
from qddot.formulations.velocity_parts import kind_of_term, once_each, torque_sums
from qddot.model.tree import BASE, Body, Tree
from qddot.scalars import ConfigVec, JointVec, Scalar
from qddot.spatial.vector import skew, vector


@dataclass(frozen=True)
class Transform:
    """⁰T of a link with its first and second derivatives; what is not there is zero."""

    T: np.ndarray  # (4, 4)
    U: dict[int, np.ndarray]  # by coordinate
    UU: dict[tuple[int, int], np.ndarray]  # by two coordinates, the first not after the second


def derive(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    notation: Notation = NOTATION,
    qdd: JointVec | None = None,
) -> Derivation:
    """Return the equation of motion in trace form.

    Of link j with the pseudo-inertia J_j, mass m_j and centre of mass r_j in its own frame:

        D_ic  = Σ_j tr(U_jc J_j U_jiᵀ)         τᵢ = Σ_c D_ic q̈_c + I_ai q̈ᵢ + ...
        h_icd = Σ_j tr(U_jcd J_j U_jiᵀ)
        C_i   = −Σ_j m_j ḡ U_ji r_j            ḡ = (g_x, g_y, g_z, 0)

    Args:
        tree: The robot.
        q, qd: Joint positions [rad or m] and velocities, shape (n,).
        notation: The letters of the steps.
        qdd: Accelerations for the steps; zero if not given.
    """
    n = tree.n
    links = transforms(tree, q)
    pseudo = [body.inertia.pseudo() for body in tree.bodies]
    gravity = vector(list(tree.gravity))
    # what each link adds, by link and indices
    D_of: dict[tuple[int, ...], Scalar] = {}
    h_of: dict[tuple[int, ...], Scalar] = {}
    C_of: dict[tuple[int, ...], Scalar] = {}
    for j, (link, J) in enumerate(zip(links, pseudo, strict=True)):
        for i, U_i in link.U.items():
            JU = J @ U_i[:3].T
            C_of[j, i] = -(gravity @ JU[3])  # the last row of J is [m rᵀ, m]
            for c, U_c in link.U.items():
                if c <= i:
                    D_of[j, i, c] = D_of[j, c, i] = trace(U_c, JU)
            for (c, d), U_cd in link.UU.items():
                h_of[j, i, c, d] = h_of[j, i, d, c] = trace(U_cd, JU)

    def total(shares: dict[tuple[int, ...], Scalar], *at: int) -> Scalar:
        return sum(shares[j, *at] for j in range(len(links)) if (j, *at) in shares)

    turning = tree.rotor_matrix
    D = [[total(D_of, i, c) + turning[i, c] for c in range(n)] for i in range(n)]
    h = np.stack(
        [vector([[total(h_of, i, c, d) for d in range(n)] for c in range(n)]) for i in range(n)]
    )
    C = [total(C_of, i) for i in range(n)]
    c = vector([qd @ (h_i @ qd) for h_i in h])

    def worked_out() -> list[Part]:
        return [
            *link_parts(tree, q, links, pseudo, notation),
            energy_part(tree, links, pseudo, qd, notation),
            inertia_part(tree, D, D_of, notation),
            velocity_part(h, h_of, c, notation),
            gravity_part(n, C, C_of, notation),
            torque_part(tree, vector(D), c, vector(C), qdd, notation, links_shown=True),
        ]

    return Derivation("trace", vector(D), c, vector(C), worked_out)


# how it is written on the board


def link_parts(
    tree: Tree, q: ConfigVec, links: list[Transform], pseudo: list[np.ndarray], n: Notation
) -> list[Part]:
    """Return, of every link, its transform with the derivatives, and how its mass is spread."""
    X_PB = tree.poses(q)
    parts = []
    for j, (body, link, J) in enumerate(zip(tree.bodies, links, pseudo, strict=True)):
        k, before = j + 1, body.parent + 1
        T, own = n.T(0, k), n.T(before, k)
        steps = [Quantity("Transform from the link before", own, X_PB[j].matrix())]
        if before:
            whole = rf"{n.T(0, before)}\,{own}"
            steps.append(Quantity("Transform from the base", T, link.T, whole))
        for i, U in link.U.items():
            formula = rf"\partial\,{T}/\partial {n.q(i)}"
            steps.append(Quantity(f"Its derivative by ${n.q(i)}$", slope(n, j, i), U, formula))
        for (i, d), U in link.UU.items():
            formula = rf"\partial\,{slope(n, j, i)}/\partial {n.q(d)}"
            by = f"${n.q(i)}$ twice" if i == d else f"${n.q(i)}$ and ${n.q(d)}$"
            title = f"Second derivative, by {by}"
            steps.append(Quantity(title, slope(n, j, i, d), U, formula))
            if i != d:
                same = slope(n, j, i, d)
                steps.append(Quantity("", slope(n, j, d, i), U, same_as=same))
        steps.append(
            Quantity(
                "Pseudo-inertia, in the frame of the link",
                n.of_link("pseudo_inertia", j),
                J,
                r"\int \bar r\,\bar r^T\,dm",
            )
        )
        letter, centre = reference(body.inertia, q)
        if letter == "C":
            r = vector([*centre, 1])
            steps.append(
                Quantity("Centre of mass, in the frame of the link", rf"\bar r_{{{k}}}", r)
            )
        else:
            moment = rf"m_{{{k}}}\,\bar r_{{{k}}}"
            title = "Mass times the centre of mass, its last column"
            steps.append(Quantity(title, moment, J[:, 3]))
        unmoved = [slope(n, j, i) for i in range(tree.n) if i not in link.U]
        words = (
            "Where the frame of the link is, how that depends on the coordinates, and how the mass "
            "is spread: $\\bar r = (x, y, z, 1)^T$ are points of the link in its own frame."
        )
        if unmoved:
            names = ", ".join(f"${name}$" for name in unmoved)
            words += f" Other joints do not move it: {names} = 0."
        parts.append(Part(link_name(tree, j, n), words, tuple(steps)))
    return parts


def energy_part(
    tree: Tree, links: list[Transform], pseudo: list[np.ndarray], qd: JointVec, n: Notation
) -> Part:
    """Return the energies as traces: where the terms of the equation come from."""
    K = []
    for link, J in zip(links, pseudo, strict=True):
        Td = sum((U * qd[i] for i, U in link.U.items()), start=0 * link.T)
        K.append(trace(Td, J @ Td[:3].T) / 2)
    potentials = [
        -(vector([*tree.gravity, 0]) @ (link.T @ J[:, 3]))
        for link, J in zip(links, pseudo, strict=True)
    ]
    i_, J_, U = "i", n.pseudo_inertia.replace("$i", "i"), n.transform_slope
    K_formula = (
        rf"\tfrac12\sum_{i_}\sum_a\sum_b \mathrm{{tr}}({U}_{{ia}}\,{J_}\,{U}_{{ib}}^T)"
        rf"\,{n.rate('q')}_a {n.rate('q')}_b"
    )
    T = n.transform.replace("$i", "0").replace("$j", "i")
    P_formula = rf"-\sum_{i_} m_i\,\bar g\,{T}\,\bar r_i"
    steps = [
        Quantity("Kinetic energy of the links", n.kinetic, sum(K), K_formula, tuple(K)),
        Quantity("Gravity, a row", r"\bar g", np.array([[*tree.gravity, 0]], dtype=object)),
        Quantity("Potential energy", n.potential, sum(potentials), P_formula, tuple(potentials)),
    ]
    if tree.has_rotors:
        shares = [shaft.rotor_inertia * shaft.speed(qd) ** 2 / 2 for shaft in tree.shafts]
        formula = " + ".join(
            rf"\tfrac12 {n.of_link('rotor_inertia', i)}\,{n.qd(i)}^2"
            for i in range(tree.n)
            if tree.rotor_inertia[i]
        )
        formula = n.rotor_energy(tree) if tree.shared else formula
        title = "Kinetic energy of the rotors, which turn with their joints"
        rotors, both = f"{n.kinetic}_a", f"{n.kinetic}_t"
        steps.insert(1, Quantity(title, rotors, sum(shares), formula))
        whole = sum(K) + sum(shares)
        steps.insert(2, Quantity("All kinetic energy", both, whole, f"{n.kinetic} + {rotors}"))
    words = (
        f"A point of link i moves with $\\sum_a {U}_{{ia}}\\,{n.rate('q')}_a\\,\\bar r$; its "
        "square, summed over the mass, is a trace. Lagrange's equation then gives the terms below."
    )
    return Part("Energies", words, tuple(steps))


def inertia_part(
    tree: Tree, D: list[list[Scalar]], shares: dict[tuple[int, ...], Scalar], n: Notation
) -> Part:
    """Return the entries of the mass matrix, link by link."""
    steps, links = [], links_mass(tree, vector(D))
    rotors = tree.has_rotors
    letter = n.links_mass_matrix if rotors else n.mass_matrix
    for i, k in np.ndindex(tree.n, tree.n):
        of = [j for j in range(len(tree.bodies)) if (j, i, k) in shares]
        symbol = n.links_entry(i, k, rotors)
        if k < i:
            same = n.links_entry(k, i, rotors)
            steps.append(Quantity("", symbol, links[i, k], same_as=same))
            continue
        formula = " + ".join(traced(n, j, i, k) for j in of)
        summands = tuple(shares[j, i, k] for j in of)
        title = "Effective inertia" if i == k else "Coupling inertia"
        steps.append(Quantity(title, symbol, links[i, k], formula, summands))
    words = "What multiplies the accelerations: one trace for each link that both joints move."
    if tree.has_rotors:
        words += " A rotor adds its inertia, as its joint feels it, to the joint's own term only"
        words += ", one that several joints share to those of each two." if tree.shared else "."
        whole = rf"{letter} + {n.rotors(tree)}"
        steps.append(Quantity("With the rotors", n.mass_matrix, vector(D), whole))
    return Part("Inertia terms", words, tuple(steps))


def velocity_part(
    h: np.ndarray, shares: dict[tuple[int, ...], Scalar], c: JointVec, letters: Notation
) -> Part:
    """Return the centripetal and Coriolis terms, and their sums."""

    def step(i: int, k: int, d: int) -> Quantity:
        of = sorted({at[0] for at in shares if at[1:] == (i, k, d)})
        formula = " + ".join(traced(letters, j, i, k, d) for j in of)
        summands = tuple(shares[j, i, k, d] for j in of)
        symbol = letters.gamma(i, k, d)
        return Quantity(kind_of_term(k, d), symbol, h[i, k, d], formula, summands)

    steps = [*once_each(h, letters, step), *torque_sums(h, c, letters, "Their sum in torque")]
    words = (
        "What multiplies products of two velocities. Twice the same velocity is a centripetal "
        "term, two different ones a Coriolis term, which comes twice."
    )
    return Part("Velocity terms", words, tuple(steps))


def gravity_part(
    n: int, C: list[Scalar], shares: dict[tuple[int, ...], Scalar], letters: Notation
) -> Part:
    """Return the gravity terms, link by link."""
    steps = []
    for i in range(n):
        of = [j for j, at in shares if at == i]
        terms = [rf"m_{{{j + 1}}}\,\bar g\,{slope(letters, j, i)}\,\bar r_{{{j + 1}}}" for j in of]
        formula = "-" + " - ".join(terms) if terms else ""
        summands = tuple(shares[j, i] for j in of)
        symbol = letters.entry(letters.gravity_torques, i)
        steps.append(Quantity(f"Gravity in torque {i + 1}", symbol, C[i], formula, summands))
    words = "The slope of the potential energy: every link beyond a joint pulls at it."
    return Part("Gravity terms", words, tuple(steps))


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


def operator(body: Body) -> np.ndarray:
    """Return Q with ∂X/∂q = X Q: a turn about the joint's axis, a slide along it, or both."""
    ((w, u),) = body.columns
    return vector([*([*row, x] for row, x in zip(skew(w), u, strict=True)), [0, 0, 0, 0]])


def trace(U: np.ndarray, JU: np.ndarray) -> Scalar:
    """Return tr(U J Uᵀ) without the entries that the trace leaves out; U's last row is zero."""
    return sum(row @ column for row, column in zip(U[:3], JU.T, strict=True))


def traced(n: Notation, j: int, i: int, *by: int) -> str:
    """Return tr(U_j.. J_j U_jiᵀ) in LaTeX."""
    J = n.of_link("pseudo_inertia", j)
    return rf"\mathrm{{tr}}({slope(n, j, *by)}\,{J}\,{slope(n, j, i)}^T)"


def slope(n: Notation, *of: int) -> str:
    """Return the name of a derivative of a transform: of which link, by which coordinates."""
    return n.entry(n.transform_slope, *of)
