"""What is kept of a run: its rows as a trajectory, its limits watched, its energy audited."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.model.tree import numeric
from qddot.robot import Robot
from qddot.simulation.audit import advice, audit
from qddot.simulation.energy import Energy
from qddot.simulation.motion import WORKS
from qddot.simulation.run import Run
from qddot.simulation.switching import position_limits
from qddot.simulation.trajectory import Event, Trajectory


def trajectory(run: Run, how: dict[str, Any], audit_limit: float) -> Trajectory:
    """Return what a run has computed, however it ended."""
    robot, layout = run.plant.robot, run.plant.layout
    tables = []
    for piece in run.pieces:
        t, Y = np.array(piece.t), np.array(piece.y)
        qdd, tau, _ = run.plant.rows(t, Y, piece.modes)
        tables.append((t, Y, qdd, tau, np.full(len(t), piece.lost_before)))
    t, Y, qdd, tau, impacts = (np.concatenate(column) for column in zip(*tables, strict=True))
    parts = layout.parts(Y)
    q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
    works = {name: parts[name][:, 0] for name in WORKS}
    energy = Energy(
        kinetic=robot.kinetic_energy(q, qd),
        potential=robot.potential_energy(q),
        actuators=parts["actuators"],
        friction=parts["friction"],
        impacts=impacts,
        **works,
    )
    found = audit(energy, audit_limit)
    how = how | {"steps": run.steps, "rows": len(t), "audit_limit": audit_limit}
    sentences = [run.stopped or f"finished: {t[-1]:g} s in {run.steps:,} steps of {how['method']}"]
    sentences += [str(found), advice(found, how).rstrip(".")]
    return Trajectory(
        robot=robot,
        joint_names=robot.joint_names,
        units=tuple("rad" if joint.turns else "m" for joint in robot.model.free_joints),
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=tau,
        energy=energy,
        wrenches=_wrenches(run, t, q, qd),
        state=parts["x"] if layout.m else None,
        events=tuple(sorted([*run.events, *passed_limits(robot, t, q, qd, tau)], key=_when)),
        finished=not run.failed,
        status="; ".join(s for s in sentences if s) + ".",
        how=how,
    )


def _when(event: Event) -> float:
    return event.t


def _wrenches(run: Run, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    signals = run.plant.signals
    return {
        frame: np.array([signals[f"wrench{k}"].at(*row) for row in zip(t, q, qd, strict=True)])
        for k, frame in enumerate(run.plant.forces.wrenches)
    }


def passed_limits(
    robot: Robot, t: np.ndarray, q: np.ndarray, qd: np.ndarray, tau: np.ndarray
) -> list[Event]:
    """Return when each joint first passes each of its limits, and by how much at worst."""
    lower, upper = position_limits(robot.model)
    joints = robot.model.free_joints
    found = []
    for i, joint in enumerate(joints):
        unit = "rad" if joint.turns else "m"
        force = "N·m" if joint.turns else "N"
        most = {"velocity": joint.limits.velocity, "effort": joint.limits.effort}
        ends = {key: np.inf if x is None else float(numeric(x)) for key, x in most.items()}
        beyond = np.maximum(q[:, i] - upper[i], lower[i] - q[:, i])
        _note(found, t, beyond, q[:, i], joint.name, "position", unit)
        speed, load = np.abs(qd[:, i]), np.abs(tau[:, i])
        _note(found, t, speed - ends["velocity"], speed, joint.name, "velocity", f"{unit}/s")
        _note(found, t, load - ends["effort"], load, joint.name, "effort", force)
    return found


def _note(
    found: list[Event],
    t: np.ndarray,
    beyond: np.ndarray,
    value: np.ndarray,
    joint: str,
    what: str,
    unit: str,
) -> None:
    rounding = 1e-9 * np.abs(value).max(initial=0)  # on a stop is not beyond it
    past = np.flatnonzero(beyond > rounding)
    if len(past):
        worst = int(beyond.argmax())
        detail = f"at worst {value[worst]:.4g} {unit}, {beyond[worst]:.4g} beyond"
        found.append(Event(float(t[past[0]]), f"passes its {what} limit", joint, detail))
