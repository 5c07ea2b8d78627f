"""What is bounded, and how that can be proved: the classes that all bounds are made of.

A `BoundProblem` is the supremum (sense 1) or infimum (sense −1) of a quantity over a box. It knows
a value that is attained, and one or more ways (`Route`) to prove a bound from the other side. Most
routes are a `CellProof`: the box is covered by cells (`search`), each of which is tested.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from qddot.certificate.entries import Entries
from qddot.certificate.search import UP, ProofAttempt, prove

MARGIN = 2.0**-40  # relative; above any rounding of a sum of a few hundred terms of one sign


class Route(Protocol):
    """A way to prove that a quantity stays on one side of T."""

    method: str  # in words

    @property
    def limit(self) -> float:
        """What a proof by this route cannot get below (or above), as far as is known."""
        ...

    def prove(self, T: float, deadline: float) -> ProofAttempt:
        """Try to prove that the quantity stays on its side of T."""
        ...


class BoundProblem(ABC):
    """The supremum or infimum of a quantity over a box of joint positions."""

    sense = 1  # 1: a supremum is bounded from above; −1: an infimum from below
    method = ""  # how it is proved where no search is needed
    lo: np.ndarray  # of the coordinates that are searched
    m = 0  # coordinates that the quantity depends on

    @property
    @abstractmethod
    def trivial(self) -> float:
        """A bound that needs no search."""

    def evidence(self, searched: bool) -> dict[str, Any]:
        """Return what a proof says about the numbers that it rests on."""
        return {}

    @abstractmethod
    def routes(self) -> Sequence[Route]:
        """Return the ways to prove a bound, the cheapest first."""

    @abstractmethod
    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        """Return a value that is attained, rounded inward, where, and what else belongs to it."""

    @abstractmethod
    def attained(self, q: np.ndarray, qd: Any) -> float:
        """Return the value at the point that a proof claims; NaN where there is none."""


class CellProof(ABC):
    """A quantity over a box, and a test of cells that proves it below (or above) T."""

    sense = 1
    method = ""
    forms: Sequence[dict[str, Any]] = ()  # null forms that the proof uses (`sums_of_squares`)

    def __init__(self, entries: Entries):
        self.entries, self.lo, self.hi = entries, entries.lo, entries.hi
        self.found: np.ndarray | None = None

    @abstractmethod
    def size(self, moduli: np.ndarray) -> float:
        """Return a number that the quantity of entries with these moduli does not exceed."""

    @abstractmethod
    def value(self, x: np.ndarray) -> np.ndarray:
        """Return the quantity at points, nearly."""

    @abstractmethod
    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        """Return which cells are proven."""

    @abstractmethod
    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> np.ndarray | None:
        """Return which points may be corners of proven cells of such half-widths, if points do."""

    def impact(self, x: np.ndarray, T: float) -> np.ndarray:
        """Return how much the remainder of each coordinate matters at points, shape (..., m)."""
        return np.broadcast_to(self.weights, x.shape)

    @property
    def trivial(self) -> float:
        """A bound that needs no search."""
        if self.sense < 0:
            return 0.0
        return self.size(self.entries.rounding.magnitude) * (1 + MARGIN)

    @cached_property
    def weights(self) -> np.ndarray:
        return np.array([self.size(row) for row in self.remainder])

    @cached_property
    def remainder(self) -> np.ndarray:
        """The curvature of every entry by every coordinate, shape (m, size)."""
        return self.entries.R * (1 + MARGIN)

    def best_point(self) -> np.ndarray:
        """Return where the quantity is largest (or smallest), as far as a local search finds it."""
        if self.found is None:
            self.found = compass(self.value, self.lo, self.hi, self.sense)
        return self.found

    @property
    def limit(self) -> float:
        return float(self.value(self.best_point()))

    def prove(self, T: float, deadline: float) -> ProofAttempt:
        """Try to prove that the quantity stays on its side of T; learn from where it does not."""
        attempt = prove(self, T, deadline)
        if attempt.at is not None:
            self.found = compass(self.value, self.lo, self.hi, self.sense, attempt.at)
        return attempt


class CornerProof(CellProof):
    """A proof that tests the corners of cells, each point for itself."""

    @abstractmethod
    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        """Return which points may be corners of proven cells with ½ h² = w."""

    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> np.ndarray:
        return self.points(x, 0.5 * half * half * (1 + MARGIN), T)

    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        return np.all(self.points(corners(lo, hi), half_squares(lo, hi)[:, None], T), axis=1)


class CellProblem(CellProof, BoundProblem):
    """A problem that is its own last route: what is attained is attained at a point of the box."""

    def __init__(self, entries: Entries, cheaper: Callable[[], Sequence[Route]] = tuple):
        super().__init__(entries)
        self.cheaper, self.m = cheaper, entries.m

    def evidence(self, searched: bool) -> dict[str, Any]:
        return self.entries.evidence(searched)

    @abstractmethod
    def inner(self, x: np.ndarray) -> float:
        """Return what the quantity is not below (or above) at one point, proved with balls."""

    def routes(self) -> Sequence[Route]:
        return self._routes

    @cached_property
    def _routes(self) -> Sequence[Route]:
        return [*self.cheaper(), self]

    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        x = self.best_point()
        return self.inner(x), self.entries.full(x), {}

    def attained(self, q: np.ndarray, qd: Any) -> float:
        x = self.entries.inside(q)
        return math.nan if x is None else self.inner(x)


def corners(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Return the corners of cells, shape (cells, 2^m, m)."""
    m = lo.shape[1]
    signs = np.array(list(itertools.product((False, True), repeat=m)), dtype=bool)
    return np.where(signs.reshape(1, 2**m, m), hi[:, None], lo[:, None])


def half_squares(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Return ½ h² of cells, rounded up."""
    half = (hi - lo) * (0.5 * UP)
    return 0.5 * half * half * UP


def compass(
    value: Any, lo: np.ndarray, hi: np.ndarray, sense: int, extra: np.ndarray | None = None
) -> np.ndarray:
    """Return the best point of a multi-start compass search; the same every time."""
    m, rng = len(lo), np.random.default_rng(0)
    x = lo + (hi - lo) * rng.random((4096, m))
    edges = corners(lo[None], hi[None])[0][:256] if m <= 8 else np.stack([lo, hi])
    x = np.concatenate([x, edges, (lo + (hi - lo) / 2)[None]])
    x = x if extra is None else np.concatenate([x, np.atleast_2d(extra)])
    found = np.nan_to_num(sense * value(x), nan=-np.inf)
    best = np.argsort(-found, kind="stable")[:24]
    x, found = x[best], found[best]
    directions = np.concatenate([np.eye(m), -np.eye(m)]) if m else np.zeros((1, 0))
    step = 0.2
    while m and step > 1e-9:
        for _ in range(30):
            tried = np.clip(x[:, None] + step * (hi - lo) * directions, lo, hi)
            values = np.nan_to_num(sense * value(tried), nan=-np.inf)
            rows, which = np.arange(len(x)), values.argmax(1)
            better = values[rows, which] > found
            if not better.any():
                break
            x = np.where(better[:, None], tried[rows, which], x)
            found = np.where(better, values[rows, which], found)
        step *= 0.5
        if step < 1e-2 and len(x) > 4:
            best = np.argsort(-found, kind="stable")[:4]
            x, found = x[best], found[best]
    return x[int(np.argmax(found))]
