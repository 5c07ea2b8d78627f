"""Newton–Euler in closed form: all links' equations stacked into one.

With N links: 𝓐 (6N × n) holds the joints' screws, 𝓦 (6N × 6N) carries the motion of each link to
those that hang from it, 𝓛 = (I − 𝓦)⁻¹, 𝓖 (6N × 6N) the spatial inertias. Every vector is in its
own link's axes, angular part first. 𝓦 is nilpotent, so 𝓛 is a finite sum and nothing is divided.

MR: K. Lynch, F. Park, *Modern Robotics*, 2017, section 8.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.formulations.derivation import Derivation, Quantity
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, Force, JointMat, JointVec, Motion
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross_force, cross_motion, join, vector

SIX = np.eye(6, dtype=int)  # ints, so that symbolic results stay exact

# in LaTeX, as the deck writes them
TWISTS = r"\mathcal L(\mathcal A\dot q + \mathcal V_{base})"
TWIST_RATES = (
    r"-\mathcal L[\mathrm{ad}_{\mathcal A\dot q}](\mathcal W\mathcal V + \mathcal V_{base})"
)
WRENCHES = r"\mathcal L^T(\mathcal G\dot{\mathcal V} - [\mathrm{ad}_{\mathcal V}]^T\mathcal{GV})"
MASS = r"\mathcal A^T\mathcal L^T\mathcal G\mathcal L\mathcal A + I_a"
GRAVITY = r"\mathcal A^T\mathcal L^T\mathcal G\mathcal L\,\dot{\mathcal V}_{base}"


@dataclass(frozen=True)
class Stack:
    """The matrices of a robot at one position, stacked over its links."""

    A: np.ndarray  # (6N, n)
    W: np.ndarray  # (6N, 6N)
    L: np.ndarray  # (6N, 6N)
    G: np.ndarray  # (6N, 6N)
    base: np.ndarray  # (6N, 6): takes a motion of the base to the links that hang from it


def derive(
    tree: Tree, q: ConfigVec, qd: JointVec, *, base_motion: tuple[Motion, Motion] | None = None
) -> Derivation:
    """Return the equation of motion in stacked form.

    Motion of all links, forces on all links, torques; c and g are what they give without q̈:

        V = 𝓛 (𝓐 q̇ + V_base)        V̇ = 𝓛 (𝓐 q̈ − [ad_𝓐q̇] (𝓦 V + V_base) + V̇_base)
        F = 𝓛ᵀ (𝓖 V̇ − [ad_V]ᵀ 𝓖 V)          τ = 𝓐ᵀ F                    MR (8.4)

    Args:
        tree: The robot.
        q, qd: Joint positions [rad or m] and rates, shape (n,).
        base_motion: Twist [ω; u] of the base and its rate, in base axes. What they need is in c
            (the twist) and in g (its rate, which adds to gravity).
    """
    s = stack(tree, q)
    twist, rate = base_motion if base_motion else (0 * SIX[0], 0 * SIX[0])
    upwards = join(ORIGIN, vector([-x for x in tree.gravity]))
    V_base, Vd_base = s.base @ twist, s.base @ (rate + upwards)
    LA = s.L @ s.A
    Aqd = s.A @ qd
    V = s.L @ (Aqd + V_base)
    Vd_c = -(s.L @ ad(Aqd, s.W @ V + V_base))  # at q̈ = 0, without V̇_base
    F_c = s.G @ Vd_c - ad_transposed(V, s.G @ V)
    M = LA.T @ (s.G @ LA) + rotors(tree)
    c = LA.T @ F_c
    g = LA.T @ (s.G @ (s.L @ Vd_base))
    steps = (
        Quantity("Screws of the joints", r"\mathcal A", s.A, r"\mathrm{diag}(A_i)"),
        Quantity("From each link to the next", r"\mathcal W", s.W, r"[\mathrm{Ad}_{T_{i,i-1}}]"),
        Quantity("From each link to all beyond", r"\mathcal L", s.L, r"(I - \mathcal W)^{-1}"),
        Quantity("Spatial inertias", r"\mathcal G", s.G, r"\mathrm{diag}(\mathcal G_i)"),
        Quantity("Twist of the base", r"\mathcal V_{base}", V_base),
        Quantity("Its rate, and gravity", r"\dot{\mathcal V}_{base}", Vd_base),
        Quantity("Twists of the links", r"\mathcal V", V, TWISTS),
        Quantity(
            "Their rates at constant q̇", r"\dot{\mathcal V}|_{\ddot q = 0}", Vd_c, TWIST_RATES
        ),
        Quantity("Wrenches that this takes", r"\mathcal F|_{\ddot q = 0}", s.L.T @ F_c, WRENCHES),
        Quantity("Mass matrix", "M", M, MASS),
        Quantity("Its rate", r"\dot M", mass_matrix_rate(tree, q, qd, s)),
        Quantity("Centrifugal and Coriolis forces", "c", c, r"\mathcal A^T\mathcal F"),
        Quantity("Gravity", "g", g, GRAVITY),
    )
    return Derivation("stacked", M, c, g, steps)


def stack(tree: Tree, q: ConfigVec) -> Stack:
    """Return 𝓐, 𝓦, 𝓛 and 𝓖; a joint that follows another is in the other's column of 𝓐."""
    N = len(tree.bodies)
    A = [[SIX[0] * 0] * tree.n for _ in range(N)]
    W, L, G = ([[0 * SIX] * N for _ in range(N)] for _ in range(3))
    base = [0 * SIX] * N
    X_PB = tree.poses(q)
    for i, (body, drive) in enumerate(zip(tree.bodies, tree.drives, strict=True)):
        for k, S in enumerate(body.joint.S.T, drive.v.start):
            A[i][k] = drive.ratio * S
        G[i][i] = spatial_inertia(body.inertia)
        L[i][i] = SIX
        adjoint = inverse_adjoint(X_PB[i])
        if body.parent == BASE:
            base[i] = adjoint
            continue
        # a row of 𝓛 = I + 𝓦𝓛 is the parent's row, carried on
        W[i][body.parent] = adjoint
        for j in range(i):
            if L[body.parent][j].any():
                L[i][j] = adjoint @ L[body.parent][j]
    columns = [np.stack(row, axis=1) for row in A]
    return Stack(
        np.concatenate(columns), np.block(W), np.block(L), np.block(G), np.concatenate(base)
    )


