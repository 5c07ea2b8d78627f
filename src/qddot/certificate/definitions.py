"""The arrays of functions of q that bounds are made of: M, g, ∂g/∂q and Γ.

Each is written in the joint angles θ of the bodies, which followers have of their own, so that it
is a trigonometric polynomial of low degree in every one of them; θ = ratio · q + offset follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from qddot.certificate.rounding import BallScalar, Ledger
from qddot.dynamics.crba import mass_matrix
from qddot.model.coordinates import Drives
from qddot.model.tree import BASE, Body, Tree
from qddot.program.differentiate import jacobian
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.spatial.vector import cross, vector

Definition: TypeAlias = Callable[[Any], np.ndarray]  # of the angles θ


@dataclass(frozen=True)
class IndependentAngles(Drives):
    """Joints at angles of their own, which move with the joints that they follow."""

    def joints(self, q: Any) -> Any:
        return q


def with_independent_angles(tree: Tree) -> Tree:
    """Return the tree as a function of the angles θ of all joints."""
    return replace(tree, coordinates=IndependentAngles(tree.drives, tree.n))


def angles(tree: Tree, q: Any) -> list[Any]:
    """Return θ, where every body's joint stands at q."""
    return list(tree.coordinates.joints(q))


def upper(A: Any) -> np.ndarray:
    """Return the entries of a symmetric matrix on and above its diagonal, row by row."""
    n = len(A)
    return vector([A[i, j] for i in range(n) for j in range(i, n)])


def whole(n: int) -> np.ndarray:
    """Return which entry of `upper` stands at (i, j)."""
    index = np.zeros((n, n), dtype=int)
    index[np.triu_indices(n)] = np.arange(n * (n + 1) // 2)
    return np.maximum(index, index.T)


def multiplicity(n: int) -> np.ndarray:
    """Return how often each upper entry stands in a symmetric matrix."""
    return np.array([1 if i == j else 2 for i in range(n) for j in range(i, n)])


def mass(tree: Tree) -> Definition:
    """Return M, by its upper entries."""
    loose = with_independent_angles(tree)
    return lambda theta: upper(mass_matrix(loose, theta))


def gravity(tree: Tree) -> Definition:
    """Return g, from the first moments that each joint carries.

    With h the first moment of all that joint i carries, about its frame, and a = −gravity there:

        gᵢ = (z × h + m s) · a
    """
    loose = with_independent_angles(tree)

    def torque(theta: Any) -> np.ndarray:
        up = {BASE: vector([-x for x in loose.gravity])}
        felt = []
        moments, X = first_moments(loose, theta), loose.poses(theta)
        for i, body in enumerate(loose.bodies):
            up[i] = X[i].R.T @ up[body.parent]
            felt.append(lever(body, *moments[i]) @ up[i])
        return loose.coordinates.torques(theta, vector(felt))

    return torque


def lever(body: Body, m: Any, h: Any) -> np.ndarray:
    """Return w, for which gravity a gives a joint the torque w · a: z × h + m s, of S = [z; s]."""
    ((z, s),) = body.columns
    return cross(z, h) + m * s


def first_moments(tree: Tree, theta: Any) -> list[tuple[Any, Any]]:
    """Return mass and first moment of all that each body carries, about its own frame."""
    found = [(body.inertia.m, body.inertia.h) for body in tree.bodies]
    poses = tree.poses(theta)
    for i, body in reversed(list(enumerate(tree.bodies))):
        if body.parent != BASE:
            (m, h), (mp, hp), X = found[i], found[body.parent], poses[i]
            found[body.parent] = mp + m, hp + X.R @ h + m * X.p
    return found


def arm(tree: Tree, i: int) -> Definition:
    """Return the lever w of body i, on which gravity of any direction acts."""
    loose = with_independent_angles(tree)
    return lambda theta: lever(loose.bodies[i], *first_moments(loose, theta)[i])


def gravity_slope(tree: Tree, ledger: Ledger) -> Definition:
    """Return ∂g/∂q, by its upper entries: it is the Hessian of the potential, so symmetric."""
    slope = derivative(tree, gravity(tree), ledger)
    return lambda theta: upper(slope(theta))


def christoffel(tree: Tree, ledger: Ledger) -> Definition:
    """Return Γ_kij for i ≤ j, k first: ½ (∂ᵢ M_kj + ∂ⱼ M_ki − ∂ₖ M_ij)."""
    n, index = tree.n, whole(tree.n)
    slope = derivative(tree, mass(tree), ledger)

    def symbols(theta: Any) -> np.ndarray:
        d = slope(theta)
        return vector(
            [
                (d[index[k, j], i] + d[index[k, i], j] - d[index[i, j], k]) * 0.5
                for k in range(n)
                for i in range(n)
                for j in range(i, n)
            ]
        )

    return symbols


def derivative(tree: Tree, define: Definition, ledger: Ledger) -> Definition:
    """Return the derivatives of every entry by every coordinate: Σ ratio ∂/∂θ over its bodies."""
    count = len(tree.bodies)
    plain = known_constants(record(lambda theta: define(theta), "plain", theta=(count,)), ledger)
    slope = known_constants(jacobian(plain, ["theta"]), ledger)

    def derivatives(theta: Any) -> np.ndarray:
        by_body = np.array(slope.results_at(theta), dtype=object).reshape(-1, count)
        found = np.zeros((len(by_body), tree.n), dtype=object)
        for slot, drive in enumerate(tree.drives):
            for e in range(len(found)):
                found[e, drive.index] = found[e, drive.index] + drive.ratio * by_body[e, slot]
        return found

    return derivatives


def known_constants(program: Program, ledger: Ledger) -> Program:
    """Return a program whose constants are balls again, so that further work on it is noted."""
    from flint import arb

    balls = (
        BallScalar(arb(c, ledger.get(abs(c), 0.0)), ledger) if c else 0 for c in program.constants
    )
    return replace(program, constants=tuple(balls))  # type: ignore[arg-type]  # replayed, never run
