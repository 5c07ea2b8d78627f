"""Any six turns: candidates from eigenvalues and from the arm that it nearly is, polished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qddot.kinematics.mending import Mending
from qddot.kinematics.six_turns import MOST, SixTurns

AT_ONCE = 500  # poses; each takes about 200 kB on the way


@dataclass(frozen=True)
class AnySixTurns:
    """An arm without a closed form, and what finds its solutions.

    Eigenvalues lose digits where lines nearly meet or are nearly parallel, as those of a calibrated
    arm. The closed form of the arm whose lines do so is near then, and Newton's method leads from
    its solutions to the arm's own.
    """

    six: SixTurns
    mending: Mending
    rest: np.ndarray  # (nq,): positions of the joints that do not carry the frame
    near: Callable[..., tuple[np.ndarray, ...]] | None  # the closed form of the arm that it is near

    def solved(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return q (m, 16, nq), miss and margin (m, 16) of proper poses (m, 4, 4)."""
        if not len(X):
            return np.empty((0, MOST, len(self.rest))), np.empty((0, MOST)), np.empty((0, MOST))
        parts = [self._solved(X[k : k + AT_ONCE]) for k in range(0, len(X), AT_ONCE)]
        q, miss, margin = (np.concatenate(x) for x in zip(*parts, strict=True))
        return q, miss, margin

    def _solved(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        chain, scale = self.six.chain, self.mending.scale
        places, home = [], np.array(chain.home.matrix(), dtype=float)
        T = X.copy()
        T[:, :3, 3] /= scale
        found = self.six.candidates(T @ np.linalg.inv(home))
        q = np.broadcast_to(self.rest, (*found.shape[:2], len(self.rest))).copy()
        for i, axis in enumerate(chain.axes):
            turned = (found[..., i] - axis.offset + np.pi) % (2 * np.pi) - np.pi
            q[..., axis.index] = turned / axis.ratio
        places.append(q)
        if self.near is not None:
            places.append(self.near(X, np.zeros((len(X), len(chain.axes) + 1)))[0])
        return self.mending.distinct(X, np.concatenate(places, axis=1), MOST)
