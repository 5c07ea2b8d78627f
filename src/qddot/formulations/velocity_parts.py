"""The torques of velocities on the board: slopes of M, Christoffel symbols, matrices for c.

They follow from the mass matrix alone, whichever formulation found it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations

import numpy as np

from qddot.formulations.derivation import Part, Quantity
from qddot.formulations.notation import Notation
from qddot.scalars import JointMat, JointVec
from qddot.spatial.vector import vector


def slopes_part(m: np.ndarray, n: Notation) -> Part:
    """Return ∂M_ij/∂q_k."""
    steps = []
    for i, j, k in np.ndindex(m.shape):
        if i <= j:
            formula = rf"\partial {n.mass(i, j)}/\partial {n.q(k)}"
            symbol = n.slope(i, j, k)
            formula *= not symbol.startswith(r"\partial")  # which says it already
            steps.append(Quantity("", symbol, m[k, i, j], formula))
    words = (
        "How the entries of the mass matrix change with the coordinates; its symmetry halves them."
    )
    return Part("Slopes of the mass matrix", words, tuple(steps))


def christoffel_part(b: np.ndarray, n: Notation) -> Part:
    """Return the Christoffel symbols, from the slopes."""

    def step(k: int, i: int, j: int) -> Quantity:
        formula = rf"\tfrac12 ({n.slope(k, i, j)} + {n.slope(k, j, i)} - {n.slope(i, j, k)})"
        return Quantity("", n.gamma(k, i, j), b[k, i, j], formula)

    steps = once_each(b, n, step)
    words = (
        "What multiplies the products of two velocities in each torque: it follows from the slopes "
        "of the mass matrix alone."
    )
    return Part("Christoffel symbols", words, (*steps, *christoffel_matrices(b, n)))


def christoffel_matrices(b: np.ndarray, n: Notation) -> list[Quantity]:
    """Return the symmetric matrix of each torque, if there is a letter for it."""
    if not n.christoffel_matrix:
        return []
    M, q, qd = n.mass_matrix, n.coordinates, n.velocities
    column = f"{{{M}}}" if "_" in M else M
    steps = []
    for k, matrix in enumerate(b):
        symbol = n.of_torque("christoffel_matrix", k)
        slope = rf"\partial {column}_{{*{k + 1}}}/\partial {q}"
        formula = rf"\tfrac12\,({slope} + ({slope})^T - \partial {M}/\partial {n.q(k)})"
        torque = rf"${n.entry(n.velocity_torques, k)} = {qd}^T {symbol}\,{qd}$"
        title = f"All of torque {k + 1} in a matrix, {torque}, from column {k + 1} of ${M}$"
        steps.append(Quantity(title, symbol, matrix, formula))
    return steps


def named_part(b: np.ndarray, c: JointVec, n: Notation) -> Part:
    """Return the Christoffel symbols by what they do, and each torque of velocities by them."""

    def step(k: int, i: int, j: int) -> Quantity:
        return Quantity(kind_of_term(i, j), n.gamma(k, i, j), b[k, i, j])

    steps = once_each(b, n, step) + [s for s in torque_sums(b, c, n) if s.formula]
    words = (
        "What multiplies the square of one velocity is a centripetal term; what multiplies the "
        "product of two is a Coriolis term, which comes twice."
    )
    return Part("Velocity terms by name", words, tuple(steps))


def kind_of_term(i: int, j: int) -> str:
    """Return what the product of two velocities gives."""
    return "Centripetal term" if i == j else "Coriolis term"


def once_each(
    b: np.ndarray, n: Notation, step: Callable[[int, int, int], Quantity]
) -> list[Quantity]:
    """Return a step for every Christoffel symbol; of two that are equal by symmetry, for one."""
    return [
        Quantity("", n.gamma(k, i, j), b[k, i, j], same_as=n.gamma(k, j, i))
        if j < i
        else step(k, i, j)
        for k, i, j in np.ndindex(b.shape)
    ]


def torque_sums(
    b: np.ndarray, c: JointVec, n: Notation, title: str = "All in torque"
) -> list[Quantity]:
    """Return what the velocities take of each torque, by the names of the Christoffel symbols."""
    steps = []
    for k in range(len(b)):
        names = [
            rf"{'' if i == j else '2'}{n.gamma(k, i, j)}\,{n.qd(i)}"
            + ("^2" if i == j else rf"\,{n.qd(j)}")
            for i in range(len(b))
            for j in range(i, len(b))
            if b[k, i, j]
        ]
        symbol = n.entry(n.velocity_torques, k)
        steps.append(Quantity(f"{title} {k + 1}", symbol, c[k], " + ".join(names)))
    return steps


def factors_part(m: np.ndarray, qd: JointVec, n: Notation) -> Part:
    """Return the ways to write c as a matrix times the velocities, by the slopes of M."""
    Md, U, C = mass_rate(m, qd), coupling(m, qd), n.coriolis_matrix
    Mdot, by_q = n.rate(n.mass_matrix), rf"\partial {n.mass_matrix}/\partial {n.coordinates}"
    I = f"I_{{{len(qd)}}}"
    steps = [
        Quantity("Slopes of the mass matrix, one below the other", by_q, np.concatenate(m)),
        Quantity("", Mdot, Md, rf"({n.velocities}^T \otimes {I})\,{by_q}"),
        Quantity("", "U", U, rf"({I} \otimes {n.velocities}^T)\,{by_q}"),
    ]
    if C:
        title, half = rf"The standard one, with ${Mdot} - 2{C}$ skew", r"\tfrac12\,"
        other = "Two others, for which it is not"
        steps += [
            Quantity(title, C, (Md + U.T - U) / 2, rf"{half}({Mdot} + U^T - U)"),
            Quantity(other, f"{C}'", Md - U / 2, rf"{Mdot} - {half}U"),
            Quantity("", f"{C}''", U.T - U / 2, rf"U^T - {half}U"),
        ]
    words = (
        rf"${n.velocity_torques}$ is one, but not the matrix that gives it: all of these times "
        rf"${n.velocities}$ are ${n.velocity_torques}$."
    )
    return Part("Coriolis matrices", words, tuple(steps))


def split_part(
    C: np.ndarray, B: np.ndarray, squares: JointVec, products: JointVec, c: JointVec, n: Notation
) -> Part:
    """Return the velocity torques split into centrifugal and Coriolis ones."""
    pairs = list(combinations(range(len(c)), 2))
    of_squares, of_products = rf"[{n.velocities}^2]", rf"[{n.velocities}{n.velocities}]"
    steps = [
        Quantity(f"Centrifugal matrix, its entries ${n.gamma(0, 0, 0)}$, ...", n.centrifugal, C),
        Quantity("times the squares", of_squares, squares),
    ]
    if pairs:
        first = n.gamma(0, *pairs[0])
        steps += [
            Quantity(f"Coriolis matrix, its entries $2{first}$, ...", n.products, B),
            Quantity("times the products", of_products, products),
        ]
    both = rf"{n.centrifugal}\,{of_squares}" + rf" + {n.products}\,{of_products}" * bool(pairs)
    steps.append(Quantity("Together", n.velocity_torques, c, both))
    words = (
        "Squares of one velocity give centrifugal torques, products of two give Coriolis torques."
    )
    return Part("Centrifugal and Coriolis torques", words, tuple(steps))


def coriolis_part(m: np.ndarray, b: np.ndarray, qd: JointVec, c: JointVec, n: Notation) -> Part:
    """Return Ṁ, the Coriolis matrix and the matrix N = Ṁ − 2C that is skew."""
    Md = mass_rate(m, qd)
    C = np.einsum("kij,i->kj", b, qd)
    by_slopes = vector([qd @ (slope @ qd) for slope in m])
    M, Mdot, qdot = n.mass_matrix, n.rate(n.mass_matrix), n.velocities
    slope, h, name = rf"(\partial {M}/\partial q_k)\,", n.velocity_torques, n.coriolis_matrix
    pull, rate = rf"[\,{qdot}^T {slope}{qdot}\,]", rf"\sum_k {slope}{n.rate('q')}_k"
    both = rf"{Mdot}\,{qdot} - \tfrac12\,{pull}"
    steps = [
        Quantity("Time derivative of the mass matrix", Mdot, Md, rate),
        Quantity("Slopes of twice the kinetic energy", pull, by_slopes),
        Quantity("So the same torques are", h, c, both),
    ]
    if name:
        title = rf"Coriolis matrix by the Christoffel symbols, ${h} = {name}\,{qdot}$"
        skew = "which makes this matrix skew, so that it does no work"
        steps.append(Quantity(title, name, C))
        steps.append(Quantity(skew, "N", Md - 2 * C, rf"{Mdot} - 2\,{name}"))
    words = "The same torques by the time derivative of the mass matrix."
    if n.unsymmetric:
        steps += unsymmetric_steps(m, n)
        name = re.sub(r"\$", "", n.unsymmetric)
        words += f" The ${name}$ give them too, summed over i and j."
    return Part("A second way to the same torques", words, tuple(steps))


def unsymmetric_steps(m: np.ndarray, n: Notation) -> list[Quantity]:
    """Return ∂M_kj/∂q_i − ½ ∂M_ij/∂q_k, which give the same torques without being symmetric."""
    steps = []
    for k, j, i in np.ndindex(m.shape):
        symbol = n.of_slopes(k, j, i)
        formula = rf"{n.slope(k, j, i)} - \tfrac12\,{n.slope(i, j, k)}"
        value = m[i, k, j] - m[k, i, j] / 2
        first = "" if any(step.title for step in steps) else "By slopes that are not symmetrised"
        steps.append(Quantity(first if value != 0 else "", symbol, value, formula))
    return steps


def christoffel(m: np.ndarray) -> np.ndarray:
    """Return b[i, j, k] = ½ (m_ijk + m_ikj − m_jki), given m[k, i, j] = ∂m_ij/∂q_k."""
    m = np.moveaxis(m, 0, -1)
    return (m + np.swapaxes(m, 1, 2) - np.moveaxis(m, -1, 0)) / 2


def centrifugal_and_coriolis(gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return C (n × n) and B (n × n(n−1)/2) with c = C [q̇ᵢ²] + B [q̇ᵢ q̇ⱼ], i < j.

    In terms of Christoffel symbols with the output index first:

        C = [b_ijj]        B = [b_ijk + b_ikj], its columns in the order 12, 13, …, 1n, 23, …
    """
    n = len(gamma)
    C = np.stack([gamma[:, j, j] for j in range(n)], axis=1)
    pairs = [gamma[:, j, k] + gamma[:, k, j] for j, k in combinations(range(n), 2)]
    return C, np.stack(pairs, axis=1) if pairs else np.zeros((n, 0), dtype=int)


def mass_rate(dM: np.ndarray, qd: JointVec) -> JointMat:
    """Return Ṁ = (q̇ᵀ ⊗ I) ∂M/∂q, with the derivatives of M stacked one below the other."""
    return sum((rate * slope for rate, slope in zip(qd, dM, strict=True)), start=0 * dM[0])


def coupling(dM: np.ndarray, qd: JointVec) -> JointMat:
    """Return U = (I ⊗ q̇ᵀ) ∂M/∂q: its row k is q̇ᵀ ∂M/∂q_k, so ∂K/∂q = ½ U q̇."""
    return np.stack([qd @ slope for slope in dM])
