"""Named ways to write the velocity torque c as a matrix times the rates.

The torque is one; the matrix is not. All of these have C q̇ = c, and q̇ᵀ(Ṁ − 2C)q̇ = 0 with all of
them; Ṁ − 2C itself is skew-symmetric only for some. (The deck prints +½ where the last entry of the
two-link arm's Uᵀ − ½U has −½.)
"""

from __future__ import annotations

import numpy as np

from qddot.formulations.calculus import along_joints
from qddot.formulations.stacked import coriolis_factors, mass_matrix
from qddot.formulations.velocity_parts import coupling, mass_rate
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointMat, JointVec

FROM_DERIVATIVES = ("christoffel", "half_rate_skew", "rate", "transposed")
FORMS = (
    *FROM_DERIVATIVES,
    *("newton_euler", "newton_euler_skew", "newton_euler_christoffel"),
)  # the names of `factorisations`


def factorisations(tree: Tree, q: ConfigVec, qd: JointVec) -> dict[str, JointMat]:
    """Return every Coriolis matrix that has a name: from ∂M/∂q, and from the Newton–Euler form."""
    dM = along_joints(tree, lambda x: mass_matrix(tree, x), q)
    return from_derivatives(dM, qd) | coriolis_factors(tree, q, qd)


def from_derivatives(dM: np.ndarray, qd: JointVec) -> dict[str, JointMat]:
    """Return the matrices that Ṁ and U make, given dM[k, i, j] = ∂M_ij/∂q_k.

    By name:

        christoffel     ½ (Ṁ + Uᵀ − U)         the standard one: Ṁ − 2C is skew
        half_rate_skew  ½ Ṁ + S                 the same, with S = ½ (Uᵀ − U) skew
        rate            Ṁ − ½ U
        transposed      Uᵀ − ½ U
    """
    Md, U = mass_rate(dM, qd), coupling(dM, qd)
    return {
        "christoffel": (Md + U.T - U) / 2,
        "half_rate_skew": Md / 2 + skew_part(U),
        "rate": Md - U / 2,
        "transposed": U.T - U / 2,
    }


def skew_part(U: JointMat) -> JointMat:
    """Return S = ½ (Uᵀ − U), for which S q̇ = ½ Ṁ q̇ − ½ ∂(q̇ᵀ M q̇)/∂q."""
    return (U.T - U) / 2


def skewness(C: JointMat, dM: np.ndarray, qd: JointVec) -> JointMat:
    """Return N + Nᵀ of N = Ṁ − 2C: zero exactly where C is fit for passivity-based control."""
    N = mass_rate(dM, qd) - 2 * C
    return N + N.T
