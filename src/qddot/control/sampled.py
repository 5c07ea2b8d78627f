"""A law on a computer: sampled at a fixed rate, on measurements, its torques held in between.

Between two samples nothing but the arm moves, so its motion there is stepped by compiled code, by
the method of Runge and Kutta of order 4 with steps of a millisecond or less. What acts besides the
law may change meanwhile: it is asked at the start, in the middle and at the end of a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.control.laws.law import ControlLaw
from qddot.dynamics.kinematics import Axes
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.progress import message_if_slow
from qddot.robot import Robot
from qddot.runge_kutta import RK4
from qddot.simulation.acting import Forces, Past, sampled
from qddot.simulation.energy import LIMIT
from qddot.simulation.equation import System
from qddot.simulation.monitor import Monitor
from qddot.simulation.result import kept_motion, with_status
from qddot.simulation.signals import outside
from qddot.simulation.steps import rk4
from qddot.simulation.trajectory import Trajectory

LONGEST = 1e-3  # [s], a step of the arm's motion
MOST_SAMPLES = 10**8  # of a run: an hour's work and more
ROUNDING = 1e-9  # of a period: a rest that is shorter is none
JUDGED = 20_000  # samples of a run by which a law is judged
WHEN = tuple(dict.fromkeys(RK4.C))  # the shares of a step at which is asked what acts


@dataclass(frozen=True, eq=False)
class Sampling:
    """How the law sees and acts: how often, how late, how noisily, how strongly."""

    rate: float  # [Hz]
    delay: float = 0.0  # [s]
    noise: tuple[Any, Any] = (0.0, 0.0)  # standard deviations of q and q̇
    seed: int = 0
    effort: np.ndarray | None = None  # torques are cut off at these


@dataclass(frozen=True, eq=False)
class Sampled:
    """The result of a sampled run: the motion, and ẋ of the law's state at every row."""

    trajectory: Trajectory
    xd: np.ndarray | None
    rows: list[np.ndarray]  # which rows are those asked for, and by which the law is judged
    interrupted: bool = False


def sampled_run(
    plant: HeldPlant,
    law: ControlLaw,
    q0: np.ndarray,
    qd0: np.ndarray,
    duration: float,
    sampling: Sampling,
    every: int = 1,
) -> Sampled:
    """Return the motion of an arm under a law that is sampled at a fixed rate.

    The law's own state is stepped as a computer would: x⁺ = x + ẋ/rate. Kept is every so many-th
    sample, and at most JUDGED samples besides, whatever `every` is.
    """
    period = 1 / sampling.rate
    if duration / period > MOST_SAMPLES:
        what = f"{duration:g} s at {sampling.rate:g} Hz are more than {MOST_SAMPLES:g} samples"
        raise BadArgument(f"{what}. Take a shorter time, or a lower rate.")
    count = max(1, ceil(duration / period - ROUNDING))
    loop, stated = SampledLoop(plant, law, q0, qd0, sampling), len(law.x0) > 0
    monitor = Monitor(plant.robot, plant.layout, sampling.effort, plant.rows, smooth=False)
    rows: list[tuple] = []
    kept: list[int] = []
    judged = ceil(count / JUDGED)
    interrupted = False
    try:
        for k, row in enumerate(loop.samples(count, duration)):
            row = (duration, *row[1:]) if k == count else row
            monitor.add(*row[:2], 0.0, row[2], loop.asked)
            if k % every == 0 or k % judged == 0 or k == count:
                rows.append(row)
                kept.append(k)
    except KeyboardInterrupt:
        if not rows:
            raise
        interrupted = True
    monitor.look()
    motion = _kept(plant, rows, sampling, stated, duration, loop.step, interrupted, monitor)
    xd = np.array([row[-1] for row in rows]) if stated else None
    k = np.array(kept)
    which = [(k % stride == 0) | (k == k[-1]) for stride in (every, judged)]
    return Sampled(motion, xd, which, interrupted)