def mass_matrix(tree: Tree, q: ConfigVec) -> JointMat:
    """Return M = 𝓐ᵀ𝓛ᵀ𝓖𝓛𝓐 and the rotors': Σ Jᵢᵀ 𝓖ᵢ Jᵢ with the body Jacobians Jᵢ = (𝓛𝓐)ᵢ."""
    s = stack(tree, q)
    J = s.L @ s.A
    return J.T @ (s.G @ J) + rotors(tree)


def mass_matrix_rate(tree: Tree, q: ConfigVec, qd: JointVec, s: Stack | None = None) -> JointMat:
    """Return Ṁ, without taking a derivative.

    From 𝓦̇ = −[ad_𝓐q̇] 𝓦:

        Ṁ = −𝓐ᵀ𝓛ᵀ𝓦ᵀ[ad_𝓐q̇]ᵀ𝓛ᵀ𝓖𝓛𝓐 − 𝓐ᵀ𝓛ᵀ𝓖𝓛[ad_𝓐q̇]𝓦𝓛𝓐
    """
    s = s or stack(tree, q)
    J, Jd = body_jacobians(s, qd)
    half = J.T @ (s.G @ Jd)
    return half + half.T


def coriolis_factors(tree: Tree, q: ConfigVec, qd: JointVec) -> dict[str, JointMat]:
    """Return matrices with C q̇ = c, by what stands for the gyroscopic forces of the links.

    With J = 𝓛𝓐 and J̇ = −𝓛[ad_𝓐q̇]𝓦𝓛𝓐, all are Jᵀ𝓖J̇ + JᵀBJ. Ṁ − 2C is skew where B is, and the last
    one is Christoffel's C. By name, B is:

        newton_euler                −[ad_V]ᵀ𝓖                  (the deck's; not skew)
        newton_euler_skew           𝓖[ad_V] − [ad_V]ᵀ𝓖
        newton_euler_christoffel    ½ (𝓖[ad_V] − [ad_V]ᵀ𝓖 + (𝓖V)×̄*)      f ×̄* u = u ×* f
    """
    s = stack(tree, q)
    J, Jd = body_jacobians(s, qd)
    V = J @ qd
    momentum = s.G @ V
    columns = list(J.T)
    moving = J.T @ (s.G @ Jd)
    # each product with J, column by column
    turned = np.stack([s.G @ ad(V, u) for u in columns], axis=1)
    carried = -np.stack([ad_transposed(V, s.G @ u) for u in columns], axis=1)
    crossed = -np.stack([ad_transposed(u, momentum) for u in columns], axis=1)
    return {
        "newton_euler": moving + J.T @ carried,
        "newton_euler_skew": moving + J.T @ (turned + carried),
        "newton_euler_christoffel": moving + J.T @ (turned + carried + crossed) / 2,
    }


def body_jacobians(s: Stack, qd: JointVec) -> tuple[np.ndarray, np.ndarray]:
    """Return J = 𝓛𝓐 and J̇ = −𝓛[ad_𝓐q̇]𝓦𝓛𝓐: the body Jacobians of all links, and their rate."""
    J, Aqd = s.L @ s.A, s.A @ qd
    turning = np.stack([ad(Aqd, u) for u in (s.W @ J).T], axis=1)
    return J, -(s.L @ turning)


def ad(V: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Return [ad_V] U of two stacks of motions: link by link, V × U."""
    return np.concatenate([cross_motion(v, u) for v, u in links(V, U)])


def ad_transposed(V: np.ndarray, F: Force) -> np.ndarray:
    """Return [ad_V]ᵀ F of a stack of motions and one of forces: link by link, −V ×* F."""
    return np.concatenate([-cross_force(v, f) for v, f in links(V, F)])


def links(*stacks: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Return the six-vectors of each link."""
    return list(zip(*(x.reshape(-1, 6) for x in stacks), strict=True))


def inverse_adjoint(X: Pose) -> np.ndarray:
    """Return [Ad] of the pose of the parent in the link: the 6×6 matrix of `X.motion_inv`."""
    return np.stack([X.motion_inv(e) for e in SIX], axis=1)


def spatial_inertia(I: Inertia) -> np.ndarray:
    """Return the 6×6 matrix of an inertia."""
    return np.stack([I @ e for e in SIX], axis=1)


def rotors(tree: Tree) -> JointMat:
    """Return the diagonal matrix of the rotors' inertias."""
    Ia = tree.rotor_inertia
    return vector([[Ia[i] if i == j else 0 for j in range(tree.n)] for i in range(tree.n)])
