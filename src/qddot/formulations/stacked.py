"""Newton–Euler in closed form: all links' equations stacked into one.

With N links: 𝓐 (6N × n) holds the joints' screws, 𝓦 (6N × 6N) carries the motion of each link to
those that hang from it, 𝓛 = (I − 𝓦)⁻¹, 𝓖 (6N × 6N) the spatial inertias. Every vector is in its
own link's axes, angular part first. 𝓦 is nilpotent, so 𝓛 is a finite sum and nothing is divided.

MR: K. Lynch, F. Park, *Modern Robotics*, 2017, section 8.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qddot.formulations.calculus import along_joints
from qddot.formulations.derivation import Part, Quantity, link_name
from qddot.formulations.formulation import RobotState, Terms, routes, torque_part
from qddot.formulations.notation import Notation
from qddot.formulations.velocity_parts import christoffel, christoffel_matrices, factors_part
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, Force, JointMat, JointVec, Motion
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross_force, cross_motion, join, vector

SIX = np.eye(6, dtype=int)  # ints, so that symbolic results stay exact
STILL_BASE = (0 * SIX[0], 0 * SIX[0])


@dataclass(frozen=True)
class Stack:
    """The matrices of a robot at one position, stacked over its links."""

    A: np.ndarray  # (6N, n)
    W: np.ndarray  # (6N, 6N)
    L: np.ndarray  # (6N, 6N)
    G: np.ndarray  # (6N, 6N)
    base: np.ndarray  # (6N, 6): takes a motion of the base to the links that hang from it


@routes("AᵀLᵀGLA", "brackets", "accelerated base", "tree; × with recursive")
def derive(at: RobotState, base_motion: tuple[Motion, Motion] = STILL_BASE) -> Terms:
    """Return the equation of motion in stacked form.

    Motion of all links, forces on all links, torques; c and g are what they give without q̈:

        V = 𝓛 (𝓐 q̇ + V_base)        V̇ = 𝓛 (𝓐 q̈ − [ad_𝓐q̇] (𝓦 V + V_base) + V̇_base)
        F = 𝓛ᵀ (𝓖 V̇ − [ad_V]ᵀ 𝓖 V)          τ = 𝓐ᵀ F                    MR (8.4)

    Args:
        at: The robot and its state.
        base_motion: Twist [ω; u] of the base and its rate, in base axes. What they need is in c
            (the twist) and in g (its rate, which adds to gravity).
    """
    tree, q, qd, n = at.tree, at.q, at.qd, at.notation
    s, (twist, rate) = stack(tree, q), base_motion
    upwards = join(ORIGIN, vector([-x for x in tree.gravity]))
    V_base, Vd_base = s.base @ twist, s.base @ (rate + upwards)
    LA = s.L @ s.A
    Aqd = s.A @ qd
    V = s.L @ (Aqd + V_base)
    Vd_c = -(s.L @ ad(Aqd, s.W @ V + V_base))  # at q̈ = 0, without V̇_base
    F_c = s.G @ Vd_c - ad_transposed(V, s.G @ V)
    M = LA.T @ (s.G @ LA) + tree.rotor_matrix
    c = LA.T @ F_c
    g = LA.T @ (s.G @ (s.L @ Vd_base))

    def parts() -> list[Part]:
        return [
            *link_parts(tree, q, s, n),
            stacks_part(s, not all(drive.own for drive in tree.drives)),
            motion_part(s, Aqd, V, Vd_c, V_base, n),
            terms_part(at, s, (M, c, g), F_c, Vd_base),
            slopes_part(tree, q, qd, n),
            torque_part(at, M, c, g),
        ]

    return M, c, g, parts


# how it is written on the board; the script letters are those of MR


def link_parts(tree: Tree, q: ConfigVec, s: Stack, n: Notation) -> list[Part]:
    """Return, of every link, its transform, its screw, its inertia and its body Jacobian."""
    X_PB, J = tree.poses(q), s.L @ s.A
    parts = []
    for i, body in enumerate(tree.bodies):
        k, rows = i + 1, slice(6 * i, 6 * i + 6)
        twist, G = f"\\mathcal A_{{{k}}}", f"\\mathcal G_{{{k}}}"
        T = n.T(body.parent + 1, k)
        Ad = rf"[\mathrm{{Ad}}_{{{n.T(k, body.parent + 1)}}}]"
        steps = (
            Quantity("Where it is in the link before", T, X_PB[i].matrix()),
            Quantity("What takes a twist of the link before to it", Ad, inverse_adjoint(X_PB[i])),
            Quantity("Screw of its joint, in its own axes", twist, body.joint.S),
            Quantity("Spatial inertia", G, s.G[rows, rows]),
            Quantity("Body Jacobian", f"J_{{{k}b}}", J[rows], rf"(\mathcal L\mathcal A)_{{{k}}}"),
        )
        words = "Six-vectors are in the link's own axes at its own origin, the angular part first."
        parts.append(Part(link_name(tree, i, n), words, steps))
    return parts


def stacks_part(s: Stack, follow: bool) -> Part:
    """Return the matrices of all links."""
    title, diagonal = "Screws of the joints", r"\mathrm{diag}(\mathcal A_i)"
    if follow:
        title, diagonal = f"{title}, times their ratios, in the columns of what moves them", ""
    steps = (
        Quantity(title, r"\mathcal A", s.A, diagonal),
        Quantity("From each link to the next", r"\mathcal W", s.W),
        Quantity("From each link to all beyond", r"\mathcal L", s.L, r"(I - \mathcal W)^{-1}"),
        Quantity("Spatial inertias", r"\mathcal G", s.G, r"\mathrm{diag}(\mathcal G_i)"),
    )
    words = (
        r"The equations of all links are stacked: $\mathcal V$ holds the twists of the links, one "
        r"below the other. $\mathcal W$ is nilpotent, so the inverse below is a finite sum."
    )
    return Part("All links at once", words, steps)


def motion_part(
    s: Stack, Aqd: np.ndarray, V: np.ndarray, Vd_c: np.ndarray, V_base: np.ndarray, n: Notation
) -> Part:
    """Return the twists of the links, and how they change at constant joint velocities."""
    qd = n.velocities
    moving = bool(V_base.any())
    base = r" + \mathcal V_{\mathrm{base}}" if moving else ""
    own = rf"\mathcal A{qd}"
    twists = rf"\mathcal L({own}{base})" if moving else rf"\mathcal L{own}"
    carried = rf"(\mathcal W\mathcal V{base})" if moving else r"\mathcal W\mathcal V"
    rates = rf"\dot{{\mathcal V}}|_{{{n.accelerations} = 0}}"
    bracket = rf"-\mathcal L\,[\mathrm{{ad}}_{{{own}}}]\,{carried}"
    steps = [Quantity("Twist of the base", r"\mathcal V_{\mathrm{base}}", V_base)] * moving
    steps += [
        Quantity("Twists of the links", r"\mathcal V", V, twists),
        *brackets("Bracket of the twist of link", r"\mathcal V", V),
        *brackets("Bracket of what its joint adds to link", rf"({own})", Aqd),
        Quantity("Rates of the twists at constant velocities", rates, Vd_c, bracket),
    ]
    words = (
        "From the base outwards: what the joints' velocities make of the links' twists. "
        rf"The brackets of all links, $[\mathrm{{ad}}_{{\mathcal V}}]$ and "
        rf"$[\mathrm{{ad}}_{{{own}}}]$, have those of each link along their diagonals."
    )
    return Part("Motion", words, tuple(steps))


def terms_part(
    at: RobotState, s: Stack, terms: Sequence[np.ndarray], F_c: np.ndarray, Vd_base: np.ndarray
) -> Part:
    """Return the terms of the equation, by the closed forms of MR and the deck."""
    tree, n, (M, c, g) = at.tree, at.notation, terms
    A, L, G, W = (rf"\mathcal {letter}" for letter in "ALGW")
    v = n.velocities
    ad_A, ad_V = rf"[\mathrm{{ad}}_{{{A}{v}}}]", r"[\mathrm{ad}_{\mathcal V}]"
    rotor = r" + \mathrm{diag}(I_a)" if any(tree.rotor_inertia) else ""
    rotor += "".join(f" + {n.shared_rotor(k)}" for k in range(len(tree.shared)))
    mass = rf"{A}^T{L}^T{G}{L}{A}{rotor} = \sum_i J_{{ib}}^T\,{G}_i\,J_{{ib}}{rotor}"
    rate = rf"-{A}^T{L}^T{W}^T{ad_A}^T{L}^T{G}{L}{A} - {A}^T{L}^T{G}{L}{ad_A}{W}{L}{A}"
    velocity = rf"-{A}^T{L}^T({G}{L}{ad_A}{W} + {ad_V}^T{G}){L}{A}{v}"
    V_base, Md = r"\dot{\mathcal V}_{\mathrm{base}}", mass_matrix_rate(tree, at.q, at.qd, s)
    at_rest = rf"\mathcal F|_{{{n.accelerations} = 0}}"
    wrenches = rf"{L}^T({G}\,\dot{{\mathcal V}}|_{{{n.accelerations} = 0}} - {ad_V}^T{G}\mathcal V)"
    steps = (
        Quantity("Wrenches that the motion takes", at_rest, s.L.T @ F_c, wrenches),
        Quantity("Mass matrix", n.mass_matrix, M, mass),
        Quantity("Its time derivative, without differentiating", n.rate(n.mass_matrix), Md, rate),
        Quantity("Centrifugal and Coriolis torques", n.velocity_torques, c, velocity),
        Quantity("The base accelerates upwards instead of gravity", V_base, Vd_base),
        Quantity("Gravity torques", n.gravity_torques, g, rf"{A}^T{L}^T{G}{L}\,{V_base}"),
    )
    last = len(tree.bodies)
    tip = r"\mathcal F_{\mathrm{tip}}"
    words = (
        "From the tips inwards: the wrenches that this motion takes, and the joints' share of "
        f"them. Where the last link presses on its environment with ${tip}$, in its own axes, "
        rf"$J_{{{last}b}}^T\,{tip}$ is added to ${n.torques}$."
    )
    return Part("The terms of the equation", words, steps)


def slopes_part(tree: Tree, q: ConfigVec, qd: JointVec, n: Notation) -> Part:
    """Return the Coriolis matrices and the Christoffel symbols, by the slopes of M."""
    m = along_joints(tree, lambda x: mass_matrix(tree, x), q)
    part = factors_part(m, qd, n)
    return replace(part, steps=(*part.steps, *christoffel_matrices(christoffel(m), n)))


def brackets(title: str, letter: str, V: np.ndarray) -> list[Quantity]:
    """Return [ad_V] of the motion of each link, 6 × 6; those that are zero in one line."""
    found, still = [], []
    for k, (v,) in enumerate(links(V), 1):
        symbol = rf"[\mathrm{{ad}}_{{{letter}_{{{k}}}}}]"
        if v.any():
            matrix = np.stack([cross_motion(v, e) for e in SIX], axis=1)
            found.append(Quantity(f"{title} {k}", symbol, matrix))
        else:
            still.append(Quantity("", symbol, 0))
    return found + still


def stack(tree: Tree, q: ConfigVec) -> Stack:
    """Return 𝓐, 𝓦, 𝓛 and 𝓖; a joint that follows another is in the other's column of 𝓐."""
    N = len(tree.bodies)
    A = [[SIX[0] * 0] * tree.n for _ in range(N)]
    W, L, G = ([[0 * SIX] * N for _ in range(N)] for _ in range(3))
    base = [0 * SIX] * N
    paths: dict[int, list[int]] = {BASE: []}  # the links between the base and a link, itself too
    X_PB = tree.poses(q)
    for i, (body, drive) in enumerate(zip(tree.bodies, tree.drives, strict=True)):
        for k, S in enumerate(body.joint.S.T, drive.v.start):
            A[i][k] = drive.ratio * S
        G[i][i] = spatial_inertia(body.inertia)
        L[i][i] = SIX
        paths[i] = [*paths[body.parent], i]
        adjoint = inverse_adjoint(X_PB[i])
        if body.parent == BASE:
            base[i] = adjoint
            continue
        # a row of 𝓛 = I + 𝓦𝓛 is the parent's row, carried on
        W[i][body.parent] = adjoint
        for j in paths[body.parent]:
            L[i][j] = adjoint @ L[body.parent][j]
    columns = [np.stack(row, axis=1) for row in A]
    return Stack(
        np.concatenate(columns), np.block(W), np.block(L), np.block(G), np.concatenate(base)
    )


def mass_matrix(tree: Tree, q: ConfigVec) -> JointMat:
    """Return M = 𝓐ᵀ𝓛ᵀ𝓖𝓛𝓐 and the rotors': Σ Jᵢᵀ 𝓖ᵢ Jᵢ with the body Jacobians Jᵢ = (𝓛𝓐)ᵢ."""
    s = stack(tree, q)
    J = s.L @ s.A
    return J.T @ (s.G @ J) + tree.rotor_matrix


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
