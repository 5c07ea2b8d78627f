"""Whether a run will reach its end: how far its steps take it, and angles that are too large."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from qddot.errors import SimulationWarning, printable
from qddot.robot import Robot
from qddot.simulation.signals import Stopped

MOST_STEPS = 1_000_000
LOOK = 2000  # steps between two checks of how far the run is
HOPELESS = 100  # times as many steps as it may take: a run that would need more stops at once
FARTHEST = 1e14  # [rad]: beyond, kernels give NaN, as a double is known to no more than 0.01 rad


@dataclass
class Pace:
    """How fast a run advances."""

    duration: float  # [s]
    most: int  # steps
    names: tuple[str, ...]
    units: tuple[str, ...]
    mark: float = 0.0  # [s], where it was at the last look
    told: bool = False

    def look(self, steps: int, t: float, qd: np.ndarray) -> None:
        """Stop a run that has taken as many steps as it may, or that would not end.

        Raises:
            Stopped: With how far it got, and why probably no further.
        """
        if steps % LOOK and steps < self.most:
            return
        h = (t - self.mark) / (steps % LOOK or LOOK)
        self.mark = t
        if t >= self.duration:
            return
        ahead = (self.duration - t) / h if h > 0 else np.inf
        share = f"{100 * t / self.duration:.2g} % of {self.duration:g} s"
        if steps >= self.most:
            raise Stopped(
                t,
                f"it has taken max_steps={self.most:,} steps and come to {share}; "
                f"{self._why(h, qd)}; about {ahead:.1g} steps more would be needed",
            )
        if ahead > HOPELESS * max(self.most, MOST_STEPS):
            raise Stopped(
                t,
                f"{steps:,} steps took it to {share}, and at this pace it would take {ahead:.1g} "
                f"more: {self._why(h, qd)}",
            )
        if steps + ahead > self.most and not self.told:
            self.told = True
            warnings.warn(
                f"After {steps:,} steps the run is at {share}; at this pace it will stop at "
                f"max_steps={self.most:,}, before its end: {self._why(h, qd)}.",
                SimulationWarning,
                stacklevel=5,
            )

    def _why(self, h: float, qd: np.ndarray) -> str:
        """Return why steps of h [s] are so short for the run."""
        fastest = int(np.abs(qd).argmax())
        rate = abs(qd[fastest])
        if h < 1e-5 and h * rate < 1e-3:
            return (
                "something that acts probably jumps back and forth with the state, like sgn(q̇): "
                "give the robot friction instead, or smooth it"
            )
        if h < 1e-3:
            return (
                f"joint {printable(self.names[fastest])!r} moves at {rate:.3g} "
                f"{self.units[fastest]}/s, and a step follows it for {h:.1g} s only"
            )
        return f"{self.duration:g} s are long for a motion that takes steps of {h:.1g} s"


def far_angle(robot: Robot, q: np.ndarray, share: float = 1.0) -> str:
    """Return in words which joint has turned too far, or this share of it, if one has."""
    entries = zip(robot.model.position_names, robot.tree.configuration, q, strict=True)
    for name, entry, angle in entries:
        if entry.unit == "rad" and abs(angle) > share * FARTHEST:
            return (
                f"joint {printable(name)!r} stands at {angle:.3g} rad, and sines are "
                f"computed up to {FARTHEST:g} rad (2π more is the same place)"
            )
    return ""
