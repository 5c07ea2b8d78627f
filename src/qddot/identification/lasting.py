"""How many rows say the same again: residuals that last are not news at every row.

Deviations of least squares count every row as an independent one. Where a residual knows the next
(a filter has spread it, or it is what the model lacks), the rows are worth fewer. With ρ_k the
autocorrelation of joint i's residual,

    κᵢ = 1 + 2 Σ ρ_k        cov β = N⁻¹ (Σ κᵢ YᵢᵀYᵢ/σᵢ²) N⁻¹        N = Σ YᵢᵀYᵢ/σᵢ²

which holds for columns that change slowly against the residual, as those of a filtered log do.

Geyer: C. Geyer, *Practical Markov chain Monte Carlo*, Statistical Science 7(4), 1992: the sum is
taken over pairs ρ_2m + ρ_2m+1 as long as they are positive.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qddot.identification.samples import Samples
from qddot.identification.solution import Problem, Solution, information

UNEVEN = 0.01  # of a step: rows further from their place do not follow each other
LEAST = 2.0  # independent rows a parameter, below which a deviation is a guess


def repeats(samples: Samples, residual: np.ndarray) -> np.ndarray:
    """Return κ: how many rows each joint's residual lasts, at least 1, shape (n,)."""
    k, n = residual.shape
    counts = np.ones((k, n), bool) if samples.counts is None else samples.counts
    step = np.diff(samples.t)
    if k < 8 or np.abs(step - np.median(step)).max() > UNEVEN * abs(np.median(step)):
        return np.ones(n)
    size = 1 << (2 * k - 1).bit_length()
    found = np.ones(n)
    for i in range(n):
        use = counts[:, i]
        x = np.where(use, residual[:, i], 0.0)
        power = np.abs(np.fft.rfft(x, size)) ** 2
        rho = np.fft.irfft(power, size)[: k // 3]
        if rho[0] <= 0:
            continue
        rho = rho / rho[0]
        pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
        ends = np.flatnonzero(pairs <= 0)
        last = int(ends[0]) if len(ends) else len(pairs)
        found[i] = max(1.0, 2 * float(pairs[:last].sum()) - 1)
    return found


def widened(problem: Problem, solution: Solution, kappa: np.ndarray) -> Solution:
    """Return a solution whose covariance counts rows by what they are worth.

    Where there are fewer than two independent rows a parameter, it is not known at all.
    """
    count = problem.factors.count
    if float(np.sum(count / kappa)) < LEAST * problem.factors.rank:
        covariance = np.full_like(solution.covariance, np.nan)
        return replace(solution, covariance=covariance, repeats=kappa)
    weights = (kappa - 1) / solution.noise**2
    more = np.tensordot(weights, information(problem.factors), axes=1)
    covariance = solution.covariance
    return replace(solution, covariance=covariance + covariance @ more @ covariance, repeats=kappa)
