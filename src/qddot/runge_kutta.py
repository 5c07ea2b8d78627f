"""Explicit methods of Runge and Kutta: a method is a tableau, and one function takes its steps.

The state may be of any scalar: floats in a simulation, recorded values in a compiled loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

Rate = Callable[[float, Any], Any]  # from the share of a step that has passed, and z, to dz/dt

WeightGroups = list[tuple[float, list[int]]]  # each weight, and the stages that have it


@dataclass(frozen=True)
class Tableau:
    """An explicit method, by the weights of its stages.

    The step from t to t + h, with f the rate of z:

        kᵢ = f(t + cᵢ h, z + h Σ aᵢⱼ kⱼ), over all j < i        z⁺ = z + h Σ bᵢ kᵢ
    """

    A: tuple[tuple[float, ...], ...]  # one row per stage, as long as there are stages before it
    B: tuple[float, ...]
    C: tuple[float, ...]

    def step(self, rate: Rate, z: Any, h: Any) -> Any:
        """Return the state after a step of h; `rate` is given cᵢ in place of a time."""
        *before, last = self._sums
        stages: list[Any] = []
        for weights, c in zip(before, self.C, strict=True):
            stages.append(rate(c, _moved(z, h, weights, stages)))
        return _moved(z, h, last, stages)

    @cached_property
    def _sums(self) -> list[WeightGroups]:
        """The rows of A, then B, as groups."""
        return [_grouped(weights) for weights in (*self.A, self.B)]


def _grouped(weights: Sequence[float]) -> WeightGroups:
    """Return which stages have each weight."""
    different = dict.fromkeys(weight for weight in weights if weight)
    return [(w, [i for i, each in enumerate(weights) if each == w]) for w in different]


def _moved(z: Any, h: Any, groups: WeightGroups, stages: Sequence[Any]) -> Any:
    """Return z + h Σ wᵢ kᵢ; stages of equal weight are added before they are multiplied."""
    if not groups:
        return z
    first, _ = groups[0]
    total = None
    for weight, which in groups:
        same = reduce(add, [stages[i] for i in which])
        total = same if total is None else total + weight / first * same
    return z + first * h * total


# the classical method, of order 4
RK4 = Tableau(
    A=((), (1 / 2,), (0, 1 / 2), (0, 0, 1)), B=(1 / 6, 1 / 3, 1 / 3, 1 / 6), C=(0, 1 / 2, 1 / 2, 1)
)
