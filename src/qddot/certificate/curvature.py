"""How much entries can curve: bounds of |∂²A/∂q_k²|, proved.

In the angle of each body an entry is a trigonometric polynomial of degree N ≤ 2, along a slide a
polynomial of degree ≤ 2; so its values on 2N + 1 nodes per axis determine all its modes, and its
second derivatives with them. The largest value of a polynomial is then bounded twice over:

- on an axis, by its largest value on P nodes, times sec(Nπ/P)        (H. Ehlich, K. Zeller, 1964)
- by the sum of the moduli of its modes, on the axes where a grid would have too many nodes

The first holds for every linear functional, so one axis after the other; a slide is a cosine,
x = mid + rad cos φ. Both bounds hold on the whole torus, hence in every box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.certificate.rounding import Rounding, U

NODES = 16  # P
GRIDDED = 3  # axes; the others are summed
MOST = 6_000_000  # complex numbers at a time
MOST_VALUES = 15_000_000  # entries on the grid of nodes


@dataclass(frozen=True)
class GridAxis:
    """How a body's own angle runs."""

    turns: bool
    low: float
    high: float
    degree: int
    index: int  # the coordinate that drives it
    ratio: float

    @property
    def radius(self) -> float:
        return (self.high - self.low) / 2 or 1.0

    def nodes(self) -> np.ndarray:
        """Return where values determine the modes."""
        if self.turns:
            count = 2 * self.degree + 1
            return 2 * math.pi * np.arange(count) / count
        return (self.low + self.high) / 2 + self.radius * np.array([-1.0, 0.0, 1.0])

    def to_modes(self) -> np.ndarray:
        """Return the matrix from values at the nodes to modes: e^{ifθ}, or powers of t."""
        if self.turns:
            return np.exp(-1j * np.outer(self.frequencies(), self.nodes())) / len(self.nodes())
        return np.array([[0, 1, 0], [-0.5, 0, 0.5], [0.5, -1, 0.5]], dtype=complex)

    def frequencies(self) -> np.ndarray:
        return np.arange(-self.degree, self.degree + 1)

    def slope(self) -> np.ndarray:
        """Return the matrix from the modes of a function to those of its derivative by q."""
        if self.turns:
            return self.ratio * np.diag(1j * self.frequencies())
        return self.ratio / self.radius * np.diag([1.0, 2.0], 1).astype(complex)

    def grid(self) -> tuple[np.ndarray, float]:
        """Return the matrix from modes to values on a grid, and the factor from there to all."""
        if self.turns:
            x = 2 * math.pi * np.arange(NODES) / NODES
            return np.exp(1j * np.outer(x, self.frequencies())), 1 / math.cos(
                self.degree * math.pi / NODES
            )
        t = np.cos(math.pi * (np.arange(NODES // 2) + 0.5) / (NODES // 2))
        return np.stack([t**0, t, t * t], 1).astype(complex), 1 / math.cos(2 * math.pi / NODES)

    @property
    def steepest(self) -> float:
        """How much a derivative can enlarge a mode."""
        return abs(self.ratio) * (self.degree if self.turns else 2 / self.radius)


def curvature(
    kernel: Kernel, axes: Sequence[GridAxis], reach: Sequence[frozenset[int]], off: Rounding, n: int
) -> np.ndarray:
    """Return bounds of |∂²A_e/∂q_k²| for each coordinate and entry, shape (n, size)."""
    found = np.zeros((n, len(reach)))
    for group in sorted(set(reach), key=sorted):
        slots = sorted(group)
        entries = np.array([e for e, slot in enumerate(reach) if slot == group])
        if not slots:
            continue
        own = [axes[slot] for slot in slots]
        if math.prod(len(axis.nodes()) for axis in own) * len(reach) > MOST_VALUES:
            found[:, entries] = np.inf  # too many modes: nothing is claimed
            continue
        values = _values(kernel, axes, slots)
        per = max(1, MOST // _widest(own))
        for part in np.array_split(entries, -(-len(entries) // per)):
            modes = values[..., part].astype(complex)
            for a, axis in enumerate(own):
                modes = _along(axis.to_modes(), modes, a)
            for k in {axis.index for axis in own}:
                second = _slope(own, _slope(own, modes, k), k)
                enlarged = sum(axis.steepest for axis in own if axis.index == k) ** 2
                found[k, part] = _largest(own, second) * (1 + 1e-9) + enlarged * _noise(
                    own, off, part
                )
    return found


def _noise(own: Sequence[GridAxis], off: Rounding, part: np.ndarray) -> np.ndarray:
    """Return what rounding can add: errors of the values and of the transforms, in all modes."""
    count = math.prod(len(axis.nodes()) for axis in own)
    spread = math.prod(1.0 if axis.turns else 2.0 for axis in own)
    transforms = 64 * U * len(own) * off.magnitude[part]
    return 2 * count * spread * (off.error[part] + transforms)


def _values(kernel: Kernel, axes: Sequence[GridAxis], slots: Sequence[int]) -> np.ndarray:
    """Return all entries on the grid of nodes of these axes."""
    grids = np.meshgrid(*(axes[slot].nodes() for slot in slots), indexing="ij")
    theta = np.zeros((*grids[0].shape, len(axes)))
    for slot, grid in zip(slots, grids, strict=True):
        theta[..., slot] = grid
    return kernel.general(theta)


def _widest(own: Sequence[GridAxis]) -> int:
    """Return how many values an entry has on the finest grid."""
    return math.prod(NODES if a < GRIDDED else len(axis.nodes()) for a, axis in enumerate(own))


def _along(matrix: np.ndarray, array: np.ndarray, axis: int) -> np.ndarray:
    return np.moveaxis(np.tensordot(matrix, array, (1, axis)), 0, axis)


def _slope(own: Sequence[GridAxis], modes: np.ndarray, k: int) -> np.ndarray:
    """Return the modes of ∂/∂q_k: Σ ratio ∂/∂θ over the bodies that coordinate k drives."""
    parts = [_along(axis.slope(), modes, a) for a, axis in enumerate(own) if axis.index == k]
    return sum(parts[1:], parts[0])


def _largest(own: Sequence[GridAxis], modes: np.ndarray) -> np.ndarray:
    """Return bounds of the moduli that polynomials with these modes can have."""
    factor = 1.0
    for a, axis in enumerate(own):
        if a >= GRIDDED and axis.turns:  # a real function: modes f and −f have the same modulus
            half = np.moveaxis(modes, a, 0)[axis.degree :].copy()
            half[1:] *= 2
            modes = np.moveaxis(half, 0, a)
            break
    for a, axis in enumerate(own[:GRIDDED]):
        matrix, more = axis.grid()
        modes, factor = _along(matrix, modes, a), factor * more
    summed = np.abs(modes).sum(axis=tuple(range(GRIDDED, len(own))))
    return factor * summed.max(axis=tuple(range(min(GRIDDED, len(own)))))
