"""A law on a computer: asked at a fixed rate, on measurements, its torques held in between.

Between two samples nothing but the arm moves, so its motion there is stepped by compiled code, by
the method of Runge and Kutta with steps of a millisecond or less.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from qddot.control.held_plant import HeldPlant
from qddot.control.laws.law import ControlLaw
from qddot.simulation.audit import LIMIT, audit
from qddot.simulation.files import joint_units
from qddot.simulation.past import Past
from qddot.simulation.result import accounted, cut_off, passed_limits
from qddot.simulation.trajectory import Trajectory

LONGEST = 1e-3  # [s], a step of the arm's motion
ROUNDING = 1e-9  # of a period: a rest that is shorter is none


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
    """What a sampled run leaves: the motion, and the rate of the law's state at every row."""

    trajectory: Trajectory
    xd: np.ndarray | None
    interrupted: bool = False
    cut: tuple[float, int] | None = None  # when a torque was first cut off, and of which joint


def sampled_run(
    plant: HeldPlant,
    law: ControlLaw,
    q0: np.ndarray,
    qd0: np.ndarray,
    duration: float,
    sampling: Sampling,
    every: int = 1,
) -> Sampled:
    """Return the motion of an arm under a law that is asked at a fixed rate.

    The law's own state is stepped as a computer would: x⁺ = x + ẋ/rate.

    Args:
        plant: The arm.
        law: The law.
        q0, qd0: Where it starts, shape (n,).
        duration: How long [s].
        sampling: How the law sees and acts.
        every: How many samples there are from one kept row to the next.
    """
    n, period = plant.robot.n, 1 / sampling.rate
    count = max(1, ceil(duration / period - ROUNDING))
    pieces = max(1, ceil(period / LONGEST - ROUNDING))
    rng = np.random.default_rng(sampling.seed)
    spread = np.array([np.broadcast_to(s, (n,)) for s in sampling.noise])
    noisy = bool(spread.any())
    x, ask, stated = law.start(q0, qd0), law.evaluated, len(law.x0) > 0
    y = np.zeros(plant.layout.size)
    y[:n], y[n : 2 * n] = q0, qd0
    whole = period / pieces  # [s], a step; those of the last sample may be shorter
    past = Past(q0[None], qd0[None], whole, np.array([sampling.delay])) if sampling.delay else None
    rows: list[tuple] = []
    tau, xd = np.zeros(n), x
    interrupted, cut = False, None
    try:
        for k in range(count):
            t = k * period
            q, qd = (x[0] for x in past.seen()) if past else (y[:n], y[n : 2 * n])
            if noisy:
                errors = spread * rng.normal(size=(2, n))
                q, qd = q + errors[0], qd + errors[1]
            if stated:
                tau, xd = ask(t, q, qd, x)
            else:
                tau = ask(t, q, qd)
            if sampling.effort is not None:
                if cut is None and (beyond := np.abs(tau) > sampling.effort).any():
                    cut = t, int(beyond.argmax())
                tau = np.clip(tau, -sampling.effort, sampling.effort)
            if k % every == 0:
                rows.append((t, y, tau, x, xd))
            length = min(period, duration - t)
            h = np.array(length / pieces)
            for piece in range(pieces):
                y = plant.advanced(t + piece * float(h), y, tau, h)
                if past:
                    past.keep(y[None, :n], y[None, n : 2 * n])
            x = x + length * xd if stated else x
            if not np.isfinite(y[: 2 * n]).all():
                break
        else:
            rows.append((duration, y, tau, x, xd))
    except KeyboardInterrupt:
        if not rows:
            raise
        interrupted = True
    motion = _kept(plant, rows, sampling, stated, duration, whole, interrupted)
    xd = np.array([row[-1] for row in rows]) if stated else None
    return Sampled(motion, xd, interrupted, cut)


def _kept(
    plant: HeldPlant,
    rows: list[tuple],
    sampling: Sampling,
    stated: bool,
    duration: float,
    h: float,
    interrupted: bool,
) -> Trajectory:
    """Return the rows of a run as a trajectory, its energy audited."""
    robot, layout = plant.robot, plant.layout
    t, Y, tau, x, _ = (np.array(column) for column in zip(*rows, strict=True))
    each = [plant.acting(ti, yi) for ti, yi in zip(t, Y, strict=True)]
    outside = [np.array(column) for column in zip(*each, strict=True)]
    qdd, _, _ = plant.row(Y, tau, *outside)
    parts = layout.parts(Y)
    q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
    energy, least = accounted(robot, parts, np.zeros(len(t)))
    found = audit(energy, LIMIT, least)
    finished = bool(np.isfinite(Y[-1]).all()) and t[-1] >= duration
    how = "interrupted" if interrupted else "ran away"
    ended = "finished" if finished else f"{how} at t = {t[-1]:g} s of {duration:g} s"
    events = passed_limits(robot, t, q, qd, tau)
    if sampling.effort is not None:
        events += cut_off(robot.joint_names, robot.limits.effort.tolist(), t, tau)
    return Trajectory(
        robot=robot,
        joint_names=robot.joint_names,
        units=joint_units(robot),
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=tau,
        energy=energy,
        wrenches=dict(zip(plant.frames, outside, strict=False)),
        state=x if stated else None,
        events=tuple(sorted(events, key=lambda event: event.t)),
        finished=finished,
        status=f"{ended}: {t[-1]:g} s, the law asked at {sampling.rate:g} Hz; {found}",
        how={"method": "rk4", "step": h, "rate": sampling.rate, "delay": sampling.delay}
        | {"audit_limit": LIMIT, "least_energy": least, "steps": round(t[-1] / h)},
    )
