"""Hamilton's equations: momenta in the place of velocities."""

from __future__ import annotations

from qddot.formulations.calculus import along_joints
from qddot.formulations.derivation import Part, Quantity
from qddot.formulations.formulation import RobotState, Terms, routes, torque_part
from qddot.formulations.lagrange import inertia_form, potential_energies
from qddot.formulations.notation import Notation
from qddot.formulations.velocity_parts import mass_rate
from qddot.scalars import JointMat, JointVec, Scalar
from qddot.spatial.vector import vector


@routes("lagrange's", "Ṁq̇ − ½[q̇ᵀ ∂M q̇]", "lagrange's", "tree; M, g of lagrange")
def derive(at: RobotState) -> Terms:
    """Return the equation of motion from the Hamiltonian H = ½ pᵀ M⁻¹ p + P.

    At constant p the kinetic energy falls where M grows, so that with p = M q̇:

        q̇ = ∂H/∂p        ṗ = τ − ∂H/∂q        ∂H/∂q_k = −½ q̇ᵀ (∂M/∂q_k) q̇ + ∂P/∂q_k
    """
    tree, q, qd, n = at.tree, at.q, at.qd, at.notation
    M = inertia_form(tree, q)
    slopes = along_joints(tree, lambda x: M if x is q else inertia_form(tree, x), q)
    M_rate = mass_rate(slopes, qd)
    pull = vector([qd @ (slope @ qd) / 2 for slope in slopes])
    g = along_joints(tree, lambda x: sum(potential_energies(tree, x)), q)
    c = M_rate @ qd - pull

    def parts() -> list[Part]:
        return [
            energy_part(M, qd, sum(potential_energies(tree, q)), n),
            motion_part(M_rate, pull, c, g, n),
            torque_part(at, M, c, g),
        ]

    return M, c, g, parts


# how it is written on the board


def energy_part(M: JointMat, qd: JointVec, P: Scalar, n: Notation) -> Part:
    """Return the momenta and the Hamiltonian."""
    v, H, momenta = n.velocities, r"\mathcal{H}", M @ qd
    inverse = f"{n.mass_matrix}^{{-1}} {n.momentum}"
    title = f"The Hamiltonian, the energy of links and rotors, here by ${v} = {inverse}$"
    whole = rf"\tfrac12\,{n.momentum}^T {inverse} + {n.potential}"
    energy = (
        Quantity("Mass matrix", n.mass_matrix, M, rf"\partial^2 {n.kinetic}/\partial {v}^2"),
        Quantity("Momenta", n.momentum, momenta, rf"{n.mass_matrix}\,{v}"),
        Quantity("Potential energy of the links under gravity", n.potential, P),
        Quantity(title, H, qd @ momenta / 2 + P, whole),
    )
    return Part("Momenta and energy", "Momenta stand in the place of velocities.", energy)


def motion_part(M_rate: JointMat, pull: JointVec, c: JointVec, g: JointVec, n: Notation) -> Part:
    """Return Hamilton's equations, and what they give for the velocities and gravity."""
    v, H, Mdot = n.velocities, r"\mathcal{H}", n.rate(n.mass_matrix)
    half = rf"\tfrac12\,[\,{v}^T (\partial {n.mass_matrix}/\partial q_k)\,{v}\,]"
    by_q, weight = (rf"\partial {x}/\partial {n.coordinates}" for x in (H, n.potential))
    title = "Slopes of the Hamiltonian at constant momenta"
    changes = (
        Quantity("Time derivative of the mass matrix", Mdot, M_rate),
        Quantity(title, by_q, g - pull, f"-{half} + {weight}"),
        Quantity("What the velocities take", n.velocity_torques, c, rf"{Mdot}\,{v} - {half}"),
        Quantity("Gravity torques", n.gravity_torques, g, weight),
    )
    words = (
        rf"Two equations of first order: ${v} = \partial {H}/\partial {n.momentum}$, the "
        rf"definition of ${n.momentum}$ again, and ${n.rate(n.momentum)} = {n.torques} - {by_q}$."
    )
    return Part("Hamilton's equations", words, changes)
