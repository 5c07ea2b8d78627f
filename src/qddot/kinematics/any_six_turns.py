"""Any six turns: candidates from eigenvalues and from the arm that it nearly is, polished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from qddot.kinematics.chain import Chain
from qddot.kinematics.joint_equations import Position
from qddot.kinematics.mending import Mending
from qddot.kinematics.plan import product
from qddot.kinematics.six_turns import MOST, SixTurns
from qddot.kinematics.solutions import CLOSED
from qddot.spatial.pose import STILL

STARTS, ALL_STARTS = 64, 256  # of searches; where there is nothing else
SINGULAR = 0.05  # smallest singular value of J beside the largest from which on there are searches
ALONG = 1e-4  # [rad] for differences of J
AT_ONCE = 64  # poses; each takes up to 2 MB on the way


@dataclass(frozen=True)
class AnySixTurns:
    """An arm without a closed form, and what finds its solutions.

    Eigenvalues lose digits where lines nearly meet or are nearly parallel, as those of a calibrated
    arm. The closed form of the arm whose lines do so is near then, and Newton's method leads from
    its solutions to the arm's own. Next to a singular position it does not: damped searches from
    there, and from all over the joints' room, do, as where nothing is found at all. Where three
    lines meet beside three that lie anyhow, eigenvalues say nothing, and there are only searches.

    Turns have an even number of solutions for every pose, singular ones apart: their positions are
    a torus, which has no edge, and poses go on beyond all that it covers. Where the number found is
    odd, one of two that have nearly met is missing, and is looked for beside the others.
    """

    six: SixTurns
    mending: Mending
    rest: np.ndarray  # (nq,): positions of the joints that are not solved for
    # from X (m, 4, 4): q of the arm that it is near, where that has a closed form
    near: Callable[[np.ndarray], np.ndarray] | None

    def solved(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return q (m, 16, nq), miss and margin (m, 16) of proper poses (m, 4, 4)."""
        if not len(X):
            return np.empty((0, MOST, len(self.rest))), np.empty((0, MOST)), np.empty((0, MOST))
        parts = [self._solved(X[k : k + AT_ONCE]) for k in range(0, len(X), AT_ONCE)]
        q, miss, margin = (np.concatenate(x) for x in zip(*parts, strict=True))
        return q, miss, margin

    def _solved(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        places = self._places(X)
        ends = self.mending.distinct(X, places, MOST)

        def add(rows: np.ndarray, more: np.ndarray) -> None:
            more = np.concatenate([places[rows], more], axis=1)
            for old, new in zip(ends, self.mending.distinct(X[rows], more, MOST), strict=True):
                old[rows] = new

        found = np.asarray(ends[1] <= CLOSED**2)
        counts = np.asarray(found.sum(axis=1))
        none, odd = counts == 0, counts % 2 == 1
        if none.any():
            rest = np.tile(self.rest, (none.sum(), 1, 1))
            add(none, self.mending.searched(X[none], rest, STARTS))
        if odd.any():
            twins = np.full_like(ends[0], np.nan)
            pairs = found & odd[:, None]
            twins[pairs] = self._twins(ends[0][pairs])
            add(odd, twins[odd])
        return ends

    def _places(self, X: np.ndarray) -> np.ndarray:
        """Return where solutions of poses may be, (m, places, nq), NaN where nowhere."""
        if self.near is None and not self.six.tells:
            return self.mending.searched(X, np.tile(self.rest, (len(X), 1, 1)), ALL_STARTS)
        chain, T = self.six.chain, X.copy()
        T[:, :3, 3] /= self.mending.scale
        home = np.array(chain.home.matrix(), dtype=float)
        found = self.six.candidates(T @ np.linalg.inv(home))
        q = np.broadcast_to(self.rest, (*found.shape[:2], len(self.rest))).copy()
        for i, axis in enumerate(chain.axes):
            q[..., axis.index] = (found[..., i] - axis.offset) / axis.ratio
        if self.near is None:
            return q
        near = self.near(X)
        singular = self._singular(near)
        searched = np.full((len(X), near.shape[1] + STARTS, len(self.rest)), np.nan)
        searched[singular] = self.mending.searched(X[singular], near[singular], STARTS)
        return np.concatenate([q, near, searched], axis=1)

    def _twins(self, q: np.ndarray) -> np.ndarray:
        """Return where the solutions may be that meet these (m, nq) at a singular position near by.

        With J v = σ u for the smallest singular value, the pose along v is σ t u + ½ t² J̇ v, with J̇
        how J changes along v. Its part along u vanishes again at t = −2 σ/(u · J̇ v).
        """
        U, sizes, V = np.linalg.svd(self.mending.jacobian(q))
        u, v = U[..., -1], V[..., -1, :]
        ahead = np.zeros_like(q)
        ahead[:, self.mending.joints] = ALONG * v
        J = self.mending.jacobian
        change = (J(q + ahead) - J(q - ahead)) @ v[..., None]
        bend = (u * change[..., 0]).sum(axis=-1) / (2 * ALONG)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.clip(-2 * sizes[:, -1] / bend, -1, 1)
        return q + ahead * (t / ALONG)[:, None]

    def _singular(self, near: np.ndarray) -> np.ndarray:
        """Return of which poses one of the solutions (m, k, nq) is next to a singular one, (m,)."""
        sizes = np.linalg.svd(self.mending.jacobian(near), compute_uv=False)
        return np.asarray((sizes[..., -1] <= SINGULAR * sizes[..., 0]).any(axis=-1))


def held(chain: Chain, at: dict[int, Position]) -> Chain:
    """Return an arm some of whose joints stand still, in floats."""
    axes, X = [], STILL
    for i, axis in enumerate(chain.axes):
        if i in at:
            X = X @ product(chain, at, [i])
        else:
            axes.append(replace(axis, h=X.R @ axis.h, p=X.R @ axis.p + X.p))
    return replace(chain, axes=tuple(axes), home=X @ chain.home)
