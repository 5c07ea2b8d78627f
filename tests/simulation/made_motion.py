"""Motions made by hand: sines with exact derivatives, torques and energies from kernels."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

import qddot
from qddot.simulation.energy import Energy
from qddot.simulation.trajectory import Event, Trajectory


def sines(n: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, q̇ and q̈ of joints that swing, each at its own pace."""
    w = 1.0 + 0.3 * np.arange(n)
    a, phase = 0.8 / (1 + 0.2 * np.arange(n)), 0.5 * np.arange(n)
    x = np.multiply.outer(t, w) + phase
    return a * np.sin(x), a * w * np.cos(x), -a * w * w * np.sin(x)


def made(name: str = "two_link", duration: float = 2.0, rows: int = 41, **more: Any) -> Trajectory:
    """Return a motion of a built-in robot; `more` replaces fields."""
    robot = qddot.load(name)
    t = np.linspace(0, duration, rows)
    q, qd, qdd = sines(robot.n, t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    power = tau * qd
    steps = np.diff(t)[:, None] * (power[1:] + power[:-1]) / 2
    work = np.vstack([np.zeros((1, robot.n)), np.cumsum(steps, axis=0)])
    potential = robot.potential_energy(q)
    none = np.zeros(rows)
    energy = Energy(
        kinetic=robot.kinetic_energy(q, qd),
        potential=potential,
        actuators=work,
        friction=np.zeros((rows, robot.n)),
        dampers=none,
        impacts=none,
        wrenches=none,
        disturbance=none,
        base=none,
        gravity=potential - potential[0],
    )
    whole = Trajectory(
        robot=robot,
        joint_names=robot.joint_names,
        units=tuple("rad" if joint.turns else "m" for joint in robot.model.free_joints),
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=tau,
        energy=energy,
        events=(Event(duration / 2, "hits a stop", robot.joint_names[0], "at 0.8"),),
        status="made by hand",
        how={"method": "by hand", "tolerance": 1e-9, "steps": rows},
    )
    return replace(whole, **more)


def random_motion(seed: int, joints: tuple[str, ...], frames: tuple[str, ...] = ()) -> Trajectory:
    """Return a motion of no robot at all, with any numbers, NaN and infinities among them."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 6)), len(joints)

    def some(*shape: int) -> np.ndarray:
        odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1])
        plain = rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, size=shape)
        return np.where(rng.random(shape) < 0.3, rng.choice(odd, size=shape), plain)

    by_joint = {"actuators", "friction"}
    energy = {f.name: some(k, n) if f.name in by_joint else some(k) for f in fields(Energy)}
    return Trajectory(
        robot=None,
        joint_names=joints,
        units=tuple(str(rng.choice(["rad", "m"])) for _ in joints),
        t=np.sort(np.round(rng.normal(size=k), 1)),
        q=some(k, n),
        qd=some(k, n),
        qdd=some(k, n),
        tau=some(k, n),
        energy=Energy(**energy),
        wrenches={frame: some(k, 6) for frame in frames},
        state=some(k, int(rng.integers(1, 4))) if rng.random() < 0.5 else None,
        events=tuple(Event(0.1 * i, "sticks", name, "é\n") for i, name in enumerate(joints)),
        finished=bool(rng.random() < 0.5),
        status='"quoted", α\nand a second line',
        how={"method": "rk4", "step": 0.001, "steps": 7, "list": [1, 2.5, None]},
    )
