"""Where along a path its limits hold, and where between they are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from qddot.motions.path import Path
from qddot.motions.path_timing import NODES, PathPrograms

GAPS = NODES - 1
MOST_CALLS = 16  # polynomials of a path that are computed one after the other, without copies
LOOKED_AT = 400  # parts of a path that a cubic goes through, at least


@dataclass(frozen=True, eq=False)
class PathGrid:
    """The points of a grid on a path, and even places between them."""

    path: Path
    s: np.ndarray  # (N + 1,), rising
    share: np.ndarray  # (N parts, NODES): of its piece, the places of each part of it

    @staticmethod
    def of(path: Path, pieces: int, rubbing: np.ndarray) -> PathGrid:
        """Return a grid that is finer towards the ends, where the motion is slow.

        So its pieces last about equally long. A piece has no knot of the path inside, and no joint,
        or combination of them (`rubbing`, (m, n)), turns round inside whose friction jumps then;
        there are more pieces if there are more such places.
        """
        inside = path.curve.starts[1:]
        if len(rubbing):
            inside = np.union1d(inside, turning_points(path, rubbing))
            inside = inside[
                np.diff(inside, prepend=0.0, append=path.length)[1:] > 1e-9 * path.length
            ]
        pieces = max(pieces, 2 * (len(inside) + 1))
        even, which = np.arange(pieces + 1.0), np.zeros(0)
        if len(inside):
            # where on an even grid the places are, of which s is a cosine, and a point for each
            place = np.arccos(1 - 2 * inside / path.length) * (pieces / np.pi)
            which, order = np.rint(place), np.arange(len(place))
            which = np.maximum.accumulate(np.maximum(which, 1) - order) + order
            most = pieces - 1 - order[::-1]
            which = (np.minimum.accumulate((which - order)[::-1])[::-1] + order).clip(max=most)
            even = np.interp(even, [0, *which, pieces], [0, *place, pieces])
        s = (1 - np.cos(even * (np.pi / pieces))) * (path.length / 2)
        s[which.astype(int)], s[-1] = inside, path.length
        return PathGrid(path, s, _shares(pieces, -(-LOOKED_AT // pieces)))

    @cached_property
    def delta(self) -> np.ndarray:
        """How long the pieces are, shape (N,)."""
        return self.s[1:] - self.s[:-1]

    @property
    def parts(self) -> int:
        """Into how many parts a piece is cut, each with places of its own."""
        return len(self.share) // (len(self.s) - 1)

    def terms(self, programs: PathPrograms, out: np.ndarray) -> None:
        """Fill in the terms of the equation of motion at all places, one row each."""
        curve, pieces = self.path.curve, len(self.s) - 1
        s = programs.room("places", len(out))
        inside = s[:-1].reshape(pieces, self.parts, GAPS)
        share = self.share[:, :-1].reshape(inside.shape)
        np.multiply(share, self.delta[:, None, None], out=inside)
        inside += self.s[:-1, None, None]
        s[-1] = self.s[-1]
        rows, starts = np.ascontiguousarray(curve.coefficients), curve.starts
        kernel = programs.terms(rows.shape[1] - 1).gufunc
        if len(starts) <= MOST_CALLS:
            edges = [0, *s.searchsorted(starts[1:]).tolist(), len(s)]
            for row, start, (low, high) in zip(rows, starts, pairwise(edges), strict=True):
                if low < high:
                    kernel(row, s[low:high] - start, out=(out[low:high],))
            return
        which = starts[1:].searchsorted(s, side="right")
        polynomials = programs.room("polynomials", len(s), *rows.shape[1:])
        rows.take(which, axis=0, out=polynomials, mode="clip")
        kernel(polynomials, s - starts.take(which), out=(out,))


@lru_cache(16)
def _shares(pieces: int, parts: int) -> np.ndarray:
    even = np.linspace(0, 1, parts * GAPS + 1)
    share = np.empty((pieces, parts * GAPS + 1))
    share[:] = even
    # evenly in time, where the motion starts and ends
    share[0], share[-1] = even**2, 1 - even[::-1] ** 2
    inside = [share[:, GAPS * k : GAPS * (k + 1) + 1] for k in range(parts)]
    found = np.stack(inside, axis=1).reshape(pieces * parts, NODES)
    found.flags.writeable = False
    return found


def turning_points(path: Path, along: np.ndarray) -> np.ndarray:
    """Return where combinations of joints (m, n) turn round, by halving between places."""
    knots, curve = path.knots, path.curve
    even = np.linspace(0, 1, 9)[:-1]
    s = np.append((knots[:-1, None] + even * np.diff(knots)[:, None]).reshape(-1), path.length)
    slope = curve.values(s)[1] @ along.T
    at, joint = np.nonzero(slope[:-1] * slope[1:] < 0)
    exact = s[(slope == 0)[1:-1].nonzero()[0] + 1]
    low, high, sign = s[at], s[at + 1], np.sign(slope[at, joint])
    which = np.searchsorted(curve.starts, low, side="right") - 1
    start = curve.starts[which]
    c = np.einsum("kdn,kn->kd", curve.coefficients[which], along[joint])
    for _ in range(50):
        middle = (low + high) / 2
        rise = sum(k * c[:, k] * (middle - start) ** (k - 1) for k in range(1, c.shape[1]))
        before = rise * sign > 0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.concatenate([exact, (low + high) / 2])