class SampledLoop:
    """An arm under a law on a computer, from sample to sample; it can be continued.

    What it has when it stops is `y`, `x` and `past`: another law may go on from there.
    """

    def __init__(
        self, plant: HeldPlant, law: ControlLaw, q0: np.ndarray, qd0: np.ndarray, sampling: Sampling
    ):
        """Start at positions and velocities, shape (n,)."""
        at, period = plant.layout, 1 / sampling.rate
        self.plant, self.law, self.sampling = plant, law, sampling
        self.pieces = max(1, ceil(period / LONGEST - ROUNDING))
        self.step = period / self.pieces  # [s]; those of the last sample may be shorter
        self.x = law.start(q0, qd0)
        self.y = np.zeros(at.size)
        self.y[at.q], self.y[at.v] = q0, qd0
        delay = np.array([sampling.delay])
        self.past = Past(q0[None], qd0[None], self.step, delay, plant.robot.tree)
        self.rng = np.random.default_rng(sampling.seed)
        self.asked = np.zeros(0)  # the last torques, before they are cut off

    def samples(
        self, count: int, end: float = np.inf, began: float = 0.0
    ) -> Iterator[tuple[float, np.ndarray, Any, Any, Any]]:
        """Yield t, y, τ, x and ẋ at every sample, and once more at the end.

        The last one ends at `end` [s], if that is sooner than a period later; the law has been at
        it for `began` [s] before the first of them.
        """
        plant, sampling, n = self.plant, self.sampling, self.plant.robot.n
        at, pieces, past = plant.layout, self.pieces, self.past
        spread = np.array([np.broadcast_to(s, (n,)) for s in sampling.noise])
        ask, stated = self.law.evaluated, len(self.law.x0) > 0

        def noise(k: int) -> Any:
            return spread * self.rng.normal(size=(2, n))

        def asked(t: float, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> tuple:
            t = began + t
            tau, xd = ask(t, q[0], qd[0], x) if stated else (ask(t, q[0], qd[0]), x)
            self.asked = tau
            if sampling.effort is not None:
                tau = np.clip(tau, -sampling.effort, sampling.effort)
            return tau, xd

        def moved(t: float, tau: np.ndarray, length: float) -> bool:
            h, y = np.array(length / pieces), self.y
            for piece in range(pieces):
                y = plant.advanced(began + t + piece * float(h), y, tau, h)
                past.keep(y[None, at.q], y[None, at.v])
            self.y = y
            return bool(np.isfinite(y[: at.v.stop]).all())

        errors = noise if spread.any() else None
        every = {"period": 1 / sampling.rate, "count": count, "end": end, "noise": errors}
        for t, tau, x, xd in sampled(past, asked, moved, self.x, **every):
            self.x = x
            yield began + t, self.y, tau, x, xd


def _kept(
    plant: HeldPlant,
    rows: list[tuple],
    sampling: Sampling,
    stated: bool,
    duration: float,
    h: float,
    interrupted: bool,
    monitor: Monitor,
) -> Trajectory:
    """Return the rows of a run as a trajectory, its energy audited."""
    robot = plant.robot
    t, Y, tau, x, _ = (np.array(column) for column in zip(*rows, strict=True))
    acted = plant.acting_at(t, Y)
    qdd, *_ = plant.row(Y, tau, *acted)
    finished = bool(np.isfinite(Y[-1]).all()) and t[-1] >= duration
    how = {"method": "rk4", "step": h, "rate": sampling.rate, "delay": sampling.delay}
    found = kept_motion(
        robot,
        *(t, plant.layout.parts(Y), qdd, tau),
        wrenches=dict(zip(plant.frames, acted, strict=False)),
        axes=plant.axes,
        state=x if stated else None,
        monitor=monitor,
        finished=finished,
        how=how | {"audit_limit": LIMIT, "steps": round(t[-1] / h)},
    )
    early = "interrupted" if interrupted else "ran away"
    ended = "finished" if finished else f"{early} at t = {t[-1]:g} s of {duration:g} s"
    said = f"{ended}: {t[-1]:g} s, the law asked at {sampling.rate:g} Hz; {found.audit}"
    return with_status(found, said)


class HeldPlant:
    """An arm with what acts on it besides the law, compiled."""

    def __init__(
        self,
        robot: Robot,
        duration: float,
        wrenches: Mapping[str, Any] | None,
        disturbance: Any,
        smoothing: float,
        axes: Axes = "world",
    ):
        self.robot = robot
        self.frames = tuple(wrenches or {})
        self.axes: Axes = axes
        self.signals = list(outside(robot, wrenches, disturbance, duration).values())
        forces = Forces(
            driven=True,
            wrenches=self.frames,
            axes=axes,
            disturbed=disturbance is not None,
            smoothing=float(smoothing),
        )
        system = System(robot.model, forces)
        self.layout = system.layout

        def make() -> tuple[Kernel, Kernel]:
            with message_if_slow(f"recording the motion of {robot.name}"):
                step = step_program(system.program("rate"), robot.tree)
                return Kernel(step), Kernel(system.program("row"))

        self.step, self.row = robot.cached("sampled plant", forces, make)

    def acting(self, t: float, y: np.ndarray) -> list[np.ndarray]:
        q, qd = y[self.layout.q], y[self.layout.v]
        return [each.at(t, q, qd) for each in self.signals]

    def acting_at(self, t: np.ndarray, Y: np.ndarray) -> list[np.ndarray]:
        each = [self.acting(*row) for row in zip(t, Y, strict=True)] if self.signals else []
        return [np.array(column) for column in zip(*each, strict=True)]

    def rows(self, t: np.ndarray, Y: np.ndarray, given: Any, asked: Any) -> tuple[np.ndarray, ...]:
        """Return q̈, τ and the torques asked for, at many samples."""
        tau = np.array(given)
        return self.row(Y, tau, *self.acting_at(t, Y))[0], tau, np.array(asked)

    def advanced(self, t: float, y: np.ndarray, tau: np.ndarray, h: Any) -> np.ndarray:
        """Return the state after a step of h, an array without axes."""
        if not self.signals:
            return self.step.call(y, tau, h)
        when = [self.acting(t + part * float(h), y) for part in WHEN]
        return self.step.call(y, tau, h, *(x for three in zip(*when, strict=True) for x in three))


def step_program(rate: Program, tree: Tree) -> Program:
    """Return the program of a step of RK4 with what acts given at its start, middle and end.

    The torque is held; y is the state of `simulation.equation`, works included.
    """
    ports = {port.name: port.shape for port in rate.inputs}
    acting = [name for name in ports if name not in ("y", "tau")]
    step_of_y = rk4(tree)

    def step(y: Any, tau: Any, h: Any, **given: Any) -> Any:
        def f(share: float, y: Any) -> Any:
            acted = [x for name in acting for x in given[f"{name}_{WHEN.index(share)}"]]
            return np.array(rate.results_at([*y, *tau, *acted]), dtype=object)

        return step_of_y(f, y, h)

    shapes: dict[str, tuple[int, ...]] = {"y": ports["y"], "tau": ports["tau"], "h": ()}
    shapes |= {f"{name}_{when}": ports[name] for name in acting for when in range(len(WHEN))}

    def function(*arrays: Any) -> Any:
        return step(**dict(zip(shapes, arrays, strict=True)))

    return optimised(record(function, "step", **shapes))
