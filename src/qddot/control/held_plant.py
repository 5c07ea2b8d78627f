"""An arm between two samples: torques held, its motion stepped by compiled code.

The method is that of Runge and Kutta of order 4. What acts besides the law may change meanwhile: it
is asked at the start, in the middle and at the end of a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.errors import printable
from qddot.patience import patience
from qddot.program.differentiate import replay
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.simulation.motion import Forces, Layout, rate_program, row_program
from qddot.simulation.signals import Signal, signal
from qddot.simulation.simulation import WRENCH


def step_program(rate: Program) -> Program:
    """Return the program of a step of RK4 with what acts given at its start, middle and end.

    The torque is held; y is the state of `simulation.motion`, works included:

        y⁺ = y + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)
    """
    ports = {port.name: port.shape for port in rate.inputs}
    acting = [name for name in ports if name not in ("y", "tau")]

    def step(y: Any, tau: Any, h: Any, **given: Any) -> Any:
        def f(y: Any, when: int) -> Any:
            outside = [x for name in acting for x in given[f"{name}_{when}"]]
            values = replay(rate, [*y, *tau, *outside])
            return np.array([values[i] for i in rate.results], dtype=object)

        k1 = f(y, 0)
        k2 = f(y + h / 2 * k1, 1)
        k3 = f(y + h / 2 * k2, 1)
        k4 = f(y + h * k3, 2)
        return y + h / 6 * (k1 + 2 * (k2 + k3) + k4)

    shapes: dict[str, tuple[int, ...]] = {"y": ports["y"], "tau": ports["tau"], "h": ()}
    shapes |= {f"{name}_{when}": ports[name] for name in acting for when in range(3)}

    def function(*arrays: Any) -> Any:
        return step(**dict(zip(shapes, arrays, strict=True)))

    return optimised(record(function, "step", **shapes))


class HeldPlant:
    """An arm with what acts on it besides the law, compiled."""

    def __init__(
        self,
        robot: Robot,
        duration: float,
        wrenches: Mapping[str, Any] | None,
        disturbance: Any,
        smoothing: float,
    ):
        self.robot, self.layout = robot, Layout(robot.n)
        self.frames = tuple(wrenches or {})
        self.signals: list[Signal] = []
        for frame, wrench in (wrenches or {}).items():
            robot._frame(frame)
            what = f"the wrench at {printable(frame)!r}"
            self.signals.append(signal(what, wrench, WRENCH, duration))
        if disturbance is not None:
            names = robot.joint_names
            self.signals.append(signal("the disturbance", disturbance, names, duration))
        forces = Forces(
            self.layout, None, self.frames, disturbance is not None, None, float(smoothing)
        )
        known = robot.__dict__.setdefault("_sampled", {})
        if forces not in known:
            with patience(f"recording the motion of {robot.name}"):
                rate = rate_program(robot.tree, forces)
                known[forces] = Kernel(step_program(rate)), Kernel(row_program(robot.tree, forces))
        self.step, self.row = known[forces]

    def acting(self, t: float, y: np.ndarray) -> list[np.ndarray]:
        n = self.layout.n
        return [each.at(t, y[:n], y[n : 2 * n]) for each in self.signals]

    def advanced(self, t: float, y: np.ndarray, tau: np.ndarray, h: Any) -> np.ndarray:
        """Return the state after a step of h, an array without axes."""
        if not self.signals:
            return self.step.call(y, tau, h)
        when = [self.acting(t + part * float(h), y) for part in (0.0, 0.5, 1.0)]
        return self.step.call(y, tau, h, *(x for three in zip(*when, strict=True) for x in three))
