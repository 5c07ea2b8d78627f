"""What columns predict of blocks of time that were not fitted, from the triangular factors alone.

A problem's factors hold all that least squares asks of a log (`problem`), so a set of columns is
tried without another look at the rows. With S the columns that are taken, a block is predicted by
the values that all other blocks give; what a further column adds is what S does not explain of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.identification.problem import Blocks

FINE = 2e-3  # of a torque: an error this small is no error
SOFT = 1e-10  # of a column's own size, so that what a log does not show stays at zero
ROUNDS = 3  # of the noise of each joint and the values that it weighs


@dataclass(frozen=True)
class Trial:
    """What columns bring to those that are taken."""

    errors: np.ndarray  # (blocks, n), the squares left of the torques of each block
    gain: float  # the share of its joints' error, squared, that goes; what others lose taken off
    steady: float  # by how many standard errors over the blocks the error falls
    sure: float  # by how many standard errors over the blocks the values differ from zero
    own: float  # the share of a column that none of the taken ones explains


class UnseenTorques:
    """Blocks of time, each predicted from all the others."""

    def __init__(self, blocks: Blocks, seen: Sequence[np.ndarray], counts: np.ndarray, p: int):
        self.p, self.counts = p, np.maximum(counts.sum(axis=0), 1)
        self.places = [np.append(columns, p) for columns in seen]  # the last is of torques
        length = np.zeros(p + 1)
        for block in blocks:
            for R, at in zip(block, self.places, strict=True):
                length[at] += np.sum(R**2, axis=0)
        self.scale = np.where(length > 0, np.sqrt(length), 1)
        self.R = [
            [R / self.scale[at] for R, at in zip(block, self.places, strict=True)]
            for block in blocks
        ]
        self.torques = np.array([[np.sum(R[:, -1] ** 2) for R in block] for block in self.R])
        self.floor = FINE**2 * self.torques.sum(axis=0)
        self.variance = self._variance(self.torques)

    def _variance(self, squares: np.ndarray) -> np.ndarray:
        least = max(float(self.floor.max()), np.finfo(float).tiny)
        floor = np.where(self.floor > 0, self.floor, least)
        return np.maximum(squares.sum(axis=0), floor) / self.counts

    def relative(self, squares: np.ndarray, joints: Sequence[int] = ()) -> float:
        """Return ‖τ − τ̂‖/‖τ‖ on blocks that were not fitted, of some joints or of all."""
        at = list(joints) or slice(None)
        return float(np.sqrt(squares[:, at].sum() / (self.torques[:, at].sum() or 1)))

    def _information(self) -> np.ndarray:
        """Return [Y τ]ᵀ[Y τ] of each block, joints by their noise, shape (blocks, p + 1, p + 1)."""
        found = np.zeros((len(self.R), self.p + 1, self.p + 1))
        for f, block in enumerate(self.R):
            for R, at, variance in zip(block, self.places, self.variance, strict=True):
                found[f][np.ix_(at, at)] += R.T @ R / variance
        return found

    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the information of all blocks but each one, and of all."""
        each = self._information()
        return each.sum(axis=0) - each, each.sum(axis=0)

    def errors(self, taken: list[int]) -> np.ndarray:
        """Return the squares left of each block's torques by joint, shape (blocks, n)."""
        H, _ = self._others()
        x = np.zeros((len(H), self.p + 1, 1))
        x[:, taken] = -np.linalg.solve(_soft(H, taken), H[:, taken][..., [self.p]])
        x[:, self.p] = 1
        return self._squares(x)

    def values(self, taken: list[int]) -> np.ndarray:
        """Return what all blocks together give the columns."""
        _, H = self._others()
        x = np.linalg.solve(_soft(H, taken), H[taken, self.p])
        return x * self.scale[self.p] / self.scale[taken]

    def _squares(self, x: np.ndarray) -> np.ndarray:
        return np.array(
            [
                [np.sum((R @ v[at]) ** 2) for R, at in zip(block, self.places, strict=True)]
                for block, v in zip(self.R, x, strict=True)
            ]
        )

    def take(self, taken: list[int]) -> np.ndarray:
        """Take columns: find each joint's noise with them, and what they leave of all others.

        Returns:
            The squares left of each block's torques by joint, shape (blocks, n).
        """
        for _ in range(ROUNDS):
            self.variance = self._variance(self.errors(taken))
        H, whole = self._others()
        X = np.linalg.solve(_soft(H, taken), H[:, taken])
        self.left = H - np.swapaxes(H[:, taken], 1, 2) @ X
        W = np.broadcast_to(np.eye(self.p + 1), H.shape).copy()
        W[:, taken] -= X
        self.Z = [
            [R @ w[at] for R, at in zip(block, self.places, strict=True)]
            for block, w in zip(self.R, W, strict=True)
        ]
        rest = whole - whole[:, taken] @ np.linalg.solve(_soft(whole, taken), whole[taken])
        size = np.diag(whole)
        self.own = np.sqrt(np.maximum(np.diag(rest), 0) / np.where(size > 0, size, np.inf))
        self.base = np.array([[np.sum(Z[:, -1] ** 2) for Z in block] for block in self.Z])
        return self.base

    def trial(self, more: list[int], joints: list[int]) -> Trial:
        """Return what further columns bring, which act on some joints first of all."""
        gamma = np.linalg.solve(_soft(self.left, more), self.left[:, more][..., [self.p]])
        errors = np.array(
            [
                [np.sum((Z[:, -1] - Z[:, more] @ g[:, 0]) ** 2) for Z in block]
                for block, g in zip(self.Z, gamma, strict=True)
            ]
        )
        return self.compared(self.base, errors, joints, gamma[..., 0], float(self.own[more].min()))

    def compared(
        self,
        before: np.ndarray,
        after: np.ndarray,
        joints: list[int],
        gamma: np.ndarray,
        own: float = 1.0,
    ) -> Trial:
        """Return what columns bring by the errors without them and with them."""
        count = len(before)
        low = self.floor / count
        each = [((x + low) / self.variance)[:, joints].sum(axis=1) for x in (before, after)]
        gain = float(np.sum((before - after) / self.variance) / max(each[0].sum(), 1e-300))
        falls = np.log(np.maximum(each[0], 1e-300) / np.maximum(each[1], 1e-300))
        spread = falls.std(ddof=1) / np.sqrt(count)
        steady = float(falls.mean() / spread) if spread > 0 else 0.0
        # the jackknife: by how much values change without each block
        mean, off = gamma.mean(axis=0), gamma - gamma.mean(axis=0)
        covariance = (count - 1) / count * off.T @ off
        wald = float(mean @ np.linalg.pinv(covariance) @ mean) / len(mean)
        return Trial(after, gain, steady, float(np.sqrt(max(wald, 0))), own)


def _soft(H: np.ndarray, columns: list[int]) -> np.ndarray:
    """Return the information of some columns, with a little more, so that it has an inverse."""
    part = H[..., columns, :][..., columns]
    size = np.einsum("...ii->...i", part).mean(axis=-1) if columns else np.ones(H.shape[:-2])
    soft = np.maximum(SOFT * size, np.finfo(float).tiny)
    return part + soft[..., None, None] * np.eye(len(columns))
