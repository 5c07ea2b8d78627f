"""Any six turns: candidates from eigenvalues and from the arm that it nearly is, polished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qddot.kinematics.mending import Mending
from qddot.kinematics.nearest import PoseSearch
from qddot.kinematics.poses import proper_poses
from qddot.kinematics.six_turns import MOST, SixTurns

STARTS, ALL_STARTS, STEPS = 64, 256, 60  # of searches; where there is nothing else
SINGULAR = 0.05  # smallest singular value of J beside the largest from which on there are searches
AT_ONCE = 64  # poses; each takes up to 2 MB on the way


@dataclass(frozen=True)
class AnySixTurns:
    """An arm without a closed form, and what finds its solutions.

    Eigenvalues lose digits where lines nearly meet or are nearly parallel, as those of a calibrated
    arm. The closed form of the arm whose lines do so is near then, and Newton's method leads from
    its solutions to the arm's own. Next to a singular position it does not: damped searches from
    there, and from all over the joints' room, do. Where three lines meet beside three that lie
    anyhow, eigenvalues say nothing at all, and there are only searches.
    """

    six: SixTurns
    mending: Mending
    rest: np.ndarray  # (nq,): positions of the joints that do not carry the frame
    near: Callable[..., tuple[np.ndarray, ...]] | None  # the closed form of the arm that it is near
    search: PoseSearch  # without limits

    def solved(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return q (m, 16, nq), miss and margin (m, 16) of proper poses (m, 4, 4)."""
        if not len(X):
            return np.empty((0, MOST, len(self.rest))), np.empty((0, MOST)), np.empty((0, MOST))
        parts = [self._solved(X[k : k + AT_ONCE]) for k in range(0, len(X), AT_ONCE)]
        q, miss, margin = (np.concatenate(x) for x in zip(*parts, strict=True))
        return q, miss, margin

    def _solved(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        if self.near is None and not self.six.tells:
            none = np.empty((len(X), 0, len(self.rest)))
            every = np.ones(len(X), dtype=bool)
            return self.mending.distinct(X, self._searched(X, none, every, ALL_STARTS), MOST)
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
            near = self.near(X, np.zeros((len(X), len(chain.axes) + 1)))[0]
            places += [near, self._searched(X, near, self._singular(near), STARTS)]
        return self.mending.distinct(X, np.concatenate(places, axis=1), MOST)

    def _singular(self, near: np.ndarray) -> np.ndarray:
        """Return of which poses one of the solutions (m, k, nq) is next to a singular one, (m,)."""
        J = self.mending.jacobian(near)[..., self.mending.joints]
        J[..., 3:, :] /= self.mending.scale
        sizes = np.linalg.svd(J, compute_uv=False)
        return np.asarray((sizes[..., -1] <= SINGULAR * sizes[..., 0]).any(axis=-1))

    def _searched(
        self, X: np.ndarray, near: np.ndarray, some: np.ndarray, count: int
    ) -> np.ndarray:
        """Return where searches for some of the poses end, (m, places, nq), NaN where nowhere.

        They start at positions (m, k, nq) and at `count` others all over the joints' room.
        """
        joints = self.search.task.joints
        spread = np.tile(self.search.starts.positions[:count], (some.sum(), 1, 1))
        starts = np.concatenate([near[some][..., joints], spread], axis=1)
        ends = np.broadcast_to(self.rest, (*starts.shape[:2], len(self.rest))).copy()
        ends[..., joints] = self.search.ends(proper_poses(X[some]), starts, STEPS)
        found = np.full((len(X), starts.shape[1], len(self.rest)), np.nan)
        found[some] = ends
        return found
