"""Cells of space that a frame was found in, and what was found there: the best of many samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.errors import BadArgument

PARTS = 8  # bands of the sphere of directions, and parts of each: 64 of equal area
ROOM = 4  # cells around what was found, and more where the grid grows
MOST_CELLS = 50_000_000  # of the whole grid, empty ones included


class Cells:
    """A grid of cells, in which every cell that was reached has a row of what was found there.

    It begins at places, whole numbers of cells along d axes, shape (m, d); a joint position has n
    numbers.
    """

    def __init__(self, places: np.ndarray, n: int):
        self.low = places.min(axis=0) - ROOM
        self.row = _empty(places.max(axis=0) + ROOM + 1 - self.low)
        self.places = np.empty((0, places.shape[1]), dtype=np.int64)
        self.q = np.empty((0, n))  # the position with the largest manipulability that was found
        self.best = np.empty(0)  # that manipulability
        self.seen = np.empty(0, dtype=np.uint64)  # a bit for each part of the directions

    def __len__(self) -> int:
        return len(self.best)

    def add(self, places: np.ndarray, q: np.ndarray, w: np.ndarray, seen: np.ndarray) -> None:
        """Enter samples: where they are, (m, d), their q, manipulability and bit of direction."""
        self._make_room(places)
        at: Any = np.ravel_multi_index(tuple((places - self.low).T), self.row.shape)
        flat = self.row.reshape(-1)
        new = np.unique(at[flat[at] < 0])
        flat[new] = len(self) + np.arange(len(new))
        more = np.array(np.unravel_index(new, self.row.shape)).T + self.low
        self.places = np.concatenate([self.places, more])
        self.q = np.concatenate([self.q, np.zeros((len(new), q.shape[1]))])
        self.best = np.concatenate([self.best, np.full(len(new), -1.0)])
        self.seen = np.concatenate([self.seen, np.zeros(len(new), dtype=np.uint64)])
        row = flat[at]
        np.maximum.at(self.best, row, w)
        np.bitwise_or.at(self.seen, row, seen)
        better = w >= self.best[row]
        self.q[row[better]] = q[better]

    @property
    def directions(self) -> int:
        """How many pairs of a cell and a part of the directions were found."""
        return int(np.bitwise_count(self.seen).sum())

    def holds(self, places: np.ndarray) -> np.ndarray:
        """Return of cells, shape (..., d), whether they were reached."""
        inside = ((places >= self.low) & (places < self.low + self.row.shape)).all(axis=-1)
        where = np.where(inside[..., None], places - self.low, 0).astype(np.int64)
        return inside & (self.row[tuple(np.moveaxis(where, -1, 0))] >= 0)

    def rim(self) -> np.ndarray:
        """Return the rows of cells with an empty neighbour across one of their faces."""
        full = self.row >= 0
        inner = full.copy()  # no cell at the edge of the grid was reached
        for axis in range(full.ndim):
            inner &= np.roll(full, 1, axis) & np.roll(full, -1, axis)
        return self.row[full & ~inner]

    def _make_room(self, places: np.ndarray) -> None:
        """Widen the grid such that places are in it, and not at its edge."""
        below = np.maximum(self.low + 1 - places.min(axis=0), 0)
        above = np.maximum(places.max(axis=0) + 2 - self.low - self.row.shape, 0)
        if not (below.any() or above.any()):
            return
        below, above = (np.where(x, x + ROOM, 0) for x in (below, above))
        wider = _empty(self.row.shape + below + above)
        wider[tuple(map(slice, below, below + self.row.shape))] = self.row
        self.low, self.row = self.low - below, wider


def _empty(sides: np.ndarray) -> np.ndarray:
    """Return a grid of which no cell was reached."""
    if np.prod(sides.astype(float)) > MOST_CELLS:
        raise BadArgument(
            f"The grid would have {' × '.join(map(str, sides))} cells, more than {MOST_CELLS:,}.\n"
            "  Ask for larger cells: cell=..."
        )
    return np.full(sides, -1, dtype=np.int32)


def part_of_directions(directions: np.ndarray) -> np.ndarray:
    """Return a bit for the part of all directions, one of 64 of equal size, that each is in.

    Directions are unit vectors, shape (m, d). In space, eight bands of equal height have equal
    areas (Archimedes), and each has eight equal parts; in a plane there are 64 parts of a turn, on
    a line two.
    """
    x, *rest = directions.T
    count = PARTS if len(rest) == 2 else PARTS * PARTS
    turn = np.floor((np.arctan2(rest[0] if rest else 0 * x, x) / (2 * np.pi) + 0.5) * count) % count
    if len(rest) == 2:
        turn += PARTS * np.clip(np.floor((rest[1] + 1) / 2 * PARTS), 0, PARTS - 1)
    return np.uint64(1) << turn.astype(np.uint64)
