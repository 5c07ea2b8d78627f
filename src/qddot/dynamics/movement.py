"""How every body moves, base to tips, and the torques that this takes, tips to base.

One recursion in three-vectors serves inverse dynamics, the Coriolis matrix and Slotine and Li's
reference torque: it takes two sets of joint velocities, and inverse dynamics gives it the same one
twice. It is the classical one (J. Luh, M. Walker, R. Paul, *On-line computational scheme for
mechanical manipulators*, 1980), about the joints instead of the centres of mass: it records a
quarter fewer operations than the one in six-vectors (RBDA §5.3).

A joint is known by its motion subspace S alone. Where an entry of S is zero, so is every product
with it, and the recorder leaves it out: no kind of joint costs another one anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointVec, Mat3, Motion, Vec3
from qddot.spatial.moments import Moments, spread
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross, split, vector


@dataclass(frozen=True)
class Movement:
    """How one body moves, in its own axes: the point at r has the acceleration a + U r."""

    w_u: Vec3  # angular velocity that the joint velocities u make
    w_v: Vec3  # and that of v, the same object where v is u
    alpha: Vec3  # angular acceleration
    U: Mat3  # [α]× + [ω]×²
    a: Vec3  # of the origin, less gravity


@dataclass(frozen=True)
class Movements:
    """How all bodies move, and where each of them is in its parent."""

    q: ConfigVec  # where the joints stand
    X: list[Pose]  # X_PB
    of: dict[int, Movement]  # by body, the base at BASE


@dataclass(frozen=True)
class BaseMotion:
    """How the base itself moves: its twist and the rate of that twist, in base axes."""

    velocity: Motion  # [ω; u]
    acceleration: Motion  # d/dt [ω; u]


def movements(
    tree: Tree, q: ConfigVec, u: JointVec, v: JointVec, a: JointVec, base: BaseMotion | None = None
) -> Movements:
    """Return how the bodies move at q with joint accelerations a, and two joint velocities.

    Out from the base, λ the parent of i, p where its origin is in λ, all in the body's own axes,
    with [w(·); u(·)] = S (·) for what the joint itself does:

        ωᵢ(·) = ωλ(·) + w(·)
        αᵢ = αλ + w(a) + ½ (ωλ(u) × w(v) + ωλ(v) × w(u) + w(u) × w(v))           a₀ = −gravity
        aᵢ = aλ + Uλ p + u(a) + ωλ(u) × u(v) + ωλ(v) × u(u) + w(u) × u(v)
        Uᵢ = [αᵢ]× + ½ ([ωᵢ(u)]×[ωᵢ(v)]× + [ωᵢ(v)]×[ωᵢ(u)]×)

    At u = v these are the velocities and accelerations of the motion. Otherwise every product of
    two velocities becomes C(q, u) v, with the C for which Ṁ − 2C is skew. The products of w(u)
    with w(v) and u(v) vanish for a joint with one degree of freedom.
    """
    X, G = tree.poses(q), tree.coordinates
    a_J = G.accelerations(q, u, v, a)
    u_J = v_J = G.velocities(q, u)
    if u is not v:
        v_J = G.velocities(q, v)
    at = {BASE: movement_of_base(tree, base)}
    for i, body in enumerate(tree.bodies):
        moves = body.moves(u_J), body.moves(a_J)
        at[i] = moved_on(at[body.parent], X[i], *moves, None if u is v else body.moves(v_J))
    return Movements(q, X, at)


def moved_on(
    before: Movement,
    X: Pose,
    of_u: tuple[Vec3, Vec3],
    of_a: tuple[Vec3, Vec3],
    of_v: tuple[Vec3, Vec3] | None = None,
) -> Movement:
    """Return how a body moves, from its parent's movement and what its joint does.

    X is where the body is in its parent; `of_u`, `of_a`, `of_v` are S u, S a, S v; v is u if it is
    not given.
    """
    R, (wu, uu), (wa, ua) = X.R, of_u, of_a
    w_u, alpha = R.T @ before.w_u, R.T @ before.alpha
    start = R.T @ (before.a + before.U @ X.p)
    if of_v is None:
        alpha = alpha + wa + cross(w_u, wu)
        start = start + ua + 2 * cross(w_u, uu) + cross(wu, uu)
        w_u = w_v = w_u + wu
    else:
        w_v, (wv, uv) = R.T @ before.w_v, of_v
        alpha = alpha + wa + (cross(w_u, wv) + cross(w_v, wu) + cross(wu, wv)) / 2
        start = start + ua + cross(w_u, uv) + cross(w_v, uu) + cross(wu, uv)
        w_u, w_v = w_u + wu, w_v + wv
    return Movement(w_u, w_v, alpha, spread(alpha, w_u, w_v), start)


def movement_of_base(tree: Tree, motion: BaseMotion | None = None) -> Movement:
    """Return how the base moves; gravity enters as an acceleration upwards."""
    up = vector([-g for g in tree.gravity])
    if motion is None:
        return Movement(ORIGIN, ORIGIN, ORIGIN, 0 * np.eye(3, dtype=int), up)
    (w, u), (alpha, a) = split(motion.velocity), split(motion.acceleration)
    # the twist is that of the point at the origin now: its acceleration has a further term
    return Movement(w, w, alpha, spread(alpha, w, w), a + cross(w, u) + up)


def inertial_forces(tree: Tree, moving: Movements) -> tuple[dict[int, Vec3], dict[int, Vec3]]:
    """Return the moment about its origin and the force that each body's own movement takes.

    With m, h and I of its mass distribution:

        f = m a + U h        n = h × a + ∫ r × U r dm
    """
    n, f = {BASE: ORIGIN}, {BASE: ORIGIN}
    for i, body in enumerate(tree.bodies):
        n[i], f[i] = Moments.of(body.inertia).force(moving.of[i].U, moving.of[i].a)
    return n, f


def joint_torques(
    tree: Tree, q: ConfigVec, X: list[Pose], n: dict[int, Vec3], f: dict[int, Vec3]
) -> JointVec:
    """Return the torques that hold moments n and forces f on the bodies.

    Back towards the base, what a body takes is handed to its parent:

        τᵢ = Sᵢᵀ [nᵢ; fᵢ]        fλ += fᵢ        nλ += nᵢ + p × fᵢ
    """
    felt: dict[int, JointVec] = {}
    n, f = dict(n), dict(f)
    for i, body in reversed(list(enumerate(tree.bodies))):
        felt[i] = body.feels(n[i], f[i])
        turned = X[i].R @ f[i]
        f[body.parent] = f[body.parent] + turned
        n[body.parent] = n[body.parent] + X[i].R @ n[i] + cross(X[i].p, turned)
    of_joints = vector([x for i in range(len(tree.bodies)) for x in felt[i]])
    return tree.coordinates.torques(q, of_joints)


def velocities(
    tree: Tree, q: ConfigVec, X: list[Pose], v: JointVec
) -> dict[int, tuple[Vec3, Vec3]]:
    """Return [ω; u] of every body at velocities v, at its own origin and in its own axes."""
    at = {BASE: (ORIGIN, ORIGIN)}
    v_J = tree.coordinates.velocities(q, v)
    for i, body in enumerate(tree.bodies):
        (w, u), (wJ, uJ) = at[body.parent], body.moves(v_J)
        at[i] = X[i].R.T @ w + wJ, X[i].R.T @ (u + cross(w, X[i].p)) + uJ
    return at
