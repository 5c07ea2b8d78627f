"""How far one robot is from another: the distance that what cannot be known is kept short in.

Between pseudo-inertias, measured by the prior body's own, so that neither units nor the choice of
frames matter; of friction and rotors, the difference by its size:

    d² = Σ ‖J₀^(−½) (J − J₀) J₀^(−½)‖²_F + Σ ((f − f₀)/s)²                              Lee

Lee: T. Lee, P. Wensing, F. Park, *Geometric robot dynamic identification: a convex programming
approach*, IEEE Trans. Robotics 36(2), 2020.
"""

from __future__ import annotations

import numpy as np

from qddot.identification.regression import Regression
from qddot.spatial.inertia import NAMES, Inertia

SOFT = 0.02  # of a body's own size, added so that rods and points have a distance too
LIGHTEST, SMALLEST = 0.02, 0.03  # [kg], [m]: a body that the prior says nothing about
UNIT = 1.0  # what friction and rotors without a prior are measured in
PSEUDO = np.stack([Inertia.from_parameters(row).pseudo() for row in np.eye(len(NAMES)).tolist()])


def pseudo(phi: np.ndarray) -> np.ndarray:
    """Return the pseudo-inertia of ten numbers, shape (4, 4)."""
    return np.tensordot(phi, PSEUDO, axes=1)


def roots(regression: Regression, prior: np.ndarray) -> list[np.ndarray]:
    """Return, for each body, L with J₀ = L Lᵀ, the prior made a possible body of some size."""
    bodies = prior[: regression.inertial].reshape(-1, len(NAMES))
    lightest = max(LIGHTEST, 1e-3 * float(np.abs(bodies[:, 0]).sum()))
    found = []
    for phi in bodies:
        mass = max(float(phi[0]), lightest)
        size = np.sqrt(max(float(phi[4] + phi[7] + phi[9]) / (2 * mass), SMALLEST**2))
        scale = np.sqrt(mass) * np.array([size, size, size, 1])
        relative = pseudo(phi) / np.outer(scale, scale)
        values, vectors = np.linalg.eigh(relative)
        root = vectors * np.sqrt(np.maximum(values, 0) + SOFT)
        found.append(scale[:, None] * root)
    return found


def metric_root(regression: Regression, prior: np.ndarray) -> np.ndarray:
    """Return C with d² = ‖C (φ − φ₀)‖², shape (m, p)."""
    p, first = len(regression.names), regression.inertial
    blocks = []
    for b, L in enumerate(roots(regression, prior)):
        inverse = np.linalg.inv(L)
        rows = np.zeros((16, p))
        rows[:, 10 * b : 10 * b + 10] = (inverse @ PSEUDO @ inverse.T).reshape(10, 16).T
        blocks.append(rows)
    scale = np.maximum(np.abs(prior[first:]), UNIT)
    rest = np.zeros((p - first, p))
    rest[:, first:] = np.diag(1 / scale)
    return np.vstack([*blocks, rest]) if p else np.zeros((0, 0))


def nearest(
    regression: Regression, prior: np.ndarray, B: np.ndarray, beta: np.ndarray
) -> np.ndarray:
    """Return the parameters nearest to the prior that have the base parameters beta.

    With G = CᵀC:

        φ = φ₀ + G⁻¹ Bᵀ (B G⁻¹ Bᵀ)⁻¹ (β − B φ₀)
    """
    C = metric_root(regression, prior)
    G_inv = np.linalg.inv(C.T @ C)
    missing = beta - B @ prior
    return prior + G_inv @ B.T @ np.linalg.solve(B @ G_inv @ B.T, missing)


def smallest_eigenvalue(regression: Regression, phi: np.ndarray) -> float:
    """Return the smallest eigenvalue of any body's pseudo-inertia, by the body's size."""
    bodies = phi[: regression.inertial].reshape(-1, len(NAMES))
    values = [np.linalg.eigvalsh(pseudo(body)) for body in bodies]
    return float(min((v[0] / max(v[-1], 1e-12) for v in values), default=0.0))
