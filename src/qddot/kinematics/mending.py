"""What a closed form leaves to be done for a few poses: straighten them, polish, look further.

A program runs straight on and says where it cannot be sure: where a matrix is not quite a pose, or
none; where a solution closes, but not to the last digits; where a joint may stand anywhere, and
where it was put is out of the others' reach. Those poses come here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from qddot.kinematics.branches import TIGHT
from qddot.kinematics.joint_equations import NO_LEVER
from qddot.kinematics.nearest import PoseSearch
from qddot.kinematics.poses import proper_matrices, proper_poses
from qddot.kinematics.solutions import CLOSED, SINGULAR, SLACK

NEAR = 2e-2  # the closure from which Newton's method is tried
FAR = 0.5  # the same, for candidates that other methods found roughly
SAME = 1e-6  # [rad or m] two solutions that are nearer than this are one
MEETING = 1e-3  # the same of singular ones, which are known to about the root of rounding
SEARCH = 60  # steps of a search
STEPS = 30  # at a double root each halves the distance only
ANYWHERE = 1e-10  # a lever this short leaves few digits; the joint is tried anywhere then
PLACES = 24  # tried for joints that may stand anywhere
RANK = 1e-12


@dataclass(frozen=True)
class Mending:
    """What is asked of an arm to mend its solutions."""

    # X, given, spare: raw q, miss, margin, lever; where there is a closed form, without limits
    solve: Callable[..., tuple[np.ndarray, ...]] | None
    pose: Callable[[np.ndarray], np.ndarray]
    jacobian_of: Callable[[np.ndarray], np.ndarray]  # in world axes
    search: Callable[[bool], PoseSearch]  # within limits or not; joints that are given stay
    joints: list[int]  # entries of q that are solved for
    carrying: list[int]  # entries of q that carry the frame, from the base on
    scale: float  # [m]
    turn: np.ndarray  # (nq,): what turns each joint once; 2π, or else where a joint follows it
    slides: np.ndarray  # (nq,): which joints slide
    lower: np.ndarray  # (nq,)
    upper: np.ndarray

    def mended(self, X: np.ndarray, *given: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return q, miss and margin of poses (m, 4, 4) that need more than the program."""
        X = proper_matrices(X)
        found = self._solved(X, given, np.clip(0.0, *self._spare_room(X)), NO_LEVER)
        for share in np.linspace(0, 1, PLACES, endpoint=False):
            anywhere = (found[1] > CLOSED**2) & (found[3] <= ANYWHERE**4)
            rows = anywhere.any(axis=1)
            if not rows.any():
                break
            some = [x[rows] for x in (X, *given)]
            low, high = self._spare_room(some[0])
            there = self._solved(some[0], some[1:], low + share * (high - low), ANYWHERE)
            better = anywhere[rows] & (there[1] <= CLOSED**2)
            for old, new in zip(found, there, strict=True):
                part = old[rows]
                part[better] = new[better]
                old[rows] = part
        q, miss, margin, _ = found
        return np.where((miss <= CLOSED**2)[..., None], q, np.nan), miss, margin

    def _spare_room(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return between what joints are tried that may stand anywhere, (m, carrying) each.

        That is a turn; of a slide its limits, or else the size of the arm and of the pose.
        """
        slides = self.slides[self.carrying]
        low, high = (x[self.carrying] for x in (self.lower, self.upper))
        size = 2 * self.scale + np.linalg.norm(X[:, :3, 3], axis=1)[:, None]
        near, far = np.maximum(low, np.minimum(high, 0) - size), np.maximum(low, 0) + size
        return np.where(slides, near, -np.pi), np.where(slides, np.minimum(high, far), np.pi)

    def _solved(
        self, X: np.ndarray, given: Sequence[np.ndarray], spare: np.ndarray, least: float
    ) -> list[np.ndarray]:
        """Return q, miss, margin and lever within limits, joints that may stand anywhere at spare.

        One that stands for a family, and beyond the limits, is led along it to within them.
        """
        assert self.solve is not None
        spare = np.append(spare, np.full((len(X), 1), least**4), axis=1)
        q, miss, margin, lever = self._polished(X, *self.solve(X, *given, spare))
        q, inside = brought_within(q, self.lower, self.upper, self.turn, self.slides)
        beyond = ~inside & (miss <= CLOSED**2)
        family = beyond & (lever <= ANYWHERE**4)
        miss[beyond] = np.inf
        if family.any():
            wanted = np.broadcast_to(X[:, None], (*miss.shape, 4, 4))[family]
            starts = np.clip(q[family], self.lower, self.upper)
            ends = self.searched(wanted, starts[:, None], limits=True)[:, 0]
            there = np.isfinite(ends).all(axis=-1)
            some = tuple(x[there] for x in np.nonzero(family))
            q[some] = ends[there]
            miss[some] = self._miss(wanted[there], ends[there])
            q, miss = self._polished(X, q, miss)
        return [q, miss, margin, lever]

    def searched(self, X: np.ndarray, starts: np.ndarray, limits: bool) -> np.ndarray:
        """Return where searches for poses (m, 4, 4) end, (m, k, nq), NaN where nowhere.

        They start at positions (m, k, nq), of which those that are NaN are none.
        """
        search, ends = self.search(limits), starts.copy()
        carrying = search.task.joints
        found = search.ends(proper_poses(X), starts[..., carrying], SEARCH)
        for k in self.joints:
            ends[..., k] = found[..., carrying.index(k)]
        return ends

    def distinct(self, X: np.ndarray, q: np.ndarray, most: int) -> tuple[np.ndarray, ...]:
        """Return q, miss and margin of the solutions near candidates of turns, each once.

        They are in order, singular ones behind, of which there may be a whole curve.

        Args:
            X: Proper poses, (m, 4, 4).
            q: Where to begin, (m, places, nq), NaN where there is nothing.
            most: How many solutions there can be.
        """
        known = np.asarray(np.isfinite(q).all(axis=-1))
        wanted = np.broadcast_to(X[:, None], (*known.shape, 4, 4))
        miss = np.full(known.shape, np.inf)
        miss[known] = self._miss(wanted[known], q[known])
        q, miss = self._polished(X, np.where(known[..., None], q, 0.0), miss, within=FAR)
        best = miss.argsort(axis=1)
        q, miss = np.take_along_axis(q, best[..., None], 1), np.take_along_axis(miss, best, 1)
        q[..., self.joints] -= (self.turn * np.round(q / self.turn))[..., self.joints]
        margin = np.linalg.svd(self.jacobian(q), compute_uv=False)[..., -1] ** 4
        singular = margin <= SINGULAR
        miss = without_doubles(q[..., self.joints], miss, singular)
        last = np.stack([singular, miss > CLOSED**2], axis=-1)
        keys = np.concatenate([np.round(q[..., ::-1], 6), last], axis=-1)
        order = np.array([np.lexsort(rows.T) for rows in keys]).reshape(miss.shape)[:, :most]
        miss, margin = (np.take_along_axis(x, order, 1) for x in (miss, margin))
        q = np.take_along_axis(q, order[..., None], 1)
        return np.where((miss <= CLOSED**2)[..., None], q, np.nan), miss, margin

    def _polished(
        self,
        X: np.ndarray,
        q: np.ndarray,
        miss: np.ndarray,
        *rest: np.ndarray,
        within: float = NEAR,
    ) -> tuple[np.ndarray, ...]:
        """Return the same after Newton's method, where a solution is near but not there."""
        q, miss = q.copy(), miss.copy()
        near = (miss <= within**2) & (miss > TIGHT**2)
        if near.any():
            wanted = np.broadcast_to(X[:, None], (*miss.shape, 4, 4))[near]
            at, left = q[near], miss[near]
            going = np.arange(len(left))  # those that still come nearer
            for _ in range(STEPS):
                now = at[going]
                step = np.linalg.pinv(self.jacobian(now), rcond=RANK)
                step = (step @ self._error(wanted[going], now)[..., None])[..., 0]
                now[:, self.joints] += np.where(self.slides[self.joints], self.scale, 1) * step
                missing = self._miss(wanted[going], now)
                better, well = missing < left[going], missing < left[going] / 2
                at[going[better]], left[going[better]] = now[better], missing[better]
                going = going[well & (missing > TIGHT**2)]
                if not going.size:
                    break
            q[near], miss[near] = at, left
        return q, miss, *(x.copy() for x in rest)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return J of the joints that are solved for, all lengths in parts of the arm's."""
        return in_parts(self.jacobian_of(q), self.slides, self.scale)[..., self.joints]

    def _error(self, X: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return how a frame must move: [a turn; a distance], in world axes and the arm's parts."""
        at = self.pose(q)
        turn = X[..., :3, :3] @ at[..., :3, :3].swapaxes(-1, -2)
        skew = turn - turn.swapaxes(-1, -2)
        axis = np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1) / 2
        # a turn by more than a right angle is never near
        axis = np.where((np.trace(turn, axis1=-2, axis2=-1) > 1)[..., None], axis, 1.0)
        return np.concatenate([axis, (X[..., :3, 3] - at[..., :3, 3]) / self.scale], axis=-1)

    def _miss(self, X: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the square of `closure`: with slides, a pose may be far beyond the arm's length."""
        square = self._error(X, q) ** 2
        far = 1 + self.slides.any() * (X[..., :3, 3] ** 2).sum(axis=-1) / self.scale**2
        return square[..., :3].sum(axis=-1) + square[..., 3:].sum(axis=-1) / far


def in_parts(J: np.ndarray, slides: np.ndarray, scale: float) -> np.ndarray:
    """Return Jacobians (..., 6, n) of joints that turn or slide, lengths in parts of `scale`."""
    return J / np.repeat([1.0, scale], 3)[:, None] * np.where(slides, scale, 1.0)


def brought_within(
    q: np.ndarray, lower: np.ndarray, upper: np.ndarray, turn: np.ndarray, slides: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return angles (..., n) brought within limits by whole turns, and which rows are within.

    `turn` (n,) is what turns each joint once: 2π, or less or more where a joint follows it; those
    that slide do not turn.
    """
    low, high = lower - SLACK, upper + SLACK
    first = np.where(np.isfinite(low), low, -np.inf)
    with np.errstate(invalid="ignore"):
        other = q - turn * np.floor((q - first) / turn)
    q = np.where(((q >= low) & (q <= high)) | ~np.isfinite(first) | slides, q, other)
    return q, np.asarray(((q >= low) & (q <= high)).all(axis=-1))


def without_doubles(q: np.ndarray, miss: np.ndarray, singular: np.ndarray) -> np.ndarray:
    """Return how far solutions (m, places, n) miss, infinite where an earlier one is the same."""
    earlier = np.tri(q.shape[1], k=-1, dtype=bool)
    same = earlier & (miss <= CLOSED**2)[:, None]
    near = np.where(singular[:, :, None] & singular[:, None], MEETING, SAME)
    for x in np.moveaxis(np.concatenate([np.cos(q), np.sin(q)], axis=-1), -1, 0):
        same &= np.abs(x[:, :, None] - x[:, None]) < near  # whole turns apart is the same
    return np.where(same.any(axis=-1), np.inf, miss)
