"""The effective mass of a frame, from J and M, without squaring a condition number.

With M = L Lᵀ and the singular values U Σ Vᵀ = W of the mass-weighted Jacobian:

    W = J L⁻ᵀ        J M⁻¹ Jᵀ = W Wᵀ        (J M⁻¹ Jᵀ)⁻¹ = U Σ⁻² Uᵀ

1/σ² are the principal masses. They come from W, as the condition of W Wᵀ is the square of that of
W. A σ that the rounding of J alone can make is taken as zero: the frame cannot move that way, and
the mass is infinite. The rounding of M changes every σ by a factor near 1, so it blocks nothing.
"""

from __future__ import annotations

import numpy as np

EPS = np.finfo(float).eps
ROUNDING = 64 * EPS  # of an entry of J, in parts of all of J: the kernels are good to a few eps


def weighted(J: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return W = J L⁻ᵀ, shape (..., k, n), and up to which size a singular value is only rounding.

    Both are NaN where M is not positive definite, or not finite.
    """
    k, n = J.shape[-2:]
    both = np.concatenate([J, np.broadcast_to(np.eye(n), M.shape)], axis=-2)
    solved = np.linalg.solve(factor(M), both.swapaxes(-1, -2)).swapaxes(-1, -2)
    return solved[..., :k, :], ROUNDING * _size(J) * _size(solved[..., k:, :])


def factor(M: np.ndarray) -> np.ndarray:
    """Return L with M = L Lᵀ, shape (..., n, n); NaN where M is singular to rounding."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        if M.ndim == 2:
            return np.full(M.shape, np.nan)
        return np.stack([factor(one) for one in M])
    pivots = np.diagonal(L, axis1=-2, axis2=-1) ** 2
    least = 4 * M.shape[-1] * EPS * np.diagonal(M, axis1=-2, axis2=-1)
    singular = (pivots <= least).any(axis=-1)
    return np.where(singular[..., None, None], np.nan, L)


def principal_masses(J: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal masses, ascending, shape (..., k), and their axes, one per column.

    Infinite along axes that the frame cannot move; NaN where M is singular.
    """
    W, rounding = weighted(J, M)
    known = np.asarray(np.isfinite(W).all(axis=(-2, -1)))[..., None]
    U, sigma, _ = np.linalg.svd(np.where(known[..., None], W, 0))
    masses = masses_of(sigma, rounding, J.shape[-2])
    return np.where(known, masses, np.nan), np.where(known[..., None], U, np.nan)


def masses_of(sigma: np.ndarray, rounding: np.ndarray, count: int) -> np.ndarray:
    """Return `count` masses 1/σ², infinite where σ is only rounding or there are too few joints."""
    blocked = ~(sigma > np.asarray(rounding)[..., None])
    found = np.where(blocked, np.inf, 1 / np.where(blocked, 1, sigma) ** 2)
    missing = np.full((*found.shape[:-1], count - found.shape[-1]), np.inf)
    return np.concatenate([found, missing], axis=-1)


def matrix_of(masses: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return Σ mᵢ uᵢ uᵢᵀ over the finite masses, shape (..., k, k); NaN stays NaN."""
    finite = np.where(np.isinf(masses), 0, masses)
    return (axes * finite[..., None, :]) @ axes.swapaxes(-1, -2)


def _size(x: np.ndarray) -> np.ndarray:
    return np.sqrt((x * x).sum(axis=(-2, -1)))
