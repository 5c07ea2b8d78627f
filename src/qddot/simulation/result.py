"""What is kept of a run: its rows as a trajectory, its limits watched, its energy audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import Axes
from qddot.errors import listing
from qddot.robot import Robot
from qddot.simulation.energy import Energy, advice
from qddot.simulation.equation import WORKS
from qddot.simulation.files import joint_units
from qddot.simulation.run import Run
from qddot.simulation.trajectory import Event, Trajectory

ROUNDING = 1e-12  # of the largest torque: less is none


def trajectory(run: Run, how: dict[str, Any], audit_limit: float) -> Trajectory:
    """Return what a run has computed, however it ended."""
    tables = []
    for piece in run.pieces:
        t, Y = np.array(piece.t), np.array(piece.y)
        qdd, tau, _ = run.plant.rows(t, Y, piece.modes, piece.end)
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
        effort=run.plant.forces.effort,
        finished=not run.failed,
        how=how,
    )
    ended = run.stopped or f"finished: {t[-1]:g} s in {run.steps:,} steps of {how['method']}"
    status = f"{ended}; {found.audit}. {advice(found.audit, how)}".rstrip()
    return with_status(found, status)


def with_status(motion: Trajectory, status: str) -> Trajectory:
    """Return a motion with how it ended, and what is wrong with it besides its energy balance."""
    wrong = [motion.how[key] for key in ("memory", "no_motor") if motion.how.get(key)]
    return replace(motion, status=status + "".join(f" NOT GOOD: {each}." for each in wrong))


def kept_motion(
    robot: Robot,
    t: np.ndarray,
    parts: Mapping[str, np.ndarray],
    qdd: np.ndarray,
    tau: np.ndarray,
    *,
    wrenches: Mapping[str, np.ndarray],
    axes: Axes,
    impacts: np.ndarray | None = None,
    events: Sequence[Event] = (),
    effort: Sequence[float] | None = None,
    how: Mapping[str, Any],
    **more: Any,
) -> Trajectory:
    """Return the rows of a run as a motion, its limits watched and its energy balance checked.

    `parts` are the states as `Layout.parts` has them, `wrenches` what acted, in `axes`, `impacts`
    what was lost in impacts [J], `effort` what torques were cut off at; `how` has the limit of the
    audit. `more` are further fields.
    """
    q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
    energy, least = accounted(robot, parts, np.zeros(len(t)) if impacts is None else impacts)
    seen = [*events, *passed_limits(robot, t, q, qd, tau)]
    idle = without_motor(robot, t, tau, energy)
    seen += idle
    names = listing(f"{event.joint} {event.name}" for event in idle)
    seen += [] if effort is None else cut_off(robot.joint_names, effort, t, tau)
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
        events=tuple(sorted(seen, key=lambda event: event.t)),
        how={**how, "least_energy": least, "no_motor": names},
        positions=robot.model.position_names,
        **more,
    )


def accounted(
    robot: Robot, parts: Mapping[str, np.ndarray], impacts: np.ndarray
) -> tuple[Energy, float]:
    """Return the energies of a run's rows, and what counts as exchanged at least [J].

    The latter is what it takes to move every joint at a thousandth of a radian or metre per second.
    """
    robot = robot.with_options(dtype="float64")
    q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
    energy = energy_of(parts, robot.kinetic_energy(q, qd), robot.potential_energy(q), impacts)
    return energy, 0.5 * float(np.trace(robot.mass_matrix(q[0]))) * 1e-6


def energy_of(
    parts: Mapping[str, np.ndarray], kinetic: np.ndarray, potential: np.ndarray, impacts: np.ndarray
) -> Energy:
    """Return the account of a run's rows, from its states as `Layout.parts` has them."""
    works = {name: parts[name][:, 0] for name in WORKS}
    by_joint = {name: parts[name] for name in ("actuators", "friction")}
    return Energy(kinetic, potential, **by_joint, impacts=impacts, **works)


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


def passed_limits(
    robot: Robot, t: np.ndarray, q: np.ndarray, qd: np.ndarray, tau: np.ndarray
) -> list[Event]:
    """Return when each joint first passes each of its limits, and by how much at worst."""
    limits = robot.limits
    joints = robot.model.free_joints
    found = []
    for i, (joint, k) in enumerate(zip(joints, robot.tree.positions, strict=True)):
        units = joint.units
        beyond = np.maximum(q[:, k] - limits.upper[k], limits.lower[k] - q[:, k])
        _note(found, t, beyond, q[:, k], joint.name, "position", units.position)
        speed, load = np.abs(qd[:, i]), np.abs(tau[:, i])
        _note(found, t, speed - limits.velocity[i], speed, joint.name, "velocity", units.velocity)
        _note(found, t, load - limits.effort[i], load, joint.name, "effort", units.effort)
    return found


def without_motor(robot: Robot, t: np.ndarray, tau: np.ndarray, energy: Energy) -> list[Event]:
    """Return which joints without a motor are given a torque, also one between two rows."""
    found, works = [], np.abs(energy.actuators)
    given = np.abs(tau) > ROUNDING * np.abs(tau).max(initial=0)
    given |= works > ROUNDING * works.max(initial=0)
    for i in np.flatnonzero(~robot.actuated & given.any(axis=0)):
        detail = f"up to {np.abs(tau[:, i]).max():.4g} {robot.limits.units[i].effort}"
        first = float(t[given[:, i].argmax()])
        what = "is given a torque, and has no motor"
        found.append(Event(first, what, robot.joint_names[i], detail))
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
    if not len(past):
        return
    first, worst = int(past[0]), int(beyond.argmax())
    when = t[first]
    if first and t[first] > t[first - 1]:  # where a line between the rows passes it
        share = -beyond[first - 1] / (beyond[first] - beyond[first - 1])
        when = t[first - 1] + share * (t[first] - t[first - 1])
    detail = f"at worst {value[worst]:.4g} {unit}, {beyond[worst]:.4g} beyond"
    found.append(Event(float(when), f"passes its {what} limit", joint, detail))


def cut_off(joints: Sequence[str], most: Sequence[float], t: np.ndarray, tau: np.ndarray) -> list:
    """Return when each joint's torque is first cut off at its limit, and how often it is."""
    found = []
    for name, limit, load in zip(joints, most, np.abs(tau).T, strict=True):
        cut = np.flatnonzero(load >= limit)
        if len(cut):
            detail = f"at {limit:g}, in {len(cut) / len(t):.0%} of the rows"
            found.append(Event(float(t[cut[0]]), "is held at its effort limit", name, detail))
    return found
