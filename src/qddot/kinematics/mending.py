"""What a closed form leaves to be done for a few poses: straighten them, polish, look further.

A program runs straight on and says where it cannot be sure: where a matrix is not quite a pose, or
none; where a solution closes, but not to the last digits; where a joint may stand anywhere, and
where it was put is out of the others' reach. Those poses come here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qddot.kinematics.branches import TIGHT
from qddot.kinematics.joint_equations import NO_LEVER
from qddot.kinematics.nearest import PoseSearch
from qddot.kinematics.poses import proper_matrices, proper_poses
from qddot.kinematics.solutions import CLOSED, SINGULAR, SLACK

NEAR = 2e-2  # the closure from which Newton's method is tried
FAR = 0.5  # the same, for candidates that other methods found roughly
CLOSE = 1e-9  # closer than this it goes on until a solution closes
SAME = 1e-6  # [rad or m] two solutions that are nearer than this are one
MEETING = 1e-3  # the same of singular ones, which are known to about the root of rounding
SEARCH, SEARCHES = 60, 24  # steps of a search; how many of a pose that some equation leaves out
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
    search: Callable[[], PoseSearch]  # within these limits; joints that are given stay
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
        *found, lever = self._solved(X, given, np.clip(0.0, *self._room(X)), NO_LEVER)
        for share in np.linspace(0, 1, PLACES, endpoint=False):
            anywhere = (found[1] > CLOSED**2) & (lever <= ANYWHERE**4)
            rows = anywhere.any(axis=1)
            if not rows.any():
                break
            some = [x[rows] for x in (X, *given)]
            low, high = self._room(some[0])
            there = self._solved(some[0], some[1:], low + share * (high - low), ANYWHERE)
            better = anywhere[rows] & (there[1] <= CLOSED**2)
            anywhere[rows] = better
            for old, new in zip([*found, lever], there, strict=True):
                old[anywhere] = new[better]
        at = np.isfinite(found[0]).all(axis=-1, keepdims=True) * found[0]
        margin, closed, unsure = self._margin(at), found[1] <= CLOSED**2, found[2] <= SINGULAR
        alone = closed & unsure & (margin > SINGULAR)
        found[2] = np.where(alone, margin, found[2])
        rows = (alone | (unsure & ~closed)).any(axis=1)
        if rows.any():
            more = self._completed(X[rows], *(x[rows] for x in found))
            for old, new in zip(found, more, strict=True):
                old[rows] = new
        q, miss, margin = found
        return np.where((miss <= CLOSED**2)[..., None], q, np.nan), miss, margin

    def _solved(
        self, X: np.ndarray, given: Sequence[np.ndarray], spare: np.ndarray, least: float
    ) -> list[np.ndarray]:
        """Return q, miss, margin and lever; joints that may stand anywhere are at spare (m, nq)."""
        assert self.solve is not None
        spare = np.insert(spare[:, self.carrying], len(self.carrying), least**4, axis=1)
        q, miss, *rest = (x.copy() for x in self.solve(X, *given, spare))
        return [*self.within_limits(*self._polished(X, q, miss)), *rest]

    def _completed(self, X: np.ndarray, *found: np.ndarray) -> Iterator[np.ndarray]:
        """Return q, miss and margin with those of solutions that searches find.

        An equation that says nothing at a pose leaves its joint to the others, and to the limits.
        """
        k = found[0].shape[1]
        starts = np.clip(found[0], self.lower, self.upper)
        ends = self.distinct(X, self.searched(X, starts, SEARCHES), SEARCHES)
        q, miss, margin = (np.append(*pair, axis=1) for pair in zip(found, ends, strict=True))
        singular = margin <= SINGULAR
        new = without_doubles(self._signs(q), miss, singular)
        family = singular & (miss <= CLOSED**2)  # of which one is enough
        new[family & (family.cumsum(axis=1) > 1)] = np.inf
        new[:, :k] = np.where(singular[:, :k], miss[:, :k], new[:, :k])
        # more than there are branches: those that are given stand for the others
        margin[(new <= CLOSED**2).sum(axis=1) > k] = 0
        return _taken(new.argsort(axis=1, kind="stable")[:, :k], q, new, margin)

    def _room(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return between what joints are tried, (m, nq) each.

        That is a turn; of a slide its limits, or else the size of the arm and of the pose.
        """
        size = 2 * self.scale + np.linalg.norm(X[:, :3, 3], axis=1)[:, None]
        low = np.maximum(self.lower, np.minimum(self.upper, 0) - size)
        high = np.minimum(self.upper, np.maximum(self.lower, 0) + size)
        return np.where(self.slides, low, -np.pi), np.where(self.slides, high, np.pi)

    def within_limits(self, q: np.ndarray, miss: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return q with angles brought within limits by whole turns, and a miss where they fail."""
        low, high = self.lower - SLACK, self.upper + SLACK
        first = np.where(np.isfinite(low), low, -np.inf)
        with np.errstate(invalid="ignore"):
            other = q - self.turn * np.floor((q - first) / self.turn)
        q = np.where(((q >= low) & (q <= high)) | ~np.isfinite(first) | self.slides, q, other)
        return q, np.where(((q >= low) & (q <= high)).all(axis=-1), miss, np.inf)

    def searched(self, X: np.ndarray, starts: np.ndarray, count: int) -> np.ndarray:
        """Return where searches for poses (m, 4, 4) end, (m, k + count, nq), NaN where nowhere.

        They start at positions (m, k, nq), and at others all over the joints' room.
        """
        search, (low, high) = self.search(), (x[:, None] for x in self._room(X))
        carrying, spread = search.task.joints, np.repeat(starts[:, :1], count, axis=1)
        shares = np.zeros((count, len(self.lower)))
        shares[:, carrying] = search.starts.spread(count)
        spread[..., self.joints] = (low + shares * (high - low))[..., self.joints]
        ends = np.append(starts, spread, axis=1)
        found = search.ends(proper_poses(X), ends[..., carrying], SEARCH)
        for k in self.joints:
            ends[..., k] = found[..., carrying.index(k)]
        return ends

    def distinct(self, X: np.ndarray, q: np.ndarray, most: int) -> tuple[np.ndarray, ...]:
        """Return q, miss and margin of the solutions near candidates of turns, each once.

        They are in order, singular ones behind, of which there may be a whole curve; `most` is how
        many there can be. Candidates (m, places, nq) are NaN where there is nothing.
        """
        known = np.asarray(np.isfinite(q).all(axis=-1))
        wanted = np.broadcast_to(X[:, None], (*known.shape, 4, 4))
        miss = np.full(known.shape, np.inf)
        miss[known] = self._miss(wanted[known], q[known])
        q, miss = self._polished(X, np.where(known[..., None], q, 0.0), miss, within=FAR)
        q, miss = _taken(miss.argsort(axis=1), q, miss)
        whole = np.where(self.slides, 0, self.turn * np.round(q / self.turn))
        q[..., self.joints] -= whole[..., self.joints]
        q, miss = self.within_limits(q, miss)
        margin = self._margin(q)
        singular = margin <= SINGULAR
        miss = without_doubles(self._signs(q), miss, singular)
        last = np.stack([singular, miss > CLOSED**2], axis=-1)
        keys = np.concatenate([np.round(q[..., ::-1], 6), last], axis=-1)
        order = np.array([np.lexsort(rows.T) for rows in keys]).reshape(miss.shape)[:, :most]
        q, miss, margin = _taken(order, q, miss, margin)
        return np.where((miss <= CLOSED**2)[..., None], q, np.nan), miss, margin

    def _signs(self, q: np.ndarray) -> np.ndarray:
        """Return numbers that are the same where positions are, whole turns apart."""
        q, slides = q[..., self.joints], self.slides[self.joints]
        pairs = np.where(slides, q / self.scale, np.cos(q)), np.where(slides, 0, np.sin(q))
        return np.concatenate(pairs, axis=-1)

    def _polished(
        self, X: np.ndarray, q: np.ndarray, miss: np.ndarray, within: float = NEAR
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return both after Newton's method, where a solution is near but not there."""
        near = (miss <= within**2) & (miss > TIGHT**2)
        if near.any():
            wanted = np.broadcast_to(X[:, None], (*miss.shape, 4, 4))[near]
            at, left = q[near], miss[near]
            now, going = at.copy(), np.arange(len(left))  # those that still come nearer
            for _ in range(STEPS):
                step = np.linalg.pinv(self.jacobian(now), rcond=RANK)
                step = (step @ self._error(wanted[going], now)[..., None])[..., 0]
                now[:, self.joints] += np.where(self.slides[self.joints], self.scale, 1) * step
                missing = self._miss(wanted[going], now)
                better, well = missing < left[going], missing < left[going] / 2
                at[going[better]], left[going[better]] = now[better], missing[better]
                # where several solutions meet, a step from rounding leads away at first
                well |= (left[going] <= CLOSE**2) & (left[going] > CLOSED**2)
                well &= missing > TIGHT**2
                now, going = now[well], going[well]
                if not going.size:
                    break
            q[near], miss[near] = at, left
        return q, miss

    def _margin(self, q: np.ndarray) -> np.ndarray:
        return np.linalg.svd(self.jacobian(q), compute_uv=False)[..., -1] ** 4

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return J of the joints that are solved for, all lengths in parts of the arm's."""
        parts = np.repeat([1.0, self.scale], 3)[:, None] / np.where(self.slides, self.scale, 1.0)
        return (self.jacobian_of(q) / parts)[..., self.joints]

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
        """Return the square of `closure`; slides may bring a pose far beyond the arm's length."""
        square = self._error(X, q) ** 2
        far = 1 + self.slides.any() * (X[..., :3, 3] ** 2).sum(axis=-1) / self.scale**2
        return square[..., :3].sum(axis=-1) + square[..., 3:].sum(axis=-1) / far


def _taken(order: np.ndarray, *each: np.ndarray) -> Iterator[np.ndarray]:
    """Yield arrays (m, k, ...) whose entries are put in an order (m, k)."""
    for x in each:
        yield np.take_along_axis(x, order if x.ndim == 2 else order[..., None], 1)


def without_doubles(signs: np.ndarray, miss: np.ndarray, singular: np.ndarray) -> np.ndarray:
    """Return how far solutions miss, infinite where an earlier one has the same signs (m, k, n)."""
    earlier = np.tri(signs.shape[1], k=-1, dtype=bool)
    same = earlier & (miss <= CLOSED**2)[:, None]
    near = np.where(singular[:, :, None] & singular[:, None], MEETING, SAME)
    for x in np.moveaxis(signs, -1, 0):
        same &= np.abs(x[:, :, None] - x[:, None]) < near
    return np.where(same.any(axis=-1), np.inf, miss)
