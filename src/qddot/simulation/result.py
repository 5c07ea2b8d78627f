"""What is kept of a run: its rows as a trajectory, its limits watched, its energy audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import Axes
from qddot.robot import Robot
from qddot.simulation.energy import Energy, advice, energy_of
from qddot.simulation.files import joint_units
from qddot.simulation.monitor import Monitor
from qddot.simulation.run import SAME, Run
from qddot.simulation.trajectory import Event, Trajectory, impossible_inputs


def trajectory(run: Run, how: dict[str, Any], audit_limit: float) -> Trajectory:
    """Return what a run has computed, however it ended."""
    assert run.monitor is not None
    tables = []
    for piece in run.pieces:
        t, Y = np.array(piece.t), np.array(piece.y)
        qdd, tau, *_ = run.plant.rows(t, Y, piece.modes, piece.end)
        tables.append((t, Y, qdd, tau, np.full(len(t), piece.lost_before)))
    t, Y, qdd, tau, impacts = (np.concatenate(column) for column in zip(*tables, strict=True))
    parts = run.plant.layout.parts(Y)
    how = how | {"steps": run.steps, "rows": len(t), "audit_limit": audit_limit}
    # after Ctrl-C no function is called again: one that hangs may be why it was pressed
    asked = () if run.interrupted else run.plant.signals.values()
    memory = next(filter(None, (signal.memory() for signal in asked)), "")
    how |= {"memory": memory} if memory else {}
    found = kept_motion(
        run.plant.robot,
        *(t, parts, qdd, tau),
        impacts=impacts,
        wrenches=_wrenches(run, t, parts["q"], parts["qd"]),
        axes=run.plant.forces.axes,
        state=parts["x"] if run.plant.layout.m else None,
        events=run.events,
        monitor=run.monitor,
        finished=not run.failed,
        how=how,
    )
    ended = run.stopped or f"finished: {t[-1]:g} s in {run.steps:,} steps of {how['method']}"
    status = f"{ended}; {found.audit}. {advice(found.audit, how)}".rstrip()
    return with_status(found, status)


def with_status(motion: Trajectory, status: str) -> Trajectory:
    """Return a motion with how it ended, and what is wrong with it besides its energy balance."""
    wrong = "".join(f" NOT GOOD: {each}." for each in impossible_inputs(motion))
    return replace(motion, status=status + wrong)


def kept_motion(
    robot: Robot,
    t: np.ndarray,
    parts: Mapping[str, np.ndarray],
    qdd: np.ndarray,
    tau: np.ndarray,
    *,
    wrenches: Mapping[str, np.ndarray],
    axes: Axes,
    monitor: Monitor,
    impacts: np.ndarray | None = None,
    events: Sequence[Event] = (),
    how: Mapping[str, Any],
    **more: Any,
) -> Trajectory:
    """Return the rows of a run as a motion, with what its steps have shown.

    `parts` are the states as `Layout.parts` has them, `wrenches` what acted, in `axes`, `impacts`
    what was lost in impacts [J]; `how` has the limit of the audit. `more` are further fields.
    """
    q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
    exact = monitor.robot
    kinetic, potential = exact.kinetic_energy(q, qd), exact.potential_energy(q)
    energy = energy_of(parts, kinetic, potential, np.zeros(len(t)) if impacts is None else impacts)
    # what moves every joint at a thousandth of a radian or metre per second counts as exchanged
    least = 0.5 * float(np.trace(exact.mass_matrix(q[0]))) * 1e-6
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
        wrenches={f: _in_world_axes(robot, q, f, x, axes) for f, x in wrenches.items()},
        events=tuple(sorted([*events, *monitor.events], key=lambda event: event.t)),
        how={**how, "least_energy": least, **monitor.how},
        positions=robot.model.position_names,
        **more,
    )


def rows_every(t: np.ndarray, every: float) -> np.ndarray:
    """Return which rows of a run it has for this time between rows, first, last, events too."""
    jumps = t[1:] == t[:-1]
    on = np.abs(t - np.rint(t / every) * every) <= SAME * t
    on[1:] |= jumps
    on[:-1] |= jumps
    on[[0, -1]] = True
    return on


def some_rows(motion: Trajectory, which: np.ndarray) -> Trajectory:
    """Return a motion with some of its rows."""
    energy = motion.energy
    return replace(
        motion,
        **{name: getattr(motion, name)[which] for name in ("t", "q", "qd", "qdd", "tau")},
        energy=Energy(**{part.name: getattr(energy, part.name)[which] for part in fields(energy)}),
        wrenches={frame: wrench[which] for frame, wrench in motion.wrenches.items()},
        state=None if motion.state is None else motion.state[which],
        how={**motion.how, "rows": int(which.sum())},
    )


def _wrenches(run: Run, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    signals = run.plant.signals
    return {
        frame: np.array([signals[f"wrench{k}"].at(*row) for row in zip(t, q, qd, strict=True)])
        for k, frame in enumerate(run.plant.forces.wrenches)
    }


def _in_world_axes(
    robot: Robot, q: np.ndarray, frame: str, wrench: np.ndarray, axes: Axes
) -> np.ndarray:
    """Return wrenches (k, 6) at a frame's origin in world axes, as motions keep them."""
    if axes == "world":
        return wrench
    X = robot.with_options(dtype="float64").pose(q, frame)
    moment, force = wrench[:, :3], wrench[:, 3:]
    if axes == "base":
        return np.hstack([moment - np.cross(X[:, :3, 3], force), force])
    return np.einsum("kij,kpj->kpi", X[:, :3, :3], np.stack([moment, force], 1)).reshape(-1, 6)
