"""How far along a path one is over time, from rest to rest: one number, for whatever it scales.

The quickest profiles that keep to a highest speed and acceleration (trapezoidal speed), and to a
highest jerk too (S-curve, seven pieces). Biagiotti: Biagiotti, Melchiorri, Trajectory Planning for
Automatic Machines and Robots, Springer 2008, §§3.2 and 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.control.references.piecewise import Piecewise, hermite, integrated, resting_outside


@dataclass(frozen=True)
class Profile:
    """A distance over time: 0 and at rest before, the whole length and at rest after."""

    curve: Piecewise  # (m pieces, 1 number)
    duration: float  # [s]
    breaks: np.ndarray  # where the highest derivative jumps [s]


def quintic(length: float, duration: float) -> Profile:
    """Return 10 u³ − 15 u⁴ + 6 u⁵ of the length, u = t/duration."""
    t = np.array([0.0, duration])
    rest = np.zeros((2, 1))
    curve = hermite(t, np.array([[0.0], [length]]), rest, rest)
    return Profile(resting_outside(curve, duration), duration, t)


def trapezoid(length: float, velocity: float, acceleration: float) -> Profile:
    """Return the quickest profile within a speed and an acceleration, whose speed is a trapezoid.

    Where the length is too short for the speed, a triangle:

        T_a = min(v/a, √(length/a)),  T = length/(a T_a) + T_a      Biagiotti §3.2
    """
    ramp = min(velocity / acceleration, np.sqrt(length / acceleration))
    cruise = max(length / (acceleration * ramp) - ramp, 0.0)
    if cruise < 1e-12 * ramp:  # what rounding leaves of a triangle
        cruise = 0.0
    return _made(length, [ramp, cruise, ramp], [acceleration, 0.0, -acceleration])


def s_curve(length: float, velocity: float, acceleration: float, jerk: float) -> Profile:
    """Return the quickest profile within a speed, an acceleration and a jerk.

    The speed rises for T_a, of which the acceleration rises for T_j and falls for T_j; the peak
    speed v̂ = a (T_a − T_j) covers length = v̂ (T_a + T_cruise):

        v j ≥ a²:  T_j = a/j,     T_a = T_j + v/a      Biagiotti §3.4
        else:      T_j = √(v/j),  T_a = 2 T_j
        v̂ < v:     T_a = T_j/2 + √(T_j²/4 + length/a), or T_a = 2 T_j with T_j = ∛(length/2j)
    """
    rise = min(acceleration / jerk, np.sqrt(velocity / jerk))
    ramp = rise + velocity / (jerk * rise)
    cruise = length / velocity - ramp
    if cruise < 0:
        cruise = 0.0
        rise = acceleration / jerk
        ramp = rise / 2 + np.sqrt(rise**2 / 4 + length / acceleration)
        if ramp < 2 * rise:
            rise = np.cbrt(length / (2 * jerk))
            ramp = 2 * rise
    level = ramp - 2 * rise
    if level < 1e-12 * ramp:
        level = 0.0
    spans = [rise, level, rise, cruise, rise, level, rise]
    return _made(length, spans, [jerk, 0.0, -jerk, 0.0, -jerk, 0.0, jerk])


def _made(length: float, spans: list[float], top: list[float]) -> Profile:
    """Return the profile, its end put where it should be by what rounding left."""
    curve = integrated(spans, top, 2 if len(spans) == 3 else 3)
    duration = float(sum(spans))
    reached = curve.values(np.array([duration]))[0][0, 0]
    curve = Piecewise(curve.starts, curve.coefficients * (length / reached))
    return Profile(resting_outside(curve, duration), duration, np.append(curve.starts, duration))
