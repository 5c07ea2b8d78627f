"""Random numbers that depend on the run alone, not on which process computes it and when.

Draws come in blocks of 1024. The generator of a block is seeded by the plan's seed, by the name of
what is drawn and by the block's number, so that draw j of a quantity is the same whatever the size
of units, the number of workers and the other quantities of the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np

BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Distribution:
    """How a quantity is drawn; its numbers are arrays that broadcast over its parts."""

    kind: str
    numbers: tuple[np.ndarray, ...]  # of "choice": the options, one row each
    clip: tuple[float, float] | None = None
    shared: bool = False  # one draw for all parts

    def sample(self, rng: np.random.Generator, count: int, width: int) -> np.ndarray:
        """Return draws of shape (count, width)."""
        drawn = SAMPLERS[self.kind](rng, (count, 1 if self.shared else width), *self.numbers)
        drawn = np.broadcast_to(drawn, (count, width))
        return drawn if self.clip is None else np.clip(drawn, *self.clip)

    @property
    def lowest(self) -> float:
        """Below which no draw is."""
        if self.kind == "normal":
            found = -np.inf
        elif self.kind == "lognormal":
            found = 0.0
        else:
            found = min(float(x.min()) for x in self.numbers)
        return found if self.clip is None else max(found, self.clip[0])


def drawn(
    distribution: Distribution, seed: int, name: str, index: np.ndarray, width: int
) -> np.ndarray:
    """Return the draws of these numbers, shape (len(index), width).

    Args:
        distribution: How.
        seed: Of the plan.
        name: Of what is drawn.
        index: Which draws, counted from 0.
        width: How many parts the quantity has.
    """
    found = np.empty((len(index), width))
    blocks = index // BLOCK
    for block in np.unique(blocks):
        rng = generator(seed, name, int(block))
        rows = distribution.sample(rng, BLOCK, width)
        here = blocks == block
        found[here] = rows[index[here] % BLOCK]
    return found


def generator(seed: int, name: str, number: int) -> np.random.Generator:
    """Return the generator of one block of a quantity, or of one run's noise."""
    key = (crc32(name.encode("utf-8")), number)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


Shape = tuple[int, int]


def _uniform(rng: np.random.Generator, shape: Shape, low: np.ndarray, high: np.ndarray):
    return low + (high - low) * rng.random(shape)


def _normal(rng: np.random.Generator, shape: Shape, mean: np.ndarray, spread: np.ndarray):
    return mean + spread * rng.standard_normal(shape)


def _lognormal(rng: np.random.Generator, shape: Shape, median: np.ndarray, spread: np.ndarray):
    return median * np.exp(spread * rng.standard_normal(shape))


def _triangular(
    rng: np.random.Generator, shape: Shape, low: np.ndarray, peak: np.ndarray, high: np.ndarray
):
    u, span = rng.random(shape), high - low
    rising = low + np.sqrt(u * span * (peak - low))
    falling = high - np.sqrt((1 - u) * span * (high - peak))
    return np.where(u * span < peak - low, rising, falling)


def _choice(rng: np.random.Generator, shape: Shape, options: np.ndarray):
    # a row of options is chosen as a whole; single numbers are chosen part by part
    width = shape[1] if options.shape[1] == 1 else 1
    index = rng.integers(len(options), size=(shape[0], width))
    return options[index[:, 0]] if width == 1 else options[index, 0]


SAMPLERS: dict[str, Callable[..., np.ndarray]] = {
    "uniform": _uniform,
    "normal": _normal,
    "lognormal": _lognormal,
    "triangular": _triangular,
    "choice": _choice,
}
