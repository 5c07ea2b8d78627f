"""A way to a quantity: a peer's function, and how it gets from one state to many."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from timing import Contender, say

from qddot.robot import Robot

AGREEMENT = 1e-10  # relative to the largest entry; farther apart, two results are not compared
CHECKED = 8  # states whose results are compared
LOOP = 0.02  # [s] that a Python loop over states may take; a slow function gets fewer states

Arrays = Sequence[np.ndarray]


def unchanged(result: Any) -> Any:
    return result


@dataclass(frozen=True)
class Looped:
    """A function of one state, called once a state from a Python loop."""

    name: str
    function: Callable[..., Any]
    leading: tuple = ()  # arguments in front of the state
    read: Callable[[Any], Any] = unchanged  # its result, in qddot's layout
    robot: Robot | None = None  # whose results it gives, where it cannot give those of ours
    trailing: tuple = ()  # arguments behind the state
    takes: int | None = None  # how many arrays of the state; None: all of them

    def values(self, arrays: Arrays) -> np.ndarray:
        """Return the results for a batch, one row a state."""
        return np.stack([flat(self.read(self.function(*row))) for row in self.rows(arrays)])

    def batch(self, arrays: Arrays) -> Contender:
        """Return the loop over a batch; its results are not even kept."""
        function = self.function
        first = self.rows([a[:1] for a in arrays])[0]
        started = time.perf_counter()
        function(*first)
        once = time.perf_counter() - started
        count = min(max(int(LOOP / once), 8), len(arrays[0]))
        rows = self.rows([a[:count] for a in arrays])

        def loop() -> None:
            for row in rows:
                function(*row)

        return Contender(loop, (), count)

    def single(self, arrays: Arrays) -> Contender:
        """Return the call for the first state alone."""
        return Contender(self.function, self.rows([a[:1] for a in arrays])[0])

    def rows(self, arrays: Arrays) -> list[tuple]:
        rows = list(zip(*arrays, strict=True))
        given = [[x.copy() for x in row[: self.takes]] for row in rows]
        return [(*self.leading, *row, *self.trailing) for row in given]


class StateFirst(Looped):
    """A function of [q, q̇] in one vector, and of a third array."""

    def rows(self, arrays: Arrays) -> list[tuple]:
        q, qd, third = arrays
        return list(zip(np.hstack([q, qd]), third, strict=True))


@dataclass(frozen=True)
class Batched:
    """A function that takes a whole batch at once, in a layout of its own."""

    name: str
    prepare: Callable[[Arrays], tuple[Callable[..., Any], tuple]]  # the call and its arguments
    read: Callable[[Any], np.ndarray] = unchanged  # its result, one row a state
    most: int = 1_000_000  # states

    def values(self, arrays: Arrays) -> np.ndarray:
        """Return the results for a batch, one row a state."""
        function, args = self.prepare(arrays)
        return np.stack([flat(x) for x in self.read(function(*args))])

    def batch(self, arrays: Arrays) -> Contender:
        """Return the call for a batch."""
        arrays = [a[: self.most] for a in arrays]
        return Contender(*self.prepare(arrays), len(arrays[0]))


Way = Looped | Batched


def agreeing(robot: Robot, quantity: str, ways: Sequence[Way], arrays: Arrays) -> list[Way]:
    """Return the ways that give what qddot gives; name the others."""
    few, found = [a[:CHECKED] for a in arrays], []
    for way in ways:
        theirs = way.robot if isinstance(way, Looped) and way.robot else robot
        difference = disagreement(getattr(theirs, quantity)(*few), way.values(few))
        if difference < AGREEMENT:
            found.append(way)
        else:
            say(f"{way.name} differs by {difference:.1e} on {robot.name} and is not timed")
    return found


def flat(result: Any) -> np.ndarray:
    """Return a result, one array or several, as one long vector."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.asarray(x).reshape(-1) for x in parts])


def disagreement(ours: Any, theirs: np.ndarray) -> float:
    """Return the largest difference over a batch, relative to the largest entry."""
    parts = ours if isinstance(ours, tuple) else (ours,)
    mine = np.concatenate([x.reshape(len(theirs), -1) for x in parts], axis=1)
    if mine.shape != theirs.shape:
        return float("inf")
    return float(np.abs(mine - theirs).max() / np.abs(mine).max())
