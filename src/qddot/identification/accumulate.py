"""A log of any length, kept as triangular factors: all that least squares needs of it.

Joint by joint, because the torque of a joint only sees the bodies it carries, and because joints
are measured with different noise; block of time by block of time, so that cross-validation needs no
second look at the data. With Q never formed:

    [Y_i  τ_i] = Q_i [R_i  d_i]        ‖τ_i − Y_i β‖ = ‖[R_i  d_i] [−β; 1]‖
                     [ 0   ρ_i]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from qddot.identification.grouping import Columns, triangle
from qddot.identification.regression import Regression
from qddot.identification.samples import Samples

BLOCKS = 10  # of time


@dataclass(frozen=True)
class Factors:
    """Triangular factors of [Y τ] of each joint, in the base parameters."""

    rank: int
    blocks: tuple[tuple[np.ndarray, ...], ...]  # by block, then by joint: (c + 1, c + 1)
    columns: tuple[np.ndarray, ...]  # by joint: which base parameters its torque sees
    counts: np.ndarray  # (blocks, n), how many torques

    @property
    def n(self) -> int:
        """How many joints."""
        return len(self.columns)

    @property
    def count(self) -> np.ndarray:
        """How many torques of each joint, shape (n,)."""
        return np.maximum(self.counts.sum(axis=0), 1)

    @cached_property
    def joints(self) -> tuple[np.ndarray, ...]:
        """The factors of each joint over all the time, as wide as all base parameters."""
        found = []
        for i, columns in enumerate(self.columns):
            R = triangle(np.vstack([block[i] for block in self.blocks]))
            wide = np.zeros((len(R), self.rank + 1))
            wide[:, [*columns, self.rank]] = R
            found.append(wide)
        return tuple(found)

    def chosen(self, blocks: Iterable[int]) -> Factors:
        """Return the factors of some blocks alone."""
        kept = list(blocks)
        return Factors(
            self.rank,
            tuple(self.blocks[b] for b in kept),
            self.columns,
            self.counts[kept],
        )

    def without(self, removed: Iterable[int]) -> Factors:
        """Return the factors when some base parameters are taken for zero."""
        gone = set(removed)
        left = [k for k in range(self.rank) if k not in gone]
        place = {k: at for at, k in enumerate(left)}
        keep = [[j for j, k in enumerate(c) if k not in gone] for c in self.columns]
        blocks = tuple(
            tuple(triangle(R[:, [*k, R.shape[1] - 1]]) for R, k in zip(block, keep, strict=True))
            for block in self.blocks
        )
        columns = tuple(
            np.array([place[int(c[j])] for j in k], dtype=int)
            for c, k in zip(self.columns, keep, strict=True)
        )
        return Factors(len(left), blocks, columns, self.counts)

    def stacked(self, deviations: np.ndarray) -> np.ndarray:
        """Return the factor of all joints together, each divided by its deviation."""
        rows = [R / s for R, s in zip(self.joints, deviations, strict=True)]
        return triangle(np.vstack(rows))

    def squares(self, beta: np.ndarray) -> np.ndarray:
        """Return the sum of squared residuals of each joint, shape (n,)."""
        x = np.append(-beta, 1)
        return np.array([float(np.sum((R @ x) ** 2)) for R in self.joints])

    @cached_property
    def torques(self) -> np.ndarray:
        """The sum of squared torques of each joint, shape (n,)."""
        return self.squares(np.zeros(self.rank))


def factors(
    regression: Regression,
    columns: Columns,
    samples: Samples,
    *,
    weights: np.ndarray | None = None,
    blocks: int = BLOCKS,
) -> Factors:
    """Return the factors of a log, looked at in pieces.

    Args:
        regression: Which columns there are.
        columns: Which of them are base parameters.
        samples: The log.
        weights: What each torque counts, shape (k, n); all alike if not given.
        blocks: How many pieces of time are kept apart.
    """
    kept = np.array(columns.kept, dtype=int)
    seen = supports(regression, kept)
    edges = block_edges(len(samples), blocks)
    found, counts = [], np.zeros((len(edges) - 1, len(seen)), dtype=int)
    for b, (start, stop) in enumerate(pairwise(edges)):
        own = None if weights is None else weights[start:stop]
        part = samples[start:stop]
        found.append(_block(regression, kept, seen, part, own))
        counts[b] = stop - start if part.counts is None else part.counts.sum(axis=0)
    return Factors(len(kept), tuple(found), tuple(seen), counts)


def block_edges(rows: int, blocks: int) -> np.ndarray:
    """Return where the blocks of a log begin and end, shape (blocks + 1,)."""
    return np.linspace(0, rows, max(1, min(blocks, rows)) + 1).astype(int)


def _block(
    regression: Regression,
    kept: np.ndarray,
    seen: list[np.ndarray],
    samples: Samples,
    weights: np.ndarray | None,
) -> tuple[np.ndarray, ...]:
    Rs = [np.zeros((0, len(c) + 1)) for c in seen]
    for where, part in samples.chunks():
        Y = regression.columns(part)
        tau = part.tau - regression.rest(part)
        for i, c in enumerate(seen):
            use = slice(None) if part.counts is None else part.counts[:, i]
            right = tau[use, i]
            # column after column in memory, as the factorisation wants it
            top = len(Rs[i])
            both = np.empty((top + len(right), len(c) + 1), order="F")
            both[:top] = Rs[i]
            for at, k in enumerate(kept[c]):
                both[top:, at] = Y[use, i, k]
            both[top:, -1] = right
            if weights is not None:
                both[top:] *= np.sqrt(weights[where, i][use])[:, None]
            Rs[i] = triangle(both, overwrite=True)
    return tuple(Rs)


def supports(regression: Regression, kept: np.ndarray) -> list[np.ndarray]:
    """Return, for each joint, which base parameters its torque sees at all."""
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-2, 2, (3, 64, regression.robot.n))
    Y = regression.columns(Samples(np.zeros(64), q, qd, qdd, 0 * q))[:, :, kept]
    return [np.flatnonzero(np.any(Y[:, i] != 0, axis=0)) for i in range(Y.shape[1])]
