"""The smallest eigenvalue of M of a long arm, by cutting its kinetic energy in two.

The energy is a sum over bodies. Give a share 1 − α of body k to the part before it and α to the
part beyond, and let the latter float, its base moving at any twist V:

    q̇ᵀ M q̇ = pᵀ M_p p + [V; d]ᵀ M_f [V; d] ≥ pᵀ M_p p + min_V [V; d]ᵀ M_f [V; d]

for q̇ = (p, d), since the true twist of body k is one of the V. So λ_min(M) ≥ T where M_p − T E and
M_f − T diag(0, E) are both positive definite: two problems, each of the joints of one part only.
Every k and α is valid; those that lose least are found by samples.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.certificate import definitions
from qddot.certificate.eigen import Eigenvalue
from qddot.certificate.entries import Entries
from qddot.certificate.problem import Route
from qddot.certificate.search import ProofAttempt, prove
from qddot.dynamics.aba import applies
from qddot.dynamics.crba import mass_matrix
from qddot.equations.values import many_digits
from qddot.model.coordinates import Drive, Drives
from qddot.model.folding import in_order
from qddot.model.joints import SIX_DEGREES
from qddot.model.tree import BASE, NO_INERTIA, Body, Tree
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import STILL

LONG = 6  # coordinates that M depends on, from which on it is cut
SHARES = (0.5, 0.75, 0.8125, 0.875)  # α, exact in binary, as 1 − α is


def smallest_eigenvalue(entries: Entries) -> Eigenvalue:
    """Return the problem inf λ_min(M); a long chain is cut first."""

    def cuts() -> list[Route]:
        tree = entries.ground.tree
        alone = applies(replace(tree, shared=()))
        chain = alone and all(b.parent == i - 1 for i, b in enumerate(tree.bodies))
        return [best_cut(entries)] if entries.m >= LONG and chain else []

    return Eigenvalue(entries, -1, cheaper=cuts)


class Cut:
    """The two parts of an arm, cut at a body."""

    method = "kinetic energy cut in two, and verified Cholesky factors of both parts at all corners"

    def __init__(self, entries: Entries, k: int, share: float):
        ground, tree = entries.ground, entries.ground.tree
        n, far = tree.n, tree.n - k - 1
        with many_digits():
            near_tree, far_tree = (
                definitions.with_independent_angles(before(tree, k, share)),
                floating(tree, k, share),
            )

        def near(theta: Any) -> np.ndarray:
            return definitions.upper(mass_matrix(near_tree, theta))

        def beyond(theta: Any) -> np.ndarray:
            return definitions.upper(mass_matrix(far_tree, [0] * 6 + list(theta[k + 1 :])))

        self.parts = [
            Eigenvalue(Entries(ground, "M", near), -1, size=n - far),
            Eigenvalue(Entries(ground, "M", beyond), -1, size=6 + far, free=6),
        ]

    def sampled(self) -> float:
        """Return about where the bound ends up."""
        rng = np.random.default_rng(0)
        return min(
            float(
                part.value(part.lo + (part.hi - part.lo) * rng.random((1024, len(part.lo)))).min()
            )
            for part in self.parts
        )

    @property
    def limit(self) -> float:
        return min(part.limit for part in self.parts)

    def prove(self, T: float, deadline: float) -> ProofAttempt:
        cells = 0
        for part in self.parts:
            outcome = prove(part, T, deadline)
            cells += outcome.cells
            if outcome.status != "proved":
                return ProofAttempt(
                    "stuck" if outcome.status == "refuted" else outcome.status, cells
                )
        return ProofAttempt("proved", cells)


def best_cut(entries: Entries) -> Cut:
    """Return the cut into parts of about the same size that loses least, by samples."""
    half = entries.n // 2
    cuts = [Cut(entries, k, share) for k in (half - 1, half) for share in SHARES]
    return max(cuts, key=Cut.sampled)


def before(tree: Tree, k: int, share: float) -> Tree:
    """Return the bodies up to k, of which k keeps 1 − share of its mass."""
    bodies = [*tree.bodies[:k], replace(tree.bodies[k], inertia=part(tree.bodies[k], 1 - share))]
    return replace(
        tree,
        bodies=tuple(bodies),
        coordinates=own_coordinates(len(bodies)),
        joint_names=tree.joint_names[: k + 1],
        rotor_inertia=tree.rotor_inertia[: k + 1],
        shared=(),  # rotors that several joints share only add to M
        frames={},
    )


def floating(tree: Tree, k: int, share: float) -> Tree:
    """Return the share of body k and what is beyond it, on three slides and three turns."""
    base = tree.bodies[k]
    bodies = [
        Body(f"free{i}", i - 1 if i else BASE, STILL, joint, NO_INERTIA)
        for i, joint in enumerate(SIX_DEGREES)
    ]
    bodies[-1] = replace(bodies[-1], inertia=part(base, share))
    bodies += [replace(body, parent=body.parent - k + 5) for body in tree.bodies[k + 1 :]]
    return replace(
        tree,
        bodies=in_order(bodies),
        coordinates=own_coordinates(len(bodies)),
        joint_names=tuple(body.name for body in bodies),
        rotor_inertia=(0,) * 6 + tuple(tree.rotor_inertia[k + 1 :]),
        shared=(),
        frames={},
    )


def own_coordinates(n: int) -> Drives:
    """Return the map of n joints with one coordinate of their own each."""
    return Drives(tuple(Drive(slice(i, i + 1), slice(i, i + 1)) for i in range(n)), n)


def part(body: Body, share: float) -> Inertia:
    """Return the inertia of a share of a body's mass."""
    I = body.inertia
    return Inertia(I.m * share, I.h * share, I.I * share)
