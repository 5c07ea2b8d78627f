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
from qddot.program.differentiate import replay
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.progress import message_if_slow
from qddot.robot import Robot
from qddot.runge_kutta import RK4
from qddot.simulation.equation import Forces, System
from qddot.simulation.signals import Signal, signal
from qddot.simulation.simulation import WRENCH

WHEN = tuple(dict.fromkeys(RK4.C))  # the shares of a step at which is asked what acts


def step_program(rate: Program) -> Program:
    """Return the program of a step of RK4 with what acts given at its start, middle and end.

    The torque is held; y is the state of `simulation.equation`, works included.
    """
    ports = {port.name: port.shape for port in rate.inputs}
    acting = [name for name in ports if name not in ("y", "tau")]

    def step(y: Any, tau: Any, h: Any, **given: Any) -> Any:
        def f(share: float, y: Any) -> Any:
            outside = [x for name in acting for x in given[f"{name}_{WHEN.index(share)}"]]
            values = replay(rate, [*y, *tau, *outside])
            return np.array([values[i] for i in rate.results], dtype=object)

        return RK4.step(f, y, h)

    shapes: dict[str, tuple[int, ...]] = {"y": ports["y"], "tau": ports["tau"], "h": ()}
    shapes |= {f"{name}_{when}": ports[name] for name in acting for when in range(len(WHEN))}

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
        self.robot = robot
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
            driven=True,
            wrenches=self.frames,
            disturbed=disturbance is not None,
            smoothing=float(smoothing),
        )
        system = System(robot.model, forces)
        self.layout = system.layout

        def make() -> tuple[Kernel, Kernel]:
            with message_if_slow(f"recording the motion of {robot.name}"):
                step = step_program(system.program("rate"))
                return Kernel(step), Kernel(system.program("row"))

        self.step, self.row = robot.cached("sampled plant", forces, make)

    def acting(self, t: float, y: np.ndarray) -> list[np.ndarray]:
        n = self.layout.n
        return [each.at(t, y[:n], y[n : 2 * n]) for each in self.signals]

    def advanced(self, t: float, y: np.ndarray, tau: np.ndarray, h: Any) -> np.ndarray:
        """Return the state after a step of h, an array without axes."""
        if not self.signals:
            return self.step.call(y, tau, h)
        when = [self.acting(t + part * float(h), y) for part in WHEN]
        return self.step.call(y, tau, h, *(x for three in zip(*when, strict=True) for x in three))
