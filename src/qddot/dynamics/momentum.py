"""How the momenta of the joints change by the motion itself, without taking a derivative."""

from __future__ import annotations

from qddot.model.joint import Revolute
from qddot.model.tree import BASE, Tree
from qddot.scalars import JointVec
from qddot.spatial.moments import Moments
from qddot.spatial.pose import ORIGIN
from qddot.spatial.vector import cross, vector


def centrifugal_rate(tree: Tree, q: JointVec, qd: JointVec) -> JointVec:
    """Return ∂K/∂q at fixed q̇, which is C(q, q̇)ᵀ q̇: the part of ṗ that is no force.

    The momentum of joint i is that of everything it carries, along its axis, pᵢ = Sᵢ · hᵢ. Forces
    change h; the axis, carried along, changes by v × S:

        ∂K/∂qᵢ = (vᵢ × Sᵢ) · hᵢ          hᵢ = Iᵢ vᵢ + Σ h_children

    In three-vectors, [n; l] for h and [ω; u] for v:

        (ω × z) · n + (u × z) · l  (it turns)          (ω × z) · l  (it slides)
    """
    X = [body.X_PB(q) for body in tree.bodies]
    velocity = {BASE: (ORIGIN, ORIGIN)}
    n, l = {BASE: ORIGIN}, {BASE: ORIGIN}

    # base to tips: velocities, and the momentum of each body
    for i, body in enumerate(tree.bodies):
        w, u = velocity[body.parent]
        z = vector(list(body.joint.axis))
        w, u = X[i].R.T @ w, X[i].R.T @ (u + cross(w, X[i].p))
        if isinstance(body.joint, Revolute):
            w = w + z * body.rate(qd)
        else:
            u = u + z * body.rate(qd)
        velocity[i] = (w, u)
        n[i], l[i] = Moments.of(body.inertia).momentum(w, u)

    # tips to base: momentum of everything carried
    rate = [0] * tree.n
    for i, body in reversed(list(enumerate(tree.bodies))):
        (w, u), z = velocity[i], vector(list(body.joint.axis))
        if isinstance(body.joint, Revolute):
            part = cross(w, z) @ n[i] + cross(u, z) @ l[i]
        else:
            part = cross(w, z) @ l[i]
        rate[body.index] = rate[body.index] + body.ratio * part
        turned = X[i].R @ l[i]
        l[body.parent] = l[body.parent] + turned
        n[body.parent] = n[body.parent] + X[i].R @ n[i] + cross(X[i].p, turned)
    return vector(rate)
