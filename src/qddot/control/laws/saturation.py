"""Saturated potentials: springs that pull no harder beyond a point, for errors that may be large.

A potential S and its slope s = dS/dθ, with S(0) = 0, S > 0 elsewhere, s rising and bounded, and

    S(θ) ≥ c s(θ)²        for all θ

Where the slope rises fastest at zero, the best constant is c = 1/(2 s'(0)): the derivative of
S − c s² is s (1 − 2 c s') ≥ 0 for θ > 0, and near zero S/s² tends to 1/(2 s'(0)).

Cheah: C. C. Cheah, M. Hirano, S. Kawamura, S. Arimoto, *Approximate Jacobian control for robots
with uncertain kinematics and dynamics*, IEEE Trans. Robotics and Automation 19(4), 2003.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, pi
from typing import Any

import numpy as np

from qddot.checks import one_of
from qddot.scalars import Scalar, atan2


@dataclass(frozen=True)
class Saturation:
    """A saturated potential, entry by entry over any scalar."""

    name: str
    s: Callable[[Any], Any]  # the slope, at most 1 in size but where `most` says otherwise
    S: Callable[[Any], Any]  # the potential
    c: float  # the best constant in S ≥ c s²
    gamma: float  # beyond which s does not change; infinite where it only tends to a limit
    most: float = 1.0  # the limit of |s|


def sine(theta: Any) -> Any:
    return np.where(np.abs(theta) < pi / 2, np.sin(theta), np.sign(theta))


def sine_potential(theta: Any) -> Any:
    near = 2 * np.sin(theta / 2) ** 2  # 1 − cos θ, without its rounding
    return np.where(np.abs(theta) < pi / 2, near, np.abs(theta) - (pi / 2 - 1))


def clipped(theta: Any) -> Any:
    return np.clip(theta, -1, 1)


def clipped_potential(theta: Any) -> Any:
    size = np.abs(theta)
    return np.where(size < 1, theta * theta / 2, size - 0.5)


def cubic(theta: Any) -> Any:
    near = np.clip(theta, -1, 1)
    return near * (3 - near * near) / 2


def cubic_potential(theta: Any) -> Any:
    near = np.clip(theta, -1, 1) ** 2
    return near * (6 - near) / 8 + np.maximum(np.abs(theta) - 1, 0)


def tanh_potential(theta: Any) -> Any:
    size = np.abs(theta)
    return size + np.log(1 + np.exp(-2 * size)) - log(2)  # log cosh θ


def soft(theta: Any) -> Any:
    return theta / np.sqrt(1 + theta * theta)


def soft_potential(theta: Any) -> Any:
    square = theta * theta
    return square / (1 + np.sqrt(1 + square))  # √(1 + θ²) − 1, without its rounding


def arctan(theta: Any) -> Any:
    return atan2(theta, 1 + 0 * theta)


def arctan_potential(theta: Any) -> Any:
    return theta * arctan(theta) - np.log(1 + theta * theta) / 2


SATURATIONS = {
    each.name: each
    for each in (
        Saturation("sine", sine, sine_potential, 1 / 2, pi / 2),
        Saturation("clipped", clipped, clipped_potential, 1 / 2, 1.0),
        Saturation("cubic", cubic, cubic_potential, 1 / 3, 1.0),
        Saturation("tanh", np.tanh, tanh_potential, 1 / 2, inf),
        Saturation("soft", soft, soft_potential, 1 / 2, inf),
        Saturation("arctan", arctan, arctan_potential, 1 / 2, inf, pi / 2),
    )
}


def saturation(given: Any) -> Saturation:
    """Return a saturated potential by its name, or one of the user's own."""
    if isinstance(given, Saturation):
        return given
    return SATURATIONS[one_of("saturation", given, SATURATIONS)]


def total(potential: Saturation, e: Any) -> Scalar:
    """Return Σ S(eᵢ)."""
    return sum(potential.S(x) for x in e)


def slopes(potential: Saturation, e: Any) -> np.ndarray:
    """Return s(eᵢ), entry by entry."""
    found = np.empty(len(e), dtype=object)
    found[:] = [potential.s(x) for x in e]
    return found
